//! How a server is doing.

/// How a server is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpStatus {
    /// It is being started and asked what it offers.
    Connecting,
    /// It answers.
    Ready {
        /// How many tools it offers.
        tools: usize,
        /// How many prompts.
        prompts: usize,
        /// How many resources.
        resources: usize,
        /// What it offers that cannot be used, one sentence each.
        left_out: Vec<String>,
    },
    /// It is not there. It may be started again by itself; `why` says so.
    Failed {
        /// Why, and what to do.
        why: String,
    },
    /// It wants the person to sign in first. It is connected by itself once they have.
    NeedsSignIn {
        /// What to do, as a command.
        how: String,
    },
    /// It was stopped on purpose.
    Stopped,
}
