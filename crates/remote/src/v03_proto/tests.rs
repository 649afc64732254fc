use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_message_is_written_as_the_proto_has_it() {
    let params = json!({
        "message": {"kind": "message", "role": "user", "messageId": "m", "taskId": "t",
            "parts": [{"kind": "text", "text": "dig"}, {"kind": "data", "data": {"data": 1}}]},
        "configuration": {"blocking": false},
    });
    let expected = json!({
        "message": {"role": "ROLE_USER", "messageId": "m", "taskId": "t",
            "content": [{"text": "dig"}, {"data": {"data": {"data": 1}}}]},
        "configuration": {"blocking": false},
    });
    assert_eq!(write_request(&params), expected);
    assert_eq!(write_request(&json!({"id": "t"})), json!({"id": "t"}));
}

#[test]
fn answers_are_read_as_the_text_has_them() {
    let content = json!([{"text": "a"}, {"data": {"data": {"data": {"n": 1}}}},
        {"file": {"fileWithUri": "https://f.example", "mimeType": "x/y"}}]);
    let parts = json!([{"text": "a"}, {"data": {"data": {"n": 1}}},
        {"file": {"mimeType": "x/y", "uri": "https://f.example"}}]);
    let said = |name: &str, parts: &Value| json!({"role": "ROLE_AGENT", name: parts});
    assert_eq!(read_answer(json!({"msg": said("content", &content)})), json!({"message": said("parts", &parts)}));
    let task = |name: &str, parts: &Value, files: &Value| {
        let status = json!({"state": "TASK_STATE_WORKING", "message": said(name, parts)});
        json!({"id": "t", "status": status, "history": [said(name, parts)], "artifacts": [{"artifactId": "a", "parts": files}]})
    };
    let (before, after) = (task("content", &content, &content), task("parts", &parts, &parts));
    assert_eq!(read_answer(before.clone()), after);
    assert_eq!(read_answer(json!({"task": before})), json!({"task": after}));
    let update =
        |parts: &Value| json!({"artifactUpdate": {"append": true, "artifact": {"artifactId": "a", "parts": parts}}});
    assert_eq!(read_answer(update(&content)), update(&parts));
    let status = json!({"statusUpdate": {"final": true, "status": {"state": "TASK_STATE_COMPLETED"}}});
    assert_eq!(read_answer(status.clone()), status);
}
