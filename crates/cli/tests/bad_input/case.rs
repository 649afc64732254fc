//! One bad request and the answer it must get.

use super::task_server::TaskServer;
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::http::{self, HttpAnswer};
use serde_json::{Value, json};

/// A request that is refused.
pub(crate) struct RefusedRequest {
    name: String,
    request: Vec<u8>,
    status: u16,
    code: Value,
    words: Vec<String>,
    /// The id that a JSON-RPC answer must carry.
    id: Value,
}

/// A case from the bytes of its request.
pub(crate) fn raw(name: &str, request: Vec<u8>, status: u16, code: impl Into<Value>, words: &[&str]) -> RefusedRequest {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    RefusedRequest { name: name.into(), request, status, code: code.into(), words, id: Value::Null }
}

/// A JSON-RPC call that `POST /` refuses.
pub(crate) fn rpc(room: &TaskServer, name: &str, call: &Value, code: i64, words: &[&str]) -> RefusedRequest {
    let id = call.get("id").cloned().unwrap_or_default();
    RefusedRequest { id, ..raw(name, json_post(room, "/", call.to_string().as_bytes()), 200, code, words) }
}

/// A call of `method` that `POST /` refuses for its parameters.
pub(crate) fn params(
    room: &TaskServer,
    name: &str,
    method: &str,
    params: &Value,
    code: i64,
    words: &[&str],
) -> RefusedRequest {
    let call = json!({"jsonrpc": "2.0", "id": format!("{name} of {method}"), "method": method, "params": params});
    rpc(room, &format!("{method}: {name}"), &call, code, words)
}

/// `POST path` with a JSON body.
pub(crate) fn json_post(room: &TaskServer, path: &str, body: &[u8]) -> Vec<u8> {
    request(room, "POST", path, &[("Content-Type", "application/json")], body)
}

/// A whole request that says which host it means.
pub(crate) fn request(room: &TaskServer, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let host = [("Host", room.address())];
    bare(method, path, &[&host, headers].concat(), body)
}

/// A whole request with these headers and no others but the length, on a connection of its own.
pub(crate) fn bare(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let is_told = headers.iter().any(|(name, _)| *name == "Connection");
    let close = if is_told { "" } else { "Connection: close\r\n" };
    let head = format!("{method} {path} HTTP/1.1\r\n{close}{lines}{length}\r\n");
    [head.as_bytes(), body].concat()
}

impl RefusedRequest {
    /// Send it and check its answer.
    async fn check(&self, room: &TaskServer) -> Result<()> {
        let answer = http::raw(room.address(), &self.request).await?;
        let (status, headers) = (answer.status, answer.headers.clone());
        let body = body_of(answer).await?;
        ensure!(status == self.status, "status {status}, not {}: {body}", self.status);
        ensure!(!headers.contains_key("access-control-allow-origin"), "no other site is let in");
        if self.code.is_null() {
            return Ok(());
        }
        ensure!(headers.get("content-type").is_some_and(|kind| kind == "application/json"), "{headers:?}");
        ensure!(body["error"]["code"] == self.code, "not {}: {body}", self.code);
        ensure!(body.get("id").is_none_or(|id| *id == self.id), "the id is not {}: {body}", self.id);
        check_sentence(&body["error"]["message"], &self.words)
    }
}

/// Check that every case is refused, and that not one of them leaves a trace in the log.
pub(crate) async fn refuse_all(room: &TaskServer, cases: &[RefusedRequest]) -> Result<()> {
    let before = room.log().await?;
    for case in cases {
        let about = || format!("{:?}: {}", room.mode, case.name);
        case.check(room).await.with_context(about)?;
        ensure!(room.log().await? == before, "{} is in the log", about());
    }
    Ok(())
}

/// Check that `message` is a sentence with these words in it.
pub(crate) fn check_sentence(message: &Value, words: &[impl AsRef<str>]) -> Result<()> {
    let sentence = message.as_str().with_context(|| format!("{message} is no sentence"))?;
    for word in words {
        ensure!(sentence.contains(word.as_ref()), "{:?} is missing in {sentence:?}", word.as_ref());
    }
    Ok(())
}

/// The body: JSON, or nothing where HTTP itself fails.
async fn body_of(answer: HttpAnswer) -> Result<Value> {
    let text = answer.text().await?;
    Ok(if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap_or(Value::String(text)) })
}
