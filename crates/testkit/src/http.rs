//! A tiny HTTP/1.1 client: one request a connection, answers as text, JSON or a stream of events.

use crate::program::TIMEOUT;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// An answer whose body has not been read yet.
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: HashMap<String, String>,
    body: Body,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedEvent {
    /// Its `id:`, if it has one.
    pub id: Option<String>,
    /// Its `data:`, as JSON.
    pub data: Value,
}

struct Body {
    reader: BufReader<TcpStream>,
    chunked: bool,
    /// Bytes left of a body with a length; `None` reads to the end.
    left: Option<usize>,
    /// Bytes that have arrived and were not taken.
    buffer: Vec<u8>,
    ended: bool,
}

/// Send a request. `headers` are extra ones; one called `Host` replaces the address.
pub async fn request(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<HttpAnswer> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    raw(address, &[head.as_bytes(), body].concat()).await
}

/// Send these bytes and nothing else, and read the answer.
pub async fn raw(address: &str, bytes: &[u8]) -> Result<HttpAnswer> {
    let mut stream = TcpStream::connect(address).await?;
    // A server that has heard enough answers and stops reading: its answer is what counts.
    let sent = timeout(TIMEOUT, stream.write_all(bytes)).await.context("the server does not take the request")?;
    let answer = timeout(TIMEOUT, HttpAnswer::read(stream)).await.context("no answer comes")?;
    answer.or_else(|unread| sent.map_err(anyhow::Error::from).and(Err(unread)))
}

/// `GET path`.
pub async fn get(address: &str, path: &str) -> Result<HttpAnswer> {
    request(address, "GET", path, &[], &[]).await
}

/// `POST path` with a JSON body.
pub async fn post(address: &str, path: &str, body: &Value) -> Result<HttpAnswer> {
    request(address, "POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes()).await
}

/// A JSON-RPC call; the whole answer.
pub async fn rpc(address: &str, method: &str, params: &Value) -> Result<Value> {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    post(address, "/", &call).await?.json().await
}

/// A JSON-RPC call that is answered by a stream; `cursor` goes into `Last-Event-ID`.
pub async fn rpc_stream(address: &str, method: &str, params: &Value, cursor: Option<&str>) -> Result<HttpAnswer> {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut headers = vec![("Content-Type", "application/json"), ("Accept", "text/event-stream")];
    headers.extend(cursor.map(|cursor| ("Last-Event-ID", cursor)));
    request(address, "POST", "/", &headers, call.to_string().as_bytes()).await
}

impl HttpAnswer {
    /// Read the head of an answer. For a client that has its own ideas about the socket.
    pub async fn read(stream: TcpStream) -> Result<HttpAnswer> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).await?;
        let status = line.split(' ').nth(1).context("no status line")?.trim().parse()?;
        let mut headers = HashMap::new();
        loop {
            line.clear();
            reader.read_line(&mut line).await?;
            match line.trim_end().split_once(':') {
                Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
                None => break,
            };
        }
        let chunked = headers.get("transfer-encoding").is_some_and(|coding| coding.contains("chunked"));
        let left = headers.get("content-length").map(|length| length.parse()).transpose()?;
        Ok(HttpAnswer { status, headers, body: Body { reader, chunked, left, buffer: Vec::new(), ended: false } })
    }

    /// The whole body.
    pub async fn text(mut self) -> Result<String> {
        while self.body.fill().await? {}
        Ok(String::from_utf8(self.body.buffer)?)
    }

    /// The whole body as JSON.
    pub async fn json(self) -> Result<Value> {
        let text = self.text().await?;
        serde_json::from_str(&text).with_context(|| format!("not JSON: {text:?}"))
    }

    /// The next event; `None` at the end of the stream. Comments are passed over.
    pub async fn event(&mut self) -> Result<Option<ReceivedEvent>> {
        // A stream that only shows that it lives does not go on either.
        timeout(TIMEOUT, self.next_event()).await.context("no event comes")?
    }

    async fn next_event(&mut self) -> Result<Option<ReceivedEvent>> {
        loop {
            while let Some(end) = find(&self.body.buffer, b"\n\n") {
                let block: Vec<u8> = self.body.buffer.drain(..end + 2).collect();
                if let Some(event) = parse(&String::from_utf8(block)?)? {
                    return Ok(Some(event));
                }
            }
            if !self.body.fill().await? {
                return Ok(None);
            }
        }
    }

    /// All events to the end of the stream.
    pub async fn events(mut self) -> Result<Vec<ReceivedEvent>> {
        let mut events = Vec::new();
        while let Some(event) = self.event().await? {
            events.push(event);
        }
        Ok(events)
    }

    /// Read a few raw bytes and no more: what a slow client does.
    pub async fn read_some(&mut self, bytes: usize) -> Result<usize> {
        let mut sip = vec![0; bytes];
        Ok(self.body.reader.read(&mut sip).await?)
    }
}

impl Body {
    /// Take more bytes in; `false` at the end of the body.
    async fn fill(&mut self) -> Result<bool> {
        timeout(TIMEOUT, self.take_in()).await.context("the body does not go on")?
    }

    async fn take_in(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.chunked {
            let mut size = String::new();
            self.reader.read_line(&mut size).await?;
            let size = usize::from_str_radix(size.trim(), 16).context("the stream broke off inside a chunk")?;
            let start = self.buffer.len();
            self.buffer.resize(start + size + 2, 0);
            self.reader.read_exact(&mut self.buffer[start..]).await?;
            self.buffer.truncate(start + size);
            self.ended = size == 0;
            return Ok(!self.ended);
        }
        let want = self.left.unwrap_or(8192).min(64 * 1024);
        let start = self.buffer.len();
        self.buffer.resize(start + want, 0);
        let got = self.reader.read(&mut self.buffer[start..]).await?;
        self.buffer.truncate(start + got);
        self.left = self.left.map(|left| left - got);
        self.ended = got == 0 || self.left == Some(0);
        Ok(got > 0)
    }
}

fn parse(block: &str) -> Result<Option<ReceivedEvent>> {
    let field = |name: &str| {
        let prefix = format!("{name}:");
        block.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::trim_start)
    };
    let Some(data) = field("data") else { return Ok(None) };
    let data = serde_json::from_str(data).with_context(|| format!("not JSON: {data:?}"))?;
    Ok(Some(ReceivedEvent { id: field("id").map(str::to_owned), data }))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
