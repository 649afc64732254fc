//! A server on loopback that speaks OpenAI's chat format.

use crate::gemini::CapturedRequest;
use crate::scripted_provider::{PreparedAnswer, ScriptedProvider};
use serde_json::{Value, json};

/// The server. It stops when it is dropped.
pub struct FakeOpenAi {
    /// The value for `OPENAI_BASE_URL`.
    pub base_url: String,
    upstream: ScriptedProvider,
}

impl FakeOpenAi {
    /// Serve `answers`, one for each request.
    pub async fn start(answers: impl IntoIterator<Item = PreparedAnswer>) -> anyhow::Result<FakeOpenAi> {
        let upstream = ScriptedProvider::start(answers).await?;
        Ok(FakeOpenAi { base_url: format!("{}/v1", upstream.address), upstream })
    }

    /// Everything asked so far, oldest first.
    pub fn requests(&self) -> Vec<CapturedRequest> {
        self.upstream.requests()
    }
}

/// A stream of `chunks`, ended as OpenAI ends it.
pub fn stream(chunks: &[Value]) -> PreparedAnswer {
    let frames: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    PreparedAnswer::events(format!("{frames}data: [DONE]\n\n"))
}

/// A chunk that brings `delta`.
pub fn delta(delta: &Value) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// The chunk that says why the answer ends, and the one behind it that says what it cost.
pub fn finish(reason: &str) -> [Value; 2] {
    let usage = json!({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10});
    [
        json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        json!({"object": "chat.completion.chunk", "choices": [], "usage": usage}),
    ]
}

/// An answer that is one text.
pub fn text_answer(text: &str) -> PreparedAnswer {
    let [end, usage] = finish("stop");
    stream(&[delta(&json!({"role": "assistant", "content": text})), end, usage])
}

/// An answer that is one tool call, its arguments in two fragments.
pub fn call_answer(id: &str, tool: &str, args: &Value) -> PreparedAnswer {
    let text = args.to_string();
    let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (head, tail) = text.split_at(half);
    let first = json!({"index": 0, "id": id, "type": "function", "function": {"name": tool, "arguments": head}});
    let second = json!({"index": 0, "function": {"arguments": tail}});
    let [end, usage] = finish("tool_calls");
    stream(&[delta(&json!({"tool_calls": [first]})), delta(&json!({"tool_calls": [second]})), end, usage])
}

/// The answer to `GET /models`.
pub fn models(ids: &[&str]) -> PreparedAnswer {
    let data: Vec<Value> = ids.iter().map(|id| json!({"id": id, "object": "model"})).collect();
    PreparedAnswer::json(&json!({"object": "list", "data": data}))
}

/// An error answer.
pub fn error(status: u16, code: &str, message: &str) -> PreparedAnswer {
    let error = json!({"message": message, "type": "error", "param": null, "code": code});
    PreparedAnswer::json(&json!({"error": error})).status(status)
}
