//! Faults of Google's a2a-server that must not be copied, each with a test that has its name: with the real program,
//! and the requests that its clients send.

mod clients;
mod cost;
mod disconnect;
mod fault_server;
mod requests;
mod tasks;
mod unhappy;
