//! Asks of MCP tools, questions and plans: how they are shown, and every way to answer them.

use crate::test_server::client::{TestClient, shared_session};
use crate::test_server::script::{options_json, vets};
use crate::test_server::{ScriptedSession, TestRoster, who};
use pollux_session::{
    AnswerEdit, Ask, AskDetails, AskOption, Command, Event, FileDiff, Grant, GrantScope, McpToolVersion, PatchedFile,
    PatchedFileChange, PolicyVerdict, PromptTarget, Report, ToolKind, cancel_choice, lasting_choice, once_choice,
    session_choice,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;

/// A session with one call, `call-6`, that asks this.
fn asking(details: AskDetails, options: Vec<AskOption>) -> (Arc<ScriptedSession>, TestClient) {
    let roster = TestRoster::new();
    let session = roster.session("ctx", "/");
    let client = TestClient::new(shared_session(&roster, session.id, "/"), who("zed"));
    let target = PromptTarget::Existing { task: session.id.main_task() };
    session.command(&who("terminal"), "p", Command::prompt(target, "go")).unwrap();
    session.step_done("", &[("a_tool", json!({}))]);
    let verdict = PolicyVerdict::Ask(Ask::new(details, options));
    session.report(vets, Report::Vetted { kind: ToolKind::Fetch, verdict });
    (session, client)
}

fn of_mcp() -> (Arc<ScriptedSession>, TestClient) {
    let grant = || Grant::McpServer { server: "docs".into(), digest: "d".into() };
    let lasting = [GrantScope::Workspace, GrantScope::Always].map(|reach| lasting_choice(grant(), reach));
    let mut options = vec![once_choice(), session_choice(grant())];
    options.extend(lasting);
    options.push(cancel_choice());
    asking(AskDetails::Mcp { server: "docs".into(), tool: "look".into(), version: McpToolVersion::default() }, options)
}

fn of_question() -> (Arc<ScriptedSession>, TestClient) {
    let schema = Some(json!({"type": "object", "properties": {"0": {"type": "string"}}}));
    asking(AskDetails::Generic { description: "Which?".into(), schema }, vec![once_choice(), cancel_choice()])
}

async fn send(client: &TestClient, id: &str, data: Value) -> Value {
    let message = json!({"role": "user", "messageId": id, "parts": [{"kind": "data", "data": data}]});
    client.rpc("message/send", json!({"message": message, "configuration": {"blocking": false}})).await
}

/// Answer `call-6` under an outcome.
async fn choose(client: &TestClient, outcome: &str) -> Value {
    send(client, outcome, json!({"callId": "call-6", "outcome": outcome})).await
}

/// The choices, edits and grants of the answers in the log.
fn answered(session: &ScriptedSession) -> Vec<(String, Option<AnswerEdit>, Option<Grant>, GrantScope)> {
    let answers = session.log().into_iter().filter_map(|entry| match &entry.event {
        Event::Answered { choice, edit, grant, reach, .. } => {
            Some((choice.clone(), edit.clone(), grant.clone(), *reach))
        }
        _ => None,
    });
    answers.collect()
}

#[tokio::test]
async fn an_mcp_tool_asks_with_its_server_and_every_reach() {
    let (session, client) = of_mcp();
    let task = client.rpc("tasks/get", json!({"id": session.id})).await;
    let granted = "every tool of the MCP server docs (as they are now)";
    assert_eq!(
        task["result"]["status"]["message"]["parts"][0]["data"]["confirmation_request"],
        json!({
            "options": [
                options_json()[0],
                {
                    "id": "proceed_always",
                    "name": format!("Allow {granted} in this session"),
                    "description": format!("This call runs, and {granted} runs without asking until this session ends."),
                },
                {
                    "id": "proceed_always_workspace",
                    "name": format!("Allow {granted} in this workspace from now on"),
                    "description": format!(
                        "This call runs, and {granted} runs without asking in every session of this workspace from now on."
                    ),
                },
                {
                    "id": "proceed_always_and_save",
                    "name": format!("Allow {granted} everywhere from now on"),
                    "description":
                        format!("This call runs, and {granted} runs without asking in every workspace from now on."),
                },
                options_json()[1],
            ],
            "mcp_details": {"server_name": "docs", "tool_name": "look"},
        })
    );
}

#[tokio::test]
async fn a_grant_goes_as_far_as_the_option_says() {
    for (option, reach) in [
        ("proceed_always", GrantScope::Session),
        ("proceed_always_workspace", GrantScope::Workspace),
        ("proceed_always_and_save", GrantScope::Always),
    ] {
        let (session, client) = of_mcp();
        choose(&client, option).await;
        let grant = Some(Grant::McpServer { server: "docs".into(), digest: "d".into() });
        assert_eq!(answered(&session), [(option.to_owned(), None, grant, reach)]);
    }
}

#[tokio::test]
async fn an_outcome_of_googles_means_the_option_that_grants_just_that() {
    let (session, client) = of_mcp();
    let first = choose(&client, "proceed_always_server").await;
    let grant = Grant::McpServer { server: "docs".into(), digest: "d".into() };
    assert_eq!(answered(&session), [("proceed_always".to_owned(), None, Some(grant), GrantScope::Session)]);
    // Sent again, it is the same answer, whatever has become of the call meanwhile.
    session.starts();
    session.has_written();
    session.step_done("Done.", &[]);
    let log = session.log();
    let again = choose(&client, "proceed_always_server").await;
    assert_eq!((&first["error"], &again["error"]), (&Value::Null, &Value::Null));
    assert_eq!(session.log(), log);
}

#[tokio::test]
async fn an_outcome_that_would_grant_something_else_is_refused() {
    let of_tool = || {
        let options = vec![once_choice(), session_choice(Grant::Tool { tool: "a_tool".into() }), cancel_choice()];
        asking(AskDetails::generic("Fetch it"), options)
    };
    for (place, outcome) in [
        (of_mcp(), "proceed_always_tool"),
        (of_mcp(), "modify_with_editor"),
        (of_tool(), "proceed_always_server"),
        (of_tool(), "proceed_always_and_save"),
        (of_question(), "proceed_always_tool"),
    ] {
        let (session, client) = place;
        let refused = choose(&client, outcome).await;
        assert_eq!(refused["error"]["data"][1]["reason"], "UNKNOWN_OPTION", "{outcome}");
        assert_eq!(answered(&session), []);
    }
    let grant = Grant::McpTool { tool: "a_tool".into(), digest: "d".into() };
    let details = AskDetails::Mcp { server: "docs".into(), tool: "look".into(), version: McpToolVersion::default() };
    let (session, client) = asking(details, vec![once_choice(), session_choice(grant.clone()), cancel_choice()]);
    choose(&client, "proceed_always_tool").await;
    assert_eq!(answered(&session), [("proceed_always".to_owned(), None, Some(grant), GrantScope::Session)]);
    let (session, client) = of_tool();
    choose(&client, "proceed_always_tool").await;
    let grant = Grant::Tool { tool: "a_tool".into() };
    assert_eq!(answered(&session), [("proceed_always".to_owned(), None, Some(grant), GrantScope::Session)]);
}

#[tokio::test]
async fn an_outcome_for_a_call_that_never_asked_is_refused() {
    let (session, client) = of_mcp();
    for call in ["call-3", "call-99"] {
        let refused = send(&client, call, json!({"callId": call, "outcome": "proceed_always_server"})).await;
        assert_eq!(refused["error"]["data"][1]["reason"], "UNKNOWN_CALL", "{call}");
    }
    assert_eq!(answered(&session), []);
}

#[tokio::test]
async fn a_question_shows_its_schema_and_takes_answers() {
    let (session, client) = of_question();
    let task = client.rpc("tasks/get", json!({"id": session.id})).await;
    assert_eq!(
        task["result"]["status"]["message"]["parts"][0]["data"]["confirmation_request"],
        json!({
            "options": options_json(),
            "generic_details": {
                "description": "Which?",
                "schema": {"type": "object", "properties": {"0": {"type": "string"}}},
            },
        })
    );
    send(&client, "a", json!({"callId": "call-6", "outcome": "proceed_once", "payload": {"answers": {"0": "red"}}}))
        .await;
    let edit = Some(AnswerEdit::Answers { answers: json!({"0": "red"}) });
    assert_eq!(answered(&session), [("proceed_once".to_owned(), edit, None, GrantScope::Session)]);
}

#[tokio::test]
async fn answers_nobody_asked_for_are_refused() {
    for (place, option) in [(of_mcp(), "proceed_once"), (of_question(), "cancel")] {
        let (session, client) = place;
        let data = json!({"tool_call_id": "call-6", "selected_option_id": option, "answers": {}});
        let refused = send(&client, "a", data).await;
        assert_eq!(refused["error"]["data"][1]["reason"], "NOT_EDITABLE");
        assert_eq!(answered(&session), []);
    }
}

#[tokio::test]
async fn a_change_of_several_files_is_shown_whole_and_its_content_cannot_be_edited_here() {
    let file = |name: &str, change: PatchedFileChange| {
        let patch = format!("--- {name}\n+++ {name}\n@@ -1 +1 @@\n-a\n+b\n");
        let (path, name) = (format!("/w/{name}"), name.to_owned());
        let diff = FileDiff { name, path, old: Some("a\n".into()), new: "b\n".into(), patch };
        PatchedFile { change, diff, written: vec![] }
    };
    let moved = PatchedFileChange::Move { from_name: "old".into(), from_path: "/w/old".into() };
    let details = AskDetails::Patch { files: vec![file("x", PatchedFileChange::Edit), file("y", moved)] };
    let (session, client) = asking(details, vec![once_choice(), cancel_choice()]);
    let task = client.rpc("tasks/get", json!({"id": session.id})).await;
    let shown = "Change 2 files:\n- x +1 -1\n- y (moved from old) +1 -1\n\n```diff\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\nrename from \
                 old\nrename to y\n--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n```\n";
    assert_eq!(
        task["result"]["status"]["message"]["parts"][0]["data"]["confirmation_request"]["generic_details"],
        json!({"description": shown})
    );
    let data = json!({"tool_call_id": "call-6", "selected_option_id": "proceed_once", "modified_details":
        {"file_details": {"new_content": "mine"}}});
    let refused = send(&client, "a", data).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "NOT_EDITABLE", "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("it changes several files"), "{refused}");
    let refused =
        send(&client, "b", json!({"callId": "call-6", "outcome": "modify_with_editor", "newContent": "mine"})).await;
    assert_eq!(refused["error"]["data"][1]["reason"], "NOT_EDITABLE", "{refused}");
    assert_eq!(answered(&session), []);
    choose(&client, "proceed_once").await;
    assert_eq!(answered(&session), [("proceed_once".to_owned(), None, None, GrantScope::Session)]);
}

#[tokio::test]
async fn an_edited_command_is_refused_and_nothing_runs() {
    let of_command = || {
        let details = AskDetails::Execute { command: "make".into(), directory: "/w".into() };
        asking(details, vec![once_choice(), cancel_choice()])
    };
    for carried in [
        json!({"newContent": "make clean"}),
        json!({"payload": {"newContent": "make clean"}}),
        json!({"payload": {"command": "make clean"}}),
        json!({"command": "make clean"}),
        json!({"modified_details": {"execute_details": {"command": "make clean"}}}),
        json!({"args": {"command": "make clean"}}),
    ] {
        let (session, client) = of_command();
        let mut data = json!({"tool_call_id": "call-6", "selected_option_id": "proceed_once"});
        data.as_object_mut().unwrap().extend(carried.as_object().unwrap().clone());
        let refused = send(&client, "a", data).await;
        assert_eq!(refused["error"]["code"], -32602, "{carried}: {refused}");
        assert_eq!(answered(&session), [], "{carried}");
    }
}
