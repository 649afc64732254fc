//! Bad input over real sockets, to `pollux serve` and to `--a2a-port`: the right code, a sentence that helps, and a log
//! that stays as it was. Nothing hangs, nothing is the server's fault, and the process lives.

mod answers;
mod calls;
mod case;
mod heads;
mod sockets;
mod task_server;

use anyhow::{Context as _, Result, ensure};
use case::{params, refuse_all};
use pollux_testkit::http;
use pollux_testkit::program::TIMEOUT;
use pollux_testkit::socket::WebSocketClient;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use task_server::{TaskServer, message};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

#[tokio::test]
async fn bad_http_is_refused() -> Result<()> {
    for room in TaskServer::both().await? {
        refuse_all(&room, &heads::bad_heads(&room)).await?;
        refuse_all(&room, &heads::bad_pages(&room)).await?;
        refuse_all(&room, &heads::bad_bodies(&room)).await?;
        refuse_all(&room, &heads::bad_routes(&room)).await?;
        expect_unchanged_log(room).await?;
    }
    Ok(())
}

#[tokio::test]
async fn bad_json_is_refused() -> Result<()> {
    for room in TaskServer::both().await? {
        refuse_all(&room, &calls::not_json(&room)).await?;
        refuse_all(&room, &calls::not_a_request(&room)).await?;
        expect_unchanged_log(room).await?;
    }
    Ok(())
}

#[tokio::test]
async fn bad_parameters_are_refused() -> Result<()> {
    for room in TaskServer::both().await? {
        refuse_all(&room, &calls::bad_messages(&room)).await?;
        refuse_all(&room, &calls::bad_settings(&room)).await?;
        refuse_all(&room, &calls::bad_tasks(&room)).await?;
        refuse_all(&room, &heads::bad_guide_requests(&room)).await?;
        expect_unchanged_log(room).await?;
    }
    Ok(())
}

#[tokio::test]
async fn bad_frames_are_refused() -> Result<()> {
    for room in TaskServer::both().await? {
        refuse_all(&room, &sockets::bad_upgrades(&room)).await?;
        sockets::refuse_frames(&room).await?;
        sockets::refuse_strays(&room).await?;
        expect_unchanged_log(room).await?;
    }
    Ok(())
}

#[tokio::test]
async fn bad_answers_are_refused() -> Result<()> {
    for room in TaskServer::both().await? {
        refuse_all(&room, &answers::undecided(&room)).await?;
        let no = answers::answer(&room, &json!({"tool_call_id": room.command, "selected_option_id": "cancel"}));
        let told = http::rpc(room.address(), "message/send", &no).await?;
        ensure!(told.get("result").is_some(), "a good answer is refused: {told}");
        refuse_all(&room, &answers::decided(&room)).await?;
        let late = answers::answer(&room, &json!({"tool_call_id": room.command, "outcome": "proceed_once"}));
        let told = http::rpc(room.address(), "message/stream", &late).await?;
        assert_eq!(told["error"]["data"][1]["reason"], "ALREADY_DECIDED", "{told}");
        ensure!(told["error"]["data"][1]["metadata"]["decided_by"].is_string(), "{told}");
        let mut socket = WebSocketClient::connect(room.address(), &format!("/ws?taskId={}", room.task)).await?;
        socket.send(&json!({"jsonrpc": "2.0", "method": "message/stream", "params": late})).await?;
        let error = socket.read_until(|frame| frame["kind"] == "ERROR").await?.pop().context("an error comes")?;
        assert_eq!((&error["code"], error["decided_by"].is_string()), (&json!(-32004), true), "{error}");
        ensure!(!room.note().exists(), "something was written");
    }
    Ok(())
}

#[tokio::test]
async fn there_is_nothing_to_cancel_at_rest() -> Result<()> {
    for room in TaskServer::both().await? {
        let cancel = json!({"id": room.task});
        let cancelled = http::rpc(room.address(), "tasks/cancel", &cancel).await?;
        assert_eq!(cancelled["result"]["status"]["state"], "canceled", "{cancelled}");
        let nothing = &["nothing to cancel"];
        refuse_all(&room, &[params(&room, "again", "tasks/cancel", &cancel, -32002, nothing)]).await?;
        // A session that nobody has said anything to.
        let opened = http::post(room.address(), "/tasks", &json!({})).await?.json().await?;
        let idle = opened["taskId"].as_str().context("POST /tasks tells the task")?;
        let before = room.log_of(idle).await?;
        let told = http::rpc(room.address(), "tasks/cancel", &json!({"id": idle})).await?;
        assert_eq!(told["error"]["code"], -32002, "{told}");
        assert_eq!(room.log_of(idle).await?, before);
    }
    Ok(())
}

