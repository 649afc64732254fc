//! The rules of 0.3.

use super::{MessageSendParams, SecurityScheme, TaskIdParams, TaskPushNotificationConfig};
use crate::v1;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn flaw(parts: &Value) -> Option<String> {
    let message = json!({"kind": "message", "messageId": "m", "role": "user", "parts": parts, "surprise": 1});
    let params: MessageSendParams = serde_json::from_value(json!({"message": message})).unwrap();
    params.check().err().map(|flaw| flaw.to_string())
}

#[test]
fn the_rules_for_a_message() {
    let file = |file: Value| flaw(&json!([{"kind": "file", "file": file}]));
    assert_eq!(flaw(&json!([{"kind": "text", "text": ""}])), None);
    assert_eq!(flaw(&json!([])).unwrap(), "`message.parts` must not be empty");
    assert_eq!(flaw(&json!([{"kind": "data", "data": 1}])).unwrap(), "`message.parts[0].data` must be an object");
    assert_eq!(file(json!({"bytes": "aGk="})), None);
    assert_eq!(file(json!({"uri": "https://example.com/a"})), None);
    assert_eq!(file(json!({"bytes": "?"})).unwrap(), "`message.parts[0].file.bytes` must be base64");
    assert_eq!(file(json!({})).unwrap(), "`message.parts[0].file.bytes` or `uri` must be there");
    let both = file(json!({"bytes": "", "uri": "a:b"})).unwrap();
    assert_eq!(both, "`message.parts[0].file.bytes` and `uri` must not both be there");
}

#[test]
fn the_rules_for_ids_and_addresses() {
    let params: TaskIdParams = serde_json::from_value(json!({"id": ""})).unwrap();
    assert_eq!(params.check().unwrap_err().to_string(), "`id` must not be empty");
    let config = json!({"taskId": "t", "pushNotificationConfig": {"url": "http://example.com",
        "authentication": {"schemes": ["Bearer", "a\nb"]}}});
    let config: TaskPushNotificationConfig = serde_json::from_value(config).unwrap();
    let place = "`pushNotificationConfig.authentication.schemes[1]`";
    assert_eq!(config.check().unwrap_err().to_string(), format!("{place} must not have control characters"));
}

#[test]
fn null_is_absent() {
    let message = json!({"kind": "message", "messageId": "m", "role": "user", "taskId": null, "extensions": null,
        "referenceTaskIds": null, "metadata": null, "parts": [{"kind": "text", "text": "hi", "metadata": null}]});
    let params: MessageSendParams =
        serde_json::from_value(json!({"message": message, "configuration": {"blocking": null}, "metadata": null}))
            .unwrap();
    let plain = json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "hi"}]});
    let expected = serde_json::from_value(json!({"message": plain, "configuration": {}})).unwrap();
    assert_eq!(params, expected);
}

#[test]
fn a_device_code_has_no_place_here() {
    let scheme = v1::SecurityScheme::Oauth2SecurityScheme {
        description: String::new(),
        flows: v1::OAuthFlows::DeviceCode(v1::OAuthFlow::default()),
        oauth2_metadata_url: String::new(),
    };
    let expected = SecurityScheme::Oauth2 { description: None, flows: Box::default(), oauth2_metadata_url: None };
    assert_eq!(SecurityScheme::from(scheme), expected);
}
