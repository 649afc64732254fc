//! Answers to asks that are not there, not offered, or already decided.

use super::case::{RefusedRequest, json_post, params, raw};
use super::task_server::{TaskServer, message};
use pollux_testkit::program::ServerMode;
use serde_json::{Value, json};

const PARAMS: i64 = -32602;
const UNSUPPORTED: i64 = -32004;

/// An answer, as the parameters of a message to the room's task.
pub(crate) fn answer(room: &TaskServer, data: &Value) -> Value {
    let mut params = message("answer", &json!([{"kind": "data", "data": data}]));
    params["message"]["taskId"] = json!(room.task);
    params
}

/// Answers that decide nothing, while both asks are open.
pub(crate) fn undecided(room: &TaskServer) -> Vec<RefusedRequest> {
    let (command, edit) = (room.command.as_str(), room.edit.as_str());
    let of = |call: &str, rest: Value| {
        let mut data = json!({"tool_call_id": call});
        for (name, value) in rest.as_object().into_iter().flatten() {
            data[name] = value.clone();
        }
        answer(room, &data)
    };
    let once = |call: &str| of(call, json!({"selected_option_id": "proceed_once"}));
    let waiting = &["for an answer"][..];
    let edited = json!({"selected_option_id": "proceed_once", "modified_details": {"new_content": "rm -rf /"}});
    let table: Vec<(&str, Value, &[&str])> = vec![
        ("an unknown call", once("call-999999"), waiting),
        ("a call that is none", once("rm"), waiting),
        ("an empty call", once(""), waiting),
        ("a long call", once(&"c".repeat(200)), waiting),
        ("a call with a NUL", once("call-\0"), &["NUL"]),
        (
            "a call as a number",
            answer(room, &json!({"tool_call_id": 5, "outcome": "cancel"})),
            &["tool_call_id` must be text"],
        ),
        (
            "no call",
            answer(room, &json!({"kind": "TOOL_CALL_CONFIRMATION", "outcome": "cancel"})),
            &["tool_call_id` is missing", "which tool call"],
        ),
        ("no option", of(command, json!({})), &["selected_option_id` is missing", "one of the options"]),
        ("an option as a number", of(command, json!({"selected_option_id": 1})), &["selected_option_id` must be text"]),
        (
            "an unknown option",
            of(command, json!({"outcome": "proceed_always_and_forever"})),
            &["does not offer", "proceed_once", "cancel"],
        ),
        ("an empty option", of(command, json!({"outcome": ""})), &["does not offer", "proceed_once"]),
        ("approved as text", of(command, json!({"approved": "yes"})), &["approved` must be true or false"]),
        ("an edit of a command", of(command, edited.clone()), &["cannot be edited"]),
        ("an edit with a no", of(edit, json!({"outcome": "cancel", "newContent": "x"})), &["cannot be edited"]),
        (
            "an edit as a number",
            of(edit, json!({"outcome": "proceed_once", "new_content": 5})),
            &["new_content` must be text"],
        ),
        (
            "details as text",
            of(edit, json!({"outcome": "proceed_once", "modified_details": "x"})),
            &["modified_details` must be an object"],
        ),
    ];
    let mut cases: Vec<RefusedRequest> = Vec::new();
    for (name, value, words) in &table {
        cases.push(params(room, name, "message/send", value, PARAMS, words));
        let body = value.to_string();
        let path = format!("/tasks/{}/messages/stream", room.task);
        cases.push(raw(&format!("{path}: {name}"), json_post(room, &path, body.as_bytes()), 400, PARAMS, words));
    }
    let yes = json!({"kind": "data", "data": {"tool_call_id": command, "outcome": "proceed_once"}});
    let mut beside_text = once(command);
    let unknown = json!({"kind": "data", "data": {"tool_call_id": edit, "outcome": "proceed_always_and_forever"}});
    beside_text["message"]["parts"] = json!([yes, {"text": "and hurry"}, unknown]);
    cases.push(params(
        room,
        "text beside an answer that cannot be",
        "message/send",
        &beside_text,
        PARAMS,
        &["does not offer", "proceed_once"],
    ));
    let mut twice = once(command);
    twice["message"]["parts"] = json!([yes, yes]);
    cases.push(params(room, "two answers", "message/send", &twice, PARAMS, &["twice: choose once"]));
    if room.mode == ServerMode::Serve {
        let mut homeless = once(command);
        homeless["message"]["taskId"] = Value::Null;
        cases.push(params(
            room,
            "an answer to no task",
            "message/send",
            &homeless,
            PARAMS,
            &["`message.taskId` is missing"],
        ));
    }
    cases
}

/// Answers that come too late: the command was declined, and with that the turn ended.
pub(crate) fn decided(room: &TaskServer) -> Vec<RefusedRequest> {
    let late = |call: &str, option: &str, id: &str| {
        let mut late = answer(room, &json!({"tool_call_id": call, "selected_option_id": option}));
        late["message"]["messageId"] = json!(id);
        late
    };
    let who = &["was already decided", "chose cancel"][..];
    let path = format!("/tasks/{}/messages/stream", room.task);
    let again = late(&room.command, "proceed_once", "late-3").to_string();
    vec![
        params(
            room,
            "a yes after the no",
            "message/send",
            &late(&room.command, "proceed_once", "late-1"),
            UNSUPPORTED,
            who,
        ),
        params(room, "a no after the no", "message/stream", &late(&room.command, "cancel", "late-2"), UNSUPPORTED, who),
        raw(
            "a yes after the no, on the guide's route",
            json_post(room, &path, again.as_bytes()),
            409,
            UNSUPPORTED,
            who,
        ),
    ]
}
