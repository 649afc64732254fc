//! Frames: what is printed, what is redrawn, and how it is written.

use super::brush::{Brush, Edge, Origin, Wipe};
use super::lay;
use super::{Drawn, Face, Stage, Visible};
use crate::screen::markdown::flow::letters;
use crate::screen::terminal::Erased;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::text::Line;
use std::io;

pub(super) const BEGIN: &[u8] = b"\x1b[?2026h";
pub(super) const END: &[u8] = b"\x1b[?2026l";
const HIDE: &[u8] = b"\x1b[?25l";
pub(super) const SHOW: &[u8] = b"\x1b[?25h";

/// Whether a frame may wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// It waits where the terminal no longer has the size that it was drawn for.
    InStep,
    /// It does not.
    Now,
}

impl<W: io::Write> Stage<W> {
    /// Print the lines that wait, then draw the live picture below them. `first` goes before all of it.
    pub(super) fn draw(&mut self, first: Vec<u8>, when: When) -> io::Result<()> {
        let width = usize::from(self.size.width);
        let above: Vec<_> =
            std::mem::take(&mut self.waiting).into_iter().flat_map(|line| fitted(line, width)).collect();
        let (rows, cursor) = lay::window(&self.live, self.size);
        let mut brush = Brush::new(self.colour, Origin::Cursor(self.rows_above_cursor()));
        match &self.drawn {
            Drawn::Rows(old) if above.is_empty() => self.redraw(&mut brush, old.clone(), &rows),
            Drawn::Rows(old) => self.print(&mut brush, &above, &rows, Some(old)),
            Drawn::Moved { .. } | Drawn::Nothing => self.print(&mut brush, &above, &rows, None),
        }
        // The less time between looking and writing, the fewer frames meet a terminal of another size.
        if when == When::InStep && !self.is_in_step()? {
            self.waiting = above;
            return Ok(());
        }
        self.write(first, brush, cursor)?;
        self.drawn = Drawn::Rows(rows);
        Ok(())
    }

    /// Draw what is different in the live area. It grows downwards, at the bottom of the screen by moving everything up.
    fn redraw(&self, brush: &mut Brush, mut old: Buffer, new: &Buffer) {
        let (was, is) = (old.area.height, new.area.height);
        for y in 0..was.min(is) {
            let row = lay::row_of(new, y);
            if self.wipe(Some(&old), y.into(), row) == Wipe::Whole {
                brush.go(0, y);
                brush.row(row, Wipe::Whole);
                lay::row_of_mut(&mut old, y).clone_from_slice(row);
            }
        }
        brush.changes(&old, new);
        if was < is {
            brush.go(0, was - 1);
        }
        for y in was..is {
            brush.break_line();
            brush.row(lay::row_of(new, y), Wipe::Rest);
        }
        if is < was {
            brush.go(0, is);
            brush.erase_below();
        }
    }

    /// Print lines over the live area and the area anew below them. `old` is what stood there, where that is known.
    fn print(&self, brush: &mut Brush, above: &[Line<'static>], new: &Buffer, old: Option<&Buffer>) {
        let mut row = vec![Cell::EMPTY; usize::from(self.size.width)];
        brush.go(0, 0);
        // Where a terminal is narrower than it was a moment ago, a finished line may wrap but must not be cut.
        brush.at_edge(Edge::Wraps);
        for (index, line) in above.iter().enumerate() {
            lay::lay(line, &mut row);
            brush.row(&row, self.wipe(old, index, &row));
            brush.break_line();
        }
        brush.at_edge(Edge::Clips);
        brush.begin_area();
        let is = new.area.height;
        let covered = old.is_some_and(|old| usize::from(old.area.height) <= above.len() + usize::from(is));
        for y in 0..is {
            if y > 0 {
                brush.break_line();
            }
            let row = lay::row_of(new, y);
            // Below the last row there may be no other, so what is left over is erased from here.
            let is_last = y + 1 == is;
            let wipe =
                if is_last && !covered { Wipe::Below } else { self.wipe(old, above.len() + usize::from(y), row) };
            brush.row(row, wipe);
        }
    }

    /// How to draw `row` over the old row at `index`. Whatever moves the screen up moves both, so they stay together.
    fn wipe(&self, old: Option<&Buffer>, index: usize, row: &[Cell]) -> Wipe {
        let Some(old) = old else { return Wipe::Whole };
        let was = old.content.chunks(row.len()).nth(index).map_or(0, lay::length);
        match self.habits.erased {
            Erased::Counted if lay::length(row) < was => Wipe::Whole,
            Erased::Counted | Erased::Forgotten => Wipe::Rest,
        }
    }

    /// Write a frame in one go and leave the cursor where it belongs; hidden, at the start of the area, where it is
    /// easiest to find again after a resize.
    pub(super) fn write(&mut self, first: Vec<u8>, mut brush: Brush, cursor: Option<Position>) -> io::Result<()> {
        let drew = !brush.is_clean();
        let at = cursor.unwrap_or(Position::ORIGIN);
        let visible = if cursor.is_some() { Visible::Yes } else { Visible::No };
        let was = match &self.face {
            Face::Main => Some(self.cursor),
            Face::Page { cursor, .. } => *cursor,
        };
        if !drew && first.is_empty() && was == Some(at) && visible == self.visible {
            return Ok(());
        }
        brush.go(at.x, at.y);
        let mut bytes = first;
        bytes.extend_from_slice(BEGIN);
        if self.visible != Visible::No && (drew || visible == Visible::No) {
            bytes.extend_from_slice(HIDE);
            self.visible = Visible::No;
        }
        bytes.extend(brush.finish());
        if self.visible != visible {
            bytes.extend_from_slice(SHOW);
        }
        bytes.extend_from_slice(END);
        self.visible = visible;
        match &mut self.face {
            Face::Main => self.cursor = at,
            Face::Page { cursor, .. } => *cursor = Some(at),
        }
        self.out.write_all(&bytes)?;
        self.out.flush()
    }
}

/// A finished line may have waited while the terminal became narrower. Nothing of it must be lost: it is broken.
fn fitted(line: Line<'static>, width: usize) -> Vec<Line<'static>> {
    if line.width() <= width {
        return vec![line];
    }
    let style = line.style;
    letters(&line.spans, width).into_iter().map(|spans| Line::from(spans).style(style)).collect()
}
