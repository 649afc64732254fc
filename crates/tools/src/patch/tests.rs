use super::*;
use pretty_assertions::assert_eq;

/// The patch without the short cut.
fn plain(old: &str, new: &str) -> String {
    let (old, new) = (lines_of(old), lines_of(new));
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff().context_radius(CONTEXT).header("a", "a").to_string()
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

/// Whether a change of `old` to `new` is the one that was shown of `shown_old` to `shown_new`.
fn is_same(shown: (&str, &str), now: (&str, &str)) -> bool {
    let patch = |(old, new)| unified_diff("a", old, new);
    is_same_change(shown.0, &patch(shown), now.0, &patch(now))
}

#[test]
fn a_change_is_the_same_where_the_file_changed_elsewhere_only() {
    let lines: Vec<String> = (1..=40).map(|number| format!("line {number}\n")).collect();
    let all = lines.concat();
    let edit = |text: &str| text.replace("line 20\n", "changed\n");
    let shown = (&*all, &*edit(&all));
    for (now, expected) in [
        (all.clone(), true),
        (format!("more\nand more\n{all}"), true),
        (all.replace("line 40\n", ""), true),
        (all.replace("line 16\n", "x\n"), true),
        // A line that was shown around the change.
        (all.replace("line 18\n", "x\n"), false),
        // The lines have moved, together with those around them.
        ([&lines[10..30], &lines[..10], &lines[30..]].concat().concat(), true),
        ([&lines[..5], &lines[14..26], &lines[5..14], &lines[26..]].concat().concat(), true),
    ] {
        let new = edit(&now);
        assert_eq!(is_same(shown, (&now, &new)), expected, "{now}");
    }
    assert!(!is_same(shown, (&all, &all.replace("line 20\n", "changes\n"))));
    assert!(!is_same((&all, &edit(&all)), (&all, &edit(&all).replace("line 2\n", "x\n"))), "one hunk more");
}

#[test]
fn the_same_lines_at_another_place_are_another_change() {
    let section = |name: &str, line: &str| format!("[{name}]\na\nb\nc\n{line}d\ne\nf\n");
    let shown_old = section("test", "verify = true\n") + &section("production", "");
    let now = section("test", "") + &section("production", "verify = true\n");
    let edit = |text: &str| text.replace("true", "false");
    assert!(!is_same((&shown_old, &edit(&shown_old)), (&now, &edit(&now))));
    // A line feed alone ends a line, whatever else stands at its end.
    let head = "x\r".repeat(40);
    let (shown_old, now) = (format!("{head}{shown_old}"), format!("{head}{now}"));
    assert!(!is_same((&shown_old, &edit(&shown_old)), (&now, &edit(&now))));
    let longer = section("more", "") + &shown_old;
    assert!(is_same((&shown_old, &edit(&shown_old)), (&longer, &edit(&longer))));
}

#[test]
fn kept_lines_are_long_runs() {
    let kept = |old, new| kept_lines(old, new).into_iter().map(|kept| (kept.before, kept.now)).collect::<Vec<_>>();
    assert_eq!(kept("a\nb\nc\n", "a\nb\nc\n"), [(0..3, 0)]);
    assert_eq!(kept("a\nb\nc\n", "x\na\nb\nc\n"), [(0..0, 0), (0..3, 1)]);
    assert_eq!(kept("", "a\n"), [(0..0, 0), (0..0, 1)]);
}
