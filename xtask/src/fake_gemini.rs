//! The model that programs under measurement talk to: Gemini's API over loopback, a thread a connection.

use anyhow::Result;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;

/// A request to the model.
pub(crate) struct FakeGeminiRequest {
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

impl FakeGeminiRequest {
    /// True if an answer is wanted, not only a count of tokens.
    pub(crate) fn is_prompt(&self) -> bool {
        self.path.contains("enerateContent")
    }

    /// True if the body holds `text`.
    pub(crate) fn contains(&self, text: &str) -> bool {
        let text = text.as_bytes();
        self.body.windows(text.len()).any(|part| part == text)
    }
}

/// Listen on a free port for as long as the process lives, and answer "ok"; returns the port.
pub(crate) fn start() -> Result<u16> {
    start_with(|_| text_answer("ok"))
}

/// Start it with other answers: JSON in the API's own form. One that is an `error` is sent with the status it names.
pub(crate) fn start_with(answers: impl Fn(&FakeGeminiRequest) -> Value + Send + Sync + 'static) -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    let answers = Arc::new(answers);
    std::thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            let answers = answers.clone();
            std::thread::spawn(move || {
                // A client that hangs up in the middle is that client's business.
                let _ = serve(&socket, answers.as_ref());
            });
        }
    });
    Ok(port)
}

/// The answer that is one text.
pub(crate) fn text_answer(text: &str) -> Value {
    answer_of(&json!({ "text": text }), 1)
}

/// The answer that is one part, to a prompt of `tokens`.
pub(crate) fn answer_of(part: &Value, tokens: usize) -> Value {
    let content = json!({ "role": "model", "parts": [part] });
    let usage = json!({ "promptTokenCount": tokens, "candidatesTokenCount": 1, "totalTokenCount": tokens + 1 });
    json!({ "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }], "usageMetadata": usage })
}

/// Answer requests on one connection until it closes.
fn serve(socket: &TcpStream, answers: &dyn Fn(&FakeGeminiRequest) -> Value) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket);
    let mut writer = socket;
    while let Some(asked) = request(&mut reader)? {
        writer.write_all(answer(&asked, answers).as_bytes())?;
    }
    Ok(())
}

/// Read one request; `None` when the client is done.
fn request(reader: &mut impl BufRead) -> std::io::Result<Option<FakeGeminiRequest>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap_or(0);
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    Ok(Some(FakeGeminiRequest { path, body }))
}

/// The answer to a request that could not be met, with its HTTP status.
pub(crate) fn error_answer(status: u16, message: &str) -> Value {
    json!({ "error": { "code": status, "message": message } })
}

fn answer(asked: &FakeGeminiRequest, answers: &dyn Fn(&FakeGeminiRequest) -> Value) -> String {
    let answered = if asked.path.contains(":countTokens") {
        json!({ "totalTokens": asked.body.len().div_ceil(4) })
    } else {
        answers(asked)
    };
    let failure = answered["error"]["code"].as_u64();
    let (media, body) = if failure.is_none() && asked.path.contains(":streamGenerateContent") {
        ("text/event-stream", format!("data: {answered}\r\n\r\n"))
    } else {
        ("application/json", answered.to_string())
    };
    let status = failure.map_or("200 OK".to_owned(), |code| format!("{code} Failed"));
    format!("HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut bytes: &[u8] = b"POST /a HTTP/1.1\r\ncontent-length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n\r\n";
        let first = request(&mut bytes).unwrap().unwrap();
        assert_eq!((first.path.as_str(), first.body.as_slice()), ("/a", &b"abc"[..]));
        assert!(first.contains("bc") && !first.contains("abd"));
        assert_eq!(request(&mut bytes).unwrap().unwrap().path, "/b");
        assert!(request(&mut bytes).unwrap().is_none());
    }

    #[test]
    fn a_stream_is_answered_with_an_event() {
        let asked = |path: &str| FakeGeminiRequest { path: path.into(), body: b"12345".to_vec() };
        let answers = |_: &FakeGeminiRequest| text_answer("ok");
        let stream = asked("/v1beta/models/x:streamGenerateContent?alt=sse");
        assert!(stream.is_prompt());
        assert!(answer(&stream, &answers).contains("\r\n\r\ndata: {\"candidates\""));
        let count = asked("/v1beta/models/x:countTokens");
        assert!(!count.is_prompt());
        assert!(answer(&count, &answers).ends_with("{\"totalTokens\":2}"));
        let failed = answer(&stream, &|_: &FakeGeminiRequest| error_answer(503, "later"));
        assert!(failed.starts_with("HTTP/1.1 503 ") && failed.ends_with(r#"{"error":{"code":503,"message":"later"}}"#));
    }
}
