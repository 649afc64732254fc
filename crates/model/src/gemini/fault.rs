//! Error bodies: found wherever they are nested, and judged.

use super::exchange::Reply;
use crate::error::{Fault, ModelError};
use futures_util::StreamExt;
use serde_json::Value;
use std::time::Duration;

/// How much of an error body is read.
const LONGEST: usize = 256 * 1024;
/// How much of a body that is no JSON is repeated.
const EXCERPT: usize = 300;
/// A provider that asks for a longer wait is not waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// What an answer with an error status says.
pub(super) async fn of_reply(reply: Reply) -> ModelError {
    let mut text = Vec::new();
    let mut body = reply.body;
    while let Some(Ok(chunk)) = body.next().await {
        let room = LONGEST - text.len();
        text.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if text.len() == LONGEST {
            break;
        }
    }
    let value = serde_json::from_slice(&text).unwrap_or_else(|_| {
        let text = String::from_utf8_lossy(&text);
        Value::String(text.trim().chars().take(EXCERPT).collect())
    });
    of_value(reply.status, reply.retry_after, &value)
}

/// What an error frame, or the body of an error answer, says. `http` is 200 in the middle of an answer.
pub(super) fn of_value(http: u16, retry_after: Option<Duration>, value: &Value) -> ModelError {
    let error = innermost(value);
    let told = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let code = told.filter(|code| (400..600).contains(code)).unwrap_or(if http == 200 { 500 } else { http });
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = error.as_str().map_or_else(|| word("message"), str::to_owned);
    let facts = Facts::read(&error, &message, retry_after);
    let fault = judge(code, &message, &facts);
    ModelError::Api { http, code, status: word("status"), message, retry_after: facts.delay, fault }
}

/// The error object itself: out of a one-element array, out of `error`, out of JSON inside `message`.
fn innermost(value: &Value) -> Value {
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

/// What the details of an error say.
struct Facts {
    any: bool,
    delay: Option<Duration>,
    reasons: Vec<String>,
    quotas: Vec<String>,
}

impl Facts {
    fn read(error: &Value, message: &str, header: Option<Duration>) -> Facts {
        let details = error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let of_type = |name: &'static str| {
            let is_it = move |detail: &&Value| detail["@type"].as_str().is_some_and(|kind| kind.ends_with(name));
            details.iter().filter(is_it)
        };
        let told = of_type("RetryInfo").find_map(|info| read_delay(info["retryDelay"].as_str()?));
        let violations = of_type("QuotaFailure").filter_map(|quota| quota["violations"].as_array()).flatten();
        let mut facts = Facts {
            any: !details.is_empty(),
            delay: told.or_else(|| delay_in_words(message)).or(header),
            reasons: of_type("ErrorInfo").filter_map(|info| Some(info["reason"].as_str()?.to_owned())).collect(),
            quotas: violations.filter_map(|violation| Some(violation["quotaId"].as_str()?.to_owned())).collect(),
        };
        if facts.delay.is_none() && facts.quota_has(&["PerMinute"]) {
            facts.delay = Some(Duration::from_secs(60));
        }
        facts
    }

    fn reason_is(&self, reasons: &[&str]) -> bool {
        self.reasons.iter().any(|reason| reasons.contains(&reason.as_str()))
    }

    fn quota_has(&self, words: &[&str]) -> bool {
        self.quotas.iter().any(|quota| words.iter().any(|word| quota.contains(word)))
    }
}

fn judge(code: u16, message: &str, facts: &Facts) -> Fault {
    match code {
        404 => return Fault::NotFound,
        401 => return Fault::Key,
        403 => return Fault::Permission,
        // A wrong key is an invalid argument to Google.
        400 if facts.reason_is(&["API_KEY_INVALID"]) || message.contains("API key not valid") => return Fault::Key,
        429 | 499 | 500..=599 => {}
        _ => return Fault::Request,
    }
    let busy = if code == 429 { Fault::Rate } else { Fault::Server };
    let is_capacity = ["exhausted your capacity", "capacity exceeded", "MODEL_CAPACITY_EXHAUSTED"];
    if matches!(code, 429 | 499 | 503) && message.contains("limit: 0") {
        Fault::Quota
    } else if !facts.any && facts.delay.is_none() && is_capacity.iter().any(|words| message.contains(words)) {
        Fault::Capacity
    } else if facts.quota_has(&["PerDay", "Daily"]) || facts.reason_is(&["QUOTA_EXHAUSTED"]) {
        Fault::Quota
    } else if facts.reason_is(&[
        "MODEL_CAPACITY_EXHAUSTED",
        "MODEL_CAPACITY_EXCEEDED",
        "INSUFFICIENT_G1_CREDITS_BALANCE",
    ]) {
        Fault::Capacity
    } else if facts.delay.is_some_and(|delay| delay > PATIENCE) {
        Fault::Quota
    } else {
        busy
    }
}

/// `34.07s`, `900ms`.
fn read_delay(text: &str) -> Option<Duration> {
    let (number, scale) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s')?, 1.0),
    };
    Duration::try_from_secs_f64(number.trim().parse::<f64>().ok()? * scale).ok()
}

/// `Please retry in 34.07s.`
fn delay_in_words(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("Please retry in ")?;
    read_delay(rest.split_whitespace().next()?.trim_end_matches(['.', ',']))
}

#[cfg(test)]
mod tests;
