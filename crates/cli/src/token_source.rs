//! Where the bearer token that clients must show comes from: the file of `--token-file`, or for `pollux serve` a variable,
//! so that a container needs no file.

use crate::settings::UsageError;
use pollux_server::gate::BearerToken;
use std::path::PathBuf;

/// The variable that holds the token of `pollux serve`.
pub(crate) const TOKEN_VARIABLE: &str = "CODER_AGENT_TOKEN";
/// The variable that holds the names which requests to `pollux serve` may carry, separated by commas.
pub(crate) const ALLOWED_HOSTS_VARIABLE: &str = "CODER_AGENT_ALLOWED_HOSTS";

/// A place that a token is taken from.
pub(crate) enum TokenSource {
    File(PathBuf),
    Variable(BearerToken),
}

impl TokenSource {
    /// The token in the variable. The error never repeats what is in it.
    pub(crate) fn from_variable(text: &str) -> Result<TokenSource, UsageError> {
        let token =
            BearerToken::parse(text.trim()).map_err(|error| UsageError(format!("{TOKEN_VARIABLE}: {error}")))?;
        Ok(TokenSource::Variable(token))
    }

    /// The token itself.
    pub(crate) fn read(&self) -> Result<BearerToken, UsageError> {
        match self {
            TokenSource::File(path) => BearerToken::read_file(path).map_err(|error| UsageError(error.to_string())),
            TokenSource::Variable(token) => Ok(token.clone()),
        }
    }
}

/// The host names in the variable.
pub(crate) fn parse_hosts(text: &str) -> impl Iterator<Item = String> {
    text.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned)
}
