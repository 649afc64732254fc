//! Markdown as it streams in. The text is cut into pieces where more text can no longer change what came before, and each
//! piece is drawn at once, so that the same text looks the same however it arrived.

mod code_block;
mod inline;
mod leaf_block;
mod renderer;
mod splitter;
mod table;
pub(crate) mod word_wrap;

#[cfg(test)]
mod tests;

use super::theme::Theme;
use ratatui::text::Line;
use renderer::MarkdownRenderer;
use splitter::MarkdownSplitter;

/// A text in markdown that may still grow.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkdownStream {
    splitter: MarkdownSplitter,
    renderer: MarkdownRenderer,
}

impl MarkdownStream {
    /// Take one more piece of the text.
    pub(crate) fn push(&mut self, piece: &str) {
        self.splitter.push(piece);
    }

    /// The text is whole.
    pub(crate) fn end(&mut self) {
        self.splitter.end();
    }

    /// The lines that more text cannot change. Each is returned once.
    pub(crate) fn take_finished(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for piece in self.splitter.take_ready() {
            self.renderer.draw(piece, usize::from(width), theme, &mut lines);
        }
        lines
    }

    /// The lines of everything that was not returned yet, as it looks now.
    pub(crate) fn pending(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut rest = MarkdownStream { splitter: self.splitter.newest(), renderer: self.renderer.clone() };
        rest.end();
        rest.take_finished(width, theme)
    }
}

/// The lines of a whole text.
pub(crate) fn render(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut markdown = MarkdownStream::default();
    markdown.push(text);
    markdown.end();
    markdown.take_finished(width, theme)
}
