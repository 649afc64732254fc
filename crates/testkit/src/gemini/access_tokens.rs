//! Google's side of signing in: a token endpoint, a metadata server, and the check of tokens on Vertex AI.

use super::answers::{error, json_answer};
use axum::body::Body;
use axum::http::{HeaderMap, Method, Response, StatusCode};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The tokens that were given.
pub(super) struct IssuedTokens {
    issued: usize,
    valid: HashSet<String>,
    pub(super) lasts: u64,
}

impl IssuedTokens {
    pub(super) fn new() -> IssuedTokens {
        IssuedTokens { issued: 0, valid: HashSet::new(), lasts: 3600 }
    }

    /// Withdraw every token.
    pub(super) fn revoke(&mut self) {
        self.valid.clear();
    }

    /// The answer to a request for a token, or nothing if it is another request.
    pub(super) fn answer(
        &mut self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        form: &Value,
    ) -> Option<Response<Body>> {
        match (method.as_str(), path) {
            ("POST", "/token") => Some(self.grant(form)),
            ("GET", "/computeMetadata/v1/instance/service-accounts/default/token") => {
                let asked = headers.get("metadata-flavor").is_some_and(|flavor| flavor == "Google");
                Some(if asked {
                    self.issue_token()
                } else {
                    refuse("missing_header", "Missing Metadata-Flavor header.")
                })
            }
            _ => None,
        }
    }

    /// Why a request to a project may not be made, if so: the Gemini API and express mode go by key.
    pub(super) fn check_token(&self, path: &str, headers: &HeaderMap) -> Option<Response<Body>> {
        let bearer = headers.get("authorization").and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let is_good = bearer.is_some_and(|token| self.valid.contains(token));
        (path.contains("/projects/") && !is_good).then(|| {
            let message = "Request had invalid authentication credentials.";
            error(StatusCode::UNAUTHORIZED, "UNAUTHENTICATED", message)
        })
    }

    fn grant(&mut self, form: &Value) -> Response<Body> {
        let has = |field: &str| form[field].as_str().is_some_and(|value| !value.is_empty());
        match form["grant_type"].as_str() {
            Some("urn:ietf:params:oauth:grant-type:jwt-bearer") if has("assertion") => self.issue_token(),
            Some("refresh_token") if form["refresh_token"] == "withdrawn" => {
                refuse("invalid_grant", "Token has been expired or revoked.")
            }
            Some("refresh_token") if ["client_id", "client_secret", "refresh_token"].into_iter().all(has) => {
                self.issue_token()
            }
            _ => refuse("unsupported_grant_type", "Invalid grant_type"),
        }
    }

    fn issue_token(&mut self) -> Response<Body> {
        self.issued += 1;
        let token = format!("token-{}", self.issued);
        self.valid.insert(token.clone());
        let body = json!({"access_token": token, "expires_in": self.lasts, "token_type": "Bearer"});
        json_answer(StatusCode::OK, &body)
    }
}

/// OAuth's own shape of an error.
fn refuse(word: &str, sentence: &str) -> Response<Body> {
    json_answer(StatusCode::BAD_REQUEST, &json!({"error": word, "error_description": sentence}))
}
