//! `write_file` on real files.

use crate::tools::test_workspace::{ToolTestWorkspace, call, done, failure, success};
use pollux_session::{AskDetails, CallResult, CallState, FileDiff, Grant, ResultDisplay, ToolKind};
use pollux_tools::{CallPreview, ToolRunOutcome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

fn args(path: &str, content: &str) -> Value {
    json!({ "file_path": path, "content": content })
}

fn diff(room: &ToolTestWorkspace, name: &str, old: Option<&str>, new: &str, patch: &str) -> FileDiff {
    let path = room.path(name).to_string_lossy().into_owned();
    FileDiff { name: name.into(), path, old: old.map(str::to_owned), new: new.into(), patch: patch.into() }
}

#[tokio::test]
async fn a_new_file_is_previewed_and_created_with_its_directories() {
    let room = ToolTestWorkspace::new();
    let change =
        diff(&room, "src/new/a.txt", None, "hi\n", "--- src/new/a.txt\n+++ src/new/a.txt\n@@ -0,0 +1 @@\n+hi\n");
    assert_eq!(
        room.preview("write_file", args("src/new/a.txt", "hi\n")).await,
        Ok(CallPreview {
            kind: ToolKind::Edit,
            details: AskDetails::Edit(change.clone()),
            grant: Grant::Tool { tool: "write_file".into() },
            summary: "Write src/new/a.txt".into(),
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        })
    );
    assert!(!room.path("src").exists(), "a preview changes nothing");
    assert_eq!(
        success(room.run("write_file", args("src/new/a.txt", "hi\n")).await),
        CallResult {
            text: "Created src/new/a.txt.".into(),
            display: Some(ResultDisplay::Diff(change)),
            seen: vec![room.seen_version("src/new/a.txt", "hi\n")],
            ..CallResult::default()
        }
    );
    assert_eq!(room.get("src/new/a.txt"), "hi\n");
}

#[tokio::test]
async fn an_existing_file_is_replaced_and_keeps_its_permissions() {
    let room = ToolTestWorkspace::new();
    room.put("run.sh", "one\ntwo\n");
    fs::set_permissions(room.path("run.sh"), Permissions::from_mode(0o751)).unwrap();
    let patch = "--- run.sh\n+++ run.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
    let result = success(room.run("write_file", args("run.sh", "one\nthree\n")).await);
    let expected = CallResult {
        text: "Replaced the content of run.sh.".into(),
        display: Some(ResultDisplay::Diff(diff(&room, "run.sh", Some("one\ntwo\n"), "one\nthree\n", patch))),
        seen: vec![room.seen_version("run.sh", "one\nthree\n")],
        ..CallResult::default()
    };
    assert_eq!(result, expected);
    assert_eq!(room.get("run.sh"), "one\nthree\n");
    assert_eq!(fs::metadata(room.path("run.sh")).unwrap().permissions().mode() & 0o7777, 0o751);
    assert_eq!(fs::read_dir(room.root()).unwrap().count(), 1, "no draft is left behind");
    let again = success(room.run("write_file", args("run.sh", "one\nthree\n")).await);
    assert_eq!(again.text, "run.sh already held exactly this.");
}

#[tokio::test]
async fn a_file_that_holds_it_already_is_left_alone_without_a_question() {
    let room = ToolTestWorkspace::new();
    room.put("same.txt", "one\n");
    let preview = room.preview("write_file", args("same.txt", "one\n")).await.unwrap();
    assert_eq!(preview.kind, ToolKind::Read, "reading asks nobody");
    let unchanged = CallState { kind: ToolKind::Read, ..call("write_file", args("same.txt", "one\n")) };
    let before = fs::metadata(room.path("same.txt")).unwrap().modified().unwrap();
    assert_eq!(success(done(room.run_call(&unchanged).await.0)).text, "same.txt already held exactly this.");
    assert_eq!(fs::metadata(room.path("same.txt")).unwrap().modified().unwrap(), before);
    // It has changed since it was looked at: nobody has allowed that.
    room.put("same.txt", "two\n");
    assert_eq!(room.run_call(&unchanged).await.0, ToolRunOutcome::Stale);
    assert_eq!(room.get("same.txt"), "two\n");
    room.put(".env", "KEY=1\n");
    assert_eq!(room.preview("write_file", args(".env", "KEY=1\n")).await.unwrap().kind, ToolKind::Edit);
}

#[tokio::test]
async fn line_ends_and_byte_order_mark_are_kept() {
    let room = ToolTestWorkspace::new();
    let cases = [
        ("a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"),
        ("a\r\nb\r\n", "x\r\ny\n", "x\r\ny\r\n"),
        ("a\nb\n", "x\r\ny\n", "x\r\ny\n"),
        ("a\nb\nc\r\n", "x\n", "x\n"),
        ("\u{feff}a\r\n", "x\n", "\u{feff}x\r\n"),
        ("\u{feff}a", "\u{feff}x", "\u{feff}x"),
    ];
    for (old, content, expected) in cases {
        room.put("a.txt", old);
        let call = room.preview_and_allow("write_file", args("a.txt", content), None).await;
        let Some(AskDetails::Edit(shown)) = call.ask.as_ref().map(|ask| &ask.details) else { panic!("no edit") };
        assert_eq!(shown.new, expected.trim_start_matches('\u{feff}'), "what is shown");
        success(done(room.run_call(&call).await.0));
        assert_eq!(room.get("a.txt"), expected, "what is written");
    }
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_shown_is_left_alone() {
    let room = ToolTestWorkspace::new();
    room.put("changed.txt", "old");
    room.put("removed.txt", "old");
    let changed = room.preview_and_allow("write_file", args("changed.txt", "new"), None).await;
    let removed = room.preview_and_allow("write_file", args("removed.txt", "new"), Some("edited")).await;
    let created = room.preview_and_allow("write_file", args("created.txt", "new"), None).await;
    room.put("changed.txt", "other");
    fs::remove_file(room.path("removed.txt")).unwrap();
    room.put("created.txt", "other");
    for call in [&changed, &removed, &created] {
        assert_eq!(room.run_call(call).await, (ToolRunOutcome::Stale, vec![]));
    }
    assert_eq!((room.get("changed.txt"), room.get("created.txt")), ("other".into(), "other".into()));
    assert!(!room.path("removed.txt").exists());
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_than_shown_is_stale() {
    let room = ToolTestWorkspace::new();
    room.put("one/a.txt", "same");
    room.put("two/a.txt", "same");
    room.link("one", "way");
    let call = room.preview_and_allow("write_file", args("way/a.txt", "new"), None).await;
    fs::remove_file(room.path("way")).unwrap();
    room.link("two", "way");
    assert_eq!(room.run_call(&call).await.0, ToolRunOutcome::Stale);
    assert_eq!(room.get("two/a.txt"), "same");
}

#[tokio::test]
async fn what_a_person_edited_is_what_is_written() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "old\n");
    let call = room.preview_and_allow("write_file", args("a.txt", "model\n"), Some("person\n")).await;
    let patch = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-old\n+person\n";
    let text = "Replaced the content of a.txt. The person changed the content first, from what you proposed to what was \
                written:\n--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-model\n+person\n";
    assert_eq!(
        success(done(room.run_call(&call).await.0)),
        CallResult {
            text: text.into(),
            display: Some(ResultDisplay::Diff(diff(&room, "a.txt", Some("old\n"), "person\n", patch))),
            seen: vec![room.seen_version("a.txt", "person\n")],
            ..CallResult::default()
        }
    );
    assert_eq!(room.get("a.txt"), "person\n");
}

#[tokio::test]
async fn without_an_ask_there_is_nothing_to_compare() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "whatever");
    success(room.run("write_file", args("a.txt", "new")).await);
    assert_eq!(room.get("a.txt"), "new");
}

