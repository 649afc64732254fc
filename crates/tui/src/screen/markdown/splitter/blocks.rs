//! The blocks of a text, one inside the other, line by line: what a line goes on with, and what it begins.

use super::line_syntax::{
    CODE_INDENT, CodeFence, LineExtent, ListMarker, after_mark, indent, interrupts, is_heading, is_raw, is_rule,
    quoted, without_indent,
};
use super::paragraph::{OpenParagraph, ParagraphPosition, ReinterpretedLine};
use super::{BlockGap, MarkdownPiece, NEST_DEPTH, keep_end};
use crate::screen::markdown::splitter::line_syntax::ListBullet;
use std::collections::VecDeque;

/// The blocks of a text, or of a list item or a quote in it.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockParser {
    pub(super) ready: VecDeque<MarkdownPiece>,
    depth: usize,
    open: OpenBlock,
    /// What was above the next block.
    gap: BlockGap,
    /// The list that may go on, and the number of its next item.
    list: Option<(ListBullet, u64)>,
    start: ItemStart,
}

/// What the next line may go on with.
#[derive(Clone, Debug, Default)]
enum OpenBlock {
    #[default]
    Nothing,
    Paragraph(OpenParagraph),
    /// Something that is drawn when all of it is there.
    Leaf {
        text: String,
        gap: BlockGap,
        until: LeafEnd,
    },
    /// Code, and its line under way.
    Code {
        fence: Option<CodeFence>,
        line: Option<String>,
    },
    /// A list item. `last` is `Blank` when an empty line came last.
    Item {
        inside: Box<BlockParser>,
        least: usize,
        text: usize,
        last: BlockGap,
    },
    Quote(Box<BlockParser>),
}

/// What ends a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeafEnd {
    EndOfLine,
    EmptyLine,
}

/// Whether these are the blocks of a list item of which there is none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ItemStart {
    Item,
    #[default]
    Over,
}

impl BlockParser {
    /// A line, or the beginning of a long one.
    pub(super) fn begin(&mut self, line: &str, extent: LineExtent) {
        if !self.continues_open(line, extent) {
            self.close();
            self.start(line, extent);
        }
    }

    /// More of the line that was begun.
    pub(super) fn more(&mut self, text: &str) {
        match &mut self.open {
            OpenBlock::Paragraph(paragraph) => paragraph.more(text, &mut self.ready),
            OpenBlock::Leaf { text: leaf, .. } => leaf.push_str(text),
            OpenBlock::Code { line, .. } => line.get_or_insert_default().push_str(text),
            OpenBlock::Item { inside, .. } | OpenBlock::Quote(inside) => {
                inside.more(text);
                self.ready.append(&mut inside.ready);
            }
            // It began with nothing but blanks.
            OpenBlock::Nothing => {
                let gap = std::mem::take(&mut self.gap);
                let paragraph =
                    OpenParagraph::new(gap, ParagraphPosition::Elsewhere, text, LineExtent::Beginning, &mut self.ready);
                self.open = OpenBlock::Paragraph(paragraph);
            }
        }
    }

    /// The line is over.
    pub(super) fn end_line(&mut self) {
        match &mut self.open {
            OpenBlock::Nothing | OpenBlock::Paragraph(_) => {}
            OpenBlock::Leaf { text, until, .. } => {
                text.push('\n');
                if *until == LeafEnd::EndOfLine {
                    self.close();
                }
            }
            OpenBlock::Code { line, .. } => self.ready.extend(line.take().map(MarkdownPiece::CodeLine)),
            OpenBlock::Item { inside, .. } | OpenBlock::Quote(inside) => {
                inside.end_line();
                self.ready.append(&mut inside.ready);
            }
        }
    }

