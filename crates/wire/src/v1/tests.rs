//! Reading 1.0: strictly where the protocol is strict, in every spelling ProtoJSON has.

use super::{
    Content, GetTaskRequest, ListTasksRequest, Message, Part, PushConfigRequest, Role, SendMessageRequest,
    StreamResponse, Task, TaskState,
};
use crate::a2a;
use pretty_assertions::assert_eq;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn a_part_has_exactly_one_content() {
    let content = |value| read::<Part>(value).map(|part| part.content);
    assert_eq!(content(json!({"text": ""})), Ok(Content::Text(String::new())));
    assert_eq!(content(json!({"text": null, "raw": "aGk"})), Ok(Content::Raw("aGk=".into())));
    assert_eq!(content(json!({"url": "https://example.com"})), Ok(Content::Url("https://example.com".into())));
    assert_eq!(content(json!({"data": null})), Ok(Content::Data(Value::Null)));
    assert_eq!(content(json!({"data": [1], "kind": "data", "x": {}})), Ok(Content::Data(json!([1]))));
    for (wrong, why) in [
        (json!({}), "a part needs one of `text`, `raw`, `url` and `data`"),
        (json!({"kind": "text", "filename": "a"}), "a part needs one of `text`, `raw`, `url` and `data`"),
        (
            json!({"text": "a", "data": {}, "url": "b"}),
            "a part holds only one of `text`, `raw`, `url` and `data`; this one has `text`, `url`, `data`",
        ),
        (json!({"raw": "not base64!"}), "`raw` must be base64"),
        (json!({"text": 1}), "invalid type: integer `1`, expected a string"),
        (json!("a"), "invalid type: string \"a\", expected struct PartFields"),
    ] {
        assert_eq!(content(wrong), Err(why.into()));
    }
}

#[test]
fn names_of_the_proto_and_numbers_of_enums_are_read() {
    let camel = json!({
        "message": {"messageId": "m", "contextId": "c", "taskId": "t", "role": "ROLE_USER",
            "parts": [{"text": "hi", "mediaType": "text/plain"}], "referenceTaskIds": ["o"], "extensions": ["e"]},
        "configuration": {"acceptedOutputModes": ["text"], "historyLength": 3, "returnImmediately": true,
            "taskPushNotificationConfig": {"taskId": "t", "url": "https://example.com"}},
    });
    let snake = json!({
        "message": {"message_id": "m", "context_id": "c", "task_id": "t", "role": 1,
            "parts": [{"text": "hi", "media_type": "text/plain"}], "reference_task_ids": ["o"], "extensions": ["e"],
            "metadata": null},
        "configuration": {"accepted_output_modes": ["text"], "history_length": "3", "return_immediately": true,
            "task_push_notification_config": {"task_id": "t", "url": "https://example.com", "token": null}},
        "metadata": null, "tenant": null, "surprise": [1],
    });
    let read_camel = read::<SendMessageRequest>(camel).unwrap();
    assert_eq!(read::<SendMessageRequest>(snake).unwrap(), read_camel);
    assert_eq!(read_camel.check(), Ok(()));
}

#[test]
fn states_are_read_by_name_and_number_and_written_by_name() {
    for number in 0..=8 {
        let state = TaskState::from_number(number).unwrap();
        assert_eq!(read::<TaskState>(json!(number)), Ok(state));
        assert_eq!(read::<TaskState>(json!(state.name())), Ok(state));
        assert_eq!(serde_json::to_value(state).unwrap(), json!(state.name()));
        assert_eq!(TaskState::from(a2a::TaskState::from(state)), state);
    }
    assert_eq!(read::<TaskState>(json!("TASK_STATE_CANCELLED")), Ok(TaskState::Canceled));
    for wrong in [json!(9), json!(-1), json!("completed"), json!(1.5), json!(null), json!(u64::MAX)] {
        assert!(read::<TaskState>(wrong.clone()).is_err(), "{wrong}");
    }
    assert!(read::<Role>(json!(0)).is_err() && read::<Role>(json!("ROLE_UNSPECIFIED")).is_err());
}

#[test]
fn null_is_absent() {
    let asked = json!({"id": null, "historyLength": null, "tenant": null});
    assert_eq!(read::<GetTaskRequest>(asked).unwrap(), GetTaskRequest::default());
    let asked =
        json!({"contextId": null, "status": null, "pageSize": null, "pageToken": null, "includeArtifacts": null});
    assert_eq!(read::<ListTasksRequest>(asked).unwrap(), ListTasksRequest::default());
    let task = json!({"id": "t", "status": {"state": 3, "message": null, "timestamp": null}, "artifacts": null,
        "history": null, "metadata": null, "contextId": null});
    assert_eq!(read::<Task>(task).unwrap().artifacts, []);
}

#[test]
fn an_event_is_exactly_one_thing() {
    let task = json!({"id": "t", "status": {"state": 3}});
    let event = read::<StreamResponse>(json!({"task": task, "message": null, "surprise": 1})).unwrap();
    assert!(matches!(event, StreamResponse::Task(_)));
    let wrong = "an event is exactly one of `task`, `message`, `statusUpdate` and `artifactUpdate`";
    assert_eq!(read::<StreamResponse>(json!({})), Err(wrong.into()));
    let both = json!({"task": task, "statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": 3}}});
    assert_eq!(read::<StreamResponse>(both), Err(wrong.into()));
}

