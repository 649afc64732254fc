//! The stage: the only writer to the terminal. Finished lines are printed once, into the terminal's own scrollback;
//! the live area below them is redrawn in place, and only where it changed.
//!
//! The live area is found from the cursor, which is always left inside it. Nothing is cleared before it is drawn again,
//! so nothing flickers where a terminal does not know synchronized updates.

mod alternate_screen;
mod cell_encoder;
mod cell_layout;
mod draw;
mod reflow;

use super::rendered_lines::RenderedLines;
use super::terminal::TerminalQuirks;
use super::terminal_control::TerminalControl;
use crate::ansi_writer::ColourMode;
use cell_encoder::{CellEncoder, RowOrigin};
use draw::DrawTiming;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Size};
use ratatui::text::Line;
use std::io;

/// What the screen is to show.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ScreenFrame {
    /// Finished lines that were not shown yet. They are printed above the live area and never touched again.
    pub(crate) above: Vec<Line<'static>>,
    /// All of what can still change.
    pub(crate) live: RenderedLines,
}

/// The terminal, as far as it was drawn on.
pub(crate) struct InlineTerminal<W> {
    out: W,
    size: Size,
    colour: ColourMode,
    quirks: TerminalQuirks,
    probe: Option<SizeProbe>,
    drawn: LiveArea,
    /// The main screen's cursor, from the live area's first row; at its start while it is hidden.
    cursor: Position,
    visible: CursorVisibility,
    /// The newest live picture, for when a page is left.
    live: RenderedLines,
    active_screen: ActiveScreen,
    /// Finished lines that wait for a page to be left, or for a size.
    waiting: Vec<Line<'static>>,
}

/// Asks the terminal for its size.
pub(crate) type SizeProbe = fn() -> io::Result<Size>;

/// What stands in the live area.
enum LiveArea {
    /// These rows.
    Rows(Buffer),
    /// These rows once; the terminal has another size since, and this many rows of them above the cursor.
    Moved { rows: Buffer, above: u16 },
    /// Nothing, and the cursor is on its first row.
    Nothing,
}

/// Whether the terminal shows its cursor.
#[derive(Clone, Copy, PartialEq)]
enum CursorVisibility {
    Yes,
    No,
    Unknown,
}

/// Which of the terminal's two screens is in front.
enum ActiveScreen {
    Main,
    /// The alternate screen, with what was drawn there and where its cursor is.
    Alternate {
        drawn: Option<Buffer>,
        cursor: Option<Position>,
    },
}

impl<W: io::Write> InlineTerminal<W> {
    /// A stage whose live area begins where the cursor is, at the start of an empty row. Which row of the screen that is
    /// need not be known: everything is drawn from the cursor.
    pub(crate) fn new(out: W, size: Size, colour: ColourMode) -> InlineTerminal<W> {
        InlineTerminal {
            out,
            size: at_least_one(size),
            colour,
            quirks: TerminalQuirks::default(),
            probe: None,
            drawn: LiveArea::Nothing,
            cursor: Position::ORIGIN,
            visible: CursorVisibility::Unknown,
            live: RenderedLines::default(),
            active_screen: ActiveScreen::Main,
            waiting: Vec::new(),
        }
    }

    /// Draw as this terminal likes it.
    pub(crate) fn with_quirks(mut self, habits: TerminalQuirks) -> InlineTerminal<W> {
        self.quirks = habits;
        self
    }

    /// What this terminal likes.
    pub(crate) fn quirks(&self) -> TerminalQuirks {
        self.quirks
    }

    /// Look at the terminal's size before each frame. One for another size would be broken or cut: it waits until
    /// [`InlineTerminal::resized`] was told.
    pub(crate) fn with_probe(mut self, probe: SizeProbe) -> InlineTerminal<W> {
        self.probe = Some(probe);
        self
    }

    /// The terminal's size, as it was last told.
    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Show a frame. Nothing is written when nothing changed. Behind a page it waits.
    pub(crate) fn show(&mut self, frame: ScreenFrame) -> io::Result<()> {
        self.live = frame.live;
        self.waiting.extend(frame.above);
        if matches!(self.active_screen, ActiveScreen::Alternate { .. }) {
            return Ok(());
        }
        self.draw(Vec::new(), DrawTiming::InStep)
    }

