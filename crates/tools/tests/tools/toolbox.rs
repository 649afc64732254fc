//! Behaviour that every tool has in common.

use crate::tools::test_workspace::{RecordingCallContext, SESSION, ToolTestWorkspace, call, done, success};
use pollux_session::{ApprovalMode, AskDetails, BoxFuture, CallError, CallResult, CallState, McpToolVersion, ToolKind};
use pollux_tools::{CallPreview, Tool, ToolCallContext, ToolError, ToolRunOutcome, ToolSpec};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const KNOWN: [&str; 17] = [
    "apply_patch",
    "ask_user",
    "enter_plan_mode",
    "exit_plan_mode",
    "glob",
    "grep_search",
    "list_background_processes",
    "list_directory",
    "read_background_output",
    "read_file",
    "replace",
    "run_shell_command",
    "save_memory",
    "web_fetch",
    "write_background_input",
    "write_file",
    "write_todos",
];

#[test]
fn tools_are_declared_by_name_with_their_parameters() {
    let toolbox = ToolTestWorkspace::new().toolbox;
    assert_eq!(toolbox.names(), KNOWN);
    let declared: Vec<_> = toolbox
        .declarations(ApprovalMode::Plan)
        .into_iter()
        .chain(toolbox.declarations(ApprovalMode::Default).into_iter().filter(|tool| tool.name == "enter_plan_mode"))
        .map(|tool| {
            assert_eq!(tool.parameters["type"], "object", "{}", tool.name);
            let names = tool.parameters["properties"].as_object().map(|all| all.keys().cloned().collect::<Vec<_>>());
            (tool.name, names.unwrap_or_default().join(" "), tool.parameters["required"].clone())
        })
        .collect();
    let grep = "pattern dir_path include_pattern exclude_pattern names_only case_sensitive fixed_strings context before \
                after no_ignore max_matches_per_file total_max_matches";
    let expected = [
        ("apply_patch", "patch", json!(["patch"])),
        ("ask_user", "questions", json!(["questions"])),
        ("exit_plan_mode", "plan", json!(["plan"])),
        ("glob", "pattern dir_path case_sensitive respect_git_ignore respect_gemini_ignore", json!(["pattern"])),
        ("grep_search", grep, json!(["pattern"])),
        ("list_background_processes", "", json!(null)),
        ("list_directory", "dir_path ignore file_filtering_options", json!(null)),
        ("read_background_output", "pid lines delay_ms wait_for", json!(["pid"])),
        ("read_file", "file_path start_line end_line start_column line_numbers", json!(["file_path"])),
        (
            "replace",
            "file_path instruction old_string new_string allow_multiple",
            json!(["file_path", "old_string", "new_string"]),
        ),
        ("run_shell_command", "command description dir_path is_background takes_input delay_ms", json!(["command"])),
        ("save_memory", "fact", json!(["fact"])),
        ("web_fetch", "prompt url", json!(null)),
        ("write_background_input", "pid text close", json!(["pid"])),
        ("write_file", "file_path content", json!(["file_path", "content"])),
        ("write_todos", "todos", json!(["todos"])),
        ("enter_plan_mode", "reason", json!(null)),
    ];
    assert_eq!(declared, expected.map(|(name, names, required)| (name.to_owned(), names.to_owned(), required)));
}

#[test]
fn schemas_are_plain_all_the_way_down() {
    fn check(tool: &str, schema: &Value) {
        match schema {
            Value::Object(parts) => {
                assert!(!parts.contains_key("$ref") && !parts.contains_key("$defs"), "{tool} refers: {schema}");
                assert!(!parts.get("format").is_some_and(Value::is_string), "{tool} has a format: {schema}");
                assert!(!parts.get("type").is_some_and(Value::is_array), "{tool} has several types: {schema}");
                parts.values().for_each(|part| check(tool, part));
            }
            Value::Array(parts) => parts.iter().for_each(|part| check(tool, part)),
            _ => {}
        }
    }
    let toolbox = ToolTestWorkspace::new().toolbox;
    for tool in [ApprovalMode::Plan, ApprovalMode::Yolo].into_iter().flat_map(|mode| toolbox.declarations(mode)) {
        check(&tool.name, &tool.parameters);
    }
}

