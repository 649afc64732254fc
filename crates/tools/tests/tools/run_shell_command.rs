//! `run_shell_command` with real processes.

use crate::tools::test_workspace::{RecordingCallContext, ToolTestWorkspace, call, done, failure, hex, success};
use pollux_session::{AskDetails, BlobRef, CallError, CallOutcome, CallResult, Grant, ToolKind};
use pollux_tools::{CallPreview, ShellLimits, ToolRunOutcome};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::time::Duration;
use tokio::task::JoinHandle;

fn command(text: &str) -> Value {
    json!({ "command": text })
}

async fn run(text: &str) -> CallResult {
    success(ToolTestWorkspace::new().run("run_shell_command", command(text)).await)
}

fn printed(text: &str, exit_code: i32) -> CallResult {
    CallResult { text: text.into(), exit_code: Some(exit_code), ..CallResult::default() }
}

#[tokio::test]
async fn output_and_exit_code_are_returned() {
    assert_eq!(run("echo hello").await, printed("hello\n", 0));
    assert_eq!(run("printf hello").await, printed("hello\n", 0));
    assert_eq!(run("true").await, printed("(no output)\n", 0));
    assert_eq!(run("echo no; exit 3").await, printed("no\nExit code: 3\n", 3));
    assert_eq!(run("cat").await, printed("(no output)\n", 0), "there is no input to wait for");
    assert_eq!(run("echo $(echo nested)").await, printed("nested\n", 0));
}

#[tokio::test]
async fn both_streams_are_merged_in_order() {
    let script = "for n in 1 2 3; do echo out $n; echo err $n >&2; done";
    assert_eq!(run(script).await, printed("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", 0));
}

#[tokio::test]
async fn a_command_may_begin_with_a_dash() {
    let result = run("-x").await;
    assert_eq!(result.exit_code, Some(127));
}

#[tokio::test]
async fn a_preview_shows_the_command_and_grants_only_it() {
    let room = ToolTestWorkspace::new();
    std::fs::create_dir(room.path("it's")).unwrap();
    let root = room.root().to_string_lossy().into_owned();
    assert_eq!(
        room.preview("run_shell_command", json!({ "command": "make", "description": "Builds." })).await,
        Ok(CallPreview {
            kind: ToolKind::Execute,
            details: AskDetails::Execute { command: "make".into(), directory: root.clone() },
            grant: Grant::Command { command: "make".into(), directory: None },
            summary: "make".into(),
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        })
    );
    let elsewhere = json!({ "command": "x".repeat(151), "description": "Builds.", "dir_path": "it's" });
    assert_eq!(
        room.preview("run_shell_command", elsewhere).await,
        Ok(CallPreview {
            kind: ToolKind::Execute,
            details: AskDetails::Execute { command: "x".repeat(151), directory: format!("{root}/it's") },
            grant: Grant::Command { command: format!(r"cd 'it'\''s' && {}", "x".repeat(151)), directory: None },
            summary: "Builds.".into(),
            protected: None,
            outside: None,
            secret: None,
            options: None,
            agent: None,
            trusted: false,
            misfit: None,
        })
    );
}

#[tokio::test]
async fn it_runs_in_the_directory_that_was_shown_or_not_at_all() {
    let room = ToolTestWorkspace::new();
    std::fs::create_dir(room.path("one")).unwrap();
    std::fs::create_dir(room.path("two")).unwrap();
    room.link("one", "way");
    let args = json!({ "command": "pwd; touch ran", "dir_path": "way" });
    let shown = room.preview_and_allow("run_shell_command", args, None).await;
    let result = success(done(room.run_call(&shown).await.0));
    assert_eq!(result, printed(&format!("{}\n", room.path("one").display()), 0));
    std::fs::remove_file(room.path("way")).unwrap();
    room.link("two", "way");
    assert_eq!(room.run_call(&shown).await, (ToolRunOutcome::Stale, vec![]));
    assert!(!room.path("two/ran").exists());
}

#[tokio::test]
async fn a_directory_that_is_none_is_refused() {
    let room = ToolTestWorkspace::new();
    room.put("a.txt", "");
    let at = |directory: &str| json!({ "command": "pwd", "dir_path": directory });
    assert_eq!(room.refusal("run_shell_command", at("gone")).await.kind, "file_not_found");
    assert_eq!(room.refusal("run_shell_command", at("a.txt")).await.kind, "path_is_not_a_directory");
}

