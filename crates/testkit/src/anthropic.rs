//! A server on loopback that speaks Anthropic's messages.

use crate::gemini::CapturedRequest;
use crate::scripted_provider::{PreparedAnswer, ScriptedProvider};
use serde_json::{Value, json};

/// The server. It stops when it is dropped.
pub struct FakeAnthropic {
    /// The value for `ANTHROPIC_BASE_URL`.
    pub base_url: String,
    upstream: ScriptedProvider,
}

impl FakeAnthropic {
    /// Serve `answers`, one for each request.
    pub async fn start(answers: impl IntoIterator<Item = PreparedAnswer>) -> anyhow::Result<FakeAnthropic> {
        let upstream = ScriptedProvider::start(answers).await?;
        Ok(FakeAnthropic { base_url: upstream.address.clone(), upstream })
    }

    /// Everything asked so far, oldest first.
    pub fn requests(&self) -> Vec<CapturedRequest> {
        self.upstream.requests()
    }
}

/// A stream of `events`, each with its name in front, as Anthropic writes them.
pub fn stream(events: &[Value]) -> PreparedAnswer {
    let name = |event: &Value| event["type"].as_str().unwrap_or("message").to_owned();
    let frames: String = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect();
    PreparedAnswer::events(frames)
}

/// A whole message of `blocks`, each of which is the events of one block.
pub fn message(blocks: &[Vec<Value>], stop_reason: &str) -> PreparedAnswer {
    let usage = json!({"input_tokens": 7, "output_tokens": 1});
    let start = json!({"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "usage": usage}});
    let mut events = vec![start, json!({"type": "ping"})];
    events.extend(blocks.iter().flatten().cloned());
    let delta = json!({"stop_reason": stop_reason, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 3}}));
    events.push(json!({"type": "message_stop"}));
    stream(&events)
}

/// The events of a block that grows by `deltas`.
pub fn block(index: usize, start: &Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": start})];
    events.extend(deltas.iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})));
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}

/// A block of text.
pub fn text(index: usize, text: &str) -> Vec<Value> {
    block(index, &json!({"type": "text", "text": ""}), &[json!({"type": "text_delta", "text": text})])
}

/// A block of signed thinking.
pub fn thinking(index: usize, text: &str, signature: &str) -> Vec<Value> {
    let start = json!({"type": "thinking", "thinking": "", "signature": ""});
    let deltas = [
        json!({"type": "thinking_delta", "thinking": text}),
        json!({"type": "signature_delta", "signature": signature}),
    ];
    block(index, &start, &deltas)
}

/// A tool call.
pub fn tool_use(index: usize, id: &str, tool: &str, args: &Value) -> Vec<Value> {
    let start = json!({"type": "tool_use", "id": id, "name": tool, "input": {}});
    block(index, &start, &[json!({"type": "input_json_delta", "partial_json": args.to_string()})])
}

/// An answer that is one text.
pub fn text_answer(said: &str) -> PreparedAnswer {
    message(&[text(0, said)], "end_turn")
}

/// An error answer.
pub fn error(status: u16, kind: &str, message: &str) -> PreparedAnswer {
    PreparedAnswer::json(&json!({"type": "error", "error": {"type": kind, "message": message}})).status(status)
}
