//! The JSON of the `.proto` of 0.3, which its HTTP+JSON and gRPC speak, from and to that of the version's text: messages
//! have `content` instead of `parts`, data and files lie one object deeper, roles are in capitals.

use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// The parameters of a request.
pub(crate) fn write_request(params: &Value) -> Value {
    let mut params = params.clone();
    if let Some(message) = params.get_mut("message") {
        write_message(message);
    }
    params
}

fn write_message(message: &mut Value) {
    let Some(fields) = message.as_object_mut() else { return };
    fields.remove("kind");
    fields.insert("role".into(), "ROLE_USER".into());
    let parts = fields.remove("parts").unwrap_or_default();
    let content = parts.as_array().into_iter().flatten().map(|part| match part.get("data") {
        Some(data) => json!({"data": {"data": data}}),
        None => json!({"text": part.get("text")}),
    });
    let content = content.collect::<Vec<_>>();
    fields.insert("content".into(), content.into());
}

/// An answer, or an event of a stream.
pub(crate) fn read_answer(mut value: Value) -> Value {
    let Some(fields) = value.as_object_mut() else { return value };
    if let Some(message) = fields.remove("msg") {
        fields.insert("message".into(), message);
    }
    let wrapped =
        ["task", "message", "statusUpdate", "artifactUpdate"].into_iter().find(|name| fields.contains_key(*name));
    match wrapped {
        Some("message") => each(fields, "message", read_message),
        Some("artifactUpdate") => each(fields, "artifactUpdate", |update| each(update, "artifact", read_artifact)),
        Some(name) => each(fields, name, read_task),
        None => read_task(fields),
    }
    value
}

/// A task, or what has become of its status.
fn read_task(task: &mut Map<String, Value>) {
    each(task, "status", |status| {
        if let Some(update) = status.remove("update") {
            status.insert("message".into(), update);
        }
        each(status, "message", read_message);
    });
    each(task, "history", read_message);
    each(task, "artifacts", read_artifact);
}

fn read_artifact(artifact: &mut Map<String, Value>) {
    each(artifact, "parts", read_part);
}

fn read_message(message: &mut Map<String, Value>) {
    if let Some(content) = message.remove("content") {
        message.insert("parts".into(), content);
    }
    each(message, "parts", read_part);
}

fn read_part(part: &mut Map<String, Value>) {
    let inner = part.get_mut("data").and_then(|data| data.get_mut("data")).map(Value::take);
    if let Some(data) = inner {
        part.insert("data".into(), data);
    }
    each(part, "file", |file| {
        for (long, short) in [("fileWithUri", "uri"), ("fileWithBytes", "bytes")] {
            if let Some(value) = file.remove(long) {
                file.insert(short.into(), value);
            }
        }
    });
}

/// Change the object `name`, or every object of the list `name`.
fn each(fields: &mut Map<String, Value>, name: &str, mut change: impl FnMut(&mut Map<String, Value>)) {
    match fields.get_mut(name) {
        Some(Value::Object(inner)) => change(inner),
        Some(Value::Array(items)) => items.iter_mut().filter_map(Value::as_object_mut).for_each(change),
        _ => {}
    }
}
