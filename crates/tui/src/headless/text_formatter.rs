//! The answer as text on the output, everything else as a person reads it on the other stream.

use super::answer_text::{AnswerDelta, AnswerText, answer_delta};
use super::formatter::{HeadlessEnding, OutputFormatter};
use crate::ansi_writer::{AnsiWriter, ColourMode};
use crate::draw_list::{DrawList, TextStyle};
use crate::render::render;
use pollux_session::{Entry, EntryOrigin, Event, SessionView, TurnOutcome, UnixMillis, events_about, plain};

pub(super) struct TextFormatter {
    writer: AnsiWriter,
    answer_text: AnswerText,
    /// True after the end of a text: an empty line stands between two answers.
    is_after_text: bool,
}

impl TextFormatter {
    pub(super) fn new() -> TextFormatter {
        TextFormatter {
            writer: AnsiWriter::new(ColourMode::Never),
            answer_text: AnswerText::default(),
            is_after_text: false,
        }
    }

    fn put(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        let mut page = DrawList::default();
        if std::mem::take(&mut self.is_after_text) {
            page.gap();
        }
        page.put(TextStyle::Plain, text);
        self.writer.draw(&page);
    }

    fn end_line(&mut self) {
        let mut page = DrawList::default();
        page.fresh();
        self.writer.draw(&page);
    }
}

impl OutputFormatter for TextFormatter {
    fn format_entry(&mut self, view: &SessionView, entry: &Entry, whose: EntryOrigin, errors: &mut AnsiWriter) {
        match answer_delta(view, &entry.event) {
            AnswerDelta::Text(text) => {
                let new = self.answer_text.add(text);
                return self.put(new);
            }
            AnswerDelta::Printed(text) => return self.put(plain(text).into_owned()),
            AnswerDelta::TextEnds { is_cut } => {
                self.answer_text.end_text(is_cut);
                if !is_cut {
                    self.end_line();
                    self.is_after_text = true;
                }
                return;
            }
            AnswerDelta::Thought(_) | AnswerDelta::ThoughtEnds | AnswerDelta::Nothing => {}
        }
        match &entry.event {
            // The prompt is known to whoever sent it, and of a good end there is nothing to say.
            Event::Prompted { .. } | Event::TurnStarted { .. } | Event::TurnEnded { outcome: TurnOutcome::Rested } => {
                return;
            }
            Event::Retrying { .. } => self.answer_text.retry(),
            Event::StepEnded { .. } => {
                self.answer_text.end_step();
                self.end_line();
            }
            events_about!(session, tasks, text, approval, calls, context)
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::Commanded { .. }
            | Event::Attached { .. }
            | Event::FellBack { .. }
            | Event::TurnEnded { .. } => {}
        }
        errors.draw(&render(view, entry, whose));
    }

    fn format_warning(&mut self, _: UnixMillis, sentence: &str, errors: &mut AnsiWriter) {
        let mut page = DrawList::default();
        page.line(TextStyle::Warn, sentence);
        errors.draw(&page);
    }

    fn format_ending(&mut self, _: &HeadlessEnding) {
        self.end_line();
    }

    fn take_output(&mut self) -> String {
        self.writer.take()
    }
}
