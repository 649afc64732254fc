//! Where a text that still grows can be cut: after a paragraph, a list, a table, and after each line of a code block.
//! Only whole lines decide, so the cuts are the same however the text arrives.

use std::collections::VecDeque;

/// A list longer than this is cut between two of its items.
const LONG_LIST: usize = 16 * 1024;
/// How much of a piece that is still open is drawn while it grows; the rest of it is above the screen.
const LIVE: usize = 64 * 1024;

/// A part of the text that can be drawn by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Whole blocks of anything but fenced code.
    Prose { text: String, gap: Gap },
    /// A fenced code block begins.
    CodeOpened { language: String, gap: Gap },
    /// A line of it, without its end.
    CodeLine(String),
    /// It is over.
    CodeClosed,
}

/// What is above a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gap {
    #[default]
    None,
    Blank,
}

/// Cuts a text into pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Cutter {
    ready: VecDeque<Piece>,
    /// The line that is not whole yet.
    line: String,
    /// Whole lines of the piece that is open.
    prose: String,
    gap: Gap,
    within: Within,
}

/// What the next line may go on with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Prose,
    /// A list whose items' content is indented so far. `Blank` when an empty line came last.
    List { content: usize, last: Gap },
    /// A fenced code block at the left edge.
    Fence(Fence),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence {
    mark: u8,
    len: usize,
    indent: usize,
}

impl Cutter {
    pub(super) fn push(&mut self, piece: &str) {
        for part in piece.split_inclusive('\n') {
            self.line.push_str(part);
            if part.ends_with('\n') {
                let line = std::mem::take(&mut self.line);
                self.take_line(line.trim_end_matches(['\n', '\r']));
            }
        }
    }

    pub(super) fn end(&mut self) {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(line.trim_end_matches('\r'));
        }
        self.cut();
        if matches!(self.within, Within::Fence(_)) {
            self.ready.push_back(Piece::CodeClosed);
        }
        self.within = Within::Prose;
    }

    /// The pieces that are whole.
    pub(super) fn take_ready(&mut self) -> VecDeque<Piece> {
        std::mem::take(&mut self.ready)
    }

    /// A copy of what was not taken, without the beginning of a piece that is far too long to be on the screen.
    pub(super) fn newest(&self) -> Cutter {
        let end_of = |text: &str| {
            let from = text.len().saturating_sub(LIVE);
            let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(from);
            text[from..].to_owned()
        };
        let (line, prose) = (end_of(&self.line), end_of(&self.prose));
        Cutter { ready: self.ready.clone(), line, prose, gap: self.gap, within: self.within }
    }

    fn take_line(&mut self, line: &str) {
        if let Within::Fence(fence) = self.within {
            if fence.is_closed_by(line) {
                self.ready.push_back(Piece::CodeClosed);
                self.within = Within::Prose;
            } else {
                let outside = indent(line).min(fence.indent);
                self.ready.push_back(Piece::CodeLine(line[outside..].to_owned()));
            }
            return;
        }
        if line.trim().is_empty() {
            match &mut self.within {
                Within::List { last, .. } => {
                    *last = Gap::Blank;
                    self.prose.push('\n');
                }
                Within::Prose | Within::Fence(_) => {
                    self.cut();
                    self.gap = Gap::Blank;
                }
            }
            return;
        }
        let indent = indent(line);
        let (content, last) = match self.within {
            Within::List { content, last } => (Some(content), last),
            Within::Prose | Within::Fence(_) => (None, Gap::None),
        };
        let is_inside = content.is_some_and(|content| indent >= content);
        if let Some((fence, language)) = Fence::opened_by(line).filter(|_| !is_inside) {
            self.cut_with(last);
            self.ready.push_back(Piece::CodeOpened { language: language.to_owned(), gap: self.gap });
            self.gap = Gap::None;
            self.within = Within::Fence(fence);
            return;
        }
        match marked_content(line).filter(|_| !is_inside) {
            Some(content) => {
                if self.prose.len() > LONG_LIST {
                    self.cut_with(last);
                }
                self.within = Within::List { content, last: Gap::None };
            }
            None if is_inside => {
                let content = content.unwrap_or_default();
                self.within = Within::List { content, last: Gap::None };
            }
            None if last == Gap::Blank => self.cut_with(Gap::Blank),
            None => {}
        }
        self.prose.push_str(line);
        self.prose.push('\n');
    }

    fn cut_with(&mut self, gap: Gap) {
        self.cut();
        if gap == Gap::Blank {
            self.gap = Gap::Blank;
        }
    }

    /// What is open is whole.
    fn cut(&mut self) {
        if !matches!(self.within, Within::Fence(_)) {
            self.within = Within::Prose;
        }
        if self.prose.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.prose);
        self.ready.push_back(Piece::Prose { text, gap: std::mem::take(&mut self.gap) });
    }
}

impl Fence {
    /// The fence that a line opens, and what is behind it.
    fn opened_by(line: &str) -> Option<(Fence, &str)> {
        let indent = indent(line);
        let rest = &line[indent..];
        let mark = *rest.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
        let len = rest.bytes().take_while(|byte| *byte == mark).count();
        let info = rest[len..].trim();
        // Backticks behind backticks are code inside a sentence.
        let opens = indent < 4 && len >= 3 && !(mark == b'`' && info.contains('`'));
        opens.then_some((Fence { mark, len, indent }, info))
    }

    fn is_closed_by(self, line: &str) -> bool {
        let rest = line.trim();
        indent(line) < 4 && rest.len() >= self.len && rest.bytes().all(|byte| byte == self.mark)
    }
}

/// How many spaces a line begins with.
fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// Where the content of a list item begins, if the line begins one.
fn marked_content(line: &str) -> Option<usize> {
    let indent = indent(line);
    let rest = &line.as_bytes()[indent..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let marker = match (digits, rest.get(digits)) {
        (0, Some(b'-' | b'*' | b'+')) => 1,
        (1..=9, Some(b'.' | b')')) => digits + 1,
        _ => return None,
    };
    let is_marker = indent < 4 && rest.get(marker).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    is_marker.then_some(indent + marker + 1)
}

#[cfg(test)]
mod tests;
