//! A paragraph while it grows. Its first line waits for the next one, which may make a heading or a table of it.

use super::line::{Extent, is_table_rule, is_underline};
use super::runs::Runs;
use super::{Gap, JOINT, Piece, Task};
use std::collections::VecDeque;

#[derive(Clone, Debug)]
pub(super) struct Paragraph {
    gap: Gap,
    /// Whether it may begin with a box to tick.
    place: Place,
    stage: Stage,
    /// A line that the next one may make something else of.
    held: Option<String>,
    runs: Runs,
}

/// Where a paragraph stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At the beginning of a list item.
    ItemStart,
    Elsewhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Begun,
}

/// What the next line makes of a paragraph's newest line.
pub(super) enum Turned {
    Heading(String),
    Table(String),
}

impl Paragraph {
    /// A paragraph with its first line, or the beginning of that.
    pub(super) fn new(gap: Gap, place: Place, line: &str, extent: Extent, ready: &mut VecDeque<Piece>) -> Paragraph {
        let (stage, runs) = (Stage::Waiting, Runs::default());
        let mut paragraph = Paragraph { gap, place, stage, held: None, runs };
        let line = line.trim_start();
        match extent {
            Extent::Whole => paragraph.held = Some(line.to_owned()),
            Extent::Beginning => paragraph.write(line, ready),
        }
        paragraph
    }

    /// Whether `line` makes something else of the line above it. What is above that is whole then.
    pub(super) fn turn(&mut self, line: &str, ready: &mut VecDeque<Piece>) -> Option<Turned> {
        let held = self.held.as_ref()?;
        if self.stage == Stage::Waiting && is_underline(line) {
            return Some(Turned::Heading(format!("{held}\n{line}")));
        }
        if held.contains('|') && is_table_rule(line) {
            let table = format!("{held}\n{line}");
            self.held = None;
            if self.stage == Stage::Begun {
                self.end(ready);
            }
            return Some(Turned::Table(table));
        }
        None
    }

    /// What is above the paragraph, for what it turned into.
    pub(super) fn gap(&self) -> Gap {
        match self.stage {
            Stage::Waiting => self.gap,
            Stage::Begun => Gap::None,
        }
    }

    /// One more line, or its beginning.
    pub(super) fn go_on(&mut self, line: &str, extent: Extent, ready: &mut VecDeque<Piece>) {
        self.release(ready);
        self.runs.end_line();
        self.write(JOINT, ready);
        let line = line.trim_start();
        if extent == Extent::Whole && line.contains('|') {
            self.held = Some(line.to_owned());
        } else {
            self.write(line, ready);
        }
    }

    /// More of a line whose beginning is here.
    pub(super) fn more(&mut self, text: &str, ready: &mut VecDeque<Piece>) {
        self.write(text, ready);
    }

    pub(super) fn end(&mut self, ready: &mut VecDeque<Piece>) {
        self.release(ready);
        if self.stage == Stage::Begun {
            let rest = self.runs.end();
            if !rest.is_empty() {
                ready.push_back(Piece::Words(rest));
            }
            ready.push_back(Piece::ParagraphClosed);
        }
    }

    fn release(&mut self, ready: &mut VecDeque<Piece>) {
        if let Some(line) = self.held.take() {
            self.write(&line, ready);
        }
    }

    fn write(&mut self, text: &str, ready: &mut VecDeque<Piece>) {
        let mut text = text;
        if self.stage == Stage::Waiting {
            self.stage = Stage::Begun;
            let (task, rest) = match self.place {
                Place::ItemStart => Task::of(text),
                Place::Elsewhere => (Task::No, text),
            };
            text = rest;
            ready.push_back(Piece::ParagraphOpened { task, gap: self.gap });
        }
        self.runs.push(text, |run| ready.push_back(Piece::Words(run)));
    }
}

impl Task {
    /// The box that an item's text begins with, and what is behind it.
    fn of(text: &str) -> (Task, &str) {
        for (sign, task) in [("[ ] ", Task::Open), ("[x] ", Task::Done), ("[X] ", Task::Done)] {
            if let Some(rest) = text.strip_prefix(sign) {
                return (task, rest);
            }
        }
        (Task::No, text)
    }
}
