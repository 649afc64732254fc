use super::*;
use crate::screen::theme::dark;
use pretty_assertions::assert_eq;

fn change(patch: &str) -> FileDiff {
    FileDiff {
        name: "a.rs".into(),
        path: "/ws/a.rs".into(),
        old: Some("old".into()),
        new: "one\ntwo\n".into(),
        patch: patch.into(),
    }
}

fn drawn(change: &FileDiff, detail: DetailLevel) -> String {
    let lines = draw_diff(change, detail, Margin::new(40, 0).inner(), &dark());
    let text = |line: &Line<'static>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
    lines.iter().map(text).collect::<Vec<_>>().join("\n")
}

const TWO_PLACES: &str = "--- a/a.rs\n+++ b/a.rs\n@@ -8,3 +8,4 @@\n same\n-gone\n+new\n+-- more\n \n\
                          @@ -99,2 +100,1 @@\n last\n---- a line that began with dashes and is long\n\\ No newline at end of file\n";

#[test]
fn lines_have_their_numbers_and_signs() {
    let change = change(TWO_PLACES);
    assert_eq!(
        drawn(&change, DetailLevel::Collapsed),
        "    8   same\n    9 - gone\n    9 + new\n   10 + -- more\n   11\n      ⋮\n  100   last\n  \
         100 - --- a line that began with dashe\n        s and is long\n        \\ No newline at end of file"
    );
    assert_eq!(diff_counts(&change), "+2 -2");
}

#[test]
fn a_long_change_is_cut_and_says_so() {
    let patch = format!("@@ -0,0 +1,30 @@\n{}", "+x\n".repeat(30));
    assert!(drawn(&change(&patch), DetailLevel::Collapsed).ends_with("\n  20 + x\n  … 10 more lines (Ctrl+O)"));
    assert!(drawn(&change(&patch), DetailLevel::Expanded).ends_with("\n  30 + x"));
}

#[test]
fn without_a_patch_the_new_content_stands_for_it() {
    let mut change = change("");
    assert_eq!(drawn(&change, DetailLevel::Collapsed), "  1 + one\n  2 + two");
    change.old = Some(change.new.clone());
    assert_eq!(drawn(&change, DetailLevel::Collapsed), "  │ (no change)");
}
