//! Settings that a message may change: the model, and asking in a new session.

use crate::test_server::client::{TestClient, many_sessions, shared_session};
use crate::test_server::script::thinks;
use crate::test_server::{ScriptedSession, TestRoster, who};
use axum::http::{Method, StatusCode};
use pollux_session::{
    ApprovalMode, Command, EntryAuthor, Event, Grant, Report, Right, Rights, SessionOverrides, SessionSetting, Who,
};
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// Send a prompt that sets something, and do not wait for its turn.
async fn say(client: &TestClient, id: &str, context: Option<&str>, settings: Value) -> Value {
    let mut message = json!({"role": "user", "messageId": id, "parts": [{"text": id}], "metadata": {URI: settings}});
    if let Some(context) = context {
        message["contextId"] = json!(context);
    }
    client.rpc("message/send", json!({"message": message, "configuration": {"blocking": false}})).await
}

fn overrides(session: &ScriptedSession) -> SessionOverrides {
    match &session.log()[0].event {
        Event::Opened(opened) => opened.overrides.clone(),
        other => panic!("a log begins with its opening, not {other:?}"),
    }
}

/// The models that were chosen, and those the turns began with.
fn models(session: &ScriptedSession) -> Vec<String> {
    let named = session.log().into_iter().filter_map(|entry| match &entry.event {
        Event::Set { setting: SessionSetting::Model(model) } => Some(format!("set {model}")),
        Event::TurnStarted { model, .. } => Some(format!("turn {model}")),
        _ => None,
    });
    named.collect()
}

#[tokio::test]
async fn a_new_session_begins_with_the_model_it_is_given() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    say(&client, "m1", None, json!({"model": "pro"})).await;
    assert_eq!(
        overrides(&roster.newest()),
        SessionOverrides { mode: None, model: Some("pro".into()), ..SessionOverrides::default() }
    );
    assert_eq!(models(&roster.newest()), ["turn pro"]);
    let (status, _) = client.json(Method::POST, "/tasks", r#"{"agentSettings": {"model": "flash"}}"#).await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!(
        overrides(&roster.newest()),
        SessionOverrides { mode: None, model: Some("flash".into()), ..SessionOverrides::default() }
    );
}

#[tokio::test]
async fn a_session_that_exists_changes_its_model_when_it_is_another() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    // The first is what it runs already, the third what the second chose.
    for (id, model) in [("m1", "script"), ("m2", "pro"), ("m3", "pro"), ("m4", "flash")] {
        assert_eq!(say(&client, id, Some("ctx"), json!({ "model": model })).await["error"], Value::Null);
        session.step_done("", &[]);
    }
    assert_eq!(models(&session), ["turn script", "set pro", "turn pro", "turn pro", "set flash", "turn flash"]);
    let by = session.log().into_iter().find(|entry| matches!(entry.event, Event::Set { .. })).unwrap().by.clone();
    assert_eq!(by, EntryAuthor::from(&who("zed")));
}

#[tokio::test]
async fn a_retry_does_not_set_the_model_again() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    say(&client, "m1", None, json!({"model": "pro"})).await;
    let flash = Command::Set { setting: SessionSetting::Model("flash".into()) };
    session.command(&who("terminal"), "s", flash).unwrap();
    let log = session.log();
    say(&client, "m1", None, json!({"model": "pro"})).await;
    assert_eq!(session.log(), log);
}

#[tokio::test]
async fn whoever_joins_with_a_model_chooses_it() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let body = r#"{"agentSettings": {"model": "pro"}}"#;
    assert_eq!(client.json(Method::POST, "/tasks", body).await.0, StatusCode::OK);
    assert_eq!(client.json(Method::POST, "/tasks", body).await.0, StatusCode::OK);
    assert_eq!(models(&session), ["set pro"]);
    let watcher = Who { rights: Rights::of([Right::Observe]), ..who("eve") };
    let body = r#"{"agentSettings": {"model": "flash"}}"#;
    assert_eq!(client.seen_by(watcher).json(Method::POST, "/tasks", body).await.0, StatusCode::CONFLICT);
    assert_eq!(models(&session), ["set pro"]);
}

#[tokio::test]
async fn a_refused_prompt_sets_nothing() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let message =
        json!({"role": "user", "messageId": "m1", "parts": [{"text": " "}], "metadata": {URI: {"model": "pro"}}});
    let refused = client.rpc("message/send", json!({ "message": message })).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "EMPTY_PROMPT");
    assert_eq!(models(&session), [""; 0]);
}

