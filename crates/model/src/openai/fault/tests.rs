use super::*;
use crate::error::RetryClass;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::time::Duration;

fn read(http: u16, body: &Value) -> ModelError {
    read_fault(Provider::OpenAi, &ProviderErrorAnswer { http, retry_after: None, body: body.clone() })
}

#[track_caller]
fn check(http: u16, body: &Value, class: RetryClass, kind: &str) {
    let error = read(http, body);
    assert_eq!((error.class(), error.kind()), (class, kind), "{error}");
}

fn error(message: &str, code: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": code}})
}

const AGAIN: RetryClass = RetryClass::Retryable { after: None };

#[test]
fn every_status_has_its_class() {
    check(400, &error("bad", "x"), RetryClass::Terminal, "model_request");
    check(401, &error("Incorrect API key", "invalid_api_key"), RetryClass::Terminal, "model_key");
    check(402, &error("credits", ""), RetryClass::Terminal, "model_quota");
    check(403, &error("no", ""), RetryClass::Terminal, "model_permission");
    check(404, &error("no such model", "model_not_found"), RetryClass::Terminal, "model_not_found");
    check(408, &error("slow", ""), AGAIN, "model_server");
    check(429, &error("slow down", "rate_limit_exceeded"), AGAIN, "model_rate");
    check(429, &error("pay", "insufficient_quota"), RetryClass::Terminal, "model_quota");
    check(500, &json!("oops"), AGAIN, "model_server");
    check(
        503,
        &json!({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}),
        AGAIN,
        "model_server",
    );
}

#[test]
fn variants_of_many_servers_are_read() {
    assert_eq!(
        read(404, &json!({"error": "model 'x' not found, try pulling it first"})).to_string(),
        "the model answered 404: model 'x' not found, try pulling it first; choose a model that exists with -m"
    );
    check(
        400,
        &json!({"object": "error", "message": "This model's maximum context length is 8192 tokens.",
        "type": "BadRequestError", "code": 400}),
        RetryClass::Terminal,
        "model_too_long",
    );
    check(
        400,
        &json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "too big"}}),
        RetryClass::Terminal,
        "model_too_long",
    );
    check(400, &error("long", "context_length_exceeded"), RetryClass::Terminal, "model_too_long");
}

#[test]
fn the_delay_may_be_in_the_sentence() {
    let body = error("Rate limit reached. Please try again in 1m2.5s. Visit the page.", "rate_limit_exceeded");
    check(429, &body, RetryClass::Retryable { after: Some(Duration::from_millis(62_500)) }, "model_rate");
    let header = ProviderErrorAnswer { http: 429, retry_after: Some(Duration::from_secs(9)), body };
    assert_eq!(
        read_fault(Provider::OpenAi, &header).class(),
        RetryClass::Retryable { after: Some(Duration::from_secs(9)) }
    );
}

#[test]
fn the_key_to_check_is_the_providers() {
    let trouble = ProviderErrorAnswer {
        http: 401,
        retry_after: None,
        body: json!({"error": {"message": "No auth", "code": 401}}),
    };
    let sentence = read_fault(Provider::OpenRouter, &trouble).to_string();
    assert_eq!(sentence, "the model answered 401: No auth; check OPENROUTER_API_KEY");
}
