//! Values that ProtoJSON accepts, and those that it does not.

use super::{canonical_base64, int, maybe_int};
use pretty_assertions::assert_eq;
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, PartialEq, Deserialize)]
struct Numbers {
    #[serde(default, deserialize_with = "maybe_int")]
    maybe: Option<i32>,
    #[serde(default, deserialize_with = "int")]
    sure: i32,
}

#[test]
fn numbers_come_in_three_spellings() {
    let read = |value| serde_json::from_value::<Numbers>(value).map_err(|error| error.to_string());
    assert_eq!(read(json!({"maybe": 3, "sure": "-4"})), Ok(Numbers { maybe: Some(3), sure: -4 }));
    assert_eq!(read(json!({"maybe": 3.0, "sure": null})), Ok(Numbers { maybe: Some(3), sure: 0 }));
    assert_eq!(read(json!({})), Ok(Numbers { maybe: None, sure: 0 }));
    for wrong in [json!(3.5), json!(3_000_000_000_u64), json!(1e300), json!("x"), json!(""), json!([]), json!(true)] {
        assert!(read(json!({"maybe": wrong})).is_err(), "{wrong}");
    }
}

#[test]
fn base64_is_kept_in_one_form() {
    let canonical = |text: &str| canonical_base64(text.to_owned());
    for (given, kept) in [("", ""), ("aGk=", "aGk="), ("aGk", "aGk="), ("-_-_", "+/+/"), ("aA", "aA==")] {
        assert_eq!(canonical(given).as_deref(), Some(kept), "{given}");
    }
    for wrong in ["a", "a===", "aGk=x", "a b=", "ä", "aGk\n", "aaaaa", "=", "aA=", "aaaa===="] {
        assert_eq!(canonical(wrong), None, "{wrong}");
    }
}
