//! What is wrong with Google's a2a-server and must not be copied, each fault with a test that has its name: with the real
//! program, and the requests that its clients send.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking, in words")]

#[path = "faults/clients.rs"]
mod clients;
#[path = "faults/cost.rs"]
mod cost;
#[path = "faults/disconnect.rs"]
mod disconnect;
#[path = "faults/requests.rs"]
mod requests;
#[path = "faults/stage.rs"]
mod stage;
#[path = "faults/tasks.rs"]
mod tasks;
#[path = "faults/unhappy.rs"]
mod unhappy;
