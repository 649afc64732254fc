use super::*;
use crate::a2a::{MessageSendConfiguration, PushConfigParams, Role, TaskQueryParams};
use crate::v1::{CancelTaskRequest, ListTasksRequest, SendMessageRequest};
use crate::v03_proto::CreateTaskPushNotificationConfigRequest;
use pretty_assertions::assert_eq;
use serde_json::json;

fn flaw<'de, T: Deserialize<'de> + std::fmt::Debug>(value: &'de Value) -> String {
    read::<T>(value).unwrap_err().within("params").to_string()
}

#[test]
fn a_list_is_no_object_at_any_depth() {
    assert_eq!(flaw::<CancelTaskRequest>(&json!(["", "id"])), "`params` must be an object");
    assert_eq!(flaw::<TaskQueryParams>(&json!(["x"])), "`params` must be an object");
    assert_eq!(flaw::<ListTasksRequest>(&json!(["", "ctx"])), "`params` must be an object");
    let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]});
    for (place, part) in [
        ("params.message", json!({"message": ["m", "", "", "ROLE_USER", []]})),
        ("params.configuration", json!({"message": message, "configuration": []})),
        (
            "params.configuration.taskPushNotificationConfig.authentication",
            json!({"message": message, "configuration": {
                "taskPushNotificationConfig": {"url": "https://example.com/", "authentication": ["Bearer"]},
            }}),
        ),
        ("params.message.parts[0]", json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [["hi"]]}})),
        ("params.metadata", json!({"message": message, "metadata": []})),
    ] {
        assert_eq!(flaw::<SendMessageRequest>(&part), format!("`{place}` must be an object"));
    }
    for (place, config) in [
        ("params.pushNotificationConfig", json!({"pushNotificationConfig": ["", "https://example.com/"]})),
        ("params.config", json!({"config": ["tasks/t"]})),
    ] {
        assert_eq!(flaw::<CreateTaskPushNotificationConfigRequest>(&config), format!("`{place}` must be an object"));
    }
}

#[test]
fn what_does_not_fit_is_said_in_the_clients_words() {
    for (value, expected) in [
        (json!({}), "`params.id` is missing"),
        (json!({"id": 5}), "`params.id` must be text"),
        (json!({"id": "x", "historyLength": -1}), "`params.historyLength` must be a whole number from 0 to 4294967295"),
        (
            json!({"id": "x", "historyLength": 1.5}),
            "`params.historyLength` must be a whole number from 0 to 4294967295",
        ),
        (json!({"id": "x", "metadata": "y"}), "`params.metadata` must be an object"),
    ] {
        assert_eq!(flaw::<TaskQueryParams>(&value), expected);
    }
    for (value, expected) in [
        (json!({"blocking": "yes"}), "`params.blocking` must be true or false"),
        (json!({"acceptedOutputModes": {}}), "`params.acceptedOutputModes` must be a list"),
        (json!({"acceptedOutputModes": ["a", 2]}), "`params.acceptedOutputModes[1]` must be text"),
        (json!({"pushNotificationConfig": {}}), "`params.pushNotificationConfig.url` is missing"),
    ] {
        assert_eq!(flaw::<MessageSendConfiguration>(&value), expected);
    }
    assert_eq!(flaw::<Role>(&json!("robot")), "`params` must be one of user, agent, not \"robot\"");
    assert_eq!(flaw::<Role>(&json!(5)), "`params` must be text");
    assert_eq!(
        flaw::<ListTasksRequest>(&json!({"pageSize": "many"})),
        "`params.pageSize` must be a whole number of 32 bits"
    );
    assert_eq!(flaw::<CancelTaskRequest>(&json!({"metadata": {"a": 1}, "id": ["x"]})), "`params.id` must be text");
    assert_eq!(
        flaw::<SendMessageRequest>(&json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{}]}})),
        "`params.message.parts[0]` does not fit: a part needs one of `text`, `raw`, `url` and `data`"
    );
}

#[test]
fn what_fits_is_read_as_always() {
    let params = json!({"id": "t", "pushNotificationConfigId": null, "unknown": [1, {"deep": [true, -2, 0.5, null]}]});
    assert_eq!(read(&params), Ok(PushConfigParams { id: "t".into(), push_notification_config_id: None }));
    let free = json!({"a": [1, -1, 1.5, "x", null, true, {"b": {}}]});
    assert_eq!(read::<Value>(&free), Ok(free.clone()));
    let bare = json!({"name": "tasks/t/pushNotificationConfigs/c", "pushNotificationConfig": {"url": "https://a.b/"}});
    let whole = json!({"parent": "tasks/t", "config_id": "c", "config": bare});
    for request in [&bare, &whole] {
        let request: CreateTaskPushNotificationConfigRequest = read(request).unwrap();
        assert_eq!((request.task(), request.config.push_notification_config.url.as_str()), (Some("t"), "https://a.b/"));
    }
}
