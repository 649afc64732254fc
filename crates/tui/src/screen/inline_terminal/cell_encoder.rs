//! Cells as bytes. Every sequence that draws is written here, and nothing but these sequences and checked symbols.

use super::cell_layout::{length, row_of};
use crate::ansi_writer::ColourMode;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::style::{Color, Modifier};
use std::io::Write as _;

/// Collects the bytes of one frame.
pub(super) struct CellEncoder {
    bytes: Vec<u8>,
    colour: ColourMode,
    style: CellStyle,
    origin: RowOrigin,
    edge: EdgeMode,
    /// What the edge has to be for the next symbol.
    wanted_edge: EdgeMode,
    /// The column and the row where the next symbol lands, as far as they are sure.
    x: Option<u16>,
    y: u16,
}

/// Where rows are counted from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum RowOrigin {
    /// The top of the screen.
    Screen,
    /// The first row of the live area, with the cursor this far below it. All ways are taken from the cursor: terminals
    /// keep it on its row whatever becomes of the screen, and rows are not where they were after a resize that is not
    /// known yet.
    Cursor(u16),
}

/// What becomes of a symbol beyond the last column, on a screen that is narrower than we know.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum EdgeMode {
    /// It goes to the next row: nothing is lost.
    Wraps,
    /// It stays in its row: nothing moves.
    Clips,
}

/// How what stood in a row is got rid of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum RowErase {
    /// It is written over, and only what is left of it is erased.
    Rest,
    /// All of it is erased first, so that the terminal forgets how long the row was and whether it was wrapped.
    Whole,
    /// So is everything below it.
    Below,
}

/// How symbols look from here on.
#[derive(Clone, Copy, PartialEq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

const PLAIN: CellStyle = CellStyle { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() };

/// What a style may do, with its number. Blinking and hiding are not among it.
const MODIFIERS: [(Modifier, u8); 6] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::REVERSED, 7),
    (Modifier::CROSSED_OUT, 9),
];

impl CellEncoder {
    pub(super) fn new(colour: ColourMode, origin: RowOrigin) -> CellEncoder {
        let y = match origin {
            // No row is this far down, so the first way is taken.
            RowOrigin::Screen => u16::MAX,
            RowOrigin::Cursor(row) => row,
        };
        let (edge, wanted_edge) = (EdgeMode::Wraps, EdgeMode::Clips);
        CellEncoder { bytes: Vec::new(), colour, style: PLAIN, origin, edge, wanted_edge, x: None, y }
    }

    /// Whether nothing was drawn.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Let what is too long from here on wrap or be clipped.
    pub(super) fn set_edge_mode(&mut self, edge: EdgeMode) {
        self.wanted_edge = edge;
    }

    /// Count rows from this one on.
    pub(super) fn begin_area(&mut self) {
        self.y = 0;
    }

    /// Move to a column and a row.
    pub(super) fn go(&mut self, x: u16, y: u16) {
        match self.origin {
            RowOrigin::Screen if (self.x, self.y) != (Some(x), y) => {
                self.put(format_args!("\x1b[{};{}H", y + 1, x + 1));
            }
            RowOrigin::Screen => {}
            RowOrigin::Cursor(_) => {
                if y < self.y {
                    self.put(format_args!("\x1b[{}A", self.y - y));
                } else if y > self.y {
                    self.put(format_args!("\x1b[{}B", y - self.y));
                }
                if self.x != Some(x) {
                    self.column(x.into());
                }
            }
        }
        (self.x, self.y) = (Some(x), y);
    }

    /// Go to the start of the next row. On the last row of the screen everything moves up, the first row into the
    /// scrollback.
    pub(super) fn break_line(&mut self) {
        self.set_style(PLAIN);
        self.bytes.extend_from_slice(b"\r\n");
        (self.x, self.y) = (Some(0), self.y.saturating_add(1));
    }

    /// Draw a whole row from its first column on; what was there before is gone.
    pub(super) fn row(&mut self, row: &[Cell], wipe: RowErase) {
        let end = length(row);
        match wipe {
            RowErase::Rest => {}
            RowErase::Whole => self.erase_rest(),
            RowErase::Below => self.erase_below(),
        }
        let mut x = 0;
        while x < end {
            let cell = &row[x];
            self.symbol(cell, x);
            x += usize::from(cell.cell_width().max(1));
            // Terminals do not agree on how wide such symbols are: say where to go on.
            if is_doubtful(cell) && x < row.len() {
                self.column(x);
            }
        }
        self.x = None;
        // At the end of a full row the cursor stands on its last column, and erasing would take that away.
        if wipe == RowErase::Rest && end < row.len() {
            self.erase_rest();
        }
    }

