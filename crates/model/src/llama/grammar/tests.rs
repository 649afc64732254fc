mod accept;

use super::*;
use crate::llama::form::{call, say};
use accept::Grammar;
use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;

fn tool(name: &str, parameters: Value) -> ToolDeclaration {
    ToolDeclaration { name: name.into(), description: String::new(), parameters: parameters.into() }
}

fn one(parameters: Value) -> Grammar {
    Grammar::parse(&grammar(&[tool("t", parameters)]))
}

fn files() -> Vec<ToolDeclaration> {
    vec![
        tool(
            "read_file",
            json!({"type": "object", "required": ["file_path"], "properties": {
                "limit": {"type": ["integer", "null"]}, "file_path": {"type": "string"}, "raw": {"type": "boolean"}}}),
        ),
        tool("list", json!({"type": "object", "properties": {"dir": {"type": "string"}, "deep": {"type": "boolean"}}})),
        tool("now", json!({"type": "object", "properties": {}})),
    ]
}

#[test]
fn a_grammar_can_be_read() {
    expect![[r#"
        root ::= say | call-read-file | call-list | call-now
        say ::= "{\"say\": " "\"" char+ "\"" "}"
        read-file-args ::= "{" "\"file_path\": " string ( ", " "\"limit\": " ( integer | "null" ) )? ( ", " "\"raw\": " boolean )? "}"
        call-read-file ::= "{\"tool\": \"read_file\", \"args\": " read-file-args "}"
        list-args ::= "{" ( "\"dir\": " string ( ", " "\"deep\": " boolean )? | "\"deep\": " boolean )? "}"
        call-list ::= "{\"tool\": \"list\", \"args\": " list-args "}"
        now-args ::= "{}"
        call-now ::= "{\"tool\": \"now\", \"args\": " now-args "}"
    "#]]
    .assert_eq(grammar(&files()).strip_suffix(JSON).unwrap());
}

#[test]
fn what_fits_is_accepted_and_the_rest_is_not() {
    let grammar = Grammar::parse(&grammar(&files()));
    for good in [
        say("Done: \"x\"\n\u{1b}[0m 🦀"),
        call("read_file", &json!({"file_path": "a"})),
        call("read_file", &json!({"file_path": "", "limit": -12, "raw": true})),
        call("read_file", &json!({"file_path": "a", "raw": false})),
        call("list", &json!({})),
        call("list", &json!({"deep": true})),
        call("now", &json!({})),
    ] {
        assert!(grammar.accepts(&good), "{good}");
    }
    for bad in [
        String::new(),
        say(""),
        "{\"say\": \"a\"} ".into(),
        "{\"say\":\"a\"}".into(),
        "{\"say\": \"a\nb\"}".into(),
        "{\"say\": \"\\ud800\"}".into(),
        call("rm", &json!({})),
        call("read_file", &json!({})),
        call("read_file", &json!({"file_path": 1})),
        call("read_file", &json!({"raw": true, "file_path": "a"})),
        call("read_file", &json!({"file_path": "a", "limit": 1.5})),
        call("list", &json!({"dir": "a", "more": 1})),
        call("now", &json!({"x": 1})),
    ] {
        assert!(!grammar.accepts(&bad), "{bad}");
    }
}

#[test]
fn shapes_of_every_kind() {
    let check = |schema: Value, good: &[Value], bad: &[Value]| {
        let grammar = one(json!({"type": "object", "required": ["x"], "properties": {"x": schema},
            "$defs": {"Tree": {"type": "object", "required": ["kids"], "properties": {
                "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}}}}}));
        let text = |value: &Value| call("t", &json!({"x": value}));
        good.iter().for_each(|value| assert!(grammar.accepts(&text(value)), "{schema}: {value}"));
        bad.iter().for_each(|value| assert!(!grammar.accepts(&text(value)), "{schema}: {value}"));
    };
    check(json!({"enum": ["a b", 1, null]}), &[json!("a b"), json!(1), json!(null)], &[json!("a"), json!(2)]);
    check(json!({"const": {"k": "\\"}}), &[json!({"k": "\\"})], &[json!({"k": ""})]);
    check(json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), &[json!("x"), json!(null)], &[json!(1)]);
    check(json!({"allOf": [{"type": "number"}]}), &[json!(0), json!(-1.5), json!(10)], &[json!("1")]);
    check(json!({"type": "array", "items": {"type": "integer"}}), &[json!([]), json!([1, 2])], &[json!(["1"])]);
    check(json!({"type": "array", "minItems": 1, "items": {"type": "integer"}}), &[json!([1])], &[json!([])]);
    check(json!({"type": "array"}), &[json!([1, "a", {"b": []}])], &[json!({})]);
    check(json!({"type": "object"}), &[json!({}), json!({"a": 1, "b": null})], &[json!([])]);
    check(json!({}), &[json!({"a": [true]}), json!(1.5), json!("s")], &[]);
    check(json!(true), &[json!(null)], &[]);
    check(json!({"$ref": "#/$defs/Gone"}), &[json!(1)], &[]);
    let tree = json!({"kids": [{"kids": []}, {"kids": [{"kids": []}]}]});
    check(json!({"$ref": "#/$defs/Tree"}), &[tree], &[json!({"kids": [1]}), json!({})]);
}

#[test]
fn names_never_clash() {
    let tools = [tool("a-b", json!({})), tool("a_b", json!({})), tool("string", json!({})), tool("日本", json!({}))];
    let grammar = Grammar::parse(&grammar(&tools));
    for tool in &tools {
        assert!(grammar.accepts(&call(&tool.name, &json!({}))), "{}", tool.name);
    }
}

#[test]
fn arguments_that_nobody_described_may_be_anything_if_that_is_allowed() {
    let any = one(json!({"type": "object", "additionalProperties": true}));
    assert!(any.accepts(&call("t", &json!({"a": [1]}))));
    assert!(!one(json!({"type": "object"})).accepts(&call("t", &json!({"a": [1]}))));
}

/// A schema, and a value that fits it.
fn schema_and_value() -> impl Strategy<Value = (Value, Value)> {
    let leaf = prop_oneof![
        any::<String>().prop_map(|text| (json!({"type": "string"}), json!(text))),
        any::<i32>().prop_map(|number| (json!({"type": "integer"}), json!(number))),
        any::<bool>().prop_map(|truth| (json!({"type": "boolean"}), json!(truth))),
        any::<String>().prop_map(|text| (json!({"enum": ["other", text]}), json!(text))),
        Just((json!({"type": ["string", "null"]}), Value::Null)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3).prop_map(|items| {
            let (schemas, values): (Vec<Value>, Vec<Value>) = items.into_iter().unzip();
            (json!({"type": "array", "items": {"anyOf": schemas}}), Value::Array(values))
        });
        let object =
            prop::collection::btree_map("[a-z\"\\\\ ]{1,6}", (inner, any::<(bool, bool)>()), 0..4).prop_map(|fields| {
                // Required fields come first in what is written, whatever their order in the schema.
                let (mut first, mut last, mut required) = (Vec::new(), Vec::new(), Vec::new());
                let mut properties = serde_json::Map::new();
                for (key, ((schema, value), (must, present))) in fields {
                    properties.insert(key.clone(), schema);
                    if must {
                        required.push(key.clone());
                        first.push((key, value));
                    } else if present {
                        last.push((key, value));
                    }
                }
                let value = first.into_iter().chain(last).collect();
                (json!({"type": "object", "required": required, "properties": properties}), Value::Object(value))
            });
        prop_oneof![list, object]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_fits_a_schema_can_be_written((schema, value) in schema_and_value()) {
        let grammar = one(json!({"type": "object", "required": ["x"], "properties": {"x": schema}}));
        let text = call("t", &json!({"x": value}));
        prop_assert!(grammar.accepts(&text), "{}", text);
        prop_assert!(!grammar.accepts(&text[..text.len() - 1]), "{}", text);
    }
}
