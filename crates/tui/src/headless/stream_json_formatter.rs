//! One JSON object per line, as things happen: Gemini CLI's `--output-format stream-json` with what it leaves out.

use super::answer_text::{AnswerDelta, AnswerText, answer_delta};
use super::formatter::{HeadlessEnding, OutputFormatter};
use super::json_stats;
use super::stream_json_event::{ErrorBody, StreamJsonEvent, StreamJsonRole, StreamJsonSeverity, StreamJsonStatus};
use crate::ansi_writer::AnsiWriter;
use pollux_session::{
    CallId, ConversationStats, Entry, EntryOrigin, Event, PriceLookup, SessionId, SessionView, UnixMillis,
    describe_early_stop, events_about, plain,
};

/// The most citations that are kept for the last line.
const MAX_CITATIONS: usize = 256;

pub(super) struct StreamJsonFormatter {
    session: Option<SessionId>,
    answer_text: AnswerText,
    /// What has to come before the next text, which is a paragraph of its own.
    separator: &'static str,
    /// How many line ends the answer so far ends with; `None` before it begins.
    newlines: Option<usize>,
    stats: ConversationStats,
    started_at: Option<UnixMillis>,
    citations: Vec<String>,
    written: String,
}

impl StreamJsonFormatter {
    pub(super) fn new(session: Option<SessionId>, prices: Option<PriceLookup>) -> StreamJsonFormatter {
        StreamJsonFormatter {
            session,
            answer_text: AnswerText::default(),
            separator: "",
            newlines: None,
            stats: ConversationStats::new(prices),
            started_at: None,
            citations: Vec::new(),
            written: String::new(),
        }
    }

    fn write_event(&mut self, at: UnixMillis, frame: &StreamJsonEvent<'_>) {
        self.written.push_str(&frame.to_line(at));
    }

    fn write_message(&mut self, at: UnixMillis, content: &str) {
        if content.is_empty() {
            return;
        }
        let separated = std::mem::take(&mut self.separator).to_owned() + content;
        let message = StreamJsonEvent::Message { role: StreamJsonRole::Assistant, content: &separated, delta: true };
        self.write_event(at, &message);
        self.newlines = Some(match content.trim_end_matches('\n') {
            "" => self.newlines.unwrap_or_default() + content.len(),
            text => content.len() - text.len(),
        });
    }

    fn write_init(&mut self, view: &SessionView, at: UnixMillis, prompt: &str) {
        self.started_at = Some(at);
        let model = view.state().model.as_ref().unwrap_or(&view.state().equipment.model);
        let session_id = self.session.map(|session| session.to_string()).unwrap_or_default();
        self.write_event(at, &StreamJsonEvent::Init { session_id, model });
        self.write_event(at, &StreamJsonEvent::Message { role: StreamJsonRole::User, content: prompt, delta: false });
    }
}

impl OutputFormatter for StreamJsonFormatter {
    fn format_entry(&mut self, view: &SessionView, entry: &Entry, _: EntryOrigin, errors: &mut AnsiWriter) {
        let at = entry.at;
        self.stats.apply(entry);
        match answer_delta(view, &entry.event) {
            AnswerDelta::Text(text) => {
                let new = self.answer_text.add(text);
                self.write_message(at, &new);
            }
            AnswerDelta::Printed(text) => self.write_message(at, &plain(text)),
            AnswerDelta::TextEnds { is_cut } => {
                self.answer_text.end_text(is_cut);
                if !is_cut {
                    self.separator = match self.newlines {
                        Some(0) => "\n\n",
                        Some(1) => "\n",
                        Some(_) | None => "",
                    };
                }
            }
            AnswerDelta::Thought(content) => self.write_event(at, &StreamJsonEvent::Thought { content, delta: true }),
            AnswerDelta::ThoughtEnds | AnswerDelta::Nothing => {}
        }
        match &entry.event {
            Event::Prompted { text, .. } => self.write_init(view, at, text),
            Event::Retrying { reason, attempt, wait_ms } => {
                self.answer_text.retry();
                self.write_event(at, &StreamJsonEvent::Retry { attempt: *attempt, wait_ms: *wait_ms, reason });
            }
            Event::StepEnded { finish, citations, .. } => {
                self.answer_text.end_step();
                if let Some(sentence) = describe_early_stop(finish) {
                    self.format_warning(at, &sentence, errors);
                }
                let room = MAX_CITATIONS.saturating_sub(self.citations.len());
                self.citations.extend(citations.iter().take(room).cloned());
            }
            Event::FellBack { from, to, why } => {
                self.write_event(at, &StreamJsonEvent::Fallback { from, to, reason: why });
            }
            Event::Called { tool, args, parent, .. } => {
                let tool_id = CallId(entry.seq).to_string();
                let parent_tool_id = parent.map(|parent| parent.to_string());
                self.write_event(
                    at,
                    &StreamJsonEvent::ToolUse { tool_name: tool, tool_id, parent_tool_id, parameters: args },
                );
            }
            Event::CallEnded { call, outcome } => {
                self.write_event(at, &StreamJsonEvent::tool_result(call.to_string(), outcome));
            }
            Event::Compacted { summary, .. } => self.write_event(at, &StreamJsonEvent::Compacted { summary }),
            events_about!(session, tasks, turn, text, approval)
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::Rewound { .. }
            | Event::Checkpointed(_)
            | Event::CompactWanted
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::Spent { .. } => {}
        }
    }

    fn format_warning(&mut self, at: UnixMillis, message: &str, _: &mut AnsiWriter) {
        self.write_event(at, &StreamJsonEvent::Error { severity: StreamJsonSeverity::Warning, message });
    }

    fn format_ending(&mut self, ending: &HeadlessEnding) {
        let error = ErrorBody::from_ending(ending);
        let status = if error.is_none() { StreamJsonStatus::Success } else { StreamJsonStatus::Error };
        let duration_ms = self.started_at.map_or(0, |began| ending.at.0.saturating_sub(began.0));
        let stats = json_stats::stream_json_stats(&self.stats, duration_ms);
        let citations = std::mem::take(&mut self.citations);
        self.write_event(ending.at, &StreamJsonEvent::Result { status, error, stats, citations: &citations });
    }

    fn take_output(&mut self) -> String {
        std::mem::take(&mut self.written)
    }
}
