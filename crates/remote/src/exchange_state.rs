//! The state of one piece of work so far: its status, its texts and artifacts, its open question.

use crate::agent_update::{
    AgentDialect, AgentTaskState, AgentUpdate, ArtifactView, MessageView, PartView, StatusView, TaskView, text_of,
};
use crate::artifact_texts::ArtifactTexts;
use crate::card::InterfaceVersion;
use crate::error::RemoteError;
use crate::question::{AgentQuestion, ToolCallView};
use serde_json::Value;
use std::collections::HashSet;

/// The most text that is kept of each thing.
const KEPT: usize = 1024 * 1024;
/// The most tool calls of the agent that are remembered, and the most questions that wait.
const CALLS: usize = 1000;
const QUESTIONS: usize = 64;
/// The most bytes that are searched for texts that were said already.
const SEARCHED: usize = 1024 * 1024 * 1024;

/// All that has been heard.
#[derive(Default)]
pub(crate) struct ExchangeState {
    pub(crate) task: Option<String>,
    context: Option<String>,
    /// The conversation we ask for. The agent may have forgotten it and begin another.
    proposed_context: Option<String>,
    pub(crate) state: Option<AgentTaskState>,
    /// True if the agent has said that nothing follows for now.
    pub(crate) is_resting: bool,
    /// True if something may have been missed: a stream broke and was not replayed.
    pub(crate) gap: bool,
    dialect: Option<AgentDialect>,
    said: String,
    /// True if something else was done since: what is said next is a text of its own.
    paragraph_over: bool,
    /// True if what was shown last does not end its line.
    line_open: bool,
    artifacts: ArtifactTexts,
    /// The bytes that were searched for repetitions.
    searched: usize,
    /// The message of the newest state that ends or waits.
    closing: String,
    /// The agent's words in the newest task, after ours.
    recorded: String,
    pending: Vec<(String, AgentQuestion)>,
    running: HashSet<String>,
}

impl ExchangeState {
    /// Nothing yet, in a conversation the agent may know.
    pub(crate) fn within(context: Option<String>) -> ExchangeState {
        ExchangeState { proposed_context: context, ..ExchangeState::default() }
    }

    /// The agent's name for the conversation, or the one we ask for.
    pub(crate) fn context(&self) -> Option<&str> {
        self.context.as_deref().or(self.proposed_context.as_deref())
    }

    /// Something new is said to the agent: it does not rest any more.
    pub(crate) fn mark_answered(&mut self, question: Option<&AgentQuestion>) {
        self.is_resting = false;
        self.paragraph_over = true;
        self.closing.clear();
        match question {
            Some(question) => self.pending.retain(|(_, pending)| pending != question),
            None => self.pending.clear(),
        }
        self.state = None;
    }

    /// Take something in. Returns what there is to show for it.
    pub(crate) fn apply(&mut self, told: AgentUpdate, version: InterfaceVersion) -> Result<String, RemoteError> {
        let (task, context) = told.ids();
        check_unchanged(&mut self.task, task, "task")?;
        check_unchanged(&mut self.context, context, "conversation")?;
        Ok(match told {
            AgentUpdate::Task(task) => self.apply_task(&task)?,
            AgentUpdate::Status(status) => self.apply_status(status, version)?,
            AgentUpdate::Artifact(artifact) => self.apply_artifact(&artifact),
            AgentUpdate::Message(message) => {
                self.state = Some(AgentTaskState::Completed);
                self.is_resting = true;
                let text = message.text();
                add(&mut self.said, &text);
                text
            }
        })
    }

    /// The first tool call that waits for an answer.
    pub(crate) fn pending_question(&self) -> Option<&AgentQuestion> {
        self.pending.first().map(|(_, question)| question)
    }

    /// The agent's question, when it rests for one.
    pub(crate) fn question(&self) -> Option<AgentQuestion> {
        match (self.pending_question(), self.state?) {
            (Some(question), state) if !state.is_end() => Some(question.clone()),
            (None, AgentTaskState::AuthRequired) => Some(AgentQuestion::permission(&self.closing)),
            // Google's server ends every turn like that.
            (None, AgentTaskState::InputRequired) if self.dialect == Some(AgentDialect::Coder) => None,
            (None, AgentTaskState::InputRequired) => {
                let words =
                    [&self.closing, &self.said, &self.recorded].into_iter().find(|text| !text.trim().is_empty());
                Some(AgentQuestion::in_words(words.map_or("", |words| words.as_str())))
            }
            _ => None,
        }
    }

    /// Everything the agent said and made, as one text.
    pub(crate) fn text(&self) -> String {
        let said = if self.gap && self.recorded.len() > self.said.len() { &self.recorded } else { &self.said };
        let mut whole = said.trim().to_owned();
        let remark = self.artifacts.omission_note().unwrap_or_default();
        for text in self.artifacts.texts().chain([self.closing.as_str(), remark.as_str()]).map(str::trim) {
            if !text.is_empty() && !whole.contains(text) {
                whole.push_str(if whole.is_empty() { "" } else { "\n\n" });
                whole.push_str(text);
            }
        }
        if whole.is_empty() { self.recorded.trim().to_owned() } else { whole }
    }

