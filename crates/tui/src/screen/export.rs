//! The whole conversation as a file, for `/export`.

use crate::sanitize::{clean, one_line};
use pollux_session::{
    CallOutcome, CallView, Entry, EntryAuthor, EntryOrigin, ItemContent, NoteTone, NoteTopic, ResultDisplay,
    SessionView, ViewItem, ViewLimits, code_span, describe_ending, longest_backquote_run, plain, proposed_plan,
    summarize_args, whole_diff,
};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// What a conversation is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportForm {
    Markdown,
    Json,
}

impl ExportForm {
    /// By how the file's name ends; a name without an ending is Markdown.
    pub(crate) fn of_name(name: &str) -> Result<ExportForm, String> {
        match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            Some("json") => Ok(ExportForm::Json),
            Some("md") | None => Ok(ExportForm::Markdown),
            Some(ending) => {
                let ending = one_line(ending, 20);
                Err(format!("no file ending in .{ending} can be written: use .md for Markdown or .json for JSON"))
            }
        }
    }
}

/// The conversation as markdown: who said what, what was called and what came of it.
/// `me` is whoever exports it.
pub(crate) fn export_markdown(entries: &[Arc<Entry>], me: &EntryAuthor) -> String {
    let mut view = SessionView::with_limits(me.clone(), ViewLimits::NONE);
    for entry in entries {
        let origin = if entry.by == *me { EntryOrigin::Earlier } else { EntryOrigin::Other };
        view.apply(entry, origin);
    }
    let mut page = MarkdownExport::default();
    if let Some(opened) = &view.state().opened {
        let _ = writeln!(page.text, "# Conversation in {}", one_line(&opened.workspace, 500));
    }
    let mut items: Vec<&ViewItem> = view.items().map(Arc::as_ref).collect();
    // A call is told where it ends, with what came of it, as it was seen.
    items.sort_by_key(|item| if item.content.as_call().is_some() { item.revision } else { item.id.seq });
    items.into_iter().for_each(|item| page.add(item));
    clean(&page.text).into_owned()
}

/// The entries as they are.
pub(crate) fn export_json(entries: &[Arc<Entry>]) -> String {
    let written = entries.iter().map(|entry| {
        // An entry that cannot be written leaves its number and the reason, not a hole.
        serde_json::to_string_pretty(entry.as_ref())
            .unwrap_or_else(|error| serde_json::json!({ "seq": entry.seq, "error": error.to_string() }).to_string())
    });
    format!("[\n{}\n]\n", written.collect::<Vec<_>>().join(",\n"))
}

#[derive(Default)]
struct MarkdownExport {
    text: String,
    /// Whether what comes next stands under the agent's heading already.
    is_agent_headed: bool,
}

impl MarkdownExport {
    /// What follows is the agent's: it says so, once for each turn.
    fn head_agent(&mut self) {
        if !std::mem::replace(&mut self.is_agent_headed, true) {
            self.text.push_str("\n## Pollux\n");
        }
    }

    fn add(&mut self, item: &ViewItem) {
        match &item.content {
            ItemContent::Prompt { by, text, .. } => {
                let who = by.as_deref().unwrap_or("You");
                let _ = write!(self.text, "\n## {who}\n\n{}\n", text.trim_end());
                self.is_agent_headed = false;
            }
            ItemContent::Text { text, cut } => {
                self.head_agent();
                let end = if *cut { " … (cut short)\n" } else { "\n" };
                let _ = write!(self.text, "\n{}{}", text.text, if item.settled { end } else { "" });
            }
            ItemContent::Call(call) => {
                if let Some(outcome) = &call.outcome {
                    self.add_call(call, outcome);
                }
            }
            ItemContent::Note { topic: NoteTopic::TurnEnd, text, .. } => self.remark(text),
            ItemContent::Summary { heading, text } => {
                self.remark(heading);
                self.fenced("", text.trim());
            }
            // What was thought, and what happened around the conversation, is not part of it.
            ItemContent::Thought { .. } | ItemContent::Note { .. } | ItemContent::Attachment { .. } => {}
        }
    }

    fn add_call(&mut self, call: &CallView, outcome: &CallOutcome) {
        self.head_agent();
        let (tone, words) = describe_ending(outcome);
        let result = outcome.result();
        let code = result.and_then(|result| result.exit_code).filter(|code| *code != 0);
        let sign = if tone == NoteTone::Good && code.is_none() { "✓" } else { "✗" };
        let by = match (outcome, &call.declined) {
            (CallOutcome::Declined, Some((who, _))) => format!(" by {who}"),
            (CallOutcome::Declined, None) => " by you".to_owned(),
            (
                CallOutcome::Succeeded { .. }
                | CallOutcome::Failed { .. }
                | CallOutcome::Denied { .. }
                | CallOutcome::Cancelled
                | CallOutcome::Interrupted
                | CallOutcome::Superseded,
                _,
            ) => String::new(),
        };
        let mut facts = vec![one_line(&format!("{words}{by}"), 500)];
        facts.extend(code.map(|code| format!("exit {code}")));
        facts.retain(|fact| !fact.is_empty());
        let facts = if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) };
        let title = format!("{} {}", call.name, summarize_args(&call.args));
        let _ = write!(self.text, "\n- {sign} {}{facts}\n", code_span(title.trim()));
        if let Some(plan) = proposed_plan(&call.tool, &call.args) {
            self.fenced("markdown", plan);
        }
        let output: String = call.output.pieces.iter().map(|piece| piece.text.as_str()).collect();
        match result.and_then(|result| result.display.as_ref()) {
            Some(ResultDisplay::Diff(change)) if !change.patch.is_empty() => self.fenced("diff", &change.patch),
            Some(ResultDisplay::Diff(change)) => self.fenced("", &change.new),
            Some(ResultDisplay::Patch { files }) => self.fenced("diff", &whole_diff(files)),
            Some(ResultDisplay::Text { text }) if output.is_empty() => self.fenced("", &plain(text)),
            Some(ResultDisplay::Text { .. }) | None => {}
        }
        if !output.is_empty() {
            self.fenced("", &plain(&output));
        }
    }

    fn remark(&mut self, text: &str) {
        let _ = write!(self.text, "\n*{}*\n", one_line(text, 1_000));
    }

    /// A code block whose fence is longer than any inside it.
    fn fenced(&mut self, language: &str, text: &str) {
        let fence = "`".repeat(longest_backquote_run(text).max(2) + 1);
        let _ = write!(self.text, "\n{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'));
    }
}