#[tokio::test]
async fn nothing_of_our_environment_leaks() {
    // Test runners are started with many variables, of which these names are all that may be seen.
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")), "the test needs something to leak");
    let allowed = [
        // What bash sets by itself.
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        // What is given.
        "GEMINI_CLI",
        "GIT_EDITOR",
        "GIT_PAGER",
        "GIT_TERMINAL_PROMPT",
        "MANPAGER",
        "PAGER",
        "POLLUX",
        "PYTHONUNBUFFERED",
        "SYSTEMD_PAGER",
        "TERM",
        // What is inherited.
        "HOME",
        "LANG",
        "LANGUAGE",
        "LOGNAME",
        "PATH",
        "SHELL",
        "TMPDIR",
        "TZ",
        "USER",
    ];
    let text = run("env").await.text;
    let names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    for must in ["POLLUX", "GEMINI_CLI", "PATH", "PAGER"] {
        assert!(names.contains(&must), "{must} is missing in {names:?}");
    }
    for name in names {
        assert!(allowed.contains(&name) || name.starts_with("LC_"), "{name} leaks");
    }
}

#[tokio::test]
async fn a_signal_is_a_failure_with_the_output_so_far() {
    let outcome = ToolTestWorkspace::new().run("run_shell_command", command("echo before; kill -9 $$")).await;
    assert_eq!(
        outcome,
        CallOutcome::Failed {
            error: CallError {
                kind: "shell_execute_error".into(),
                message: "the command was ended by signal 9".into()
            },
            result: Some(CallResult { text: "before\n".into(), ..CallResult::default() }),
        }
    );
}

#[tokio::test]
async fn split_characters_and_bad_bytes_arrive_as_text() {
    // The euro sign in three writes, then a byte that is no UTF-8.
    let script = r"for b in '\342' '\202' '\254'; do printf $b; sleep 0.02; done; printf '\377'";
    let room = ToolTestWorkspace::new();
    let (ran, pieces) = room.run_call(&call("run_shell_command", command(script))).await;
    assert_eq!(success(done(ran)), printed("€\u{fffd}\n", 0));
    let text: String = pieces.into_iter().map(|(text, _)| text).collect();
    assert_eq!(text, "€\u{fffd}");
}

#[tokio::test]
async fn output_is_seen_while_the_command_runs() {
    let room = ToolTestWorkspace::new();
    let pipe = fifo(&room, "go");
    let (mut out, mut pieces) = RecordingCallContext::new();
    let script = call("run_shell_command", command("echo ready; read answer < go; echo $answer"));
    let root = room.root();
    let answer = async {
        assert_eq!(pieces.recv().await, Some(("ready\n".into(), 0)));
        tokio::fs::write(&pipe, "went\n").await.unwrap();
        pieces.recv().await
    };
    let (ran, last) = tokio::join!(room.toolbox.run(&root, &script, &mut out), answer);
    assert_eq!(last, Some(("went\n".into(), 0)));
    assert_eq!(success(done(ran)), printed("ready\nwent\n", 0));
}

#[tokio::test]
async fn a_silent_command_is_stopped() {
    let room = ToolTestWorkspace::with_limits(ShellLimits {
        inactivity: Duration::from_millis(300),
        ..ShellLimits::default()
    });
    let alive = watch(&room, "alive");
    let script = "exec 3>alive; echo before; sleep 1000 & wait";
    let outcome = room.run("run_shell_command", command(script)).await;
    assert_eq!(
        outcome,
        CallOutcome::Failed {
            error: CallError {
                kind: "shell_execute_error".into(),
                message: "the command printed nothing for 0.3 seconds and was stopped".into(),
            },
            result: Some(CallResult { text: "before\n".into(), ..CallResult::default() }),
        }
    );
    alive.await.unwrap();
}

#[tokio::test]
async fn a_command_that_prints_now_and_then_is_not() {
    let room =
        ToolTestWorkspace::with_limits(ShellLimits { inactivity: Duration::from_secs(2), ..ShellLimits::default() });
    let script = "for n in 1 2 3 4 5; do sleep 0.6; echo $n; done";
    assert_eq!(success(room.run("run_shell_command", command(script)).await), printed("1\n2\n3\n4\n5\n", 0));
}

#[tokio::test]
async fn an_endless_command_is_stopped() {
    let room = ToolTestWorkspace::with_limits(ShellLimits { output: 3_000_000, ..ShellLimits::default() });
    let error = failure(room.run("run_shell_command", command("yes")).await);
    assert_eq!(
        error.message,
        "the command printed more than 3000000 bytes and was stopped; send long output to a file"
    );
}

