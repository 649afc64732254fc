//! The tests of this crate that use it from outside, in one binary: linking one is cheaper than linking 2.

#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in words, and says when it is skipped"
)]

mod peers;
mod replicating;
