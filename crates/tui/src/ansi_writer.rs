//! The one place that makes terminal output: pages in, text out. All text is cleaned here, runs of blank lines are
//! counted here, and the only escape sequences that ever come out are the colours below.

mod wrap;

pub use wrap::LineWidth;

use crate::draw_list::{DrawList, DrawStep, StreamedBlock, TextStyle};
use crate::sanitize::clean;
use unicode_width::UnicodeWidthStr;
use wrap::LineWrapper;

/// The use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMode {
    /// The output is a terminal that shows them.
    Always,
    /// It is not, or the person wants none.
    Never,
}

/// The most blank lines in a row that are drawn; more are counted.
const BLANK_LINES_DRAWN: usize = 8;
/// The most leading white space that waits for the text that follows it.
const LEADING_HELD: usize = 1024;

/// Draws pages as text and knows where it stopped.
#[derive(Debug)]
pub(crate) struct AnsiWriter {
    colour: ColourMode,
    drawn: String,
    last_block: Option<StreamedBlock>,
    /// True if the cursor is at the start of a line.
    at_start: bool,
    /// White space at the start of a line, held until it is known whether the line is blank.
    leading: String,
    /// Blank lines before this one.
    blank_lines: usize,
    /// Of those, the ones not drawn.
    swallowed: usize,
    /// Where lines are broken so that the terminal does not have to.
    wrap: LineWrapper,
}

impl AnsiWriter {
    /// A pen that leaves it to the terminal to break lines.
    pub(crate) fn new(colour: ColourMode) -> AnsiWriter {
        AnsiWriter::wrapping(colour, LineWidth::Unlimited)
    }

    /// A pen that breaks lines at `width`.
    pub(crate) fn wrapping(colour: ColourMode, width: LineWidth) -> AnsiWriter {
        AnsiWriter {
            colour,
            drawn: String::new(),
            last_block: None,
            at_start: true,
            leading: String::new(),
            blank_lines: 0,
            swallowed: 0,
            wrap: LineWrapper::new(width),
        }
    }

    /// Draw a page.
    pub(crate) fn draw(&mut self, page: &DrawList) {
        self.wrap.measure();
        for piece in &page.0 {
            match piece {
                DrawStep::Fresh(strand) => {
                    self.end_line();
                    self.last_block = *strand;
                }
                DrawStep::Resume { block: strand, under, heading } => self.resume(*strand, *under, heading),
                DrawStep::Reopen { block: strand, line } => {
                    if self.last_block != Some(*strand) {
                        self.end_line();
                        self.put(TextStyle::Plain, "", line);
                    }
                    self.last_block = Some(*strand);
                }
                DrawStep::Gap => {
                    self.end_line();
                    if self.blank_lines == 0 {
                        self.break_line("");
                    }
                    self.last_block = None;
                }
                DrawStep::Text { style, margin, text } => self.put(*style, margin, text),
            }
        }
    }

    /// Draw the sign that asks for input, on a line of its own.
    pub(crate) fn draw_sign(&mut self, sign: &str) {
        self.wrap.measure();
        self.end_line();
        self.last_block = None;
        self.put(TextStyle::Bold, "", sign);
    }

    /// Draw what the person types, behind the sign.
    pub(crate) fn draw_typed(&mut self, text: &str) {
        let text = clean(text);
        self.wrap.advance(text.width());
        self.drawn.push_str(&text);
    }

    /// Take back the last `columns` of what the person typed; whether that can be done.
    pub(crate) fn erase(&mut self, columns: usize) -> bool {
        let done = self.wrap.retreat(columns);
        if done {
            let (back, blank) = ("\u{8}".repeat(columns), " ".repeat(columns));
            self.drawn.push_str(&format!("{back}{blank}{back}"));
        }
        done
    }

    /// The person has pressed Enter where nobody but us shows what they type.
    pub(crate) fn end_typed_line(&mut self) {
        self.drawn.push('\n');
        self.mark_line_start();
    }

    /// Somebody else moved the cursor to the start of a line: the terminal, when the person pressed Enter.
    pub(crate) fn mark_line_start(&mut self) {
        self.at_start = !self.wrap.moved(0, &mut self.drawn);
        self.leading.clear();
        self.blank_lines = 0;
        self.last_block = None;
    }

    /// The terminal wrote something of its own, such as `^C`.
    pub(crate) fn mark_foreign_output(&mut self) {
        self.wrap.moved(1, &mut self.drawn);
        self.at_start = false;
        self.leading.clear();
        self.last_block = None;
    }

    /// The output since the last call.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.drawn)
    }

    fn resume(&mut self, strand: StreamedBlock, under: Option<StreamedBlock>, heading: &str) {
        if self.last_block == Some(strand) {
            return;
        }
        let headed = under.is_some() && self.last_block == under;
        self.end_line();
        if !headed && !heading.is_empty() {
            self.put(TextStyle::Plain, "", heading);
            self.end_line();
        }
        self.last_block = Some(strand);
    }

    fn put(&mut self, style: TextStyle, margin: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let codes = match self.colour {
            ColourMode::Always => sgr_sequence(style),
            ColourMode::Never => None,
        };
        // A word may go on in the next piece of the same text, and then looks the same.
        let is_prose = style == TextStyle::Plain && margin.is_empty();
        if !is_prose {
            self.wrap.release(&mut self.drawn);
        }
        if let Some(code) = codes {
            self.drawn.push_str(code);
        }
        for ch in clean(text).chars() {
            self.put_char(margin, ch);
        }
        if !is_prose {
            self.wrap.release(&mut self.drawn);
        }
        if codes.is_some() {
            self.drawn.push_str("\x1b[0m");
        }
    }

    fn put_char(&mut self, margin: &str, ch: char) {
        if ch == '\n' {
            self.break_line(margin);
            return;
        }
        if self.at_start {
            if ch.is_whitespace() && self.leading.len() < LEADING_HELD {
                self.leading.push(ch);
                return;
            }
            if self.swallowed > 0 {
                self.drawn.push_str(&format!("{margin}⟨{} more blank lines⟩\n", self.swallowed));
                self.swallowed = 0;
            }
            self.drawn.push_str(margin);
            self.drawn.push_str(&self.leading);
            self.wrap.begin(margin, &self.leading);
            self.leading.clear();
            self.blank_lines = 0;
            self.at_start = false;
        }
        self.wrap.put(ch, &mut self.drawn);
    }

    fn end_line(&mut self) {
        if self.at_start {
            self.leading.clear();
        } else {
            self.break_line("");
        }
    }

    fn break_line(&mut self, margin: &str) {
        self.wrap.release(&mut self.drawn);
        let blank = self.at_start;
        if blank {
            self.blank_lines += 1;
            self.leading.clear();
        }
        self.at_start = true;
        if self.blank_lines > BLANK_LINES_DRAWN {
            self.swallowed += 1;
            return;
        }
        if blank {
            self.drawn.push_str(margin.trim_end());
        }
        self.drawn.push('\n');
    }
}

/// The sequence that switches a style on.
fn sgr_sequence(style: TextStyle) -> Option<&'static str> {
    match style {
        TextStyle::Plain => None,
        TextStyle::Dim => Some("\x1b[2m"),
        TextStyle::Bold => Some("\x1b[1m"),
        TextStyle::Good => Some("\x1b[32m"),
        TextStyle::Bad => Some("\x1b[31m"),
        TextStyle::Warn => Some("\x1b[33m"),
        TextStyle::Accent => Some("\x1b[36m"),
    }
}

#[cfg(test)]
mod tests;
