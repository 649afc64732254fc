//! Reading 0.3's ProtoJSON as the clients in the wild write it.

use super::{
    Content, CreateTaskPushNotificationConfigRequest, FilePart, FileSource, Part, SendMessageRequest,
    SendMessageResponse, StreamResponse, TaskState, is_plain, push_name, read_push_name, read_task_name, task_name,
};
use crate::a2a::{self, Metadata};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pretty_assertions::assert_eq;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn a_message_in_both_spellings() {
    let camel = json!({
        "message": {"messageId": "m", "role": "ROLE_USER", "contextId": "c", "content": [{"text": "hi"}]},
        "configuration": {"blocking": true, "acceptedOutputModes": [], "historyLength": 0,
            "pushNotification": {"url": "https://example.com"}},
    });
    let snake = json!({
        "request": {"message_id": "m", "role": 1, "context_id": "c", "content": [{"text": "hi", "file": null}],
            "metadata": null, "extensions": null},
        "configuration": {"blocking": true, "accepted_output_modes": null, "history_length": "0",
            "push_notification": {"url": "https://example.com", "id": null}},
        "metadata": {}, "surprise": {},
    });
    assert!(!is_plain(&camel));
    let params = a2a::MessageSendParams::from(read::<SendMessageRequest>(camel).unwrap());
    assert_eq!(a2a::MessageSendParams::from(read::<SendMessageRequest>(snake).unwrap()), params);
    let plain = json!({
        "message": {"kind": "message", "role": "user", "parts": [{"kind": "text", "text": "hi"}], "messageId": "m",
            "contextId": "c"},
        "configuration": {"blocking": true, "pushNotificationConfig": {"url": "https://example.com"}},
    });
    assert!(is_plain(&plain));
    assert_eq!(serde_json::to_value(&params).unwrap(), plain);
}

#[test]
fn a_configuration_that_does_not_say_blocking_says_no() {
    let message = json!({"messageId": "m", "role": "ROLE_USER", "content": [{"text": "hi"}]});
    let blocking = |request| {
        let params = a2a::MessageSendParams::from(read::<SendMessageRequest>(request).unwrap());
        params.configuration.map(|configuration| configuration.blocking)
    };
    assert_eq!(blocking(json!({"message": message})), None);
    assert_eq!(blocking(json!({"message": message, "configuration": {}})), Some(Some(false)));
}

#[test]
fn parts() {
    let content = |value| read::<Part>(value).map(|part| part.content);
    let file = |source| Ok(Content::File(FilePart { source, mime_type: "a/b".into(), name: String::new() }));
    let data = json!({"a": null}).as_object().unwrap().clone();
    assert_eq!(content(json!({"data": {"data": {"a": null}}})), Ok(Content::Data { data }));
    let given = json!({"file": {"file_with_uri": "", "file_with_bytes": "aGk=", "mime_type": "a/b"}});
    assert_eq!(content(given), file(FileSource::FileWithBytes("aGk=".into())));
    let given = json!({"file": {"fileWithUri": "https://example.com", "mimeType": "a/b"}});
    assert_eq!(content(given), file(FileSource::FileWithUri("https://example.com".into())));
    for (wrong, why) in [
        (json!({}), "a part needs one of `text`, `file` and `data`"),
        (json!({"text": "a", "data": {}}), "a part holds only one of `text`, `file` and `data`"),
        (json!({"file": {}}), "a file needs `fileWithUri` or `fileWithBytes`"),
        (
            json!({"file": {"fileWithUri": "a", "fileWithBytes": ""}}),
            "a file has only one of `fileWithUri` and `fileWithBytes`",
        ),
        (json!({"file": {"fileWithBytes": "?"}}), "`fileWithBytes` must be base64"),
    ] {
        assert_eq!(content(wrong), Err(why.into()));
    }
    let array = Part::from(a2a::Part::data(json!([1])));
    assert_eq!(serde_json::to_value(array).unwrap(), json!({"data": {"data": {"value": [1]}}}));
}

