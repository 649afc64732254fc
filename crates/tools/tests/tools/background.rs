//! Commands in the background: they go on, are seen by their own session only, and end with the toolbox.

use crate::tools::test_workspace::{ToolTestWorkspace, done, failure, success};
use pollux_session::{AskDetails, ResultDisplay, ToolKind};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use std::io::Read;

/// Start a command in the background and return its number and what the model was told.
async fn start(room: &ToolTestWorkspace, command: &str) -> (u32, String) {
    let args = json!({ "command": command, "is_background": true, "delay_ms": 60_000 });
    start_with(room, args).await
}

async fn start_with(room: &ToolTestWorkspace, args: Value) -> (u32, String) {
    let text = success(room.run("run_shell_command", args).await).text;
    let pid = text.split("process ").nth(1).and_then(|rest| rest.split('.').next()).and_then(|pid| pid.parse().ok());
    (pid.unwrap_or(0), text)
}

#[tokio::test]
async fn a_command_that_ends_at_once_says_how() {
    let room = ToolTestWorkspace::new();
    let (_, text) = start(&room, "echo one; echo two >&2; exit 3").await;
    assert_eq!(text, "The command has ended already: ended with exit code 3. Its output so far:\none\ntwo\n");
    let list = success(room.run("list_background_processes", json!({})).await).text;
    assert!(list.starts_with("- [PID "), "{list}");
    assert!(list.ends_with("] ended with exit code 3: `echo one; echo two >&2; exit 3`"), "{list}");
}

/// The screen draws ✗ for an exit code, and the text as it is.
#[tokio::test]
async fn people_see_what_the_model_is_told() {
    let room = ToolTestWorkspace::new();
    let args = |command: &str| json!({ "command": command, "is_background": true, "delay_ms": 60_000 });
    let shown = |text: &str| Some(ResultDisplay::Text { text: text.to_owned() });
    let failed = success(room.run("run_shell_command", args("echo no such port; exit 2")).await);
    assert_eq!((failed.exit_code, failed.display), (Some(2), shown("no such port")));
    let killed = success(room.run("run_shell_command", args("kill -9 $$")).await);
    assert_eq!((killed.exit_code, killed.display), (None, shown("ended by signal 9")));
    let args = json!({ "command": "sleep 1000", "is_background": true, "delay_ms": 0 });
    let running = success(room.run("run_shell_command", args).await);
    let pid = running.text.split("process ").nth(1).and_then(|rest| rest.split('.').next()).unwrap();
    assert_eq!((running.exit_code, running.display), (None, shown(&format!("runs on as process {pid}"))));
}

#[tokio::test]
async fn a_command_goes_on_and_is_followed_up() {
    let room = ToolTestWorkspace::new();
    mkfifoat(CWD, room.path("go"), Mode::RUSR | Mode::WUSR).unwrap();
    let args = json!({ "command": "read line < go; echo got $line", "is_background": true, "delay_ms": 0 });
    let (pid, text) = start_with(&room, args).await;
    let head = format!("The command runs in the background as process {pid}.");
    assert!(text.starts_with(&head) && text.ends_with("Its output so far:\n(no output)\n"), "{text}");
    let running = success(room.run("read_background_output", json!({ "pid": pid })).await).text;
    assert_eq!(running, format!("Process {pid} (`read line < go; echo got $line`): running. It has printed nothing."));

    std::fs::write(room.path("go"), "word\n").unwrap();
    let args = json!({ "pid": pid, "delay_ms": 60_000.0 });
    let ended = success(room.run("read_background_output", args).await).text;
    let head = format!("Process {pid} (`read line < go; echo got $line`): ended with exit code 0.");
    assert_eq!(ended, format!("{head} It has printed:\ngot word\n"));
}

