//! `web_fetch` from servers on this machine.

use crate::tools::test_workspace::{ToolTestWorkspace, failure, success};
use pollux_session::{AskDetails, Grant, ToolKind};
use pollux_tools::{CallPreview, FetchReach};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that answers each path with what `pages` says, whole responses.
async fn serve(pages: &'static [(&'static str, &'static str)]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let Ok(byte) = stream.read_u8().await else { return };
                    request.push(byte);
                }
                let request = String::from_utf8(request).unwrap();
                let path = request.split(' ').nth(1).unwrap();
                let page = pages.iter().find(|(known, _)| *known == path).map(|(_, page)| *page);
                let page = page.unwrap_or("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
                let _ = stream.write_all(page.as_bytes()).await;
            });
        }
    });
    address
}

const HTML: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nconnection: close\r\n\r\n\
                    <html><head><title>t</title></head><body><h1>Title</h1><script>x()</script><p>Text.</p></body></html>";
const PLAIN: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nplain words";

#[tokio::test]
async fn pages_become_text() {
    let at = serve(&[("/a", HTML), ("/b", PLAIN)]).await;
    let room = ToolTestWorkspace::new();
    let prompt = format!("Compare http://{at}/a and http://{at}/b, please.");
    let args = json!({ "prompt": prompt });
    assert_eq!(
        room.preview("web_fetch", args.clone()).await,
        Ok(CallPreview {
            kind: ToolKind::Fetch,
            details: AskDetails::generic(format!("Fetch from 127.0.0.1:\nhttp://{at}/a\nhttp://{at}/b")),
            grant: Grant::Tool { tool: "web_fetch".into() },
            summary: "Fetch from 127.0.0.1".into(),
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        })
    );
    let text = format!(
        "--- http://{at}/a ---\n# Title\n\nText.\n--- end of 127.0.0.1 ---\n\n--- http://{at}/b ---\nplain words\n--- end \
         of 127.0.0.1 ---"
    );
    assert_eq!(success(room.run("web_fetch", args).await).text, text);
    let one = success(room.run("web_fetch", json!({ "url": format!("http://{at}/b") })).await).text;
    assert_eq!(one, format!("--- http://{at}/b ---\nplain words\n--- end of 127.0.0.1 ---"));
}

#[tokio::test]
async fn a_page_that_fails_is_told_and_others_are_read() {
    let at = serve(&[
        ("/b", PLAIN),
        ("/image", "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 3\r\n\r\nPNG"),
    ])
    .await;
    let room = ToolTestWorkspace::new();
    let both = json!({ "prompt": format!("http://{at}/gone http://{at}/b") });
    let text = success(room.run("web_fetch", both).await).text;
    assert!(
        text.starts_with(&format!("--- http://{at}/gone ---\n[http://{at}/gone answered 404 Not Found]\n")),
        "{text}"
    );
    let error = failure(room.run("web_fetch", json!({ "url": format!("http://{at}/image") })).await);
    assert_eq!(error.kind, "web_fetch_processing_error");
    assert_eq!(error.message, format!("http://{at}/image is image/png, not text"));
}

#[tokio::test]
async fn redirects_are_followed_within_a_site_only() {
    let at = serve(&[
        ("/here", "HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n"),
        ("/there", "HTTP/1.1 302 Found\r\nlocation: http://example.com/x\r\ncontent-length: 0\r\n\r\n"),
        ("/inward", "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n"),
        ("/file", "HTTP/1.1 302 Found\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n"),
        ("/round", "HTTP/1.1 302 Found\r\nlocation: /round\r\ncontent-length: 0\r\n\r\n"),
        ("/b", PLAIN),
    ])
    .await;
    let room = ToolTestWorkspace::new();
    let url = |path: &str| json!({ "url": format!("http://{at}{path}") });
    assert!(success(room.run("web_fetch", url("/here")).await).text.contains("plain words"));
    let cases = [
        (
            "/there",
            format!("http://{at}/there sends on to another site; if that is what you want, fetch http://example.com/x"),
        ),
        ("/inward", "`169.254.169.254` is not on the public internet, so it is not fetched".to_owned()),
        ("/file", "`file:///etc/passwd` is neither http nor https".to_owned()),
        ("/round", format!("http://{at}/round sends on more than 5 times")),
    ];
    for (path, message) in cases {
        assert_eq!(failure(room.run("web_fetch", url(path)).await).message, message);
    }
}

#[tokio::test]
async fn an_endless_page_is_cut() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        // Answering before the request is there would not be HTTP.
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(stream.read_u8().await.unwrap());
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n").await;
        while stream.write_all(&[b'x'; 65536]).await.is_ok() {}
    });
    let text = success(ToolTestWorkspace::new().run("web_fetch", json!({ "url": format!("http://{at}/") })).await).text;
    assert!(text.len() < 101_000, "{} bytes", text.len());
    assert!(text.contains("more characters are left out.]"));
}

#[tokio::test]
async fn this_machine_and_its_neighbours_are_out_of_reach() {
    let at = serve(&[("/b", PLAIN)]).await;
    let room = ToolTestWorkspace::with_settings(|settings| settings.fetch = FetchReach::Public);
    let port = at.port();
    for url in [
        format!("http://{at}/b"),
        format!("http://localhost:{port}/b"),
        format!("http://[::1]:{port}/b"),
        format!("http://2130706433:{port}/b"),
        format!("http://0x7f.0.0.1:{port}/b"),
        "http://10.0.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "http://user:pass@example.com/".to_owned(),
    ] {
        assert_eq!(room.refusal("web_fetch", json!({ "url": url })).await.kind, "invalid_tool_params", "{url}");
    }
    let none = room.refusal("web_fetch", json!({ "prompt": "read the docs" })).await;
    assert_eq!(none.kind, "web_fetch_no_url_in_prompt");
}
