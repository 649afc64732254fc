//! `write_todos`.

use crate::tools::test_workspace::{ToolTestWorkspace, success};
use pollux_session::ToolKind;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn todos(list: &[(&str, &str)]) -> Value {
    let list: Vec<Value> =
        list.iter().map(|(description, status)| json!({ "description": description, "status": status })).collect();
    json!({ "todos": list })
}

#[tokio::test]
async fn the_list_is_noted_without_asking_and_returned() {
    let room = ToolTestWorkspace::new();
    let list = todos(&[("Read", "completed"), ("Write", "in_progress"), ("Test", "pending"), ("Ship", "blocked")]);
    let preview = room.preview("write_todos", list.clone()).await.unwrap();
    assert_eq!((preview.kind, preview.summary.as_str()), (ToolKind::Read, "Note 4 todos"));
    let expected =
        "The todo list is now:\n1. [completed] Read\n2. [in_progress] Write\n3. [pending] Test\n4. [blocked] Ship";
    assert_eq!(success(room.run("write_todos", list).await).text, expected);
    assert_eq!(success(room.run("write_todos", todos(&[])).await).text, "The todo list is empty now.");
}

#[tokio::test]
async fn lists_that_make_no_sense_are_refused() {
    let room = ToolTestWorkspace::new();
    let long = "x".repeat(501);
    let many: Vec<(&str, &str)> = vec![("x", "pending"); 101];
    let cases = [
        (
            todos(&[("a", "in_progress"), ("b", "in_progress")]),
            "argument `todos`: 2 todos are in_progress; only one may be",
        ),
        (todos(&[("  ", "pending")]), "argument `todos`: todo 1 has no description"),
        (todos(&[(&long, "pending")]), "argument `todos`: the description of todo 1 has more than 500 characters"),
        (todos(&many), "argument `todos`: 101 are too many; 100 is the limit"),
        (json!({}), "missing argument `todos`"),
        (
            todos(&[("a", "done")]),
            "argument `todos[0].status`: unknown variant `done`, expected one of `pending`, `in_progress`, `completed`, \
             `cancelled`, `blocked`",
        ),
    ];
    for (args, message) in cases {
        assert_eq!(room.refusal("write_todos", args).await.message, message);
    }
}