#[tokio::test]
async fn dropping_the_run_kills_the_whole_group() {
    let room = ToolTestWorkspace::new();
    // Everyone holds the pipe open, and nobody listens to SIGTERM.
    let alive = watch(&room, "alive");
    let script = "exec 3>alive; trap '' TERM; (sleep 1000) & sleep 1000 & echo ready; wait; wait";
    let script = call("run_shell_command", command(script));
    let (mut out, mut pieces) = RecordingCallContext::new();
    let root = room.root();
    tokio::select! {
        ran = room.toolbox.run(&root, &script, &mut out) => panic!("it ended by itself: {ran:?}"),
        piece = pieces.recv() => assert_eq!(piece, Some(("ready\n".into(), 0))),
    }
    alive.await.unwrap();
}

#[tokio::test]
async fn background_processes_end_with_the_command() {
    let room = ToolTestWorkspace::new();
    let alive = watch(&room, "alive");
    let result = success(room.run("run_shell_command", command("exec 3>alive; sleep 1000 & echo started")).await);
    let note = "[Background processes were stopped when the command ended.]";
    assert_eq!(result, printed(&format!("started\n{note}\n"), 0));
    alive.await.unwrap();
}

#[tokio::test]
async fn long_output_is_cut_for_the_log_and_the_model_and_kept_whole() {
    const LEN: usize = 20_000_000;
    const MIB: usize = 1024 * 1024;
    let room = ToolTestWorkspace::new();
    let script = format!("yes 0123456789abcde | head -c {LEN}; echo; echo the end");
    let (ran, pieces) = room.run_call(&call("run_shell_command", command(&script))).await;
    let shown = "0123456789abcde\n".repeat(LEN / 16) + "\nthe end\n";
    // The log and the blob have it as it was printed.
    let all = shown.clone();
    let result = success(done(ran));

    let whole = BlobRef { sha256: hex(&Sha256::digest(&all)), len: all.len() as u64, media: "text/plain".into() };
    assert_eq!(result.whole, Some(whole));
    let cut = shown.len() - 40_000;
    let text = format!(
        "{}\n[... {cut} characters left out ...]\n{}[The whole output ({} bytes, {} lines) is in the file `{}/call-1.txt`, \
         which read_file and grep_search can open.]\n",
        &shown[..8_000],
        &shown[shown.len() - 32_000..],
        shown.len(),
        shown.lines().count(),
        room.output_files().display(),
    );
    assert!(result.text == text, "the model's text has {} characters", result.text.len());

    // Every piece is where it says it is; the first mebibyte is complete, the end is there, the middle is thin.
    let (mut at, mut logged) = (0, 0);
    for (piece, skipped) in &pieces {
        let skipped = usize::try_from(*skipped).unwrap();
        // A line end on the edge of the first mebibyte stays whole.
        let is_head = at < MIB - 1;
        assert!(is_head && skipped == 0 || !is_head && piece.len() <= 16 * 1024, "a piece at {at}");
        at += skipped;
        assert!(all[at..].starts_with(piece.as_str()), "the piece at {at} is not what was printed there");
        at += piece.len();
        logged += piece.len();
    }
    assert_eq!(at, all.len());
    assert!(logged < 4 * MIB, "{logged} bytes were logged");
}

#[tokio::test]
async fn bytes_that_outgrow_the_log_as_text_are_kept_whole_too() {
    let script = r"head -c 1000000 /dev/zero | tr '\0' '\377'";
    let result = run(script).await;
    let digest = hex(&Sha256::digest(vec![0xff; 1_000_000]));
    assert_eq!(result.whole, Some(BlobRef { sha256: digest, len: 1_000_000, media: "text/plain".into() }));
}

/// A named pipe in the workspace.
fn fifo(room: &ToolTestWorkspace, name: &str) -> std::path::PathBuf {
    let path = room.path(name);
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    path
}

/// Ends when every process that has the named pipe open for writing is gone.
fn watch(room: &ToolTestWorkspace, name: &str) -> JoinHandle<()> {
    let path = fifo(room, name);
    tokio::task::spawn_blocking(move || {
        let mut pipe = std::fs::File::open(path).unwrap();
        assert_eq!(pipe.read(&mut [0]).unwrap(), 0);
    })
}
