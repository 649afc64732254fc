//! The tests of this crate that use it from outside, in one binary: linking one is cheaper than linking 2.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, in words, and says when it is skipped"
)]

mod mcp;
mod tools;
