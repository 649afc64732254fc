//! A paragraph while it grows. Its first line waits for the next one, which may make a heading or a table of it.

use super::inline_runs::InlineRuns;
use super::line_syntax::{LineExtent, is_table_rule, is_underline};
use super::{BlockGap, JOINT, MarkdownPiece, TaskCheckbox};
use std::collections::VecDeque;

#[derive(Clone, Debug)]
pub(super) struct OpenParagraph {
    gap: BlockGap,
    /// Whether it may begin with a box to tick.
    position: ParagraphPosition,
    progress: ParagraphProgress,
    /// A line that the next one may make something else of.
    held: Option<String>,
    runs: InlineRuns,
}

/// Where a paragraph stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParagraphPosition {
    /// At the beginning of a list item.
    ItemStart,
    Elsewhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParagraphProgress {
    Waiting,
    Begun,
}

/// What the next line makes of a paragraph's newest line.
pub(super) enum ReinterpretedLine {
    Heading(String),
    Table(String),
}

impl OpenParagraph {
    /// A paragraph with its first line, or the beginning of that.
    pub(super) fn new(
        gap: BlockGap,
        place: ParagraphPosition,
        line: &str,
        extent: LineExtent,
        ready: &mut VecDeque<MarkdownPiece>,
    ) -> OpenParagraph {
        let (stage, runs) = (ParagraphProgress::Waiting, InlineRuns::default());
        let mut paragraph = OpenParagraph { gap, position: place, progress: stage, held: None, runs };
        let line = line.trim_start();
        match extent {
            LineExtent::Whole => paragraph.held = Some(line.to_owned()),
            LineExtent::Beginning => paragraph.write(line, ready),
        }
        paragraph
    }

    /// Whether `line` makes something else of the line above it. What is above that is whole then.
    pub(super) fn reinterpret_line(
        &mut self,
        line: &str,
        ready: &mut VecDeque<MarkdownPiece>,
    ) -> Option<ReinterpretedLine> {
        let held = self.held.as_ref()?;
        if self.progress == ParagraphProgress::Waiting && is_underline(line) {
            return Some(ReinterpretedLine::Heading(format!("{held}\n{line}")));
        }
        if held.contains('|') && is_table_rule(line) {
            let table = format!("{held}\n{line}");
            self.held = None;
            if self.progress == ParagraphProgress::Begun {
                self.end(ready);
            }
            return Some(ReinterpretedLine::Table(table));
        }
        None
    }

    /// What is above the paragraph, for what it turned into.
    pub(super) fn gap(&self) -> BlockGap {
        match self.progress {
            ParagraphProgress::Waiting => self.gap,
            ParagraphProgress::Begun => BlockGap::None,
        }
    }

    /// One more line, or its beginning.
    pub(super) fn push_line(&mut self, line: &str, extent: LineExtent, ready: &mut VecDeque<MarkdownPiece>) {
        self.release(ready);
        self.runs.end_line();
        self.write(JOINT, ready);
        let line = line.trim_start();
        if extent == LineExtent::Whole && line.contains('|') {
            self.held = Some(line.to_owned());
        } else {
            self.write(line, ready);
        }
    }

    /// More of a line whose beginning is here.
    pub(super) fn more(&mut self, text: &str, ready: &mut VecDeque<MarkdownPiece>) {
        self.write(text, ready);
    }

    pub(super) fn end(&mut self, ready: &mut VecDeque<MarkdownPiece>) {
        self.release(ready);
        if self.progress == ParagraphProgress::Begun {
            let rest = self.runs.end();
            if !rest.is_empty() {
                ready.push_back(MarkdownPiece::Words(rest));
            }
            ready.push_back(MarkdownPiece::ParagraphClosed);
        }
    }

    fn release(&mut self, ready: &mut VecDeque<MarkdownPiece>) {
        if let Some(line) = self.held.take() {
            self.write(&line, ready);
        }
    }

    fn write(&mut self, text: &str, ready: &mut VecDeque<MarkdownPiece>) {
        let mut text = text;
        if self.progress == ParagraphProgress::Waiting {
            self.progress = ParagraphProgress::Begun;
            let (task, rest) = match self.position {
                ParagraphPosition::ItemStart => TaskCheckbox::parse(text),
                ParagraphPosition::Elsewhere => (TaskCheckbox::No, text),
            };
            text = rest;
            ready.push_back(MarkdownPiece::ParagraphOpened { checkbox: task, gap: self.gap });
        }
        self.runs.push(text, |run| ready.push_back(MarkdownPiece::Words(run)));
    }
}

impl TaskCheckbox {
    /// The box that an item's text begins with, and what is behind it.
    fn parse(text: &str) -> (TaskCheckbox, &str) {
        for (sign, task) in [("[ ] ", TaskCheckbox::Open), ("[x] ", TaskCheckbox::Done), ("[X] ", TaskCheckbox::Done)] {
            if let Some(rest) = text.strip_prefix(sign) {
                return (task, rest);
            }
        }
        (TaskCheckbox::No, text)
    }
}
