//! Reads Anthropic's error bodies: `{"type": "error", "error": {"type": "overloaded_error", "message": …}}`.

use crate::error::{ModelError, ProviderFault};
use crate::provider::Provider;
use crate::transport::{ProviderErrorAnswer, fault_of_status, innermost};
use serde_json::Value;

/// The error that an error event, or the body of an error answer, describes.
pub(super) fn read_fault(provider: Provider, trouble: &ProviderErrorAnswer) -> ModelError {
    let error = innermost(&trouble.body);
    let word = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let message = error.as_str().map_or_else(|| word("message"), str::to_owned);
    let status = word("type");
    let code = if trouble.http == 200 { code_of_word(&status) } else { trouble.http };
    let fault = judge(code, &message);
    ModelError::Api { provider, http: trouble.http, code, status, message, retry_after: trouble.retry_after, fault }
}

fn judge(code: u16, message: &str) -> ProviderFault {
    match code {
        400 if message.contains("prompt is too long") || message.contains("exceed context limit") => {
            ProviderFault::TooLong
        }
        400 if message.contains("credit balance is too low") => ProviderFault::Quota,
        other => fault_of_status(other),
    }
}

/// The status an error would have had, had it come before the answer.
fn code_of_word(word: &str) -> u16 {
    match word {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}

#[cfg(test)]
mod tests;
