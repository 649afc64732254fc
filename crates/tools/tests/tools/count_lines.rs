//! `count_lines` of real files.

use crate::tools::test_workspace::{ToolTestWorkspace, success};
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn lines_are_counted() {
    let room = ToolTestWorkspace::new();
    for (content, expected) in [("", "0 lines"), ("one", "1 line"), ("one\ntwo\n", "2 lines")] {
        room.put("a.txt", content);
        let result = success(room.run("count_lines", json!({ "file_path": "a.txt" })).await);
        assert_eq!(result.text, format!("a.txt has {expected}."));
    }
}
