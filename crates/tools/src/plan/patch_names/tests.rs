use super::*;
use pretty_assertions::assert_eq;

const HUNK: &str = "@@ -1,2 +1,2 @@ fn x()\n a\n-b\n+c\n";

#[test]
fn names_are_found_in_the_forms_that_git_and_diff_write() {
    let dated = format!("diff -ru a/x b/x\n--- a/x\t2020-01-01 00:00:00.5 +0000\n+++ b/x\t2020-01-01\n{HUNK}");
    assert_eq!(names_in_patch(&dated), None, "what `diff` says of itself is not understood");
    let dated = dated.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert_eq!(names_in_patch(&dated), Some(["a/x", "b/x"].into()));
    let mail = format!(
        "From 0123abcd Mon Sep 17 00:00:00 2001\nFrom: A B <a@b.c>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: [PATCH] A line\n \
         that goes on\n\nWhy it is so.\n\nSigned-off-by: A <a@b.c>\n---\n src/a.rs | 2 +-\n 1 file changed, 1 insertion(+), 1 \
         deletion(-)\n create mode 100644 src/n.rs\n\ndiff --git a/src/a.rs b/src/a.rs\nindex 01..02 100644\n--- a/src/a.rs\n+++ \
         b/src/a.rs\n{HUNK}\\ No newline at end of file\ndiff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n-- \
         \n2.39.2\n\n"
    );
    assert_eq!(names_in_patch(&mail), Some(["a/o", "a/src/a.rs", "b/n", "b/src/a.rs", "n", "o"].into()));
    let new = "diff --git a/n b/n\nnew file mode 100755\nindex 000..123\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+--- a/.env\n";
    assert_eq!(names_in_patch(new), Some(["a/n", "b/n"].into()));
}

#[test]
fn a_line_of_another_form_is_not_understood() {
    let plain = format!("--- a/x\n+++ b/x\n{HUNK}");
    for line in [
        "rename old x",
        "rename new .bashrc",
        "  --- a/.bashrc",
        "X+++ a/.bashrc",
        "XXrename to .bashrc",
        "Index: .bashrc",
        " index: .bashrc",
        "Prereq: 1",
        "*** a/.bashrc",
        "Content-Transfer-Encoding:",
        " Content-Transfer-Encoding: base64",
        "MIME-Version: 1.0",
        "# This series applies on GIT commit 0123",
        "1c1",
        "3,4d",
        "0a",
        "< x",
        "> x",
        "GIT binary patch",
        "Binary files a/x and b/x differ",
        "new file mode 120000",
        "new mode 160000",
        "--- a/.bashrc",
        "+++ b/.bashrc",
        "diff --git a/x y b/x y",
        "diff --git \"a/x\" b/x",
        "rename to \"x\"",
        " --- a/x | 2 +-",
        "a\u{c}b",
        "word\rmore",
        "",
    ]
    .into_iter()
    .filter(|line| !line.is_empty())
    {
        for text in [format!("{line}\n{plain}"), format!("{plain}{line}\n"), format!("A message\n{line}\n")] {
            assert_eq!(names_in_patch(&text), None, "{text}");
        }
    }
    for text in [
        "--- a/.bashrc 1970-01-01 00:00:00 +0000\n+++ b/.bashrc 2020-01-01 00:00:00 +0000\n@@ -0,0 +1 @@\n+x\n",
        "--- a/x\n\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n+--- a/.bashrc\n",
        "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-x\n+y\n",
        "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-x\n\n+y\n",
        "--- a/x\n+++ b/x\n@@ -1,x +1 @@\n-x\n+y\n",
        "--- a/x\n+++ b/x\n@@ -1 @@\n-x\n+y\n",
        "--- a/x\tin b\\c\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n",
    ] {
        assert_eq!(names_in_patch(text), None, "{text}");
    }
}
