//! Whole answers in Google's shapes.

use axum::body::Body;
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};

/// A JSON body.
pub(super) fn json_answer(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
}

/// An error.
pub(super) fn error(code: StatusCode, status: &str, message: &str) -> Response<Body> {
    json_answer(code, &json!({"error": {"code": code.as_u16(), "status": status, "message": message}}))
}

/// The answer to a `generateContent` with `urlContext`: every address that was named and how reading it went. One that
/// has `missing` in it cannot be read.
pub(super) fn read_pages(body: &Value) -> Option<Response<Body>> {
    body["tools"].as_array()?.iter().find(|tool| tool.get("urlContext").is_some())?;
    let prompt = body["contents"][0]["parts"][0]["text"].as_str().unwrap_or_default();
    let addresses = prompt.split_whitespace().filter(|word| word.starts_with("http"));
    let pages: Vec<Value> = addresses
        .map(|address| {
            let went = if address.contains("missing") { "ERROR" } else { "SUCCESS" };
            json!({"retrievedUrl": address, "urlRetrievalStatus": format!("URL_RETRIEVAL_STATUS_{went}")})
        })
        .collect();
    let text = format!("The pages answer: {prompt}");
    Some(json_answer(
        StatusCode::OK,
        &json!({
            "candidates": [{
                "content": {"role": "model", "parts": [{"text": text}]},
                "finishReason": "STOP",
                "urlContextMetadata": {"urlMetadata": pages},
            }],
            "usageMetadata": {"promptTokenCount": 12, "toolUsePromptTokenCount": 300, "candidatesTokenCount": 8},
        }),
    ))
}