#[test]
fn names() {
    assert_eq!(read_task_name(&task_name("t")), Some("t"));
    assert_eq!(read_push_name(&push_name("t", "p")), Some(("t", Some("p"))));
    assert_eq!(read_push_name("tasks/t"), Some(("t", None)));
    assert_eq!(read_push_name("task/t/pushNotificationConfigs"), Some(("t", None)));
    for wrong in
        ["", "t", "tasks/", "tasks/t/x", "tasks//pushNotificationConfigs/p", "tasks/t/pushNotificationConfigs/p/q"]
    {
        assert_eq!((read_task_name(wrong), read_push_name(wrong)), (None, None), "{wrong}");
    }
    assert_eq!(read_task_name("tasks/t/pushNotificationConfigs/p"), None);
}

#[test]
fn a_push_configuration_as_each_client_sends_it() {
    let inner = json!({"url": "https://example.com", "token": "x"});
    let python = json!({"parent": "tasks/t", "config_id": "p",
        "config": {"name": "tasks/t/pushNotificationConfigs/p", "push_notification_config": inner}});
    let javascript = json!({"name": "tasks/t/pushNotificationConfigs/p", "pushNotificationConfig": inner});
    for body in [python, javascript] {
        let request = read::<CreateTaskPushNotificationConfigRequest>(body).unwrap();
        assert_eq!(request.task(), Some("t"));
        let config = request.for_task("t");
        assert_eq!((config.task_id.as_str(), config.push_notification_config.id.as_deref()), ("t", Some("p")));
        assert_eq!(config.push_notification_config.token.as_deref(), Some("x"));
    }
    let own = json!({"pushNotificationConfig": {"url": "https://example.com", "id": "q"}});
    let request = read::<CreateTaskPushNotificationConfigRequest>(own).unwrap();
    assert_eq!(request.for_task("t").push_notification_config.id.as_deref(), Some("q"));
}

#[test]
fn answers_are_read_in_both_spellings() {
    assert_eq!(read::<TaskState>(json!("TASK_STATE_CANCELED")), Ok(TaskState::Cancelled));
    let message = json!({"messageId": "m", "role": "ROLE_AGENT", "content": []});
    assert!(matches!(read(json!({"msg": message})), Ok(SendMessageResponse::Message(_))));
    let update = json!({"task_id": "t", "context_id": "c", "status": {"state": 5, "update": message}});
    let Ok(StreamResponse::StatusUpdate(update)) = read(json!({"status_update": update})) else { panic!("{update}") };
    assert_eq!((update.status.state, update.is_final), (TaskState::Cancelled, false));
    assert_eq!(update.status.message.unwrap().message_id, "m");
    assert!(read::<SendMessageResponse>(json!({"statusUpdate": {}})).is_err());
}

#[test]
fn base64_text_in_bytes_is_told_from_bytes() {
    let text = |bytes: &[u8]| STANDARD.encode(bytes);
    let picture = text(b"\x89PNG\r\n\x1a\n\0\xff");
    for (bytes, mime_type, read) in [
        (text(picture.as_bytes()), "image/png", &picture),
        (picture.clone(), "image/png", &picture),
        (text(text(b"hello\n").as_bytes()), "text/plain", &text(b"hello\n")),
        (text(text(b"hello\n").as_bytes()), "", &text(b"hello\n")),
        (text(b"hello\n"), "text/plain", &text(b"hello\n")),
        // A word that could be base64 and stands for no text is a word.
        (text(b"test"), "text/plain", &text(b"test")),
        (text(b""), "text/plain", &text(b"")),
    ] {
        let content = Content::File(FilePart {
            source: FileSource::FileWithBytes(bytes.clone()),
            mime_type: mime_type.into(),
            name: String::new(),
        });
        let part = Part { content, metadata: Metadata::new() };
        let plain = a2a::Part::from(part.clone());
        let a2a::Part::File { file, .. } = &plain else { panic!("it is a file") };
        assert_eq!(file.bytes.as_ref(), Some(read), "{mime_type}");
        assert_eq!(Part::from(plain), part, "it goes back as it came");
    }
}
