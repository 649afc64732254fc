//! Text cut to what a model is given: its beginning, its end, and a notice between them.

#[cfg(test)]
mod tests;

/// How many characters of the beginning are kept: 20 %.
const HEAD: usize = 8_000;
/// How many characters of the end are kept: 80 %, because that is where errors are.
const TAIL: usize = 32_000;

/// Collects text of any length in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct Excerpt {
    head: String,
    head_chars: usize,
    /// May grow to twice [`TAIL`] before it is cut back, so that cutting is rare.
    tail: String,
    tail_chars: usize,
    cut_chars: u64,
}

impl Excerpt {
    /// The excerpt of one text.
    pub(crate) fn of(text: &str) -> String {
        let mut excerpt = Excerpt::default();
        excerpt.push(text);
        excerpt.finish()
    }

    /// Add what comes next.
    pub(crate) fn push(&mut self, text: &str) {
        let (first, rest) = split_at_char(text, HEAD - self.head_chars);
        self.head.push_str(first);
        self.head_chars += first.chars().count();
        self.tail.push_str(rest);
        self.tail_chars += rest.chars().count();
        if self.tail_chars > 2 * TAIL {
            self.trim();
        }
    }

    /// Whether something is left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut_chars > 0 || self.tail_chars > TAIL
    }

    /// The whole text if it is short enough, else its beginning and end.
    pub(crate) fn finish(mut self) -> String {
        self.trim();
        if self.cut_chars == 0 {
            return self.head + &self.tail;
        }
        format!("{}\n[... {} characters left out ...]\n{}", self.head, self.cut_chars, self.tail)
    }

    fn trim(&mut self) {
        let surplus = self.tail_chars.saturating_sub(TAIL);
        let cut = split_at_char(&self.tail, surplus).0.len();
        self.tail.drain(..cut);
        self.tail_chars -= surplus;
        self.cut_chars += surplus as u64;
    }
}

/// Split after `count` characters, or at the end.
pub(crate) fn split_at_char(text: &str, count: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(count).map_or(text.len(), |(at, _)| at))
}
