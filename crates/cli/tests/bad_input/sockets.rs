//! Refusals of the WebSocket: at the handshake, and frame by frame.

use super::calls::UNKNOWN;
use super::case::{RefusedRequest, check_sentence, raw, request};
use super::task_server::TaskServer;
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::ServerMode;
use pollux_testkit::socket::WebSocketClient;
use serde_json::{Value, json};

/// Upgrades that do not happen.
pub(crate) fn bad_upgrades(room: &TaskServer) -> Vec<RefusedRequest> {
    let upgrade = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let to = |path: &str| request(room, "GET", path, &upgrade, b"");
    let old = [upgrade[0], upgrade[1], ("Sec-WebSocket-Version", "8"), upgrade[3]];
    let keyless = [upgrade[0], upgrade[1], upgrade[2]];
    vec![
        raw("no upgrade", request(room, "GET", "/ws", &[], b""), 400, -32600, &["upgrade"]),
        raw("an old version", request(room, "GET", "/ws", &old, b""), 400, -32600, &["Sec-WebSocket-Version"]),
        raw("no key", request(room, "GET", "/ws", &keyless, b""), 400, -32600, &["Sec-WebSocket-Key"]),
        raw("an unknown task", to(&format!("/ws?taskId={UNKNOWN}")), 404, -32001, &["task not found"]),
        raw("a task that is none", to("/ws?taskId=nope"), 404, -32001, &["task not found"]),
        raw("a number that is none", to("/ws?after=yesterday"), 400, -32600, &["after"]),
        raw("a number below all", to("/ws?after=-1"), 400, -32600, &["after"]),
        raw("a number beyond all", to("/ws?after=99999999999999999999"), 400, -32600, &["after"]),
    ]
}

/// A frame and the refusal it gets.
struct RefusedFrame {
    name: &'static str,
    text: String,
    code: i64,
    words: Vec<&'static str>,
}

/// Send bad frames over one connection that follows the room's task: each is refused, the connection stays.
pub(crate) async fn refuse_frames(room: &TaskServer) -> Result<()> {
    let mut socket = WebSocketClient::connect(room.address(), &format!("/ws?taskId={}", room.task)).await?;
    let asks = socket.read_until(|frame| frame["tool_call_id"] == room.edit.as_str()).await?;
    ensure!(asks.iter().all(|ask| ask["kind"] == "TOOL_CALL_UPDATE"), "{asks:?}");
    let before = room.log().await?;
    for frame in frames(room) {
        let name = frame.name;
        for (form, binary) in [("text", false), ("binary", true)] {
            let about = || format!("{:?}: {form} frame: {name}", room.mode);
            match binary {
                true => socket.send_bytes(frame.text.as_bytes()).await?,
                false => socket.send_text(&frame.text).await?,
            }
            let answer = refusal(&mut socket).await.with_context(about)?;
            check(&frame, room, &answer).with_context(about)?;
            ensure!(room.log().await? == before, "{} is in the log", about());
        }
    }
    socket.send_bytes(b"\xff\xfe\xfd").await?;
    let answer = refusal(&mut socket).await.context("bytes that are no text")?;
    ensure!(answer["code"] == -32700, "{answer}");
    oversized(room).await?;
    ensure!(room.log().await? == before, "a frame that is too large is in the log");
    Ok(())
}

