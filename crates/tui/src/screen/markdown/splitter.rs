//! Where a text that still grows can be cut. It becomes a row of pieces, each of which more text cannot change: list items
//! and quotes open and close, code comes line by line, paragraphs come in runs of words, and only what has to be seen as
//! a whole (headings, tables, markup) waits for its end. The pieces are the same however the text arrives.

mod blocks;
mod inline_runs;
mod line_syntax;
mod paragraph;

use crate::sanitize::clean;
use blocks::BlockParser;
use line_syntax::LineExtent;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Stands for the end of a line inside a paragraph, so that no line of it is taken for the beginning of something.
pub(super) const JOINT: &str = "\u{2028}";
/// Inside so many lists and quotes, what is nested deeper is text.
pub(super) const NEST_DEPTH: usize = 12;
/// A line longer than this is taken before its end is there; it is no fence, no rule and no heading by the next line.
const LONG_LINE: usize = 256;
/// One with bars may be the head of a table, whose columns can be padded.
const LONG_ROW: usize = 1024;
/// How much of a piece that is still open is drawn while it grows; the rest of it is above the screen.
const MAX_LIVE_BYTES: usize = 64 * 1024;

/// A part of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarkdownPiece {
    /// A block to be drawn as a whole.
    Leaf { text: String, gap: BlockGap },
    /// A paragraph begins.
    ParagraphOpened { checkbox: TaskCheckbox, gap: BlockGap },
    /// Words of it, in which nothing is left open, with what is between them and the others.
    Words(String),
    /// It is over.
    ParagraphClosed,
    /// A code block begins.
    CodeOpened { language: String, gap: BlockGap },
    /// A line of it, without its end.
    CodeLine(String),
    /// It is over.
    CodeClosed,
    /// A list item begins. Everything up to its end is in it.
    ItemOpened { mark: String, position: ListPosition },
    /// A quote begins.
    QuoteOpened { gap: BlockGap },
    /// The newest item or quote that is open is over.
    Closed,
}

/// What is above a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BlockGap {
    #[default]
    None,
    Blank,
}

/// Where an item is in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListPosition {
    First(BlockGap),
    Later,
}

/// Whether a paragraph begins with a box to tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskCheckbox {
    No,
    Open,
    Done,
}

/// Cuts a text into pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct MarkdownSplitter {
    blocks: BlockParser,
    /// The line that is not whole yet, unless it was begun.
    line: String,
    progress: LineProgress,
}

/// How far the newest line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineProgress {
    #[default]
    Waiting,
    /// Its beginning was taken, and what comes is the rest of it.
    Begun,
}

impl MarkdownSplitter {
    pub(super) fn push(&mut self, piece: &str) {
        for part in piece.split_inclusive('\n') {
            self.line.push_str(part.trim_end_matches('\n'));
            self.take_long_line();
            if part.ends_with('\n') {
                self.end_line();
            }
        }
    }

    pub(super) fn end(&mut self) {
        if self.progress == LineProgress::Begun || !self.line.is_empty() {
            self.end_line();
        }
        self.blocks.close();
    }

    /// The pieces that are whole.
    pub(super) fn take_ready(&mut self) -> VecDeque<MarkdownPiece> {
        std::mem::take(&mut self.blocks.ready)
    }

    /// A copy of what was not taken, without the beginning of a piece that is far too long to be on the screen.
    pub(super) fn newest(&self) -> MarkdownSplitter {
        let mut newest = self.clone();
        newest.blocks.keep_end();
        newest
    }

    /// A long line need not be whole to be looked at.
    fn take_long_line(&mut self) {
        if self.progress == LineProgress::Waiting
            && let Some(cut) = beginning(&self.line)
        {
            self.progress = LineProgress::Begun;
            let rest = self.line.split_off(cut);
            let beginning = std::mem::replace(&mut self.line, rest);
            self.blocks.begin(&visible(&beginning), LineExtent::Beginning);
        }
        if self.progress == LineProgress::Begun {
            // What the end of a line may be does not belong to it.
            let kept = self.line.trim_end_matches('\r').len();
            let end = self.line.split_off(kept);
            let text = std::mem::replace(&mut self.line, end);
            if !text.is_empty() {
                self.blocks.more(&visible(&text));
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.progress) == LineProgress::Waiting {
            self.blocks.begin(&visible(line.trim_end_matches('\r')), LineExtent::Whole);
        }
        self.blocks.end_line();
    }
}

/// Where the beginning of a long line ends.
fn beginning(line: &str) -> Option<usize> {
    let blanks = line.len() - line.trim_start().len();
    let ends = |limit: usize| {
        let least = blanks + limit;
        (line.len() > least + 4).then(|| (least..line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(least))
    };
    let cut = ends(LONG_LINE)?;
    if line[..cut].contains('|') { ends(LONG_ROW) } else { Some(cut) }
}

/// What stands for the end of a line has no other meaning in a text. Nor has what is one only with a `\n` behind it: a parser
/// that takes it for one would begin something new there.
fn visible(text: &str) -> Cow<'_, str> {
    let ends = [JOINT, "\r"];
    if !ends.iter().any(|end| text.contains(end)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(ends.iter().fold(text.to_owned(), |text, end| text.replace(end, &clean(end))))
}

/// Keep the end of a text.
fn keep_end(text: &mut String) {
    let from = text.len().saturating_sub(MAX_LIVE_BYTES);
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(from);
    text.drain(..from);
}

#[cfg(test)]
mod tests;
