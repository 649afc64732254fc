use super::*;
use pretty_assertions::assert_eq;

/// What was read, a line for each file, hunk and line.
fn outline(text: &str) -> String {
    let files = match read_patch(text) {
        Ok(files) => files,
        Err(error) => return error.to_string(),
    };
    let mut out = String::new();
    for FilePatch { path, change } in files {
        match change {
            FilePatchChange::Add(content) => out.push_str(&format!("add {path} {content:?}\n")),
            FilePatchChange::Delete => out.push_str(&format!("delete {path}\n")),
            FilePatchChange::Update { move_to, hunks } => {
                let to = move_to.map(|to| format!(" to {to}")).unwrap_or_default();
                out.push_str(&format!("update {path}{to}\n"));
                for hunk in hunks {
                    let lines = hunk.lines.iter().map(|line| match line {
                        HunkLine::Same(text) => format!("={text}"),
                        HunkLine::Removed(text) => format!("-{text}"),
                        HunkLine::Added(text) => format!("+{text}"),
                    });
                    let lines: Vec<String> = lines.collect();
                    let mut about = hunk.anchors.clone();
                    about.extend(hunk.at.map(|at| format!("at {at}")));
                    about.extend(hunk.heading.map(|heading| format!("in {heading}")));
                    about.extend(hunk.is_at_end.then(|| "at the end".to_owned()));
                    if hunk.final_newline != FinalNewline::Kept {
                        about.push(format!("newline {:?}", hunk.final_newline));
                    }
                    out.push_str(&format!("  {}: [{}] {}\n", hunk.line, about.join(", "), lines.join(" ")));
                }
            }
        }
    }
    out
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(outline(text), *expected, "{text}");
    }
}

#[test]
fn the_form_between_begin_and_end() {
    check(&[
        (
            "*** Begin Patch\n*** Update File: src/a b.py\n@@ class A:\n@@ def f():\n one\n-two\n+2\n\n@@\n-three\n*** End of \
             File\n*** Add File: new.txt\n+first\n+\n+third\n*** Delete File: old.txt\n*** End Patch\n",
            "update src/a b.py\n  3: [class A:, def f():] =one -two +2 =\n  9: [at the end] -three\nadd new.txt \
             \"first\\n\\nthird\\n\"\ndelete old.txt\n",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Update File: c\n*** Move to: d\n@@\n-x\n+y\n*** End Patch",
            "update a to b\nupdate c to d\n  6: [] -x +y\n",
        ),
        // A new file may be empty.
        ("*** Begin Patch\n*** Add File: a\n*** Add File: b\n+x\n*** End Patch", "add a \"\"\nadd b \"x\\n\"\n"),
        // The lines of a patch may end as those of the file do.
        ("*** Begin Patch\r\n*** Update File: a\r\n@@\r\n-x\r\n+y\r\n*** End Patch\r\n", "update a\n  3: [] -x +y\n"),
    ]);
}

#[test]
fn what_models_leave_out_or_add_is_forgiven() {
    check(&[
        // No begin, no end, no `@@`, a code block around it.
        ("```\n*** Update File: a\n x\n-y\n+z\n```", "update a\n  3: [] =x -y +z\n"),
        (
            "Here it is:\n\n*** Begin Patch\n\n*** Update File: a\n\n@@\n-y\n+z\n\n*** End Patch\nDone.",
            "update a\n  7: [] -y +z =\n",
        ),
        // Two patches in a row, and a hunk of nothing but context.
        (
            "*** Begin Patch\n*** Update File: a\n@@\n x\n@@\n-y\n*** End Patch\n*** Begin Patch\n*** Delete File: b\n*** End Patch",
            "update a\n  5: [] -y\ndelete b\n",
        ),
        // The head of a unified diff below the heading, with numbers.
        (
            "*** Begin Patch\n*** Update File: a\n--- a/a\n+++ b/a\n@@ -7,9 +7,1 @@ fn go()\n-x\n+y\n*** End Patch",
            "update a\n  5: [at 7, in fn go()] -x +y\n",
        ),
        // An empty line without its sign, and a line that begins with a tab.
        (
            "*** Add File: a\n+x\n\n+y\n\n*** Update File: b\n\tx\n-\ty\n",
            "add a \"x\\n\\ny\\n\"\nupdate b\n  7: [] =\tx -\ty\n",
        ),
        ("*** Begin Patch\n*** Update File: a\n@@ def f(): @@\n-x\n*** End Patch", "update a\n  3: [def f():] -x\n"),
    ]);
}

