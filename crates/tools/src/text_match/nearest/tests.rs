use super::*;
use pretty_assertions::assert_eq;

#[test]
fn the_lines_most_like_a_text_are_shown_with_their_numbers() {
    let text = "use a;\n\nfn one() {\n    if x < 10 {\n        go();\n    }\n}\n\nfn two() {\n    go();\n}\n";
    let cases = [
        // The window in which most lines are equal.
        ("fn one() {\n  if x > 10 {\n    go();", Some("3: fn one() {\n4:     if x < 10 {\n5:         go();")),
        // No line is equal: the one that is most like the longest.
        ("  fn tow() {", Some("9: fn two() {")),
        // A text that begins before the file does.
        ("// head\nuse a;\n", Some("1: use a;\n2: ")),
        ("something else entirely that nobody ever wrote\n", None),
        ("", None),
    ];
    for (old, expected) in cases {
        assert_eq!(nearest_lines(text, old).as_deref(), expected, "{old:?}");
    }
    assert_eq!(nearest_lines("", "x"), None);
    assert_eq!(nearest_lines("alpha beta\n", "alpha betta").as_deref(), Some("1: alpha beta"));
}

#[test]
fn long_lines_and_long_texts_are_cut() {
    let text = format!("{}\n", "é".repeat(300)).repeat(40);
    let shown = nearest_lines(&text, &text.replace("é\n", "e\n")).unwrap_or_default();
    assert_eq!(shown.lines().count(), MAX_LINES);
    assert_eq!(shown.lines().next(), Some(format!("1: {} [cut]", "é".repeat(MAX_CHARS)).as_str()));
}

#[test]
fn places_are_shown_with_the_lines_around_them() {
    let text = "a\nx\nb\nc\nx\n";
    assert_eq!(places(text, &[2, 8]), "1: a\n2: x\n3: b\n4: c\n5: x");
    assert_eq!(places("x\na\nb\nc\nx\n", &[0, 8]), "1: x\n2: a\n--\n4: c\n5: x");
    let many = "x\n".repeat(7);
    let starts: Vec<usize> = (0..7).map(|line| 2 * line).collect();
    assert!(places(&many, &starts).ends_with("4: x\n5: x\n6: x\n--\n... and 2 more"), "{}", places(&many, &starts));
}
