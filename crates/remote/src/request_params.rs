//! Messages and parameters to send, as each version writes them.

use crate::card::{ChosenInterface, InterfaceVersion};
use crate::question::OutgoingPart;
use pollux_wire::devtool;
use serde_json::{Map, Value, json};

/// Where a message belongs.
pub(crate) struct MessageTarget<'a> {
    pub(crate) task: Option<&'a str>,
    pub(crate) context: Option<&'a str>,
}

/// The parameters that send `reply`. `at_once`: the answer shall not wait for the work to end.
pub(crate) fn send_params(
    line: &ChosenInterface,
    devtool: bool,
    thread: &MessageTarget<'_>,
    reply: &OutgoingPart,
    at_once: bool,
) -> Value {
    let mut message = Map::new();
    let id = uuid::Uuid::now_v7().to_string();
    match line.version {
        InterfaceVersion::V03 => {
            message.insert("kind".into(), "message".into());
            message.insert("role".into(), "user".into());
        }
        InterfaceVersion::V10 => drop(message.insert("role".into(), "ROLE_USER".into())),
    }
    message.insert("messageId".into(), id.into());
    message.insert("parts".into(), json!([part(line.version, reply)]));
    message.extend(thread.task.map(|task| ("taskId".to_owned(), task.into())));
    message.extend(thread.context.map(|context| ("contextId".to_owned(), context.into())));
    if devtool {
        message.insert("extensions".into(), json!([devtool::URI]));
    }
    let mut params = json!({ "message": message });
    if at_once {
        params["configuration"] = match line.version {
            InterfaceVersion::V03 => json!({"blocking": false}),
            InterfaceVersion::V10 => json!({"returnImmediately": true}),
        };
    }
    with_tenant(line, params)
}

/// The parameters that name a task.
pub(crate) fn task_params(line: &ChosenInterface, task: &str) -> Value {
    with_tenant(line, json!({ "id": task }))
}

fn with_tenant(line: &ChosenInterface, mut params: Value) -> Value {
    if let Some(tenant) = &line.tenant {
        params["tenant"] = tenant.as_str().into();
    }
    params
}

fn part(version: InterfaceVersion, reply: &OutgoingPart) -> Value {
    match (version, reply) {
        (InterfaceVersion::V03, OutgoingPart::Text(text)) => json!({"kind": "text", "text": text}),
        (InterfaceVersion::V03, OutgoingPart::Data(data)) => json!({"kind": "data", "data": data}),
        (InterfaceVersion::V10, OutgoingPart::Text(text)) => json!({ "text": text }),
        (InterfaceVersion::V10, OutgoingPart::Data(data)) => json!({ "data": data }),
    }
}
