//! What a terminal did to our rows when its size changed. Most wrap rows that no longer fit; a few cut them off. All of
//! them keep the cursor on the cell where it was.

use super::cell_layout::{length, row_of};
use crate::screen::terminal::NarrowedRows;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::layout::Position;

/// How many rows of the live area are above the cursor now. `was` is where the cursor was, from the area's first row;
/// `is` is where the terminal says it is now on the screen, if it says so.
pub(super) fn rows_above(
    rows: &Buffer,
    was: Position,
    is: Option<Position>,
    width: u16,
    narrowing: NarrowedRows,
) -> u16 {
    let narrowing = is.and_then(|is| evidence(was.x, is.x, width)).unwrap_or(narrowing);
    match narrowing {
        NarrowedRows::Cut => was.y,
        NarrowedRows::Wrapped => {
            let rows = (0..was.y).map(|y| rows_taken(row_of(rows, y), width));
            rows.sum::<u16>() + rows_before(was.x, is.map(|is| is.x), width)
        }
    }
}

/// What the cursor's column says: one beyond the new width is wrapped, or held at the edge.
fn evidence(was: u16, is: u16, width: u16) -> Option<NarrowedRows> {
    if was < width || was % width == width - 1 {
        return None;
    }
    if is == was % width {
        Some(NarrowedRows::Wrapped)
    } else if is == width - 1 {
        // A cursor right after a full row may stand on its last column in either case.
        (!was.is_multiple_of(width)).then_some(NarrowedRows::Cut)
    } else {
        None
    }
}

/// How many rows of the cursor's own line are above it.
fn rows_before(was: u16, is: Option<u16>, width: u16) -> u16 {
    let rows = was / width;
    // Right after a full row some terminals keep the cursor on it.
    if rows > 0 && was.is_multiple_of(width) && is.is_some_and(|is| is != 0) { rows - 1 } else { rows }
}

/// How many rows of `width` a row takes when it is wrapped.
fn rows_taken(row: &[Cell], width: u16) -> u16 {
    let (mut rows, mut column, mut x) = (1, 0, 0);
    let end = length(row);
    while x < end {
        let wide = row[x].cell_width().max(1);
        if column + wide > width {
            rows += 1;
            column = 0;
        }
        column += wide;
        x += usize::from(wide);
    }
    rows
}
