//! Pages: the alternate screen, in front of everything else until it is left.

use super::cell_encoder::{CellEncoder, RowOrigin};
use super::draw::DrawTiming;
use super::{ActiveScreen, CursorVisibility, InlineTerminal, cell_layout};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::terminal;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io;

impl<W: io::Write> InlineTerminal<W> {
    pub(super) fn draw_page(&mut self, picture: &RenderedLines) -> io::Result<()> {
        let mut first = Vec::new();
        let (old, cursor) = match std::mem::replace(&mut self.active_screen, ActiveScreen::Main) {
            ActiveScreen::Alternate { drawn, cursor } => (drawn, cursor),
            ActiveScreen::Main => {
                // The terminal remembers where the main screen's cursor is.
                terminal::enter_page(&mut first);
                (None, None)
            }
        };
        self.active_screen = ActiveScreen::Alternate { drawn: None, cursor };
        let (rows, cursor) = cell_layout::visible_rows(picture, self.size);
        let mut page = Buffer::empty(Rect::new(0, 0, self.size.width, self.size.height));
        page.content[..rows.content.len()].clone_from_slice(&rows.content);
        let mut encoder = CellEncoder::new(self.colour, RowOrigin::Screen);
        if let Some(old) = old {
            encoder.changes(&old, &page);
        } else {
            encoder.go(0, 0);
            encoder.erase_below();
            encoder.changes(&Buffer::empty(page.area), &page);
        }
        self.write(first, encoder, cursor)?;
        if let ActiveScreen::Alternate { drawn, .. } = &mut self.active_screen {
            *drawn = Some(page);
        }
        Ok(())
    }

    pub(super) fn leave_page(&mut self) -> io::Result<()> {
        if matches!(std::mem::replace(&mut self.active_screen, ActiveScreen::Main), ActiveScreen::Main) {
            return Ok(());
        }
        let mut first = Vec::new();
        terminal::leave_page(&mut first);
        self.visible = CursorVisibility::Unknown;
        self.draw(first, DrawTiming::Now)
    }
}
