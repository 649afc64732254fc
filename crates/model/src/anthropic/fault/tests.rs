use super::*;
use crate::error::RetryClass;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::time::Duration;

#[track_caller]
fn check(http: u16, kind: &str, message: &str, class: RetryClass, word: &str) {
    let body = json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"});
    let error = read_fault(Provider::Anthropic, &ProviderErrorAnswer { http, retry_after: None, body });
    assert_eq!((error.class(), error.kind()), (class, word), "{error}");
}

const AGAIN: RetryClass = RetryClass::Retryable { after: None };

#[test]
fn every_error_has_its_class_before_an_answer_and_within_one() {
    let kinds = [
        (400, "invalid_request_error", "bad", RetryClass::Terminal, "model_request"),
        (401, "authentication_error", "who", RetryClass::Terminal, "model_key"),
        (402, "billing_error", "pay", RetryClass::Terminal, "model_quota"),
        (403, "permission_error", "no", RetryClass::Terminal, "model_permission"),
        (404, "not_found_error", "model: x", RetryClass::Terminal, "model_not_found"),
        (413, "request_too_large", "big", RetryClass::Terminal, "model_too_long"),
        (429, "rate_limit_error", "slow", AGAIN, "model_rate"),
        (500, "api_error", "oops", AGAIN, "model_server"),
        (504, "timeout_error", "late", AGAIN, "model_server"),
        (529, "overloaded_error", "Overloaded", AGAIN, "model_server"),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 210000 tokens > 200000 maximum",
            RetryClass::Terminal,
            "model_too_long",
        ),
        (400, "invalid_request_error", "Your credit balance is too low", RetryClass::Terminal, "model_quota"),
    ];
    for (http, kind, message, class, word) in kinds {
        check(http, kind, message, class, word);
        check(200, kind, message, class, word);
    }
}

#[test]
fn a_gateway_may_answer_with_a_page() {
    let trouble = ProviderErrorAnswer { http: 502, retry_after: Some(Duration::from_secs(3)), body: json!("<html>") };
    let error = read_fault(Provider::Anthropic, &trouble);
    assert_eq!(error.class(), RetryClass::Retryable { after: Some(Duration::from_secs(3)) });
}
