use super::{clean, count_gaps, escape_json, one_line};
use crate::testing::{EVIL, assert_harmless};
use pretty_assertions::assert_eq;
use std::borrow::Cow;

#[test]
fn what_could_harm_is_shown() {
    let cases = [
        ("\u{1b}[2J", "␛[2J"),
        ("\u{9b}31m", "⟨U+009B⟩31m"),
        ("a\u{7}\u{0}\u{7f}\r", "a␇␀␡␍"),
        ("a\u{202e}b\u{2066}", "a⟨U+202E⟩b⟨U+2066⟩"),
        ("rm\u{200b}\u{200d}x", "rm⟨U+200B⟩⟨U+200D⟩x"),
        ("a\u{e0041}\u{feff}\u{3164}", "a⟨U+E0041⟩⟨U+FEFF⟩⟨U+3164⟩"),
        ("a\u{2028}b\u{ad}", "a⟨U+2028⟩b⟨U+00AD⟩"),
    ];
    for (raw, shown) in cases {
        assert_eq!(clean(raw), shown);
        assert_eq!(clean(shown), shown, "cleaning twice changes nothing");
    }
    assert_harmless(&clean(EVIL));
}

#[test]
fn ordinary_text_is_not_touched() {
    // Joiners in Persian and in an emoji family, the emoji selector, tabs and line breaks.
    for text in ["plain\n\ttext", "نمی\u{200c}خواهم", "👨\u{200d}👩\u{200d}👧 ⚠\u{fe0f}", "日本語 ñ é"]
    {
        assert!(matches!(clean(text), Cow::Borrowed(_)) || clean(text) == text, "{text:?}");
        assert_eq!(clean(text), text);
    }
}

#[test]
fn every_control_character_is_caught() {
    for ch in (0..=0x10FFFF).filter_map(char::from_u32).filter(|ch| ch.is_control()) {
        assert_harmless(&clean(&format!("a{ch}b{ch}{ch}")));
    }
}

#[test]
fn names_stay_on_one_line() {
    assert_eq!(one_line(" a\nb\tc ", 10), "a⏎b c");
    assert_eq!(one_line("abcdef", 3), "abc…");
    assert_eq!(one_line("abc", 3), "abc");
}

#[test]
fn long_gaps_are_counted() {
    let hidden = format!("ls{}; rm -rf x\n{}y", " ".repeat(200), "\t".repeat(9));
    assert_eq!(count_gaps(&hidden), "ls ⟨200 spaces⟩ ; rm -rf x\n ⟨9 spaces⟩ y");
    assert_eq!(count_gaps("a        b\n    c"), "a        b\n    c");
}

#[test]
fn escaped_json_is_harmless_and_means_the_same() {
    for value in [serde_json::json!({ EVIL: [EVIL, 1, null] }), serde_json::json!("plain ä 漢 🦀 \" \\ \n")] {
        for json in [value.to_string(), format!("{value:#}")] {
            let escaped = escape_json(&json);
            assert_harmless(&escaped);
            assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
        }
    }
    assert_eq!(escape_json("\"\u{9b}\u{e0041}\""), r#""\u009b\udb40\udc41""#);
}
