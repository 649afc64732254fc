//! Events, messages and cards of both versions, without an envelope.

#![no_main]

#[path = "../../crates/wire/tests/fuzz/decoders.rs"]
#[allow(dead_code, reason = "the other target reads bytes")]
mod decoders;

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    if let Ok(value) = serde_json::from_slice(body) {
        decoders::decode_value(&value);
    }
});
