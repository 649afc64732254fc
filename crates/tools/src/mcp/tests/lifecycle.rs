//! Servers that start, die, stall, flood, and are started again.

use super::fake_server::*;
use crate::mcp::{McpLimits, McpServerConfig, McpStatus};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::time::Duration;
use tokio::sync::oneshot;

/// What to do about a server that never worked.
const ADVICE: &str = "correct its entry under `mcpServers` in settings.json, or try what it starts in a shell";

#[tokio::test(start_paused = true)]
async fn a_server_gets_ready_in_the_background() {
    let (go, gone) = oneshot::channel();
    let servers = start(vec![script(async move |wire: FakeServerConnection| {
        gone.await.unwrap();
        wire.idle(tools(&[say_tool()])).await;
    })]);
    assert_eq!(servers.status().borrow()["fake"], McpStatus::Connecting);
    assert_eq!(names(&servers), [""; 0]);
    go.send(()).unwrap();
    servers.settled().await;
    assert_eq!(servers.status().borrow()["fake"], ready(1));
    assert_eq!(names(&servers), ["mcp_fake_say"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_in_a_call_is_started_again() {
    let dies = script(async |mut wire: FakeServerConnection| {
        wire.serve(&tools(&[say_tool()])).await;
    });
    let lives = script(async |mut wire: FakeServerConnection| {
        let call = wire.serve(&tools(&[say_tool()])).await.unwrap();
        wire.answer(&call, text("here again")).await;
        wire.idle(tools(&[])).await;
    });
    let servers = start(vec![dies, lives]);
    servers.settled().await;
    let say = find(&servers, "mcp_fake_say");
    assert_eq!(
        failure(run(&say, json!({})).await),
        mcp_error("the MCP server fake ended or was stopped before it answered; what it had done by then is not known")
    );
    until(&servers, failed("it ended; it is started again in 1 seconds")).await;
    assert_eq!(
        failure(run(&say, json!({})).await),
        mcp_error(
            "the MCP server fake is not ready (it ended; it is started again in 1 seconds); go on without it or try \
             again later"
        )
    );
    // Who is not offered it at the moment is told the same.
    let missing = |tool: &str| servers.why_missing(tool).map(|down| failure(down.outcome()));
    assert_eq!(missing("mcp_fake_say"), Some(failure(run(&say, json!({})).await)));
    assert_eq!(missing("mcp_other_say"), None);
    until(&servers, ready(1)).await;
    assert_eq!(servers.why_missing("mcp_fake_other"), None);
    assert_eq!(run(&say, json!({})).await, text_outcome("here again"));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_keeps_dying_is_left_alone() {
    let dying = || {
        script(async |mut wire: FakeServerConnection| {
            wire.serve(&tools(&[say_tool()])).await;
        })
    };
    let limits = McpLimits { restarts: 2, ..McpLimits::default() };
    let servers = start_with((0..5).map(|_| dying()).collect(), McpServerConfig::default(), limits, None);
    for wait in ["1", "2"] {
        until(&servers, ready(1)).await;
        failure(run(&find(&servers, "mcp_fake_say"), json!({})).await);
        until(&servers, failed(&format!("it ended; it is started again in {wait} seconds"))).await;
    }
    until(&servers, ready(1)).await;
    failure(run(&find(&servers, "mcp_fake_say"), json!({})).await);
    until(&servers, failed("it ended; after 2 restarts it is left alone until it is reloaded")).await;
    servers.restart("fake");
    until(&servers, ready(1)).await;
}

#[tokio::test(start_paused = true)]
async fn restarts_long_ago_do_not_count() {
    let dying = || {
        script(async |mut wire: FakeServerConnection| {
            wire.serve(&tools(&[say_tool()])).await;
        })
    };
    let limits = McpLimits { restarts: 1, ..McpLimits::default() };
    let servers = start_with((0..4).map(|_| dying()).collect(), McpServerConfig::default(), limits, None);
    for _ in 0..3 {
        until(&servers, ready(1)).await;
        tokio::time::advance(limits.steady).await;
        failure(run(&find(&servers, "mcp_fake_say"), json!({})).await);
        until(&servers, failed("it ended; it is started again in 1 seconds")).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_worked_is_not_tried_again() {
    let servers = start(vec![
        script(async |_: FakeServerConnection| {}),
        script(async |wire: FakeServerConnection| wire.idle(tools(&[])).await),
    ]);
    servers.settled().await;
    assert_eq!(servers.status().borrow()["fake"], failed(&format!("it ended; {ADVICE}")));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_get_ready_is_given_up() {
    let servers = start(vec![script(async |mut wire: FakeServerConnection| while wire.next().await.is_some() {})]);
    servers.settled().await;
    assert_eq!(servers.status().borrow()["fake"], failed(&format!("it was not ready within 60 seconds; {ADVICE}")));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stalls_is_stopped() {
    let (tell, told) = oneshot::channel();
    let stalls = script(async move |mut wire: FakeServerConnection| {
        let mut methods = Vec::new();
        while let Some(request) = wire.serve(&tools(&[say_tool()])).await {
            methods.push(request["method"].as_str().unwrap().to_owned());
        }
        tell.send(methods).unwrap();
    });
    let config = McpServerConfig { timeout: Some(5_000), ..McpServerConfig::default() };
    let servers = start_with(vec![stalls], config, McpLimits::default(), None);
    servers.settled().await;
    assert_eq!(
        failure(run(&find(&servers, "mcp_fake_say"), json!({})).await),
        mcp_error("the MCP server fake did not answer within 5 seconds; the call was cancelled")
    );
    until(&servers, failed("it no longer answered, and was stopped; it is started again in 1 seconds")).await;
    let mut methods = told.await.unwrap();
    methods.sort();
    assert_eq!(methods, ["notifications/cancelled", "ping", "tools/call"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_only_slow_is_not() {
    let slow = script(async |mut wire: FakeServerConnection| {
        while let Some(request) = wire.serve(&tools(&[say_tool()])).await {
            if request["method"] == "ping" {
                wire.answer(&request, json!({})).await;
            }
        }
    });
    let servers = start(vec![slow]);
    servers.settled().await;
    let message = "the MCP server fake did not answer within 600 seconds; the call was cancelled";
    let say = find(&servers, "mcp_fake_say");
    for _ in 0..2 {
        assert_eq!(failure(run(&say, json!({})).await), mcp_error(message));
    }
    assert_eq!(servers.status().borrow()["fake"], ready(1));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_is_too_long_ends_the_server() {
    let floods = script(async |mut wire: FakeServerConnection| {
        let call = wire.serve(&tools(&[say_tool()])).await.unwrap();
        wire.answer(&call, text(&"x".repeat(10_000))).await;
        wire.idle(tools(&[])).await;
    });
    let limits = McpLimits { message: 10_000, ..McpLimits::default() };
    let servers = start_with(vec![floods], McpServerConfig::default(), limits, None);
    servers.settled().await;
    assert_eq!(
        failure(run(&find(&servers, "mcp_fake_say"), json!({})).await),
        mcp_error("the MCP server fake ended or was stopped before it answered; what it had done by then is not known")
    );
    let why = "it sent a message of more than 10000 bytes, and was stopped; it is started again in 1 seconds";
    until(&servers, failed(why)).await;
}

#[tokio::test(start_paused = true)]
async fn too_many_messages_end_the_server() {
    let floods = script(async |mut wire: FakeServerConnection| {
        wire.serve(&tools(&[say_tool()])).await;
        for _ in 0..200 {
            wire.send(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} })).await;
        }
        wire.idle(tools(&[])).await;
    });
    let limits = McpLimits { messages: 100, ..McpLimits::default() };
    let servers = start_with(vec![floods], McpServerConfig::default(), limits, None);
    servers.settled().await;
    failure(run(&find(&servers, "mcp_fake_say"), json!({})).await);
    let why = "it sent more than 100 messages in ten seconds, and was stopped; it is started again in 1 seconds";
    until(&servers, failed(why)).await;
}

#[tokio::test(start_paused = true)]
async fn what_changed_is_listed_again() {
    let changes = script(async |mut wire: FakeServerConnection| {
        wire.serve(&tools(&[say_tool()])).await;
        wire.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
        wire.idle(tools(&[say_tool(), tool("sing")])).await;
    });
    let servers = start(vec![changes]);
    servers.settled().await;
    let call = tokio::spawn({
        let say = find(&servers, "mcp_fake_say");
        async move { run(&say, json!({})).await }
    });
    until(&servers, ready(2)).await;
    assert_eq!(names(&servers), ["mcp_fake_say", "mcp_fake_sing"]);
    call.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stopped_server_is_gone() {
    let (tell, told) = oneshot::channel();
    let servers = start(vec![script(async move |wire: FakeServerConnection| {
        wire.idle(tools(&[say_tool()])).await;
        tell.send(()).unwrap();
    })]);
    servers.settled().await;
    let say = find(&servers, "mcp_fake_say");
    servers.stop("fake");
    assert_eq!(servers.status().borrow()["fake"], McpStatus::Stopped);
    told.await.unwrap();
    assert_eq!(
        failure(run(&say, json!({})).await),
        mcp_error("the MCP server fake is not ready (it was stopped); go on without it or try again later")
    );
}

#[tokio::test(start_paused = true)]
async fn all_end_with_the_servers() {
    let (tell, told) = oneshot::channel();
    let servers = start(vec![script(async move |wire: FakeServerConnection| {
        wire.idle(tools(&[say_tool()])).await;
        tell.send(()).unwrap();
    })]);
    servers.settled().await;
    drop(servers);
    told.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn servers_that_hang_are_waited_for_once_and_not_for_long() {
    let servers = start(vec![script(async |mut wire: FakeServerConnection| while wire.next().await.is_some() {})]);
    let (began, limit) = (tokio::time::Instant::now(), Duration::from_secs(10));
    servers.started_within(limit).await;
    assert_eq!(began.elapsed(), limit);
    servers.started_within(limit).await;
    assert_eq!(began.elapsed(), limit);
}
