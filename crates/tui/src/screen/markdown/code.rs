//! A block of code: each line as it is, in colours, behind a margin.

use super::flow::{hang, letters};
use crate::screen::highlight::CodeHighlighter;
use crate::screen::theme::Theme;
use ratatui::text::{Line, Span};

/// What stands before each line of code.
const MARGIN: &str = "  ";

/// Draws the lines of one code block, from its first to its last.
#[derive(Clone, Debug)]
pub(super) struct Brush {
    highlighter: CodeHighlighter,
}

impl Brush {
    /// For a block of `language`, as its fence names it.
    pub(super) fn new(language: &str, theme: &Theme) -> Brush {
        Brush { highlighter: CodeHighlighter::for_language(language, theme) }
    }

    /// The next line of the block.
    pub(super) fn draw(&mut self, line: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let spans = self.highlighter.highlight_line(line, theme.text);
        let margin = Span::raw(MARGIN);
        hang(letters(&spans, width.saturating_sub(MARGIN.len())), &margin, &margin)
    }
}