/// A cursor that means nothing here is answered with a gap and then the whole task, never with somebody else's text.
#[tokio::test]
async fn a_cursor_from_nowhere_is_a_gap() -> Result<()> {
    for room in TaskServer::both().await? {
        let whole = room.log().await?;
        let newest = whole.id.clone().context("the task has a cursor")?;
        let (life, seq) = newest.split_once('.').context("a cursor has two parts")?;
        let beyond = format!("{life}.{}", seq.parse::<u64>()? + 1);
        let other = format!("{}z.{seq}", life.get(1..).unwrap_or_default());
        let lost = [
            "x",
            "0",
            "-1",
            ".",
            "..",
            &beyond,
            &other,
            &format!("{life}.-1"),
            &format!("{life}.1.1"),
            &format!("{life}.99999999999999999999"),
            &format!("{life} {seq}"),
            seq,
            &"9".repeat(200),
        ];
        for cursor in lost {
            let events = resubscribe(&room, cursor, |count, _| count == 2).await?;
            assert_eq!(events[0].data["result"]["metadata"]["pollux/gap"], true, "{cursor:?}");
            assert_eq!(events[1..], *std::slice::from_ref(&whole), "{cursor:?}");
        }
        // Two that do mean something: the newest entry, after which there is nothing, and the start of all.
        let events = resubscribe(&room, &newest, |count, _| count == 1).await?;
        assert_eq!(events[0].data["result"]["history"], Value::Null);
        let is_newest = |_, event: &http::ReceivedEvent| event.id.as_deref() == Some(newest.as_str());
        let events = resubscribe(&room, &format!("{life}.0"), is_newest).await?;
        assert!(events.len() > 1, "{events:?}");
        assert_eq!(room.log().await?, whole);
    }
    Ok(())
}

/// Half a request costs the server a little patience, and its sender an answer or the connection.
#[tokio::test]
async fn half_a_request_does_not_hang() -> Result<()> {
    let room = TaskServer::open(pollux_testkit::program::ServerMode::Share).await?;
    let before = room.log().await?;
    let head = format!("POST / HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", room.address());
    let body = format!("{head}Content-Length: 100\r\n\r\n{{}}");
    let (nothing, half_a_line, half_a_head, half_a_body) = tokio::join!(
        expect_hangup(&room, ""),
        expect_hangup(&room, "POST / HT"),
        expect_hangup(&room, &head),
        http::raw(room.address(), body.as_bytes()),
    );
    nothing.and(half_a_line).and(half_a_head)?;
    let answer = half_a_body?;
    assert_eq!(answer.status, 408);
    assert_eq!(answer.json().await?["error"]["code"], "body_stalled");
    assert_eq!(room.log().await?, before);
    expect_unchanged_log(room).await
}

/// Send `start` and wait until the server closes the connection.
async fn expect_hangup(room: &TaskServer, start: &str) -> Result<()> {
    let mut stream = TcpStream::connect(room.address()).await?;
    stream.write_all(start.as_bytes()).await?;
    let mut answer = Vec::new();
    timeout(TIMEOUT, stream.read_to_end(&mut answer)).await.with_context(|| format!("{start:?} hangs"))??;
    ensure!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "{}", String::from_utf8_lossy(&answer));
    Ok(())
}

/// Strange but good: what is refused must not drag this along.
#[tokio::test]
async fn odd_input_is_taken_as_it_is() -> Result<()> {
    for room in TaskServer::both().await? {
        let text = "ab \u{202e}c \u{1F980} \u{fffd} \r\n \u{feff}\u{7f}";
        let part = json!({"kind": "text", "text": text, "metadata": {"x": [1e300]}, "unknown": null});
        let mut odd = message(&"m".repeat(128), &json!([part]));
        odd["message"]["extensions"] = json!(["https://nobody.test/knows"]);
        odd["message"]["contextId"] = Value::Null;
        odd["message"]["taskId"] = json!(room.task.to_uppercase());
        odd["configuration"] = json!({"blocking": false, "acceptedOutputModes": [], "unknown": 1});
        odd["unknown"] = json!({"deep": [[[[]]]]});
        let id = "i".repeat(200);
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "message/send", "params": odd, "unknown": 1});
        let sent = http::post(room.address(), "/", &call).await?.json().await?;
        assert_eq!(sent["id"], id.as_str());
        assert_eq!(sent["result"]["id"], room.task.as_str(), "{sent}");
        let history = sent["result"]["history"].as_array().context("the task has a history")?;
        ensure!(history.iter().any(|said| said["parts"][0]["text"] == text), "{sent}");
        // The same message again is the same message, not a second one.
        let again = http::post(room.address(), "/", &call).await?.json().await?;
        assert_eq!(again["result"]["history"], sent["result"]["history"]);
    }
    Ok(())
}

/// Stop the room: its log holds the one session that was there from the start, and no more entries than that.
async fn expect_unchanged_log(room: TaskServer) -> Result<()> {
    let newest = room.log().await?.id.context("the task has a cursor")?;
    let seq: u64 = newest.split_once('.').context("a cursor has two parts")?.1.parse()?;
    assert_eq!(http::get(room.address(), "/health").await?.status, 200);
    let kept: Vec<u64> = room.stop().await?.iter().map(|(_, head)| head.0).collect();
    assert_eq!(kept, [seq]);
    Ok(())
}

/// The events of a stream after `cursor` up to the one that `is_last` chooses. The stream of a session goes on.
async fn resubscribe(
    room: &TaskServer,
    cursor: &str,
    is_last: impl Fn(usize, &http::ReceivedEvent) -> bool,
) -> Result<Vec<http::ReceivedEvent>> {
    let task = json!({"id": room.task});
    let mut stream = http::rpc_stream(room.address(), "tasks/resubscribe", &task, Some(cursor)).await?;
    let mut events = Vec::new();
    loop {
        let event = stream.event().await?.context("the stream goes on")?;
        let ends = is_last(events.len() + 1, &event);
        events.push(event);
        if ends {
            return Ok(events);
        }
    }
}
