//! Reads error bodies in OpenAI's format and its many variants.

use crate::error::{ModelError, ProviderFault};
use crate::provider::Provider;
use crate::transport::{ProviderErrorAnswer, delay_in_words, fault_of_status, innermost};
use serde_json::Value;

/// The error that an error frame, or the body of an error answer, describes.
pub(crate) fn read_fault(provider: Provider, trouble: &ProviderErrorAnswer) -> ModelError {
    let error = innermost(&trouble.body);
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = error.as_str().map_or_else(|| word("message"), str::to_owned);
    // A code is a number on some servers and a word on others; a type is always a word, and vaguer.
    let status = if word("code").is_empty() { word("type") } else { word("code") };
    let told = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let told = told.filter(|code| (400..600).contains(code));
    let code = match (trouble.http, told) {
        (200, told) => told.unwrap_or_else(|| code_of_word(&status)),
        (http, _) => http,
    };
    let retry_after = trouble.retry_after.or_else(|| delay_in_words(&message, "Please try again in "));
    let fault = judge(code, &status, &message);
    ModelError::Api { provider, http: trouble.http, code, status, message, retry_after, fault }
}

fn judge(code: u16, status: &str, message: &str) -> ProviderFault {
    let is_long = ["maximum context length", "context length exceeded", "exceeds the available context size"];
    match status {
        "invalid_api_key" | "authentication_error" => ProviderFault::Key,
        "insufficient_quota" | "billing_hard_limit_reached" => ProviderFault::Quota,
        "context_length_exceeded" | "exceed_context_size_error" => ProviderFault::TooLong,
        "model_not_found" => ProviderFault::NotFound,
        _ if code == 400 && is_long.iter().any(|words| message.contains(words)) => ProviderFault::TooLong,
        _ => fault_of_status(code),
    }
}

/// The status an error would have had, had it come before the answer.
fn code_of_word(word: &str) -> u16 {
    match word {
        "invalid_request_error" | "context_length_exceeded" => 400,
        "rate_limit_exceeded" | "requests" | "tokens" | "insufficient_quota" => 429,
        _ => 500,
    }
}

#[cfg(test)]
mod tests;
