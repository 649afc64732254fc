use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_phrase_is_short_and_on_one_line() {
    let long = "é".repeat(151);
    let cases = [
        ("make", "make".to_owned()),
        (" make \n", "make".to_owned()),
        ("make\nmake install", "make …".to_owned()),
        (&long, format!("{} …", "é".repeat(150))),
        ("", String::new()),
    ];
    for (text, expected) in cases {
        assert_eq!(shorten_to_phrase(text), expected);
    }
}
