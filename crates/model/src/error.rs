//! Why a model call failed, and whether asking again may help.

use crate::llama::GgufError;
use crate::provider::{Provider, ProviderSite};
use std::time::Duration;
use thiserror::Error;

/// Why a model call failed. Each message says what to do next.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ModelError {
    /// The provider answered with an error.
    #[error("{}", api_sentence(*provider, *code, status, message, *fault, *retry_after))]
    Api {
        provider: Provider,
        /// The HTTP status; 200 when the error came in the middle of an answer.
        http: u16,
        /// The provider's code, mostly the same as the HTTP status.
        code: u16,
        /// The provider's word for it (`RESOURCE_EXHAUSTED`). May be empty.
        status: String,
        /// The provider's sentence.
        message: String,
        /// When it asks to be tried again.
        retry_after: Option<Duration>,
        fault: ProviderFault,
    },
    /// The provider refuses to answer this prompt.
    #[error("the provider blocked the prompt ({reason}); rephrase it, or clear the conversation it follows")]
    Blocked {
        /// Its word for why (`SAFETY`).
        reason: String,
    },
    /// The provider could not be reached.
    #[error("cannot reach the model at {host}: {message}; {}", reach_advice(*provider))]
    Net {
        provider: Provider,
        /// Where.
        host: String,
        message: String,
    },
    /// Nothing listens where the provider's server should be on this machine. Waiting does not start it.
    #[error("nothing listens on {address}; {}, or choose another model with -m or /model", start_advice(*provider))]
    NoServer {
        provider: Provider,
        /// Where: host and port.
        address: String,
    },
    /// There is no Google credential, or Google does not take it.
    #[error(
        "cannot log in to Google: {why}; run `gcloud auth application-default login`, or set \
         GOOGLE_APPLICATION_CREDENTIALS to a key file, or GOOGLE_API_KEY"
    )]
    Credentials {
        /// The problem. It repeats no secret.
        why: String,
    },
    /// The answer broke off.
    #[error("the connection broke in the middle of the answer: {message}")]
    Cut { message: String },
    /// The answer is complete but cannot be used.
    #[error("the model's answer cannot be used: {flaw}")]
    Malformed { flaw: AnswerFlaw },
    /// All attempts to start the call failed.
    #[error("gave up after {attempts} attempts: {last}")]
    Exhausted {
        attempts: u32,
        /// The last one's error.
        last: Box<ModelError>,
    },
    /// The engine has no such ability.
    #[error("{model} cannot {what}; choose a model that can with -m")]
    Unsupported {
        /// Which engine.
        model: String,
        what: &'static str,
    },
    /// A GGUF file on this machine does not answer.
    #[error("{path}: {why}")]
    Gguf {
        /// The file.
        path: String,
        /// Why not.
        why: GgufError,
    },
    /// The script does not fit the conversation.
    #[error("{0}")]
    Script(#[from] crate::script::ScriptMismatch),
}

/// The prospect of asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryClass {
    /// It may, not before `after` if that is known.
    Retryable {
        /// The wait that the provider asks for.
        after: Option<Duration>,
    },
    /// It does not.
    Terminal,
}

/// The cause of an error answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProviderFault {
    /// The request is not acceptable as it is.
    Request,
    /// The conversation is longer than the model can take.
    TooLong,
    /// The key is wrong, expired or missing.
    Key,
    /// The key may not do this.
    Permission,
    /// There is no such model.
    NotFound,
    /// A quota that does not come back soon is used up.
    Quota,
    /// The model has no capacity left for this account.
    Capacity,
    /// Too many requests right now.
    Rate,
    /// The provider has trouble of its own.
    Server,
}

/// The flaw of a complete answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AnswerFlaw {
    /// It stopped without a finish reason.
    #[error("it stopped without saying why")]
    NoFinish,
    /// The call it wants is not well formed (`MALFORMED_FUNCTION_CALL`, `UNEXPECTED_TOOL_CALL`).
    #[error("it asked for a tool in a way that does not work ({finish})")]
    BadCall {
        /// The finish reason.
        finish: String,
    },
    /// The arguments of a call are not a JSON object.
    #[error("it called {tool} with arguments that do not decode: {why}")]
    BadArguments { tool: String, why: String },
    /// There are thoughts but nothing to show.
    #[error("it thought and then said nothing ({finish})")]
    OnlyThoughts {
        /// The finish reason.
        finish: String,
    },
    /// There is nothing in it.
    #[error("it is empty ({finish})")]
    Empty {
        /// The finish reason.
        finish: String,
    },
    /// A frame is not what the protocol says.
    #[error("a frame of the stream does not decode: {why}")]
    BadFrame { why: String },
}

impl AnswerFlaw {
    /// True if the provider will not have this answered: it decides the same each time, and each time costs.
    fn is_refusal(&self) -> bool {
        let AnswerFlaw::Empty { finish } = self else { return false };
        matches!(finish.as_str(), "SAFETY" | "RECITATION" | "PROHIBITED_CONTENT" | "BLOCKLIST" | "SPII")
    }
}