    /// What is open is whole.
    pub(super) fn close(&mut self) {
        match std::mem::take(&mut self.open) {
            OpenBlock::Nothing => {}
            OpenBlock::Paragraph(mut paragraph) => paragraph.end(&mut self.ready),
            OpenBlock::Leaf { text, gap, .. } => self.ready.push_back(MarkdownPiece::Leaf { text, gap }),
            OpenBlock::Code { .. } => self.ready.push_back(MarkdownPiece::CodeClosed),
            OpenBlock::Item { mut inside, last, .. } => {
                inside.close();
                self.ready.append(&mut inside.ready);
                self.ready.push_back(MarkdownPiece::Closed);
                self.gap = last;
            }
            OpenBlock::Quote(mut inside) => {
                inside.close();
                self.ready.append(&mut inside.ready);
                self.ready.push_back(MarkdownPiece::Closed);
            }
        }
    }

    /// Forget the beginning of what is far too long to be on the screen.
    pub(super) fn keep_end(&mut self) {
        match &mut self.open {
            OpenBlock::Nothing | OpenBlock::Paragraph(_) => {}
            OpenBlock::Leaf { text, .. } | OpenBlock::Code { line: Some(text), .. } => keep_end(text),
            OpenBlock::Code { line: None, .. } => {}
            OpenBlock::Item { inside, .. } | OpenBlock::Quote(inside) => inside.keep_end(),
        }
    }

    /// Whether the line belongs to what is open; it is taken then.
    fn continues_open(&mut self, line: &str, extent: LineExtent) -> bool {
        let is_empty = line.trim().is_empty();
        match &mut self.open {
            OpenBlock::Nothing => return false,
            OpenBlock::Paragraph(paragraph) => {
                if extent == LineExtent::Whole
                    && let Some(turned) = paragraph.reinterpret_line(line, &mut self.ready)
                {
                    let gap = paragraph.gap();
                    let (text, until) = match turned {
                        ReinterpretedLine::Heading(text) => (text, LeafEnd::EndOfLine),
                        ReinterpretedLine::Table(text) => (text, LeafEnd::EmptyLine),
                    };
                    self.open = OpenBlock::Leaf { text, gap, until };
                    return true;
                }
                if is_empty || interrupts(line, extent) {
                    return false;
                }
                paragraph.push_line(line, extent, &mut self.ready);
            }
            OpenBlock::Leaf { text, .. } => {
                if is_empty || interrupts(line, extent) {
                    return false;
                }
                text.push_str(line);
            }
            OpenBlock::Code { fence: Some(fence), line: code } => {
                if extent == LineExtent::Whole && fence.is_closed_by(line) {
                    self.close();
                } else {
                    *code = Some(without_indent(line, fence.indent));
                }
            }
            OpenBlock::Code { fence: None, line: code } => {
                if is_empty || indent(line) < CODE_INDENT {
                    return false;
                }
                *code = Some(without_indent(line, CODE_INDENT));
            }
            OpenBlock::Item { inside, least, text, last } => {
                if is_empty {
                    inside.begin("", LineExtent::Whole);
                    *last = BlockGap::Blank;
                } else if indent(line) >= *least {
                    inside.begin(&without_indent(line, *text), extent);
                    *last = BlockGap::None;
                } else if *last == BlockGap::Blank
                    || ListMarker::parse(line).is_some()
                    || interrupts(line, extent)
                    || !inside.continues_paragraph(line, extent)
                {
                    return false;
                }
                self.ready.append(&mut inside.ready);
            }
            OpenBlock::Quote(inside) => {
                if let Some(quoted) = quoted(line) {
                    inside.begin(&quoted, extent);
                } else if is_empty || interrupts(line, extent) || !inside.continues_paragraph(line, extent) {
                    return false;
                }
                self.ready.append(&mut inside.ready);
            }
        }
        true
    }

