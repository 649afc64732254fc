//! Small questions about pieces of shell text.

/// Text between double quotes without the backslashes that count there.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', Some('"' | '\\' | '$' | '`')) => out.extend(chars.next()),
            ('\\', Some('\n')) => {
                chars.next();
            }
            _ => out.push(char),
        }
    }
    out
}

/// Whether a bare word holds a character that should have ended it.
pub(crate) fn has_bare_syntax(text: &str) -> bool {
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            '"' | '\'' | '`' | '$' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | ' ' | '\t' | '\n' => return true,
            _ => {}
        }
    }
    false
}

/// `${name}` and nothing else.
pub(crate) fn is_plain_expansion(text: &str) -> bool {
    let name = text.trim_start().strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(is_name)
}

/// `$name`, or one of the shell's own like `$?`, and nothing else.
pub(crate) fn is_plain_variable(text: &str) -> bool {
    let name = text.trim_start().strip_prefix('$').unwrap_or_default();
    is_name(name) || (name.len() == 1 && name.starts_with(|char: char| "0123456789@*#?!$-".contains(char)))
}

fn is_name(name: &str) -> bool {
    let starts = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    starts && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// Whether a variable is one that programs do not look at: by custom those they look at are in capitals, proxies aside.
pub(crate) fn is_local(name: &str) -> bool {
    !name.ends_with("_proxy")
        && name.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
}

/// Whether text between double quotes, or in a here-document, substitutes something.
pub(crate) fn hides_substitution(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, chars.peek()) {
            ('\\', _) => {
                chars.next();
            }
            ('`', _) | ('$', Some('(' | '{' | '[')) => return true,
            _ => {}
        }
    }
    false
}
