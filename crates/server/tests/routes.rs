//! The seeds' routes for tasks and for the process: `POST /tasks` in its three shapes, lists, metadata, health.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::{NOW_TEXT, TestRoster, UNLENDABLE, who};
use axum::http::{Method, StatusCode};
use http_body_util::BodyExt;
use pollux_server::{HealthReport, RouterOptions, task_count_check};
use pollux_session::{
    Command, Event, Owner, PromptTarget, Right, Rights, ServerInfo, ServerStatus, SessionTools, ToolInfo, Who,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn serve() -> (Arc<TestRoster>, TestClient) {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("curl"));
    (roster, client)
}

#[tokio::test]
async fn a_new_task_is_answered_in_the_shape_of_its_request() {
    let (roster, client) = serve();
    let (status, bare) = client
        .json(Method::POST, "/tasks", r#"{"agentSettings": {"kind": "agent-settings", "workspacePath": "/"}}"#)
        .await;
    assert_eq!((status, bare), (StatusCode::CREATED, json!(roster.newest().id)));
    let settings = r#"{"contextId": "c", "agentSettings": {"workspaceRoot": "/", "model": "pro"}}"#;
    let (status, named) = client.json(Method::POST, "/tasks", settings).await;
    assert_eq!((status, named), (StatusCode::CREATED, json!({"taskId": roster.newest().id, "state": "running"})));
    let (status, guide) = client.json(Method::POST, "/tasks", r#"{"contextId": "d"}"#).await;
    let id = roster.newest().id;
    assert_eq!((status, guide), (StatusCode::CREATED, json!({"sessionId": id, "taskId": id, "contextId": "d"})));
}

#[tokio::test]
async fn the_shared_session_is_answered_in_the_same_shapes() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("curl"));
    // Clients of Google's server know nothing but tasks of their own.
    let (status, task) = client.json(Method::POST, "/tasks", r#"{"agentSettings": {"kind": "agent-settings"}}"#).await;
    let opened = session.log().last().unwrap().task.unwrap().0;
    assert_eq!((status, task), (StatusCode::CREATED, json!(opened)));
    for (body, status, answer) in [
        (
            json!({"agentSettings": {"workspaceRoot": "/"}}),
            StatusCode::OK,
            json!({"taskId": session.id, "state": "running"}),
        ),
        (json!({}), StatusCode::OK, json!({"sessionId": session.id, "taskId": session.id})),
    ] {
        assert_eq!(client.json(Method::POST, "/tasks", &body.to_string()).await, (status, answer));
    }
}

#[tokio::test]
async fn tasks_are_listed_and_looked_at_in_the_references_words() {
    let (roster, client) = serve();
    assert_eq!(client.json(Method::GET, "/tasks", "").await, (StatusCode::OK, json!({"tasks": []})));
    client.json(Method::POST, "/tasks", r#"{"contextId": "c"}"#).await;
    let session = roster.newest();
    let id = session.id;
    let line = |state: &str| json!({"tasks": [{"id": id, "contextId": "c", "state": state}]});
    assert_eq!(client.json(Method::GET, "/tasks", "").await.1, line("running"));
    let path = format!("/tasks/{id}/execute");
    let stream = client.post_stream(&path, &json!({"message": "hi"})).await;
    session.step_done("Hello.", &[]);
    stream.events().await;
    assert_eq!(client.json(Method::GET, "/tasks", "").await.1, line("completed"));
    assert_eq!(client.json(Method::GET, "/tasks?contextId=other", "").await.1, json!({"tasks": []}));
    let (status, details) = client.json(Method::GET, &format!("/tasks/{id}"), "").await;
    let said: Vec<&Value> =
        details["history"].as_array().unwrap().iter().map(|message| &message["parts"][0]["text"]).collect();
    assert_eq!((status, said), (StatusCode::OK, vec![&json!("hi"), &json!("Hello.")]));
    assert_eq!(details["artifacts"][0]["parts"][0]["text"], "Hello.");
    let rest = ["id", "contextId", "state", "timestamp", "metadata"].map(|name| details[name].clone());
    assert_eq!(rest, [json!(id), json!("c"), json!("completed"), json!(NOW_TEXT), json!({})]);
}

#[tokio::test]
async fn a_list_comes_in_pages() {
    let (roster, client) = serve();
    for name in ["a", "b", "c"] {
        let session = roster.session(name, "/");
        let stream = client.post_stream(&format!("/tasks/{}/execute", session.id), &json!({"message": "hi"})).await;
        session.step_done("", &[]);
        stream.events().await;
    }
    let mut seen = Vec::new();
    let mut token = String::new();
    loop {
        let (_, page) = client.json(Method::GET, &format!("/tasks?pageSize=2&pageToken={token}"), "").await;
        seen.extend(page["tasks"].as_array().unwrap().iter().map(|task| task["id"].clone()));
        let Some(next) = page["nextPageToken"].as_str() else { break };
        token = next.to_owned();
    }
    assert_eq!(seen.len(), 3);
    let first = client.raw(Method::GET, "/tasks/metadata?pageSize=2", &[], "").await;
    let token = first.headers()["x-next-page-token"].to_str().unwrap().to_owned();
    let (_, rest) = client.json(Method::GET, &format!("/tasks/metadata?pageSize=2&pageToken={token}"), "").await;
    assert_eq!(rest.as_array().unwrap().len(), 1);
    let (status, answer) = client.json(Method::GET, "/tasks?pageSize=0", "").await;
    assert_eq!((status.as_u16(), &answer["error"]["message"]), (400, &json!("`pageSize` must be 1 to 100")));
}

#[tokio::test]
async fn tasks_that_nobody_prompted_are_in_the_pages_too() {
    let (roster, client) = serve();
    let mut opened = Vec::new();
    for number in 0..130 {
        client.json(Method::POST, "/tasks", &json!({"contextId": format!("c{number}")}).to_string()).await;
        opened.push(roster.newest().id.to_string());
    }
    let one = roster.newest();
    let stream = client.post_stream(&format!("/tasks/{}/execute", one.id), &json!({"message": "hi"})).await;
    one.step_done("", &[]);
    stream.events().await;
    opened.reverse();
    for route in ["/tasks", "/tasks/metadata"] {
        for size in [None, Some(5), Some(100)] {
            let (mut seen, mut token): (Vec<String>, _) = (Vec::new(), String::new());
            loop {
                let wanted = size.map(|size| format!("pageSize={size}&")).unwrap_or_default();
                let response = client.raw(Method::GET, &format!("{route}?{wanted}pageToken={token}"), &[], "").await;
                let next = response.headers().get("x-next-page-token").map(|next| next.to_str().unwrap().to_owned());
                let body = response.into_body().collect().await.unwrap().to_bytes();
                let body: Value = serde_json::from_slice(&body).unwrap();
                let tasks = body.get("tasks").unwrap_or(&body).as_array().unwrap();
                assert!(size.is_none_or(|size| tasks.len() <= size), "{route}: {} at once", tasks.len());
                seen.extend(tasks.iter().map(|task| task["id"].as_str().unwrap().to_owned()));
                match next.or_else(|| body["nextPageToken"].as_str().map(str::to_owned)) {
                    Some(next) => token = next,
                    None => break,
                }
            }
            assert_eq!(seen, opened, "{route}, {size:?} at a time");
        }
        // Whoever names no page gets everything at once.
        let (_, body) = client.json(Method::GET, route, "").await;
        let tasks = body.get("tasks").unwrap_or(&body).as_array().unwrap();
        let ids: Vec<&str> = tasks.iter().map(|task| task["id"].as_str().unwrap()).collect();
        assert_eq!(
            (ids, &body["nextPageToken"]),
            (opened.iter().map(String::as_str).collect(), &Value::Null),
            "{route}"
        );
    }
    let (_, narrowed) = client.json(Method::GET, "/tasks?contextId=c7&status=submitted", "").await;
    assert_eq!(narrowed["tasks"].as_array().unwrap().len(), 1);
    // A client of A2A is told of tasks that were given something to do.
    let (_, listed) = client.json(Method::GET, "/a2a/v1/tasks", "").await;
    assert_eq!((&listed["totalSize"], listed["tasks"].as_array().map(Vec::len)), (&json!(1), Some(1)), "{listed}");
}

#[tokio::test]
async fn metadata_names_the_model_the_servers_and_the_tools() {
    let roster = TestRoster::new();
    let tool = |name: &str, schema: Value| ToolInfo { name: name.into(), description: "does it".into(), schema };
    let tooling = SessionTools {
        tools: vec![tool("read_file", json!({"type": "object"})), tool("write_file", Value::Null)],
        servers: vec![ServerInfo {
            name: "git".into(),
            status: ServerStatus::Connected,
            tools: vec![tool("log", Value::Null)],
        }],
    };
    let source = move |_: &str, _: pollux_session::SessionId| -> pollux_session::BoxFuture<'static, SessionTools> {
        let tooling = tooling.clone();
        Box::pin(async move { tooling })
    };
    let extras = RouterOptions { tooling: Some(Arc::new(source)), ..RouterOptions::default() };
    let client = TestClient::offering(many_sessions(&roster, "/"), extras, who("curl"));
    let response = client.raw(Method::GET, "/tasks/metadata", &[], "").await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "");

    client.json(Method::POST, "/tasks", r#"{"contextId": "c", "agentSettings": {"kind": "agent-settings"}}"#).await;
    let whole = json!({
        "id": roster.newest().id, "contextId": "c", "taskState": "submitted", "model": "script",
        "mcpServers": [
            {"name": "git", "status": "connected", "tools": [{"name": "log", "description": "does it"}]},
        ],
        "availableTools": [
            {"name": "read_file", "description": "does it", "parameterSchema": {"type": "object"}},
            {"name": "write_file", "description": "does it"},
        ],
    });
    assert_eq!(client.json(Method::GET, "/tasks/metadata", "").await, (StatusCode::OK, json!([whole])));
    let path = format!("/tasks/{}/metadata", roster.newest().id);
    assert_eq!(client.json(Method::GET, &path, "").await, (StatusCode::OK, json!({"metadata": whole})));

    client.json(Method::POST, "/tasks", r#"{"agentSettings": {"allowedTools": ["read_file"]}}"#).await;
    let path = format!("/tasks/{}/metadata", roster.newest().id);
    let (_, narrowed) = client.json(Method::GET, &path, "").await;
    let tools = narrowed["metadata"]["availableTools"].as_array().unwrap();
    assert_eq!(tools.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["read_file"]);
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let (roster, client) = serve();
    let id = roster.session("c", "/").id;
    let stranger = Who { owner: Owner("somebody else".into()), ..who("eve") };
    let eve = client.seen_by(stranger);
    for (client, id) in
        [(&client, "nothing".to_owned()), (&client, uuid::Uuid::nil().to_string()), (&eve, id.to_string())]
    {
        let (status, answer) = client.json(Method::GET, &format!("/tasks/{id}/metadata"), "").await;
        assert_eq!((status, answer), (StatusCode::NOT_FOUND, json!({"error": "Task not found"})));
        let message = format!("task not found: {id:?}; leave the task id out to start one");
        let (status, answer) = client.json(Method::GET, &format!("/tasks/{id}"), "").await;
        assert_eq!((status, &answer["error"]["message"]), (StatusCode::NOT_FOUND, &json!(message)));
        let (status, answer) = client.json(Method::POST, &format!("/tasks/{id}/execute"), r#"{"message": "hi"}"#).await;
        assert_eq!((status, &answer["error"]["message"]), (StatusCode::NOT_FOUND, &json!(message)));
        let body = json!({"taskId": id, "userMessage": "hi"}).to_string();
        let (status, answer) = client.json(Method::POST, "/message/stream", &body).await;
        assert_eq!((status, &answer["error"]["message"]), (StatusCode::NOT_FOUND, &json!(message)));
    }
    assert_eq!(eve.json(Method::GET, "/tasks", "").await.1, json!({"tasks": []}));
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_with_its_place() {
    let (roster, client) = serve();
    let session = roster.session("c", "/");
    let execute = format!("/tasks/{}/execute", session.id);
    let file = tempfile::NamedTempFile::new().unwrap();
    let file = file.path().display().to_string();
    let body = |body: Value| body.to_string();
    let cases: Vec<(&str, String, String)> = vec![
        (&execute, String::new(), "the body is not valid JSON: EOF while parsing a value at line 1 column 0".into()),
        (&execute, "[]".into(), "the body must be an object".into()),
        (&execute, "{}".into(), "`message` is missing: say something, or answer a tool call".into()),
        (&execute, body(json!({"message": 5})), "`message` must be text or an object".into()),
        (&execute, body(json!({"message": {"text": 5}})), "`message.text` must be text".into()),
        (&execute, body(json!({"message": " "})), "the prompt is empty; send some text".into()),
        (
            &execute,
            body(json!({"message": "hi", "taskId": "other"})),
            "`message.taskId` \"other\" is not the task of this address".into(),
        ),
        (
            &execute,
            body(json!({"toolCallId": "call-99", "approved": true})),
            "there is no call-99 that waits for an answer".into(),
        ),
        (
            &execute,
            body(json!({"toolCallId": "call-99", "approved": "yes"})),
            "`message.approved` must be true or false".into(),
        ),
        ("/message/stream", "{}".into(), "`userMessage` is missing: say something, or answer a tool call".into()),
        ("/message/stream", body(json!({"userMessage": []})), "`userMessage` must be text or an object".into()),
        (
            "/message/stream",
            body(json!({"userMessage": {"kind": "tool-call-confirmation", "approved": true}})),
            "`userMessage.tool_call_id` is missing: say which tool call is meant".into(),
        ),
        (
            "/message/stream",
            body(json!({"userMessage": "hi", "agentSettings": {"workspacePath": file}})),
            format!("`workspace_path` {file:?} is not a directory"),
        ),
        (
            "/message/stream",
            body(json!({"userMessage": "hi", "taskId": session.id, "agentSettings": {"workspacePath": "/tmp"}})),
            "`workspace_path` \"/tmp\" is not this session's workspace; it is \"/\", or leave it out".into(),
        ),
        (
            "/tasks",
            body(json!({"agentSettings": {"kind": "agent-settings", "workspacePath": file}})),
            format!("`workspace_path` {file:?} is not a directory"),
        ),
    ];
    let log = session.log();
    for (path, body, message) in cases {
        let (status, answer) = client.json(Method::POST, path, &body).await;
        assert_eq!((status.as_u16(), answer["error"]["message"].as_str().unwrap()), (400, &*message), "{path} {body}");
    }
    assert_eq!((session.log(), roster.sessions().len()), (log, 1));
}

#[tokio::test]
async fn health_counts_tasks_and_tells_of_trouble() {
    let roster = TestRoster::new();
    let check = task_count_check(Arc::clone(&roster) as _, Owner("me".into()));
    for name in ["done", "busy"] {
        let session = roster.session(name, "/");
        let client = TestClient::new(many_sessions(&roster, "/"), who("curl"));
        client.post_stream(&format!("/tasks/{}/execute", session.id), &json!({"message": "hi"})).await;
        if name == "done" {
            session.step_done("", &[]);
        }
    }
    let client = TestClient::offering(
        many_sessions(&roster, "/"),
        RouterOptions { health: Some(check), ..RouterOptions::default() },
        who("curl"),
    );
    let (status, health) = client.json(Method::GET, "/health", "").await;
    let counted = ["status", "activeTasks", "totalTasks", "trouble"].map(|name| health[name].clone());
    assert_eq!((status, counted), (StatusCode::OK, [json!("healthy"), json!(1), json!(2), Value::Null]));

    let broken = || -> pollux_session::BoxFuture<'static, HealthReport> {
        let trouble = vec!["the bucket cannot be reached".to_owned()];
        Box::pin(async move { HealthReport { active_tasks: 0, total_tasks: 3, trouble } })
    };
    let extras = RouterOptions { health: Some(Arc::new(broken)), ..RouterOptions::default() };
    let client = TestClient::offering(many_sessions(&roster, "/"), extras, who("curl"));
    let (status, health) = client.json(Method::GET, "/health", "").await;
    let told = ["status", "totalTasks", "trouble"].map(|name| health[name].clone());
    let trouble = json!(["the bucket cannot be reached"]);
    assert_eq!((status, told), (StatusCode::OK, [json!("degraded"), json!(3), trouble]));
}

#[tokio::test]
async fn what_a_client_lends_reaches_the_session_and_nothing_else() {
    let (roster, client) = serve();
    let settings = json!({
        "model": "pro", "apiKey": "s3cret-key", "allowed_tools": ["read_file"],
        "mcp_servers": {"docs": {"httpUrl": "https://mcp.example/mcp", "headers": {"Authorization": "s3cret-header"}}},
    });
    let body = json!({"userMessage": "hi", "agentSettings": settings});
    client.post_stream("/message/stream", &body).await;
    let session = roster.newest();
    let lent = roster.lent.lock().clone();
    assert_eq!((lent.len(), lent[0].0), (1, session.id));
    assert_eq!(lent[0].1.api_key.as_ref().unwrap().reveal(), "s3cret-key");
    assert!(lent[0].1.servers.contains_key("docs"));
    let log = session.log();
    assert!(
        !serde_json::to_string(&log.iter().map(|entry| (**entry).clone()).collect::<Vec<_>>())
            .unwrap()
            .contains("s3cret")
    );
    let Event::Opened(opened) = &log[0].event else { panic!("a log begins with its opening") };
    assert_eq!(opened.overrides.only_tools.as_deref(), Some(&["read_file".to_owned()][..]));
    // The same once more changes nothing; other tools would.
    let again = json!({"taskId": session.id, "userMessage": "more", "agentSettings": {"allowedTools": ["read_file"]}});
    client.post_stream("/message/stream", &again).await;
    let other = json!({"taskId": session.id, "userMessage": "more", "agentSettings": {"allowedTools": []}});
    let (status, answer) = client.json(Method::POST, "/message/stream", &other.to_string()).await;
    let message = "`allowed_tools` cannot change in a session that exists; leave it out, or begin a new session";
    assert_eq!((status.as_u16(), &answer["error"]["message"]), (400, &json!(message)));
}

#[tokio::test]
async fn what_may_not_be_lent_is_refused_without_a_word_of_it() {
    let (roster, client) = serve();
    let refused = [
        (json!({"apiKey": 5}), "the key must be text that is not empty"),
        (json!({"apiKey": {"s3cret": 1}}), "the key must be text that is not empty"),
        (json!({"mcpServers": "s3cret"}), "the servers must be an object of servers by their names"),
        (
            json!({"mcpServers": {"x": {"url": "https://h", "headers": {"a": ["s3cret"]}}}}),
            "has `headers` that are not text",
        ),
        (
            json!({"mcpServers": {"x": {"url": "ftp://s3cret"}}}),
            "must have a `url` that begins with https:// or http://",
        ),
        (
            json!({"mcpServers": {"x": {"command": "s3cret"}}}),
            "have the operator start the server with --clients-may-start-programs",
        ),
        (json!({"mcpServers": {"x": {}}}), "has neither a `url` nor a `command`"),
        (json!({"allowedTools": ["run_shell_command()"]}), "the words that a command begins with are missing"),
        (json!({"allowedTools": ["run_shell_command(git"]}), "its bracket is not closed"),
        (json!({"allowedTools": ["read_file(a)"]}), "only run_shell_command takes words in brackets"),
        (json!({"allowedTools": ["mcp_*"]}), "that is no tool's name; give each tool by its own"),
        (json!({"allowedTools": [" "]}), "that is no tool's name; give each tool by its own"),
        (json!({"allowedTools": ["x".repeat(513)]}), "it has more than 512 characters"),
        (json!({"allowedTools": "read_file"}), "`agentSettings"),
    ];
    for (settings, words) in refused {
        for (path, body) in [
            ("/tasks", json!({"agentSettings": settings})),
            ("/message/stream", json!({"userMessage": "hi", "agentSettings": settings})),
        ] {
            let (status, answer) = client.json(Method::POST, path, &body.to_string()).await;
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(status == 400 && message.contains(words) && !message.contains("s3cret"), "{body}: {message}");
        }
    }
    assert_eq!((roster.sessions().len(), roster.lent.lock().len()), (0, 0));
    let extras = RouterOptions { clients_may_start_programs: true, ..RouterOptions::default() };
    let trusting = TestClient::offering(many_sessions(&roster, "/"), extras, who("curl"));
    let body = json!({"agentSettings": {"mcpServers": {"x": {"command": "mcp", "args": ["-v"]}}}});
    assert_eq!(trusting.json(Method::POST, "/tasks", &body.to_string()).await.0, StatusCode::CREATED);
    assert_eq!(roster.lent.lock().len(), 1);
}

#[tokio::test]
async fn what_cannot_be_lent_leaves_no_session_behind() {
    let (roster, client) = serve();
    let settings = json!({"mcp_servers": {UNLENDABLE: {"httpUrl": "https://127.0.0.1/"}}});
    for (path, body) in [
        ("/tasks", json!({"agentSettings": settings})),
        ("/message/stream", json!({"userMessage": "hi", "agentSettings": settings})),
    ] {
        let (status, answer) = client.json(Method::POST, path, &body.to_string()).await;
        assert_eq!(
            (status.as_u16(), &answer["error"]["message"]),
            (400, &json!("this server cannot be lent")),
            "{path}"
        );
    }
    assert_eq!((roster.sessions().len(), roster.lent.lock().len()), (0, 0));
}

#[tokio::test]
async fn a_message_that_is_refused_lends_nothing() {
    let (house, client) = serve();
    let session = house.session("c", "/");
    let target = PromptTarget::Existing { task: session.id.main_task() };
    session.command(&who("terminal"), "p", Command::prompt(target, "go")).unwrap();
    session.asks_to_write();
    let send = async |client: &TestClient, part: Value| {
        let metadata = json!({"coderAgent": {"kind": "agent-settings", "apiKey": "k"}});
        let message = json!({"role": "user", "messageId": part.to_string(), "taskId": session.id, "parts": [part], "metadata": metadata});
        client.rpc("message/send", json!({"message": message, "configuration": {"blocking": false}})).await
    };
    let answer = |call: &str, outcome: &str| json!({"kind": "data", "data": {"callId": call, "outcome": outcome}});
    let asking = session.log().iter().find_map(|entry| match &entry.event {
        Event::Asked { call, .. } => Some(call.to_string()),
        _ => None,
    });
    let asking = asking.unwrap();
    let prompter = client.seen_by(Who { rights: Rights::of([Right::Observe, Right::Prompt]), ..who("curl") });
    let log = session.log();
    for (client, part) in [
        (&client, json!({"kind": "text", "text": " "})),
        (&client, answer("call-999", "proceed_once")),
        (&client, answer(&asking, "no_such_option")),
        (&prompter, json!({"kind": "text", "text": "hi"})),
    ] {
        let refused = send(client, part.clone()).await;
        assert!(refused["error"].is_object(), "{part}: {refused}");
        assert_eq!((house.lent.lock().len(), session.log() == log), (0, true), "{part}");
    }
    let taken = send(&client, answer(&asking, "proceed_once")).await;
    assert_eq!((&taken["error"], house.lent.lock().len()), (&Value::Null, 1));
}

#[tokio::test]
async fn every_door_refuses_programs() {
    let (roster, client) = serve();
    let session = roster.session("c", "/");
    let settings = json!({"mcp_servers": {"x": {"command": "mcp"}}});
    let message = json!({"role": "user", "messageId": "m", "parts": [{"text": "hi"}], "metadata": {pollux_wire::devtool::URI: settings}});
    let params = json!({"message": message});
    let (_, flat) =
        client.json(Method::POST, &format!("/tasks/{}/messages/stream", session.id), &params.to_string()).await;
    let (_, named) = client
        .json(
            Method::POST,
            &format!("/tasks/{}/execute", session.id),
            &json!({"message": "hi", "agentSettings": settings}).to_string(),
        )
        .await;
    let rpc = client.rpc("message/send", params.clone()).await;
    for answer in [flat, named, rpc] {
        let told = answer["error"]["message"].as_str().unwrap();
        assert!(told.contains("clients may not start programs here"), "{told}");
    }
}
