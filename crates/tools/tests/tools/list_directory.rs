//! `list_directory` in a real directory.

use crate::tools::test_workspace::{ToolTestWorkspace, success};
use pollux_session::{CallResult, ResultDisplay, ToolKind};
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn directories_come_first_and_files_have_sizes() {
    let room = ToolTestWorkspace::new();
    room.put("zoo/x", "");
    room.put("b.txt", "12345");
    room.put("a.txt", "");
    room.put(".hidden", "1");
    room.put("two\nlines", "");
    room.link("a.txt", "link");
    std::fs::create_dir(room.path("bin")).unwrap();
    let text = [
        &format!("{}: 2 directories, 5 files", room.root().display()),
        "[DIR] bin",
        "[DIR] zoo",
        ".hidden (1 bytes)",
        "a.txt (0 bytes)",
        "b.txt (5 bytes)",
        "link (symbolic link)",
        "two\\nlines (0 bytes)",
    ];
    assert_eq!(
        success(room.run("list_directory", json!({ "dir_path": "." })).await),
        CallResult {
            text: text.join("\n"),
            display: Some(ResultDisplay::Text { text: "7 entries in .".into() }),
            ..CallResult::default()
        }
    );
    let preview = room.preview("list_directory", json!({ "dir_path": room.path("zoo") })).await.unwrap();
    assert_eq!((preview.kind, preview.summary.as_str()), (ToolKind::Read, "List zoo"));
}

#[tokio::test]
async fn long_listings_are_cut_and_say_so() {
    let room = ToolTestWorkspace::new();
    for number in 0..1_001 {
        room.put(&format!("{number:04}"), "");
    }
    let text = success(room.run("list_directory", json!({ "dir_path": "" })).await).text;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 1_000 + 1);
    assert_eq!(lines[1_000..], ["0999 (0 bytes)", "[Only 1000 of 1001 entries are listed.]"]);
}

#[tokio::test]
async fn what_is_no_directory_is_refused() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "");
    assert_eq!(room.refusal("list_directory", json!({ "dir_path": "a.txt" })).await.kind, "path_is_not_a_directory");
    assert_eq!(room.refusal("list_directory", json!({ "dir_path": "gone" })).await.kind, "file_not_found");
}

#[tokio::test]
async fn what_is_ignored_is_counted_and_not_named() {
    let room = ToolTestWorkspace::new();
    room.put(".gitignore", "target/\n");
    room.put(".geminiignore", "*.key\n");
    for path in ["target/x", "sub/a.key", "sub/b.txt", "sub/c.log", ".git/config"] {
        room.put(path, "");
    }
    let lines = async |args: serde_json::Value| {
        let text = success(room.run("list_directory", args).await).text;
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        lines(json!({ "dir_path": "." })).await,
        [
            "[DIR] sub",
            ".geminiignore (6 bytes)",
            ".gitignore (8 bytes)",
            "[1 entry is ignored; file_filtering_options can bring it back.]",
        ]
    );
    let unfiltered = json!({ "respect_git_ignore": false, "respect_gemini_ignore": false });
    let all = lines(json!({ "dir_path": ".", "file_filtering_options": unfiltered })).await;
    assert_eq!(all.last().map(String::as_str), Some(".gitignore (8 bytes)"), "nothing is said of .git: {all:?}");
    assert_eq!(
        lines(json!({ "dir_path": "sub", "ignore": ["*.log"] })).await,
        ["b.txt (0 bytes)", "[2 entries are ignored; file_filtering_options can bring them back.]"]
    );
    assert_eq!(
        lines(json!({ "dir_path": "sub" })).await.last().map(String::as_str),
        Some("[1 entry is ignored; file_filtering_options can bring it back.]")
    );
    let all = json!({ "dir_path": "sub", "file_filtering_options": { "respect_gemini_ignore": false } });
    assert_eq!(lines(all).await, ["a.key (0 bytes)", "b.txt (0 bytes)", "c.log (0 bytes)"]);
    let bad = room.refusal("list_directory", json!({ "dir_path": ".", "ignore": ["{"] })).await;
    assert_eq!(bad.kind, "invalid_tool_params");
}
