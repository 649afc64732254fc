//! Directories that were added to the workspace: inside it for every tool.

use crate::tools::test_workspace::{ToolTestWorkspace, success};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs;

async fn text(room: &ToolTestWorkspace, tool: &str, args: Value) -> String {
    success(room.run(tool, args).await).text
}

#[tokio::test]
async fn files_in_them_are_read_written_changed_and_listed() {
    let room = ToolTestWorkspace::with_outside();
    let outside = room.outside();
    let at = |name: &str| outside.join(name).display().to_string();
    assert_eq!(text(&room, "read_file", json!({ "file_path": at("secret.txt") })).await, "secret");
    text(&room, "write_file", json!({ "file_path": at("sub/new.txt"), "content": "one\n" })).await;
    let args = json!({ "file_path": at("sub/new.txt"), "old_string": "one", "new_string": "two" });
    text(&room, "replace", args).await;
    assert_eq!(fs::read_to_string(outside.join("sub/new.txt")).unwrap(), "two\n");
    let listing = text(&room, "list_directory", json!({ "dir_path": at("") })).await;
    assert!(listing.contains("[DIR] sub\nsecret.txt (6 bytes)"), "{listing}");
    let run = json!({ "command": "pwd", "dir_path": at("sub") });
    assert_eq!(text(&room, "run_shell_command", run.clone()).await, format!("{}\n", at("sub")));
    let preview = room.preview("run_shell_command", run).await.unwrap();
    let grant = pollux_session::Grant::Command { command: format!("cd '{}' && pwd", at("sub")), directory: None };
    assert_eq!(preview.grant, grant);
}

#[tokio::test]
async fn searches_go_through_all_roots_unless_one_is_named() {
    let room = ToolTestWorkspace::with_outside();
    room.put("in.txt", "needle here\n");
    fs::write(room.outside().join("out.txt"), "needle there\n").unwrap();
    let (inside, out) =
        (room.path("in.txt").display().to_string(), room.outside().join("out.txt").display().to_string());
    let found = text(&room, "glob", json!({ "pattern": "*.txt" })).await;
    assert!(found.contains(&inside) && found.contains(&out), "{found}");
    let found = text(&room, "glob", json!({ "pattern": "*.txt", "dir_path": "." })).await;
    assert!(found.contains(&inside) && !found.contains(&out), "{found}");
    let found = text(&room, "glob", json!({ "pattern": format!("{}/*.txt", room.outside().display()) })).await;
    assert!(!found.contains(&inside) && found.contains(&out), "{found}");
    let found = text(&room, "grep_search", json!({ "pattern": "needle" })).await;
    assert!(found.starts_with("2 matches for \"needle\" in the workspace and 1 added directory:"), "{found}");
    assert!(found.contains("File: in.txt\nL1: needle here") && found.contains(&format!("File: {out}\n")), "{found}");
}

#[tokio::test]
async fn one_that_holds_the_workspace_finds_nothing_twice() {
    let room = ToolTestWorkspace::new();
    let above = room.root().parent().unwrap().to_owned();
    let room = room.with_tools(|settings| settings.include_directories = vec![above]);
    room.put("in.txt", "needle\n");
    let found = text(&room, "glob", json!({ "pattern": "**/in.txt" })).await;
    assert_eq!(found.matches("in.txt").count(), 2, "once in the pattern, once found: {found}");
    let found = text(&room, "grep_search", json!({ "pattern": "needle" })).await;
    assert!(found.starts_with("1 match"), "{found}");
}

#[tokio::test]
async fn what_is_in_none_is_outside() {
    let room = ToolTestWorkspace::with_outside();
    let above = room.root().parent().unwrap().join("logs");
    fs::create_dir_all(&above).unwrap();
    fs::write(above.join("x"), "x").unwrap();
    let write = |path: &std::path::Path| json!({ "file_path": path, "content": "y" });
    let error = room.refusal("write_file", write(&above.join("x"))).await;
    assert_eq!(error.kind, "path_not_in_workspace");
    let roots = format!("{} and {}", room.root().display(), room.outside().display());
    assert!(error.message.contains(&roots), "{}", error.message);
    std::os::unix::fs::symlink(&above, room.outside().join("way")).unwrap();
    let error = room.refusal("write_file", write(&room.outside().join("way/x"))).await;
    assert_eq!(error.kind, "path_not_in_workspace");
    for path in [above.join("x"), room.outside().join("way/x")] {
        let preview = room.preview("read_file", json!({ "file_path": path })).await.unwrap();
        assert_eq!(preview.outside.as_ref(), Some(&above), "it asks");
    }
}

#[tokio::test]
async fn one_that_is_missing_changes_nothing() {
    let room =
        ToolTestWorkspace::with_settings(|settings| settings.include_directories = vec!["/nowhere/at/all".into()]);
    room.put("a.txt", "a");
    assert_eq!(text(&room, "read_file", json!({ "file_path": "a.txt" })).await, "a");
}
