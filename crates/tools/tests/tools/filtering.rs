//! Which files are kept from the model: the person's settings, and what a call may say otherwise.

use crate::tools::test_workspace::{ToolTestWorkspace, failure, success};
use pollux_tools::FileFilterSettings;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

/// A room with one file that each kind of ignore file lists, and one that none does.
fn workspace_with_ignore_files(filtering: FileFilterSettings) -> ToolTestWorkspace {
    let room = ToolTestWorkspace::with_settings(|settings| settings.filtering = filtering);
    room.put(".gitignore", "git.txt\n");
    room.put(".geminiignore", "gemini.txt\n");
    room.put("more/rules", "/custom.txt\n!gemini.txt\n");
    for name in ["git.txt", "gemini.txt", "custom.txt", "free.txt", "sub/custom.txt"] {
        room.put(name, "needle\n");
    }
    room
}

/// The names that `tool` finds.
async fn found(room: &ToolTestWorkspace, tool: &str, args: Value) -> Vec<&'static str> {
    let text = success(room.run(tool, args).await).text;
    let all = ["git.txt", "gemini.txt", "sub/custom.txt", "free.txt"];
    let mut found: Vec<&str> = all.into_iter().filter(|name| text.contains(name)).collect();
    let top = text.replace("sub/custom.txt", "").contains("custom.txt");
    found.extend(top.then_some("custom.txt"));
    found
}

fn custom() -> FileFilterSettings {
    FileFilterSettings {
        custom_ignore_files: vec!["more/rules".into(), "gone".into()],
        ..FileFilterSettings::default()
    }
}

#[tokio::test]
async fn settings_say_what_searches_leave_out() {
    let glob = json!({ "pattern": "**/*.txt" });
    let grep = json!({ "pattern": "needle", "names_only": true });
    let cases = [
        (FileFilterSettings::default(), vec!["sub/custom.txt", "free.txt", "custom.txt"]),
        (
            FileFilterSettings { respect_git_ignore: false, ..FileFilterSettings::default() },
            vec!["git.txt", "sub/custom.txt", "free.txt", "custom.txt"],
        ),
        (
            FileFilterSettings { respect_gemini_ignore: false, ..custom() },
            vec!["gemini.txt", "sub/custom.txt", "free.txt", "custom.txt"],
        ),
        (custom(), vec!["sub/custom.txt", "free.txt"]),
    ];
    for (filtering, expected) in cases {
        let room = workspace_with_ignore_files(filtering.clone());
        assert_eq!(found(&room, "glob", glob.clone()).await, expected, "glob: {filtering:?}");
        assert_eq!(found(&room, "grep_search", grep.clone()).await, expected, "grep: {filtering:?}");
        let injected = room.toolbox.inject(&room.root(), &[".".to_owned()]).await;
        let mut files: Vec<&str> = injected.files.iter().map(String::as_str).collect();
        files.retain(|name| name.ends_with(".txt"));
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(files, expected, "inject: {filtering:?}");
    }
}

#[tokio::test]
async fn a_call_may_say_otherwise() {
    let room = workspace_with_ignore_files(custom());
    let all = json!({ "pattern": "*.txt", "respect_git_ignore": false, "respect_gemini_ignore": false });
    assert_eq!(found(&room, "glob", all).await, ["git.txt", "gemini.txt", "free.txt", "custom.txt"]);
    let options = json!({ "dir_path": ".", "file_filtering_options": { "respect_git_ignore": false } });
    assert_eq!(found(&room, "list_directory", options).await, ["git.txt", "free.txt"]);
    let unlisted = json!({ "pattern": "needle", "no_ignore": true, "names_only": true });
    assert_eq!(found(&room, "grep_search", unlisted).await, ["git.txt", "sub/custom.txt", "free.txt"]);
}

#[tokio::test]
async fn what_is_listed_is_not_read_and_the_first_word_counts() {
    let listed = workspace_with_ignore_files(custom());
    let read = |name: &str| json!({ "file_path": name });
    assert_eq!(failure(listed.run("read_file", read("custom.txt")).await).kind, "invalid_tool_params");
    // The file that settings name speaks before .geminiignore.
    assert_eq!(success(listed.run("read_file", read("gemini.txt")).await).text, "needle\n");
    assert_eq!(success(listed.run("read_file", read("sub/custom.txt")).await).text, "needle\n");
    assert_eq!(success(listed.run("read_file", read("git.txt")).await).text, "needle\n");
    let open = workspace_with_ignore_files(FileFilterSettings { respect_gemini_ignore: false, ..custom() });
    assert_eq!(success(open.run("read_file", read("custom.txt")).await).text, "needle\n");
}

