//! What a part of the screen looks like.

use ratatui::layout::Position;
use ratatui::text::Line;

/// Lines, none wider than was asked for, and where the cursor stands among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RenderedLines {
    pub(crate) lines: Vec<Line<'static>>,
    /// Column and line, from 0; `None` hides the cursor.
    pub(crate) cursor: Option<Position>,
}

impl RenderedLines {
    /// Lines without a cursor.
    pub(crate) fn without_cursor(lines: Vec<Line<'static>>) -> RenderedLines {
        RenderedLines { lines, cursor: None }
    }

    /// Put `below` under this one. Its cursor wins where it has one.
    pub(crate) fn stack(&mut self, below: RenderedLines) {
        let height = u16::try_from(self.lines.len()).unwrap_or(u16::MAX);
        if let Some(cursor) = below.cursor {
            self.cursor = Some(Position { x: cursor.x, y: cursor.y.saturating_add(height) });
        }
        self.lines.extend(below.lines);
    }
}
