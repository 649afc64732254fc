//! One JSON object per line, as things happen: Gemini CLI's `--output-format stream-json` with what it leaves out.

use super::frame::{ErrorBody, Frame, Severity, Speaker, Status};
use super::spoken::{Heard, Spoken, heard};
use super::stats;
use super::teller::{Ending, Teller};
use crate::pen::Pen;
use crate::prices::Prices;
use crate::render::stopped_early;
use crate::tally::Tally;
use crate::view::{View, Whose};
use pollux_session::{At, CallId, Entry, Event, SessionId};

/// How many citations are kept for the last line.
const KEPT: usize = 256;

pub(super) struct Stream {
    session: Option<SessionId>,
    spoken: Spoken,
    tally: Tally,
    began: Option<At>,
    citations: Vec<String>,
    written: String,
}

impl Stream {
    pub(super) fn new(session: Option<SessionId>, prices: Option<Prices>) -> Stream {
        Stream {
            session,
            spoken: Spoken::default(),
            tally: Tally::new(prices),
            began: None,
            citations: Vec::new(),
            written: String::new(),
        }
    }

    fn put(&mut self, at: At, frame: &Frame<'_>) {
        self.written.push_str(&frame.line(at));
    }

    fn say(&mut self, at: At, content: &str) {
        if !content.is_empty() {
            self.put(at, &Frame::Message { role: Speaker::Assistant, content, delta: true });
        }
    }

    fn begin(&mut self, view: &View, at: At, prompt: &str) {
        self.began = Some(at);
        let model = view.state.model.as_ref().unwrap_or(&view.state.equipment.model);
        let session_id = self.session.map(|session| session.to_string()).unwrap_or_default();
        self.put(at, &Frame::Init { session_id, model });
        self.put(at, &Frame::Message { role: Speaker::User, content: prompt, delta: false });
    }
}

impl Teller for Stream {
    fn entry(&mut self, view: &View, entry: &Entry, _: Whose, errors: &mut Pen) {
        let at = entry.at;
        self.tally.apply(entry);
        match heard(view, &entry.event) {
            Heard::Text(text) => {
                let new = self.spoken.add(text);
                self.say(at, &new);
            }
            Heard::TextEnds => {
                let new = self.spoken.end_text();
                self.say(at, &new);
            }
            Heard::Thought(content) => self.put(at, &Frame::Thought { content, delta: true }),
            Heard::ThoughtEnds | Heard::Nothing => {}
        }
        match &entry.event {
            Event::Prompted { text, .. } => self.begin(view, at, text),
            Event::Retrying { reason, attempt, wait_ms } => {
                self.spoken.retry();
                self.put(at, &Frame::Retry { attempt: *attempt, wait_ms: *wait_ms, reason });
            }
            Event::StepEnded { finish, citations, .. } => {
                self.spoken.end_step();
                if let Some(sentence) = stopped_early(finish) {
                    self.warn(at, &sentence, errors);
                }
                let room = KEPT.saturating_sub(self.citations.len());
                self.citations.extend(citations.iter().take(room).cloned());
            }
            Event::FellBack { from, to, why } => self.put(at, &Frame::Fallback { from, to, reason: why }),
            Event::Called { tool, args, parent, .. } => {
                let tool_id = CallId(entry.seq).to_string();
                let parent_tool_id = parent.map(|parent| parent.to_string());
                self.put(at, &Frame::ToolUse { tool_name: tool, tool_id, parent_tool_id, parameters: args });
            }
            Event::CallEnded { call, outcome } => self.put(at, &Frame::tool_result(call.to_string(), outcome)),
            Event::Compacted { summary, .. } => self.put(at, &Frame::Compacted { summary }),
            _ => {}
        }
    }

    fn warn(&mut self, at: At, message: &str, _: &mut Pen) {
        self.put(at, &Frame::Error { severity: Severity::Warning, message });
    }

    fn end(&mut self, ending: &Ending) {
        let error = ErrorBody::of(ending);
        let status = if error.is_none() { Status::Success } else { Status::Error };
        let duration_ms = self.began.map_or(0, |began| ending.at.0.saturating_sub(began.0));
        let stats = stats::brief(&self.tally, duration_ms);
        let citations = std::mem::take(&mut self.citations);
        self.put(ending.at, &Frame::Result { status, error, stats, citations: &citations });
    }

    fn take(&mut self) -> String {
        std::mem::take(&mut self.written)
    }
}
