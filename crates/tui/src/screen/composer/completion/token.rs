//! What is being named before the cursor: `@path` as the agent reads it, or `/command` at the very start.

use std::ops::Range;

/// Something that is being named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CompletionToken {
    /// A path as it is meant, and where its `@` and its end are.
    File { path: String, range: Range<usize> },
    /// The words before and the begun one, with its place. The slash belongs to the first word's place.
    Command { above: Vec<String>, word: String, range: Range<usize> },
}

impl CompletionToken {
    pub(super) fn range(&self) -> Range<usize> {
        match self {
            CompletionToken::File { range, .. } | CompletionToken::Command { range, .. } => range.clone(),
        }
    }

    pub(super) fn start(&self) -> usize {
        self.range().start
    }

    /// Whether a word could be begun but is not.
    pub(super) fn is_next_word(&self) -> bool {
        matches!(self, CompletionToken::Command { above, word, .. } if word.is_empty() && !above.is_empty())
    }
}

/// The longest name that is completed, in bytes.
const LONGEST: usize = 4096;

/// What is being named at the cursor. In the middle of a word nothing is.
pub(super) fn token_at(text: &str, cursor: usize) -> Option<CompletionToken> {
    let (before, after) = text.split_at(cursor);
    if !after.chars().next().is_none_or(ends_path) {
        return None;
    }
    file(before).or_else(|| command(before))
}

/// A slash only at the very start, and only in the first line.
fn command(before: &str) -> Option<CompletionToken> {
    let line = before.strip_prefix('/').filter(|_| before.len() <= LONGEST)?;
    let mut above: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let ends_blank = line.ends_with(char::is_whitespace);
    let word = if ends_blank { String::new() } else { above.pop().unwrap_or_default() };
    let first = above.first().unwrap_or(&word);
    let start = if above.is_empty() { 0 } else { before.len() - word.len() };
    let names_command = !line.contains('\n') && !first.contains('/') && !line.starts_with(char::is_whitespace);
    names_command.then_some(CompletionToken::Command { above, word, range: start..before.len() })
}

fn file(before: &str) -> Option<CompletionToken> {
    for (at, _) in before.rmatch_indices('@') {
        let rest = &before[at + 1..];
        if rest.len() > LONGEST {
            return None;
        }
        let opens = before[..at].chars().next_back().is_none_or(|ch| ch.is_whitespace() || "(\"'`".contains(ch));
        if let Some(path) = parse_spelled_path(rest).filter(|_| opens) {
            return Some(CompletionToken::File { path, range: at..before.len() });
        }
    }
    None
}

/// The path that is spelled, if it goes on to the end.
fn parse_spelled_path(spelled: &str) -> Option<String> {
    let mut path = String::with_capacity(spelled.len());
    let mut letters = spelled.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => path.extend(letters.next()),
            stop if ends_path(stop) => return None,
            letter => path.push(letter),
        }
    }
    Some(path)
}

/// A path as it is spelled so that all of it is read.
pub(super) fn spell_path(path: &str) -> String {
    let mut spelled = String::with_capacity(path.len() + 1);
    for letter in path.chars() {
        if ends_path(letter) || letter == '\\' {
            spelled.push('\\');
        }
        spelled.push(letter);
    }
    spelled
}

fn ends_path(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | ')' | ',' | ';')
}
