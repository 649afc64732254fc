//! The whole conversation as a file, for `/export`.

use crate::sanitize::{clean, one_line};
use pollux_session::{
    CallId, CallOutcome, Entry, EntryAuthor, Event, ItemKind, NoteTone, PromptId, ResultDisplay, TurnOutcome,
    client_name, code_span, describe_ending, longest_backquote_run, plain, short_name, summarize_args,
};
use std::collections::BTreeMap;
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
    let mut page = MarkdownExport::new(me.clone());
    for entry in entries {
        page.add(entry);
    }
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

struct MarkdownExport {
    me: EntryAuthor,
    text: String,
    prompts: BTreeMap<PromptId, (EntryAuthor, String)>,
    calls: BTreeMap<CallId, ExportedCall>,
    /// Whether what streams is a thought: those are not exported.
    is_thought: bool,
    /// Whether what comes next stands under the agent's heading already.
    is_agent_headed: bool,
}

struct ExportedCall {
    title: String,
    output: String,
    by: Option<String>,
}

impl MarkdownExport {
    fn new(me: EntryAuthor) -> MarkdownExport {
        let (prompts, calls) = (BTreeMap::new(), BTreeMap::new());
        MarkdownExport { me, text: String::new(), prompts, calls, is_thought: false, is_agent_headed: false }
    }

    /// What follows is the agent's: it says so, once for each turn.
    fn head_agent(&mut self) {
        if !std::mem::replace(&mut self.is_agent_headed, true) {
            self.text.push_str("\n## Pollux\n");
        }
    }

    fn add(&mut self, entry: &Entry) {
        match &entry.event {
            Event::Opened(opened) => {
                let _ = writeln!(self.text, "# Conversation in {}", one_line(&opened.workspace, 500));
            }
            Event::Prompted { text, .. } => {
                self.prompts.insert(PromptId(entry.seq), (entry.by.clone(), text.clone()));
            }
            Event::Requeued { prompt, text } => {
                if let Some((_, waiting)) = self.prompts.get_mut(prompt) {
                    waiting.clone_from(text);
                }
            }
            Event::TurnStarted { prompt, .. } => {
                if let Some((by, text)) = self.prompts.remove(prompt) {
                    let who = if by == self.me { "You".to_owned() } else { client_name(&by, &self.me) };
                    let _ = write!(self.text, "\n## {who}\n\n{}\n", text.trim_end());
                    self.is_agent_headed = false;
                }
            }
            Event::Said { kind, text, .. } => {
                self.is_thought = *kind == ItemKind::Thought;
                if !self.is_thought {
                    self.head_agent();
                    let _ = write!(self.text, "\n{text}");
                }
            }
            Event::Piece { text, .. } if !self.is_thought => self.text.push_str(text),
            Event::ItemEnded { cut, .. } => {
                let end = if *cut { " … (cut short)\n" } else { "\n" };
                if self.is_thought {
                    self.is_thought = false;
                } else {
                    self.text.push_str(end);
                }
            }
            Event::Called { tool, args, .. } => {
                let title = format!("{} {}", short_name(tool, args), summarize_args(args));
                let called = ExportedCall { title: title.trim().to_owned(), output: String::new(), by: None };
                self.calls.insert(CallId(entry.seq), called);
            }
            Event::Answered { call, allows: false, .. } => {
                if let Some(called) = self.calls.get_mut(call) {
                    let is_me = entry.by == self.me;
                    called.by = Some(if is_me { "you".to_owned() } else { client_name(&entry.by, &entry.by) });
                }
            }
            Event::Output { call, text, .. } => {
                if let Some(called) = self.calls.get_mut(call) {
                    called.output.push_str(text);
                }
            }
            Event::CallEnded { call, outcome } => self.ended(*call, outcome),
            Event::TurnEnded { outcome: TurnOutcome::Cancelled } => self.remark("cancelled"),
            Event::TurnEnded { outcome: TurnOutcome::Failed { failure } } => self.remark(&failure.message),
            Event::Compacted { summary, .. } => {
                self.remark("for the model, the conversation so far is this summary:");
                self.fenced("", summary.trim());
            }
            Event::Equipped(_)
            | Event::Set { .. }
            | Event::TaskOpened { .. }
            | Event::Unqueued { .. }
            | Event::Released
            | Event::Commanded { .. }
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::Attached { .. }
            | Event::Piece { .. }
            | Event::Retrying { .. }
            | Event::FellBack { .. }
            | Event::StepEnded { .. }
            | Event::Allowed { .. }
            | Event::Asked { .. }
            | Event::AskKept { .. }
            | Event::Answered { .. }
            | Event::Kept { .. }
            | Event::CompactWanted
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Spent { .. }
            | Event::TurnEnded { .. }
            | Event::TaskClosed { .. } => {}
        }
    }

    fn ended(&mut self, call: CallId, outcome: &CallOutcome) {
        let Some(called) = self.calls.remove(&call) else { return };
        self.head_agent();
        let (tone, words) = describe_ending(outcome);
        let result = outcome.result();
        let code = result.and_then(|result| result.exit_code).filter(|code| *code != 0);
        let sign = if tone == NoteTone::Good && code.is_none() { "✓" } else { "✗" };
        let by = called.by.map(|who| format!(" by {who}")).unwrap_or_default();
        let mut facts = vec![one_line(&format!("{words}{by}"), 500)];
        facts.extend(code.map(|code| format!("exit {code}")));
        facts.retain(|fact| !fact.is_empty());
        let facts = if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) };
        let _ = write!(self.text, "\n- {sign} {}{facts}\n", code_span(&called.title));
        match result.and_then(|result| result.display.as_ref()) {
            Some(ResultDisplay::Diff(change)) if !change.patch.is_empty() => self.fenced("diff", &change.patch),
            Some(ResultDisplay::Diff(change)) => self.fenced("", &change.new),
            Some(ResultDisplay::Text { text }) if called.output.is_empty() => self.fenced("", &plain(text)),
            Some(ResultDisplay::Text { .. }) | None => {}
        }
        if !called.output.is_empty() {
            self.fenced("", &plain(&called.output));
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