#[tokio::test]
async fn an_ignore_file_counts_however_it_is_written() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("list"), "kept.txt\n").unwrap();
    let read = json!({ "file_path": "kept.txt" });
    let room = ToolTestWorkspace::new();
    room.put("kept.txt", "needle\n");
    room.put("lists/names", "kept.txt\n");
    let ignore_file = room.root().join(".geminiignore");
    let mut told = Vec::new();
    for form in ["outside", "inside", "mark", "long", "gone"] {
        let _ = std::fs::remove_file(&ignore_file);
        match form {
            "outside" => symlink(outside.path().join("list"), &ignore_file).unwrap(),
            "inside" => symlink(room.root().join("lists/names"), &ignore_file).unwrap(),
            "mark" => room.put(".geminiignore", "\u{feff}kept.txt\n"),
            "long" => room.put(".geminiignore", format!("kept.txt\n{}", "# no\n".repeat(300_000))),
            // What it would list is not known.
            _ => symlink("nowhere", &ignore_file).unwrap(),
        }
        let found = found(&room, "grep_search", json!({ "pattern": "needle" })).await;
        told.push((form, failure(room.run("read_file", read.clone()).await).kind, found.len()));
    }
    let kept = |form| (form, "invalid_tool_params".to_owned(), 0);
    assert_eq!(told, ["outside", "inside", "mark", "long", "gone"].map(kept));
}

#[tokio::test]
async fn a_link_that_is_listed_leads_to_nothing() {
    let room = ToolTestWorkspace::new();
    room.put("real/notes.txt", "needle\n");
    room.link("real", "private");
    room.link("private", "other");
    room.put(".geminiignore", "private/\n");
    for path in ["private/notes.txt", "other/notes.txt"] {
        let args = json!({ "file_path": path });
        assert_eq!(failure(room.run("read_file", args).await).kind, "invalid_tool_params", "{path}");
    }
    assert_eq!(success(room.run("read_file", json!({ "file_path": "real/notes.txt" })).await).text, "needle\n");
}

/// An edit that misses tells the nearest lines, and a patch can move a file to where it may be read.
#[tokio::test]
async fn what_is_kept_from_the_model_is_neither_edited_nor_moved() {
    let room = workspace_with_ignore_files(FileFilterSettings::default());
    let patch = |body: &str| json!({ "patch": format!("*** Begin Patch\n{body}\n*** End Patch") });
    for (tool, args) in [
        ("replace", json!({ "file_path": "gemini.txt", "old_string": "needl", "new_string": "x" })),
        ("replace", json!({ "file_path": "gemini.txt", "old_string": "other", "new_string": "x" })),
        ("write_file", json!({ "file_path": "gemini.txt", "content": "x" })),
        ("apply_patch", patch("*** Update File: gemini.txt\n*** Move to: seen.txt")),
        ("apply_patch", patch("*** Update File: gemini.txt\n@@\n-other\n+x")),
        ("apply_patch", patch("*** Delete File: gemini.txt")),
    ] {
        let told = failure(room.run(tool, args.clone()).await);
        assert!(!told.message.contains("needle"), "{tool} {args}: {}", told.message);
        assert!(!room.root().join("seen.txt").exists(), "{tool} {args}");
    }
    assert_eq!(std::fs::read_to_string(room.root().join("gemini.txt")).unwrap(), "needle\n");
}

/// A killed process leaves a draft, which may be that of a secret: its own name does not say so.
#[tokio::test]
async fn drafts_are_neither_read_nor_found() {
    let room = workspace_with_ignore_files(FileFilterSettings::default());
    let draft = ".pollux-99-1.tmp";
    room.put(draft, "needle\n");
    for (tool, args) in [
        ("read_file", json!({ "file_path": draft })),
        ("replace", json!({ "file_path": draft, "old_string": "needle", "new_string": "x" })),
        (
            "apply_patch",
            json!({ "patch": format!("*** Begin Patch\n*** Update File: {draft}\n*** Move to: seen.txt\n*** End Patch") }),
        ),
    ] {
        let told = failure(room.run(tool, args).await).message;
        assert!(told.contains("an unfinished file of Pollux"), "{tool}: {told}");
    }
    for args in [json!({ "pattern": "needle" }), json!({ "pattern": "needle", "dir_path": draft })] {
        assert!(!success(room.run("grep_search", args).await).text.contains(&format!("{draft}:")), "grep");
    }
    assert!(!success(room.run("glob", json!({ "pattern": "**/.*" })).await).text.contains(draft), "glob");
    assert!(!success(room.run("list_directory", json!({ "dir_path": "." })).await).text.contains(draft), "list");
    let injected = room.toolbox.inject(&room.root(), &[draft.to_owned(), ".".to_owned()]).await;
    assert!(!injected.files.iter().any(|name| name.contains(draft)), "{:?}", injected.files);
}
