use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Sample {
    /// A path.
    file_path: String,
    /// A line.
    #[serde(default, deserialize_with = "line_number")]
    #[schemars(range(min = 1))]
    start_line: Option<usize>,
    /// Words.
    #[serde(default)]
    note: Option<String>,
}

fn error(args: &Value) -> String {
    parse::<Sample>(args).unwrap_err().to_string()
}

#[test]
fn yes_and_no_may_be_in_quotes() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Flags {
        #[serde(default, deserialize_with = "flag")]
        all: bool,
    }
    let all = |args: Value| parse::<Flags>(&args).map(|flags| flags.all).map_err(|error| error.to_string());
    for (given, meant) in [(json!(true), true), (json!("True"), true), (json!(" false "), false)] {
        assert_eq!(all(json!({ "all": given })), Ok(meant));
    }
    assert_eq!(all(json!({})), Ok(false));
    assert_eq!(all(json!({ "all": 1 })), Err("argument `all`: 1 is given, and true or false is expected".into()));
}

#[test]
fn errors_name_the_argument() {
    assert_eq!(error(&Value::Null), "missing argument `file_path`");
    assert_eq!(error(&json!({ "path": "a" })), "missing argument `file_path`; given: `path`");
    assert_eq!(error(&json!({ "file_path": 7 })), "argument `file_path`: invalid type: integer `7`, expected a string");
    assert_eq!(error(&json!(["a"])), "the arguments must be a JSON object");
    for wrong in [json!(0), json!("0"), json!(-1), json!(1.5), json!(1e300)] {
        assert_eq!(
            error(&json!({ "file_path": "a", "start_line": wrong })),
            "argument `start_line`: a line number is a whole number from 1"
        );
    }
}

#[test]
fn an_argument_that_the_tool_does_not_take_is_refused_and_the_nearest_named() {
    let check = |args: Value| check_names("read_file", &schema::<Sample>(), &args).map_err(|error| error.to_string());
    assert_eq!(check(json!({ "file_path": "a", "wait_for_previous": true })), Ok(()));
    assert_eq!(check(json!(["a"])), Ok(()), "reading says what is wrong");
    assert_eq!(
        check(json!({ "file": "a" })).unwrap_err(),
        "unknown argument `file`; did you mean `file_path`? The arguments of read_file: file_path, start_line, note"
    );
    assert_eq!(
        check(json!({ "file_path": "a", "zzzzzzzzz": 1 })).unwrap_err(),
        "unknown argument `zzzzzzzzz`. The arguments of read_file: file_path, start_line, note"
    );
}

#[test]
fn reading_is_lenient() {
    let expected = Sample { file_path: "a".into(), start_line: Some(3), note: None };
    for args in [
        json!({ "file_path": "a", "start_line": 3 }),
        json!({ "file_path": "a", "start_line": 3.0, "note": null }),
        json!({ "file_path": "a", "start_line": " 3" }),
    ] {
        assert_eq!(parse::<Sample>(&args).unwrap(), expected);
    }
}

#[test]
fn what_a_schema_does_not_name_is_left_out() {
    let schema = json!({ "properties": {
        "path": { "type": "string" },
        "free": { "type": "object" },
        "list": { "items": { "properties": { "path": {} } } },
        "loose": { "type": "array" },
    } });
    let fake = json!({ "path": "x" });
    assert_eq!(
        declared_part(
            &schema,
            &json!({ "path": "a", "other": fake, "free": fake, "list": [{ "path": 1, "more": fake }, 2], "loose": [fake] })
        ),
        json!({ "path": "a", "free": {}, "list": [{ "path": 1 }, 2], "loose": [] })
    );
    assert_eq!(declared_part(&json!({}), &fake), json!({}));
}

#[test]
fn schemas_are_plain() {
    assert_eq!(
        schema::<Sample>(),
        json!({
            "type": "object",
            "properties": {
                "file_path": { "description": "A path.", "type": "string" },
                "start_line": { "description": "A line.", "type": "integer", "minimum": 1 },
                "note": { "description": "Words.", "type": "string" },
            },
            "required": ["file_path"],
        })
    );
}
