//! The tests of this crate that use it from outside, in one binary: linking one is cheaper than linking 39.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in words, and says when it is skipped"
)]

mod answers;
mod bad_input;
mod call_facts;
mod calls;
mod capabilities;
mod card;
mod card_shapes;
mod coder;
mod commands;
mod descendants;
mod direct;
mod envelope;
mod extensions;
mod files;
mod flat;
mod folding;
mod gate;
mod grpc;
mod grpc_card;
mod grpc_descriptors;
mod grpc_listener;
mod listen;
mod parity;
mod push;
mod remarks;
mod rest_examples;
mod rest_push;
mod rest_v03;
mod rest_v10;
mod rfc;
mod routes;
mod rules;
mod seat;
mod seeds;
mod settings;
mod socket_methods;
mod standing;
mod test_server;
mod v10;
mod words;
