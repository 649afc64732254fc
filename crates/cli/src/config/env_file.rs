//! `.env` files: `NAME=value` lines, quotes, comments. Nothing in them is expanded.

#[cfg(test)]
mod tests;

/// One variable and the line it stands on. Without `Debug`: values may be secret.
pub(crate) struct EnvAssignment {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) line: usize,
}

/// The assignments of a file: the last of several to one name counts.
pub(crate) struct EnvFile {
    pub(crate) assignments: Vec<EnvAssignment>,
    /// Lines that are neither an assignment nor a comment; they are passed over.
    pub(crate) bad_lines: Vec<usize>,
}

/// Read `text`.
///
/// A line is `NAME=value` or `export NAME=value`. A value in single quotes or backquotes is taken as it is, in double
/// quotes `\n`, `\r`, `\t`, `\"` and `\\` mean what they mean everywhere; quoted values may span lines. Without quotes it
/// ends at the line's end or at a `#` after a space.
pub(crate) fn parse(text: &str) -> EnvFile {
    let mut file = EnvFile { assignments: Vec::new(), bad_lines: Vec::new() };
    let mut rest = text;
    let mut line = 1;
    while !rest.is_empty() {
        let (read, after) = statement(rest);
        match read {
            EnvStatement::Nothing => {}
            EnvStatement::Assignment(name, value) => {
                file.assignments.retain(|earlier| earlier.name != name);
                file.assignments.push(EnvAssignment { name, value, line });
            }
            EnvStatement::Bad => file.bad_lines.push(line),
        }
        line += rest[..rest.len() - after.len()].matches('\n').count();
        rest = after;
    }
    file
}

enum EnvStatement {
    Nothing,
    Assignment(String, String),
    Bad,
}

/// The statement at the beginning of `text`, and what follows its line.
fn statement(text: &str) -> (EnvStatement, &str) {
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return (EnvStatement::Nothing, after);
    }
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    let Some((name, value)) = line.split_once('=') else { return (EnvStatement::Bad, after) };
    let name = name.trim_end();
    if !is_name(name) {
        return (EnvStatement::Bad, after);
    }
    let value = value.trim_start();
    let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else {
        return (EnvStatement::Assignment(name.to_owned(), strip_comment(value).to_owned()), after);
    };
    // The same value, in the text that goes on after its line.
    let quoted = &text[offset(text, value) + 1..];
    match closing(quoted, quote) {
        None => (EnvStatement::Bad, after),
        Some(end) => {
            let (tail, beyond) = quoted[end + 1..].split_once('\n').unwrap_or((&quoted[end + 1..], ""));
            if !tail.trim().is_empty() && !tail.trim_start().starts_with('#') {
                // The quote was likely never closed: only its own line is lost, not what follows.
                return (EnvStatement::Bad, after);
            }
            let value = if quote == '"' { unescape(&quoted[..end]) } else { quoted[..end].to_owned() };
            (EnvStatement::Assignment(name.to_owned(), value), beyond)
        }
    }
}

/// Where `part` begins in `whole`, of which it is a slice on the first line.
fn offset(whole: &str, part: &str) -> usize {
    let line_end = whole.find('\n').unwrap_or(whole.len());
    whole[..line_end].trim_end().len() - part.len()
}

fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            _ if c == quote => return Some(index),
            _ => {}
        }
    }
    None
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some(same @ ('"' | '\\'))) => out.push(same),
            ('\\', Some(other)) => out.extend(['\\', other]),
            _ => out.push(c),
        }
    }
    out
}

fn strip_comment(value: &str) -> &str {
    let comment =
        value.char_indices().zip(value.chars().skip(1)).find(|((_, c), next)| c.is_whitespace() && *next == '#');
    let end = if value.starts_with('#') { 0 } else { comment.map_or(value.len(), |((index, _), _)| index) };
    value[..end].trim_end()
}

fn is_name(name: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(inside)
}
