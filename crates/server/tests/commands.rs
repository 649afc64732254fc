//! Slash commands for other programs: `commands/get`, `command/execute`, `GET /listCommands`, `POST /executeCommand`.

use crate::test_server;
use crate::test_server::client::{SseReader, TestClient, many_sessions, shared_session};
use crate::test_server::script::{thinks, vets};
use crate::test_server::{ScriptedSession, TestRoster, who};
use axum::http::{Method, StatusCode};
use pollux_server::RouterOptions;
use pollux_session::{
    ArgumentInfo, BoxFuture, CallOutcome, CallResult, CommandInfo, Event, Owner, PolicyVerdict, Report, ToolKind, Who,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

fn registry(workspace: &str) -> BoxFuture<'static, Vec<CommandInfo>> {
    let command =
        |name: &str| CommandInfo { name: name.into(), description: format!("does {name}"), ..CommandInfo::default() };
    let mut memory = command("memory");
    let text = ArgumentInfo { name: "text".into(), description: "what to keep".into(), required: true };
    memory.subcommands = vec![command("show"), CommandInfo { arguments: vec![text], ..command("add") }];
    let here = command(&format!("in{}", workspace.replace('/', "-")));
    let argument = |name: &str| ArgumentInfo { name: name.into(), ..ArgumentInfo::default() };
    let run = CommandInfo { arguments: vec![argument("command")], ..command("run") };
    let fill = CommandInfo { arguments: vec![argument("first"), argument("second")], ..command("fill") };
    Box::pin(async move { vec![memory, command("init"), command("extensions"), here, run, fill] })
}

fn extras() -> RouterOptions {
    RouterOptions { commands: Some(Arc::new(registry)), ..RouterOptions::default() }
}

fn one_session() -> (Arc<ScriptedSession>, TestClient) {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::offering(shared_session(&roster, session.id, "/"), extras(), who("zed"));
    (session, client)
}

/// The newest prompt, and its task.
fn prompted(session: &ScriptedSession) -> (String, String) {
    let prompts = session.log().into_iter().rev().find_map(|entry| match &entry.event {
        Event::Prompted { text, task, .. } => Some((text.clone(), task.to_string())),
        _ => None,
    });
    prompts.unwrap()
}

async fn execute(client: &TestClient, body: &str) -> (StatusCode, Value) {
    client.json(Method::POST, "/executeCommand", body).await
}

#[tokio::test]
async fn commands_are_listed_in_both_spellings() {
    let (_session, client) = one_session();
    let answer = client.rpc("commands/get", json!({})).await;
    let plain =
        |name: &str| json!({"name": name, "description": format!("does {name}"), "arguments": [], "sub_commands": []});
    let mut add = plain("add");
    add["arguments"] = json!([{"name": "text", "description": "what to keep", "is_required": true}]);
    let mut memory = plain("memory");
    memory["sub_commands"] = json!([plain("show"), add]);
    let listed = &answer["result"]["commands"].as_array().unwrap()[..4];
    assert_eq!(listed, [memory, plain("init"), plain("extensions"), plain("in-")]);
    assert_eq!(client.speaking("1.0").rpc("commands/get", json!({})).await["result"], answer["result"]);

    let (status, listed) = client.json(Method::GET, "/listCommands", "").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        listed["commands"][0],
        json!({"name": "memory", "description": "does memory", "arguments": [], "subCommands": [
            {"name": "memory show", "description": "does show", "arguments": [], "subCommands": []},
            {"name": "memory add", "description": "does add", "subCommands": [],
             "arguments": [{"name": "text", "description": "what to keep", "isRequired": true}]},
        ]})
    );
}

