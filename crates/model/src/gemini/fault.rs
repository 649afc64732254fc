//! Reads Google's error bodies.

use crate::error::{ModelError, ProviderFault};
use crate::provider::Provider;
use crate::transport::{ProviderErrorAnswer, delay_in_words, fault_of_status, innermost, read_delay};
use serde_json::Value;
use std::time::Duration;

/// A provider that asks for a longer wait is not waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// The error that an error frame, or the body of an error answer, describes.
pub(crate) fn read_fault(provider: Provider, trouble: &ProviderErrorAnswer) -> ModelError {
    let http = trouble.http;
    let error = innermost(&trouble.body);
    let told = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let code = told.filter(|code| (400..600).contains(code)).unwrap_or(if http == 200 { 500 } else { http });
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = error.as_str().map_or_else(|| word("message"), str::to_owned);
    let facts = FaultDetails::read(&error, &message, trouble.retry_after);
    let fault = judge(code, &message, &facts);
    ModelError::Api { provider, http, code, status: word("status"), message, retry_after: facts.delay, fault }
}

/// The details of an error.
struct FaultDetails {
    any: bool,
    delay: Option<Duration>,
    reasons: Vec<String>,
    quotas: Vec<String>,
}

impl FaultDetails {
    fn read(error: &Value, message: &str, header: Option<Duration>) -> FaultDetails {
        let details = error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let of_type = |name: &'static str| {
            let is_it = move |detail: &&Value| detail["@type"].as_str().is_some_and(|kind| kind.ends_with(name));
            details.iter().filter(is_it)
        };
        let told = of_type("RetryInfo").find_map(|info| read_delay(info["retryDelay"].as_str()?));
        let violations = of_type("QuotaFailure").filter_map(|quota| quota["violations"].as_array()).flatten();
        let mut facts = FaultDetails {
            any: !details.is_empty(),
            delay: told.or_else(|| delay_in_words(message, "Please retry in ")).or(header),
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

fn judge(code: u16, message: &str, facts: &FaultDetails) -> ProviderFault {
    match code {
        // A wrong key is an invalid argument to Google.
        400 if facts.reason_is(&["API_KEY_INVALID"]) || message.contains("API key not valid") => {
            return ProviderFault::Key;
        }
        400 if message.contains("exceeds the maximum number of tokens") => return ProviderFault::TooLong,
        429 | 499 | 500..=599 => {}
        other => return fault_of_status(other),
    }
    let busy = fault_of_status(code);
    let is_capacity = ["exhausted your capacity", "capacity exceeded", "MODEL_CAPACITY_EXHAUSTED"];
    if matches!(code, 429 | 499 | 503) && message.contains("limit: 0") {
        ProviderFault::Quota
    } else if !facts.any && facts.delay.is_none() && is_capacity.iter().any(|words| message.contains(words)) {
        ProviderFault::Capacity
    } else if facts.quota_has(&["PerDay", "Daily"]) || facts.reason_is(&["QUOTA_EXHAUSTED"]) {
        ProviderFault::Quota
    } else if facts.reason_is(&[
        "MODEL_CAPACITY_EXHAUSTED",
        "MODEL_CAPACITY_EXCEEDED",
        "INSUFFICIENT_G1_CREDITS_BALANCE",
    ]) {
        ProviderFault::Capacity
    } else if facts.delay.is_some_and(|delay| delay > PATIENCE) {
        ProviderFault::Quota
    } else {
        busy
    }
}

#[cfg(test)]
mod tests;
