use super::*;
use pretty_assertions::assert_eq;

/// The tree in one line, with the place of every value.
fn shown(fields: &[NodeField]) -> String {
    let field =
        |field: &NodeField| format!("{}@{}:{}={}", field.name, field.at.line, field.at.column, value(&field.value));
    format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(" "))
}

fn value(node: &SettingsNode) -> String {
    let content = match &node.content {
        NodeContent::Null => "null".into(),
        NodeContent::Flag(flag) => flag.to_string(),
        NodeContent::Number(number) => number.clone(),
        NodeContent::Text(text) => format!("{text:?}"),
        NodeContent::List(nodes) => format!("[{}]", nodes.iter().map(value).collect::<Vec<_>>().join(" ")),
        NodeContent::Object(fields) => shown(fields),
    };
    format!("{content}@{}:{}", node.at.line, node.at.column)
}

fn flaw(text: &str) -> (usize, usize, String) {
    let Err(flaw) = parse(text) else { panic!("{text:?} was taken") };
    (flaw.at.line, flaw.at.column, flaw.what)
}

#[test]
fn comments_and_trailing_commas_are_allowed_and_every_value_knows_its_place() {
    let text = "// mine\n{\n  /* é */ \"a\": [1, -2.5e3, \"x\\u0041\",],\n  \"b\": {\"c\": null, \"d\": true,},\n}\n";
    let fields = parse(text).ok().unwrap();
    assert_eq!(
        shown(&fields),
        "{a@3:11=[1@3:17 -2.5e3@3:20 \"xA\"@3:28]@3:16 b@4:3={c@4:9=null@4:14 d@4:20=true@4:25}@4:8}"
    );
}

#[test]
fn an_empty_file_is_an_empty_object() {
    for text in ["", "  \n", "// nothing yet\n", "{}"] {
        assert_eq!(parse(text).map(|fields| shown(&fields)), Ok("{}".into()), "{text:?}");
    }
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    assert_eq!(flaw("[1]"), (1, 1, "expected an object in braces".into()));
    assert_eq!(flaw("{\n  \"a\": 1\n  \"b\": 2\n}"), (2, 9, "a comma is missing after what stands here".into()));
    assert_eq!(flaw("{\"a\": 1"), (1, 1, "a closing brace } is missing for this opening one".into()));
    for text in ["{a: 1}", "{'a': 1}", "{\"a\": 'x'}", "{\"a\": 0x1}", "{\"a\": +1}", "{\"a\": .5}", "{\"a\": NaN}"] {
        assert_eq!(flaw(text).0, 1, "{text:?}");
    }
    for text in ["{\"a\": }", "{\"a\"}", "{,}", "{} {}", "{\"a\": \"x}", "{\"a\": \"\\q\"}", "{/*", "{\"a\": yes}"] {
        assert_eq!(flaw(text).0, 1, "{text:?}");
    }
}

#[test]
fn a_name_that_is_set_twice_is_refused() {
    let what = "\"a\" is set twice in one object, first on line 2".to_owned();
    assert_eq!(flaw("{\n\"a\": 1,\n\"b\": 1, \"a\": 2}"), (3, 9, what));
}

#[test]
fn nesting_without_end_is_refused_and_does_no_harm() {
    let deep = "{\"a\":".to_owned() + &"[".repeat(100_000);
    assert_eq!(flaw(&deep).2, "maximum nesting depth exceeded");
}