#[tokio::test]
async fn events_name_the_model_of_their_turn() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let message =
        json!({"role": "user", "messageId": "m1", "parts": [{"text": "hi"}], "metadata": {URI: {"model": "pro"}}});
    let stream = client.stream("message/stream", json!({ "message": message })).await;
    let flash = Command::Set { setting: SessionSetting::Model("flash".into()) };
    session.command(&who("terminal"), "s", flash).unwrap();
    session.step_done("Hello.", &[]);
    let events = stream.results().await;
    let named: Vec<&Value> = events[1..].iter().map(|event| &event["metadata"][URI]["model"]).collect();
    // The turn began, somebody chose another model for the next one, the text, the end.
    let pro = json!("pro");
    assert_eq!(named, [&pro, &pro, &pro, &pro]);
}

#[tokio::test]
async fn the_metadata_names_the_model_that_answers_now() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let model = async || {
        let (_, metadata) = client.json(Method::GET, &format!("/tasks/{}/metadata", session.id), "").await;
        metadata["metadata"]["model"].clone()
    };
    assert_eq!(model().await, "script");
    // As a command does it: within its turn, for the turns that follow.
    say(&client, "m1", None, json!({})).await;
    session.report(thinks, Report::Commanded { name: "model".into() });
    session.report(thinks, Report::Set { setting: SessionSetting::Model("flash".into()) });
    assert_eq!(model().await, "script");
    session.step_done("flash answers from the next turn on.", &[]);
    assert_eq!(model().await, "flash");
    let stream = {
        let message = json!({"role": "user", "messageId": "m2", "parts": [{"text": "hi"}]});
        client.stream("message/stream", json!({ "message": message })).await
    };
    let (from, to, why) = ("flash".into(), "lite".into(), "it is overloaded".into());
    session.report(thinks, Report::FellBack { from, to, why });
    assert_eq!(model().await, "lite");
    session.step_done("Hello.", &[]);
    assert_eq!(model().await, "lite");
    let events = stream.results().await;
    let named: Vec<&Value> = events[1..].iter().map(|event| &event["metadata"][URI]["model"]).collect();
    // The turn began, another model answers, the text, the end.
    let (flash, lite) = (json!("flash"), json!("lite"));
    assert_eq!(named, [&flash, &lite, &lite, &lite]);
}

#[tokio::test]
async fn a_session_that_never_asks_takes_the_right_to_approve() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    say(&client, "m1", None, json!({"autoExecute": true})).await;
    assert_eq!(
        overrides(&roster.newest()),
        SessionOverrides { mode: Some(ApprovalMode::Yolo), model: None, ..SessionOverrides::default() }
    );
    say(&client, "m2", None, json!({"autoExecute": false})).await;
    assert_eq!(overrides(&roster.newest()), SessionOverrides::default());
    let prompter = Who { rights: Rights::of([Right::Observe, Right::Prompt]), ..who("script") };
    let refused = say(&client.seen_by(prompter), "m3", None, json!({"autoExecute": true})).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "NOT_ALLOWED");
    assert_eq!(roster.sessions().len(), 2);
}

#[tokio::test]
async fn a_tool_with_words_runs_such_commands_without_asking_which_takes_the_right_to_approve() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let tools = json!({"allowedTools": ["read_file", "run_shell_command(git status)", "ShellTool(ls)"]});
    say(&client, "m1", Some("ctx"), tools.clone()).await;
    let session = roster.newest();
    let words = |words: &[&str]| Grant::Prefix {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        options: Vec::new(),
        directory: Some(".".into()),
    };
    let only_tools = Some(vec!["read_file".to_owned(), "run_shell_command".to_owned()]);
    let grants = vec![words(&["git", "status"]), words(&["ls"])];
    assert_eq!(
        overrides(&session),
        SessionOverrides { only_tools, grants: grants.clone(), ..SessionOverrides::default() }
    );
    assert_eq!(session.log()[0].by, EntryAuthor::from(&who("zed")));

    // Who may not approve may name the same again, which changes nothing, and may begin nothing of the kind.
    let prompter = client.seen_by(Who { rights: Rights::of([Right::Observe, Right::Prompt]), ..who("script") });
    assert_eq!(say(&prompter, "m2", Some("ctx"), tools).await["error"], Value::Null);
    let other = json!({"allowedTools": ["read_file", "run_shell_command"]});
    let refused = say(&prompter, "m3", Some("ctx"), other.clone()).await;
    let message = "`allowed_tools` cannot change in a session that exists; leave it out, or begin a new session";
    assert_eq!(refused["error"]["message"], message);
    let refused = say(&prompter, "m4", None, json!({"allowedTools": ["run_shell_command(rm -rf)"]})).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "NOT_ALLOWED");
    assert_eq!(
        refused["error"]["message"],
        "`allowed_tools` names shell commands that would run without asking: this client may not do that: it lacks the \
         right to approve; name run_shell_command alone, and each will ask"
    );
    assert_eq!(roster.sessions().len(), 1);
    say(&prompter, "m5", None, other).await;
    assert_eq!(overrides(&roster.newest()).grants, []);
}

