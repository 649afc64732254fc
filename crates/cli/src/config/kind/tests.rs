use super::*;
use crate::config::jsonc;
use pretty_assertions::assert_eq;

fn read(kind: Kind, json: &str) -> Result<Option<Value>, String> {
    let fields = jsonc::parse(&format!("{{\"k\": {json}}}")).unwrap_or_default();
    kind.read("the.key", &fields[0].value).map_err(|flaw| flaw.what)
}

fn names(names: &[&str]) -> Value {
    Value::Names(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn good_values_are_read() {
    let count = Kind::Count { least: 1, most: 10 };
    let cases = [
        (Kind::Flag, "true", Value::Flag(true)),
        (count, "10", Value::Count(10)),
        (Kind::Limit, "7", Value::Limit(Some(7))),
        (Kind::Limit, "-1", Value::Limit(None)),
        (Kind::Limit, "0", Value::Limit(None)),
        (Kind::Ratio, "0.5", Value::Ratio(0.5)),
        (Kind::Ratio, "1", Value::Ratio(1.0)),
        (Kind::Text, "\" x \"", Value::Text("x".into())),
        (Kind::Names, "[\"a\", \"b\"]", names(&["a", "b"])),
        (Kind::Names, "[]", names(&[])),
        (Kind::NameOrNames, "\"a\"", names(&["a"])),
        (Kind::NameOrNames, "[\"a\"]", names(&["a"])),
        (Kind::Mode, "\"default\"", Value::Mode(Mode::Default)),
        (Kind::Mode, "\"auto_edit\"", Value::Mode(Mode::AutoEdit)),
        (Kind::Mode, "\"autoEdit\"", Value::Mode(Mode::AutoEdit)),
        (Kind::Mode, "\"plan\"", Value::Mode(Mode::Plan)),
        (Kind::LogLevel, "\"WARNING\"", Value::Text("warn".into())),
        (Kind::LogLevel, "\"silly\"", Value::Text("trace".into())),
    ];
    for (kind, json, value) in cases {
        assert_eq!(read(kind, json), Ok(Some(value)), "{kind:?} {json}");
    }
}

#[test]
fn null_is_not_set() {
    for kind in [Kind::Flag, Kind::Limit, Kind::Ratio, Kind::Text, Kind::Names, Kind::NameOrNames, Kind::Mode] {
        assert_eq!(read(kind, "null"), Ok(None), "{kind:?}");
    }
}

#[test]
fn bad_values_are_refused_in_words_that_do_not_repeat_them() {
    let count = Kind::Count { least: 1, most: 10 };
    let cases: &[(Kind, &[&str])] = &[
        (Kind::Flag, &["\"true\"", "1", "[]", "{}"]),
        (count, &["0", "11", "2.5", "-1", "1e1", "\"3\"", "99999999999999999999"]),
        (Kind::Limit, &["-2", "1.5", "\"5\"", "true", "9223372036854775808"]),
        (Kind::Ratio, &["0", "-0.1", "1.01", "\"0.5\"", "1e999"]),
        (Kind::Text, &["\"\"", "\"  \"", "5", "[\"x\"]"]),
        (Kind::Names, &["\"a\"", "[1]", "[\"\"]", "[[\"a\"]]", "{}"]),
        (Kind::NameOrNames, &["\"\"", "[null]", "5"]),
        (Kind::Mode, &["\"yolo\"", "\"YOLO\"", "\"\"", "1"]),
        (Kind::LogLevel, &["\"loud\"", "\"\"", "3"]),
    ];
    for (kind, values) in cases {
        for json in *values {
            let demand = match (kind, json.starts_with('[')) {
                // A bad item is told as one.
                (Kind::NameOrNames, true) => Kind::Names.demand(),
                (kind, _) => kind.demand(),
            };
            assert_eq!(read(*kind, json), Err(format!("the.key must be {demand}")), "{kind:?} {json}");
        }
    }
}

#[test]
fn a_list_is_bounded() {
    let list = |length: usize| format!("[{}]", vec!["\"x\""; length].join(","));
    assert!(read(Kind::Names, &list(1000)).is_ok());
    assert_eq!(read(Kind::Names, &list(1001)), Err("the.key has more than 1000 items".into()));
}
