//! Requests that the original takes badly: it exits, answers with a page of HTML, or writes events that are none.

use crate::faults::fault_server::{FaultServer, rest, streamed_text, text};
use anyhow::Result;
use pollux_testkit::http;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[tokio::test]
async fn the_exit_on_an_empty_execute_command() -> Result<()> {
    let stage = FaultServer::open(&[json!({"says": "Still here."})]).await?;
    let address = &stage.server.address;
    for headers in [&[JSON][..], &[]] {
        let answer = http::request(address, "POST", "/executeCommand", headers, b"").await?;
        let status = answer.status;
        assert_eq!(answer.headers.get("content-type").map(String::as_str), Some("application/json"));
        let error = answer.json().await?["error"].clone();
        assert!((400..500).contains(&status) && error.is_string(), "{status} {error}");
        if !headers.is_empty() {
            assert_eq!((status, error), (400, json!("Invalid \"command\" field.")));
        }
    }
    assert_eq!(http::get(address, "/health").await?.status, 200);
    let events = stage.say(&stage.begin(&text("hello"))?).await?;
    assert_eq!(streamed_text(&events), "Still here.");
    Ok(())
}

#[tokio::test]
async fn large_bodies_refused_with_html() -> Result<()> {
    let stage = FaultServer::open(&[json!({"says": "That was long."})]).await?;
    let long = "x".repeat(2 * 1024 * 1024);
    let mut params = stage.begin(&text("short"))?;
    // What is not for the model may be long; a prompt has a limit of its own, which is told.
    params["metadata"] = json!({"attached": long});
    let events = stage.say(&params).await?;
    assert_eq!((streamed_text(&events).as_str(), rest(&events)), ("That was long.", Some("input-required")));

    params["metadata"] = json!({"attached": "x".repeat(5 * 1024 * 1024)});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params});
    let refused = http::post(&stage.server.address, "/", &call).await?;
    assert_eq!(refused.status, 413);
    assert_eq!(refused.headers.get("content-type").map(String::as_str), Some("application/json"));
    let refused = refused.json().await?;
    let words = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(words.contains("4194304"), "{refused}");
    Ok(())
}

#[tokio::test]
async fn sse_without_blank_lines() -> Result<()> {
    let stage =
        FaultServer::open(&[json!({"says": ["Hello", " there."]}), json!({"says": "Nothing to note."})]).await?;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": stage.begin(&text("hi"))?});
    for (path, body) in [("/", call), ("/executeCommand", json!({"command": "init"}))] {
        let answer = http::post(&stage.server.address, path, &body).await?;
        assert_eq!(answer.headers.get("content-type").map(String::as_str), Some("text/event-stream"), "{path}");
        let stream = answer.text().await?;
        assert!(stream.ends_with("\n\n"), "{path}: {stream:?}");
        let blocks: Vec<&str> = stream.split_terminator("\n\n").collect();
        assert!(blocks.len() > 2, "{path}: {stream:?}");
        for block in blocks {
            let data: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
            assert_eq!(data.len(), 1, "{path}: {block:?} is one event");
            serde_json::from_str::<Value>(data[0])?;
        }
    }
    Ok(())
}