    /// Whether the newest block is a paragraph, which goes on with a line that is not marked as part of it.
    fn continues_paragraph(&mut self, line: &str, extent: LineExtent) -> bool {
        match &mut self.open {
            OpenBlock::Paragraph(paragraph) => paragraph.push_line(line, extent, &mut self.ready),
            OpenBlock::Item { inside, last: BlockGap::None, .. } | OpenBlock::Quote(inside) => {
                let takes = inside.continues_paragraph(line, extent);
                self.ready.append(&mut inside.ready);
                return takes;
            }
            OpenBlock::Nothing | OpenBlock::Leaf { .. } | OpenBlock::Code { .. } | OpenBlock::Item { .. } => {
                return false;
            }
        }
        true
    }

    /// Begin what the line begins.
    fn start(&mut self, line: &str, extent: LineExtent) {
        if line.trim().is_empty() {
            self.gap = BlockGap::Blank;
            return;
        }
        let is_whole = extent == LineExtent::Whole;
        let gap = std::mem::take(&mut self.gap);
        let start = std::mem::take(&mut self.start);
        let is_rule = is_whole && is_rule(line);
        let marker = ListMarker::parse(line).filter(|_| !is_rule && self.depth < NEST_DEPTH);
        if let Some(marker) = marker {
            return self.start_item(line, marker, gap, extent);
        }
        self.list = None;
        let is_deep = self.depth == NEST_DEPTH && (ListMarker::parse(line).is_some() || quoted(line).is_some());
        let leaf = |until| OpenBlock::Leaf { text: line.to_owned(), gap, until };
        self.open = if is_rule || is_heading(line) {
            leaf(LeafEnd::EndOfLine)
        } else if is_deep || is_raw(line) {
            leaf(LeafEnd::EmptyLine)
        } else if let Some(quoted) = quoted(line) {
            self.ready.push_back(MarkdownPiece::QuoteOpened { gap });
            let mut inside = Box::new(BlockParser { depth: self.depth + 1, ..BlockParser::default() });
            inside.begin(&quoted, extent);
            self.ready.append(&mut inside.ready);
            OpenBlock::Quote(inside)
        } else if indent(line) >= CODE_INDENT {
            self.ready.push_back(MarkdownPiece::CodeOpened { language: String::new(), gap });
            OpenBlock::Code { fence: None, line: Some(without_indent(line, CODE_INDENT)) }
        } else if let Some((fence, language)) = CodeFence::opened_by(line).filter(|_| is_whole) {
            self.ready.push_back(MarkdownPiece::CodeOpened { language: language.to_owned(), gap });
            OpenBlock::Code { fence: Some(fence), line: None }
        } else {
            let place = match start {
                ItemStart::Item => ParagraphPosition::ItemStart,
                ItemStart::Over => ParagraphPosition::Elsewhere,
            };
            OpenBlock::Paragraph(OpenParagraph::new(gap, place, line, extent, &mut self.ready))
        };
    }

    fn start_item(&mut self, line: &str, marker: ListMarker, gap: BlockGap, extent: LineExtent) {
        let goes_on = self.list.filter(|(bullet, _)| *bullet == marker.bullet);
        let number = goes_on.map_or(marker.number, |(_, number)| number);
        self.list = Some((marker.bullet, number.saturating_add(1)));
        let mark = match marker.bullet {
            ListBullet::Sign(_) => "- ".to_owned(),
            ListBullet::Number(_) => format!("{number}. "),
        };
        // Between two items of a list there is never anything.
        let place = goes_on.map_or(super::ListPosition::First(gap), |_| super::ListPosition::Later);
        self.ready.push_back(MarkdownPiece::ItemOpened { mark, position: place });
        let mut inside =
            Box::new(BlockParser { depth: self.depth + 1, start: ItemStart::Item, ..BlockParser::default() });
        inside.begin(&after_mark(line, marker.len, marker.text), extent);
        self.ready.append(&mut inside.ready);
        self.open = OpenBlock::Item { inside, least: marker.least, text: marker.text, last: BlockGap::None };
    }
}