#[tokio::test]
async fn the_list_is_that_of_the_workspace() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/tmp");
    let client = TestClient::offering(many_sessions(&roster, "/"), extras(), who("zed"));
    for (path, name) in [
        ("/listCommands".to_owned(), "in-"),
        (format!("/listCommands?taskId={}", session.id), "in-tmp"),
        ("/listCommands?contextId=ctx".to_owned(), "in-tmp"),
    ] {
        let (_, listed) = client.json(Method::GET, &path, "").await;
        assert_eq!(listed["commands"][3]["name"], name, "{path}");
    }
    let answer = client.rpc("commands/get", json!({"taskId": session.id})).await;
    assert_eq!(answer["result"]["commands"][3]["name"], "in-tmp");
    let (status, unknown) = client.json(Method::GET, "/listCommands?taskId=x", "").await;
    let message = json!({"error": "task not found: \"x\"; leave the task id out to start one"});
    assert_eq!((status, unknown), (StatusCode::NOT_FOUND, message));
    let none = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    assert_eq!(none.json(Method::GET, "/listCommands", "").await.1, json!({"commands": []}));
}

#[tokio::test]
async fn a_command_is_answered_with_what_its_task_said() {
    let (session, client) = one_session();
    let (told, answer) = tokio::join!(
        async {
            session.owes(thinks).await;
            session.obeys("memory show", "Nothing yet.");
        },
        execute(&client, r#"{"command": "memory"}"#)
    );
    let () = told;
    assert_eq!(answer, (StatusCode::OK, json!({"name": "memory show", "data": "Nothing yet."})));
    assert_eq!(prompted(&session).0, "/memory");

    let (_, answer) = tokio::join!(
        async {
            session.owes(thinks).await;
            session.obeys("memory add", r#"{"kept": 1}"#);
        },
        execute(&client, r#"{"command": "memory add", "args": ["two words", "it's", ""]}"#)
    );
    assert_eq!(answer.1, json!({"name": "memory add", "data": {"kept": 1}}));
    assert_eq!(prompted(&session).0, "/memory add two words it's");
}

#[tokio::test]
async fn arguments_are_typed_as_the_command_takes_them() {
    let (session, client) = one_session();
    for (body, line) in [
        (json!({"command": "run", "args": ["echo hi"]}), "/run echo hi"),
        (json!({"command": "run", "args": ["echo", "hi", "\"there\""]}), "/run echo hi \"there\""),
        (json!({"command": "fill", "args": ["two words", "one"]}), "/fill \"two words\" one"),
        (json!({"command": "memory", "args": ["add", "two words"]}), "/memory add two words"),
    ] {
        let text = body.to_string();
        let (_, (status, _)) = tokio::join!(
            async {
                session.owes(thinks).await;
                session.obeys("it", "Done.");
            },
            execute(&client, &text)
        );
        assert_eq!((status, prompted(&session).0.as_str()), (StatusCode::OK, line), "{body}");
    }
}

#[tokio::test]
async fn a_command_that_says_nothing_is_answered_with_what_its_calls_printed() {
    let (session, client) = one_session();
    let (_, answer) = tokio::join!(
        async {
            session.owes(thinks).await;
            session.report(thinks, Report::Commanded { name: "run".into() });
            session.step_done("", &[("run_shell_command", json!({"command": "echo hi"}))]);
            let verdict = PolicyVerdict::allow("it only reads");
            session.report(vets, Report::Vetted { kind: ToolKind::Execute, verdict });
            session.starts();
            let result = CallResult { text: "\u{1b}[1mhi\u{1b}[0m\n".into(), ..CallResult::default() };
            session.ends(CallOutcome::Succeeded { result });
            session.step_done("", &[]);
        },
        execute(&client, r#"{"command": "run", "args": ["echo hi"]}"#)
    );
    assert_eq!(answer, (StatusCode::OK, json!({"name": "run", "data": "hi\n"})));
}

/// The states of a stream, and whether all of its updates are told in the coder dialect.
async fn coder_told(stream: SseReader) -> (Vec<String>, bool) {
    let events: Vec<Value> = stream.events().await.into_iter().map(|(_, mut event)| event["result"].take()).collect();
    let states = events.iter().filter_map(|event| event["status"]["state"].as_str().map(str::to_owned)).collect();
    let mut updates = events.iter().filter(|event| event["kind"] == "status-update");
    (states, updates.all(|event| event["metadata"]["coderAgent"].is_object()))
}

/// Where a command's task is begun does not change what it speaks: in a session of its own, in one of somebody who speaks
/// otherwise, in the one that all share.
#[tokio::test]
async fn the_task_of_a_command_goes_on_in_the_dialect_it_began_in() {
    let (own, named, one) = (TestRoster::new(), TestRoster::new(), TestRoster::new());
    let (known, session) = (named.session("ctx", "/"), one.session("ctx", "/"));
    for (roster, session_access, body) in [
        (&own, many_sessions(&own, "/"), json!({"command": "memory add", "args": ["x"]})),
        (&named, many_sessions(&named, "/"), json!({"command": "memory add", "args": ["x"], "taskId": known.id})),
        (&one, shared_session(&one, session.id, "/"), json!({"command": "memory add", "args": ["x"]})),
    ] {
        let client = TestClient::offering(session_access.clone(), extras(), who("ide"));
        let text = body.to_string();
        let (session, stream) = tokio::join!(
            async {
                let session = roster.opened().await;
                session.owes(thinks).await;
                session.report(thinks, Report::Commanded { name: "memory add".into() });
                session.asks_to_write();
                session
            },
            client.sse(Method::POST, "/executeCommand", &[], &text)
        );
        let (states, all_coder) = coder_told(stream).await;
        assert_eq!((states.last().unwrap().as_str(), all_coder), ("input-required", true), "{body}");

        // Another process reads the same log.
        let client = TestClient::offering(session_access, extras(), who("ide"));
        let task = prompted(&session).1;
        let asked = client.rpc("tasks/get", json!({"id": task})).await["result"].clone();
        let call = &asked["status"]["message"]["parts"][0]["data"]["request"]["callId"];
        let parts = json!([{"kind": "data", "data": {"callId": call, "outcome": "proceed_once"}}]);
        let message = json!({"kind": "message", "role": "user", "messageId": "yes", "taskId": task, "parts": parts});
        let stream = client.stream("message/stream", json!({ "message": message })).await;
        session.starts();
        session.has_written();
        session.step_done("Kept.", &[]);
        let (states, all_coder) = coder_told(stream).await;
        assert_eq!((states.last().unwrap().as_str(), all_coder), ("input-required", true), "{body}");
        let rests = client.rpc("tasks/get", json!({"id": task})).await["result"].clone();
        assert_eq!(rests["status"]["state"], "input-required", "{body}");
        assert_eq!(rests["metadata"]["__persistedState"]["_taskState"], "input-required", "{body}");
    }
}

#[tokio::test]
async fn a_command_that_fails_says_so_as_a_message() {
    let (session, client) = one_session();
    let (_, answer) = tokio::join!(
        async {
            session.owes(thinks).await;
            session.report(thinks, Report::Commanded { name: "memory add".into() });
            session.fails("command_failed", "usage: /memory add TEXT");
        },
        execute(&client, r#"{"command": "memory add"}"#)
    );
    let data = json!({"type": "message", "messageType": "error", "content": "usage: /memory add TEXT"});
    assert_eq!(answer, (StatusCode::OK, json!({"name": "memory add", "data": data})));
}

#[tokio::test]
async fn a_restore_is_named_and_told_as_googles_server_does() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let named = |name: &str| CommandInfo { name: name.into(), ..CommandInfo::default() };
    let restore = CommandInfo { subcommands: vec![named("list"), named("restore")], ..named("restore") };
    let commands = move |_: &str| -> BoxFuture<'static, _> { Box::pin(std::future::ready(vec![restore.clone()])) };
    let extras = RouterOptions { commands: Some(Arc::new(commands)), ..RouterOptions::default() };
    let client = TestClient::offering(shared_session(&roster, session.id, "/"), extras, who("zed"));
    let message = |content: &str| json!({"type": "message", "messageType": "info", "content": content});
    for (body, obeyed, name, said, data) in [
        (r#"{"command": "restore list"}"#, "restore list", "restore list", "None.", message("None.")),
        (r#"{"command": "restore", "args": ["list"]}"#, "restore list", "restore list", "None.", message("None.")),
        (r#"{"command": "restore", "args": ["x"]}"#, "restore restore", "restore", "Back.", json!([message("Back.")])),
    ] {
        let (_, answer) = tokio::join!(
            async {
                session.owes(thinks).await;
                session.obeys(obeyed, said);
            },
            execute(&client, body)
        );
        assert_eq!(answer, (StatusCode::OK, json!({"name": name, "data": data})));
    }
}

#[tokio::test]
async fn what_cannot_be_run_is_refused_as_googles_server_does() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::offering(many_sessions(&roster, "/"), extras(), who("zed"));
    let stranger = Who { owner: Owner("somebody else".into()), ..who("eve") };
    let unknown = format!("task not found: {:?}; leave the task id out to start one", session.id.to_string());
    for (client, body, status, error) in [
        (&client, String::new(), 400, r#"Invalid "command" field."#),
        (&client, "{}".into(), 400, r#"Invalid "command" field."#),
        (&client, "[]".into(), 400, r#"Invalid "command" field."#),
        (&client, json!({"command": 5}).to_string(), 400, r#"Invalid "command" field."#),
        (&client, json!({"command": " "}).to_string(), 400, r#"Invalid "command" field."#),
        (&client, json!({"command": "memory", "args": "x"}).to_string(), 400, r#""args" field must be an array."#),
        (&client, json!({"command": "memory", "args": [5]}).to_string(), 400, r#""args" field must hold text only."#),
        (&client, json!({"command": "memory", "taskId": 5}).to_string(), 400, r#""taskId" field must be text."#),
        (&client, json!({"command": "nope"}).to_string(), 404, "Command not found: nope"),
        (&client, json!({"command": "memory nope"}).to_string(), 404, "Command not found: memory nope"),
        (&client.seen_by(stranger), json!({"command": "memory", "taskId": session.id}).to_string(), 404, &unknown),
        (&client, "{".into(), 400, "the body is not valid JSON: EOF while parsing an object at line 1 column 1"),
    ] {
        let (got, answer) = client.json(Method::POST, "/executeCommand", &body).await;
        assert_eq!((got.as_u16(), answer), (status, json!({ "error": error })), "{body}");
    }
    assert_eq!(roster.sessions().len(), 1);
}

/// The kinds and states of a stream of JSON-RPC answers, and the id they all have.
async fn told(stream: SseReader) -> (Vec<(String, String)>, Value) {
    let events = stream.events().await;
    let id = events[0].1["id"].clone();
    assert!(events.iter().all(|(_, event)| event["id"] == id));
    let told = events.iter().map(|(_, event)| {
        let event = &event["result"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&event["kind"]), text(&event["status"]["state"]))
    });
    (told.collect(), id)
}

#[tokio::test]
async fn a_command_that_is_a_turn_of_the_model_streams() {
    let (session, client) = one_session();
    let (_, stream) = tokio::join!(
        async {
            session.owes(thinks).await;
            session.says("I look around.");
        },
        client.sse(Method::POST, "/executeCommand", &[], r#"{"command": "extensions"}"#)
    );
    session.step_done("", &[]);
    let (events, id) = told(stream).await;
    assert_eq!(events[0], ("task".to_owned(), "submitted".to_owned()));
    assert_eq!(events[1], ("status-update".to_owned(), "working".to_owned()));
    assert_eq!(id, json!(prompted(&session).1));
}

#[tokio::test(start_paused = true)]
async fn a_command_that_waits_for_another_turn_holds_nobody() {
    let (session, client) = one_session();
    client
        .rpc(
            "message/send",
            json!({"message": {"role": "user", "messageId": "m", "kind": "message",
        "parts": [{"kind": "text", "text": "go"}]}, "configuration": {"blocking": false}}),
        )
        .await;
    session.owes(thinks).await;
    let mut stream = client.sse(Method::POST, "/executeCommand", &[], r#"{"command": "extensions"}"#).await;
    let (_, first) = stream.next().await.unwrap();
    assert_eq!((&first["result"]["kind"], &first["result"]["status"]["state"]), (&json!("task"), &json!("submitted")));
}

#[tokio::test]
async fn init_and_whoever_wants_events_get_a_stream_at_once() {
    let (session, client) = one_session();
    for (body, accept) in [(r#"{"command": "init"}"#, "*/*"), (r#"{"command": "memory"}"#, "text/event-stream")] {
        let stream = client.sse(Method::POST, "/executeCommand", &[("accept", accept)], body).await;
        session.obeys("it", "Done.");
        let (events, _) = told(stream).await;
        assert_eq!(events[0].0, "task");
        assert!(events.len() > 2, "{events:?}");
    }
}

#[tokio::test]
async fn an_execution_is_a_task_of_its_own_in_the_session_that_is_named() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::offering(many_sessions(&roster, "/"), extras(), who("zed"));
    for params in [
        json!({"command_path": ["memory", "add"], "args": "\"two words\" x", "taskId": session.id}),
        json!({"commandPath": ["memory", "add"], "args": "\"two words\" x", "contextId": "ctx"}),
    ] {
        let (_, answer) = tokio::join!(
            async {
                session.owes(thinks).await;
                session.obeys("memory add", "Kept.");
            },
            client.rpc("command/execute", params)
        );
        let (text, task) = prompted(&session);
        assert_eq!(text, "/memory add \"two words\" x");
        assert_eq!(answer["result"], json!({"execution_id": task, "status": "STARTED"}));
        let done = client.rpc("tasks/get", json!({"id": task})).await;
        assert_eq!(done["result"]["status"]["state"], "completed");
    }
    assert_eq!(roster.sessions().len(), 1);
    let begun = client
        .raw(Method::POST, "/", &[("accept", "text/event-stream")], &call(&json!({"command_path": ["init"]})))
        .await;
    assert_eq!((begun.status(), roster.sessions().len()), (StatusCode::OK, 2));
}

fn call(params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "command/execute", "params": params}).to_string()
}

#[tokio::test]
async fn a_command_that_asks_waits_and_goes_on_like_any_task() {
    let (session, client) = one_session();
    for (status, asks) in [("AWAITING_SHELL_CONFIRMATION", true), ("AWAITING_ACTION_CONFIRMATION", false)] {
        let (_, answer) = tokio::join!(
            async {
                session.owes(thinks).await;
                session.report(thinks, Report::Commanded { name: "memory show".into() });
                if asks { session.asks_to_run("ls") } else { session.asks_to_write() }
            },
            client.rpc("command/execute", json!({"command_path": ["memory"], "args": ""}))
        );
        let task = prompted(&session).1;
        let message = "answer its tool call on the task that execution_id names";
        assert_eq!(answer["result"], json!({"execution_id": task, "status": status, "message": message}));
        let waiting = client.rpc("tasks/get", json!({"id": task})).await;
        assert_eq!(waiting["result"]["status"]["state"], "input-required");
        let asked = &waiting["result"]["status"]["message"]["parts"][0]["data"]["tool_call_id"];
        let data = json!({"tool_call_id": asked, "selected_option_id": "cancel"});
        let message = json!({"role": "user", "messageId": status, "taskId": task, "parts": [{"data": data}]});
        let over = client.rpc("message/send", json!({ "message": message })).await;
        assert_eq!(over["result"]["status"]["state"], "completed");
    }
}

#[tokio::test]
async fn commands_are_those_of_the_workspace_in_the_settings_and_modes_are_among_them() {
    let roster = TestRoster::new();
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (default, other) = (one.path().to_str().unwrap(), two.path().canonicalize().unwrap());
    let other = other.to_str().unwrap().to_owned();
    let source: pollux_server::CommandSource = Arc::new(|workspace: &str| {
        let command = CommandInfo { name: workspace.to_owned(), ..CommandInfo::default() };
        Box::pin(async move { vec![command] })
    });
    let extras = RouterOptions { commands: Some(source), ..RouterOptions::default() };
    let client = TestClient::offering(many_sessions(&roster, default), extras, who("ide"));
    let names = |answer: &Value| -> Vec<String> {
        let commands = answer["result"]["commands"].as_array().unwrap();
        commands.iter().map(|command| command["name"].as_str().unwrap().to_owned()).collect()
    };
    let uri = pollux_wire::devtool::URI;
    let wanted = client.rpc("commands/get", json!({"metadata": {uri: {"workspace_path": other}}})).await;
    assert_eq!(names(&wanted), [other.as_str(), "mode"]);
    assert_eq!(names(&client.rpc("commands/get", json!({})).await), [default, "mode"]);
    let modes: Vec<&Value> =
        wanted["result"]["commands"][1]["sub_commands"].as_array().unwrap().iter().map(|mode| &mode["name"]).collect();
    assert_eq!(modes, ["default", "auto_edit", "plan", "yolo"]);
    let missing = client.rpc("commands/get", json!({"metadata": {uri: {"workspace_path": "/no/such"}}})).await;
    assert_eq!(missing["error"]["code"], -32602);

    // A mode is chosen with the rights of whoever asks, and nothing is told to the model.
    let session = roster.session("ctx", default);
    let choose = |mode: &str| json!({"command_path": ["mode", mode], "taskId": session.id});
    let chosen = client.rpc("command/execute", choose("plan")).await;
    assert_eq!(
        chosen["result"],
        json!({"execution_id": session.id, "status": "STARTED", "message": "the mode is plan"})
    );
    let watcher = client.seen_by(test_server::observer()).rpc("command/execute", choose("yolo")).await;
    assert_eq!(watcher["error"]["code"], -32004, "{watcher}");
    let unknown = client.rpc("command/execute", choose("fast")).await;
    assert_eq!(unknown["result"]["status"], "FAILED_TO_START");
    let set: Vec<_> = session
        .log()
        .iter()
        .filter(|entry| matches!(entry.event, pollux_session::Event::Set { .. }))
        .cloned()
        .collect();
    assert_eq!(set.len(), 1);
}

#[tokio::test]
async fn a_command_that_cannot_start_says_why() {
    let (session, client) = one_session();
    let unknown = client.rpc("command/execute", json!({"command_path": ["nope"], "args": ""})).await;
    let message = "there is no command /nope; commands/get lists those there are";
    assert_eq!(unknown["result"], json!({"execution_id": "", "status": "FAILED_TO_START", "message": message}));
    for path in [json!([]), json!([" "])] {
        let empty = client.rpc("command/execute", json!({ "command_path": path })).await;
        let message = "`command_path` is empty: name a command, such as [\"memory\", \"show\"]";
        assert_eq!(empty["result"], json!({"execution_id": "", "status": "FAILED_TO_START", "message": message}));
    }
    let (_, wrong) = tokio::join!(
        async {
            session.owes(thinks).await;
            session.report(thinks, Report::Commanded { name: "memory add".into() });
            session.fails("command_failed", "usage: /memory add TEXT");
        },
        client.rpc("command/execute", json!({"command_path": ["memory", "add"]}))
    );
    let result = json!({
        "execution_id": prompted(&session).1, "status": "FAILED_TO_START", "message": "usage: /memory add TEXT",
    });
    assert_eq!(wrong["result"], result);
    for (params, message) in [
        (json!({}), "`params.command_path` is missing"),
        (json!({"command_path": "memory"}), "`params.command_path` must be a list"),
        (json!({"command_path": ["memory"], "args": ["x"]}), "`params.args` must be text"),
    ] {
        let answer = client.rpc("command/execute", params).await;
        assert_eq!((&answer["error"]["code"], &answer["error"]["message"]), (&json!(-32602), &json!(message)));
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_accepts_events_gets_the_execution_and_then_its_updates() {
    let (session, client) = one_session();
    let body = call(&json!({"command_path": ["memory"], "args": ""}));
    let stream = client.sse(Method::POST, "/", &[("accept", "application/json, text/event-stream")], &body).await;
    session.obeys("memory show", "Nothing yet.");
    let results = stream.results().await;
    let task = prompted(&session).1;
    assert_eq!(results[0], json!({"execution_id": task, "status": "STARTED"}));
    let last = results.last().unwrap();
    assert_eq!(
        (&last["taskId"], &last["status"]["state"], &last["final"]),
        (&json!(task), &json!("completed"), &json!(true))
    );
    // Nobody can be sent a stream in a batch; whoever hears nothing for long is told that it has started.
    let body = format!("[{}]", call(&json!({"command_path": ["memory"]})));
    let response = client.raw(Method::POST, "/", &[("accept", "text/event-stream")], &body).await;
    let bytes = http_body_util::BodyExt::collect(response.into_body()).await.unwrap().to_bytes();
    let answers: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(answers[0]["result"]["status"], "STARTED");
}
