use super::{LineBuilder, write_diff};
use crate::screen::theme::dark;
use expect_test::{Expect, expect};
use pollux_session::FileDiff;

fn check(old: Option<&str>, new: &str, patch: &str, expected: &Expect) {
    let change = FileDiff {
        name: "f".into(),
        path: "/w/f".into(),
        old: old.map(str::to_owned),
        new: new.into(),
        patch: patch.into(),
    };
    let theme = dark();
    let mut line_builder = LineBuilder::new(24, &theme);
    write_diff(&mut line_builder, &change);
    let lines: Vec<String> =
        line_builder.into_lines().iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    // The first line keeps the indent of the others.
    expected.assert_eq(&format!("f:\n{}", lines.join("\n")));
}

#[test]
fn lines_have_the_numbers_of_the_file() {
    let patch = "--- a/f\n+++ b/f\n@@ -8,4 +8,4 @@ fn main\n a\n\n-b\n+c\n d\n@@ -20 +20,2 @@\n x\n+-- y\n";
    check(
        Some(""),
        "",
        patch,
        &expect![[r#"
            f:
                   @@ -8,4 +8,4 @@ f
                 ┆ n main
               8   a
               9
              10 - b
              10 + c
              11   d
                   @@ -20 +20,2 @@
              20   x
              21 + -- y"#]],
    );
}

#[test]
fn a_removed_line_that_looks_like_a_heading_is_shown() {
    let patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,1 @@\n--- x\n y\n\\ No newline at end of file";
    check(
        Some(""),
        "",
        patch,
        &expect![[r#"
            f:
                  @@ -1,2 +1,1 @@
              1 - -- x
              1   y
                  \ No newline at en
                ┆ d of file"#]],
    );
}

#[test]
fn what_is_not_understood_is_shown_as_it_is() {
    check(
        Some(""),
        "",
        "Binary files differ\n+odd",
        &expect![[r#"
            f:
                  Binary files diffe
                ┆ r
                  +odd"#]],
    );
}

#[test]
fn without_a_patch_the_content_stands_for_it() {
    check(
        None,
        "one\ntwo is a long line here\n",
        "",
        &expect![[r#"
            f:
              1 + one
              2 + two is a long line
                ┆  here"#]],
    );
    check(
        Some("x"),
        "x",
        "",
        &expect![[r#"
        f:
          (no change)"#]],
    );
}
