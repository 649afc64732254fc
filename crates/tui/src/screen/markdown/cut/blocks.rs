//! The blocks of a text, one inside the other, line by line: what a line goes on with, and what it begins.

use super::line::{
    CODE_INDENT, Extent, Fence, Marker, after_mark, indent, interrupts, is_heading, is_raw, is_rule, quoted,
    without_indent,
};
use super::paragraph::{Paragraph, Place, Turned};
use super::{Gap, NEST_DEPTH, Piece, end_of};
use crate::screen::markdown::cut::line::Bullet;
use std::collections::VecDeque;

/// The blocks of a text, or of a list item or a quote in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub(super) ready: VecDeque<Piece>,
    depth: usize,
    within: Within,
    /// What was above the next block.
    gap: Gap,
    /// The list that may go on, and the number of its next item.
    list: Option<(Bullet, u64)>,
    start: Start,
}

/// What the next line may go on with.
#[derive(Clone, Debug, Default)]
enum Within {
    #[default]
    Nothing,
    Paragraph(Paragraph),
    /// Something that is drawn when all of it is there.
    Leaf {
        text: String,
        gap: Gap,
        until: Until,
    },
    /// Code, and its line under way.
    Code {
        fence: Option<Fence>,
        line: Option<String>,
    },
    /// A list item. `last` is `Blank` when an empty line came last.
    Item {
        inside: Box<Blocks>,
        least: usize,
        text: usize,
        last: Gap,
    },
    Quote(Box<Blocks>),
}

/// What ends a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    EndOfLine,
    EmptyLine,
}

/// Whether these are the blocks of a list item of which there is none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Start {
    Item,
    #[default]
    Over,
}

impl Blocks {
    /// A line, or the beginning of a long one.
    pub(super) fn begin(&mut self, line: &str, extent: Extent) {
        if !self.goes_on(line, extent) {
            self.close();
            self.start(line, extent);
        }
    }

    /// More of the line that was begun.
    pub(super) fn more(&mut self, text: &str) {
        match &mut self.within {
            Within::Paragraph(paragraph) => paragraph.more(text, &mut self.ready),
            Within::Leaf { text: leaf, .. } => leaf.push_str(text),
            Within::Code { line, .. } => line.get_or_insert_default().push_str(text),
            Within::Item { inside, .. } | Within::Quote(inside) => {
                inside.more(text);
                self.ready.append(&mut inside.ready);
            }
            // It began with nothing but blanks.
            Within::Nothing => {
                let gap = std::mem::take(&mut self.gap);
                let paragraph = Paragraph::new(gap, Place::Elsewhere, text, Extent::Beginning, &mut self.ready);
                self.within = Within::Paragraph(paragraph);
            }
        }
    }

    /// The line is over.
    pub(super) fn end_line(&mut self) {
        match &mut self.within {
            Within::Nothing | Within::Paragraph(_) => {}
            Within::Leaf { text, until, .. } => {
                text.push('\n');
                if *until == Until::EndOfLine {
                    self.close();
                }
            }
            Within::Code { line, .. } => self.ready.extend(line.take().map(Piece::CodeLine)),
            Within::Item { inside, .. } | Within::Quote(inside) => {
                inside.end_line();
                self.ready.append(&mut inside.ready);
            }
        }
    }

    /// What is open is whole.
    pub(super) fn close(&mut self) {
        match std::mem::take(&mut self.within) {
            Within::Nothing => {}
            Within::Paragraph(mut paragraph) => paragraph.end(&mut self.ready),
            Within::Leaf { text, gap, .. } => self.ready.push_back(Piece::Leaf { text, gap }),
            Within::Code { .. } => self.ready.push_back(Piece::CodeClosed),
            Within::Item { mut inside, last, .. } => {
                inside.close();
                self.ready.append(&mut inside.ready);
                self.ready.push_back(Piece::Closed);
                self.gap = last;
            }
            Within::Quote(mut inside) => {
                inside.close();
                self.ready.append(&mut inside.ready);
                self.ready.push_back(Piece::Closed);
            }
        }
    }

    /// Forget the beginning of what is far too long to be on the screen.
    pub(super) fn keep_end(&mut self) {
        match &mut self.within {
            Within::Nothing | Within::Paragraph(_) => {}
            Within::Leaf { text, .. } | Within::Code { line: Some(text), .. } => end_of(text),
            Within::Code { line: None, .. } => {}
            Within::Item { inside, .. } | Within::Quote(inside) => inside.keep_end(),
        }
    }

