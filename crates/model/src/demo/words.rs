//! Reading a sentence word by word, with quotes of all kinds.

/// The rest of a sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentenceWords<'a> {
    rest: &'a str,
}

impl<'a> SentenceWords<'a> {
    pub(super) fn new(text: &'a str) -> SentenceWords<'a> {
        SentenceWords { rest: text.trim() }
    }

    /// Everything that is left, as it is written.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The next bare word, lower case, without taking it.
    pub(super) fn peek(&self) -> String {
        let word = self.rest.split_whitespace().next().unwrap_or_default();
        let bare = word.trim_end_matches([',', ':', '.', '?', '!']);
        if bare.is_empty() { word.to_owned() } else { bare.to_lowercase() }
    }

    /// Take the next word if it is one of `words`.
    pub(super) fn take(&mut self, words: &[&str]) -> bool {
        let found = words.contains(&self.peek().as_str());
        if found {
            self.skip();
        }
        found
    }

    /// Take words as long as they are among `words`.
    pub(super) fn skip_all(&mut self, words: &[&str]) {
        while self.take(words) {}
    }

    fn skip(&mut self) {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or_default().trim_start();
    }

    /// Take a quotation, or else a word without the punctuation that ends it.
    pub(super) fn term(&mut self) -> Option<String> {
        if let Some(quoted) = self.quotation() {
            return Some(quoted);
        }
        let word = self.rest.split_whitespace().next()?;
        self.skip();
        let word = word.trim_end_matches([',', ':', ';', '!', '?']);
        // A full stop ends a sentence; in `src/.` and `..` it is the name.
        let word =
            word.strip_suffix('.').filter(|name| !name.ends_with(['.', '/']) && !name.is_empty()).unwrap_or(word);
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// Take a path: a term, without the `@` that has a file read for the model.
    pub(super) fn path(&mut self) -> Option<String> {
        let term = self.term()?;
        Some(term.strip_prefix('@').filter(|path| !path.is_empty()).map(str::to_owned).unwrap_or(term))
    }

    /// Take a quotation in `"…"`, `'…'`, `` `…` `` or `“…”`.
    pub(super) fn quotation(&mut self) -> Option<String> {
        let open = self.rest.chars().next()?;
        let close = match open {
            '"' | '\'' | '`' => open,
            '“' => '”',
            _ => return None,
        };
        let inside = self.rest.get(open.len_utf8()..)?;
        let end = closing(inside, close)?;
        let text = inside.get(..end)?;
        self.rest = inside.get(end + close.len_utf8()..)?.trim_start();
        Some(if open == '"' { unescape(text) } else { text.to_owned() })
    }

    /// True if nothing but punctuation is left.
    pub(super) fn is_done(&self) -> bool {
        self.rest.chars().all(|c| c.is_ascii_punctuation())
    }
}

/// Where `close` stands in `text`, past backslashed ones.
fn closing(text: &str, close: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c == close && !is_escaped {
            return Some(at);
        }
        is_escaped = close == '"' && c == '\\' && !is_escaped;
    }
    None
}

/// `\n`, `\t`, `\"` and `\\` as what they stand for.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some(next @ ('n' | 't' | '"' | '\\'))) => {
                chars.next();
                out.push(match next {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
            }
            _ => out.push(c),
        }
    }
    out
}
