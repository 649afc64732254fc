//! The new content of a file while a person changes it.

use super::open_ask::RenderedAsk;
use crate::sanitize::one_line;
use crate::screen::overlay::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use crate::screen::overlay::text_area::TextArea;
use ratatui::layout::Position;
use std::sync::Arc;

/// The lines that the hint below needs at most.
const HINT: usize = 3;

/// Draw the editor for the file of this name: it takes what is left of `room`.
pub(super) fn draw_editor(
    draft: &TextArea,
    name: &str,
    width: u16,
    room: usize,
    foot: &mut LineBuilder<'_>,
) -> RenderedAsk {
    let theme = foot.theme();
    let (line, count) = draft.line_position();
    let title = format!("{}, line {line} of {count}:", one_line(name, usize::MAX));
    foot.words_in(INDENT, INDENT, theme.text, &title);
    let above = foot.len();
    let height = u16::try_from(room.saturating_sub(above + HINT).max(1)).unwrap_or(u16::MAX);
    let picture = draft.render(GUTTER, GUTTER_ON, width, height, theme);
    let offset = u16::try_from(above).unwrap_or(u16::MAX);
    let cursor = picture.cursor.map(|Position { x, y }| Position { x, y: y.saturating_add(offset) });
    // The line with the cursor is the one that has to be in sight.
    let row = above + picture.cursor.map_or(0, |cursor| usize::from(cursor.y));
    foot.add(picture.lines);
    RenderedAsk { body: Arc::default(), cursor, chosen: (row, row + 1) }
}
