//! `a2a-port-requirements.md`: the shapes it asks for in words.

use crate::seeds::one_session;
use pollux_wire::devtool::URI;
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn section_5_1_a_pending_call_with_options_and_details() {
    let (session, client) = one_session();
    let message = json!({"role": "user", "messageId": "m1", "parts": [{"text": "go"}]});
    let stream = client.stream("message/stream", json!({ "message": message })).await;
    session.asks_to_run("ls");
    let events = stream.results().await;
    let asked = events.iter().find(|event| event["metadata"][URI]["kind"] == "TOOL_CALL_UPDATE").unwrap();
    let call = &asked["status"]["message"]["parts"][0]["data"];
    assert_eq!(call["status"], "PENDING");
    let request = &call["confirmation_request"];
    let ids: Vec<_> = request["options"].as_array().unwrap().iter().map(|option| &option["id"]).collect();
    assert_eq!(ids, ["proceed_once", "cancel"]);
    assert_eq!(request["execute_details"]["command"], "ls");
}

#[tokio::test]
async fn section_6_1_a_later_answer_gets_an_informative_error() {
    let (session, client) = one_session();
    let go = json!({"role": "user", "messageId": "m1", "parts": [{"text": "go"}]});
    drop(client.stream("message/stream", json!({ "message": go })).await);
    session.asks_to_run("ls");
    let answer = |id: &str| {
        let data = json!({"tool_call_id": "call-6", "selected_option_id": "cancel"});
        json!({"message": {"role": "user", "messageId": id, "taskId": session.id, "parts": [{"data": data}]}})
    };
    assert_eq!(client.rpc("message/send", answer("a1")).await["error"], json!(null));
    let late = client.rpc("message/send", answer("a2")).await;
    assert_eq!(late["error"]["message"], "call-6 was already decided: seed chose cancel");
}
