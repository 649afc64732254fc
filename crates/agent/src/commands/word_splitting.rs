//! A line as words, where quotes keep words together.

/// The words of a line. `"a b"` and `'a b'` are one word, also as part of one (`name="a b"`); `\` before a character
/// takes away what it means. A quote that is never closed is a letter like any other.
pub(super) fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.char_indices();
    while let Some((at, letter)) = rest.next() {
        let after = &line[at + letter.len_utf8()..];
        match letter {
            letter if letter.is_whitespace() => words.extend(word.take()),
            '"' | '\'' if find_closing_quote(after, letter).is_some() => {
                let word = word.get_or_insert_default();
                while let Some((_, inner)) = rest.next() {
                    match inner {
                        inner if inner == letter => break,
                        '\\' if letter == '"' => word.extend(rest.next().map(|(_, escaped)| escaped)),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(rest.next().map_or('\\', |(_, escaped)| escaped)),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Where the quote ends, if it does.
fn find_closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, letter)| {
        let is_end = letter == quote && !escaped;
        escaped = letter == '\\' && !escaped && quote == '"';
        is_end.then_some(at)
    })
}