#[test]
fn unified_diffs() {
    check(&[
        (
            "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\t2026-01-01\n+++ b/x.c\n@@ -1,2 +1,2 @@ int f()\n a\n-b\n+c\n\
             @@ -10 +10 @@\n-d\n\\ No newline at end of file\n+e\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n--- /dev/null\n\
             +++ b/z\n@@ -0,0 +1 @@\n+new\n",
            "update x.c\n  5: [at 1, in int f()] =a -b +c\n  9: [at 10, newline Present] -d +e\ndelete y\nadd z \"new\\n\"\n",
        ),
        (
            "diff --git a/o.c b/n.c\nsimilarity index 90%\nrename from o.c\nrename to n.c\n--- a/o.c\n+++ b/n.c\n@@ -3 +3 @@\n-a\n+b\n",
            "update o.c to n.c\n  7: [at 3] -a +b\n",
        ),
        (
            "diff --git a/o b/n\nrename from o\nrename to n\ndiff --git a/p b/q\nrename from p\nrename to q\n",
            "update o to n\nupdate p to q\n",
        ),
        // Names without prefixes, and a directory that is really called `a`.
        ("--- a/x\n+++ a/x\n@@ -1 +1 @@\n-a\n+b\n", "update a/x\n  3: [at 1] -a +b\n"),
        ("--- x\n+++ y\n@@ -1 +1 @@\n-a\n+b\n", "update x to y\n  3: [at 1] -a +b\n"),
        // Removed and added lines that look like heads of files.
        (
            "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n x\n",
            "update q.sql\n  3: [at 1] --- old +++ new =x\n",
        ),
        ("--- q\n+++ q\n@@ -1,2 +1 @@\n-a\n--- old\n+++ new\n", "update q\n  3: [at 1] -a --- old +++ new\n"),
        // An empty new file, and the signature of a mail.
        ("diff --git a/e b/e\nnew file mode 100644\nindex 0..0\n", "add e \"\"\n"),
        (
            "From: me\nSubject: x\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.0\n",
            "update x\n  6: [at 1] -a +b\n",
        ),
        (
            "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
            "update x\n  3: [at 1, newline Absent] -a +b\n",
        ),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n", "add x \"b\"\n"),
    ]);
}

/// The signs of a diff before a comment of SQL and a statement of C.
#[test]
fn a_replaced_line_that_looks_like_the_names_of_a_file_is_told_from_them_by_what_is_announced() {
    check(&[
        (
            "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n-x\n--- old\n+y\n+++ new\n@@ -9 +9 @@\n-v\n+w\n",
            "update q.sql\n  3: [at 1] -x --- old +y +++ new\n  8: [at 9] -v +w\n",
        ),
        (
            "--- a/q.sql\n+++ b/q.sql\n@@ -3 +3 @@\n--- old\n+++ new\n@@ -9 +9 @@\n-v\n+w\n",
            "update q.sql\n  3: [at 3] --- old +++ new\n  6: [at 9] -v +w\n",
        ),
        // Names, although the hunk before announces a line too many.
        (
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-x\n+y\n--- a/z\n+++ b/z\n@@ -9 +9 @@\n-v\n+w\n",
            "update x\n  3: [at 1] -x +y\nupdate z\n  8: [at 9] -v +w\n",
        ),
        // Names, because all that was announced is there.
        (
            "--- x\n+++ x\n@@ -1 +1 @@\n-x\n+y\n--- old\n+++ new\n@@ -9 +9 @@\n-v\n+w\n",
            "update x\n  3: [at 1] -x +y\nupdate old to new\n  8: [at 9] -v +w\n",
        ),
    ]);
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let no_file = "the patch cannot be read: it names no file; begin each file with a line `*** Update File: PATH`, `*** Add File: \
                   PATH` or `*** Delete File: PATH`";
    let nothing = "ends a file of which nothing changes; give the lines to remove with `-` and to add with `+`";
    check(&[
        ("", no_file),
        ("-a\n+b\n", no_file),
        ("*** Begin Patch\n*** End Patch\n", "the patch cannot be read: it is empty"),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n-x\ny\n*** End Patch",
            "the patch cannot be read: line 5 (`y`) begins with none of the signs ` ` (stays), `-` (goes) and `+` (comes); put one \
             before each line of a hunk",
        ),
        (
            "*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch",
            "the patch cannot be read: line 4 (`y`) is in a new file, whose lines all begin with `+`",
        ),
        ("*** Begin Patch\n*** Update File:\n", "the patch cannot be read: line 2 (`*** Update File:`) names no file"),
        (
            "*** Begin Patch\n*** Update File: a\n*** Delete File: b\n",
            &format!("the patch cannot be read: line 2 (`*** Update File: a`) {nothing}"),
        ),
        (
            "*** Begin Patch\n*** Rename File: a\n",
            "the patch cannot be read: line 2 (`*** Rename File: a`) is no heading; begin each file with `*** Update File: PATH`, \
             `*** Add File: PATH` or `*** Delete File: PATH`",
        ),
        (
            "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
            "the patch cannot be read: line 2 (`Binary files a/x and b/x differ`) is about a copy or a binary file; do that with \
             run_shell_command",
        ),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n x\n", "the patch cannot be read: nothing of `x` changes"),
    ]);
}