fn flaw(message: &Value) -> Option<String> {
    let request = json!({"message": message});
    read::<SendMessageRequest>(request).unwrap().check().err().map(|flaw| flaw.to_string())
}

#[test]
fn the_rules_for_a_message() {
    let good = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]});
    assert_eq!(flaw(&good), None);
    let with = |name: &str, value: Value| {
        let mut message = good.clone();
        message[name] = value;
        flaw(&message)
    };
    let long = "must have at most 128 characters and no control characters";
    assert_eq!(with("messageId", json!("")).unwrap(), "`message.messageId` must not be empty");
    assert_eq!(with("messageId", json!("ä".repeat(128))), None);
    assert_eq!(with("messageId", json!("ä".repeat(129))).unwrap(), format!("`message.messageId` {long}"));
    assert_eq!(with("taskId", json!("a\u{0}")).unwrap(), format!("`message.taskId` {long}"));
    assert_eq!(with("contextId", json!("a\nb")).unwrap(), format!("`message.contextId` {long}"));
    assert_eq!(with("parts", json!([])).unwrap(), "`message.parts` must not be empty");
    let no_address = "must be an absolute address such as https://example.com/file";
    assert_eq!(
        with("parts", json!([{"text": ""}, {"url": "x"}])).unwrap(),
        format!("`message.parts[1].url` {no_address}")
    );
    assert_eq!(with("parts", json!([{"url": "gs://bucket/file"}])), None);
    assert_eq!(with("referenceTaskIds", json!([""])).unwrap(), "`message.referenceTaskIds[0]` must not be empty");
}

#[test]
fn the_rules_for_a_configuration() {
    let flaw = |configuration: Value| {
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]});
        let request = json!({"message": message, "configuration": configuration});
        read::<SendMessageRequest>(request).unwrap().check().err().map(|flaw| flaw.to_string())
    };
    assert_eq!(flaw(json!({"historyLength": 0})), None);
    assert_eq!(flaw(json!({"historyLength": -1})).unwrap(), "`configuration.historyLength` must not be negative");
    let push = |url: &str| flaw(json!({"taskPushNotificationConfig": {"url": url}}));
    let place = "`configuration.taskPushNotificationConfig.url`";
    assert_eq!(push("HTTPS://example.com:8443/x?y"), None);
    assert_eq!(push("http://[::1]:9/x"), None);
    for url in ["", "ftp://example.com", "example.com", "file:///etc/passwd", "//example.com"] {
        assert_eq!(push(url).unwrap(), format!("{place} must begin with https:// or http://"), "{url}");
    }
    for url in ["http://", "http:///x", "http://:80/", "http://exa mple.com", "http://example.com/\r\nx"] {
        assert_eq!(push(url).unwrap(), format!("{place} must name a host, such as https://example.com/hook"), "{url}");
    }
    let token = json!({"taskPushNotificationConfig": {"url": "http://example.com", "token": "a\r\nb"}});
    assert_eq!(
        flaw(token).unwrap(),
        "`configuration.taskPushNotificationConfig.token` must not have control characters"
    );
    let no_scheme =
        json!({"taskPushNotificationConfig": {"url": "http://example.com", "authentication": {"scheme": ""}}});
    let place = "`configuration.taskPushNotificationConfig.authentication.scheme`";
    assert_eq!(flaw(no_scheme).unwrap(), format!("{place} must not be empty"));
}

#[test]
fn the_rules_for_questions() {
    let listed =
        |question: Value| read::<ListTasksRequest>(question).unwrap().check().err().map(|flaw| flaw.to_string());
    assert_eq!(listed(json!({"pageSize": 100, "statusTimestampAfter": "2026-11-15T07:21:38+01:00"})), None);
    for size in [0, -1, 101] {
        assert_eq!(listed(json!({"pageSize": size})).unwrap(), "`pageSize` must be from 1 to 100");
    }
    let no_time = "`statusTimestampAfter` is not a time; write it like 2026-11-15T07:21:38.341Z";
    assert_eq!(listed(json!({"statusTimestampAfter": "yesterday"})).unwrap(), no_time);
    let asked = read::<GetTaskRequest>(json!({"historyLength": 1})).unwrap();
    assert_eq!(asked.check().unwrap_err().to_string(), "`id` must not be empty");
    let asked = read::<GetTaskRequest>(json!({"id": "t", "historyLength": -1})).unwrap();
    assert_eq!(asked.check().unwrap_err().to_string(), "`historyLength` must not be negative");
    let asked = read::<PushConfigRequest>(json!({"taskId": "t"})).unwrap();
    assert_eq!(asked.check().unwrap_err().to_string(), "`id` must not be empty");
}

#[test]
fn what_0_3_cannot_say_gets_lost() {
    let part = Part { filename: "a".into(), media_type: "b/c".into(), ..Content::Text("hi".into()).into() };
    assert_eq!(Part::from(a2a::Part::from(part)), Content::Text("hi".into()).into());
    let message: Message = read(json!({"messageId": "m", "role": 2, "parts": [{"data": [1, null]}]})).unwrap();
    let old = a2a::Message::from(message.clone());
    assert_eq!(old.parts, [a2a::Part::data(json!([1, null]))]);
    assert_eq!(old.check().unwrap_err().to_string(), "`parts[0].data` must be an object");
    assert_eq!(Message::from(old), message);
}