    /// Whether the line belongs to what is open; it is taken then.
    fn goes_on(&mut self, line: &str, extent: Extent) -> bool {
        let is_empty = line.trim().is_empty();
        match &mut self.within {
            Within::Nothing => return false,
            Within::Paragraph(paragraph) => {
                if extent == Extent::Whole
                    && let Some(turned) = paragraph.turn(line, &mut self.ready)
                {
                    let gap = paragraph.gap();
                    let (text, until) = match turned {
                        Turned::Heading(text) => (text, Until::EndOfLine),
                        Turned::Table(text) => (text, Until::EmptyLine),
                    };
                    self.within = Within::Leaf { text, gap, until };
                    return true;
                }
                if is_empty || interrupts(line, extent) {
                    return false;
                }
                paragraph.go_on(line, extent, &mut self.ready);
            }
            Within::Leaf { text, .. } => {
                if is_empty || interrupts(line, extent) {
                    return false;
                }
                text.push_str(line);
            }
            Within::Code { fence: Some(fence), line: code } => {
                if extent == Extent::Whole && fence.is_closed_by(line) {
                    self.close();
                } else {
                    *code = Some(without_indent(line, fence.indent));
                }
            }
            Within::Code { fence: None, line: code } => {
                if is_empty || indent(line) < CODE_INDENT {
                    return false;
                }
                *code = Some(without_indent(line, CODE_INDENT));
            }
            Within::Item { inside, least, text, last } => {
                if is_empty {
                    inside.begin("", Extent::Whole);
                    *last = Gap::Blank;
                } else if indent(line) >= *least {
                    inside.begin(&without_indent(line, *text), extent);
                    *last = Gap::None;
                } else if *last == Gap::Blank
                    || Marker::of(line).is_some()
                    || interrupts(line, extent)
                    || !inside.takes_more(line, extent)
                {
                    return false;
                }
                self.ready.append(&mut inside.ready);
            }
            Within::Quote(inside) => {
                if let Some(quoted) = quoted(line) {
                    inside.begin(&quoted, extent);
                } else if is_empty || interrupts(line, extent) || !inside.takes_more(line, extent) {
                    return false;
                }
                self.ready.append(&mut inside.ready);
            }
        }
        true
    }

    /// Whether the newest block is a paragraph, which goes on with a line that is not marked as part of it.
    fn takes_more(&mut self, line: &str, extent: Extent) -> bool {
        match &mut self.within {
            Within::Paragraph(paragraph) => paragraph.go_on(line, extent, &mut self.ready),
            Within::Item { inside, last: Gap::None, .. } | Within::Quote(inside) => {
                let takes = inside.takes_more(line, extent);
                self.ready.append(&mut inside.ready);
                return takes;
            }
            Within::Nothing | Within::Leaf { .. } | Within::Code { .. } | Within::Item { .. } => return false,
        }
        true
    }

    /// Begin what the line begins.
    fn start(&mut self, line: &str, extent: Extent) {
        if line.trim().is_empty() {
            self.gap = Gap::Blank;
            return;
        }
        let is_whole = extent == Extent::Whole;
        let gap = std::mem::take(&mut self.gap);
        let start = std::mem::take(&mut self.start);
        let is_rule = is_whole && is_rule(line);
        let marker = Marker::of(line).filter(|_| !is_rule && self.depth < NEST_DEPTH);
        if let Some(marker) = marker {
            return self.start_item(line, marker, gap, extent);
        }
        self.list = None;
        let is_deep = self.depth == NEST_DEPTH && (Marker::of(line).is_some() || quoted(line).is_some());
        let leaf = |until| Within::Leaf { text: line.to_owned(), gap, until };
        self.within = if is_rule || is_heading(line) {
            leaf(Until::EndOfLine)
        } else if is_deep || is_raw(line) {
            leaf(Until::EmptyLine)
        } else if let Some(quoted) = quoted(line) {
            self.ready.push_back(Piece::QuoteOpened { gap });
            let mut inside = Box::new(Blocks { depth: self.depth + 1, ..Blocks::default() });
            inside.begin(&quoted, extent);
            self.ready.append(&mut inside.ready);
            Within::Quote(inside)
        } else if indent(line) >= CODE_INDENT {
            self.ready.push_back(Piece::CodeOpened { language: String::new(), gap });
            Within::Code { fence: None, line: Some(without_indent(line, CODE_INDENT)) }
        } else if let Some((fence, language)) = Fence::opened_by(line).filter(|_| is_whole) {
            self.ready.push_back(Piece::CodeOpened { language: language.to_owned(), gap });
            Within::Code { fence: Some(fence), line: None }
        } else {
            let place = match start {
                Start::Item => Place::ItemStart,
                Start::Over => Place::Elsewhere,
            };
            Within::Paragraph(Paragraph::new(gap, place, line, extent, &mut self.ready))
        };
    }

    fn start_item(&mut self, line: &str, marker: Marker, gap: Gap, extent: Extent) {
        let goes_on = self.list.filter(|(bullet, _)| *bullet == marker.bullet);
        let number = goes_on.map_or(marker.number, |(_, number)| number);
        self.list = Some((marker.bullet, number.saturating_add(1)));
        let mark = match marker.bullet {
            Bullet::Sign(_) => "- ".to_owned(),
            Bullet::Number(_) => format!("{number}. "),
        };
        // Between two items of a list there is never anything.
        let place = goes_on.map_or(super::InList::First(gap), |_| super::InList::Later);
        self.ready.push_back(Piece::ItemOpened { mark, place });
        let mut inside = Box::new(Blocks { depth: self.depth + 1, start: Start::Item, ..Blocks::default() });
        inside.begin(&after_mark(line, marker.len, marker.text), extent);
        self.ready.append(&mut inside.ready);
        self.within = Within::Item { inside, least: marker.least, text: marker.text, last: Gap::None };
    }
}
