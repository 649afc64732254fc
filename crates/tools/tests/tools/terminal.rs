//! `run_shell_command` in its terminal: what programs draw there, what the log has of it, and what the model is told.

use crate::tools::test_workspace::{RecordingCallContext, ToolTestWorkspace, call, done, failure, success};
use pollux_session::{CallResult, plain};
use pollux_tools::{ShellLimits, ShellStreams};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use std::time::Duration;

fn command(text: &str) -> Value {
    json!({ "command": text })
}

/// The result of a command, and what it printed as the log has it.
async fn run(text: &str) -> (CallResult, String) {
    let (ran, pieces) = ToolTestWorkspace::new().run_call(&call("run_shell_command", command(text))).await;
    (success(done(ran)), pieces.into_iter().map(|(piece, _)| piece).collect())
}

async fn text_for_model(text: &str) -> String {
    run(text).await.0.text
}

#[tokio::test]
async fn a_command_has_a_terminal_of_a_known_size_and_no_input() {
    assert_eq!(text_for_model("test -t 1 && test -t 2 && ! test -t 0 && echo yes").await, "yes\n");
    assert_eq!(text_for_model("stty size < /dev/tty; echo $TERM $PAGER").await, "40 120\nxterm-256color cat\n");
    // Whoever asks the terminal itself is told at once that nobody answers.
    assert_eq!(text_for_model("read -p 'Password: ' answer < /dev/tty || echo nobody").await, "Password: nobody\n");
    assert_eq!(text_for_model("read -s answer < /dev/tty; cat /dev/tty; echo over").await, "over\n");
}

#[tokio::test]
async fn pipes_are_there_for_those_who_want_them() {
    let room = ToolTestWorkspace::with_settings(|settings| settings.shell_streams = ShellStreams::Pipes);
    let run = command("test -t 1 || echo $TERM; printf '1%%\\r2%%\\n'");
    let (ran, pieces) = room.run_call(&call("run_shell_command", run)).await;
    assert_eq!(success(done(ran)).text, "dumb\n2%\n");
    let log: String = pieces.into_iter().map(|(piece, _)| piece).collect();
    assert_eq!(log, "dumb\n1%\r2%\n");
}

#[tokio::test]
async fn colours_are_in_the_log_and_not_in_the_result() {
    let script = "printf '\\033[1;31mred\\033[0m \\033[38;5;208morange\\033[m\\n'; mkdir -p d; ls --color=always";
    let (result, log) = run(script).await;
    assert_eq!(result.text, "red orange\nd\n");
    assert!(log.starts_with("\x1b[1;31mred\x1b[0m \x1b[38;5;208morange\x1b[m\n"), "{log:?}");
    assert_eq!(plain(&log), "red orange\nd\n");
}

#[tokio::test]
async fn a_progress_bar_is_its_last_state() {
    let script = "for n in 10 50 100; do printf '\\rfetching %3d%%' $n; done; printf '\\ndone\\n'";
    let (result, log) = run(script).await;
    assert_eq!(result.text, "fetching 100%\ndone\n");
    assert_eq!(log, "\rfetching  10%\rfetching  50%\rfetching 100%\ndone\n");
    let script = "printf 'a: wait\\nb: wait\\n'; printf '\\033[2A\\033[Ka: ok\\n\\033[Kb: ok\\n'";
    assert_eq!(text_for_model(script).await, "a: ok\nb: ok\n");
}

#[tokio::test]
async fn a_full_screen_program_leaves_no_mess() {
    let script = "echo before; printf '\\033[?1049h\\033[2J\\033[10;10Hmenu\\033[?1049l'; echo after";
    assert_eq!(text_for_model(script).await, "before\nafter\n");
}

#[tokio::test]
async fn letters_of_every_kind_and_long_lines_arrive_whole() {
    let wide = "日本語 🎉 é ".repeat(60);
    assert_eq!(text_for_model(&format!("printf '\\rx\\r'; echo '{wide}'")).await, format!("{}\n", wide.trim_end()));
    assert_eq!(text_for_model(&format!("echo '{wide}'")).await, format!("{wide}\n"));
}

#[tokio::test]
async fn a_piece_never_ends_inside_a_sequence() {
    let room = ToolTestWorkspace::new();
    mkfifoat(CWD, room.path("go"), Mode::RUSR | Mode::WUSR).unwrap();
    let script = "printf 'a\\033[3'; read x < go; printf '1mred'";
    let (mut out, mut pieces) = RecordingCallContext::new();
    let (script, root) = (call("run_shell_command", command(script)), room.root());
    let go = async {
        assert_eq!(pieces.recv().await, Some(("a".into(), 0)));
        tokio::fs::write(room.path("go"), "\n").await.unwrap();
        pieces.recv().await
    };
    let (_, last) = tokio::join!(room.toolbox.run(&root, &script, &mut out), go);
    assert_eq!(last, Some(("\x1b[31mred".into(), 0)));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_not_told() {
    let (result, _) = run("head -c 100000 /dev/urandom").await;
    let note = "bytes of output are not text; send them to a file, or through a tool like xxd.]\n";
    assert!(result.text.starts_with("[10") && result.text.ends_with(note), "{}", result.text);
    assert_eq!(result.exit_code, Some(0));
}

#[tokio::test]
async fn who_waits_for_a_key_is_stopped_in_the_end() {
    let limits = ShellLimits { inactivity: Duration::from_millis(300), ..ShellLimits::default() };
    let room = ToolTestWorkspace::with_limits(limits);
    // What editors and pagers do: wait for one letter, however long it takes.
    let script = "stty -icanon min 1 < /dev/tty; dd bs=1 count=1 < /dev/tty 2> /dev/null";
    let error = failure(room.run("run_shell_command", command(script)).await);
    assert_eq!(error.message, "the command printed nothing for 0.3 seconds and was stopped");
}

#[tokio::test]
async fn a_person_may_say_how_much_is_told() {
    let room = ToolTestWorkspace::with_settings(|settings| settings.output_chars = 100);
    let result = success(room.run("run_shell_command", command("seq 1000")).await);
    assert!(result.text.starts_with("1\n2\n3\n") && result.text.contains("characters left out"), "{}", result.text);
    assert!(result.text.contains("\n1000\n"), "{}", result.text);
    assert!(result.text.chars().count() < 400, "{}", result.text);
}
