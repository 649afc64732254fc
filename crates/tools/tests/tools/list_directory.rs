//! `list_directory` in a real directory.

use crate::room::{Room, success};
use pollux_session::{CallResult, Display, ToolKind};
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn directories_come_first_and_files_have_sizes() {
    let room = Room::new();
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
            display: Some(Display::Text { text: "7 entries in .".into() }),
            ..CallResult::default()
        }
    );
    let preview = room.preview("list_directory", json!({ "dir_path": room.path("zoo") })).await.unwrap();
    assert_eq!((preview.kind, preview.summary.as_str()), (ToolKind::Read, "List zoo"));
}

#[tokio::test]
async fn long_listings_are_cut_and_say_so() {
    let room = Room::new();
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
    let room = Room::new();
    room.put("a.txt", "");
    assert_eq!(room.refusal("list_directory", json!({ "dir_path": "a.txt" })).await.kind, "path_is_not_a_directory");
    assert_eq!(room.refusal("list_directory", json!({ "dir_path": "gone" })).await.kind, "file_not_found");
}