#[tokio::test]
async fn a_line_of_a_command_can_be_waited_for() {
    let room = ToolTestWorkspace::new();
    for fifo in ["go", "end"] {
        mkfifoat(CWD, room.path(fifo), Mode::RUSR | Mode::WUSR).unwrap();
    }
    let command = "echo starting; read line < go; printf 'ready on 80? '; read line < end; exit 3";
    let (pid, _) = start_with(&room, json!({ "command": command, "is_background": true, "delay_ms": 0 })).await;
    let wait = |line: &str| room.run("read_background_output", json!({ "pid": pid, "wait_for": line }));
    let text = success(wait("^start").await).text;
    assert!(text.ends_with("running. It has printed:\nstarting\n"), "{text}");

    // A line that has no end yet counts, too.
    let go = async { std::fs::write(room.path("go"), "word\n").unwrap() };
    let (waited, ()) = tokio::join!(wait(r"ready on \d+"), go);
    let text = success(waited).text;
    assert!(text.contains("running") && text.ends_with("ready on 80? "), "{text}");

    // The command's end ends the wait.
    let end = async { std::fs::write(room.path("end"), "word\n").unwrap() };
    let (waited, ()) = tokio::join!(wait("never printed"), end);
    assert!(success(waited).text.contains("ended with exit code 3"));
    let bad = room.refusal("read_background_output", json!({ "pid": pid, "wait_for": "(" })).await;
    assert!(bad.message.starts_with("argument `wait_for`: regex parse error"), "{}", bad.message);
}

#[tokio::test]
async fn only_the_last_lines_are_read() {
    let room = ToolTestWorkspace::new();
    start(&room, "seq 200").await;
    let list = success(room.run("list_background_processes", json!({})).await).text;
    let pid: u32 = list.trim_start_matches("- [PID ").split(']').next().unwrap().parse().unwrap();
    let text = success(room.run("read_background_output", json!({ "pid": pid, "lines": 2 })).await).text;
    assert!(text.ends_with("The last it has printed (ask for more lines to see more):\n199\n200\n"), "{text}");
    let all = success(room.run("read_background_output", json!({ "pid": pid, "lines": 500 })).await).text;
    assert!(all.contains("It has printed:\n1\n2\n"), "{all}");
    let logs: Vec<_> = std::fs::read_dir(room.output_files()).unwrap().collect();
    assert_eq!(logs.len(), 1, "the log is kept");
}

#[tokio::test]
async fn another_session_sees_nothing_of_it() {
    let room = ToolTestWorkspace::new();
    let args = json!({ "command": "sleep 1000", "is_background": true, "delay_ms": 0 });
    let (pid, _) = start_with(&room, args).await;
    let list = success(room.run_elsewhere("list_background_processes", json!({})).await).text;
    assert_eq!(list, "Nothing runs in the background.");
    let error = failure(room.run_elsewhere("read_background_output", json!({ "pid": pid })).await);
    assert_eq!(error.message, format!("argument `pid`: no command of this session runs as process {pid}"));
    let ours = failure(room.run("read_background_output", json!({ "pid": 1 })).await);
    assert_eq!(ours.kind, "invalid_tool_params");
}

