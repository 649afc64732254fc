//! The tests of this crate that use it from outside, in one binary: linking one is cheaper than linking 3.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in words, and says when it is skipped"
)]

mod exchange;
mod peers;
mod seat;
