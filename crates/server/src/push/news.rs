//! What of a task is news to a receiver that is called for each one: where the task stands, whole texts and thoughts,
//! what was made, calls that are over or ask. Not every piece on the way.

use crate::dialect::{Frame, FrameRole, Shown, encode};
use crate::version::Version;
use bytes::Bytes;
use pollux_session::Seq;
use pollux_wire::a2a::Artifact;
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// How long a text may get before it is told in parts.
const MAX_TEXT: usize = 64 * 1024;

/// One piece of news.
#[derive(Debug, PartialEq)]
pub(super) struct News {
    event: Value,
    /// The newest entry it tells of.
    pub(super) seq: Seq,
    /// Its number among the news of that entry.
    pub(super) number: usize,
    /// Whether it is all there is to tell up to that entry.
    pub(super) complete: bool,
    /// Whether the task has come to rest, or waits for people.
    pub(super) at_rest: bool,
}

/// Collects pieces until they are news.
pub(super) struct Gathering {
    version: Version,
    text: Option<Text>,
}

/// Text that goes on: the event of its newest piece, and all of it.
struct Text {
    event: Value,
    whole: String,
    seq: Seq,
}

impl Gathering {
    pub(super) fn new(version: Version) -> Gathering {
        Gathering { version, text: None }
    }

    /// Whether nothing is held back.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_none()
    }

    /// What is news once this entry is known.
    pub(super) fn take(&mut self, shown: &Shown) -> Vec<News> {
        let mut news: Vec<News> = Vec::new();
        for frame in &shown.frames {
            match frame.role {
                FrameRole::Echo | FrameRole::Progress => {}
                FrameRole::Piece => news.extend(self.collect(frame, shown.seq)),
                FrameRole::State | FrameRole::Content => {
                    let Some(event) = self.worth_telling(frame) else { continue };
                    news.extend(self.let_go());
                    let at_rest = frame.role == FrameRole::State && shown.quiet;
                    news.push(News { event, seq: shown.seq, number: 0, complete: true, at_rest });
                }
            }
        }
        if shown.quiet {
            news.extend(self.let_go());
        }
        number(&mut news);
        news
    }

    /// The event in a frame. What was made is told to clients of 0.3 with the task itself.
    fn worth_telling(&self, frame: &Frame) -> Option<Value> {
        let event: Value = serde_json::from_slice(&frame.json).ok()?;
        let is_artifact = event.get("kind").is_some_and(|kind| kind == "artifact-update");
        (self.version == Version::V10 || !is_artifact).then_some(event)
    }

    fn collect(&mut self, frame: &Frame, seq: Seq) -> Option<News> {
        let event: Value = serde_json::from_slice(&frame.json).ok()?;
        let piece = event.pointer(self.text_in()).and_then(Value::as_str).unwrap_or_default().to_owned();
        let full = self.text.as_ref().is_some_and(|text| text.whole.len() + piece.len() > MAX_TEXT);
        let told = if full { self.let_go() } else { None };
        let mut whole = self.text.take().map(|text| text.whole).unwrap_or_default();
        whole.push_str(&piece);
        self.text = Some(Text { event, whole, seq });
        told
    }

    /// The text that was collected.
    fn let_go(&mut self) -> Option<News> {
        let Text { mut event, whole, seq } = self.text.take()?;
        if let Some(text) = event.pointer_mut(self.text_in()) {
            *text = Value::String(whole);
        }
        Some(News { event, seq, number: 0, complete: true, at_rest: false })
    }

    fn text_in(&self) -> &'static str {
        match self.version {
            Version::V03 => "/status/message/parts/0/text",
            Version::V10 => "/statusUpdate/status/message/parts/0/text",
        }
    }
}

/// Number the news of each entry. Only the last tells all of it.
fn number(news: &mut [News]) {
    for at in 1..news.len() {
        if let [.., before, after] = &mut news[..=at]
            && before.seq == after.seq
        {
            before.complete = false;
            after.number = before.number + 1;
        }
    }
}

impl News {
    /// What is sent: the event as in a stream of 1.0, or the task as it stands for 0.3, whose receivers expect a `Task`.
    pub(super) fn body(&self, version: Version, artifacts: &[Artifact]) -> Bytes {
        match version {
            Version::V10 => encode(&self.event),
            Version::V03 => {
                let part = |name: &str| self.event.get(name).cloned().unwrap_or(Value::Null);
                let mut task = json!({
                    "kind": "task",
                    "id": part("taskId"),
                    "contextId": part("contextId"),
                    "status": part("status"),
                });
                if !artifacts.is_empty() {
                    task["artifacts"] = json!(artifacts);
                }
                if let Some(metadata) = self.event.get("metadata") {
                    task["metadata"] = metadata.clone();
                }
                encode(&task)
            }
        }
    }
}
