//! Differences between what really comes and an example: keys and types, not values.

use serde_json::Value;

/// Every difference, as a path and what is different there. Elements of an array are all held against the first one of
/// the example.
pub(crate) fn differences(example: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", example, actual, &mut found);
    found.dedup();
    found
}

fn compare(path: &str, example: &Value, actual: &Value, found: &mut Vec<String>) {
    match (example, actual) {
        (Value::Object(example), Value::Object(actual)) => {
            for (key, value) in example {
                match actual.get(key) {
                    Some(real) => compare(&format!("{path}.{key}"), value, real, found),
                    None => found.push(format!("{path}.{key} is missing")),
                }
            }
            let more = actual.keys().filter(|key| !example.contains_key(*key));
            found.extend(more.map(|key| format!("{path}.{key} is more")));
        }
        (Value::Array(example), Value::Array(actual)) => {
            for (value, real) in
                example.first().into_iter().flat_map(|value| actual.iter().map(move |real| (value, real)))
            {
                compare(&format!("{path}[]"), value, real, found);
            }
        }
        (Value::String(_), Value::String(_)) | (Value::Number(_), Value::Number(_)) => {}
        (Value::Bool(_), Value::Bool(_)) | (Value::Null, Value::Null) => {}
        _ => found.push(format!("{path} is of another type: {actual}")),
    }
}