    fn apply_task(&mut self, task: &TaskView) -> Result<String, RemoteError> {
        self.state = Some(task.state);
        self.is_resting = task.state.is_end();
        if !task.artifacts.is_empty() {
            self.artifacts = ArtifactTexts::default();
            for made in &task.artifacts {
                self.artifacts.take(&made.id, text_of(&made.parts), false);
            }
        }
        let ours = task.history.iter().rposition(|message| !message.by_agent).map_or(0, |at| at + 1);
        let words = task.history[ours..].iter().map(plain_text).filter(|text| !text.is_empty());
        self.recorded.clear();
        for (at, text) in words.enumerate() {
            add(&mut self.recorded, if at == 0 { "" } else { "\n" });
            add(&mut self.recorded, &text);
        }
        let mut shown = String::new();
        if let Some(message) = &task.message {
            self.apply_calls(message, &mut shown)?;
            self.close_with(&plain_text(message));
        }
        Ok(shown)
    }

    fn apply_status(&mut self, status: StatusView, version: InterfaceVersion) -> Result<String, RemoteError> {
        self.state = Some(status.state);
        self.is_resting =
            status.last || status.state.is_end() || (version == InterfaceVersion::V10 && status.state.waits());
        self.dialect = status.metadata.dialect.or(self.dialect);
        let mut shown = String::new();
        let Some(message) = status.message else { return Ok(shown) };
        match status.metadata.kind.as_str() {
            // A prompt that somebody else sent to the same task.
            _ if status.metadata.dialect.is_some() && !message.by_agent => {}
            "TEXT_CONTENT" => {
                let text = message.text();
                let is_begun = !self.said.is_empty() && !text.starts_with('\n');
                if std::mem::take(&mut self.paragraph_over) && is_begun {
                    add(&mut self.said, "\n\n");
                    shown.push_str(if self.line_open { "\n\n" } else { "" });
                }
                add(&mut self.said, &text);
                shown.push_str(&text);
                self.line_open = !text.ends_with('\n');
                return Ok(shown);
            }
            "THOUGHT" => {
                self.paragraph_over = true;
                let subject = message.parts.iter().find_map(|part| match part {
                    PartView::Data(data) => data.get("subject").and_then(Value::as_str),
                    PartView::Text(_) | PartView::File(_) => None,
                });
                shown.extend(subject.filter(|subject| !subject.is_empty()).map(|subject| format!("• {subject}\n")));
            }
            _ => {
                self.paragraph_over |= message.parts.iter().any(|part| ToolCallView::read(part).is_some());
                self.apply_calls(&message, &mut shown)?;
                let text = plain_text(&message);
                if status.state.is_end() || status.state.waits() {
                    self.close_with(&text);
                } else if !text.is_empty() {
                    shown.push_str(&format!("• {text}\n"));
                }
            }
        }
        if !shown.is_empty() && std::mem::take(&mut self.line_open) {
            shown.insert(0, '\n');
        }
        Ok(shown)
    }

    fn close_with(&mut self, text: &str) {
        self.closing.clear();
        add(&mut self.closing, text);
    }

    /// Take in the tool calls a message tells of.
    fn apply_calls(&mut self, message: &MessageView, shown: &mut String) -> Result<(), RemoteError> {
        for call in message.parts.iter().filter_map(ToolCallView::read) {
            self.pending.retain(|(id, _)| *id != call.id);
            if call.is_running && self.running.len() < CALLS && self.running.insert(call.id.clone()) {
                shown.push_str(&format!("• {}\n", call.tool));
            }
            let question = call.question.transpose()?;
            if self.pending.len() < QUESTIONS {
                self.pending.extend(question.map(|question| (call.id, question)));
            }
        }
        Ok(())
    }

    fn apply_artifact(&mut self, artifact: &ArtifactView) -> String {
        // What Google's server's tools print comes this way; it is no result.
        if artifact.id.starts_with("tool-") && artifact.id.ends_with("-output") {
            return String::new();
        }
        let text = text_of(&artifact.parts);
        let is_said = self.was_said(text.trim());
        let shown = self.artifacts.take(&artifact.id, text, artifact.append);
        // Many agents repeat as an artifact what they have said: whoever watches has seen it.
        if is_said { String::new() } else { shown }
    }

    /// True if the agent has said this, as long as not too much had to be searched for that.
    fn was_said(&mut self, text: &str) -> bool {
        if text.is_empty() || self.searched > SEARCHED {
            return false;
        }
        self.searched += self.said.len();
        self.said.contains(text)
    }
}

/// Keeps the first id that the agent gives. Answers go to the task they were asked for in: an agent that could change it
/// would have them sent to another task of the same server.
fn check_unchanged(known: &mut Option<String>, told: Option<&str>, what: &'static str) -> Result<(), RemoteError> {
    match (known.as_deref(), told) {
        (_, None) => {}
        (None, Some(told)) => *known = Some(told.to_owned()),
        (Some(known), Some(told)) if known == told => {}
        (Some(_), Some(_)) => return Err(RemoteError::ChangedId { what }),
    }
    Ok(())
}

/// The text of a message besides tool calls and thoughts.
fn plain_text(message: &MessageView) -> String {
    let is_plain = |part: &&PartView| match part {
        PartView::Data(data) => ToolCallView::read(part).is_none() && data.get("subject").is_none(),
        PartView::Text(_) | PartView::File(_) => true,
    };
    text_of(&message.parts.iter().filter(is_plain).cloned().collect::<Vec<_>>())
}

/// Add text as long as there is room.
fn add(kept: &mut String, text: &str) {
    let room = KEPT.saturating_sub(kept.len());
    kept.push_str(&text[..text.floor_char_boundary(room)]);
}

#[cfg(test)]
mod tests;
