//! One word of a command, as far as it can be known without running anything.

use pollux_session::{PlannedWord, WordPiece};

/// How words are shown that are not written.
const MORE_WORDS: &str = "…";

/// A word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ShellWord {
    /// What is known of it: all of it, or what comes before the first unknown piece.
    text: String,
    /// As it is written.
    raw: String,
    knowledge: WordKnowledge,
}

/// How much of a word is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordKnowledge {
    /// All.
    Whole,
    /// Its beginning; it stays one word.
    Beginning,
    /// Its beginning; it may become several words, or none.
    Splits,
    /// Nothing but that it is no option.
    Operand,
}

impl ShellWord {
    /// A word that is nothing but `text`.
    pub(crate) fn fixed(text: &str) -> ShellWord {
        ShellWord { text: text.into(), raw: text.into(), knowledge: WordKnowledge::Whole }
    }

    /// Words that are known only when the command runs.
    pub(crate) fn unknown(raw: &str) -> ShellWord {
        ShellWord { text: String::new(), raw: raw.into(), knowledge: WordKnowledge::Splits }
    }

    /// A word of a plan. A pattern may stand for several words, but each of them begins with what stands before it. If nothing
    /// does, none of them is an option: a name that is found never begins with a dash, nor does an exit code.
    pub(crate) fn from_planned(word: &PlannedWord) -> ShellWord {
        let raw = word.unquoted();
        match (word.literal(), word.pieces.first()) {
            (Some(text), _) => ShellWord::fixed(text),
            (None, Some(WordPiece::Text(text))) => {
                ShellWord { text: text.clone(), raw, knowledge: WordKnowledge::Beginning }
            }
            (None, _) => ShellWord { text: String::new(), raw, knowledge: WordKnowledge::Operand },
        }
    }

    /// A word of a plan as a shell would have it, where a name that a pattern stands for may begin with a dash.
    pub(crate) fn from_planned_in_shell(word: &PlannedWord) -> ShellWord {
        match ShellWord::from_planned(word) {
            ShellWord { knowledge: WordKnowledge::Operand, text, raw } => {
                ShellWord { knowledge: WordKnowledge::Splits, text, raw }
            }
            word => word,
        }
    }

    /// The same word for a program that puts other text in the place of `mark`.
    pub(crate) fn replacing(&self, mark: &str) -> ShellWord {
        match self.text.find(mark) {
            Some(at) => {
                let knowledge =
                    if self.knowledge == WordKnowledge::Whole { WordKnowledge::Beginning } else { self.knowledge };
                ShellWord { text: self.text[..at].to_owned(), raw: self.raw.clone(), knowledge }
            }
            None => self.clone(),
        }
    }

    /// Whether both are written alike, whatever is known of them.
    pub(crate) fn is_written_as(&self, other: &ShellWord) -> bool {
        self.raw == other.raw
    }

    /// Words that another program adds at the end of a command.
    pub(crate) fn more_words() -> ShellWord {
        ShellWord::unknown(MORE_WORDS)
    }

    pub(crate) fn is_more_words(&self) -> bool {
        self.knowledge == WordKnowledge::Splits && self.raw == MORE_WORDS
    }

    /// All of it without quoting, if that is known.
    pub(crate) fn literal(&self) -> Option<&str> {
        (self.knowledge == WordKnowledge::Whole).then_some(self.text.as_str())
    }

    /// Its text if that is known, else as it is written.
    pub(crate) fn display_text(&self) -> &str {
        self.literal().unwrap_or(&self.raw)
    }

    /// As it would be written with as little quoting as can be.
    pub(crate) fn quoted(&self) -> String {
        let plain = |char: char| char.is_ascii_alphanumeric() || "-_=+:,./@%[]".contains(char);
        match self.literal() {
            None => self.raw.clone(),
            Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
            Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        }
    }

    /// Whether it is certain to stay one word: it is known, or all of it stands between double quotes.
    pub(crate) fn stays_one(&self) -> bool {
        let inside = self.raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let is_quoted = inside.is_some_and(|inside| !inside.contains('"') && !inside.contains("$@"));
        self.literal().is_some() || is_quoted
    }

    /// Whether it is, or may turn out to be, an option.
    pub(crate) fn may_be_option(&self) -> bool {
        match self.knowledge {
            WordKnowledge::Whole => self.text.starts_with('-'),
            WordKnowledge::Beginning => self.text.is_empty() || self.text.starts_with('-'),
            WordKnowledge::Splits => true,
            WordKnowledge::Operand => false,
        }
    }
}

/// Puts a word together from its pieces.
#[derive(Debug)]
pub(crate) struct WordBuilder {
    text: String,
    knowledge: WordKnowledge,
}

/// Whether a piece stands inside double quotes, where nothing is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    Bare,
    Double,
}

impl WordBuilder {
    pub(crate) fn new() -> WordBuilder {
        WordBuilder { text: String::new(), knowledge: WordKnowledge::Whole }
    }

    /// Add text that stands for itself.
    pub(crate) fn push(&mut self, text: &str) {
        if self.knowledge == WordKnowledge::Whole {
            self.text.push_str(text);
        }
    }

    /// Add a piece whose text is known only when the command runs.
    pub(crate) fn push_unknown(&mut self, quoting: Quoting) {
        let piece = match quoting {
            Quoting::Bare => WordKnowledge::Splits,
            Quoting::Double => WordKnowledge::Beginning,
        };
        if self.knowledge != WordKnowledge::Splits {
            self.knowledge = piece;
        }
    }

    /// Add text outside quotes: backslashes quote, and `*?[{~` make it unknown. They do not split it at spaces: each word that
    /// it becomes begins with what stands before them.
    pub(crate) fn push_bare(&mut self, raw: &str) {
        let mut chars = raw.chars().enumerate();
        while let Some((index, char)) = chars.next() {
            match char {
                '\\' => match chars.next() {
                    Some((_, '\n')) | None => {}
                    Some((_, quoted)) => self.push(quoted.encode_utf8(&mut [0; 4])),
                },
                '{' | '}' | '*' | '?' | '[' => self.push_pattern(),
                '~' if index == 0 => self.push_pattern(),
                _ => self.push(char.encode_utf8(&mut [0; 4])),
            }
        }
    }

    /// Add a pattern or a brace. It may make several words of this one, but each of them begins with what stands before it.
    pub(crate) fn push_pattern(&mut self) {
        if self.knowledge == WordKnowledge::Whole {
            self.knowledge = WordKnowledge::Beginning;
        }
    }

    pub(crate) fn build(self, raw: &str) -> ShellWord {
        ShellWord { text: self.text, raw: raw.to_owned(), knowledge: self.knowledge }
    }
}
