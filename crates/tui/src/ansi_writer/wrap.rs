//! Breaks lines where the terminal ends: prose between words, everything that has a margin between characters, so that
//! nothing of it starts where only our own lines start.

use crate::draw_list::GUTTER;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

#[cfg(test)]
mod tests;

/// The width of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineWidth {
    /// As wide as they are: a pipe or a file has no edge.
    #[default]
    Unlimited,
    /// So many columns.
    Columns(usize),
    /// As wide as the terminal at standard output is at the moment.
    Terminal,
}

/// On a screen narrower than this nothing is broken: there is no room for words.
const NARROWEST: usize = 20;
/// The margin of a line that goes on with the gutter's line above it.
const GUTTER_ON: &str = "  ¦ ";
/// The deepest indentation of the rest of an indented line.
const DEEPEST: usize = 16;
const TAB: usize = 8;

/// Where the cursor is on its line, and the word that may have to go to the next one.
#[derive(Debug)]
pub(super) struct LineWrapper {
    width: LineWidth,
    columns: Option<usize>,
    column: usize,
    /// The start of the rest of a broken line.
    hang: String,
    /// True if a line may be broken anywhere.
    anywhere: bool,
    gap: String,
    word: String,
}

impl LineWrapper {
    pub(super) fn new(width: LineWidth) -> LineWrapper {
        let (hang, gap, word) = Default::default();
        LineWrapper { width, columns: None, column: 0, hang, anywhere: false, gap, word }
    }

    /// Look how wide the screen is now.
    pub(super) fn measure(&mut self) {
        let columns = match self.width {
            LineWidth::Unlimited => None,
            LineWidth::Columns(columns) => Some(columns),
            LineWidth::Terminal => {
                let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
                size.map(|size| usize::from(size.ws_col))
            }
        };
        self.columns = columns.filter(|columns| *columns >= NARROWEST);
    }

    /// A line begins with `margin` and then `leading`.
    pub(super) fn begin(&mut self, margin: &str, leading: &str) {
        self.column = margin.width() + leading.chars().map(|ch| if ch == '\t' { TAB } else { 1 }).sum::<usize>();
        self.anywhere = !margin.is_empty();
        self.hang = match (margin, leading.len()) {
            (GUTTER, _) => GUTTER_ON.to_owned(),
            ("", 0) => String::new(),
            ("", deep) => " ".repeat((deep + 2).min(DEEPEST)),
            (margin, _) => margin.to_owned(),
        };
    }

    /// One more character of the line.
    pub(super) fn put(&mut self, ch: char, drawn: &mut String) {
        if self.columns.is_none() {
            drawn.push(ch);
        } else if self.anywhere {
            self.draw_char(ch, drawn);
        } else if ch.is_whitespace() && ch != '\u{a0}' {
            self.release_word(drawn);
            self.gap.push(ch);
        } else {
            self.word.push(ch);
        }
    }

    /// Draw what is held back.
    pub(super) fn release(&mut self, drawn: &mut String) {
        self.release_word(drawn);
        for ch in std::mem::take(&mut self.gap).chars() {
            self.draw_char(ch, drawn);
        }
    }

    /// Somebody else moved the cursor; whether the line it is on has something of ours.
    pub(super) fn moved(&mut self, column: usize, drawn: &mut String) -> bool {
        self.column = column;
        self.gap.clear();
        let held = !self.word.is_empty();
        self.release_word(drawn);
        held
    }

    /// The person has typed so many columns.
    pub(super) fn advance(&mut self, columns: usize) {
        self.column += columns;
    }

    /// The person takes so many columns back; whether the cursor can go there, which it cannot past the edge.
    pub(super) fn retreat(&mut self, columns: usize) -> bool {
        let there = self.columns.is_none_or(|edge| self.column < edge) && self.column >= columns;
        if there {
            self.column -= columns;
        }
        there
    }

    fn release_word(&mut self, drawn: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let gap = std::mem::take(&mut self.gap);
        let fits = self.columns.is_none_or(|columns| self.column + gap.width() + word.width() <= columns);
        if fits || self.column <= self.hang.width() {
            gap.chars().for_each(|ch| self.draw_char(ch, drawn));
        } else {
            self.continue_line(drawn);
        }
        word.chars().for_each(|ch| self.draw_char(ch, drawn));
    }

    /// Draw a character, on the next line if this one is full.
    fn draw_char(&mut self, ch: char, drawn: &mut String) {
        let width = match ch {
            '\t' => TAB - self.column % TAB,
            ch => ch.width().unwrap_or(0),
        };
        // What starts at the very left is left to the terminal to break: an address can then be copied whole.
        let breaks = self.anywhere || !self.hang.is_empty();
        if breaks && self.columns.is_some_and(|columns| self.column + width > columns) {
            self.continue_line(drawn);
        }
        drawn.push(ch);
        self.column += width;
    }

    fn continue_line(&mut self, drawn: &mut String) {
        drawn.push('\n');
        drawn.push_str(&self.hang);
        self.column = self.hang.width();
    }
}
