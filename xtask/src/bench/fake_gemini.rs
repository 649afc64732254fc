//! The model that the other side talks to: answers "ok" at once, over loopback, a thread a connection.

use anyhow::Result;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

const ANSWER: &str = concat!(
    r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP","index":0}],"#,
    r#""usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}"#
);

/// Listen on a free port for as long as the process lives; returns the port.
pub(super) fn start() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                // A client that hangs up in the middle is that client's business.
                let _ = serve(&socket);
            });
        }
    });
    Ok(port)
}

/// Answer requests on one connection until it closes.
fn serve(socket: &TcpStream) -> std::io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket);
    let mut writer = socket;
    while let Some(path) = request(&mut reader)? {
        writer.write_all(answer(&path).as_bytes())?;
    }
    Ok(())
}

/// Read one request and drop its body; `None` when the client is done.
fn request(reader: &mut impl BufRead) -> std::io::Result<Option<String>> {
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
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    Ok(Some(path))
}

fn answer(path: &str) -> String {
    let (media, body) = if path.contains(":streamGenerateContent") {
        ("text/event-stream", format!("data: {ANSWER}\r\n\r\n"))
    } else if path.contains(":countTokens") {
        ("application/json", r#"{"totalTokens":1}"#.to_owned())
    } else {
        ("application/json", ANSWER.to_owned())
    };
    format!("HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_one_after_the_other() {
        let mut bytes: &[u8] = b"POST /a HTTP/1.1\r\ncontent-length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n\r\n";
        assert_eq!(request(&mut bytes).unwrap(), Some("/a".into()));
        assert_eq!(request(&mut bytes).unwrap(), Some("/b".into()));
        assert_eq!(request(&mut bytes).unwrap(), None);
    }

    #[test]
    fn a_stream_is_answered_with_an_event() {
        assert!(answer("/v1beta/models/x:streamGenerateContent?alt=sse").contains("\r\n\r\ndata: {\"candidates\""));
        assert!(answer("/v1beta/models/x:countTokens").ends_with("{\"totalTokens\":1}"));
    }
}
