//! One JSON object at the end, in the shape of Gemini CLI's `--output-format json`. There always is one.

use super::answer_text::{AnswerDelta, AnswerText, answer_delta};
use super::formatter::{HeadlessEnding, OutputFormatter};
use super::json_stats;
use super::stream_json_event::ErrorBody;
use crate::ansi_writer::AnsiWriter;
use crate::sanitize::escape_json;
use pollux_session::{
    ConversationStats, Entry, EntryOrigin, Event, PriceLookup, SessionId, SessionView, UnixMillis, describe_early_stop,
    events_about, plain,
};
use serde::Serialize;
use serde_json::Value;

/// The most warnings and citations that are kept.
const MAX_KEPT: usize = 256;

pub(super) struct JsonFormatter {
    session: Option<SessionId>,
    answer_text: AnswerText,
    /// The model's text in the newest step in which it said anything.
    answer: String,
    stats: ConversationStats,
    warnings: Vec<String>,
    citations: Vec<String>,
    written: String,
}

#[derive(Serialize)]
struct JsonOutput<'a> {
    session_id: Option<String>,
    response: &'a str,
    stats: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    citations: &'a [String],
}

impl JsonFormatter {
    pub(super) fn new(session: Option<SessionId>, prices: Option<PriceLookup>) -> JsonFormatter {
        JsonFormatter {
            session,
            answer_text: AnswerText::default(),
            answer: String::new(),
            stats: ConversationStats::new(prices),
            warnings: Vec::new(),
            citations: Vec::new(),
            written: String::new(),
        }
    }

    fn end_step(&mut self) {
        let said = self.answer_text.end_step();
        if !said.trim().is_empty() {
            self.answer = said;
        }
    }
}

impl OutputFormatter for JsonFormatter {
    fn format_entry(&mut self, view: &SessionView, entry: &Entry, _: EntryOrigin, _: &mut AnsiWriter) {
        self.stats.apply(entry);
        match answer_delta(view, &entry.event) {
            AnswerDelta::Text(text) => {
                self.answer_text.add(text);
            }
            AnswerDelta::Printed(text) => {
                self.answer_text.add(&plain(text));
            }
            AnswerDelta::TextEnds { is_cut } => {
                self.answer_text.end_text(is_cut);
            }
            AnswerDelta::Thought(_) | AnswerDelta::ThoughtEnds | AnswerDelta::Nothing => {}
        }
        match &entry.event {
            Event::Retrying { .. } => self.answer_text.retry(),
            Event::FellBack { to, why, .. } => keep(&mut self.warnings, [format!("{why}; {to} answers from now on")]),
            Event::StepEnded { finish, citations, .. } => {
                self.end_step();
                keep(&mut self.warnings, describe_early_stop(finish));
                keep(&mut self.citations, citations.iter().cloned());
            }
            events_about!(session, tasks, queue, turn, text, approval, calls, context) => {}
        }
    }

    fn format_warning(&mut self, _: UnixMillis, sentence: &str, _: &mut AnsiWriter) {
        keep(&mut self.warnings, [sentence.to_owned()]);
    }

    fn format_ending(&mut self, ending: &HeadlessEnding) {
        self.end_step();
        let report = JsonOutput {
            session_id: self.session.map(|session| session.to_string()),
            response: &self.answer,
            stats: json_stats::json_stats(&self.stats),
            error: ErrorBody::from_ending(ending),
            warnings: &self.warnings,
            citations: &self.citations,
        };
        // Strings and numbers only, so there is no error to report.
        let json = serde_json::to_string_pretty(&report).unwrap_or_default();
        self.written = escape_json(&json) + "\n";
    }

    fn take_output(&mut self) -> String {
        std::mem::take(&mut self.written)
    }
}

fn keep(kept: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    let room = MAX_KEPT.saturating_sub(kept.len());
    kept.extend(more.into_iter().take(room));
}
