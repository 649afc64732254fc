//! The name that a client gives itself, made fit to be shown: never trusted, never able to pass for the terminal.

use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;

/// Every label from the network starts with this, so that none can read `terminal`.
const PREFIX: &str = "A2A";
const MAX_NAME_CHARS: usize = 40;
const CLIENT_NAME: &str = "x-client-name";

/// `A2A NAME` from `X-Client-Name` or the first product of `User-Agent`; `A2A` when neither says anything.
pub(super) fn client_label(headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    let named = text(CLIENT_NAME).map(clean).filter(|name| !name.is_empty());
    let product = || text(USER_AGENT.as_str()).map(|agent| clean(first_product(agent)));
    match named.or_else(product) {
        Some(name) if !name.is_empty() => format!("{PREFIX} {name}"),
        Some(_) | None => PREFIX.to_owned(),
    }
}

fn first_product(agent: &str) -> &str {
    agent.trim_start().split([' ', '/', '(']).next().unwrap_or_default()
}

/// Letters, digits and a few marks: no control, bidi or zero-width characters reach a terminal or a log.
fn clean(name: &str) -> String {
    let shown: String =
        name.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| is_shown(*c)).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    let short: String = words.join(" ").chars().take(MAX_NAME_CHARS).collect();
    short.trim_end().to_owned()
}

fn is_shown(c: char) -> bool {
    c.is_alphanumeric() || " ._-+@".contains(c)
}
