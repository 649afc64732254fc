//! What is sent: messages and parameters, as each version writes them.

use crate::card::{Line, Version};
use crate::question::Reply;
use pollux_wire::devtool;
use serde_json::{Map, Value, json};

/// Where a message belongs.
pub(crate) struct Thread<'a> {
    pub(crate) task: Option<&'a str>,
    pub(crate) context: Option<&'a str>,
}

/// The parameters that send `reply`. `at_once`: the answer shall not wait for the work to end.
pub(crate) fn send_params(line: &Line, devtool: bool, thread: &Thread<'_>, reply: &Reply, at_once: bool) -> Value {
    let mut message = Map::new();
    let id = uuid::Uuid::now_v7().to_string();
    match line.version {
        Version::Zero3 => {
            message.insert("kind".into(), "message".into());
            message.insert("role".into(), "user".into());
        }
        Version::One => drop(message.insert("role".into(), "ROLE_USER".into())),
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
            Version::Zero3 => json!({"blocking": false}),
            Version::One => json!({"returnImmediately": true}),
        };
    }
    with_tenant(line, params)
}

/// The parameters that name a task.
pub(crate) fn task_params(line: &Line, task: &str) -> Value {
    with_tenant(line, json!({ "id": task }))
}

fn with_tenant(line: &Line, mut params: Value) -> Value {
    if let Some(tenant) = &line.tenant {
        params["tenant"] = tenant.as_str().into();
    }
    params
}

fn part(version: Version, reply: &Reply) -> Value {
    match (version, reply) {
        (Version::Zero3, Reply::Text(text)) => json!({"kind": "text", "text": text}),
        (Version::Zero3, Reply::Data(data)) => json!({"kind": "data", "data": data}),
        (Version::One, Reply::Text(text)) => json!({ "text": text }),
        (Version::One, Reply::Data(data)) => json!({ "data": data }),
    }
}
