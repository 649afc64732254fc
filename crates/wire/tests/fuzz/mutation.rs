//! Damage to a body: to its bytes, or to the JSON it is.

use fastrand::Rng;
use serde_json::Value;

/// A body is never longer than this, so that a run tries many.
const MAX_LEN: usize = 1 << 14;

/// Texts that have made readers stumble.
const ODD: &[&str] = &[
    "null",
    "true",
    "-0",
    "1e400",
    "1e-400",
    "99999999999999999999",
    "3.0",
    "\"3\"",
    "\"\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "\"\u{feff}\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "{\"\":",
    "\"ROLE_USER\"",
    "\"TASK_STATE_WORKING\"",
    "2147483648",
    "-1",
    "\"=\"",
    "\"tasks//\"",
    "\"2026-11-15T07:21:38.341Z\"",
    "\"message\"",
    "\"file\"",
    "\"2.0\"",
    "\"v0\"",
];

/// Names that the shapes use.
const NAMES: &[&str] = &[
    "kind",
    "text",
    "raw",
    "url",
    "data",
    "file",
    "parts",
    "content",
    "message",
    "task",
    "role",
    "status",
    "state",
    "id",
    "taskId",
    "task_id",
    "contextId",
    "metadata",
    "final",
    "artifact",
    "config",
    "configuration",
    "historyLength",
    "in",
    "jsonrpc",
    "method",
    "params",
    "securitySchemes",
    "flows",
    "type",
    "name",
    "pushNotificationConfig",
];

/// A damaged or invented body.
pub(crate) fn mutate(random: &mut Rng, pool: &[Vec<u8>]) -> Vec<u8> {
    let mut body = pool[random.usize(..pool.len())].clone();
    // Seldom much damage: a body that is broken in many places is refused at the first.
    for _ in 0..=random.u8(..16).leading_zeros().saturating_sub(4) {
        body = match random.u8(..8) {
            0..=4 => in_json(random, &body, pool).unwrap_or_else(|| in_bytes(random, body, pool)),
            5..=6 => in_bytes(random, body, pool),
            _ => wrapped(random, &body),
        };
        body.truncate(MAX_LEN);
    }
    body
}

/// The body as the parameters of a request.
fn wrapped(random: &mut Rng, body: &[u8]) -> Vec<u8> {
    const METHODS: &[&str] = &["message/send", "SendMessage", "tasks/get", "ListTasks", ""];
    let method = METHODS[random.usize(..METHODS.len())];
    let mut request = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"{method}\",\"params\":", odd(random));
    request.push_str(&String::from_utf8_lossy(body));
    request.push('}');
    request.into_bytes()
}

fn odd(random: &mut Rng) -> &'static str {
    ODD[random.usize(..ODD.len())]
}

fn in_bytes(random: &mut Rng, mut body: Vec<u8>, pool: &[Vec<u8>]) -> Vec<u8> {
    let at = random.usize(..=body.len());
    let end = random.usize(at..=body.len().min(at + 32));
    match random.u8(..6) {
        0 if at < body.len() => body[at] ^= 1 << random.u8(..8),
        1 => drop(body.drain(at..end)),
        2 => drop(body.splice(at..end, odd(random).bytes())),
        3 => {
            let again = body[at..end].to_vec();
            drop(body.splice(at..at, again));
        }
        4 => {
            let other = &pool[random.usize(..pool.len())];
            let from = random.usize(..=other.len());
            drop(body.splice(at.., other[from..].iter().copied()));
        }
        _ => body.insert(at, random.u8(..)),
    }
    body
}

fn in_json(random: &mut Rng, body: &[u8], pool: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(body).ok()?;
    let other = serde_json::from_slice(&pool[random.usize(..pool.len())]).unwrap_or(Value::Null);
    if random.u8(..8) == 0 {
        value = inner(random, value);
    }
    damage(random, &mut value, other);
    serde_json::to_vec(&value).ok()
}

/// Something inside a value, for the decoders of smaller things.
fn inner(random: &mut Rng, value: Value) -> Value {
    let mut inside: Vec<Value> = match value {
        Value::Array(items) => items,
        Value::Object(fields) => fields.into_iter().map(|(_, value)| value).collect(),
        other => return other,
    };
    inside.retain(|value| value.is_object() || value.is_array());
    if inside.is_empty() {
        return Value::Null;
    }
    let chosen = inside.swap_remove(random.usize(..inside.len()));
    if random.bool() { inner(random, chosen) } else { chosen }
}

fn damage(random: &mut Rng, value: &mut Value, other: Value) {
    // Most of the time go one level down, so that damage lands everywhere.
    if random.u8(..4) != 0 {
        match value {
            Value::Array(items) if !items.is_empty() => {
                let at = random.usize(..items.len());
                return damage(random, &mut items[at], other);
            }
            Value::Object(fields) if !fields.is_empty() => {
                let at = random.usize(..fields.len());
                if let Some(field) = fields.values_mut().nth(at) {
                    return damage(random, field, other);
                }
            }
            _ => {}
        }
    }
    match (random.u8(..4), value) {
        (0, value) => *value = other,
        (1, Value::Array(items)) => {
            let again = if items.is_empty() { other } else { items[random.usize(..items.len())].clone() };
            items.push(again);
        }
        (2, Value::Array(items)) => drop(items.pop()),
        (1, Value::Object(fields)) => {
            let name = NAMES[random.usize(..NAMES.len())];
            fields.insert(name.to_owned(), serde_json::from_str(odd(random)).unwrap_or(other));
        }
        (2, Value::Object(fields)) if !fields.is_empty() => {
            let at = random.usize(..fields.len());
            let removed = fields.keys().nth(at).cloned().and_then(|name| fields.shift_remove(&name));
            if random.bool() {
                let name = NAMES[random.usize(..NAMES.len())];
                fields.insert(name.to_owned(), removed.unwrap_or(other));
            }
        }
        (_, value) => *value = serde_json::from_str(odd(random)).unwrap_or(Value::Null),
    }
}