#[tokio::test]
async fn a_session_that_exists_goes_on_asking() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let refused = say(&client, "m1", None, json!({"autoExecute": true})).await;
    assert_eq!(
        refused["error"]["message"],
        "`auto_execute` cannot change in a session that exists, and its mode is default; leave it out, begin a new \
         session, or set the mode in a terminal that is at the session"
    );
    assert_eq!(say(&client, "m2", None, json!({"autoExecute": false})).await["error"], Value::Null);
    let modes = session.log().into_iter().filter(|entry| matches!(entry.event, Event::Set { .. })).count();
    assert_eq!((overrides(&session), modes), (SessionOverrides::default(), 0));
}

/// The task that a message of a client of Google's a2a-server begins, and the text that comes next.
async fn coder_notice(client: &TestClient, settings: Value) -> (Value, String) {
    let message =
        json!({"role": "user", "messageId": "m1", "parts": [{"text": "hi"}], "metadata": {"coderAgent": settings}});
    let mut stream = client.stream("message/stream", json!({ "message": message })).await;
    let task = stream.result().await;
    let next = stream.result().await;
    assert_eq!(next["kind"], "status-update");
    (task, next["status"]["message"]["parts"][0]["text"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn googles_clients_see_which_settings_have_no_effect() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let settings = json!({"kind": "agent-settings", "workspacePath": "/", "approval_mode": "plan"});
    let (task, text) = coder_notice(&client, settings).await;
    assert_eq!(task["metadata"]["_ignoredSettings"], json!(["approval_mode"]));
    assert!(text.contains("\"approval_mode\", which is no setting here"), "{text}");
    let (status, id) =
        client.json(Method::POST, "/tasks", r#"{"agentSettings": {"kind": "agent-settings", "sandbox": true}}"#).await;
    assert_eq!(status, StatusCode::CREATED);
    let task = client.rpc("tasks/get", json!({ "id": id })).await;
    assert_eq!(task["result"]["metadata"]["_ignoredSettings"], json!(["sandbox"]));
}

#[tokio::test]
async fn googles_clients_see_that_a_shared_session_goes_on_asking() {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let settings = json!({"kind": "agent-settings", "workspacePath": "/", "autoExecute": true});
    let (_, text) = coder_notice(&client, settings).await;
    assert!(text.starts_with("`auto_execute` cannot change in a session that exists"), "{text}");
    assert_eq!(session.log().iter().filter(|entry| matches!(entry.event, Event::Set { .. })).count(), 0);
}

#[tokio::test]
async fn a_bare_body_of_settings_is_understood() {
    let roster = TestRoster::new();
    let workspace = tempfile::tempdir().unwrap();
    let path = workspace.path().to_str().unwrap();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    for body in [
        json!({"kind": "agent-settings", "workspacePath": path, "autoExecute": true}),
        json!({"workspacePath": path, "autoExecute": true}),
        json!({"contextId": "c", "workspace_path": path, "auto_execute": true}),
        json!({"agentSettings": {"kind": "agent-settings", "workspacePath": path, "autoExecute": true}}),
        json!({"agent_settings": {"workspaceRoot": path, "autoExecute": true}}),
    ] {
        let (status, answer) = client.json(Method::POST, "/tasks", &body.to_string()).await;
        assert_eq!(status, StatusCode::CREATED, "{body}: {answer}");
        match &roster.newest().log()[0].event {
            Event::Opened(opened) => {
                assert_eq!(
                    (opened.workspace.as_str(), opened.overrides.mode),
                    (path, Some(ApprovalMode::Yolo)),
                    "{body}"
                );
            }
            other => panic!("a log begins with its opening, not {other:?}"),
        }
    }
}

#[tokio::test]
async fn no_route_drops_a_setting_that_it_does_not_know() {
    let roster = TestRoster::new();
    let client = TestClient::new(many_sessions(&roster, "/"), who("zed"));
    let unknown = json!({"workspace_path": "/", "approval_mode": "plan"});
    let opened = |body: &Value| body.to_string();
    for (path, body) in [
        ("/tasks", opened(&json!({"agentSettings": unknown}))),
        ("/tasks", opened(&unknown)),
        ("/tasks", opened(&json!({"workspace_path": "/", "agentSettings": {"model": "m"}}))),
        ("/message/stream", opened(&json!({"userMessage": "hi", "agentSettings": unknown}))),
        (
            "/v1/message:send",
            opened(
                &json!({"message": {"role": "user", "messageId": "m", "parts": [{"text": "hi"}], "metadata": {URI: unknown}}}),
            ),
        ),
        (
            "/a2a/v1/message:send",
            opened(
                &json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}], "metadata": {URI: unknown}}}),
            ),
        ),
    ] {
        let (status, answer) = client.json(Method::POST, path, &body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path} {body}: {answer}");
    }
    assert_eq!(say(&client, "m1", None, unknown).await["error"]["code"], -32602);
    assert_eq!(roster.sessions().len(), 0);
}
