//! Text cut to what a model is given: its beginning, its end, and a notice between them.

#[cfg(test)]
mod tests;

/// The characters that are kept unless a person says otherwise.
pub(crate) const USUAL_CHARS: usize = 40_000;

/// Collects text of any length in bounded memory.
#[derive(Debug)]
pub(crate) struct ExcerptBuilder {
    /// The characters that are kept of the beginning: 20 %.
    head_limit: usize,
    /// The characters that are kept of the end: 80 %, because that is where errors are.
    tail_limit: usize,
    head: String,
    head_chars: usize,
    /// May grow to twice its limit before it is cut back, so that cutting is rare.
    tail: String,
    tail_chars: usize,
    cut_chars: u64,
}

impl Default for ExcerptBuilder {
    fn default() -> ExcerptBuilder {
        ExcerptBuilder::new(USUAL_CHARS)
    }
}

impl ExcerptBuilder {
    /// One of at most `limit` characters.
    pub(crate) fn new(limit: usize) -> ExcerptBuilder {
        let head_limit = limit / 5;
        ExcerptBuilder {
            head_limit,
            tail_limit: limit - head_limit,
            head: String::new(),
            head_chars: 0,
            tail: String::new(),
            tail_chars: 0,
            cut_chars: 0,
        }
    }

    /// The excerpt of one text.
    pub(crate) fn excerpt_of(text: &str) -> String {
        let mut excerpt = ExcerptBuilder::default();
        excerpt.push(text);
        excerpt.finish()
    }

    /// Add what comes next.
    pub(crate) fn push(&mut self, text: &str) {
        let (first, rest) = split_at_char(text, self.head_limit - self.head_chars);
        self.head.push_str(first);
        self.head_chars += first.chars().count();
        self.tail.push_str(rest);
        self.tail_chars += rest.chars().count();
        if self.tail_chars > self.tail_limit.saturating_mul(2) {
            self.trim();
        }
    }

    /// True if something is left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut_chars > 0 || self.tail_chars > self.tail_limit
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
        let surplus = self.tail_chars.saturating_sub(self.tail_limit);
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
