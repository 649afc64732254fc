//! The bearer token: a secret that can be compared and written where the caller says, and is shown nowhere else.

use axum::http::header::{AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;

/// The longest token file that is read.
const MAX_FILE_BYTES: u64 = 4096;
/// A browser cannot set headers on a WebSocket: on this path the token may come as a subprotocol.
const SOCKET_PATH: &str = "/ws";
const SUBPROTOCOL_PREFIX: &str = "pollux.bearer.";

/// A bearer token. It has no `Debug` and no `Serialize`: it leaves only through [`BearerToken::reveal`].
#[derive(Clone)]
pub struct BearerToken(String);

/// Why a token cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// There is no such file.
    #[error(
        "there is no token file {path}: make one with `openssl rand -hex 32 > {path} && chmod 600 {path}`, or give \
         `pollux serve` its token in the variable CODER_AGENT_TOKEN"
    )]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read the token file {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        source: io::Error,
    },
    /// Others can read the file.
    #[error("other users can read the token file {path}: run chmod 600 on it")]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// Not a token: too short to be safe, or with characters a header cannot carry.
    #[error("a token is {min} or more letters, digits or -._~+/=: make one with openssl rand -hex 32", min = BearerToken::MIN_CHARS)]
    Unfit,
    /// The system gave no random bytes.
    #[error("the system has no randomness for a token: {0}")]
    Random(getrandom::Error),
}

impl BearerToken {
    /// The shortest token that is accepted.
    pub const MIN_CHARS: usize = 32;

    /// A new token of 256 random bits.
    pub fn generate() -> Result<BearerToken, TokenError> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
        Ok(BearerToken(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// A token from its text.
    pub fn parse(text: &str) -> Result<BearerToken, TokenError> {
        let fits = text.len() >= BearerToken::MIN_CHARS
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte));
        if fits { Ok(BearerToken(text.to_owned())) } else { Err(TokenError::Unfit) }
    }

    /// The token in a file that only its owner can read; one line end after it is ignored.
    pub fn read_file(path: &Path) -> Result<BearerToken, TokenError> {
        let failed = |source| TokenError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => TokenError::Missing { path: path.to_owned() },
            _ => failed(source),
        })?;
        // The mode of the file that was opened, not of whatever the path names by now.
        if file.metadata().map_err(failed)?.mode() & 0o077 != 0 {
            return Err(TokenError::Exposed { path: path.to_owned() });
        }
        let mut text = String::new();
        file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(failed)?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        BearerToken::parse(line.strip_suffix('\r').unwrap_or(line))
    }

    /// The secret itself, for the discovery file and the link that the terminal prints. Never for a log.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash of it that the gate keeps.
    pub(super) fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

/// The hash of a token. Hashes are compared, in constant time: neither length nor prefix of the token leaks.
pub(super) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(super) fn matches(&self, presented: &str) -> bool {
        let presented: [u8; 32] = Sha256::digest(presented.as_bytes()).into();
        bool::from(self.0.ct_eq(&presented))
    }
}

/// The credentials a request came with.
pub(super) enum PresentedCredentials<'a> {
    /// None at all.
    Nothing,
    Token(&'a str),
    /// Something that is no single bearer token.
    Unreadable,
}

/// Looks in `Authorization`, then, on the socket path, among the subprotocols.
pub(super) fn read_credentials(request: &Parts) -> PresentedCredentials<'_> {
    let mut authorizations = request.headers.get_all(AUTHORIZATION).iter();
    match (authorizations.next(), authorizations.next()) {
        (Some(only), None) => {
            only.to_str().ok().and_then(bearer).map_or(PresentedCredentials::Unreadable, PresentedCredentials::Token)
        }
        (Some(_), Some(_)) => PresentedCredentials::Unreadable,
        (None, _) if request.uri.path() == SOCKET_PATH => read_subprotocol(&request.headers),
        (None, _) => PresentedCredentials::Nothing,
    }
}

/// Removes every credential from `headers`; the other subprotocols stay.
pub(super) fn scrub(headers: &mut HeaderMap) {
    headers.remove(AUTHORIZATION);
    if !subprotocols(headers).any(|offered| offered.starts_with(SUBPROTOCOL_PREFIX)) {
        return;
    }
    let kept: Vec<&str> = subprotocols(headers).filter(|offered| !offered.starts_with(SUBPROTOCOL_PREFIX)).collect();
    let rest = HeaderValue::from_str(&kept.join(", ")).ok().filter(|rest| !rest.is_empty());
    headers.remove(SEC_WEBSOCKET_PROTOCOL);
    if let Some(rest) = rest {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, rest);
    }
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn read_subprotocol(headers: &HeaderMap) -> PresentedCredentials<'_> {
    let mut tokens = subprotocols(headers).filter_map(|offered| offered.strip_prefix(SUBPROTOCOL_PREFIX));
    match (tokens.next(), tokens.next()) {
        (Some(only), None) => PresentedCredentials::Token(only),
        (Some(_), Some(_)) => PresentedCredentials::Unreadable,
        (None, _) => PresentedCredentials::Nothing,
    }
}

fn subprotocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',').map(str::trim)).filter(|offered| !offered.is_empty())
}