#[tokio::test]
async fn processes_end_with_the_toolbox() {
    let room = ToolTestWorkspace::new();
    mkfifoat(CWD, room.path("alive"), Mode::RUSR | Mode::WUSR).unwrap();
    let path = room.path("alive");
    let gone = tokio::task::spawn_blocking(move || {
        let mut pipe = std::fs::File::open(path).unwrap();
        // The first byte says that it runs, the end of the file that nobody does any more.
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let command = "exec 3>alive; trap '' TERM; (sleep 1000) & echo x >&3; wait; wait";
    let args = json!({ "command": command, "is_background": true, "delay_ms": 200 });
    start_with(&room, args).await;
    let _files = room.close();
    assert_eq!(gone.await.unwrap(), b"x\n");
}

#[tokio::test]
async fn there_is_a_limit_for_each_session() {
    let room = ToolTestWorkspace::new();
    let args = json!({ "command": "sleep 1000", "is_background": true, "delay_ms": 0 });
    for _ in 0..16 {
        success(room.run("run_shell_command", args.clone()).await);
    }
    let error = failure(room.run("run_shell_command", args.clone()).await);
    let message = "16 processes run in the background already; end one with `kill -- -PID`";
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("shell_execute_error", message));
    success(room.run_elsewhere("run_shell_command", args).await);
}

#[tokio::test]
async fn a_background_command_says_so_before_it_runs() {
    let room = ToolTestWorkspace::new();
    let args = json!({ "command": "npm start", "is_background": true });
    assert_eq!(room.preview("run_shell_command", args).await.unwrap().summary, "npm start (in the background)");
}

#[tokio::test]
async fn input_is_sent_as_it_was_shown() {
    let room = ToolTestWorkspace::new();
    let command = "read -r one; echo \"got $one\"; cat; echo over";
    let (pid, _) = start_with(&room, json!({ "command": command, "is_background": true, "takes_input": true })).await;
    let args = json!({ "pid": pid, "text": "first\tline\n" });
    let preview = room.preview("write_background_input", args.clone()).await.unwrap();
    let shown = format!("Send to process {pid} (`{command}`):\nfirst\\tline\n");
    assert_eq!((preview.kind, &preview.details), (ToolKind::Execute, &AskDetails::generic(shown)));
    assert_eq!(preview.options.map(|options| options.len()), Some(2), "once or not");
    let call = room.preview_and_allow("write_background_input", args, None).await;
    assert_eq!(success(done(room.run_call(&call).await.0)).text, format!("11 bytes were sent to process {pid}."));
    let wait = json!({ "pid": pid, "wait_for": "got first\tline" });
    success(room.run("read_background_output", wait).await);
    let last = json!({ "pid": pid, "text": "rest\n", "close": true });
    success(room.run("write_background_input", last).await);
    let ended = success(room.run("read_background_output", json!({ "pid": pid, "delay_ms": 60_000 })).await).text;
    assert!(ended.ends_with("got first\tline\nrest\nover\n"), "{ended}");
    let late = room.refusal("write_background_input", json!({ "pid": pid, "text": "x" })).await;
    assert!(late.message.contains("it has ended with exit code 0"), "{}", late.message);
}

#[tokio::test]
async fn input_needs_a_command_that_takes_it() {
    let room = ToolTestWorkspace::new();
    let (pid, _) = start_with(&room, json!({ "command": "sleep 1000", "is_background": true, "delay_ms": 0 })).await;
    let args = json!({ "pid": pid, "text": "x" });
    let error = failure(room.run("write_background_input", args.clone()).await);
    assert!(error.message.contains("has no input"), "{}", error.message);
    let error = failure(room.run_elsewhere("write_background_input", args.clone()).await);
    assert!(error.message.contains("no command of this session"), "{}", error.message);
    let stranger = "00000000-0000-7000-8000-0000000000ff".parse().unwrap();
    let (root, seen) = (room.root(), room.seen_files());
    let preview = room.toolbox.preview(stranger, &root, "write_background_input", &args, &seen).await;
    assert!(failure(preview.unwrap_err()).message.contains("no command of this session"));
    for (args, why) in [
        (json!({ "pid": pid }), "it is empty"),
        (json!({ "pid": pid, "text": "x".repeat(20_000) }), "more than the 16384"),
    ] {
        let error = room.refusal("write_background_input", args).await;
        assert!(error.message.contains(why), "{}", error.message);
    }
    let foreground = failure(room.run("run_shell_command", json!({ "command": "cat", "takes_input": true })).await);
    assert!(foreground.message.contains("set is_background"), "{}", foreground.message);
}

#[tokio::test]
async fn what_has_just_ended_is_listed_as_ended() {
    let room = ToolTestWorkspace::new();
    let (pid, _) = start_with(&room, json!({ "command": "sleep 1000", "is_background": true, "delay_ms": 0 })).await;
    let end = format!("kill -- -{pid}; while kill -0 -- -{pid} 2>/dev/null; do :; done");
    success(room.run("run_shell_command", json!({ "command": end })).await);
    let list = success(room.run("list_background_processes", json!({})).await).text;
    assert!(list.contains("ended by signal 15"), "{list}");
}
