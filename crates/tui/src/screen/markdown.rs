//! Markdown as it streams in. The text is cut into pieces where more text can no longer change what came before; each
//! piece is drawn by itself, so that the same text looks the same however it arrived.

mod code;
mod cut;
pub(crate) mod flow;
mod inline;
mod prose;
mod table;

#[cfg(test)]
mod tests;

use super::theme::Theme;
use code::Brush;
use cut::{Cutter, Gap, Piece};
use ratatui::text::Line;

/// Load what colours code, so that the first code block need not wait for it. Takes some ten milliseconds: call it on
/// a thread of its own, after the first frame.
pub(crate) fn warm() {
    code::load();
}

/// A text in markdown that may still grow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markdown {
    cutter: Cutter,
    /// Colours the code block that is open.
    brush: Option<Brush>,
    begun: Begun,
}

/// Whether anything of a text was drawn: nothing stands above its first line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Begun {
    #[default]
    No,
    Yes,
}

impl Markdown {
    /// Take one more piece of the text.
    pub(crate) fn push(&mut self, piece: &str) {
        self.cutter.push(piece);
    }

    /// The text is whole.
    pub(crate) fn end(&mut self) {
        self.cutter.end();
    }

    /// The lines that more text cannot change. Each is returned once.
    pub(crate) fn take_finished(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for piece in self.cutter.take_ready() {
            self.draw(piece, usize::from(width), theme, &mut lines);
        }
        lines
    }

    /// The lines of everything that was not returned yet, as it looks now.
    pub(crate) fn pending(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let cutter = self.cutter.newest();
        let mut rest = Markdown { cutter, brush: self.brush.clone(), begun: self.begun };
        rest.end();
        rest.take_finished(width, theme)
    }

    fn draw(&mut self, piece: Piece, width: usize, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        match piece {
            Piece::Prose { text, gap } => {
                let drawn = prose::draw(&text, width, theme);
                if !drawn.is_empty() {
                    self.leave(gap, lines);
                    lines.extend(drawn);
                }
            }
            Piece::CodeOpened { language, gap } => {
                self.leave(gap, lines);
                self.brush = Some(Brush::new(&language, theme));
            }
            Piece::CodeLine(text) => {
                let mut brush = self.brush.take().unwrap_or_else(|| Brush::new("", theme));
                lines.extend(brush.draw(&text, width, theme));
                self.brush = Some(brush);
            }
            Piece::CodeClosed => self.brush = None,
        }
    }

    fn leave(&mut self, gap: Gap, lines: &mut Vec<Line<'static>>) {
        if self.begun == Begun::Yes && gap == Gap::Blank {
            lines.push(Line::default());
        }
        self.begun = Begun::Yes;
    }
}

/// The lines of a whole text.
pub(crate) fn render(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut markdown = Markdown::default();
    markdown.push(text);
    markdown.end();
    markdown.take_finished(width, theme)
}
