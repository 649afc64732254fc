//! HTTP/1.1 over a plain socket: one request a connection, chunked SSE as it arrives. Written by hand because a client
//! that costs as much CPU as the server would halve every figure.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

/// Longer than any turn of a server that still works.
const TIMEOUT: Duration = Duration::from_secs(60);

/// One prompt and its answer, as a client sees it.
pub(super) struct TurnTiming {
    /// From the first byte sent to the first event.
    pub(super) first: Duration,
    /// From there to the event that says it is the last.
    pub(super) last: Duration,
    pub(super) events: u64,
    /// The task it ran in.
    pub(super) task: Option<String>,
}

/// The status of a GET.
pub(super) fn get(port: u16, path: &str) -> Result<u16> {
    let mut reader =
        send(port, &format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"))?;
    Ok(head(&mut reader)?.status)
}

/// POST JSON with more headers, each with its line end, and read the whole answer.
pub(super) fn post(port: u16, headers: &str, body: &str) -> Result<Vec<u8>> {
    let mut reader = send(
        port,
        &format!(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n{headers}\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
    )?;
    let head = head(&mut reader)?;
    let mut answer = vec![0; head.length.context("the answer has no length")?];
    reader.read_exact(&mut answer)?;
    if head.status != 200 {
        bail!("got status {}: {}", head.status, String::from_utf8_lossy(&answer));
    }
    Ok(answer)
}

/// POST a JSON-RPC call that answers with a stream, and read the stream to its end.
pub(super) fn stream(port: u16, body: &str) -> Result<TurnTiming> {
    let began = Instant::now();
    let mut reader = send(
        port,
        &format!(
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ),
    )?;
    let head = head(&mut reader)?;
    if head.status != 200 || !head.chunked {
        let mut answer = vec![0; head.length.unwrap_or(0).min(2000)];
        reader.read_exact(&mut answer)?;
        bail!("expected a stream, got status {}: {}", head.status, String::from_utf8_lossy(&answer));
    }
    let mut turn = TurnTiming { first: Duration::ZERO, last: Duration::ZERO, events: 0, task: None };
    let mut newest = String::new();
    for line in BufReader::new(ChunkedReader { inner: reader, left: 0, state: ChunkState::First }).lines() {
        let line = line?;
        let Some(data) = line.strip_prefix("data:").map(str::trim_start) else { continue };
        turn.events += 1;
        if turn.events == 1 {
            turn.first = began.elapsed();
            turn.task = task_of(data);
        }
        if data.contains("\"final\":true") {
            turn.last = began.elapsed();
        }
        data.clone_into(&mut newest);
    }
    if turn.last.is_zero() {
        bail!("the stream ended without a last event; the newest was {newest}");
    }
    Ok(turn)
}

/// The task that an event is about.
fn task_of(data: &str) -> Option<String> {
    let event: Value = serde_json::from_str(data).ok()?;
    let result = event.get("result")?;
    let id = if result.get("kind")? == "task" { result.get("id")? } else { result.get("taskId")? };
    Some(id.as_str()?.to_owned())
}

fn send(port: u16, request: &str) -> Result<BufReader<TcpStream>> {
    let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).context("the server takes no connection")?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(TIMEOUT))?;
    socket.write_all(request.as_bytes())?;
    Ok(BufReader::new(socket))
}

/// The parts of a response's head that are needed to read its body.
#[derive(Debug, PartialEq, Eq)]
struct ResponseHead {
    status: u16,
    chunked: bool,
    length: Option<usize>,
}

fn head(reader: &mut impl BufRead) -> Result<ResponseHead> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut head = ResponseHead {
        status: status.with_context(|| format!("no HTTP answer: {line:?}"))?,
        chunked: false,
        length: None,
    };
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            bail!("the answer ended in its head");
        }
        let lower = line.trim_end().to_ascii_lowercase();
        match lower.split_once(':') {
            None if lower.is_empty() => return Ok(head),
            Some(("transfer-encoding", value)) => head.chunked = value.trim() == "chunked",
            Some(("content-length", value)) => head.length = value.trim().parse().ok(),
            _ => {}
        }
    }
}

