//! The state of a server.

/// The state of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpStatus {
    /// It is being started and asked what it offers.
    Connecting,
    /// It answers.
    Ready {
        tools: usize,
        prompts: usize,
        resources: usize,
        /// Entries of its offer that cannot be used, one sentence each.
        left_out: Vec<String>,
    },
    /// It is not there. It may be started again by itself; `why` says so.
    Failed {
        /// Why, and what to do.
        why: String,
    },
    /// It wants the person to sign in first. It is connected by itself once they have.
    NeedsSignIn {
        /// The command that helps.
        how: String,
    },
    /// It was stopped on purpose.
    Stopped,
}
