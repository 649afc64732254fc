use super::*;
use pollux_session::{CallId, CallPhase, Seq, TaskId, ToolKind, UnixMillis, WorkspaceCheckpoint};
use pretty_assertions::assert_eq;
use serde_json::json;

fn call(tool: &str, args: Value) -> CallState {
    CallState {
        id: CallId(Seq(7)),
        task: TaskId(uuid::Uuid::nil()),
        parent: None,
        place: CallId(Seq(7)),
        tool: tool.into(),
        args,
        kind: ToolKind::Edit,
        ask: None,
        chosen: None,
        edit: None,
        plan: None,
        phase: CallPhase::Ready,
        response: None,
    }
}

#[test]
fn the_name_says_when_which_file_and_which_tool() {
    let at = "2026-11-15T07:32:39.66Z".parse().unwrap();
    let name = |tool, args| format_name(at, &call(tool, args));
    let written = name("write_file", json!({"file_path": "src/hello.txt"}));
    assert_eq!(written, "2026-11-15T07-32-39_660Z-hello.txt-write_file");
    assert_eq!(name("run_shell_command", json!({"command": "ls"})), "2026-11-15T07-32-39_660Z-run_shell_command");
    let odd = name("replace", json!({"file_path": "a b\n/c d;é\u{1b}.txt"}));
    assert_eq!(odd, "2026-11-15T07-32-39_660Z-c_d_é_.txt-replace");
}

#[test]
fn two_checkpoints_never_have_one_name() {
    let kept = |name: &str| SavedCheckpoint {
        checkpoint: WorkspaceCheckpoint {
            call: CallId(Seq(3)),
            name: name.into(),
            saved: Ok(String::new()),
            file: None,
            files: vec![],
        },
        call_title: String::new(),
        call_result: String::new(),
        at: UnixMillis(0),
        before_step: Seq(1),
        ended: None,
    };
    let known = VecDeque::from([kept("a"), kept("a-2")]);
    assert_eq!(unique("a", &known), "a-3");
    assert_eq!(unique("b", &known), "b");
}
