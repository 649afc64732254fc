use super::*;
use crate::config::jsonc;
use pretty_assertions::assert_eq;

/// Fields as text.
fn shown(fields: &[NodeField]) -> String {
    fields.iter().map(|field| format!("{}: {}", field.name, value(&field.value))).collect::<Vec<_>>().join(", ")
}

fn value(node: &SettingsNode) -> String {
    match &node.content {
        NodeContent::Null => "null".into(),
        NodeContent::Flag(flag) => flag.to_string(),
        NodeContent::Number(number) => number.clone(),
        NodeContent::Text(text) => format!("{text:?}"),
        NodeContent::List(nodes) => format!("[{}]", nodes.iter().map(value).collect::<Vec<_>>().join(", ")),
        NodeContent::Object(fields) => format!("{{{}}}", shown(fields)),
    }
}

fn read(text: &str) -> Result<String, String> {
    match parse(text) {
        Ok(fields) => Ok(shown(&fields)),
        Err(flaw) => Err(format!("{}:{}: {}", flaw.at.line, flaw.at.column, flaw.what)),
    }
}

#[test]
fn it_says_what_the_same_settings_in_json_say() {
    let yaml = "# mine\nmodel:\n  name: gemini-2.5-pro\n  maxSessionTurns: -1\ntools:\n  exclude:\n    - a\n    - \"1\"\n\
                context: {fileName: 'X.md', loadMemoryFromIncludeDirectories: false}\nui: ~\nadmin: yes\n";
    let json = r#"{"model": {"name": "gemini-2.5-pro", "maxSessionTurns": -1}, "tools": {"exclude": ["a", "1"]},
        "context": {"fileName": "X.md", "loadMemoryFromIncludeDirectories": false}, "ui": null, "admin": "yes"}"#;
    let wanted = jsonc::parse(json).map_err(|flaw| flaw.what).map(|fields| shown(&fields));
    assert_eq!(read(yaml), wanted);
    for empty in ["", "# nothing\n", "---\n", "null"] {
        assert_eq!(read(empty), Ok(String::new()), "{empty:?}");
    }
}

#[test]
fn every_value_knows_its_place() {
    let fields = parse("a: 1\nb:\n  c: x\n").unwrap_or_default();
    let places: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.at.line, field.at.column)).collect();
    assert_eq!(places, [("a", 1, 1), ("b", 2, 1)]);
}

#[test]
fn what_makes_no_sense_is_told_with_its_place() {
    let deep = "[".repeat(80) + &"]".repeat(80);
    let cases = [
        ("- a\n", "1:1: expected names with values, like `model:`"),
        ("just words", "1:1: expected names with values, like `model:`"),
        ("a: 1\na: 2\n", "2:1: \"a\" is set twice in one place, first on line 1"),
        ("a: &x 1\nb: *x\n", "1:4: anchors and tags have no place in settings; write the value alone"),
        ("a: !!str 1\n", "1:4: anchors and tags have no place in settings; write the value alone"),
        ("a: 1\n---\nb: 2\n", "3:1: a settings file holds one document, and this is another"),
        ("? [a]\n: 1\n", "1:3: a name must be a plain word"),
        (&format!("a: {deep}"), "1:68: values lie more than 64 deep in one another"),
    ];
    for (text, wanted) in cases {
        assert_eq!(read(text), Err(wanted.to_owned()), "{text}");
    }
    for broken in ["a: [1\n", "a: 'x\n", "a:\n\t- b\n", "a: b: c\n"] {
        assert!(read(broken).is_err(), "{broken:?} was read as {:?}", read(broken));
    }
}