impl ModelError {
    /// A short machine-readable word.
    pub fn kind(&self) -> &'static str {
        match self {
            ModelError::Api { fault, .. } => match fault {
                ProviderFault::Request => "model_request",
                ProviderFault::TooLong => "model_too_long",
                ProviderFault::Key => "model_key",
                ProviderFault::Permission => "model_permission",
                ProviderFault::NotFound => "model_not_found",
                ProviderFault::Quota => "model_quota",
                ProviderFault::Capacity => "model_capacity",
                ProviderFault::Rate => "model_rate",
                ProviderFault::Server => "model_server",
            },
            ModelError::Blocked { .. } => "model_blocked",
            ModelError::Net { .. } | ModelError::NoServer { .. } => "model_unreachable",
            ModelError::Credentials { .. } => "model_key",
            ModelError::Cut { .. } => "model_cut",
            ModelError::Malformed { .. } => "model_malformed",
            ModelError::Exhausted { last, .. } => last.kind(),
            ModelError::Unsupported { .. } => "model_unsupported",
            ModelError::Gguf { why: GgufError::TooLong { .. }, .. } => "model_too_long",
            ModelError::Gguf { .. } => "model_gguf",
            ModelError::Script(_) => "model_script",
        }
    }

    /// The prospect of asking again.
    pub fn class(&self) -> RetryClass {
        match self {
            ModelError::Api { fault, retry_after, .. } => match fault {
                ProviderFault::Rate | ProviderFault::Server => RetryClass::Retryable { after: *retry_after },
                ProviderFault::Request
                | ProviderFault::TooLong
                | ProviderFault::Key
                | ProviderFault::Permission
                | ProviderFault::NotFound
                | ProviderFault::Quota
                | ProviderFault::Capacity => RetryClass::Terminal,
            },
            ModelError::Malformed { flaw } if flaw.is_refusal() => RetryClass::Terminal,
            ModelError::Net { .. } | ModelError::Cut { .. } | ModelError::Malformed { .. } => {
                RetryClass::Retryable { after: None }
            }
            ModelError::Blocked { .. }
            | ModelError::NoServer { .. }
            | ModelError::Credentials { .. }
            | ModelError::Exhausted { .. }
            | ModelError::Unsupported { .. }
            | ModelError::Gguf { .. }
            | ModelError::Script(_) => RetryClass::Terminal,
        }
    }

    /// True if this model cannot answer for long while another one of the same provider may: its quota is used up,
    /// there is no capacity, there is no such model, or it stayed busy through all attempts.
    pub fn is_lasting(&self) -> bool {
        let (error, tried_long) = match self {
            ModelError::Exhausted { last, .. } => (&**last, true),
            error => (error, false),
        };
        let ModelError::Api { provider, fault, .. } = error else { return false };
        match fault {
            ProviderFault::Capacity | ProviderFault::NotFound => true,
            // Google counts by model; elsewhere it is the account that has run dry.
            ProviderFault::Quota => matches!(provider, Provider::Gemini | Provider::Vertex),
            ProviderFault::Rate | ProviderFault::Server => tried_long,
            ProviderFault::Request | ProviderFault::TooLong | ProviderFault::Key | ProviderFault::Permission => false,
        }
    }
}

/// A time to wait as people say it: `40 s`, `12 min`, `3 h 5 min`.
fn in_words(wait: Duration) -> String {
    match (wait.as_secs() / 3600, wait.as_secs().div_ceil(60)) {
        (0, 0 | 1) => format!("{} s", wait.as_secs().max(1)),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {} min", minutes - hours * 60),
    }
}

fn api_sentence(
    provider: Provider,
    code: u16,
    status: &str,
    message: &str,
    fault: ProviderFault,
    retry_after: Option<Duration>,
) -> String {
    let check_key = match provider {
        Provider::Vertex => "check GOOGLE_API_KEY, or the Google credentials and GOOGLE_CLOUD_PROJECT".to_owned(),
        other => format!("check {}", other.key_variable()),
    };
    let renewed = retry_after.map_or_else(
        || "wait until it is renewed".to_owned(),
        |wait| format!("wait {} until it is renewed", in_words(wait)),
    );
    let quota = format!("the quota is used up; {renewed}, or choose another model with -m");
    let advice = match fault {
        ProviderFault::Request => "the request was refused as it is; shorten the conversation or start a new session",
        ProviderFault::TooLong => {
            "the conversation is too long for this model; compact it, or choose another model with -m"
        }
        ProviderFault::Key => &check_key,
        ProviderFault::Permission => {
            "this key may not use this model; check the key's project, or choose a model with -m"
        }
        ProviderFault::NotFound => "choose a model that exists with -m",
        ProviderFault::Quota => &quota,
        ProviderFault::Capacity => "the model has no capacity left for this account; choose another model with -m",
        ProviderFault::Rate => "too many requests; it may work in a moment",
        ProviderFault::Server => "the provider has trouble of its own; it may work in a moment",
    };
    let name = [&code.to_string(), status].join(" ");
    let message = message.trim().trim_end_matches('.');
    if message.is_empty() {
        return format!("the model answered {}: {advice}", name.trim_end());
    }
    format!("the model answered {}: {message}; {advice}", name.trim_end())
}

/// Advice on starting a server. One of a provider elsewhere is here only because a variable says so.
fn start_advice(provider: Provider) -> String {
    match provider.site() {
        ProviderSite::Local => format!("start {} there", provider.word()),
        ProviderSite::Cloud => format!("check {}", provider.address_variable()),
    }
}

fn reach_advice(provider: Provider) -> String {
    let variable = provider.address_variable();
    match provider.site() {
        ProviderSite::Cloud => format!("check the network, proxy and {variable}"),
        ProviderSite::Local => format!("check that {} is running, and {variable}", provider.word()),
    }
}

#[cfg(test)]
mod tests;
