use super::super::parsed_patch::FilePatchChange;
use super::super::reader::read_patch;
use super::*;
use pretty_assertions::assert_eq;

fn hunks(text: &str) -> Vec<PatchHunk> {
    let mut files = read_patch(&format!("*** Update File: f\n{text}")).unwrap();
    match files.remove(0).change {
        FilePatchChange::Update { hunks, .. } => hunks,
        other => panic!("{other:?}"),
    }
}

fn patched(text: &str, patch: &str) -> Result<String, String> {
    let whys = |problems: Vec<HunkProblem>| {
        problems.into_iter().map(|it| format!("{}: {}", it.number, it.why)).collect::<Vec<_>>()
    };
    apply_hunks(text, &hunks(patch)).map(|patched| patched.text).map_err(|problems| whys(problems).join("\n"))
}

fn check(cases: &[(&str, &str, &str)]) {
    for (text, patch, expected) in cases {
        assert_eq!(patched(text, patch), Ok((*expected).to_owned()), "{patch}\nin {text:?}");
    }
}

#[test]
fn lines_are_found_by_their_text() {
    check(&[
        ("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n", "a\nB\nc\n"),
        // Whole lines: `x = 1` is not the end of `max = 1`.
        ("max = 1\nx = 1\n", "@@\n-x = 1\n+x = 2\n", "max = 1\nx = 2\n"),
        // Several hunks, in any order, that share lines around them.
        ("a\nb\nc\nd\ne\n", "@@\n d\n-e\n+E\n@@\n-a\n+A\n b\n", "A\nb\nc\nd\nE\n"),
        ("a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n", "A\nb\nC\n"),
        // Numbers that are wrong.
        ("a\nb\nc\n", "@@ -40,9 +3,1 @@\n-b\n+B\n", "a\nB\nc\n"),
        ("a\nb\n", "@@\n-a\n-b\n", ""),
        ("", "@@\n+a\n", "a\n"),
        ("a\nb\n", "@@\n a\n+x\n+y\n b\n", "a\nx\ny\nb\n"),
        // Empty lines that models put between hunks.
        ("a\nb\n", "@@\n\n-a\n+A\n\n", "A\nb\n"),
        ("a\n\nb\n", "@@\n-a\n+A\n\n", "A\n\nb\n"),
    ]);
}

#[test]
fn one_of_several_places_is_picked_by_what_the_hunk_says() {
    let twice = "fn a() {\n    go();\n}\nfn b() {\n    go();\n}\nfn c() {\n    go();\n}\n";
    let second = "fn a() {\n    go();\n}\nfn b() {\n    stop();\n}\nfn c() {\n    go();\n}\n";
    let last = "fn a() {\n    go();\n}\nfn b() {\n    go();\n}\nfn c() {\n    stop();\n}\n";
    check(&[
        (twice, "@@ fn b() {\n-    go();\n+    stop();\n", second),
        (twice, "@@ fn b()\n-    go();\n+    stop();\n", second),
        // The anchor may be the first line, too.
        (twice, "@@ fn b() {\n fn b() {\n-    go();\n+    stop();\n", second),
        (twice, "@@ -6,1 +6,1 @@\n-    go();\n+    stop();\n", second),
        (twice, "@@ -1,1 +1,1 @@ fn b() {\n fn b() {\n-    go();\n+    stop();\n", second),
        (twice, "@@\n-    go();\n+    stop();\n }\n*** End of File\n", last),
        // After the hunk before it there is only one left.
        ("x\na\nx\n", "@@\n-a\n+A\n@@\n-x\n+X\n", "x\nA\nX\n"),
        // The numbers are wrong by as much as those of the hunk before.
        ("p\nq\nx\ny\nx\ny\nx\n", "@@ -11 +11 @@\n-q\n+Q\n@@ -14 +14 @@\n-x\n+X\n", "p\nQ\nx\ny\nX\ny\nx\n"),
    ]);
    let shown = "1: its lines occur 3 times; give more of the lines around the right place, or name a line before it behind `@@`. \
                 They occur here:\n1: fn a() {\n2:     go();\n3: }\n4: fn b() {\n5:     go();\n6: }\n7: fn c() {\n8:     go();\n9: }";
    assert_eq!(patched(twice, "@@\n-    go();\n+    stop();\n"), Err(shown.into()));
    // Both as near.
    assert!(patched("x\na\nx\n", "@@ -2 +2 @@\n-x\n+y\n").unwrap_err().contains("occur 2 times"));
}

