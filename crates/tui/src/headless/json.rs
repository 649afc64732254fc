//! One JSON object at the end, in the shape of Gemini CLI's `--output-format json`. There always is one.

use super::frame::ErrorBody;
use super::spoken::{Heard, Spoken, heard};
use super::stats;
use super::teller::{Ending, Teller};
use crate::pen::Pen;
use crate::prices::Prices;
use crate::render::stopped_early;
use crate::sanitize::escape_json;
use crate::tally::Tally;
use crate::view::{View, Whose};
use pollux_session::{At, Entry, Event, SessionId};
use serde::Serialize;
use serde_json::Value;

/// How many warnings and citations are kept.
const KEPT: usize = 256;

pub(super) struct Json {
    session: Option<SessionId>,
    spoken: Spoken,
    /// What the model said in the newest step in which it said anything.
    answer: String,
    tally: Tally,
    warnings: Vec<String>,
    citations: Vec<String>,
    written: String,
}

#[derive(Serialize)]
struct Report<'a> {
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

impl Json {
    pub(super) fn new(session: Option<SessionId>, prices: Option<Prices>) -> Json {
        Json {
            session,
            spoken: Spoken::default(),
            answer: String::new(),
            tally: Tally::new(prices),
            warnings: Vec::new(),
            citations: Vec::new(),
            written: String::new(),
        }
    }

    fn end_step(&mut self) {
        let said = self.spoken.end_step();
        if !said.trim().is_empty() {
            self.answer = said;
        }
    }
}

impl Teller for Json {
    fn entry(&mut self, view: &View, entry: &Entry, _: Whose, _: &mut Pen) {
        self.tally.apply(entry);
        match heard(view, &entry.event) {
            Heard::Text(text) => {
                self.spoken.add(text);
            }
            Heard::TextEnds => {
                self.spoken.end_text();
            }
            Heard::Thought(_) | Heard::ThoughtEnds | Heard::Nothing => {}
        }
        match &entry.event {
            Event::Retrying { .. } => self.spoken.retry(),
            Event::FellBack { to, why, .. } => keep(&mut self.warnings, [format!("{why}; {to} answers from now on")]),
            Event::StepEnded { finish, citations, .. } => {
                self.end_step();
                keep(&mut self.warnings, stopped_early(finish));
                keep(&mut self.citations, citations.iter().cloned());
            }
            _ => {}
        }
    }

    fn warn(&mut self, _: At, sentence: &str, _: &mut Pen) {
        keep(&mut self.warnings, [sentence.to_owned()]);
    }

    fn end(&mut self, ending: &Ending) {
        self.end_step();
        let report = Report {
            session_id: self.session.map(|session| session.to_string()),
            response: &self.answer,
            stats: stats::full(&self.tally),
            error: ErrorBody::of(ending),
            warnings: &self.warnings,
            citations: &self.citations,
        };
        // Strings and numbers only, so there is no error to report.
        let json = serde_json::to_string_pretty(&report).unwrap_or_default();
        self.written = escape_json(&json) + "\n";
    }

    fn take(&mut self) -> String {
        std::mem::take(&mut self.written)
    }
}

fn keep(kept: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    let room = KEPT.saturating_sub(kept.len());
    kept.extend(more.into_iter().take(room));
}
