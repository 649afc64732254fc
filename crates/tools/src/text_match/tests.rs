use super::*;
use pretty_assertions::assert_eq;

/// The text that `text` becomes, and the strategy.
fn replaced(text: &str, old: &str, new: &str) -> Option<(MatchStrategy, String)> {
    let (strategy, found) = find(text, old, new)?;
    Some((strategy, apply_edits(text, &found).0))
}

fn check(cases: &[(&str, &str, &str, MatchStrategy, &str)]) {
    for (text, old, new, strategy, expected) in cases {
        assert_eq!(replaced(text, old, new), Some((*strategy, (*expected).to_owned())), "{old:?} in {text:?}");
    }
}

#[test]
fn exact_text_is_found_whatever_its_line_ends() {
    check(&[
        ("a\nb\nc\n", "b", "x", MatchStrategy::Exact, "a\nx\nc\n"),
        ("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", MatchStrategy::Exact, "x\r\ny\r\nc\r\n"),
        ("a\nb\n", "a\r\nb", "x", MatchStrategy::Exact, "x\n"),
        // Lines that are not touched keep the ends they have.
        ("a\r\nb\r\nc\nd\r\n", "a\nb\n", "x\n", MatchStrategy::Exact, "x\r\nc\nd\r\n"),
        ("a\r\nb\nc\r\nd\n", "a\nb\nc\n", "x\nb\ny\n", MatchStrategy::Exact, "x\r\nb\ny\r\nd\n"),
        ("a\nb\r\nc\n", "\nb\n", "\nx\n", MatchStrategy::Exact, "a\nx\r\nc\n"),
        ("a $1 b", "$1", "$2 \\1", MatchStrategy::Exact, "a $2 \\1 b"),
        ("a\nb\n", "b\n", "x", MatchStrategy::Exact, "a\nx\n"),
        ("a\nb\n", "a\nb\n", "", MatchStrategy::Exact, ""),
    ]);
}

#[test]
fn lines_are_found_with_other_indentation_and_keep_it() {
    check(&[
        (
            "fn a() {\n        one();\n        two();\n}\n",
            "  one();\n  two();",
            "  one();\n    inner();\n\n  three();",
            MatchStrategy::Flexible,
            "fn a() {\n        one();\n          inner();\n\n        three();\n}\n",
        ),
        (
            "\t\tif x:\n\t\t\ty()\n",
            "if x:\n    y()\n",
            "if z:\n\ty()\n",
            MatchStrategy::Flexible,
            "\t\tif z:\n\t\t\ty()\n",
        ),
        ("  one  \n  two\n", "one\ntwo", "1\n2", MatchStrategy::Flexible, "  1\n  2\n"),
        ("  one \n  two \n  three\n", "  one\n  two\n", "", MatchStrategy::Flexible, "  three\n"),
        ("    a \r\n    b\r\n", "  a\n  b\n", "  c\n", MatchStrategy::Flexible, "    c\r\n"),
        // Further out than the first line.
        ("        a \n      b\n", "  a\nb", "  c\nd", MatchStrategy::Flexible, "        c\n      d\n"),
    ]);
}

#[test]
fn words_and_signs_are_found_with_other_white_space() {
    check(&[
        ("  let x = f(a,b);\n", "let x=f( a, b );", "let y = 1;", MatchStrategy::Tokens, "  let y = 1;\n"),
        ("f(\n  a,\n  b,\n)\n", "f(a, b,)", "g()", MatchStrategy::Tokens, "g()\n"),
        ("x; call( 1 ); y\n", "call(1);", "stop();", MatchStrategy::Tokens, "x; stop(); y\n"),
    ]);
    let part = "  return  total - discount\nEND PERSON\n";
    assert_eq!(replaced(part, "return total\n", "return 2\n"), None, "a line is a whole line");
    assert_eq!(replaced(part, "END\n", "END.\n"), None);
    assert_eq!(replaced(part, "\ntotal  -", "x"), None);
    check(&[(part, "return total", "return 2", MatchStrategy::Tokens, "  return 2 - discount\nEND PERSON\n")]);
    assert_eq!(replaced("notable = 1", "not able = 1", "x"), None, "two words are not one");
    assert_eq!(replaced("xcall (1)\n", "call(1)", "x"), None, "a word is a whole word");
}

