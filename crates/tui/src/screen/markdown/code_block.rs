//! A block of code: each line as it is, in colours, behind a margin.

use super::word_wrap::{hang_lines, wrap_letters};
use crate::screen::highlight::CodeHighlighter;
use crate::screen::theme::Theme;
use ratatui::text::{Line, Span};

/// What stands before each line of code.
const MARGIN: &str = "  ";

/// Draws the lines of one code block, from its first to its last.
#[derive(Clone, Debug)]
pub(super) struct CodeBlockRenderer {
    highlighter: CodeHighlighter,
}

impl CodeBlockRenderer {
    /// For a block of `language`, as its fence names it.
    pub(super) fn new(language: &str, theme: &Theme) -> CodeBlockRenderer {
        CodeBlockRenderer { highlighter: CodeHighlighter::for_language(language, theme) }
    }

    /// The next line of the block.
    pub(super) fn draw(&mut self, line: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let spans = self.highlighter.highlight_line(line, theme.text);
        let margin = Span::raw(MARGIN);
        hang_lines(wrap_letters(&spans, width.saturating_sub(MARGIN.len())), &margin, &margin)
    }
}
