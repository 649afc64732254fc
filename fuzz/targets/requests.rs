//! Bodies as they come from a socket: JSON-RPC first, then the parameters of every method.

#![no_main]

#[path = "../../crates/wire/tests/fuzz/decoders.rs"]
mod decoders;

libfuzzer_sys::fuzz_target!(|body: &[u8]| decoders::decode(body));