#[test]
fn plan_mode_is_entered_from_other_modes_and_left_from_itself() {
    let toolbox = ToolTestWorkspace::new().toolbox;
    for mode in [ApprovalMode::Default, ApprovalMode::AutoEdit, ApprovalMode::Plan, ApprovalMode::Yolo] {
        let names: Vec<String> = toolbox.declarations(mode).into_iter().map(|tool| tool.name).collect();
        assert_eq!(names.contains(&"exit_plan_mode".to_owned()), mode == ApprovalMode::Plan, "{mode:?}");
        assert_eq!(names.contains(&"enter_plan_mode".to_owned()), mode != ApprovalMode::Plan, "{mode:?}");
    }
}

#[tokio::test]
async fn an_unknown_tool_is_told_which_there_are() {
    let message = format!("there is no tool `fly`; the tools are {}", KNOWN.join(", "));
    assert_eq!(
        ToolTestWorkspace::new().refusal("fly", json!({})).await,
        CallError { kind: "tool_not_registered".into(), message }
    );
}

#[tokio::test]
async fn bad_arguments_are_named() {
    let room = ToolTestWorkspace::new();
    let cases = [
        ("read_file", json!({}), "missing argument `file_path`"),
        ("read_file", json!({ "file_path": "a\0b" }), "a path cannot contain a NUL character"),
        (
            "read_file",
            json!({ "file_path": "a", "start_line": 3, "end_line": 2 }),
            "argument `start_line`: 3 is after `end_line`, which is 2",
        ),
        ("write_file", json!({ "file_path": "a" }), "missing argument `content`; given: `file_path`"),
        (
            "replace",
            json!({ "file_path": "a", "old_string": "b" }),
            "missing argument `new_string`; given: `file_path`, `old_string`",
        ),
        (
            "list_directory",
            json!({ "dir_path": 1 }),
            "argument `dir_path`: invalid type: integer `1`, expected a string",
        ),
        ("run_shell_command", json!({ "command": "  " }), "argument `command`: it is empty"),
        ("run_shell_command", json!({ "command": "a\0b" }), "argument `command`: it cannot contain a NUL character"),
        ("glob", json!({ "pattern": " " }), "argument `pattern`: it is empty"),
        ("grep_search", json!({ "pattern": "" }), "argument `pattern`: it is empty"),
        (
            "grep_search",
            json!({ "pattern": "a", "context": -1 }),
            "argument `context`: it must be a whole number from 0",
        ),
        ("web_fetch", json!({}), "missing argument `prompt`"),
        (
            "read_file",
            json!({ "path": "a", "offset": 1 }),
            "unknown argument `path`; did you mean `file_path`? The arguments of read_file: file_path, start_line, end_line, \
             start_column, line_numbers",
        ),
        (
            "read_file",
            json!({ "file_path": "a", "start_line": "ten" }),
            "argument `start_line`: \"ten\" is given, and an integer is expected",
        ),
        ("exit_plan_mode", json!({ "plan": "\n" }), "argument `plan`: it is empty"),
    ];
    for (tool, args, message) in cases {
        let expected = CallError { kind: "invalid_tool_params".into(), message: message.into() };
        assert_eq!(room.refusal(tool, args).await, expected);
    }
}

#[tokio::test]
async fn a_missing_workspace_is_a_failure_of_the_call() {
    let room = ToolTestWorkspace::new();
    let gone = room.path("gone");
    let outcome = room
        .toolbox
        .preview(SESSION.parse().unwrap(), &gone, "list_directory", &json!({ "dir_path": "." }), &room.seen_files())
        .await
        .unwrap_err();
    let error = crate::tools::test_workspace::failure(outcome);
    assert_eq!(error.kind, "execution_failed");
    assert!(error.message.starts_with(&format!("the workspace {} cannot be used", gone.display())), "{error:?}");
}

