//! `@path` in a prompt: what a person points at is read and told to the model with the prompt.

/// The most mentions that are followed in one prompt.
const MAX_MENTIONS: usize = 20;

/// The paths a prompt mentions, in order, each once. `\@` and `@` inside a word are no mentions; a path with blanks is
/// written with `\ `.
pub(crate) fn find_mentions(prompt: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = ' ';
    let mut rest = prompt.chars().peekable();
    while let Some(letter) = rest.next() {
        let starts = letter == '@' && (before.is_whitespace() || matches!(before, '(' | '"' | '\'' | '`'));
        before = letter;
        if !starts {
            continue;
        }
        let mut path = String::new();
        while let Some(&next) = rest.peek() {
            match next {
                '\\' => {
                    rest.next();
                    path.extend(rest.next());
                }
                stop if stop.is_whitespace() || matches!(stop, '"' | '\'' | '`' | ')' | ',' | ';') => break,
                letter => {
                    path.push(letter);
                    rest.next();
                }
            }
        }
        // A sentence ends with a dot, a path rarely does.
        let path = path.trim_end_matches(['.', ':', '!', '?']).to_owned();
        if !path.is_empty() && !found.contains(&path) && found.len() < MAX_MENTIONS {
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::find_mentions;
    use pretty_assertions::assert_eq;

    #[test]
    fn mentions_are_words_that_begin_with_an_at_sign() {
        for (prompt, paths) in [
            ("explain @src/main.rs please", vec!["src/main.rs"]),
            ("@a.rs, @b.rs; (@c.rs) and `@d.rs`.", vec!["a.rs", "b.rs", "c.rs", "d.rs"]),
            ("look at @src/lib.rs.", vec!["src/lib.rs"]),
            ("write to me@example.org or \\@nobody", vec![]),
            ("@my\\ notes.md twice @my\\ notes.md", vec!["my notes.md"]),
            ("just an @ sign", vec![]),
        ] {
            assert_eq!(find_mentions(prompt), paths, "{prompt}");
        }
    }
}
