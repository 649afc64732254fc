//! The events that a client saw, in one form for every dialect and every way of cutting text into pieces: a replay
//! joins pieces that came one by one, and a stream that ends repeats the state it ends in.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// One thing a client was told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObservedEvent {
    /// The newest entry it comes from.
    pub(crate) seq: u64,
    pub(crate) what: ObservedContent,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ObservedContent {
    Text(String),
    Thought(Value),
    /// A tool call, without the details of its ask, which each dialect writes its own way.
    Call(Value),
    State(String),
}

impl ObservedContent {
    /// The id of a call.
    pub(crate) fn call(&self) -> Option<&str> {
        match self {
            ObservedContent::Call(call) => call["tool_call_id"].as_str(),
            ObservedContent::Text(_) | ObservedContent::Thought(_) | ObservedContent::State(_) => None,
        }
    }

    /// Read the result of a streamed JSON-RPC answer; `None` for what is not in the log, and for prompts.
    pub(crate) fn from_update(result: &Value) -> Result<Option<ObservedContent>> {
        // What was made was told before, piece by piece.
        let kind = &result["kind"];
        if kind == "task" || kind == "artifact-update" || result["status"]["message"]["role"] == "user" {
            return Ok(None);
        }
        let metadata = result["metadata"].as_object().and_then(|metadata| metadata.values().next());
        let kind = metadata.and_then(|event| event["kind"].as_str()).with_context(|| format!("no kind: {result}"))?;
        let part = &result["status"]["message"]["parts"][0];
        ObservedContent::read(kind, &part["text"], &part["data"], &part["data"], &result["status"]["state"]).map(Some)
    }

    /// Read a frame of the WebSocket; `None` for what is not in the log, and for prompts.
    pub(crate) fn from_frame(frame: &Value) -> Result<Option<ObservedContent>> {
        let kind = frame["kind"].as_str().with_context(|| format!("no kind: {frame}"))?;
        if kind == "CONSOLE_LOG" || kind == "USER_MESSAGE" {
            return Ok(None);
        }
        ObservedContent::read(kind, &frame["content"]["text"], &frame["content"], frame, &frame["state"]).map(Some)
    }

    fn read(kind: &str, text: &Value, thought: &Value, call: &Value, state: &Value) -> Result<ObservedContent> {
        Ok(match kind {
            "TEXT_CONTENT" => ObservedContent::Text(text.as_str().context("no text")?.to_owned()),
            "THOUGHT" => ObservedContent::Thought(thought.clone()),
            "TOOL_CALL_UPDATE" => {
                let mut call = call.clone();
                let envelope = call.as_object_mut().context("no call")?;
                for key in ["kind", "taskId", "seq"] {
                    envelope.remove(key);
                }
                if let Some(request) = envelope.get_mut("confirmation_request").and_then(Value::as_object_mut) {
                    request.remove("details");
                    request.remove("execute_details");
                }
                ObservedContent::Call(call)
            }
            "STATE_CHANGE" => ObservedContent::State(state.as_str().context("no state")?.to_owned()),
            other => bail!("nobody expects {other}: {call}"),
        })
    }
}

/// The events of `told` without the cuts between pieces.
pub(crate) fn join_pieces(told: &[ObservedEvent]) -> Vec<ObservedEvent> {
    let mut joined: Vec<ObservedEvent> = Vec::new();
    let mut state = "";
    for next in told {
        if let ObservedContent::State(now) = &next.what {
            if state == now {
                continue;
            }
            state = now;
        }
        match (joined.last_mut(), next) {
            (
                Some(ObservedEvent { seq, what: ObservedContent::Text(text) }),
                ObservedEvent { seq: newest, what: ObservedContent::Text(more) },
            ) => {
                text.push_str(more);
                *seq = *newest;
            }
            (Some(last), _)
                if is_running_call(&last.what)
                    && is_running_call(&next.what)
                    && last.what.call() == next.what.call() =>
            {
                *last = next.clone();
            }
            _ => joined.push(next.clone()),
        }
    }
    joined
}

/// True if this shows a call that runs: every such update has all that the one before it had.
fn is_running_call(what: &ObservedContent) -> bool {
    matches!(what, ObservedContent::Call(call) if call["status"] == "EXECUTING")
}
