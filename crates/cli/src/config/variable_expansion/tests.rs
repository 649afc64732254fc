use super::*;
use pretty_assertions::assert_eq;

fn expanded(text: &str) -> (String, Vec<String>) {
    let lookup = |name: &str| match name {
        "NAME" => Some("value".to_owned()),
        "_N1" => Some("one".to_owned()),
        "EMPTY" => Some(String::new()),
        "SLY" => Some("$NAME ${NAME}".to_owned()),
        _ => None,
    };
    let mut missing = Vec::new();
    (expand(text, &lookup, &mut missing), missing)
}

#[test]
fn every_form_is_expanded() {
    let cases = [
        ("$NAME", "value"),
        ("a${NAME}b", "avalueb"),
        ("$NAME/$_N1-$NAME.x", "value/one-value.x"),
        ("${MISSING:-other}", "other"),
        ("${MISSING:-}", ""),
        ("${NAME:-other}", "value"),
        ("${EMPTY:-other}", "other"),
        ("[$EMPTY]", "[]"),
        ("é$NAME€", "évalue€"),
    ];
    for (text, wanted) in cases {
        assert_eq!(expanded(text), (wanted.to_owned(), vec![]), "{text}");
    }
}

#[test]
fn what_names_no_variable_stays_as_it_is() {
    for text in
        ["", "$", "cost: 5$", "$$", "$1", "${}", "${1A}", "${NAME", "${A B}", "$-", "${a.b:-x}", "{NAME}", "%NAME%"]
    {
        assert_eq!(expanded(text), (text.to_owned(), vec![]), "{text}");
    }
    assert_eq!(expanded("$$NAME"), ("$value".to_owned(), vec![]));
}

#[test]
fn an_unset_variable_stays_and_is_said() {
    assert_eq!(expanded("$GONE ${LOST} $NAME"), ("$GONE ${LOST} value".into(), vec!["GONE".into(), "LOST".into()]));
}

#[test]
fn a_value_is_not_expanded_again() {
    assert_eq!(expanded("$SLY"), ("$NAME ${NAME}".to_owned(), vec![]));
}

#[test]
fn texts_are_found_at_every_depth_and_names_are_left_alone() {
    let text = r#"{"$NAME": [{"a": "$NAME"}, "$GONE"], "b": 1}"#;
    let mut fields = crate::config::jsonc::parse(text).unwrap_or_default();
    let unset = expand_all(&mut fields, &|name| (name == "NAME").then(|| "value".to_owned()));
    assert_eq!(unset, [UnsetVariable { name: "GONE".into(), at: TextPosition { line: 1, column: 28 } }]);
    assert_eq!(fields[0].name, "$NAME");
    let NodeContent::List(list) = &fields[0].value.content else { panic!("not a list") };
    let NodeContent::Object(inner) = &list[0].content else { panic!("not an object") };
    assert!(matches!(&inner[0].value.content, NodeContent::Text(text) if text == "value"));
}
