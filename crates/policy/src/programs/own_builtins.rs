//! The builtins that Pollux runs itself, and what they may be told.

use pollux_session::{PlannedRead, PlannedWord, ReadKind, WordPiece};

/// Questions about a path.
const ABOUT_PATHS: [&str; 9] = ["-d", "-e", "-f", "-h", "-L", "-r", "-s", "-w", "-x"];
/// Questions about a text.
const ABOUT_TEXT: [&str; 2] = ["-n", "-z"];

/// What the builtin `name` looks at when it is told `words`.
pub(super) fn reads_of(name: &str, words: &[PlannedWord]) -> Result<Vec<PlannedRead>, String> {
    match name {
        "true" | "false" | ":" | "command" | "type" => Ok(Vec::new()),
        "printf" => reads_of_printf(words),
        "echo" => reads_of_echo(words),
        "pwd" if words.is_empty() => Ok(Vec::new()),
        "pwd" => Err("`pwd` is told nothing without a question".into()),
        "test" => reads_of_test(words),
        "[" => match words.split_last() {
            Some((last, words)) if last.literal() == Some("]") => reads_of_test(words),
            _ => Err("`[` is not closed by `]`".into()),
        },
        _ => Err(format!("`{name}` is not run without a shell here")),
    }
}

/// Shells differ in what they take for an option of `echo`, and in what they do with it: only one `-n` is the same everywhere.
fn reads_of_echo(words: &[PlannedWord]) -> Result<Vec<PlannedRead>, String> {
    let rest = match words.first().and_then(PlannedWord::literal) {
        Some("-n") => &words[1..],
        _ => words,
    };
    match rest.first() {
        Some(first) if looks_like_option(first) => {
            Err(format!("`echo {}` is not the same in every shell", first.unquoted()))
        }
        _ => Ok(Vec::new()),
    }
}

/// Formats that every shell prints alike: `%s`, `%%`, and the escapes of a line's end, a tab and a backslash.
fn reads_of_printf(words: &[PlannedWord]) -> Result<Vec<PlannedRead>, String> {
    let format = words.first().and_then(PlannedWord::literal);
    match format {
        Some(format) if is_plain_format(format) => Ok(Vec::new()),
        _ => Err("only a `printf` of `%s` and plain text is run without a shell".into()),
    }
}

fn is_plain_format(format: &str) -> bool {
    let mut chars = format.chars();
    while let Some(char) = chars.next() {
        let is_plain = match char {
            '%' => chars.next().is_some_and(|conversion| "s%".contains(conversion)),
            '\\' => chars.next().is_some_and(|escape| "nt\\".contains(escape)),
            _ => true,
        };
        if !is_plain {
            return false;
        }
    }
    !format.starts_with('-')
}

fn looks_like_option(word: &PlannedWord) -> bool {
    match (word.literal(), word.pieces.first()) {
        (Some(text), _) => {
            text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|char| "neE".contains(char))
        }
        (None, Some(WordPiece::Text(text))) => text.starts_with('-'),
        (None, _) => false,
    }
}

/// One question about one path or one text. With more words the answer can depend on what the words turn out to be.
fn reads_of_test(words: &[PlannedWord]) -> Result<Vec<PlannedRead>, String> {
    let [question, about] = words else { return Err("only one question about one path is run without a shell".into()) };
    let (Some(question), Some(_)) = (question.literal(), about.literal()) else {
        return Err("what is tested is known only when it runs".into());
    };
    if ABOUT_TEXT.contains(&question) {
        return Ok(Vec::new());
    }
    if ABOUT_PATHS.contains(&question) {
        return Ok(vec![PlannedRead { path: about.clone(), kind: ReadKind::Entry, word: None }]);
    }
    Err(format!("`test {question}` is not run without a shell"))
}
