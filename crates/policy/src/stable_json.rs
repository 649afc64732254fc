//! A call's arguments as one text for `argsPattern`: keys sorted, no spaces, and a NUL on either side of each
//! top-level pair, so that a pattern can tell a real argument from a look-alike inside another one's text.

use serde_json::Value;

pub(crate) fn to_stable_json(args: &Value) -> String {
    let mut out = String::new();
    write(args, "\0", &mut out);
    out
}

fn write(value: &Value, fence: &str, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(fence);
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(&map[key], "", out);
                out.push_str(fence);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, "", out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_and_only_top_level_pairs_are_fenced() {
        let args = json!({"b": [1, {"y": null, "x": "\"a\0\""}], "a": true});
        let text = "{\0\"a\":true\0,\0\"b\":[1,{\"x\":\"\\\"a\\u0000\\\"\",\"y\":null}]\0}";
        assert_eq!(to_stable_json(&args), text);
    }
}
