//! The tests of this crate that use it from outside, in one binary: linking one is cheaper than linking 32.

#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in words, and says when it is skipped"
)]

mod agents;
mod attach;
mod bad_input;
mod bucket;
mod card_readers;
mod children;
mod corpus;
mod criteria;
mod deploy;
mod differential;
mod drop_in;
mod durability;
mod faults;
mod flags;
mod frameworks;
mod headless;
mod log_lines;
mod mcp_server;
mod peers;
mod pipes;
mod races;
mod remote_agent;
mod screen;
mod secrets;
mod seeds;
mod self_approval;
mod serve_settings;
mod settings_in_force;
mod slow_clients;
mod terminal;
mod transcripts;
mod trust;