    /// Show a page on the alternate screen, or leave it. What waited behind it is shown then.
    pub(crate) fn set_page(&mut self, picture: Option<RenderedLines>) -> io::Result<()> {
        match picture {
            Some(picture) if self.is_in_step()? => self.draw_page(&picture),
            Some(_) => Ok(()),
            None => self.leave_page(),
        }
    }

    /// The terminal has another size, and its cursor is there now; `None` where it does not say. The next frame is drawn
    /// in full.
    pub(crate) fn resized(&mut self, size: Size, cursor: Option<Position>) {
        self.size = at_least_one(size);
        let cursor = match &mut self.active_screen {
            ActiveScreen::Main => cursor,
            // The cursor of a page says nothing about the screen behind it.
            ActiveScreen::Alternate { drawn, .. } => {
                *drawn = None;
                None
            }
        };
        self.drawn = match std::mem::replace(&mut self.drawn, LiveArea::Nothing) {
            LiveArea::Nothing => LiveArea::Nothing,
            LiveArea::Rows(rows) | LiveArea::Moved { rows, .. } => {
                let above = reflow::rows_above(&rows, self.cursor, cursor, self.size.width, self.quirks.narrowed_rows);
                LiveArea::Moved { rows, above }
            }
        };
    }

    /// Tell the terminal something that is not drawn.
    pub(crate) fn send_control(&mut self, signal: TerminalControl) -> io::Result<()> {
        self.out.write_all(&signal.into_bytes(self.quirks.notification)?)?;
        self.out.flush()
    }

    /// Erase the live area and leave the cursor at its start, for somebody else to write there.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        if matches!(self.active_screen, ActiveScreen::Alternate { .. }) {
            self.leave_page()?;
        }
        if !self.waiting.is_empty() {
            self.draw(Vec::new(), DrawTiming::Now)?;
        }
        let mut encoder = CellEncoder::new(self.colour, RowOrigin::Cursor(self.rows_above_cursor()));
        encoder.go(0, 0);
        encoder.erase_below();
        let mut bytes = encoder.finish();
        bytes.extend_from_slice(draw::SHOW_CURSOR);
        self.forget();
        self.out.write_all(&bytes)?;
        self.out.flush()
    }

    /// Push what is on the screen into the scrollback; the live area begins anew at the top.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.leave()?;
        // Line feeds, not an erasure: what was there stays in the scrollback of every terminal.
        let mut bytes = vec![b'\n'; usize::from(self.size.height)];
        bytes.extend_from_slice(b"\x1b[1;1H");
        self.out.write_all(&bytes)?;
        self.out.flush()
    }

    /// Somebody else wrote to the terminal and is done; the live area begins anew where the cursor is, at the start of an
    /// empty row.
    pub(crate) fn come_back(&mut self, size: Size) {
        self.size = at_least_one(size);
        self.forget();
        self.active_screen = ActiveScreen::Main;
    }

    /// The live area is empty, and the cursor at its start.
    fn forget(&mut self) {
        self.drawn = LiveArea::Nothing;
        self.cursor = Position::ORIGIN;
        self.visible = CursorVisibility::Unknown;
    }

    /// Whether the terminal still has the size that it was told to have.
    fn is_in_step(&self) -> io::Result<bool> {
        self.probe.map_or(Ok(true), |probe| Ok(at_least_one(probe()?) == self.size))
    }

    /// How far the cursor is from the live area's first row.
    fn rows_above_cursor(&self) -> u16 {
        match &self.drawn {
            LiveArea::Rows(_) => self.cursor.y,
            LiveArea::Moved { above, .. } => *above,
            LiveArea::Nothing => 0,
        }
    }
}

/// Some terminals say that they have no columns before they are ready.
fn at_least_one(size: Size) -> Size {
    Size { width: size.width.max(1), height: size.height.max(1) }
}

#[cfg(test)]
mod tests;
