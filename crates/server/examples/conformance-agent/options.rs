//! Options of the agent.

use crate::trigger::ConformanceKit;
use thiserror::Error;

/// The usage of the agent.
pub(crate) const USAGE: &str = "usage: conformance-agent --port N [--grpc-port N] [--kit 0.3|1.0] [--push] \
     [--no-streaming] [--extended-card] [--required-extension URI]";

/// Options of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConformanceOptions {
    /// The port of JSON-RPC and HTTP+JSON.
    pub(crate) port: u16,
    /// The port of gRPC, which is not spoken without.
    pub(crate) grpc_port: Option<u16>,
    /// Whose triggers are followed.
    pub(crate) kit: ConformanceKit,
    /// True if news is pushed, to this machine too.
    pub(crate) push: bool,
    /// True if tasks can be streamed.
    pub(crate) streaming: bool,
    /// True if there is a longer card.
    pub(crate) extended_card: bool,
    /// An extension that clients must declare.
    pub(crate) required_extension: Option<String>,
}

/// Why the agent does not start.
#[derive(Debug, Error)]
pub(crate) enum OptionError {
    /// Not an option.
    #[error("no option {0}; {USAGE}")]
    Unknown(String),
    /// An option without what belongs to it.
    #[error("{0} needs a value; {USAGE}")]
    Missing(String),
    /// A value that does not fit.
    #[error("{1:?} does not fit {0}; {USAGE}")]
    Unfit(String, String),
}

impl ConformanceOptions {
    /// Read the words after the program's name.
    pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<ConformanceOptions, OptionError> {
        let mut options = ConformanceOptions {
            port: 0,
            grpc_port: None,
            kit: ConformanceKit::New,
            push: false,
            streaming: true,
            extended_card: false,
            required_extension: None,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| OptionError::Missing(word.clone()));
            match word.as_str() {
                "--port" => options.port = port(&word, value()?)?,
                "--grpc-port" => options.grpc_port = Some(port(&word, value()?)?),
                "--kit" => options.kit = kit(&word, value()?)?,
                "--push" => options.push = true,
                "--no-streaming" => options.streaming = false,
                "--extended-card" => options.extended_card = true,
                "--required-extension" => options.required_extension = Some(value()?),
                _ => return Err(OptionError::Unknown(word)),
            }
        }
        Ok(options)
    }
}

fn port(name: &str, value: String) -> Result<u16, OptionError> {
    value.parse().map_err(|_| OptionError::Unfit(name.to_owned(), value))
}

fn kit(name: &str, value: String) -> Result<ConformanceKit, OptionError> {
    match value.as_str() {
        "0.3" => Ok(ConformanceKit::Old),
        "1.0" => Ok(ConformanceKit::New),
        _ => Err(OptionError::Unfit(name.to_owned(), value)),
    }
}
