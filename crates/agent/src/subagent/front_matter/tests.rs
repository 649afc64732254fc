use super::*;
use pretty_assertions::assert_eq;

fn field(key: &str, line: usize, value: FrontMatterValue) -> FrontMatterField {
    FrontMatterField { key: key.into(), line, value }
}

fn text(value: &str) -> FrontMatterValue {
    FrontMatterValue::Text(value.into())
}

fn list(items: &[&str]) -> FrontMatterValue {
    FrontMatterValue::List(items.iter().map(|item| (*item).to_owned()).collect())
}

#[test]
fn every_form_that_is_read() {
    let file = "---\n# who it is\nname: scout # short\ndescription: >\n  Looks around\n  and tells.\n\nplain: a:b \"c\"\n\
                quoted: \"a # \\\"b\\\"\"\nsingle: 'it''s'\nempty:\ninline: [a, 'b c', \"d\"] # three\nitems:\n  - one\n  - two # 2\n\
                flush:\n- x\nauth:\n  type: http\n  token: $TOKEN\nlines: |\n  a\n  b\n---\n\nYou are a scout.\n---\nGo.\n";
    let FrontMatter { head, body } = parse(file).unwrap();
    let expected = [
        field("name", 3, text("scout")),
        field("description", 4, text("Looks around and tells.")),
        field("plain", 8, text("a:b \"c\"")),
        field("quoted", 9, text("a # \"b\"")),
        field("single", 10, text("it's")),
        field("empty", 11, text("")),
        field("inline", 12, list(&["a", "b c", "d"])),
        field("items", 13, list(&["one", "two"])),
        field("flush", 16, list(&["x"])),
        field(
            "auth",
            18,
            FrontMatterValue::Table(vec![field("type", 19, text("http")), field("token", 20, text("$TOKEN"))]),
        ),
        field("lines", 21, text("a\nb")),
    ];
    assert_eq!(head, FrontMatterHead::Table(expected.into()));
    assert_eq!(body, "You are a scout.\n---\nGo.");
}

#[test]
fn everything_else_is_refused_by_line() {
    for (head, line, why) in [
        ("name scout", 2, "this is not `key: value`"),
        ("a: 1\na: 2", 3, "`a` is there twice"),
        ("a: 1\n  b: 2", 3, "this line is indented too far"),
        ("a:\n  b:\n    c: 1", 4, "this is nested too deep"),
        ("a: \"x", 2, "the quoted text has no end on its line"),
        ("a: [x", 2, "the list has no end on its line"),
        ("a: {b: 1}", 2, "this form is not read here; write plain text"),
        ("a:\n\tb: 1", 3, "indent with blanks, not with tabs"),
        ("a:\n  -", 3, "an item of a list is one text"),
    ] {
        assert_eq!(parse(&format!("---\n{head}\n---\n")), Err(FrontMatterFault { line, why: why.into() }), "{head}");
    }
    assert_eq!(parse("hello").unwrap_err().why, "the file does not begin with a line of three dashes");
    assert_eq!(parse("---\na: b\n").unwrap_err().why, "the head has no end: close it with a line of three dashes");
}

#[test]
fn a_list_is_several_tables() {
    let file = "---\n# two\n- kind: remote\n  name: one\n  auth:\n    type: http\n\n- name: two\n  card:\n    '{ \"a\":\n    1 }'\n---\n";
    let one = vec![
        field("kind", 3, text("remote")),
        field("name", 4, text("one")),
        field("auth", 5, FrontMatterValue::Table(vec![field("type", 6, text("http"))])),
    ];
    let two = vec![field("name", 8, text("two")), field("card", 9, text("{ \"a\": 1 }"))];
    assert_eq!(parse(file).unwrap().head, FrontMatterHead::Tables(vec![one, two]));
    let odd = "---\n- name: one\nname: two\n---\n";
    assert_eq!(parse(odd), Err(FrontMatterFault { line: 3, why: "this line is indented too little".into() }));
}
