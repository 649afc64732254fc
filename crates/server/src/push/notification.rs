//! News of a task for a receiver that is called for each one: the task's state, whole texts and thoughts, artifacts,
//! calls that are over or ask. Not every piece on the way.

use crate::client_profile::ClientProfile;
use crate::dialect::{EncodedFrame, EntryFrames, FrameRole, encode};
use crate::version::A2aVersion;
use bytes::Bytes;
use pollux_session::Seq;
use pollux_wire::a2a::Artifact;
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// The longest text that is told in one part.
const MAX_TEXT: usize = 64 * 1024;

/// The member of an event of 1.0 that tells of an artifact.
const ARTIFACT_UPDATE: &str = "artifactUpdate";

/// One piece of news.
#[derive(Debug, PartialEq)]
pub(super) struct PushNotification {
    event: Value,
    /// The newest entry it tells of.
    pub(super) seq: Seq,
    /// Its number among the news of that entry.
    pub(super) number: usize,
    /// True if it is all there is to tell up to that entry.
    pub(super) complete: bool,
    /// True if the task has come to rest, or waits for people.
    pub(super) at_rest: bool,
}

/// Collects pieces until they are news.
pub(super) struct NotificationCollector {
    audience: ClientProfile,
    text: Option<CollectedText>,
}

/// Text that goes on: the event of its newest piece, and all of it.
struct CollectedText {
    event: Value,
    whole: String,
    /// True if it goes on with what was told before.
    appends: bool,
    seq: Seq,
}

impl NotificationCollector {
    pub(super) fn new(audience: ClientProfile) -> NotificationCollector {
        NotificationCollector { audience, text: None }
    }

    /// True if nothing is held back.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_none()
    }

    /// The news once this entry is known.
    pub(super) fn take(&mut self, shown: &EntryFrames) -> Vec<PushNotification> {
        let mut news: Vec<PushNotification> = Vec::new();
        for frame in &shown.frames {
            match frame.role {
                FrameRole::Echo | FrameRole::Progress => {}
                FrameRole::Piece => news.extend(self.collect(frame, shown.seq())),
                FrameRole::State | FrameRole::Content => {
                    let Ok(event) = serde_json::from_slice(&frame.json) else { continue };
                    news.extend(self.finish_text());
                    let at_rest = frame.role == FrameRole::State && shown.standing.quiet;
                    news.push(PushNotification { event, seq: shown.seq(), number: 0, complete: true, at_rest });
                }
            }
        }
        if shown.standing.quiet {
            news.extend(self.finish_text());
        }
        number(&mut news);
        news
    }

    fn collect(&mut self, frame: &EncodedFrame, seq: Seq) -> Option<PushNotification> {
        // A receiver of 0.3 gets the task with its status, and the answer among its artifacts once it rests.
        if self.audience.version == A2aVersion::V03 && self.audience.reads_answers_as_artifacts() {
            return None;
        }
        let event: Value = serde_json::from_slice(&frame.json).ok()?;
        let piece = event.pointer(self.text_in()).and_then(Value::as_str).unwrap_or_default().to_owned();
        let replaces = self.appends_in().is_some_and(|place| event.pointer(place) != Some(&Value::Bool(true)));
        if replaces {
            // What was collected so far was taken back, and nobody has been told.
            self.text = None;
        }
        let full = self.text.as_ref().is_some_and(|text| text.whole.len() + piece.len() > MAX_TEXT);
        let told = if full { self.finish_text() } else { None };
        let (mut whole, appends) = match self.text.take() {
            Some(text) => (text.whole, text.appends),
            None => (String::new(), !replaces),
        };
        whole.push_str(&piece);
        self.text = Some(CollectedText { event, whole, appends, seq });
        told
    }

    /// The text that was collected.
    fn finish_text(&mut self) -> Option<PushNotification> {
        let CollectedText { mut event, whole, appends, seq } = self.text.take()?;
        if let Some(text) = event.pointer_mut(self.text_in()) {
            *text = Value::String(whole);
        }
        if let Some(update) = event.get_mut(ARTIFACT_UPDATE).filter(|_| self.appends_in().is_some()) {
            update["append"] = Value::Bool(appends);
        }
        Some(PushNotification { event, seq, number: 0, complete: true, at_rest: false })
    }

    fn text_in(&self) -> &'static str {
        match self.audience.version {
            A2aVersion::V03 => "/status/message/parts/0/text",
            A2aVersion::V10 if self.audience.reads_answers_as_artifacts() => "/artifactUpdate/artifact/parts/0/text",
            A2aVersion::V10 => "/statusUpdate/status/message/parts/0/text",
        }
    }

    /// Where a piece says whether it goes on with those before it, if it may replace them.
    fn appends_in(&self) -> Option<&'static str> {
        self.audience.reads_answers_as_artifacts().then_some("/artifactUpdate/append")
    }
}

/// Number the news of each entry. Only the last tells all of it.
fn number(news: &mut [PushNotification]) {
    for at in 1..news.len() {
        if let [.., before, after] = &mut news[..=at]
            && before.seq == after.seq
        {
            before.complete = false;
            after.number = before.number + 1;
        }
    }
}

impl PushNotification {
    /// The body to send: the event as in a stream of 1.0, or the task as it stands for 0.3, whose receivers expect a
    /// `Task`.
    pub(super) fn body(&self, version: A2aVersion, artifacts: &[Artifact]) -> Bytes {
        match version {
            A2aVersion::V10 => encode(&self.event),
            A2aVersion::V03 => {
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
