//! Renders a stream of output as a terminal would show it, in bounded memory: lines drawn over are what they were last,
//! colours are gone. Output that only goes on, line after line, is passed through as it is.

mod plain_lines;

use super::TERMINAL;
use crate::excerpt::ExcerptBuilder;
use plain_lines::take_plain_lines;
use pollux_session::plain;
use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vt100::capture::{BasicFormattedCaptureRange, BasicFormattedCaptureState, RowContents, basic_formatted_to_plain};

#[cfg(test)]
mod tests;

/// The most text that is held back, in bytes, because a terminal could still draw over it.
const HELD: usize = 32 * 1024;
/// So many characters that stand for no text, and a tenth of all, are no text for a model.
const STRANGE: u64 = 256;

/// Collects the excerpt of what a terminal shows.
pub(crate) struct OutputRenderer {
    excerpt: ExcerptBuilder,
    /// What went into the excerpt since it was last taken.
    shown: String,
    render_state: RenderState,
    /// Characters that stand for no text.
    strange: u64,
    chars: u64,
}

enum RenderState {
    /// All was plain so far. The last lines, on which a terminal could still move.
    Lines(String),
    /// Something was moved, so a terminal is needed from here on.
    Terminal(Box<vt100::Parser<ScrolledRows>>),
    /// The terminal broke down; text goes on without it.
    Without,
}

/// The rows that have left the terminal at the top.
#[derive(Default)]
struct ScrolledRows {
    rows: String,
    state: BasicFormattedCaptureState,
}

impl vt100::Callbacks for ScrolledRows {
    fn on_scroll(&mut self, row: RowContents<'_>, alternate_screen: bool) {
        // What leaves a full-screen program is gone, as in a terminal.
        if !alternate_screen {
            // A string takes everything.
            let _ = row.write_formatted_basic(&mut self.rows, &mut self.state);
        }
    }
}

/// The output that is kept when it is over.
pub(crate) struct RenderedOutput {
    /// The text for the model.
    pub(crate) text: String,
    /// True if it leaves something out.
    pub(crate) cut: bool,
    /// What was not taken yet of all that was shown.
    pub(crate) rest: String,
}

impl OutputRenderer {
    /// At most `limit` characters are kept.
    pub(crate) fn new(limit: usize) -> OutputRenderer {
        OutputRenderer {
            excerpt: ExcerptBuilder::new(limit),
            shown: String::new(),
            render_state: RenderState::Lines(String::new()),
            strange: 0,
            chars: 0,
        }
    }

    /// Take what comes next. It does not end inside an escape sequence.
    pub(crate) fn push(&mut self, text: &str) {
        self.chars += text.chars().count() as u64;
        self.strange += text.chars().filter(|letter| is_strange(*letter)).count() as u64;
        let mut rest = text;
        if let RenderState::Lines(held) = &mut self.render_state {
            rest = &rest[take_plain_lines(rest, held)..];
            if rest.is_empty() {
                let surplus = settled_length(held);
                let settled: String = held.drain(..surplus).collect();
                self.show(&settled);
                return;
            }
            self.begin_terminal();
        }
        self.draw(rest);
    }

    /// Move from lines to a terminal that shows the last of them.
    fn begin_terminal(&mut self) {
        let RenderState::Lines(held) = std::mem::replace(&mut self.render_state, RenderState::Without) else { return };
        let (rows, columns) = TERMINAL;
        let on_screen = last_lines(&held, usize::from(rows));
        self.show(&held[..on_screen]);
        let one = NonZeroU16::MIN;
        let (rows, columns) = (NonZeroU16::new(rows).unwrap_or(one), NonZeroU16::new(columns).unwrap_or(one));
        let mut parser = vt100::Parser::new_with_callbacks(rows, columns, 0, ScrolledRows::default());
        parser.process(held[on_screen..].replace('\n', "\r\n").as_bytes());
        self.render_state = RenderState::Terminal(Box::new(parser));
    }