/// A chunked body as the bytes it carries, each as soon as it is there.
struct ChunkedReader<R> {
    inner: R,
    /// Bytes of the current chunk still to come.
    left: usize,
    state: ChunkState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChunkState {
    First,
    Later,
    Ended,
}

impl<R: BufRead> Read for ChunkedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 && self.state != ChunkState::Ended {
            let mut line = String::new();
            if self.state == ChunkState::Later {
                // The line end after the chunk before.
                self.inner.read_line(&mut line)?;
                line.clear();
            }
            self.inner.read_line(&mut line)?;
            let size = line.trim_end().split(';').next().unwrap_or_default();
            self.left = usize::from_str_radix(size, 16).map_err(|_| {
                std::io::Error::other(format!("the stream broke off or sent a bad chunk size {size:?}"))
            })?;
            self.state = if self.left == 0 { ChunkState::Ended } else { ChunkState::Later };
        }
        let wanted = buffer.len().min(self.left);
        let got = self.inner.read(&mut buffer[..wanted])?;
        if got == 0 && wanted > 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= got;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[u8]) -> std::io::Result<String> {
        let mut text = String::new();
        ChunkedReader { inner: chunks, left: 0, state: ChunkState::First }.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn chunks_become_their_bytes() {
        assert_eq!(read(b"5\r\ndata:\r\n3;x=y\r\n ok\r\n0\r\n\r\n").unwrap(), "data: ok");
        assert_eq!(read(b"0\r\n\r\n").unwrap(), "");
    }

    #[test]
    fn a_stream_that_breaks_off_is_an_error() {
        assert!(read(b"5\r\nda").is_err());
        assert!(read(b"4\r\ndata\r\n").is_err());
        assert!(read(b"zz\r\n").is_err());
    }

    #[test]
    fn a_head_says_how_to_read_the_body() {
        let mut bytes: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\nrest";
        assert_eq!(head(&mut bytes).unwrap(), ResponseHead { status: 200, chunked: true, length: None });
        assert_eq!(bytes, b"rest");
        assert!(head(&mut &b"HTTP/1.1 200 OK\r\n"[..]).is_err());
        assert!(head(&mut &b"nonsense"[..]).is_err());
    }

    /// One POST against a server that answers with `answer` whatever it is asked.
    fn post(answer: String) -> Result<TurnTiming> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let mut request = vec![0; 4096];
            assert!(socket.read(&mut request).unwrap() > 0);
            socket.write_all(answer.as_bytes()).unwrap();
        });
        let turn = stream(port, "{}");
        server.join().unwrap();
        turn
    }

    /// A chunked answer with an event a chunk.
    fn events(events: &[&str]) -> String {
        let chunk = |event: &&str| format!("{:x}\r\ndata: {event}\n\n\r\n", event.len() + "data: \n\n".len());
        let chunks: String = events.iter().map(chunk).collect();
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n")
    }

    #[test]
    fn a_turn_is_read_to_its_last_event() {
        let turn = post(events(&[r#"{"result":{"kind":"task","id":"t-1"}}"#, r#"{"result":{"final":true}}"#])).unwrap();
        assert_eq!((turn.events, turn.task.as_deref()), (2, Some("t-1")));
        assert!(!turn.first.is_zero() && turn.first <= turn.last);
    }

    #[test]
    fn an_answer_that_is_no_turn_says_what_it_was() {
        let message = |answer| post(answer).err().unwrap().to_string();
        assert_eq!(
            message("HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nnope".into()),
            "expected a stream, got status 403: nope"
        );
        assert_eq!(message(events(&["{}"])), "the stream ended without a last event; the newest was {}");
    }

    #[test]
    fn the_task_is_in_the_first_event_of_either_kind() {
        let task = r#"{"result":{"kind":"task","id":"t-1"}}"#;
        let update = r#"{"result":{"kind":"status-update","taskId":"t-2"}}"#;
        assert_eq!([task_of(task), task_of(update), task_of("{}")], [Some("t-1".into()), Some("t-2".into()), None]);
    }
}