#[test]
fn a_file_with_tabs_keeps_them_and_so_does_one_with_spaces() {
    check(&[
        // A level more than any line that both have.
        (
            "class A:\n\tdef f(self):\n\t\treturn 1\n",
            "    def f(self):\n        return 1\n",
            "    def f(self):\n        if self:\n            return 2\n        return 1\n",
            MatchStrategy::Flexible,
            "class A:\n\tdef f(self):\n\t\tif self:\n\t\t\treturn 2\n\t\treturn 1\n",
        ),
        // A level less.
        (
            "if a:\n\tif b:\n\t\tc()\n",
            "        c()\n",
            "        d()\n    e()\nf()\n",
            MatchStrategy::Flexible,
            "if a:\n\tif b:\n\t\td()\n\te()\nf()\n",
        ),
        // The model wrote tabs.
        (
            "def f():\n  if a:\n    b()\n",
            "\tif a:\n\t\tb()\n",
            "\tif a:\n\t\tif c:\n\t\t\tb()\n",
            MatchStrategy::Flexible,
            "def f():\n  if a:\n    if c:\n      b()\n",
        ),
        // Found by its words: only the first line is known.
        (
            "\tcall(a,b)\n",
            "    call(a, b)",
            "    if c:\n        call(a, b)",
            MatchStrategy::Tokens,
            "\tif c:\n\t\tcall(a, b)\n",
        ),
    ]);
}

#[test]
fn other_spelling_is_another_text() {
    let text = "fn main() {\n    if x < 10 { println!(\"Hello, wrold\"); }\n}\n";
    assert_eq!(replaced(text, "fn main() {\n    if x > 10 { println!(\"Hello, wrold\"); }\n}\n", "x"), None);
    assert_eq!(replaced(text, "println!(\"Hello, world\");", "x"), None);
}

#[test]
fn every_place_is_found_once() {
    let count = |text: &str, old: &str| find(text, old, "x").map(|(strategy, found)| (strategy, found.len()));
    assert_eq!(count("a a a", "a"), Some((MatchStrategy::Exact, 3)));
    assert_eq!(count("aaaa", "aa"), Some((MatchStrategy::Exact, 2)));
    assert_eq!(count(" a\n  a\n a \n", "a\na"), Some((MatchStrategy::Flexible, 1)));
    assert_eq!(count("colour of money\ncolour of money\n", "color  of honey"), None);
    assert_eq!(count("a", "   \n  "), None);
}

#[test]
fn a_large_file_is_searched_by_every_strategy() {
    let line = "    let value = compute(alpha, beta, gamma) + offset;\n";
    let mut text = line.repeat(200_000);
    let near = "  fn the_needle(first: usize, second: usize) -> usize {\n";
    text.insert_str(text.len() / 2 / line.len() * line.len(), near);
    let cases = [
        (near, MatchStrategy::Exact),
        ("fn the_needle(first: usize, second: usize) -> usize {\n", MatchStrategy::Exact),
        ("   fn the_needle(first: usize, second: usize) -> usize {  \n", MatchStrategy::Flexible),
        ("fn the_needle( first: usize, second: usize ) -> usize {", MatchStrategy::Tokens),
    ];
    for (old, strategy) in cases {
        let found = find(&text, old, "x").map(|(strategy, found)| (strategy, found.len()));
        assert_eq!(found, Some((strategy, 1)), "{old:?}");
    }
    assert_eq!(find(&text, "fn the_needel(first: usize, second: usize) -> usize {", "x"), None);
}
