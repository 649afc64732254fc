//! `replace` on real files.

use crate::tools::test_workspace::{ToolTestWorkspace, done, failure, success};
use pollux_session::{AskDetails, CallError, CallResult, FileDiff, Grant, ResultDisplay, ToolKind};
use pollux_tools::{CallPreview, ToolRunOutcome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn args(old: &str, new: &str) -> Value {
    json!({ "file_path": "a.txt", "instruction": "Change it.", "old_string": old, "new_string": new })
}

fn multiple(old: &str, new: &str) -> Value {
    json!({ "file_path": "a.txt", "old_string": old, "new_string": new, "allow_multiple": true })
}

const PATCH: &str = "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";

fn diff(room: &ToolTestWorkspace, old: Option<&str>, new: &str, patch: &str) -> FileDiff {
    let path = room.path("a.txt").to_string_lossy().into_owned();
    FileDiff { name: "a.txt".into(), path, old: old.map(str::to_owned), new: new.into(), patch: patch.into() }
}

#[tokio::test]
async fn a_change_is_previewed_and_made() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\ntwo\nthree\n");
    let change = diff(&room, Some("one\ntwo\nthree\n"), "one\n2\nthree\n", PATCH);
    assert_eq!(
        room.preview("replace", args("two", "2")).await,
        Ok(CallPreview {
            kind: ToolKind::Edit,
            details: AskDetails::Edit(change.clone()),
            grant: Grant::Tool { tool: "replace".into() },
            summary: "Change a.txt".into(),
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        })
    );
    assert_eq!(room.get("a.txt"), "one\ntwo\nthree\n", "a preview changes nothing");
    assert_eq!(
        success(room.run("replace", args("two", "2")).await),
        CallResult {
            text: format!("Changed a.txt in 1 place.\n{PATCH}"),
            display: Some(ResultDisplay::Diff(change)),
            seen: vec![room.seen_version("a.txt", "one\n2\nthree\n")],
            ..CallResult::default()
        }
    );
    assert_eq!(room.get("a.txt"), "one\n2\nthree\n");
}

#[tokio::test]
async fn an_inexact_match_is_made_and_announced() {
    let room = ToolTestWorkspace::new();
    let cases = [
        (
            "  a();\n  b();\n",
            "a();\nb();",
            "c();\nd();",
            "  c();\n  d();\n",
            "old_string was found with other indentation (line 1)",
        ),
        ("x\nf( a,b )\n", "f(a, b)", "g()", "x\ng()\n", "old_string was found with other white space (line 2)"),
    ];
    for (before, old, new, after, note) in cases {
        room.put("a.txt", before);
        let text = success(room.run("replace", args(old, new)).await).text;
        let head = format!("Changed a.txt in 1 place. {note}: check that it is what you meant.\n--- a.txt\n");
        assert!(text.starts_with(&head), "{text}");
        assert_eq!(room.get("a.txt"), after);
    }
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_with_its_kind() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one one\ntwo\n");
    let cases = [
        (
            args("three", "3"),
            "edit_no_occurrence_found",
            "old_string does not occur in `a.txt` (0 found); no line of the file is like it; look at the file with read_file",
        ),
        (
            args("one one\ntwoo\n", "3"),
            "edit_no_occurrence_found",
            "old_string does not occur in `a.txt` (0 found); these lines of the file are most like it:\n1: one one\n2: two",
        ),
        (
            args("one", "1"),
            "edit_expected_occurrence_mismatch",
            "old_string occurs 2 times in `a.txt`, and 1 was expected; give more of the lines around the right one, or \
             set allow_multiple to replace them all. It occurs here:\n1: one one\n2: two",
        ),
        (args("two", "two"), "edit_no_change", "old_string and new_string are the same, so `a.txt` would not change"),
        (
            args("two\r\n", "two\n"),
            "edit_no_change",
            "`a.txt` already holds what new_string says, so it would not change",
        ),
        (
            args("", "x"),
            "attempt_to_create_existing_file",
            "`a.txt` exists already; say in old_string which text of it to replace",
        ),
        (
            json!({ "file_path": "b.txt", "old_string": "x", "new_string": "y" }),
            "file_not_found",
            "`b.txt` does not exist; to create it, call replace with an empty old_string",
        ),
    ];
    for (args, kind, message) in cases {
        let expected = CallError { kind: kind.into(), message: message.into() };
        assert_eq!(room.refusal("replace", args).await, expected);
    }
    assert_eq!(room.get("a.txt"), "one one\ntwo\n");
}

#[tokio::test]
async fn several_places_are_replaced_when_that_is_wanted() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\none\n  one\n");
    let text = success(room.run("replace", multiple("one", "1")).await).text;
    assert!(text.starts_with("Changed a.txt in 3 places.\n"), "{text}");
    assert_eq!(room.get("a.txt"), "1\n1\n  1\n");
}

#[tokio::test]
async fn an_empty_old_string_creates_a_file() {
    let room = ToolTestWorkspace::new();
    let result = success(room.run("replace", args("", "hi\n")).await);
    let patch = "--- a.txt\n+++ a.txt\n@@ -0,0 +1 @@\n+hi\n";
    assert_eq!(result.text, "Created a.txt.");
    assert_eq!(result.display, Some(ResultDisplay::Diff(diff(&room, None, "hi\n", patch))));
    assert_eq!(room.get("a.txt"), "hi\n");
}

