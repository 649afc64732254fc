use super::*;
use pretty_assertions::assert_eq;

/// The patch without the short cut.
fn plain(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().context_radius(CONTEXT).header("a", "a").to_string()
}

#[test]
fn the_short_cut_changes_nothing() {
    let lines: Vec<String> = (1..=40).map(|number| format!("line {number}\n")).collect();
    let all = lines.concat();
    let without = |range: std::ops::Range<usize>| [&lines[..range.start], &lines[range.end..]].concat().concat();
    let cases = [
        ("", "a\n"),
        ("a\n", ""),
        ("a", "b"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n", "a\nb"),
        ("é\n", "è\n"),
        (&all, &all.replace("line 20\n", "changed\n")),
        (&all, &all.replace("line 1\n", "changed\n")),
        (&all, &all.replace("line 40\n", "changed")),
        (&all, &all.replace("line 5\n", "x\n").replace("line 35\n", "y\n")),
        (&all, &without(10..30)),
        (&without(0..40), &all),
        (&without(20..21), &all),
        (&all, &format!("{all}more\n")),
        (&all, &format!("more\n{all}")),
        (&all.repeat(500), &all.repeat(500).replacen("line 7\nline 8\n", "line 8\n", 250)),
    ];
    for (old, new) in cases {
        assert_eq!(unified_diff("a", old, new), plain(old, new));
    }
    assert_eq!(unified_diff("a", &all, &all), "");
}

#[test]
fn line_numbers_count_from_the_beginning_of_the_file() {
    let old = "same\n".repeat(100_000) + "old\n" + &"same\n".repeat(100_000);
    let new = old.replace("old", "new");
    let expected = "--- a\n+++ a\n@@ -99998,7 +99998,7 @@\n same\n same\n same\n-old\n+new\n same\n same\n same\n";
    assert_eq!(unified_diff("a", &old, &new), expected);
}