#[tokio::test]
async fn protected_places_are_named_wherever_a_path_leads() {
    let room = ToolTestWorkspace::new();
    room.put(".git/config", "");
    room.link(".git", "innocent");
    room.put("scripts/check.sh", "");
    std::fs::create_dir(room.path(".git/hooks")).unwrap();
    room.link("../../scripts/check.sh", ".git/hooks/pre-push");
    room.put("editor/tasks.json", "");
    room.link("editor", ".vscode");
    let cases = [
        // By the name that is asked for, and by what such a name leads to.
        (".git/hooks/pre-push", Some(".git")),
        ("scripts/check.sh", Some("what Pollux itself obeys")),
        (".vscode/tasks.json", Some(".vscode")),
        ("editor/new.json", Some("what Pollux itself obeys")),
        (".git/hooks/pre-commit", Some(".git")),
        ("innocent/config", Some(".git")),
        ("sub/.vscode/tasks.json", Some(".vscode")),
        ("scripts/other.sh", None),
        (".github/workflows/ci.yml", Some(".github")),
        ("src/main.rs", None),
    ];
    for (path, protected) in cases {
        let preview = room.preview("write_file", args(path, "x")).await.unwrap();
        assert_eq!(preview.protected.as_deref(), protected, "{path}");
    }
}

