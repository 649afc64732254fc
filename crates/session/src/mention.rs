//! `@path` in a prompt: how a person names a file, for whoever reads it and for whoever helps to type it. A path with blanks is
//! in quotes (`@"my notes.md"`), or each blank has a backslash before it (`@my\ notes.md`).

use std::ops::Range;

/// A path that is named in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The path itself, without quotes and backslashes.
    pub path: String,
    /// Its place in the text, from its `@` on.
    pub range: Range<usize>,
    /// The quote around it, if any.
    pub quote: Option<char>,
}

/// The end of a path that was begun.
enum PathEnd {
    /// This many bytes after its `@`.
    At(usize),
    /// The text ends first.
    Open,
}

/// The mentions of a text, in order. `\@` and `@` inside a word are none.
pub fn find_mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for (at, _) in text.match_indices('@') {
        if found.last().is_some_and(|before| at < before.range.end) || !opens_mention(text, at) {
            continue;
        }
        let (path, quote, end) = parse_path(&text[at + 1..]);
        let end = match (end, quote) {
            (PathEnd::At(end), _) => at + 1 + end,
            (PathEnd::Open, None) => text.len(),
            // What never ends is no path.
            (PathEnd::Open, Some(_)) => continue,
        };
        // A sentence ends with a dot, a path rarely does. In quotes nobody has to guess.
        let path = if quote.is_some() { path.as_str() } else { path.trim_end_matches(['.', ':', '!', '?']) };
        if !path.is_empty() && path.trim() == path {
            found.push(Mention { path: path.to_owned(), range: at..end, quote });
        }
    }
    found
}

/// The mention that goes on to the end of a text, as far as it is typed.
pub fn find_open_mention(text: &str) -> Option<Mention> {
    text.rmatch_indices('@').find_map(|(at, _)| {
        let (path, quote, end) = parse_path(&text[at + 1..]);
        let is_open = matches!(end, PathEnd::Open) && opens_mention(text, at);
        is_open.then_some(Mention { path, range: at..text.len(), quote })
    })
}

/// A mention that all of `path` is read from. One in quotes stays open if more is to come.
pub fn spell_mention(path: &str, quote: Option<char>, goes_on: bool) -> String {
    let escaped = |is_special: &dyn Fn(char) -> bool| -> String {
        let letters = path.chars().flat_map(|letter| [is_special(letter).then_some('\\'), Some(letter)]);
        letters.flatten().collect()
    };
    match quote {
        None => format!("@{}", escaped(&|letter| ends_path(letter) || letter == '\\')),
        Some(quote) => {
            let end = if goes_on { String::new() } else { quote.to_string() };
            format!("@{quote}{}{end}", escaped(&|letter| letter == quote || letter == '\\'))
        }
    }
}

/// True if a path that is not in quotes ends before this letter.
pub fn ends_path(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | ')' | ',' | ';')
}

fn opens_mention(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || "(\"'`".contains(before))
}

/// The path that begins here, the quote it is in, and where it ends.
fn parse_path(spelled: &str) -> (String, Option<char>, PathEnd) {
    let quote = spelled.chars().next().filter(|first| matches!(first, '"' | '\''));
    let mut path = String::new();
    let mut letters = spelled.char_indices().skip(usize::from(quote.is_some()));
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => path.extend(letters.next().map(|(_, escaped)| escaped)),
            '\n' if quote.is_some() => return (String::new(), quote, PathEnd::At(at)),
            letter if Some(letter) == quote => return (path, quote, PathEnd::At(at + letter.len_utf8())),
            stop if quote.is_none() && ends_path(stop) => return (path, quote, PathEnd::At(at)),
            letter => path.push(letter),
        }
    }
    (path, quote, PathEnd::Open)
}

#[cfg(test)]
mod tests {
    use super::{find_mentions, find_open_mention, spell_mention};
    use pretty_assertions::assert_eq;

    #[test]
    fn mentions_are_words_that_begin_with_an_at_sign() {
        for (prompt, paths) in [
            ("explain @src/main.rs please", vec!["src/main.rs"]),
            ("@a.rs, @b.rs; (@c.rs) and `@d.rs`.", vec!["a.rs", "b.rs", "c.rs", "d.rs"]),
            ("look at @src/lib.rs.", vec!["src/lib.rs"]),
            ("write to me@example.org or \\@nobody", vec![]),
            ("@my\\ notes.md twice @my\\ notes.md", vec!["my notes.md", "my notes.md"]),
            ("just an @ sign", vec![]),
            ("@\"my notes.md\", please, and (@'her notes.md')", vec!["my notes.md", "her notes.md"]),
            ("@\"a \\\"b\\\" @c\" then @d", vec!["a \"b\" @c", "d"]),
            ("@\"what?\"", vec!["what?"]),
            ("the \"@\" sign and \"@\" again, '@' too", vec![]),
            ("@\"never ends", vec![]),
            ("@\"ends\nnot here\"", vec![]),
            ("@'' and @\"\"", vec![]),
        ] {
            let found: Vec<String> = find_mentions(prompt).into_iter().map(|mention| mention.path).collect();
            assert_eq!(found, paths, "{prompt}");
        }
        let prompt = "see @\"a b\" now";
        assert_eq!(find_mentions(prompt)[0].range, 4..10);
    }

    #[test]
    fn a_mention_is_open_until_its_path_ends() {
        let open = |text: &str| find_open_mention(text).map(|mention| (mention.path, mention.range.start));
        let at = |path: &str, start| Some((path.to_owned(), start));
        assert_eq!(open("see @src/ma"), at("src/ma", 4));
        assert_eq!(open("see @my\\ no"), at("my no", 4));
        assert_eq!(open("see @\"my no"), at("my no", 4));
        assert_eq!(open("see @'"), at("", 4));
        for closed in ["see @src/main.rs ", "see @\"my notes\"", "me@example", "see @\"my\nno"] {
            assert_eq!(open(closed), None, "{closed}");
        }
    }

    #[test]
    fn what_is_spelled_is_read() {
        for path in ["a.rs", "my notes.md", "it's \"q\".md", "back\\slash", "a,b;c)d"] {
            for quote in [None, Some('"'), Some('\'')] {
                let spelled = spell_mention(path, quote, false);
                let found: Vec<String> = find_mentions(&spelled).into_iter().map(|mention| mention.path).collect();
                assert_eq!(found, [path], "{spelled}");
                let begun = find_open_mention(&spell_mention(path, quote, true)).map(|mention| mention.path);
                assert_eq!(begun.as_deref(), Some(path));
            }
        }
        assert_eq!(spell_mention("my notes/", Some('"'), true), "@\"my notes/");
    }
}