    fn draw(&mut self, text: &str) {
        let RenderState::Terminal(parser) = &mut self.render_state else {
            self.show(&plain(text));
            return;
        };
        let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
        // The terminal is not ours, and what a command prints must not be able to end a call.
        let drawn = catch_unwind(AssertUnwindSafe(|| parser.process(text.as_bytes())));
        let rows = &mut parser.callbacks_mut().rows;
        let ended = rows.rfind('\n').map_or(0, |at| at + 1);
        let complete: String = rows.drain(..ended).collect();
        self.show(&strip_formatting(&complete));
        if drawn.is_err() {
            tracing::warn!("a terminal broke down over the output of a command; the rest is shown without it");
            self.render_state = RenderState::Without;
            self.show(&plain(&text));
        }
    }

    /// Close.
    pub(crate) fn finish(mut self, len: u64) -> RenderedOutput {
        if self.strange >= STRANGE && self.strange * 10 > self.chars {
            let text =
                format!("[{len} bytes of output are not text; send them to a file, or through a tool like xxd.]\n");
            return RenderedOutput { text, cut: false, rest: String::new() };
        }
        match std::mem::replace(&mut self.render_state, RenderState::Without) {
            RenderState::Lines(held) => self.show(&held),
            RenderState::Terminal(parser) => {
                if let Ok(last) = catch_unwind(AssertUnwindSafe(|| last_screen(*parser))) {
                    self.show(&last);
                }
            }
            RenderState::Without => {}
        }
        let cut = self.excerpt.is_cut();
        RenderedOutput { text: self.excerpt.finish(), cut, rest: self.shown }
    }

    /// What was shown for good since this was last asked.
    pub(crate) fn take_shown(&mut self) -> String {
        std::mem::take(&mut self.shown)
    }

    fn show(&mut self, text: &str) {
        self.excerpt.push(text);
        self.shown.push_str(text);
    }
}

/// The screen at the end, and the screen that a full-screen program which did not leave has drawn over it.
fn last_screen(mut parser: vt100::Parser<ScrolledRows>) -> String {
    let full = parser.screen().alternate_screen().then(|| parser.screen().contents());
    parser.process(b"\x1b[?1049l");
    let (screen, scrolled) = parser.screen_and_callbacks_mut();
    let mut text = std::mem::take(&mut scrolled.rows);
    let _ = screen.write_contents_formatted_basic(&mut text, BasicFormattedCaptureRange::Full(&mut scrolled.state));
    let mut text = strip_formatting(&text).trim_end_matches('\n').to_owned();
    if let Some(full) = full {
        text.push('\n');
        text.push_str(full.trim_matches('\n'));
    }
    text.push('\n');
    text
}

/// Rows without colours, and without the blanks that were drawn behind the text.
fn strip_formatting(rows: &str) -> String {
    let text: String = basic_formatted_to_plain(rows).collect();
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        shown.push_str(line.trim_end_matches(['\n', ' ']));
        if line.ends_with('\n') {
            shown.push('\n');
        }
    }
    shown
}

/// The length of the beginning of `held` that no terminal could draw over any more.
fn settled_length(held: &str) -> usize {
    if held.len() <= HELD {
        return 0;
    }
    let lines = last_lines(held, usize::from(TERMINAL.0));
    // A line may be longer than any screen.
    lines.max(held.ceil_char_boundary(held.len() - HELD / 2))
}

/// Where the last `count` lines begin.
fn last_lines(text: &str, count: usize) -> usize {
    text.rmatch_indices('\n').nth(count - 1).map_or(0, |(at, _)| at + 1)
}

/// True if a character stands for no text.
fn is_strange(letter: char) -> bool {
    letter == char::REPLACEMENT_CHARACTER
        || letter.is_control() && !matches!(letter, '\n' | '\t' | '\r' | '\x08' | '\x07' | '\x1b')
}
