use super::{McpToolList, NOT_OFFERED, RUN_TASK};
use crate::blob_storage::BlobStorage;
use crate::mcp_server::McpServerSettings;
use pollux_session::{ApprovalMode, BuiltInTool};
use pollux_store::BlobStore;
use pollux_tools::{Toolbox, ToolboxSettings};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::sync::Arc;

fn toolbox() -> Toolbox {
    Toolbox::new(ToolboxSettings::new(Arc::new(BlobStorage(BlobStore::ephemeral().unwrap()))))
}

fn offer(tools: Option<&[&str]>, tasks: bool) -> anyhow::Result<Vec<String>> {
    let tools = tools.map(|tools| tools.iter().map(|&name| name.to_owned()).collect());
    let settings = McpServerSettings { workspace: "/".into(), tools, tasks };
    let offer = McpToolList::new(&toolbox(), ApprovalMode::Default, &settings)?;
    Ok(offer.tools().iter().map(|tool| tool.name.to_string()).collect())
}

#[test]
fn every_own_tool_is_offered_and_a_task() {
    let all = offer(None, true).unwrap();
    let declared = toolbox().declarations(ApprovalMode::Default);
    let is_offered = |name: &&str| NOT_OFFERED.iter().all(|tool| tool.name() != *name);
    let expected = declared.iter().map(|tool| tool.name.as_str()).filter(is_offered);
    assert_eq!(all, expected.chain([RUN_TASK]).collect::<Vec<_>>());
}

#[test]
fn only_what_is_named_is_offered() {
    assert_eq!(offer(Some(&["read_file", " glob "]), false).unwrap(), ["glob", "read_file"]);
    assert_eq!(offer(Some(&[]), true).unwrap(), [RUN_TASK]);
    let wrong = offer(Some(&["read_fil"]), true).unwrap_err().to_string();
    assert!(wrong.starts_with(r#"--tools names "read_fil", which is no tool; there are ask_user, "#), "{wrong}");
}

/// The hints are what the tools themselves say when they are asked what they would do.
#[tokio::test]
async fn hints_agree_with_the_tools() {
    let workspace = tempfile::tempdir().unwrap();
    std::fs::write(workspace.path().join("a.txt"), "one\n").unwrap();
    let samples = [
        ("ask_user", json!({ "questions": [{ "question": "Why?", "header": "Why", "type": "text" }] })),
        ("glob", json!({ "pattern": "*" })),
        ("grep_search", json!({ "pattern": "one" })),
        ("list_directory", json!({ "dir_path": "." })),
        ("read_file", json!({ "file_path": "a.txt" })),
        ("replace", json!({ "file_path": "a.txt", "instruction": "x", "old_string": "one", "new_string": "two" })),
        ("run_shell_command", json!({ "command": "true" })),
        ("web_fetch", json!({ "prompt": "read https://example.com" })),
        ("write_file", json!({ "file_path": "b.txt", "content": "x" })),
        ("write_todos", json!({ "todos": [] })),
    ];
    for (tool, args) in samples {
        let preview = toolbox().preview(workspace.path(), tool, &args).await;
        let preview = preview.unwrap_or_else(|outcome| panic!("{tool}: {outcome:?}"));
        assert_eq!(BuiltInTool::from_name(tool).map(BuiltInTool::kind), Some(preview.kind), "{tool}");
    }
}
