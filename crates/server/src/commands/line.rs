//! Words as a line that reads as the same words.

/// `words` in a line, each in quotes where it needs them.
pub(crate) fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        let plain =
            !word.is_empty() && !word.contains(|letter: char| letter.is_whitespace() || "\"'\\".contains(letter));
        if plain {
            line.push_str(word);
            continue;
        }
        line.push('"');
        for letter in word.chars() {
            if matches!(letter, '"' | '\\') {
                line.push('\\');
            }
            line.push(letter);
        }
        line.push('"');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_survive_in_a_line() {
        assert_eq!(
            quoted(["add", "two words", "", "it's", r#"say "hi" \o/"#]),
            r#"add "two words" "" "it's" "say \"hi\" \\o/""#
        );
        assert_eq!(quoted([]), "");
    }
}