    /// Turn the rows of `old` into those of `new`, as far as both go.
    pub(super) fn changes(&mut self, old: &Buffer, new: &Buffer) {
        let mut row = (u16::MAX, 0);
        // The end of the last symbol, and the row whose rest was erased.
        let (mut covered, mut erased) = (0, None);
        for (x, y, cell) in old.diff_iter(new) {
            if row.0 != y {
                row = (y, length(row_of(new, y)));
                covered = 0;
            }
            if x < covered {
                continue;
            }
            if usize::from(x) < row.1 {
                self.go(x, y);
                self.symbol(cell, usize::from(x));
                covered = x + cell.cell_width().max(1);
                // At the last column the cursor stands still, and a doubtful symbol leaves it anywhere.
                let is_sure = covered < new.area.width && !is_doubtful(cell);
                self.x = is_sure.then_some(covered);
            } else if erased != Some(y) {
                erased = Some(y);
                self.go(u16::try_from(row.1).unwrap_or(x), y);
                self.erase_rest();
            }
        }
    }

    /// Erase this row, at whose start the brush is, and everything below it. Not in one go: tmux takes erasing all of the
    /// screen for a wish to keep it in the scrollback.
    pub(super) fn erase_below(&mut self) {
        self.set_style(PLAIN);
        self.bytes.extend_from_slice(b"\x1b[K\x1b[2G\x1b[J\x1b[1G");
    }

    /// What was drawn, with everything back to what is usual.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.set_style(PLAIN);
        self.wanted_edge = EdgeMode::Wraps;
        self.apply_edge_mode();
        self.bytes
    }

    fn erase_rest(&mut self) {
        self.set_style(PLAIN);
        self.bytes.extend_from_slice(b"\x1b[K");
    }

    /// Draw a symbol at column `x`, where the cursor is.
    fn symbol(&mut self, cell: &Cell, x: usize) {
        let (fg, bg) = match self.colour {
            ColourMode::Always => (cell.fg, cell.bg),
            ColourMode::Never => (Color::Reset, Color::Reset),
        };
        self.apply_edge_mode();
        self.set_style(CellStyle { fg, bg, modifier: cell.modifier });
        if is_doubtful(cell) && cell.cell_width() > 1 {
            // Where a terminal takes it for a narrow one, nothing old may shine through beside it.
            self.bytes.extend_from_slice(b"  ");
            self.column(x);
        }
        self.bytes.extend_from_slice(cell.symbol().as_bytes());
    }

    fn apply_edge_mode(&mut self) {
        if self.edge != self.wanted_edge {
            self.edge = self.wanted_edge;
            let sequence: &[u8] = match self.edge {
                EdgeMode::Wraps => b"\x1b[?7h",
                EdgeMode::Clips => b"\x1b[?7l",
            };
            self.bytes.extend_from_slice(sequence);
        }
    }

    fn column(&mut self, x: usize) {
        self.put(format_args!("\x1b[{}G", x + 1));
    }

    fn set_style(&mut self, look: CellStyle) {
        if self.style == look {
            return;
        }
        self.style = look;
        self.bytes.extend_from_slice(b"\x1b[0");
        for (modifier, number) in MODIFIERS {
            if look.modifier.contains(modifier) {
                self.put(format_args!(";{number}"));
            }
        }
        self.colour_number(look.fg, 30);
        self.colour_number(look.bg, 40);
        self.bytes.push(b'm');
    }

    /// `first` is the number of black; the bright ones are 60 further on.
    fn colour_number(&mut self, colour: Color, first: u8) {
        let of_sixteen = match colour {
            Color::Reset => return,
            Color::Rgb(red, green, blue) => {
                return self.put(format_args!(";{};2;{red};{green};{blue}", first + 8));
            }
            Color::Indexed(index) => return self.put(format_args!(";{};5;{index}", first + 8)),
            Color::Black => 0,
            Color::Red => 1,
            Color::Green => 2,
            Color::Yellow => 3,
            Color::Blue => 4,
            Color::Magenta => 5,
            Color::Cyan => 6,
            Color::Gray => 7,
            Color::DarkGray => 60,
            Color::LightRed => 61,
            Color::LightGreen => 62,
            Color::LightYellow => 63,
            Color::LightBlue => 64,
            Color::LightMagenta => 65,
            Color::LightCyan => 66,
            Color::White => 67,
        };
        self.put(format_args!(";{}", first + of_sixteen));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Memory takes everything.
        let _ = self.bytes.write_fmt(text);
    }
}

/// Whether terminals may differ in how far a symbol moves the cursor.
fn is_doubtful(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    !symbol.is_ascii() && symbol.chars().nth(1).is_some()
}
