use super::{McpToolList, NOT_OFFERED, RUN_TASK, UnknownToolError};
use pollux_session::{ApprovalMode, BlobRef, BuiltInTool, ToolInfo};
use pollux_tools::{OutputSpool, OutputStore, Toolbox, ToolboxSettings};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::io;
use std::sync::Arc;

struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>> {
        Err(io::Error::other("nothing is kept"))
    }

    fn read(&self, _: &BlobRef) -> io::Result<Vec<u8>> {
        Err(io::Error::other("nothing is kept"))
    }
}

fn toolbox() -> Toolbox {
    Toolbox::new(ToolboxSettings::new(Arc::new(NoOutputStore)))
}

fn declared() -> Vec<ToolInfo> {
    let declared = toolbox().declarations(ApprovalMode::Default).into_iter();
    let info = |tool: pollux_tools::ToolSpec| ToolInfo {
        name: tool.name,
        description: tool.description,
        schema: Arc::unwrap_or_clone(tool.parameters),
    };
    declared.map(info).collect()
}

fn offer(tools: Option<&[&str]>, tasks: bool) -> Result<Vec<String>, UnknownToolError> {
    let tools: Option<Vec<String>> = tools.map(|tools| tools.iter().map(|&name| name.to_owned()).collect());
    let offer = McpToolList::new(declared(), tools.as_deref(), tasks)?;
    Ok(offer.tools().iter().map(|tool| tool.name.to_string()).collect())
}

#[test]
fn every_own_tool_is_offered_and_a_task() {
    let all = offer(None, true).unwrap();
    let declared = declared();
    let is_offered = |name: &&str| NOT_OFFERED.iter().all(|tool| tool.name() != *name);
    let expected = declared.iter().map(|tool| tool.name.as_str()).filter(is_offered);
    assert_eq!(all, expected.chain([RUN_TASK]).collect::<Vec<_>>());
}

#[test]
fn only_what_is_named_is_offered() {
    assert_eq!(offer(Some(&["read_file", " glob "]), false).unwrap(), ["glob", "read_file"]);
    assert_eq!(offer(Some(&[]), true).unwrap(), [RUN_TASK]);
    let wrong = offer(Some(&["read_fil"]), true).unwrap_err().to_string();
    assert!(wrong.starts_with(r#"--tools names "read_fil", which is no tool; there are apply_patch, "#), "{wrong}");
}

/// The hints are what the tools themselves say when they are asked what they would do.
#[tokio::test]
async fn hints_agree_with_the_tools() {
    let workspace = tempfile::tempdir().unwrap();
    std::fs::write(workspace.path().join("a.txt"), "one\n").unwrap();
    let session = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let samples = [
        ("apply_patch", json!({ "patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch" })),
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
        let preview = toolbox().preview(session, workspace.path(), tool, &args, &Default::default()).await;
        let preview = preview.unwrap_or_else(|outcome| panic!("{tool}: {outcome:?}"));
        assert_eq!(BuiltInTool::from_name(tool).map(BuiltInTool::kind), Some(preview.kind), "{tool}");
    }
}
