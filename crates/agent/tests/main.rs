//! The tests of this crate that use it from outside, in one binary: linking one is cheaper than linking 12.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in words, and says when it is skipped")]

mod checkpoints;
mod commands;
mod git_secrets;
mod lent;
mod mcp_versions;
mod models;
mod pictures;
mod plans;
mod registry;
mod shell_differential;
mod subagents;
mod turns;
