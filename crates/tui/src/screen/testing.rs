//! A terminal in memory for tests of the screen, and a check of what is written to it.

mod sequences;

pub(crate) use sequences::only_our_sequences;

use parking_lot::{Mutex, MutexGuard};
use ratatui::layout::{Position, Size};
use std::io;
use std::num::NonZeroU16;
use std::sync::Arc;

/// Texts that want to be more than text.
pub(crate) const ATTACKS: [&str; 14] = [
    "\x1b[2J\x1b[H\x1b[31mowned\x1b[0m",
    "\x1b]0;title\x07after\x1b]52;c;cm0gLXJm\x1b\\",
    "\u{9b}2J\u{9d}0;title\u{9c}",
    "\x1bP+q544e\x1b\\\x1b_app\x1b\\\x1b^pm\x1b\\",
    "over\rwritten\x08\x08\x7f",
    "bell\x07 null\0 shift\x0e\x0f",
    "one\ntwo\ttabbed\x0b\x0c",
    "\u{202e}txt.exe\u{2066}\u{2069}",
    "zero\u{200b}width\u{feff}\u{2060}",
    "tag\u{e0041}\u{e0042}\u{e007f}",
    "\x1b[?1049h\x1b[?2026h\x1b[6n\x1b[c",
    "\x1b[>1u\x1b[<1u\x1b[1;1H\x1b[K",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "a;b;4;3;c\x1b",
];

const SCROLLBACK: usize = 100_000;

/// A terminal of glass: whoever writes to it and whoever looks at it have a copy each.
#[derive(Clone)]
pub(crate) struct FakeTerminal(Arc<Mutex<FakeTerminalState>>);

struct FakeTerminalState {
    parser: vt100::Parser,
    /// What was written since the last [`FakeTerminal::take_bytes`].
    bytes: Vec<u8>,
    writes: usize,
}

impl FakeTerminal {
    /// An empty terminal.
    pub(crate) fn new(width: u16, height: u16) -> FakeTerminal {
        let inside = FakeTerminalState { parser: parser(width, height), bytes: Vec::new(), writes: 0 };
        FakeTerminal(Arc::new(Mutex::new(inside)))
    }

    /// The rows of the screen, without the blank ends of rows and without the empty rows at its end.
    pub(crate) fn screen(&self) -> String {
        let inside = self.state();
        let screen = inside.parser.screen();
        trimmed(screen.rows(0, screen.size().1.get()))
    }

    /// The rows that moved off the top of the screen.
    pub(crate) fn scrollback(&self) -> String {
        let mut inside = self.state();
        let screen = inside.parser.screen_mut();
        let (height, width) = (usize::from(screen.size().0.get()), screen.size().1.get());
        let mut left = screen.scrollback_len();
        let mut rows = Vec::with_capacity(left);
        while left > 0 {
            screen.set_scrollback(left);
            rows.extend(screen.rows(0, width).take(left.min(height)));
            left = left.saturating_sub(height);
        }
        screen.set_scrollback(0);
        trimmed(rows.into_iter())
    }

    /// The screen with what is not text between guillemets: `‹bold fg6›name‹›`.
    pub(crate) fn styled(&self) -> String {
        let inside = self.state();
        let screen = inside.parser.screen();
        let (height, width) = screen.size();
        let row = |y| {
            let mut text = String::new();
            let mut worn = String::new();
            for cell in (0..width.get()).filter_map(|x| screen.cell(y, x)).filter(|cell| !cell.is_wide_continuation()) {
                let look = look(cell);
                if look != worn {
                    text.push_str(&format!("‹{look}›"));
                    worn = look;
                }
                text.push_str(if cell.has_contents() { cell.contents() } else { " " });
            }
            if !worn.is_empty() {
                text.push_str("‹›");
            }
            text
        };
        trimmed((0..height.get()).map(row))
    }

    /// Where the cursor is; `None` where it is hidden.
    pub(crate) fn cursor(&self) -> Option<Position> {
        let inside = self.state();
        let screen = inside.parser.screen();
        let (y, x) = screen.cursor_position();
        (!screen.hide_cursor()).then_some(Position { x, y })
    }

    /// Where it is even when it is hidden, as a terminal says when it is asked.
    pub(crate) fn report(&self) -> Position {
        let (y, x) = self.state().parser.screen().cursor_position();
        Position { x, y }
    }

