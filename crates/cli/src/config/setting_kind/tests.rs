use super::*;
use crate::config::jsonc;
use pretty_assertions::assert_eq;

fn read(kind: SettingKind, json: &str) -> Result<Option<SettingValue>, String> {
    let fields = jsonc::parse(&format!("{{\"k\": {json}}}")).unwrap_or_default();
    kind.read("the.key", &fields[0].value).map_err(|flaw| flaw.what)
}

fn names(names: &[&str]) -> SettingValue {
    SettingValue::Names(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn good_values_are_read() {
    let count = SettingKind::Count { least: 1, most: 10 };
    let cases = [
        (SettingKind::Flag, "true", SettingValue::Flag(true)),
        (count, "10", SettingValue::Count(10)),
        (SettingKind::Limit, "7", SettingValue::Limit(Some(7))),
        (SettingKind::Limit, "-1", SettingValue::Limit(None)),
        (SettingKind::Limit, "0", SettingValue::Limit(None)),
        (SettingKind::Ratio, "0.5", SettingValue::Ratio(0.5)),
        (SettingKind::Ratio, "1", SettingValue::Ratio(1.0)),
        (SettingKind::Text, "\" x \"", SettingValue::Text("x".into())),
        (SettingKind::Names, "[\"a\", \"b\"]", names(&["a", "b"])),
        (SettingKind::Names, "[]", names(&[])),
        (SettingKind::NameOrNames, "\"a\"", names(&["a"])),
        (SettingKind::NameOrNames, "[\"a\"]", names(&["a"])),
        (SettingKind::Mode, "\"default\"", SettingValue::Mode(ApprovalMode::Default)),
        (SettingKind::Mode, "\"auto_edit\"", SettingValue::Mode(ApprovalMode::AutoEdit)),
        (SettingKind::Mode, "\"autoEdit\"", SettingValue::Mode(ApprovalMode::AutoEdit)),
        (SettingKind::Mode, "\"plan\"", SettingValue::Mode(ApprovalMode::Plan)),
        (SettingKind::LogLevel, "\"WARNING\"", SettingValue::Text("warn".into())),
        (SettingKind::LogLevel, "\"silly\"", SettingValue::Text("trace".into())),
    ];
    for (kind, json, value) in cases {
        assert_eq!(read(kind, json), Ok(Some(value)), "{kind:?} {json}");
    }
}

#[test]
fn null_is_not_set() {
    for kind in [
        SettingKind::Flag,
        SettingKind::Limit,
        SettingKind::Ratio,
        SettingKind::Text,
        SettingKind::Names,
        SettingKind::NameOrNames,
        SettingKind::Mode,
    ] {
        assert_eq!(read(kind, "null"), Ok(None), "{kind:?}");
    }
}

#[test]
fn bad_values_are_refused_in_words_that_do_not_repeat_them() {
    let count = SettingKind::Count { least: 1, most: 10 };
    let cases: &[(SettingKind, &[&str])] = &[
        (SettingKind::Flag, &["\"true\"", "1", "[]", "{}"]),
        (count, &["0", "11", "2.5", "-1", "1e1", "\"3\"", "99999999999999999999"]),
        (SettingKind::Limit, &["-2", "1.5", "\"5\"", "true", "9223372036854775808"]),
        (SettingKind::Ratio, &["0", "-0.1", "1.01", "\"0.5\"", "1e999"]),
        (SettingKind::Text, &["\"\"", "\"  \"", "5", "[\"x\"]"]),
        (SettingKind::Names, &["\"a\"", "[1]", "[\"\"]", "[[\"a\"]]", "{}"]),
        (SettingKind::NameOrNames, &["\"\"", "[null]", "5"]),
        (SettingKind::Mode, &["\"yolo\"", "\"YOLO\"", "\"\"", "1"]),
        (SettingKind::LogLevel, &["\"loud\"", "\"\"", "3"]),
        (SettingKind::Notification, &["\"flash\"", "\"\"", "true"]),
    ];
    for (kind, values) in cases {
        for json in *values {
            let demand = match (kind, json.starts_with('[')) {
                // A bad item is told as one.
                (SettingKind::NameOrNames, true) => SettingKind::Names.describe_expected(),
                (kind, _) => kind.describe_expected(),
            };
            assert_eq!(read(*kind, json), Err(format!("the.key must be {demand}")), "{kind:?} {json}");
        }
    }
}

#[test]
fn a_list_is_bounded() {
    let list = |length: usize| format!("[{}]", vec!["\"x\""; length].join(","));
    assert!(read(SettingKind::Names, &list(1000)).is_ok());
    assert_eq!(read(SettingKind::Names, &list(1001)), Err("the.key has more than 1000 items".into()));
}
