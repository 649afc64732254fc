//! `cachedContents` as Google does them: made once, named in requests, gone after a while.

use super::answers::{error, json_answer};
use axum::body::Body;
use axum::http::{Method, Response, StatusCode};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The contents that are kept.
pub(super) struct CachedContents {
    made: usize,
    names: HashSet<String>,
    /// Smaller ones are not kept; in tokens.
    pub(super) smallest: u64,
}

impl CachedContents {
    pub(super) fn new() -> CachedContents {
        CachedContents { made: 0, names: HashSet::new(), smallest: 0 }
    }

    /// Let everything expire.
    pub(super) fn expire(&mut self) {
        self.names.clear();
    }

    /// The answer to a request to keep something, or nothing if it is another request.
    pub(super) fn answer(&mut self, method: &Method, path: &str, body: &Value) -> Option<Response<Body>> {
        if method != Method::POST || !path.ends_with("/cachedContents") {
            return None;
        }
        if !body["model"].as_str().is_some_and(|model| model.contains("models/")) {
            return Some(error(
                StatusCode::BAD_REQUEST,
                "INVALID_ARGUMENT",
                "* CreateCachedContentRequest.model: unexpected model name format",
            ));
        }
        // Four bytes are about a token.
        let size = [&body["systemInstruction"], &body["tools"], &body["contents"]];
        let size = size.iter().map(|part| part.to_string().len() as u64 / 4).sum::<u64>();
        if size < self.smallest {
            let least = self.smallest;
            let message =
                format!("Cached content is too small. total_token_count={size}, min_total_token_count={least}");
            return Some(error(StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", &message));
        }
        self.made += 1;
        // Within a project names have the project in front.
        let parent = path.split_once("/projects/").map(|(_, rest)| format!("projects/{rest}"));
        let parent = parent.unwrap_or_else(|| "cachedContents".to_owned());
        let name = format!("{parent}/kept-{}", self.made);
        self.names.insert(name.clone());
        let usage = json!({"totalTokenCount": size});
        Some(json_answer(StatusCode::OK, &json!({"name": name, "model": body["model"], "usageMetadata": usage})))
    }

    /// Why a request may not use what it names, if so.
    pub(super) fn check_cache(&self, body: &Value) -> Option<Response<Body>> {
        let name = body.get("cachedContent")?.as_str().unwrap_or_default();
        if !self.names.contains(name) {
            let message = "CachedContent not found (or permission denied)";
            return Some(error(StatusCode::FORBIDDEN, "PERMISSION_DENIED", message));
        }
        let repeated = ["systemInstruction", "tools", "toolConfig"].iter().any(|key| body.get(key).is_some());
        repeated.then(|| {
            let message = "CachedContent can not be used with GenerateContent request setting system_instruction, tools \
                           or tool_config.";
            error(StatusCode::BAD_REQUEST, "INVALID_ARGUMENT", message)
        })
    }
}