/// A tool from elsewhere.
struct EchoTool(&'static str);

impl Tool for EchoTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec { name: self.0.into(), description: String::new(), parameters: json!({}).into() }
    }

    fn preview<'a>(&'a self, _: &'a Path, _: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        let details = AskDetails::Mcp { server: "s".into(), tool: "echo".into(), version: McpToolVersion::default() };
        Box::pin(async move { Ok(CallPreview::new(self.0, ToolKind::Fetch, "Echo", details)) })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        call: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        let text = call.args.to_string();
        Box::pin(async move { Ok(ToolRunOutcome::succeeded(CallResult { text, ..CallResult::default() })) })
    }
}

#[tokio::test]
async fn tools_made_elsewhere_join_and_do_not_replace() {
    let room = ToolTestWorkspace::new();
    let toolbox = room.toolbox.and(vec![Arc::new(EchoTool("mcp_s_echo")), Arc::new(EchoTool("read_file"))]);
    assert_eq!(toolbox.names().len(), room.toolbox.names().len() + 1);
    let (mut out, _pieces) = RecordingCallContext::new();
    let ran = toolbox.run(&room.root(), &call("mcp_s_echo", json!([1])), &mut out).await;
    assert_eq!(success(done(ran)).text, "[1]");
    room.put("a.txt", "text");
    let ran = toolbox.run(&room.root(), &call("read_file", json!({ "file_path": "a.txt" })), &mut out).await;
    assert_eq!(success(done(ran)).text, "text");
}

#[tokio::test]
async fn a_long_result_is_cut_once_and_counted_right() {
    let room = ToolTestWorkspace::with_settings(|settings| settings.output_chars = 1_000);
    room.put("long.txt", format!("needle {}\n", "x".repeat(200)).repeat(500));
    let result = success(room.run("grep_search", json!({ "pattern": "needle", "total_max_matches": 1_000 })).await);
    let whole = result.whole.expect("the whole is kept").len;
    assert!(whole > 100_000, "{whole}");
    let cut = format!("\n[... {} characters left out ...]\n", whole - 1_000);
    assert!(result.text.contains(&cut), "{}", result.text);
    assert!(result.text.ends_with("/call-1.txt`, which read_file and grep_search can open.]"), "{}", result.text);
    room.output_store.full.store(true, Ordering::Relaxed);
    let result = success(room.run("grep_search", json!({ "pattern": "needle", "total_max_matches": 1_000 })).await);
    assert!(result.text.ends_with("a page, a filter, a narrower question.]"), "{}", result.text);
}

#[tokio::test]
async fn an_unknown_argument_is_an_error_before_anything_is_done() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "one\n");
    let told = room.refusal("read_file", json!({ "file_path": "a.txt", "end_lines": 3 })).await;
    let message = "unknown argument `end_lines`; did you mean `end_line`? The arguments of read_file: file_path, \
                   start_line, end_line, start_column, line_numbers";
    assert_eq!(told.message, message);
    let write = json!({ "file_path": "b.txt", "content": "x", "contents": "y" });
    assert!(room.refusal("write_file", write).await.message.contains("did you mean `content`?"));
    assert!(!room.path("b.txt").exists());
    let remark = json!({ "file_path": "a.txt", "wait_for_previous": true, "end_line": "1" });
    assert_eq!(success(room.run("read_file", remark).await).text, "one\n");
}

#[test]
fn an_unknown_tool_is_told_which_the_mode_offers() {
    let toolbox = ToolTestWorkspace::new().toolbox;
    let told = |mode| crate::tools::test_workspace::failure(toolbox.unknown("fly", mode)).message;
    assert!(
        told(ApprovalMode::Plan).contains("exit_plan_mode") && !told(ApprovalMode::Default).contains("exit_plan_mode")
    );
}

/// Whoever leaves out a tool that writes one file has meant the files.
#[test]
fn a_patch_is_left_out_with_each_tool_for_one_file() {
    let toolbox = ToolTestWorkspace::new().toolbox;
    for (left_out, is_there) in [("replace", false), ("write_file", false), ("apply_patch", false), ("glob", true)] {
        assert_eq!(toolbox.without(&[left_out.to_owned()]).has("apply_patch"), is_there, "{left_out}");
    }
    assert!(toolbox.without(&["apply_patch".to_owned()]).has("replace"));
}
