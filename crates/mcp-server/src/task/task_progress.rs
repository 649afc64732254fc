//! What a task tells while it runs, and what it returns.
#![expect(deprecated, reason = "a later protocol drops log messages; the clients of today show them")]

use crate::call_result::last_line;
use crate::request_client::McpRequestClient;
use pollux_session::{CallId, CallOutcome, Event, ItemId, ItemKind, ResultDisplay, Seq, SessionId, TurnOutcome};
use rmcp::model::{CallToolResult, ContentBlock, LoggingLevel};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// One turn, as it is told.
#[derive(Default)]
pub(super) struct TaskProgress {
    /// What was said since the last call: at the end, the answer.
    text: String,
    /// Whether a call was made since.
    acted: bool,
    saying: Option<ItemId>,
    /// Where in the text the item begins that is being said.
    item_start: usize,
    calls: BTreeMap<CallId, String>,
    changed: BTreeSet<String>,
    declined: bool,
    ended: Option<TurnOutcome>,
}

impl TaskProgress {
    /// Take one event of the turn; returns whether it is over.
    pub(super) async fn take(&mut self, event: &Event, seq: Seq, client: &mut McpRequestClient) -> bool {
        match event {
            Event::Said { kind: ItemKind::Text, text, .. } => {
                if std::mem::take(&mut self.acted) {
                    self.text.clear();
                } else if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.item_start = self.text.len();
                self.text.push_str(text);
                self.saying = Some(ItemId(seq));
            }
            Event::Piece { item, text, .. } if self.saying == Some(*item) => self.text.push_str(text),
            Event::ItemEnded { item, .. } if self.saying == Some(*item) => {
                self.saying = None;
                client.log(LoggingLevel::Info, &self.text).await;
                // Many clients show progress and no log messages.
                client.progress(self.text.get(self.item_start..).unwrap_or_default().trim()).await;
            }
            Event::Called { tool, args, parent, .. } => {
                self.acted |= parent.is_none();
                self.calls.insert(CallId(seq), tool.clone());
                client.progress(&format!("{tool} {args}")).await;
            }
            Event::Output { text, .. } => {
                if let Some(line) = last_line(text) {
                    client.progress(&line).await;
                }
            }
            Event::Asked { call, .. } => client.progress(&format!("{} waits for an answer", self.name(*call))).await,
            Event::CallEnded { call, outcome } => self.call_ended(*call, outcome, client).await,
            Event::Retrying { reason, .. } => {
                client.log(LoggingLevel::Warning, &format!("the model is asked again: {reason}")).await;
            }
            Event::FellBack { from, to, why } => {
                client.log(LoggingLevel::Warning, &format!("{to} answers instead of {from}: {why}")).await;
            }
            Event::Noted { text } => client.log(LoggingLevel::Info, text).await,
            Event::TurnEnded { outcome } => self.ended = Some(outcome.clone()),
            Event::Unqueued { .. } => self.ended = Some(TurnOutcome::Cancelled),
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Prompted { .. }
            | Event::TaskOpened { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Said { .. }
            | Event::Piece { .. }
            | Event::ItemEnded { .. }
            | Event::StepEnded { .. }
            | Event::Allowed { .. }
            | Event::AskKept { .. }
            | Event::Answered { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::Compacted { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Spent { .. }
            | Event::TaskClosed { .. } => {}
        }
        self.ended.is_some()
    }

    async fn call_ended(&mut self, call: CallId, outcome: &CallOutcome, client: &mut McpRequestClient) {
        self.declined |= *outcome == CallOutcome::Declined;
        if let Some(ResultDisplay::Diff(diff)) = outcome.result().and_then(|result| result.display.as_ref())
            && matches!(outcome, CallOutcome::Succeeded { .. })
        {
            self.changed.insert(diff.name.clone());
        }
        let end = match outcome {
            CallOutcome::Succeeded { .. } => "is done".to_owned(),
            CallOutcome::Failed { error, .. } => format!("failed: {}", error.message),
            CallOutcome::Declined => "was declined".to_owned(),
            CallOutcome::Denied { why } => format!("was denied: {why}"),
            CallOutcome::Cancelled => "was cancelled".to_owned(),
            CallOutcome::Interrupted => "was interrupted".to_owned(),
            CallOutcome::Superseded => "asks anew, because what it would change has changed".to_owned(),
        };
        let line = format!("{} {end}", self.name(call));
        client.progress(&line).await;
        client.log(LoggingLevel::Info, &line).await;
    }

    fn name(&self, call: CallId) -> &str {
        self.calls.get(&call).map_or("a call", String::as_str)
    }

    /// What the client is given. `unasked` says why something was declined that nobody has seen.
    pub(super) fn result(&self, session: SessionId, unasked: Option<&str>) -> CallToolResult {
        let (outcome, mut text) = match &self.ended {
            Some(TurnOutcome::Rested) if self.declined => ("declined", self.text.clone()),
            Some(TurnOutcome::Rested) | None => ("done", self.text.clone()),
            Some(TurnOutcome::Cancelled) => ("cancelled", self.text.clone()),
            Some(TurnOutcome::Failed { failure }) => ("failed", failure.message.clone()),
        };
        if let Some(why) = unasked {
            let space = if text.is_empty() { "" } else { "\n\n" };
            text = format!("{text}{space}Something was not done: {why}");
        }
        let changed = Vec::from_iter(&self.changed);
        let listed = changed.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        let listed = if listed.is_empty() { String::new() } else { format!("\nchanged files: {listed}") };
        let footing = format!("session: {session}\noutcome: {outcome}{listed}");
        let whole = json!({ "text": text, "session_id": session, "outcome": outcome, "changed_files": changed });
        let content = vec![ContentBlock::text(text), ContentBlock::text(footing)];
        let mut result =
            if outcome == "done" { CallToolResult::success(content) } else { CallToolResult::error(content) };
        result.structured_content = Some(whole);
        result
    }
}
