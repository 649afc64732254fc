//! Error bodies as they come: read up to a limit, unwrapped, with the delays they ask for.

use super::ProviderResponse;
use crate::error::ProviderFault;
use futures_util::StreamExt;
use serde_json::Value;
use std::time::Duration;

/// The most bytes that are read of an error body.
const LONGEST: usize = 256 * 1024;
/// The most characters that are repeated of a body that is no JSON.
const EXCERPT: usize = 300;

/// The most characters that are repeated of a web page's title.
const TITLE: usize = 100;

/// An error answer, or an error frame in the middle of a good one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProviderErrorAnswer {
    /// The HTTP status: 200 in the middle of an answer.
    pub(crate) http: u16,
    /// The `Retry-After` header.
    pub(crate) retry_after: Option<Duration>,
    /// The body; a string when it is no JSON.
    pub(crate) body: Value,
}

impl ProviderErrorAnswer {
    /// An error frame in the middle of an answer.
    pub(crate) fn within(body: &Value) -> ProviderErrorAnswer {
        ProviderErrorAnswer { http: 200, retry_after: None, body: body.clone() }
    }

    /// Read what an answer with an error status says.
    pub(super) async fn read(reply: ProviderResponse) -> ProviderErrorAnswer {
        let mut text = Vec::new();
        let mut body = reply.body;
        while let Some(Ok(chunk)) = body.next().await {
            let room = LONGEST - text.len();
            text.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if text.len() == LONGEST {
                break;
            }
        }
        let body = serde_json::from_slice(&text).unwrap_or_else(|_| {
            let text = String::from_utf8_lossy(&text);
            Value::String(describe_page(&text).unwrap_or_else(|| text.trim().chars().take(EXCERPT).collect()))
        });
        ProviderErrorAnswer { http: reply.status, retry_after: reply.retry_after, body }
    }
}

/// A sentence about a web page, as a proxy in front of the provider sends them: its title, not its markup.
fn describe_page(text: &str) -> Option<String> {
    let lower = text.trim_start().to_ascii_lowercase();
    if !lower.starts_with("<!doctype html") && !lower.starts_with("<html") {
        return None;
    }
    // The lower case is as long: only ASCII letters have changed.
    let text = text.trim_start();
    let title = lower.find("<title").and_then(|at| {
        let begin = at + lower[at..].find('>')? + 1;
        let end = begin + lower[begin..].find("</title")?;
        Some(text[begin..end].split_whitespace().collect::<Vec<_>>().join(" "))
    });
    let title = title.filter(|title| !title.is_empty() && !title.contains('<'));
    Some(match title {
        Some(title) => {
            format!("a web page came instead of an answer: {}", title.chars().take(TITLE).collect::<String>())
        }
        None => "a web page came instead of an answer".to_owned(),
    })
}

/// The error object itself: out of a one-element array, out of `error`, out of JSON inside `message`.
pub(crate) fn innermost(value: &Value) -> Value {
    let mut found = value.clone();
    for _ in 0..10 {
        let inner = match &found {
            Value::Array(items) if items.len() == 1 => items.first().cloned(),
            Value::Object(fields) => fields.get("error").filter(|error| !error.is_null()).cloned().or_else(|| {
                let message = fields.get("message")?.as_str()?;
                serde_json::from_str(message).ok().filter(|inner: &Value| inner.get("error").is_some())
            }),
            _ => None,
        };
        match inner {
            Some(inner) => found = inner,
            None => break,
        }
    }
    found
}

/// The meaning of a status where the body says no more.
pub(crate) fn fault_of_status(code: u16) -> ProviderFault {
    match code {
        401 => ProviderFault::Key,
        402 => ProviderFault::Quota,
        403 => ProviderFault::Permission,
        404 => ProviderFault::NotFound,
        413 => ProviderFault::TooLong,
        429 => ProviderFault::Rate,
        408 | 409 | 425 | 499 | 500..=599 => ProviderFault::Server,
        _ => ProviderFault::Request,
    }
}

/// `34.07s`, `900ms`, `6m0s`.
pub(crate) fn read_delay(text: &str) -> Option<Duration> {
    if let Some(number) = text.strip_suffix("ms") {
        return Duration::try_from_secs_f64(number.trim().parse::<f64>().ok()? / 1000.0).ok();
    }
    let seconds = text.strip_suffix('s')?;
    let (minutes, seconds) = seconds.split_once('m').unwrap_or(("0", seconds));
    let total = minutes.trim().parse::<f64>().ok()? * 60.0 + seconds.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(total).ok()
}

/// The delay behind `lead` in a sentence: `Please retry in 34.07s.`
pub(crate) fn delay_in_words(message: &str, lead: &str) -> Option<Duration> {
    let (_, rest) = message.split_once(lead)?;
    read_delay(rest.split_whitespace().next()?.trim_end_matches(['.', ',']))
}

#[cfg(test)]
mod tests;
