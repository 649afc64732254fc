use super::*;
use crate::error::RetryClass;
use pretty_assertions::assert_eq;
use serde_json::json;

fn of_value(http: u16, retry_after: Option<Duration>, body: &Value) -> ModelError {
    read_fault(Provider::Gemini, &ProviderErrorAnswer { http, retry_after, body: body.clone() })
}

/// The class and the word for an error answer.
#[track_caller]
fn check(http: u16, body: &Value, class: RetryClass, kind: &str) {
    let error = of_value(http, None, body);
    assert_eq!((error.class(), error.kind()), (class, kind), "{error}");
}

fn error(code: u16, message: &str, details: &Value) -> Value {
    json!({"error": {"code": code, "message": message, "status": "S", "details": details}})
}

fn detail(kind: &str, mut fields: Value) -> Value {
    fields["@type"] = json!(format!("type.googleapis.com/google.rpc.{kind}"));
    fields
}

const AGAIN: RetryClass = RetryClass::Retryable { after: None };

fn after(millis: u64) -> RetryClass {
    RetryClass::Retryable { after: Some(Duration::from_millis(millis)) }
}

#[test]
fn every_status_has_its_class() {
    let none = json!([]);
    check(404, &error(404, "no model", &none), RetryClass::Terminal, "model_not_found");
    check(400, &error(400, "bad", &none), RetryClass::Terminal, "model_request");
    check(401, &error(401, "who", &none), RetryClass::Terminal, "model_key");
    check(403, &error(403, "no", &none), RetryClass::Terminal, "model_permission");
    check(429, &error(429, "slow", &none), AGAIN, "model_rate");
    check(499, &error(499, "cancelled", &none), AGAIN, "model_server");
    check(500, &error(500, "oops", &none), AGAIN, "model_server");
    check(502, &json!("<html>bad gateway"), AGAIN, "model_server");
    check(503, &error(503, "busy", &none), AGAIN, "model_server");
    check(302, &json!(""), RetryClass::Terminal, "model_request");
}

#[test]
fn a_wrong_key_is_a_400_to_google() {
    let info = json!([detail("ErrorInfo", json!({"reason": "API_KEY_INVALID"}))]);
    check(400, &error(400, "API key not valid.", &info), RetryClass::Terminal, "model_key");
    check(
        400,
        &error(400, "API key not valid. Please pass a valid API key.", &json!([])),
        RetryClass::Terminal,
        "model_key",
    );
    let sentence = of_value(400, None, &error(400, "API key not valid.", &info)).to_string();
    assert_eq!(sentence, "the model answered 400 S: API key not valid; check GEMINI_API_KEY");
}

#[test]
fn delays_are_read_wherever_they_are_told() {
    let retry = |delay: &str| json!([detail("RetryInfo", json!({"retryDelay": delay}))]);
    check(429, &error(429, "slow", &retry("34.07s")), after(34_070), "model_rate");
    check(503, &error(503, "busy", &retry("900ms")), after(900), "model_server");
    check(429, &error(429, "slow", &retry("301s")), RetryClass::Terminal, "model_quota");
    check(429, &error(429, "slow", &retry("soon")), AGAIN, "model_rate");
    check(429, &error(429, "Please retry in 12.5s.", &json!([])), after(12_500), "model_rate");
    check(429, &error(429, "Please retry in 400s.", &json!([])), RetryClass::Terminal, "model_quota");
    let header = of_value(503, Some(Duration::from_secs(9)), &json!(""));
    assert_eq!(header.class(), after(9_000));
}

#[test]
fn quotas_that_stay_used_up_are_final() {
    let quota = |id: &str| json!([detail("QuotaFailure", json!({"violations": [{"quotaId": id}]}))]);
    let reason = |reason: &str| json!([detail("ErrorInfo", json!({"reason": reason}))]);
    check(429, &error(429, "q", &quota("GenerateRequestsPerDayPerProject")), RetryClass::Terminal, "model_quota");
    check(429, &error(429, "q", &quota("GenerateRequestsPerMinute")), after(60_000), "model_rate");
    check(429, &error(429, "quota, limit: 0", &json!([])), RetryClass::Terminal, "model_quota");
    check(429, &error(429, "q", &reason("MODEL_CAPACITY_EXHAUSTED")), RetryClass::Terminal, "model_capacity");
    check(429, &error(429, "q", &reason("INSUFFICIENT_G1_CREDITS_BALANCE")), RetryClass::Terminal, "model_capacity");
    check(429, &error(429, "q", &reason("QUOTA_EXHAUSTED")), RetryClass::Terminal, "model_quota");
    check(429, &error(429, "You have exhausted your capacity", &json!([])), RetryClass::Terminal, "model_capacity");
}

#[test]
fn errors_are_found_however_deep() {
    let plain = error(503, "busy", &json!([]));
    let nested = json!({"error": {"code": 503, "message": plain.to_string()}});
    let deeper = json!([{"error": {"message": nested.to_string()}}]);
    let expected = of_value(503, None, &plain);
    assert_eq!(of_value(503, None, &json!([plain])), expected);
    assert_eq!(of_value(503, None, &nested), expected);
    assert_eq!(of_value(503, None, &deeper), expected);
    assert_eq!(
        expected.to_string(),
        "the model answered 503 S: busy; the provider has trouble of its own; it may work in a moment"
    );
}

#[test]
fn a_prompt_that_is_too_long_is_told_apart() {
    let message = "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).";
    check(400, &error(400, message, &json!([])), RetryClass::Terminal, "model_too_long");
    check(413, &json!("too large"), RetryClass::Terminal, "model_too_long");
}
