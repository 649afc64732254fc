//! The answer as text on the output, everything else as a person reads it on the other stream.

use super::spoken::{Heard, Spoken, heard};
use super::teller::{Ending, Teller};
use crate::page::{Page, Style};
use crate::pen::{Colour, Pen};
use crate::render::render;
use crate::view::{View, Whose};
use pollux_session::{At, Entry, Event, TurnOutcome};

pub(super) struct Text {
    pen: Pen,
    spoken: Spoken,
}

impl Text {
    pub(super) fn new() -> Text {
        Text { pen: Pen::new(Colour::Never), spoken: Spoken::default() }
    }

    fn put(&mut self, text: String) {
        let mut page = Page::default();
        page.put(Style::Plain, text);
        self.pen.draw(&page);
    }

    fn end_line(&mut self) {
        let mut page = Page::default();
        page.fresh();
        self.pen.draw(&page);
    }
}

impl Teller for Text {
    fn entry(&mut self, view: &View, entry: &Entry, whose: Whose, errors: &mut Pen) {
        match heard(view, &entry.event) {
            Heard::Text(text) => {
                let new = self.spoken.add(text);
                return self.put(new);
            }
            Heard::TextEnds => {
                let new = self.spoken.end_text();
                self.put(new);
                // A text that was cut goes on after the retry, in the middle of its line.
                if !matches!(entry.event, Event::ItemEnded { cut: true, .. }) {
                    self.end_line();
                }
                return;
            }
            Heard::Thought(_) | Heard::ThoughtEnds | Heard::Nothing => {}
        }
        match &entry.event {
            // The prompt is known to whoever sent it, and of a good end there is nothing to say.
            Event::Prompted { .. } | Event::TurnStarted { .. } | Event::TurnEnded { outcome: TurnOutcome::Rested } => {
                return;
            }
            Event::Retrying { .. } => self.spoken.retry(),
            Event::StepEnded { .. } => {
                self.spoken.end_step();
                self.end_line();
            }
            _ => {}
        }
        errors.draw(&render(view, entry, whose));
    }

    fn warn(&mut self, _: At, sentence: &str, errors: &mut Pen) {
        let mut page = Page::default();
        page.line(Style::Warn, sentence);
        errors.draw(&page);
    }

    fn end(&mut self, _: &Ending) {
        self.end_line();
    }

    fn take(&mut self) -> String {
        self.pen.take()
    }
}
