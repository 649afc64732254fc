//! Questions a server has for the person while it works on a call.

use pollux_session::Pending;
use serde_json::Value;

/// Puts a server's questions to the person. Without one they are declined.
pub trait Elicit: Send + Sync {
    /// Ask. The future is dropped when the server takes its question back or ends.
    fn elicit(&self, question: Elicitation) -> Pending<'_, Elicited>;
}

/// What a server wants from the person. The words are the server's: data, shown as such.
#[derive(Clone, Debug, PartialEq)]
pub struct Elicitation {
    /// The server.
    pub server: String,
    /// What it asks.
    pub message: String,
    /// What it wants.
    pub wanted: Wanted,
}

/// What a server wants from the person.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Values.
    Form {
        /// Their JSON schema.
        schema: Value,
    },
    /// That they visit a page.
    Visit {
        /// Its address.
        url: String,
    },
}

/// What the person said to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicited {
    /// Here it is; `Null` where a page was to be visited.
    Accepted(Value),
    /// No.
    Declined,
    /// They did not choose.
    Cancelled,
}