#[tokio::test]
async fn files_that_pollux_obeys_and_those_that_keep_others_from_the_model_are_named() {
    let room = ToolTestWorkspace::new();
    let root = room.root();
    let room = room.with_tools(|settings| {
        settings.filtering.custom_ignore_files = vec!["lists/no".into()];
        settings.obeyed.home = Some(root.clone());
        settings.obeyed.rules = vec![root.join("rules.toml"), root.join("pol")];
    });
    let cases = [
        ("rules.toml", Some("what Pollux itself obeys")),
        ("pol/new.toml", Some("what Pollux itself obeys")),
        ("pol/notes.md", None),
        (".config/systemd/user/x.service", Some("the configuration in your home directory")),
        ("src/.geminiignore", Some("the list of files that are kept from the model")),
        ("lists/no", Some("the list of files that are kept from the model")),
        ("lists/yes", None),
    ];
    for (path, protected) in cases {
        let preview = room.preview("write_file", args(path, "x")).await.unwrap();
        assert_eq!(preview.protected.as_deref(), protected, "{path}");
    }
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_with_its_kind() {
    let room = ToolTestWorkspace::new();
    room.put("dir/a.txt", "");
    room.put("binary", b"\xff\0");
    room.put("locked.txt", "old");
    fs::set_permissions(room.path("locked.txt"), Permissions::from_mode(0o444)).unwrap();
    std::fs::File::create(room.path("large")).unwrap().set_len(5 * 1024 * 1024).unwrap();
    let too_long = "x".repeat(4 * 1024 * 1024 + 1);
    let cases = [
        (args("dir", "x"), "target_is_directory"),
        (args(".", "x"), "target_is_directory"),
        (args("dir/a.txt/b", "x"), "path_is_not_a_directory"),
        (args("binary", "x"), "file_write_failure"),
        (args("locked.txt", "x"), "permission_denied"),
        (args("large", "x"), "file_too_large"),
        (args("new.txt", &too_long), "file_too_large"),
    ];
    for (args, kind) in cases {
        assert_eq!(room.refusal("write_file", args).await.kind, kind);
    }
    assert_eq!(room.get("locked.txt"), "old");
    assert!(!room.path("new.txt").exists());
}

#[tokio::test]
async fn an_edit_that_is_too_long_is_refused() {
    let room = ToolTestWorkspace::new();
    let edit = "x".repeat(4 * 1024 * 1024 + 1);
    let call = room.preview_and_allow("write_file", args("a.txt", "x"), Some(&edit)).await;
    assert_eq!(failure(done(room.run_call(&call).await.0)).kind, "file_too_large");
    assert!(!room.path("a.txt").exists());
}
