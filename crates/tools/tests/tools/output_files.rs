//! Output that is too long for the model, as a file that its tools can open.

use crate::tools::test_workspace::{RecordingCallContext, ToolTestWorkspace, call, done, failure, success};
use pollux_session::{BoxFuture, CallId, CallResult, CallState, Seq, ToolKind};
use pollux_tools::{CallPreview, Tool, ToolCallContext, ToolError, ToolRunOutcome, ToolSpec};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The file that `text` names.
fn file_in(text: &str) -> String {
    let (_, rest) = text.split_once("is in the file `").unwrap_or_else(|| panic!("{text}"));
    rest.split('`').next().unwrap().to_owned()
}

async fn run_long(room: &ToolTestWorkspace, command: &str) -> String {
    success(room.run("run_shell_command", json!({ "command": command })).await).text
}

#[tokio::test]
async fn long_output_is_a_file_to_read_and_to_search() {
    let room = ToolTestWorkspace::new();
    let text = run_long(&room, "seq -f 'line %g' 20000").await;
    let file = file_in(&text);
    assert_eq!(Path::new(&file), room.output_files().join("call-1.txt"));
    assert!(text.contains("[The whole output (208894 bytes, 20000 lines) is in the file `"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 20000);

    let args = json!({ "file_path": file, "start_line": 9000, "end_line": 9001 });
    let read = success(room.run("read_file", args.clone()).await);
    assert!(read.text.contains("line 9000\nline 9001"), "{}", read.text);
    assert_eq!(read.seen, [], "no file that is ever replaced");
    let preview = room.preview("read_file", args).await.unwrap();
    assert_eq!((preview.kind, preview.secret), (ToolKind::Read, None));
    let found = success(room.run("grep_search", json!({ "pattern": "line 12345$", "dir_path": file })).await).text;
    assert!(found.contains("line 12345"), "{found}");
    let directory = Path::new(&file).parent().unwrap().to_str().unwrap().to_owned();
    let listed = success(room.run("list_directory", json!({ "dir_path": directory })).await).text;
    assert!(listed.contains("call-1.txt (208894 bytes)"), "{listed}");
}

#[tokio::test]
async fn what_a_terminal_would_show_is_in_the_file() {
    let room = ToolTestWorkspace::new();
    let text = run_long(&room, r"for n in $(seq 9000); do printf 'old\r\033[31mred %s\033[0m\n' $n; done").await;
    let kept = fs::read_to_string(file_in(&text)).unwrap();
    assert!(kept.starts_with("red 1\nred 2\n") && kept.ends_with("red 9000\n"), "{}", &kept[..40]);
    assert_eq!(kept.lines().count(), 9000);
}

#[tokio::test]
async fn short_output_makes_no_file() {
    let room = ToolTestWorkspace::new();
    run_long(&room, "seq 100").await;
    assert!(!room.output_files().exists());
}

#[tokio::test]
async fn output_that_cannot_be_kept_is_told_with_another_way() {
    let room = ToolTestWorkspace::new();
    room.output_store.full.store(true, std::sync::atomic::Ordering::Relaxed);
    let text = run_long(&room, "seq 20000").await;
    assert!(text.contains("run the command again with its output filtered"), "{text}");
}

#[tokio::test]
async fn files_of_another_session_are_out_of_reach() {
    let room = ToolTestWorkspace::new();
    let file = file_in(&run_long(&room, "seq 20000").await);
    for (tool, args) in [
        ("read_file", json!({ "file_path": file })),
        ("grep_search", json!({ "pattern": "1", "dir_path": file })),
        ("list_directory", json!({ "dir_path": Path::new(&file).parent().unwrap() })),
        ("glob", json!({ "pattern": "*", "dir_path": Path::new(&file).parent().unwrap() })),
    ] {
        let error = failure(room.run_elsewhere(tool, args).await);
        assert_eq!(error.kind, "path_not_in_workspace", "{tool}");
    }
}

#[tokio::test]
async fn the_files_are_for_looking_only_and_nothing_around_them_is_reached() {
    let room = ToolTestWorkspace::new();
    let file = file_in(&run_long(&room, "seq 20000").await);
    let directory = Path::new(&file).parent().unwrap();
    let written = room.refusal("write_file", json!({ "file_path": file, "content": "x" })).await;
    assert_eq!(written.kind, "path_not_in_workspace");
    let above = room.root().parent().unwrap().join("blobs/log.db");
    fs::write(&above, "x").unwrap();
    std::os::unix::fs::symlink(&above, directory.join("way")).unwrap();
    for path in
        [above.clone(), directory.join("../../log.db"), directory.join("way"), directory.parent().unwrap().into()]
    {
        let error = room.refusal("read_file", json!({ "file_path": path })).await;
        assert_eq!(error.kind, "path_not_in_workspace", "{}", path.display());
    }
}

#[tokio::test]
async fn a_file_that_is_gone_says_so() {
    let room = ToolTestWorkspace::new();
    let file = file_in(&run_long(&room, "seq 20000").await);
    fs::remove_file(&file).unwrap();
    for (tool, args) in
        [("read_file", json!({ "file_path": file })), ("grep_search", json!({ "dir_path": file, "pattern": "1" }))]
    {
        let error = room.refusal(tool, args).await;
        assert!(
            error.message.contains("is not there") && error.message.contains("run the command again"),
            "{}",
            error.message
        );
        fs::remove_dir_all(Path::new(&file).parent().unwrap()).ok();
    }
}

#[tokio::test]
async fn output_of_a_background_command_is_a_file_while_it_runs() {
    let room = ToolTestWorkspace::new();
    let args = json!({ "command": "seq 500; sleep 1000", "is_background": true, "delay_ms": 0 });
    let text = success(room.run("run_shell_command", args).await).text;
    let file = text.split("goes to the file `").nth(1).and_then(|rest| rest.split('`').next()).unwrap().to_owned();
    let pid: u32 = text.split("as process ").nth(1).unwrap().split('.').next().unwrap().parse().unwrap();
    success(room.run("read_background_output", json!({ "pid": pid, "wait_for": "^500$" })).await);
    let found = success(room.run("grep_search", json!({ "pattern": "^499$", "dir_path": file })).await).text;
    assert!(found.starts_with("1 match"), "{found}");
}

/// A tool of somebody else's that says much.
struct LongWinded;

impl Tool for LongWinded {
    fn declaration(&self) -> ToolSpec {
        ToolSpec { name: "mcp_server_long".into(), description: String::new(), parameters: Arc::new(json!({})) }
    }

    fn preview<'a>(&'a self, _: &'a Path, _: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async { Err(ToolError::failed("x", "x")) })
    }

    fn run<'a>(
        &'a self,
        _: &'a Path,
        _: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async {
            let text = (0..20000).map(|number| format!("row {number}\n")).collect();
            Ok(ToolRunOutcome::succeeded(CallResult { text, ..CallResult::default() }))
        })
    }
}

#[tokio::test]
async fn the_long_text_of_any_tool_is_a_file() {
    let room = ToolTestWorkspace::new();
    let toolbox = room.toolbox.and(vec![Arc::new(LongWinded)]);
    let (mut out, _pieces) = RecordingCallContext::new();
    let call = CallState { id: CallId(Seq(9)), ..call("mcp_server_long", json!({})) };
    let text = success(done(toolbox.run(&room.root(), &call, &mut out).await)).text;
    let file = file_in(&text);
    assert!(file.ends_with("/call-9.txt"), "{file}");
    let found = success(room.run("grep_search", json!({ "pattern": "row 12345", "dir_path": file })).await).text;
    assert!(found.contains("row 12345"), "{found}");
}
