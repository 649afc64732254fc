//! Styled text broken into lines of a width: prose between words, code and output between characters. Widths are those
//! of grapheme clusters, so that wide and combining characters end where the terminal ends them.

use crate::sanitize::clean;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Fewer columns than this are no room for text; what is drawn is then wider than was asked for.
const NARROWEST: usize = 4;
/// As terminals have it.
const TAB: usize = 8;

/// A run of text in one style, harmless and without tabs. Line breaks in it are kept.
pub(crate) fn clean_span(text: &str, style: Style) -> Span<'static> {
    Span::styled(clean(text).into_owned(), style)
}

/// How many columns spans take.
pub(crate) fn width_of(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| span.content.width()).sum()
}

/// Break at words. A `\n` in a span always breaks; tabs go to the next multiple of eight columns. What is wider than a whole line is broken between characters.
pub(crate) fn wrap_words(spans: &[Span<'_>], width: usize) -> Vec<Vec<Span<'static>>> {
    let mut flow = WordWrapper::new(width);
    flow.feed(spans);
    let lines = flow.end();
    if lines.is_empty() { vec![Vec::new()] } else { lines }
}

/// Break between characters, wherever the line is full. Line breaks and tabs as above.
pub(crate) fn wrap_letters(spans: &[Span<'_>], width: usize) -> Vec<Vec<Span<'static>>> {
    let mut flow = WordWrapper::new(width);
    for span in spans {
        for cluster in span.content.graphemes(true) {
            match cluster {
                "\n" | "\r\n" => flow.end_line(),
                "\t" => {
                    for _ in 0..TAB - flow.column % TAB {
                        flow.put_cluster(" ", span.style);
                    }
                }
                _ => flow.put_cluster(cluster, span.style),
            }
        }
    }
    let lines = flow.end();
    if lines.is_empty() { vec![Vec::new()] } else { lines }
}

/// Put `first` before the first line and `rest` before the others.
pub(crate) fn hang_lines(
    lines: Vec<Vec<Span<'static>>>,
    first: &Span<'static>,
    rest: &Span<'static>,
) -> Vec<Line<'static>> {
    let line = |(at, mut spans): (usize, Vec<Span<'static>>)| {
        let mark = if at == 0 { first } else { rest };
        // A mark of spaces before nothing is nothing: no blanks at the end of a line.
        if !(spans.is_empty() && mark.content.trim().is_empty()) {
            spans.insert(0, mark.clone());
        }
        Line::from(spans)
    };
    lines.into_iter().enumerate().map(line).collect()
}

/// Words under way to lines. A line that is full can be taken before the rest is known.
#[derive(Clone, Debug)]
pub(super) struct WordWrapper {
    width: usize,
    lines: Vec<Vec<Span<'static>>>,
    line: Vec<Span<'static>>,
    column: usize,
    /// Spaces that are drawn only when a word follows on the same line.
    gap: Vec<Style>,
    word: Vec<(String, Style)>,
    word_width: usize,
    /// The word under way is wider than a line and is placed letter by letter.
    broken: bool,
}

impl WordWrapper {
    pub(super) fn new(width: usize) -> WordWrapper {
        let (lines, line, gap, word) = Default::default();
        WordWrapper { width: width.max(NARROWEST), lines, line, column: 0, gap, word, word_width: 0, broken: false }
    }

    /// Take more. Breaks at words.
    pub(super) fn feed(&mut self, spans: &[Span<'_>]) {
        for span in spans {
            for cluster in span.content.graphemes(true) {
                match cluster {
                    "\n" | "\r\n" => self.end_line(),
                    " " => self.space(span.style),
                    "\t" => self.tab(span.style),
                    _ => self.letter(cluster, span.style),
                }
            }
        }
    }

    /// Go on with another width. The line under way is broken anew where it has to be.
    pub(super) fn fit(&mut self, width: usize) {
        let width = width.max(NARROWEST);
        if self.width == width {
            return;
        }
        self.width = width;
        let line = std::mem::take(&mut self.line);
        let (gap, word) = (std::mem::take(&mut self.gap), std::mem::take(&mut self.word));
        let (word_width, broken) = (std::mem::take(&mut self.word_width), std::mem::take(&mut self.broken));
        self.column = 0;
        self.feed(&line);
        self.end_word();
        self.gap.extend(gap);
        (self.word, self.word_width, self.broken) = (word, word_width, broken);
    }

    /// The lines that are full.
    pub(super) fn take_lines(&mut self) -> Vec<Vec<Span<'static>>> {
        std::mem::take(&mut self.lines)
    }

    fn space(&mut self, style: Style) {
        self.end_word();
        self.gap.push(style);
    }

    fn tab(&mut self, style: Style) {
        self.end_word();
        let gap = TAB - (self.column + self.gap.len()) % TAB;
        self.gap.extend(std::iter::repeat_n(style, gap));
    }

    fn letter(&mut self, cluster: &str, style: Style) {
        let width = cluster.width();
        // Wide characters need no space between them to be broken at.
        if width > 1 {
            self.end_word();
        }
        if self.broken {
            return self.put_cluster(cluster, style);
        }
        self.word.push((cluster.to_owned(), style));
        self.word_width += width;
        if width > 1 {
            self.end_word();
        } else if self.word_width > self.width {
            // No line is wide enough for it, so there is nothing to wait for.
            self.end_word();
            self.broken = true;
        }
    }

    fn end_word(&mut self) {
        self.broken = false;
        let word = std::mem::take(&mut self.word);
        let word_width = std::mem::take(&mut self.word_width);
        if word.is_empty() {
            return;
        }
        let gap = std::mem::take(&mut self.gap);
        if self.column > 0 && self.column + gap.len() + word_width > self.width {
            self.lines.push(std::mem::take(&mut self.line));
            self.column = 0;
        } else {
            for style in gap {
                self.put_cluster(" ", style);
            }
        }
        for (cluster, style) in word {
            self.put_cluster(&cluster, style);
        }
    }

    /// Draw a cluster, on the next line if this one is full.
    fn put_cluster(&mut self, cluster: &str, style: Style) {
        let width = cluster.width();
        if self.column + width > self.width && self.column > 0 {
            self.lines.push(std::mem::take(&mut self.line));
            self.column = 0;
        }
        self.column += width;
        match self.line.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(cluster),
            _ => self.line.push(Span::styled(cluster.to_owned(), style)),
        }
    }

    fn end_line(&mut self) {
        self.end_word();
        self.gap.clear();
        self.lines.push(std::mem::take(&mut self.line));
        self.column = 0;
    }

    /// All the lines that were not taken.
    pub(super) fn end(mut self) -> Vec<Vec<Span<'static>>> {
        self.end_word();
        if !self.line.is_empty() {
            self.lines.push(std::mem::take(&mut self.line));
        }
        self.lines
    }
}

#[cfg(test)]
mod tests;
