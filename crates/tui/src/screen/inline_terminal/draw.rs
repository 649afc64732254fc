//! Frames: what is printed, what is redrawn, and how it is written.

use super::cell_encoder::{CellEncoder, EdgeMode, RowErase, RowOrigin};
use super::cell_layout;
use super::{ActiveScreen, CursorVisibility, InlineTerminal, LiveArea};
use crate::screen::markdown::word_wrap::wrap_letters;
use crate::screen::terminal::ErasedCells;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Position;
use ratatui::text::Line;
use std::io;

pub(super) const BEGIN_UPDATE: &[u8] = b"\x1b[?2026h";
pub(super) const END_UPDATE: &[u8] = b"\x1b[?2026l";
const HIDE_CURSOR: &[u8] = b"\x1b[?25l";
pub(super) const SHOW_CURSOR: &[u8] = b"\x1b[?25h";

/// Whether a frame may wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DrawTiming {
    /// It waits where the terminal no longer has the size that it was drawn for.
    InStep,
    /// It does not.
    Now,
}

impl<W: io::Write> InlineTerminal<W> {
    /// Print the lines that wait, then draw the live picture below them. `first` goes before all of it.
    pub(super) fn draw(&mut self, first: Vec<u8>, when: DrawTiming) -> io::Result<()> {
        let width = usize::from(self.size.width);
        let above: Vec<_> =
            std::mem::take(&mut self.waiting).into_iter().flat_map(|line| fitted(line, width)).collect();
        let (rows, cursor) = cell_layout::visible_rows(&self.live, self.size);
        let mut encoder = CellEncoder::new(self.colour, RowOrigin::Cursor(self.rows_above_cursor()));
        match &self.drawn {
            LiveArea::Rows(old) if above.is_empty() => self.redraw(&mut encoder, old.clone(), &rows),
            LiveArea::Rows(old) => self.print(&mut encoder, &above, &rows, Some(old)),
            LiveArea::Moved { .. } | LiveArea::Nothing => self.print(&mut encoder, &above, &rows, None),
        }
        // The less time between looking and writing, the fewer frames meet a terminal of another size.
        if when == DrawTiming::InStep && !self.is_in_step()? {
            self.waiting = above;
            return Ok(());
        }
        self.write(first, encoder, cursor)?;
        self.drawn = LiveArea::Rows(rows);
        Ok(())
    }

    /// Draw what is different in the live area. It grows downwards, at the bottom of the screen by moving everything up.
    fn redraw(&self, encoder: &mut CellEncoder, mut old: Buffer, new: &Buffer) {
        let (was, is) = (old.area.height, new.area.height);
        for y in 0..was.min(is) {
            let row = cell_layout::row_of(new, y);
            if self.row_erase(Some(&old), y.into(), row) == RowErase::Whole {
                encoder.go(0, y);
                encoder.row(row, RowErase::Whole);
                cell_layout::row_of_mut(&mut old, y).clone_from_slice(row);
            }
        }
        encoder.changes(&old, new);
        if was < is {
            encoder.go(0, was - 1);
        }
        for y in was..is {
            encoder.break_line();
            encoder.row(cell_layout::row_of(new, y), RowErase::Rest);
        }
        if is < was {
            encoder.go(0, is);
            encoder.erase_below();
        }
    }

    /// Print lines over the live area and the area anew below them. `old` is what stood there, where that is known.
    fn print(&self, encoder: &mut CellEncoder, above: &[Line<'static>], new: &Buffer, old: Option<&Buffer>) {
        let mut row = vec![Cell::EMPTY; usize::from(self.size.width)];
        encoder.go(0, 0);
        // Where a terminal is narrower than it was a moment ago, a finished line may wrap but must not be cut.
        encoder.set_edge_mode(EdgeMode::Wraps);
        for (index, line) in above.iter().enumerate() {
            cell_layout::lay_line(line, &mut row);
            encoder.row(&row, self.row_erase(old, index, &row));
            encoder.break_line();
        }
        encoder.set_edge_mode(EdgeMode::Clips);
        encoder.begin_area();
        let is = new.area.height;
        let covered = old.is_some_and(|old| usize::from(old.area.height) <= above.len() + usize::from(is));
        for y in 0..is {
            if y > 0 {
                encoder.break_line();
            }
            let row = cell_layout::row_of(new, y);
            // Below the last row there may be no other, so what is left over is erased from here.
            let is_last = y + 1 == is;
            let wipe = if is_last && !covered {
                RowErase::Below
            } else {
                self.row_erase(old, above.len() + usize::from(y), row)
            };
            encoder.row(row, wipe);
        }
    }

    /// How to draw `row` over the old row at `index`. Whatever moves the screen up moves both, so they stay together.
    fn row_erase(&self, old: Option<&Buffer>, index: usize, row: &[Cell]) -> RowErase {
        let Some(old) = old else { return RowErase::Whole };
        let was = old.content.chunks(row.len()).nth(index).map_or(0, cell_layout::length);
        match self.quirks.erased_cells {
            ErasedCells::Counted if cell_layout::length(row) < was => RowErase::Whole,
            ErasedCells::Counted | ErasedCells::Forgotten => RowErase::Rest,
        }
    }

    /// Write a frame in one go and leave the cursor where it belongs; hidden, at the start of the area, where it is
    /// easiest to find again after a resize.
    pub(super) fn write(
        &mut self,
        first: Vec<u8>,
        mut encoder: CellEncoder,
        cursor: Option<Position>,
    ) -> io::Result<()> {
        let drew = !encoder.is_empty();
        let at = cursor.unwrap_or(Position::ORIGIN);
        let visible = if cursor.is_some() { CursorVisibility::Yes } else { CursorVisibility::No };
        let was = match &self.active_screen {
            ActiveScreen::Main => Some(self.cursor),
            ActiveScreen::Alternate { cursor, .. } => *cursor,
        };
        if !drew && first.is_empty() && was == Some(at) && visible == self.visible {
            return Ok(());
        }
        encoder.go(at.x, at.y);
        let mut bytes = first;
        bytes.extend_from_slice(BEGIN_UPDATE);
        if self.visible != CursorVisibility::No && (drew || visible == CursorVisibility::No) {
            bytes.extend_from_slice(HIDE_CURSOR);
            self.visible = CursorVisibility::No;
        }
        bytes.extend(encoder.finish());
        if self.visible != visible {
            bytes.extend_from_slice(SHOW_CURSOR);
        }
        bytes.extend_from_slice(END_UPDATE);
        self.visible = visible;
        match &mut self.active_screen {
            ActiveScreen::Main => self.cursor = at,
            ActiveScreen::Alternate { cursor, .. } => *cursor = Some(at),
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
    wrap_letters(&line.spans, width).into_iter().map(|spans| Line::from(spans).style(style)).collect()
}