    /// Whether the alternate screen is in front.
    pub(crate) fn is_on_page(&self) -> bool {
        self.state().parser.screen().alternate_screen()
    }

    /// Change the size as xterm does: rows that no longer fit are cut.
    pub(crate) fn cut_to(&self, width: u16, height: u16) -> Size {
        self.state().parser.set_size(at_least_one(height), at_least_one(width));
        Size { width, height }
    }

    /// Change the size as tmux, kitty and others do: rows that no longer fit are wrapped, wrapped ones joined.
    pub(crate) fn wrap_to(&self, width: u16, height: u16) -> Size {
        let before = self.scrollback();
        let mut inside = self.state();
        let screen = inside.parser.screen();
        let (row, column) = screen.cursor_position();
        let shown = screen.hide_cursor();
        let mut rows: Vec<String> = screen.rows(0, screen.size().1.get()).collect();
        let joined: Vec<bool> = (0..screen.size().0.get()).map(|y| screen.row_wrapped(y)).collect();
        while rows.len() > usize::from(row) + 1 && rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        let mut wrapped = parser(width, height);
        if !before.is_empty() {
            wrapped.process(before.replace('\n', "\r\n").as_bytes());
            wrapped.process(b"\r\n");
        }
        let mut cursor = (0, 0, 0);
        for (y, text) in rows.iter().enumerate() {
            if y > 0 && !joined[y - 1] {
                wrapped.process(b"\r\n");
            }
            if y == usize::from(row) {
                let split = text.char_indices().nth(usize::from(column)).map_or(text.len(), |(at, _)| at);
                let pad = usize::from(column).saturating_sub(text.chars().count());
                wrapped.process(&text.as_bytes()[..split]);
                // Terminals keep the cursor's column even behind the end of the text.
                wrapped.process(" ".repeat(pad).as_bytes());
                let (y, x) = wrapped.screen().cursor_position();
                cursor = (y, x.min(width - 1), wrapped.screen().scrollback_len());
                wrapped.process(&text.as_bytes()[split..]);
            } else {
                wrapped.process(text.as_bytes());
            }
        }
        let scrolled = wrapped.screen().scrollback_len() - cursor.2;
        let y = usize::from(cursor.0).saturating_sub(scrolled);
        wrapped.process(format!("\x1b[{};{}H", y + 1, cursor.1 + 1).as_bytes());
        wrapped.process(if shown { b"\x1b[?25l" } else { b"\x1b[?25h" });
        inside.parser = wrapped;
        Size { width, height }
    }

    /// What was written since the last call.
    pub(crate) fn take_bytes(&self) -> Vec<u8> {
        let mut inside = self.state();
        inside.writes = 0;
        std::mem::take(&mut inside.bytes)
    }

    /// In how many writes that was done.
    pub(crate) fn writes(&self) -> usize {
        self.state().writes
    }

    fn state(&self) -> MutexGuard<'_, FakeTerminalState> {
        self.0.lock()
    }
}

impl io::Write for FakeTerminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut inside = self.state();
        inside.parser.process(bytes);
        inside.bytes.extend_from_slice(bytes);
        inside.writes += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn parser(width: u16, height: u16) -> vt100::Parser {
    vt100::Parser::new(at_least_one(height), at_least_one(width), SCROLLBACK)
}

fn at_least_one(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

fn trimmed(rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end_matches('\n').to_owned()
}

fn look(cell: &vt100::Cell) -> String {
    let colour = |which: &str, colour| match colour {
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => Some(format!("{which}{index}")),
        vt100::Color::Rgb(red, green, blue) => Some(format!("{which}#{red:02x}{green:02x}{blue:02x}")),
    };
    let attributes = [
        (cell.bold(), "bold"),
        (cell.dim(), "dim"),
        (cell.italic(), "italic"),
        (cell.underline(), "underline"),
        (cell.inverse(), "inverse"),
    ];
    let mut parts: Vec<String> = attributes.iter().filter(|(on, _)| *on).map(|(_, name)| (*name).to_owned()).collect();
    parts.extend(colour("fg", cell.fgcolor()));
    parts.extend(colour("bg", cell.bgcolor()));
    parts.join(" ")
}
