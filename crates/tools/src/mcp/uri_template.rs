//! Matches addresses with templates of RFC 6570, as MCP servers offer them (`file:///{path}`, `db://{table}{?limit}`).

use regex::{Regex, RegexBuilder};

#[cfg(test)]
mod tests;

/// The longest template, in bytes.
const MAX_TEMPLATE: usize = 2_000;
/// The most a compiled template may take.
const MAX_COMPILED: usize = 1 << 20;
/// The characters of a variable's value in a template's plain expressions: everything else is percent-encoded.
const VALUE: &str = r"[A-Za-z0-9._~,%-]";

/// True if `uri` is one that `template` can expand to. A template that is broken, or that does not even fix the scheme,
/// fits nothing.
pub(super) fn fits(template: &str, uri: &str) -> bool {
    pattern(template).is_some_and(|pattern| pattern.is_match(uri))
}

fn pattern(template: &str) -> Option<Regex> {
    let scheme = template.split(['{', ':']).next()?;
    if template.len() > MAX_TEMPLATE || scheme.is_empty() || !template[scheme.len()..].starts_with(':') {
        return None;
    }
    let mut pattern = String::from("^");
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        let (expression, after) = after.split_once('}')?;
        pattern.push_str(&regex::escape(literal));
        pattern.push_str(&values(expression)?);
        rest = after;
    }
    pattern.push_str(&regex::escape(rest));
    pattern.push('$');
    RegexBuilder::new(&pattern).size_limit(MAX_COMPILED).build().ok()
}

/// The values that an expression can expand to: `{name}`, `{+name}`, `{/name}`, `{?name,other}` and so on.
fn values(expression: &str) -> Option<String> {
    let operator = expression.chars().next()?;
    let pairs = || format!(r"(?:{VALUE}|=)*");
    Some(match operator {
        '+' => r"[!-~]*".to_owned(),
        '#' => r"(?:#[!-~]*)?".to_owned(),
        '.' => format!(r"(?:\.{VALUE}*)*"),
        '/' => format!("(?:/{VALUE}*)*"),
        ';' => format!("(?:;{})*", pairs()),
        '?' => format!(r"(?:\?{pairs}(?:&{pairs})*)?", pairs = pairs()),
        '&' => format!("(?:&{})*", pairs()),
        letter if letter.is_ascii_alphanumeric() || letter == '_' => format!("{VALUE}*"),
        _ => return None,
    })
}
