//! What a command prints, as rows. Colours are kept; a line that was drawn over is what it was drawn last; every other
//! sequence is shown, so that nothing a program prints acts on the person's terminal or hides there.

use super::margin::Margin;
use crate::sanitize::clean;
use crate::screen::markdown::word_wrap::wrap_letters;
use crate::screen::theme::Theme;
use pollux_session::{ERASE_LINE, OutputTail, returns_to_line_start, sequence_len};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::collections::VecDeque;

mod sgr;

/// A row longer than this goes on in the next one: a program need not print line breaks.
const ROW_BYTES: usize = 4096;
/// Sequences that change nothing a transcript shows: the rest of the line erased, the cursor's look, bracketed paste, the
/// usual letters, what the keypad sends.
const HARMLESS: [&str; 11] = [
    "\x1b[K",
    "\x1b[0K",
    "\x1b[?25l",
    "\x1b[?25h",
    "\x1b[?2004l",
    "\x1b[?2004h",
    "\x1b(B",
    "\x1b[?1h",
    "\x1b[?1l",
    "\x1b=",
    "\x1b>",
];

/// How many rows are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputRetention {
    /// The newest ones, enough for any look at a running call.
    Tail,
    All,
}

impl OutputRetention {
    fn rows(self) -> usize {
        match self {
            OutputRetention::Tail => 200,
            OutputRetention::All => usize::MAX,
        }
    }
}

/// The rows of one call's output.
#[derive(Clone, Debug)]
pub(super) struct PrintedOutput {
    retention: OutputRetention,
    rows: VecDeque<OutputRow>,
    row: OutputRow,
    /// Whether the cursor is back at the beginning of the row: what comes next replaces it.
    at_row_start: bool,
    style: Style,
    /// The beginning of a sequence whose end did not come yet.
    partial_sequence: String,
    /// Rows that are not kept any more.
    dropped_rows: usize,
    /// Bytes printed so far, those that were skipped included.
    bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct OutputRow {
    spans: Vec<Span<'static>>,
    bytes: usize,
}

impl PrintedOutput {
    pub(super) fn new(retention: OutputRetention) -> PrintedOutput {
        let (rows, row, style, partial_sequence) = Default::default();
        PrintedOutput { retention, rows, row, at_row_start: false, style, partial_sequence, dropped_rows: 0, bytes: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Take what of a call's output is not here yet.
    pub(super) fn follow(&mut self, output: &OutputTail) {
        for piece in &output.pieces {
            let seen = self.bytes.saturating_sub(piece.offset);
            let new = usize::try_from(seen).ok().and_then(|seen| piece.text.get(seen..)).unwrap_or_default();
            if !new.is_empty() {
                self.feed(piece.offset + seen, new);
            }
        }
    }

    /// Take one more piece that begins at `offset`.
    pub(super) fn feed(&mut self, offset: u64, text: &str) {
        if offset > self.bytes {
            if !self.row.spans.is_empty() {
                self.end_row();
            }
            self.put(&format!("… {} bytes not shown", offset - self.bytes));
            self.end_row();
        }
        self.bytes = offset.saturating_add(text.len() as u64);
        let whole = std::mem::take(&mut self.partial_sequence) + text;
        let mut rest = whole.as_str();
        while let Some(at) = rest.find(['\n', '\r', '\x1b']) {
            self.put(&rest[..at]);
            rest = &rest[at..];
            let mut taken = 1;
            match rest.as_bytes().first() {
                Some(b'\n') => self.end_row(),
                Some(b'\r') => self.at_row_start = true,
                _ => match sequence_len(rest) {
                    Some(len) => {
                        taken = len;
                        self.sequence(&rest[..len]);
                    }
                    None => {
                        self.partial_sequence = rest.to_owned();
                        return;
                    }
                },
            }
            rest = &rest[taken..];
        }
        self.put(rest);
    }

    /// Nothing more comes: what was held back is no sequence.
    pub(super) fn end(&mut self) {
        let held = std::mem::take(&mut self.partial_sequence);
        self.put(&held);
    }

    fn sequence(&mut self, sequence: &str) {
        if let Some(style) = sgr::apply_sgr(self.style, sequence) {
            self.style = style;
        } else if returns_to_line_start(sequence) {
            self.at_row_start = true;
        } else if sequence == ERASE_LINE {
            self.row = OutputRow::default();
        } else if HARMLESS.contains(&sequence) {
            if self.at_row_start && sequence.ends_with('K') {
                self.row = OutputRow::default();
            }
        } else {
            self.put(sequence);
        }
    }

    fn put(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.at_row_start) {
            self.row = OutputRow::default();
        }
        let mut rest = text;
        while !rest.is_empty() {
            let room = ROW_BYTES.saturating_sub(self.row.bytes).max(4);
            let cut = (0..=room.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
            let (now, later) = rest.split_at(cut);
            self.row.bytes += now.len();
            let shown = clean(now);
            match self.row.spans.last_mut() {
                Some(last) if last.style == self.style => last.content.to_mut().push_str(&shown),
                _ => self.row.spans.push(Span::styled(shown.into_owned(), self.style)),
            }
            rest = later;
            if !rest.is_empty() {
                self.end_row();
            }
        }
    }

    fn end_row(&mut self) {
        self.at_row_start = false;
        self.rows.push_back(std::mem::take(&mut self.row));
        while self.rows.len() > self.retention.rows() {
            self.rows.pop_front();
            self.dropped_rows += 1;
        }
    }

    /// The newest lines, at most `most`, and how many rows are not all there.
    pub(super) fn newest(&self, most: usize, margin: &Margin, theme: &Theme) -> (Vec<Line<'static>>, usize) {
        let mut lines = VecDeque::new();
        let mut hidden = self.dropped_rows;
        let open = Some(&self.row).filter(|row| !row.spans.is_empty());
        let mut rows = self.rows.iter().chain(open).rev();
        for row in rows.by_ref() {
            let spans: Vec<Span<'static>> = row.spans.iter().map(|span| themed_span(span, theme)).collect();
            let drawn = margin.gutter(wrap_letters(&spans, margin.room()), theme);
            let room = most - lines.len();
            if drawn.len() > room {
                hidden += 1;
            }
            for line in drawn.into_iter().rev().take(room) {
                lines.push_front(line);
            }
            if lines.len() == most {
                break;
            }
        }
        hidden += rows.count();
        (lines.into(), hidden)
    }

    /// The rows that begin with this sign, at most `most`, the oldest first.
    pub(super) fn rows_that_begin(
        &self,
        sign: &str,
        most: usize,
        margin: &Margin,
        theme: &Theme,
    ) -> Vec<Line<'static>> {
        let rows = self.rows.iter().chain([&self.row]);
        let marked = rows.filter(|row| row.spans.first().is_some_and(|span| span.content.starts_with(sign))).take(most);
        let drawn = marked.flat_map(|row| {
            let spans: Vec<Span<'static>> = row.spans.iter().map(|span| themed_span(span, theme)).collect();
            margin.gutter(wrap_letters(&spans, margin.room()), theme)
        });
        drawn.collect()
    }
}

/// In a theme without colours only the weight of the letters stays.
fn themed_span(span: &Span<'static>, theme: &Theme) -> Span<'static> {
    let style = match theme.syntax {
        Some(_) => span.style,
        None => Style { fg: None, bg: None, ..span.style },
    };
    Span::styled(span.content.clone(), theme.text.patch(style))
}

#[cfg(test)]
mod tests;