#[test]
fn white_space_is_forgiven_and_spelling_is_not() {
    check(&[
        // Other indentation, which the new lines get as well.
        (
            "\tif x {\n\t\tgo();\n\t}\n",
            "@@\n if x {\n-    go();\n+    stop();\n+    if y {\n+        z();\n+    }\n }\n",
            "\tif x {\n\t\tstop();\n\t\tif y {\n\t\t\tz();\n\t\t}\n\t}\n",
        ),
        // Lines that stay keep their white space.
        ("a  \n b\nc\n", "@@\n a\n b\n-c\n+C\n", "a  \n b\nC\n"),
        ("f( a,b )\nx\n", "@@\n-f(a, b)\n+g()\n", "g()\nx\n"),
    ]);
    let found = apply_hunks("x\n  a\n  b\ny\n", &hunks("@@\n a\n-b\n+c\n")).unwrap();
    assert_eq!(
        (found.text.as_str(), found.forgiven.as_slice()),
        ("x\n  a\n  c\ny\n", &[(3, MatchStrategy::Flexible)][..])
    );
    let near = "1: its lines do not occur in the file; these lines of the file are most like them:\n1: if x < 10 {\n2:     go();";
    assert_eq!(
        patched("if x < 10 {\n    go();\n}\n", "@@\n-if x > 10 {\n+if x > 11 {\n     go();\n"),
        Err(near.into())
    );
}

#[test]
fn ends_of_lines_and_of_the_file_stay() {
    check(&[
        ("a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B\n+x\n c\n", "a\r\nB\r\nx\r\nc\r\n"),
        // Mixed: what is not changed is not touched, what is new ends as the line before it does or did.
        ("a\r\nb\nc\r\n", "@@\n a\n b\n-c\n+C\n", "a\r\nb\nC\r\n"),
        ("a\r\nb\nc\r\n", "@@\n a\n-b\n+B\n+x\n", "a\r\nB\nx\nc\r\n"),
        ("a\nb\nc\r\n", "@@\n c\n+x\n", "a\nb\nc\r\nx\r\n"),
        // A last line without a newline stays so, unless the patch says otherwise.
        ("a\nb", "@@\n a\n-b\n+B\n", "a\nB"),
        ("a\nb", "@@\n b\n+c\n", "a\nb\nc"),
        ("a\nb", "@@\n-a\n+A\n", "A\nb"),
        ("a\nb", "@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+b\n", "a\nb\n"),
        ("a\nb\n", "@@ -1 +1 @@\n-b\n+b\n\\ No newline at end of file\n", "a\nb"),
        ("a\n\n\n", "@@\n-a\n+b\n", "b\n\n\n"),
    ]);
}

#[test]
fn lines_that_are_only_added_need_a_place() {
    check(&[
        ("a\nb\n", "@@\n+c\n*** End of File\n", "a\nb\nc\n"),
        ("a\nb\n", "@@ a\n+x\n", "a\nx\nb\n"),
        ("a\nf\nb\nf\n", "@@ b\n@@ f\n+x\n", "a\nf\nb\nf\nx\n"),
    ]);
    let nowhere = "It only adds lines, so nothing says where; give the lines around them with a space before each, or put `*** End \
                   of File` behind it to add at the end";
    assert_eq!(patched("a\n", "@@\n+x\n"), Err(format!("1: {nowhere}")));
    assert_eq!(patched("a\n", "@@ b\n+x\n"), Err(format!("1: `b` does not occur in the file. {nowhere}")));
    assert_eq!(patched("a\na\n", "@@ a\n+x\n"), Err("1: `a` occurs more than once:\n1: a\n2: a".into()));
}

#[test]
fn every_hunk_that_fails_is_named() {
    let problems = patched("a\nb\nc\n", "@@\n-x\n+y\n@@\n-a\n+A\n@@\n-q\n+b\n@@\n b\n-c\n@@\n-b\n+B\n").unwrap_err();
    let expected = "1: its lines do not occur in the file, and no line is like them; look at the file with read_file\n3: its lines do \
                    not occur in the file, which holds already what it makes of them";
    assert_eq!(problems, expected);
    let overlap = patched("a\nb\nc\n", "@@\n-a\n-b\n+x\n@@\n-b\n-c\n+y\n").unwrap_err();
    assert_eq!(overlap, "2: it changes lines that hunk 1 changes, too; make one hunk of both");
    let before = patched("go\nfn a\nstop\n", "@@ fn a\n-go\n+went\n").unwrap_err();
    assert_eq!(before, "1: its lines occur only before `fn a`:\n1: go\n2: fn a");
}
