//! The server as platforms run it: told to stop while it works, looked after by a health check, alone in an empty root.

mod card;
mod drain;
mod health;
mod root;
mod variables;

use anyhow::Result;
use pollux_testkit::program::TestHome;
use serde_json::{Value, json};

/// A home for the program.
fn home() -> Result<TestHome> {
    TestHome::new(env!("CARGO_BIN_EXE_pollux"))
}

/// A message that begins a task.
fn say(text: &str) -> Value {
    json!({"message": {"role": "user", "messageId": text, "parts": [{"kind": "text", "text": text}]}})
}
