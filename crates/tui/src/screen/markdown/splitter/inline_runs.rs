//! A paragraph that still grows, cut where more text cannot change how what came before it looks: between words, while
//! no emphasis, code or link is open. Where the cuts are depends on the text alone, not on how it arrives.

use super::JOINT;
use unicode_width::UnicodeWidthChar;

/// A run has at least so many bytes, unless it ends with a line: less is not worth looking at by itself.
const MIN_RUN: usize = 64;
/// After so many bytes what is still open is taken for text: a lone `*` must not hold up all that follows.
const MAX_OPEN: usize = 2 * 1024;
/// A word this long is broken too.
const LONGEST_WORD: usize = 16 * 1024;

/// The end of a paragraph, as far as it is there.
#[derive(Clone, Debug, Default)]
pub(super) struct InlineRuns {
    /// What was not cut off yet.
    text: String,
    /// How much of it was looked at.
    seen: usize,
    open: Vec<OpenInline>,
}

/// What is not closed yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenInline {
    /// Code between so many backticks.
    Code(usize),
    /// `<` up to `>`.
    Angle,
    /// `[` up to `]`.
    Bracket,
    /// Where a link leads: `(` up to `)`.
    Target,
    /// One sign of emphasis.
    Sign(char),
}

impl InlineRuns {
    /// Take more text; what is whole now goes to `whole`.
    pub(super) fn push(&mut self, text: &str, mut whole: impl FnMut(String)) {
        self.text.push_str(text);
        let mut from = 0;
        while let Some((next, len)) = self.next() {
            let before = self.text[..self.seen].chars().next_back();
            let is_line = self.seen > from && before.is_some_and(|before| JOINT.contains(before));
            let is_gap = next.is_whitespace() || is_ideograph(next) && before.is_some_and(is_ideograph);
            let long = self.seen - from;
            let is_cut = match self.open[..] {
                [] => is_line || is_gap && long >= MIN_RUN,
                [..] => (is_line || is_gap) && long >= MAX_OPEN,
            };
            if is_cut || long >= LONGEST_WORD {
                whole(self.text[from..self.seen].to_owned());
                from = self.seen;
                self.open.clear();
            }
            self.take(next, len, before);
        }
        // Once for all of them: a text may come in one piece.
        self.text.drain(..from);
        self.seen -= from;
    }

    /// What is left at the end.
    pub(super) fn end(&mut self) -> String {
        std::mem::take(self).text
    }

    /// A line ends here. A backslash at its end says only that.
    pub(super) fn end_line(&mut self) {
        let signs = self.text.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if signs % 2 == 1 {
            self.text.pop();
        }
    }

    /// The next character, and how many bytes it has with those like it that belong to it. `None` until what follows it
    /// is known too.
    fn next(&self) -> Option<(char, usize)> {
        let rest = &self.text[self.seen..];
        let next = rest.chars().next()?;
        let len = match next {
            '`' | '*' | '_' | '~' => rest.bytes().take_while(|byte| char::from(*byte) == next).count(),
            _ => next.len_utf8(),
        };
        (rest.len() > len).then_some((next, len))
    }

    fn take(&mut self, next: char, len: usize, before: Option<char>) {
        let after = self.text[self.seen + len..].chars().next().unwrap_or(' ');
        self.seen += len;
        match (self.open.last(), next) {
            (Some(OpenInline::Code(signs)), '`') if *signs == len => drop(self.open.pop()),
            (Some(OpenInline::Angle), '>') => drop(self.open.pop()),
            (Some(OpenInline::Code(_) | OpenInline::Angle), _) => {}
            (_, '\\') if after.is_ascii_punctuation() => self.seen += 1,
            (_, '`') => self.open.push(OpenInline::Code(len)),
            (_, '<') if after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?') => {
                self.open.push(OpenInline::Angle);
            }
            (_, '[') => self.open.push(OpenInline::Bracket),
            (_, ']') => {
                if let Some(at) = self.open.iter().rposition(|open| *open == OpenInline::Bracket) {
                    self.open.truncate(at);
                    if after == '(' {
                        self.seen += 1;
                        self.open.push(OpenInline::Target);
                    }
                }
            }
            (Some(OpenInline::Target), '(') => self.open.push(OpenInline::Target),
            (Some(OpenInline::Target), ')') => drop(self.open.pop()),
            (_, '*' | '_') => self.emphasis(next, len, before.unwrap_or(' '), after),
            (_, '~') if len == 2 => self.emphasis(next, len, before.unwrap_or(' '), after),
            _ => {}
        }
    }

    /// Signs of emphasis: whether they begin or end one depends on what is beside them.
    fn emphasis(&mut self, sign: char, len: usize, before: char, after: char) {
        let leans = |to: char, from: char| {
            !to.is_whitespace() && (!is_punctuation(to) || from.is_whitespace() || is_punctuation(from))
        };
        let (left, right) = (leans(after, before), leans(before, after));
        let inside_word = sign == '_' && left && right;
        let mut left_over = len;
        if right && (!inside_word || is_punctuation(after)) {
            while left_over > 0 && self.open.last() == Some(&OpenInline::Sign(sign)) {
                self.open.pop();
                left_over -= 1;
            }
        }
        if left && (!inside_word || is_punctuation(before)) {
            self.open.extend(std::iter::repeat_n(OpenInline::Sign(sign), left_over));
        }
    }
}

fn is_punctuation(ch: char) -> bool {
    !ch.is_alphanumeric() && !ch.is_whitespace() && !ch.is_control()
}

/// Whether lines may be broken beside it without a space.
fn is_ideograph(ch: char) -> bool {
    let is_one = matches!(ch, '\u{3041}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    is_one && ch.width() == Some(2)
}