fn frames(room: &TaskServer) -> Vec<RefusedFrame> {
    let frame =
        |name, text: String, code, words: &[&'static str]| RefusedFrame { name, text, code, words: words.to_vec() };
    let call = |id: Value, method: &str, params: Value| {
        let mut call = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if !id.is_null() {
            call["id"] = id;
        }
        call.to_string()
    };
    let say = |parts: Value| json!({"message": {"role": "user", "parts": parts}});
    let decide =
        |call: &str, option: &str| say(json!([{"data": {"tool_call_id": call, "selected_option_id": option}}]));
    let mut elsewhere = say(json!([{"text": "x"}]));
    elsewhere["message"]["taskId"] = json!(UNKNOWN);
    let deep = "[".repeat(10_000);
    vec![
        frame("nothing", String::new(), -32700, &["not valid JSON"]),
        frame("a word", "hello".into(), -32700, &["not valid JSON"]),
        frame("ten thousand levels", deep, -32700, &["not valid JSON"]),
        frame("a list", "[]".into(), -32600, &["one JSON object"]),
        frame("no version", "{}".into(), -32600, &["`jsonrpc`"]),
        frame("a strange id", r#"{"jsonrpc": "2.0", "id": {}, "method": "x"}"#.into(), -32600, &["`id` must be"]),
        frame("an unknown method", call(Value::Null, "tasks/got", json!({})), -32601, &["no method \"tasks/got\""]),
        frame("an unknown method, numbered", call(json!(5), "tasks/got", json!({})), -32601, &["no method"]),
        frame("no message", call(json!("a"), "message/stream", json!({})), -32602, &["`params.message` is missing"]),
        frame(
            "no text",
            call(Value::Null, "message/stream", say(json!([{"text": " "}]))),
            -32602,
            &["the prompt is empty"],
        ),
        frame(
            "a file",
            call(json!(1), "message/send", say(json!([{"kind": "file"}]))),
            -32602,
            &["the file has neither bytes nor an address"],
        ),
        frame(
            "another task",
            call(json!(2), "message/stream", elsewhere),
            -32602,
            &["this connection follows task", "open another one"],
        ),
        frame(
            "a cancel elsewhere",
            call(json!(3), "tasks/cancel", json!({"id": UNKNOWN})),
            -32602,
            &["this connection follows task"],
        ),
        frame(
            "an unknown call",
            call(Value::Null, "message/stream", decide("call-999999", "cancel")),
            -32602,
            &["for an answer"],
        ),
        frame(
            "an unknown option",
            call(json!(4), "message/stream", decide(&room.command, "maybe")),
            -32602,
            &["does not offer \"maybe\""],
        ),
    ]
}

/// The next frame that is no notice.
async fn refusal(socket: &mut WebSocketClient) -> Result<Value> {
    let frames = socket.read_until(|frame| frame["kind"] != "CONSOLE_LOG").await?;
    frames.last().cloned().context("an answer comes")
}

/// One with an id gets a JSON-RPC answer, one without an `ERROR` frame.
fn check(frame: &RefusedFrame, room: &TaskServer, answer: &Value) -> Result<()> {
    let sent: Value = serde_json::from_str(&frame.text).unwrap_or_default();
    let error = match &sent["id"] {
        id if id.is_string() || id.is_number() => {
            ensure!(answer["id"] == *id, "the id is not {id}: {answer}");
            &answer["error"]
        }
        _ => {
            ensure!(answer["kind"] == "ERROR" && answer["taskId"] == room.task.as_str(), "{answer}");
            ensure!(answer["seq"].is_u64(), "every frame has a number: {answer}");
            answer
        }
    };
    ensure!(error["code"] == frame.code, "not {}: {answer}", frame.code);
    check_sentence(&error["message"], &frame.words)
}

/// A frame beyond the limit ends the connection that sent it, and no other.
async fn oversized(room: &TaskServer) -> Result<()> {
    let path = format!("/ws?taskId={}", room.task);
    let mut bystander = WebSocketClient::connect(room.address(), &path).await?;
    let mut socket = WebSocketClient::connect(room.address(), &path).await?;
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": "x".repeat(2 * 1024 * 1024)});
    // The server may hang up while the rest is still on its way.
    let _ = socket.send(&large).await;
    while let Ok(Some(frame)) = socket.next().await {
        ensure!(frame.get("result").is_none(), "a frame of 2 MB is taken: {frame}");
    }
    bystander.send_text("hello").await?;
    bystander.read_until(|frame| frame["code"] == -32700).await?;
    Ok(())
}

/// A connection that follows nothing yet has to say what it means; a number beyond the log is no error but a gap.
pub(crate) async fn refuse_strays(room: &TaskServer) -> Result<()> {
    let far = format!("/ws?taskId={}&after=18446744073709551615", room.task);
    let mut ahead = WebSocketClient::connect(room.address(), &far).await?;
    let frames = ahead.read_until(|frame| frame["kind"] == "GAP").await?;
    let kinds: Vec<&str> = frames.iter().filter_map(|frame| frame["kind"].as_str()).collect();
    ensure!(kinds == ["TOOL_CALL_UPDATE", "TOOL_CALL_UPDATE", "GAP"], "{kinds:?}");
    check_sentence(&frames[2]["message"], &["no entry 18446744073709551615", "what follows starts now"])?;
    if room.mode == ServerMode::Share {
        return Ok(());
    }
    let mut stray = WebSocketClient::connect(room.address(), "/ws").await?;
    let decide = json!([{"data": {"tool_call_id": room.command, "outcome": "cancel"}}]);
    let cases = [
        ("message/stream", json!({"message": {"parts": decide}}), "`message.taskId` is missing"),
        ("tasks/cancel", json!({}), "`params.id` is missing"),
    ];
    for (method, params, words) in cases {
        stray.send(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await?;
        let answer = refusal(&mut stray).await?;
        ensure!(answer["kind"] == "ERROR" && answer.get("taskId").is_none(), "{answer}");
        check_sentence(&answer["message"], &[words])?;
    }
    Ok(())
}
