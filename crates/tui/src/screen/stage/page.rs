//! Pages: the alternate screen, in front of everything else until it is left.

use super::brush::{Brush, Origin};
use super::draw::When;
use super::{Face, Stage, Visible, lay};
use crate::screen::picture::Picture;
use crate::screen::terminal;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io;

impl<W: io::Write> Stage<W> {
    pub(super) fn draw_page(&mut self, picture: &Picture) -> io::Result<()> {
        let mut first = Vec::new();
        let (old, cursor) = match std::mem::replace(&mut self.face, Face::Main) {
            Face::Page { drawn, cursor } => (drawn, cursor),
            Face::Main => {
                // The terminal remembers where the main screen's cursor is.
                terminal::enter_page(&mut first);
                (None, None)
            }
        };
        self.face = Face::Page { drawn: None, cursor };
        let (rows, cursor) = lay::window(picture, self.size);
        let mut page = Buffer::empty(Rect::new(0, 0, self.size.width, self.size.height));
        page.content[..rows.content.len()].clone_from_slice(&rows.content);
        let mut brush = Brush::new(self.colour, Origin::Screen);
        if let Some(old) = old {
            brush.changes(&old, &page);
        } else {
            brush.go(0, 0);
            brush.erase_below();
            brush.changes(&Buffer::empty(page.area), &page);
        }
        self.write(first, brush, cursor)?;
        if let Face::Page { drawn, .. } = &mut self.face {
            *drawn = Some(page);
        }
        Ok(())
    }

    pub(super) fn leave_page(&mut self) -> io::Result<()> {
        if matches!(std::mem::replace(&mut self.face, Face::Main), Face::Main) {
            return Ok(());
        }
        let mut first = Vec::new();
        terminal::leave_page(&mut first);
        self.visible = Visible::Unknown;
        self.draw(first, When::Now)
    }
}
