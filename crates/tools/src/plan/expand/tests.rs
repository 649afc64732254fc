use super::*;
use pretty_assertions::assert_eq;

/// A pattern: `*` and `?` are not quoted.
fn part(text: &str) -> PatternPart {
    let glyph = |byte: u8| match byte {
        b'*' => PatternToken::AnyText,
        b'?' => PatternToken::AnyCharacter,
        byte => PatternToken::Byte(byte),
    };
    text.bytes().map(glyph).collect()
}

#[test]
fn a_pattern_matches_all_of_a_name_or_nothing() {
    for (pattern, name, expected) in [
        ("*", "a", true),
        ("a*", "a", true),
        ("a*", "abc", true),
        ("a*", "ba", false),
        ("*b", "aab", true),
        ("*b", "aba", false),
        ("*ab", "aab", true),
        ("*ab*", "xaabx", true),
        ("a*a", "a", false),
        ("a*b*c", "aXbXbXc", true),
        ("a*b*c", "aXcXb", false),
        ("a**", "a", true),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("a?", "abc", false),
        ("?", "é", true),
        ("??", "é", false),
        ("*?x", "éx", true),
        ("abc", "abc", true),
        ("abc", "abd", false),
        ("abc", "ab", false),
        ("ab", "abc", false),
    ] {
        assert_eq!(matches(&part(pattern), name.as_bytes()), expected, "{pattern} {name}");
    }
    // What is no UTF-8 is taken byte by byte.
    assert!(matches(&part("??"), b"\xFF\xFE") && !matches(&part("?"), b"\xFF\xFE"));
}

#[test]
fn only_so_many_names_are_looked_at() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        std::fs::write(directory.path().join(name), "").unwrap();
    }
    let lookups = PlanLookups::new(2);
    let search = NameSearch { found: Vec::new(), lookups: &lookups };
    assert_eq!(search.list(directory.path()).unwrap().len(), 2);
    assert!(search.list(directory.path()).is_err());
}

/// `make M*` would be told `MAKEFLAGS=…`, and `gcc ?x` to read options from the file `x`, by a file of that name.
#[test]
fn a_name_that_says_more_than_a_file_to_a_program_stands_behind_a_path() {
    let said = |name: &str| as_path(name.into()).into_string().unwrap();
    for name in
        ["-x", "--", "+main", "@args", "A=b", "MAKEFLAGS=--eval=x", "A=b/c", ":x", "host:x", "~x", "#1", "%x", "!x"]
    {
        assert_eq!(said(name), format!("./{name}"));
    }
    for name in ["x", "_x", ".x", "/ws/A=b", "a/b=c", "a/@b", "icon@2x.png", "a-b+c", "1", "é", "x#1"] {
        assert_eq!(said(name), name);
    }
}
