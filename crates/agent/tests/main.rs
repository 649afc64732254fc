//! The tests of this crate that use it from outside, in one binary: linking one is cheaper than linking 12.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in words, and says when it is skipped")]

mod call_order;
mod checkpoints;
mod git_secrets;
mod mcp_prompts;
mod mcp_versions;
mod models;
mod pictures;
mod plans;
mod program_tables;
mod secret_guesses;
mod session_credentials;
mod shell_differential;
mod silent_options;
mod situation;
mod slash_commands;
mod subagents;
mod test_session;
mod turns;
mod waiting_edits;
