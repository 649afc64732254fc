//! The text of a command file: `{{args}}`, `!{shell command}` and `@{path}` in it are filled in. What is filled in is
//! never read for more of them.

/// A text with places to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromptTemplate {
    pub(super) pieces: Vec<TemplatePiece>,
}

/// A part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TemplatePiece {
    Text(String),
    /// What the person typed after the command.
    Args,
    /// What a shell command prints, with `{{args}}` in it still as it was written.
    Shell(String),
    /// What a file or a directory holds.
    File(String),
}

const ARGS: &str = "{{args}}";
/// The most shell commands of one template.
const MAX_SHELL: usize = 16;

impl PromptTemplate {
    /// Read a text. An error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<PromptTemplate, String> {
        let mut pieces: Vec<TemplatePiece> = Vec::new();
        let (mut plain, mut rest) = (String::new(), text);
        while let Some(letter) = rest.chars().next() {
            let piece = if let Some(after) = rest.strip_prefix(ARGS) {
                Some((TemplatePiece::Args, after))
            } else if let Some(after) = rest.strip_prefix("!{") {
                let (inner, after) = braced(after).ok_or("a `!{` in it is never closed")?;
                Some((TemplatePiece::Shell(inner.trim().to_owned()), after))
            } else if let Some(after) = rest.strip_prefix("@{") {
                let (inner, after) = braced(after).ok_or("an `@{` in it is never closed")?;
                Some((TemplatePiece::File(inner.trim().to_owned()), after))
            } else {
                None
            };
            match piece {
                Some((TemplatePiece::Shell(inner) | TemplatePiece::File(inner), _)) if inner.is_empty() => {
                    return Err("there is nothing between the braces of a `!{}` or `@{}` in it".to_owned());
                }
                Some((piece, after)) => {
                    pieces.extend((!plain.is_empty()).then(|| TemplatePiece::Text(std::mem::take(&mut plain))));
                    pieces.push(piece);
                    rest = after;
                }
                None => {
                    plain.push(letter);
                    rest = &rest[letter.len_utf8()..];
                }
            }
        }
        pieces.extend((!plain.is_empty()).then_some(TemplatePiece::Text(plain)));
        if pieces.iter().filter(|piece| matches!(piece, TemplatePiece::Shell(_))).count() > MAX_SHELL {
            return Err(format!("it runs more than {MAX_SHELL} shell commands"));
        }
        Ok(PromptTemplate { pieces })
    }

    /// The shell commands, with `args` as one word of them.
    pub(super) fn shell_commands(&self, args: &str) -> Vec<String> {
        let commands = self.pieces.iter().filter_map(|piece| match piece {
            TemplatePiece::Shell(command) => Some(command.replace(ARGS, &quoted(args))),
            TemplatePiece::Text(_) | TemplatePiece::Args | TemplatePiece::File(_) => None,
        });
        commands.collect()
    }

    /// Whether it says where the arguments go.
    pub(super) fn takes_args(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            TemplatePiece::Args => true,
            TemplatePiece::Shell(command) => command.contains(ARGS),
            TemplatePiece::Text(_) | TemplatePiece::File(_) => false,
        })
    }
}

/// What stands before the brace that closes, and what after it. Braces within come in pairs.
fn braced(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Text as one word of a shell command.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn places_are_found() {
        let template = PromptTemplate::parse("Fix {{args}}.\n!{ git diff HEAD~{1} }\n@{docs/a.md}{ }").unwrap();
        assert_eq!(
            template.pieces,
            [
                TemplatePiece::Text("Fix ".into()),
                TemplatePiece::Args,
                TemplatePiece::Text(".\n".into()),
                TemplatePiece::Shell("git diff HEAD~{1}".into()),
                TemplatePiece::Text("\n".into()),
                TemplatePiece::File("docs/a.md".into()),
                TemplatePiece::Text("{ }".into()),
            ]
        );
        assert!(template.takes_args());
        assert!(!PromptTemplate::parse("nothing to fill in").unwrap().takes_args());
    }

    #[test]
    fn arguments_are_one_word_of_a_shell_command() {
        let template = PromptTemplate::parse("!{grep -r {{args}} .}").unwrap();
        assert_eq!(template.shell_commands("it's; rm -rf x"), [r"grep -r 'it'\''s; rm -rf x' ."]);
        assert!(template.takes_args());
    }

    #[test]
    fn what_is_not_closed_is_said() {
        for (text, why) in [
            ("!{ls", "a `!{` in it is never closed"),
            ("@{a", "an `@{` in it is never closed"),
            ("!{ }", "there is nothing between the braces of a `!{}` or `@{}` in it"),
        ] {
            assert_eq!(PromptTemplate::parse(text), Err(why.to_owned()), "{text}");
        }
        assert!(PromptTemplate::parse(&"!{ls}".repeat(17)).is_err());
    }
}
