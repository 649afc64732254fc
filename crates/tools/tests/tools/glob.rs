//! `glob` in a real directory.

use crate::tools::test_workspace::{ToolTestWorkspace, success};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs::File;
use std::time::{Duration, SystemTime};

/// Files with their age in seconds.
fn tree(files: &[(&str, u64)]) -> ToolTestWorkspace {
    let room = ToolTestWorkspace::new();
    for (name, age) in files {
        room.put(name, "");
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - age);
        File::options().write(true).open(room.path(name)).unwrap().set_modified(changed).unwrap();
    }
    room
}

/// The files found, relative to the workspace, in order.
async fn found(room: &ToolTestWorkspace, args: Value) -> Vec<String> {
    let text = success(room.run("glob", args).await).text;
    let root = format!("{}/", room.root().display());
    text.lines().filter_map(|line| line.strip_prefix(&root)).map(str::to_owned).collect()
}

#[tokio::test]
async fn files_are_found_newest_first() {
    let room = tree(&[("src/old.rs", 30), ("src/deep/new.rs", 10), ("Main.RS", 20), ("notes.md", 5)]);
    let text = [
        "3 files in the workspace match \"**/*.rs\", the newest first:".to_owned(),
        room.path("src/deep/new.rs").display().to_string(),
        room.path("Main.RS").display().to_string(),
        room.path("src/old.rs").display().to_string(),
    ];
    let result = success(room.run("glob", json!({ "pattern": "**/*.rs" })).await);
    assert_eq!(result.text, text.join("\n"));
    let preview = room.preview("glob", json!({ "pattern": "**/*.rs" })).await.unwrap();
    assert_eq!(preview.summary, "Find **/*.rs in the workspace");
}

#[tokio::test]
async fn patterns_and_directories_select() {
    let room = tree(&[("a.rs", 1), ("src/b.rs", 2), ("src/c/d.rs", 3), ("src/[id].ts", 4), (".hidden/e.rs", 5)]);
    let cases = [
        (json!({ "pattern": "*.rs" }), vec!["a.rs"]),
        (json!({ "pattern": "*.rs", "dir_path": "src" }), vec!["src/b.rs"]),
        (json!({ "pattern": "**/*.rs", "dir_path": "src" }), vec!["src/b.rs", "src/c/d.rs"]),
        (json!({ "pattern": "./src/*.{rs,ts}" }), vec!["src/b.rs", "src/[id].ts"]),
        (json!({ "pattern": "src/[id].ts" }), vec!["src/[id].ts"]),
        (json!({ "pattern": room.path("src/*.rs") }), vec!["src/b.rs"]),
        (json!({ "pattern": "**/e.rs" }), vec![".hidden/e.rs"]),
        (json!({ "pattern": "A.RS" }), vec!["a.rs"]),
        (json!({ "pattern": "A.RS", "case_sensitive": true }), vec![]),
    ];
    for (args, expected) in cases {
        assert_eq!(found(&room, args.clone()).await, expected, "{args}");
    }
}

#[tokio::test]
async fn what_is_ignored_is_left_out_unless_wanted() {
    let room = tree(&[("a.txt", 1), ("target/b.txt", 2), ("sub/c.log", 3), ("key.txt", 4), (".git/x.txt", 5)]);
    room.put(".gitignore", "target/\n");
    room.put("sub/.gitignore", "*.log\n");
    room.put(".geminiignore", "key.*\n");
    let all = |git: bool, gemini: bool| json!({ "pattern": "**/*.{txt,log}", "respect_git_ignore": git, "respect_gemini_ignore": gemini });
    assert_eq!(found(&room, json!({ "pattern": "**/*.{txt,log}" })).await, ["a.txt"]);
    assert_eq!(found(&room, all(false, true)).await, ["a.txt", "target/b.txt", "sub/c.log"]);
    assert_eq!(found(&room, all(true, false)).await, ["a.txt", "key.txt"]);
    let within = json!({ "pattern": "*", "dir_path": "sub" });
    assert_eq!(found(&room, within).await, ["sub/.gitignore"], "rules above the directory count too");
    let nothing = success(room.run("glob", json!({ "pattern": "*.log" })).await).text;
    let expected = "No file in the workspace matches \"*.log\". What .gitignore and .geminiignore list was left out.";
    assert_eq!(nothing, expected);
}

#[tokio::test]
async fn a_pattern_without_a_slash_is_told_of_what_lies_deeper() {
    let room = tree(&[("src/a.py", 1), ("src/deep/b.py", 2), ("c.txt", 3)]);
    let text = async |pattern: &str| success(room.run("glob", json!({ "pattern": pattern })).await).text;
    let hint = "No file in the workspace matches \"*.py\". `*` stays in one directory, and 2 files deeper down would \
                match: use `**/*.py`.";
    assert!(text("*.py").await.starts_with(hint), "{}", text("*.py").await);
    assert!(!text("*.rs").await.contains("deeper"));
    assert!(!text("*.txt").await.contains("deeper"));
}

#[tokio::test]
async fn links_are_not_followed() {
    let room = tree(&[("a.txt", 1)]);
    room.link(room.outside(), "out");
    room.link("..", "up");
    assert_eq!(found(&room, json!({ "pattern": "**/*.txt" })).await, ["a.txt"]);
}

#[tokio::test]
async fn long_lists_are_cut_and_say_so() {
    let room = ToolTestWorkspace::new();
    for number in 0..501 {
        room.put(&format!("{number}.txt"), "");
    }
    let text = success(room.run("glob", json!({ "pattern": "*.txt" })).await).text;
    assert_eq!(text.lines().count(), 1 + 500 + 1);
    assert!(text.ends_with("\n[Only the newest 500 are listed; a narrower pattern finds fewer.]"), "{text}");
}

#[tokio::test]
async fn bad_patterns_and_places_are_refused() {
    let room = tree(&[("a.txt", 1)]);
    let cases = [
        (json!({ "pattern": "a{b" }), "invalid_tool_params"),
        (json!({ "pattern": "../*" }), "invalid_tool_params"),
        (json!({ "pattern": "/etc/*" }), "invalid_tool_params"),
        (json!({ "pattern": "*", "dir_path": "gone" }), "search_path_not_found"),
        (json!({ "pattern": "*", "dir_path": "a.txt" }), "search_path_not_a_directory"),
    ];
    for (args, kind) in cases {
        assert_eq!(room.refusal("glob", args).await.kind, kind);
    }
}
