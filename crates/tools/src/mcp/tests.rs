//! Everything about servers that can be shown without a process or a socket: each is a script at the other end of a
//! pipe in memory, and time is not real.

mod calls;
pub(super) mod fake_server;
mod invalid_offers;
mod lifecycle;
mod questions;
