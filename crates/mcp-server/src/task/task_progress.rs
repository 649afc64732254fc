//! The progress of a task while it runs, and its result: functions of the view of its session and the newest entry.
#![expect(deprecated, reason = "a later protocol drops log messages; the clients of today show them")]

use crate::call_result::last_line;
use crate::request_client::McpRequestClient;
use pollux_session::{
    CallId, CallOutcome, CallView, Entry, Event, EventNote, ItemContent, ItemId, ResultDisplay, SessionId, SessionView,
    TurnOutcome, ViewItem, ViewItemId, describe_ending, events_about,
};
use rmcp::model::{CallToolResult, ContentBlock, LoggingLevel};
use serde_json::json;
use std::collections::BTreeSet;

/// The progress of the turn.
#[derive(Default)]
pub(super) struct TaskProgress {
    /// Files that its calls have changed.
    changed: BTreeSet<String>,
    /// True if a call was declined.
    declined: bool,
    ended: Option<TurnOutcome>,
}

impl TaskProgress {
    /// Tell of one entry of the turn, which `view` already holds. `notes` are the sentences about it. Returns whether the turn is over.
    pub(super) async fn take(
        &mut self,
        view: &SessionView,
        entry: &Entry,
        notes: &[EventNote],
        client: &mut McpRequestClient,
    ) -> bool {
        match &entry.event {
            Event::ItemEnded { item, .. } => {
                if let Some(text) = item_text(view, *item) {
                    client.log(LoggingLevel::Info, &answer(view)).await;
                    // Many clients show progress and no log messages.
                    client.progress(text.trim()).await;
                }
            }
            Event::Called { .. } => client.progress(&call_title(view, CallId(entry.seq))).await,
            Event::Output { text, .. } => {
                if let Some(line) = last_line(text) {
                    client.progress(&line).await;
                }
            }
            Event::Asked { call, .. } => {
                client.progress(&format!("{} waits for an answer", call_title(view, *call))).await;
            }
            Event::CallEnded { call, outcome } => self.end_call(&call_title(view, *call), outcome, client).await,
            Event::Retrying { .. } | Event::FellBack { .. } => {
                for note in notes {
                    client.log(LoggingLevel::Warning, &note.text).await;
                }
            }
            Event::TurnEnded { outcome } => self.ended = Some(outcome.clone()),
            Event::Unqueued { .. } => self.ended = Some(TurnOutcome::Cancelled),
            events_about!(session, tasks, context)
            | Event::Prompted { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::TurnStarted { .. }
            | Event::Commanded { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Said { .. }
            | Event::Piece { .. }
            | Event::StepEnded { .. }
            | Event::Allowed { .. }
            | Event::AskKept { .. }
            | Event::Deferred { .. }
            | Event::Answered { .. }
            | Event::CallStarted { .. }
            | Event::Spent { .. } => {}
        }
        self.ended.is_some()
    }

    async fn end_call(&mut self, title: &str, outcome: &CallOutcome, client: &mut McpRequestClient) {
        self.declined |= *outcome == CallOutcome::Declined;
        if let CallOutcome::Succeeded { result } = outcome {
            let changes = result.display.iter().flat_map(ResultDisplay::file_diffs);
            self.changed.extend(changes.map(|change| change.name.clone()));
        }
        let line = match describe_ending(outcome) {
            (_, words) if words.is_empty() => format!("{title} is done"),
            (_, words) => format!("{title}: {words}"),
        };
        client.progress(&line).await;
        client.log(LoggingLevel::Info, &line).await;
    }

    /// The result for the client. `unasked` says why something was declined that nobody has seen.
    pub(super) fn result(&self, view: &SessionView, session: SessionId, unasked: Option<&str>) -> CallToolResult {
        let (outcome, mut text) = match &self.ended {
            Some(TurnOutcome::Rested) if self.declined => ("declined", answer(view)),
            Some(TurnOutcome::Rested) | None => ("done", answer(view)),
            Some(TurnOutcome::Cancelled) => ("cancelled", answer(view)),
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

/// The agent's text since its last call; if there is none since, its text before it.
fn answer(view: &SessionView) -> String {
    let turn = view.items().rev().take_while(|item| !matches!(item.content, ItemContent::Prompt { .. }));
    let said = turn.skip_while(|item| text_of(item).is_none()).take_while(|item| !is_own_call(item));
    let mut texts: Vec<&str> = said.filter_map(|item| text_of(item)).collect();
    texts.reverse();
    texts.join("\n")
}

/// The text that `item` is, unless it is a thought.
fn item_text(view: &SessionView, item: ItemId) -> Option<&str> {
    text_of(view.item(ViewItemId { seq: item.0, part: 0 })?)
}

fn text_of(item: &ViewItem) -> Option<&str> {
    if let ItemContent::Text { text, .. } = &item.content { Some(&text.text) } else { None }
}

/// True if `item` is a call of the agent's own, not one that another call made.
fn is_own_call(item: &ViewItem) -> bool {
    item.content.as_call().is_some_and(|call| call.parent.is_none())
}

fn call_title(view: &SessionView, call: CallId) -> String {
    view.call_view(call).map_or_else(|| "a call".to_owned(), CallView::title)
}
