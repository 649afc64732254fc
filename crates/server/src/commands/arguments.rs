//! The arguments of a command, as a person would type them.

use pollux_session::CommandInfo;
use std::borrow::Cow;

/// The arguments of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// As it would be typed.
    Line(String),
    /// One by one.
    Each(Vec<String>),
}

impl Arguments {
    /// All of it, as text.
    pub(crate) fn line(&self) -> Cow<'_, str> {
        match self {
            Arguments::Line(line) => line.trim().into(),
            Arguments::Each(words) => words.join(" ").trim().to_owned().into(),
        }
    }

    /// The text to type after `command`. Where one argument ends matters only to a command that takes several.
    pub(crate) fn typed_after(&self, command: &CommandInfo) -> Cow<'_, str> {
        match self {
            Arguments::Each(words) if command.arguments.len() > 1 => quoted(words).into(),
            Arguments::Each(_) | Arguments::Line(_) => self.line(),
        }
    }
}

/// `words` in a line, each in quotes where it needs them.
fn quoted(words: &[String]) -> String {
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
    use super::Arguments;
    use pollux_session::{ArgumentInfo, CommandInfo};
    use pretty_assertions::assert_eq;

    fn typed(words: &[&str], takes: usize) -> String {
        let arguments = vec![ArgumentInfo::default(); takes];
        let command = CommandInfo { arguments, ..CommandInfo::default() };
        let each = Arguments::Each(words.iter().map(|word| (*word).to_owned()).collect());
        each.typed_after(&command).into_owned()
    }

    #[test]
    fn one_argument_is_all_that_is_typed() {
        for takes in [0, 1] {
            assert_eq!(typed(&["echo hi"], takes), "echo hi");
            assert_eq!(typed(&["echo", "it's", "\"so\""], takes), "echo it's \"so\"");
            assert_eq!(typed(&[], takes), "");
        }
    }

    #[test]
    fn several_arguments_survive_in_a_line() {
        assert_eq!(
            typed(&["add", "two words", "", "it's", r#"say "hi" \o/"#], 2),
            r#"add "two words" "" "it's" "say \"hi\" \\o/""#
        );
        assert_eq!(typed(&[], 2), "");
    }
}