#[tokio::test]
async fn line_ends_mark_and_last_newline_are_kept() {
    let room = ToolTestWorkspace::new();
    let cases = [
        ("\u{feff}a\r\nb\r\n", "b", "x\ny", "\u{feff}a\r\nx\r\ny\r\n"),
        ("a\nb\n", "b\n", "x", "a\nx\n"),
        ("a\nb", "b", "x", "a\nx"),
    ];
    for (before, old, new, after) in cases {
        room.put("a.txt", before);
        success(room.run("replace", args(old, new)).await);
        assert_eq!(room.get("a.txt"), after);
    }
}

#[tokio::test]
async fn what_a_person_edited_is_what_is_written() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\r\ntwo\r\n");
    let call = room.preview_and_allow("replace", args("two", "2"), Some("mine\n")).await;
    let result = success(done(room.run_call(&call).await.0));
    let told = "Changed a.txt. The person changed the result first, from what you proposed to what was written:\n\
                --- a.txt\n+++ a.txt\n@@ -1,2 +1 @@\n-one\r\n-2\r\n+mine\r\n";
    assert_eq!(result.text, told);
    assert_eq!(room.get("a.txt"), "mine\r\n");
}

#[tokio::test]
async fn an_edit_in_a_large_file_is_told_as_what_was_edited() {
    let room = ToolTestWorkspace::new();
    let file = |last: &str| (0..20_000).map(|line| format!("line {line}\n")).collect::<String>() + last + "\n";
    room.put("a.txt", file("two"));
    let call = room.preview_and_allow("replace", args("two", "2"), Some(&file("mine"))).await;
    let told = success(done(room.run_call(&call).await.0)).text;
    assert!(told.contains("-2\n+mine\n") && told.len() < 500, "{} bytes", told.len());
    assert_eq!(room.get("a.txt"), file("mine"));
}

#[tokio::test]
async fn what_was_shown_is_done_in_a_file_that_changed_elsewhere() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\na\nb\nc\ntwo\nd\n");
    let call = room.preview_and_allow("replace", args("two", "2"), None).await;
    room.put("a.txt", "zero\nONE\na\nb\nc\ntwo\nd\n");
    let result = success(done(room.run_call(&call).await.0));
    assert_eq!(
        result.text,
        "Changed a.txt in 1 place.\n--- a.txt\n+++ a.txt\n@@ -3,5 +3,5 @@\n a\n b\n c\n-two\n+2\n d\n"
    );
    assert_eq!(room.get("a.txt"), "zero\nONE\na\nb\nc\n2\nd\n");
}

#[tokio::test]
async fn a_file_in_which_it_would_be_another_change_is_left_alone() {
    let room = ToolTestWorkspace::new();
    for (content, why) in [
        ("one\n2\n", "it is done already"),
        ("one\n", "the lines are gone"),
        ("one\ntwo\ntwo\n", "they are there twice"),
        ("one\ntwo and a half\n", "other lines would go"),
        ("ONE\ntwo\n", "a line that was shown around it is another"),
    ] {
        room.put("a.txt", "one\ntwo\n");
        let call = room.preview_and_allow("replace", args("two", "2"), None).await;
        room.put("a.txt", content);
        assert_eq!(room.run_call(&call).await.0, ToolRunOutcome::Stale, "{why}");
        assert_eq!(room.get("a.txt"), content, "{why}");
    }
    room.put("a.txt", "two\nand\n");
    let everywhere = room.preview_and_allow("replace", multiple("two", "2"), None).await;
    room.put("a.txt", "two\nand\ntwo\n");
    assert_eq!(room.run_call(&everywhere).await.0, ToolRunOutcome::Stale, "one place was shown");
    room.put("a.txt", "one\ntwo\n");
    let edited = room.preview_and_allow("replace", args("two", "2"), Some("one\nmine\n")).await;
    room.put("a.txt", "ONE\ntwo\n");
    assert_eq!(room.run_call(&edited).await.0, ToolRunOutcome::Stale, "the person edited the whole file");
}

#[tokio::test]
async fn protected_places_are_named() {
    let room = ToolTestWorkspace::new();
    room.put(".git/config", "a");
    let args = json!({ "file_path": ".git/config", "old_string": "a", "new_string": "b" });
    assert_eq!(room.preview("replace", args).await.unwrap().protected.as_deref(), Some(".git"));
}

#[tokio::test]
async fn a_file_of_ten_megabytes_is_changed_and_shown_by_its_diff() {
    let room = ToolTestWorkspace::new();
    let line = "all work and no play makes jack a dull boy\n";
    let half = line.repeat(5 * 1024 * 1024 / line.len());
    room.put("a.txt", format!("{half}needle\n{half}"));
    let call = room.preview_and_allow("replace", args("needle", "thread"), None).await;
    let result = success(done(room.run_call(&call).await.0));
    let Some(ResultDisplay::Text { text: patch }) = result.display else { panic!("the whole file is shown") };
    assert!(patch.contains("-needle\n+thread\n"), "{patch}");
    assert!(room.get("a.txt") == format!("{half}thread\n{half}"));
    room.put("large.txt", vec![b'x'; 16 * 1024 * 1024 + 1]);
    let args = json!({ "file_path": "large.txt", "old_string": "x", "new_string": "y" });
    assert_eq!(failure(room.run("replace", args).await).kind, "file_too_large");
}
