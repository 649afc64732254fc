//! The supervisor of a call: whatever a command starts, and however it tries to get away, ends with its call.

use crate::tools::test_workspace::{RecordingCallContext, ToolTestWorkspace, call, failure, success};
use pollux_tools::{BackgroundProcesses, ShellStreams};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};
use std::io::Read;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Long enough for a slow machine, short enough to see that something does not end.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

fn command(text: &str) -> Value {
    json!({ "command": text })
}

/// Ends when every process that has the named pipe `alive` open for writing is gone.
fn watch(room: &ToolTestWorkspace) -> JoinHandle<()> {
    let path = room.path("alive");
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    tokio::task::spawn_blocking(move || {
        let mut pipe = std::fs::File::open(path).unwrap();
        assert_eq!(pipe.read(&mut [0]).unwrap(), 0);
    })
}

/// Run `script` to its end; whatever it left is gone then.
async fn run_and_watch(script: &str) -> String {
    let room = ToolTestWorkspace::new();
    let alive = watch(&room);
    let result = success(room.run("run_shell_command", command(&format!("exec 3>alive; {script}"))).await);
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
    result.text
}

const STOPPED: &str = "[Background processes were stopped when the command ended.]\n";

#[tokio::test]
async fn a_session_of_its_own_ends_with_the_call() {
    assert_eq!(run_and_watch("setsid sleep 1000 & echo started").await, format!("started\n{STOPPED}"));
}

#[tokio::test]
async fn a_daemon_ends_with_the_call() {
    // Forked twice, in a session of its own, with no stream of the command's and deaf to polite signals.
    let daemon = "(setsid bash -c \"trap '' TERM HUP INT; sleep 1000 & wait; wait\" </dev/null >/dev/null 2>&1 &)";
    assert_eq!(run_and_watch(&format!("{daemon}; echo started")).await, format!("started\n{STOPPED}"));
}

#[tokio::test]
async fn a_stopped_process_ends_with_the_call() {
    let script = "setsid sleep 1000 & kill -STOP $!; echo started";
    assert_eq!(run_and_watch(script).await, format!("started\n{STOPPED}"));
}

#[tokio::test]
async fn processes_that_fork_all_the_time_end_with_the_call() {
    // Each lives for a moment only: when its number is known, the next one has another.
    let script = "perl -e 'fork and exit while 1' & echo started";
    assert_eq!(run_and_watch(script).await, format!("started\n{STOPPED}"));
}

#[tokio::test]
async fn processes_that_fork_all_the_time_into_new_sessions_end_with_the_call() {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let has_groups = mounts.lines().any(|mount| mount.contains(" - cgroup2 ") && mount.contains(" rw"));
    if !has_groups || !rustix::process::getuid().is_root() {
        eprintln!("skipped: only a control group ends these, and this user may not make one");
        return;
    }
    let script = "perl -MPOSIX -e 'while (1) { exit if fork; setsid }' & echo started";
    assert_eq!(run_and_watch(script).await, format!("started\n{STOPPED}"));
}

/// The number of the error of the ioctl `request` on a command's own terminal, or 0.
async fn error_of_ioctl(request: u64) -> String {
    // The function `ioctl` of perl would cut the request to its low half.
    let call = format!("my $key = \"x\" x 8; print syscall({}, 1, {request}, $key) == 0 ? 0 : $! + 0", libc::SYS_ioctl);
    let ran = ToolTestWorkspace::new().run("run_shell_command", command(&format!("perl -e '{call}'"))).await;
    success(ran).text.trim_end().to_owned()
}

#[tokio::test]
async fn a_command_cannot_type_into_a_terminal() {
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: without the capability of root, the kernel itself decides about this");
        return;
    }
    let refused = libc::EPERM.to_string();
    // The terminal is the command's own, so nothing but the filter refuses this.
    for request in [libc::TIOCSTI, 0xdead_0000_0000 | libc::TIOCSTI, libc::TIOCLINUX] {
        assert_eq!(error_of_ioctl(request).await, refused, "{request:#x}");
    }
    assert_eq!(error_of_ioctl(libc::FIONREAD).await, "0");
}

#[tokio::test]
async fn a_command_may_gain_privileges() {
    let script = "grep NoNewPrivs /proc/self/status /proc/$$/status | cut -f2 | sort -u";
    let own = std::fs::read_to_string("/proc/self/status").unwrap();
    let own = own.lines().find_map(|line| line.strip_prefix("NoNewPrivs:\t")).unwrap().to_owned();
    assert_eq!(
        success(ToolTestWorkspace::new().run("run_shell_command", command(script)).await).text,
        format!("{own}\n")
    );
}

#[tokio::test]
async fn what_ended_by_itself_was_not_stopped() {
    // Its parent is gone, so only the supervisor can reap it; before that it can be signalled.
    let script = "(setsid sh -c 'echo $$ >pid' &); until [ -s pid ]; do :; done; \
                  while kill -0 $(cat pid) 2>/dev/null; do :; done; echo started";
    assert_eq!(run_and_watch(script).await, "started\n");
}

#[tokio::test]
async fn who_kills_the_supervisor_is_ended_by_pollux() {
    let room = ToolTestWorkspace::new();
    let alive = watch(&room);
    // `$PPID` is the supervisor. It has to have said that the command runs.
    let script =
        "exec 3>alive; (setsid bash -c 'sleep 1000 & wait' &); setsid sleep 1000 & sleep 1; kill -9 $PPID; sleep 1000";
    let error = failure(room.run("run_shell_command", command(script)).await);
    assert_eq!(error.message, "the command was ended by signal 9");
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
    assert_eq!(children_of_ours(), Vec::<String>::new());
}

#[tokio::test]
async fn who_stops_the_supervisor_is_ended_all_the_same() {
    // The end of a terminal would make it go on.
    let room = ToolTestWorkspace::with_settings(|settings| settings.shell_streams = ShellStreams::Pipes);
    let alive = watch(&room);
    let script = "exec 3>alive; kill -STOP $PPID; echo ready; sleep 1000";
    let script = call("run_shell_command", command(script));
    let (mut out, mut pieces) = RecordingCallContext::new();
    let root = room.root();
    tokio::select! {
        ran = room.toolbox.run(&root, &script, &mut out) => panic!("it ended by itself: {ran:?}"),
        piece = pieces.recv() => assert_eq!(piece, Some(("ready\n".into(), 0))),
    }
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
}

#[tokio::test]
async fn a_group_that_is_signalled_is_the_command_and_not_its_supervisor() {
    let room = ToolTestWorkspace::new();
    let alive = watch(&room);
    let script = "exec 3>alive; setsid sleep 1000 & kill -TERM 0; sleep 1000";
    let error = failure(room.run("run_shell_command", command(script)).await);
    assert_eq!(error.message, "the command was ended by signal 15");
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
}

#[tokio::test]
async fn the_number_of_a_background_process_is_that_of_its_group() {
    let room = ToolTestWorkspace::new();
    let alive = watch(&room);
    let args = json!({ "command": "exec 3>alive; sleep 1000 & wait", "is_background": true, "delay_ms": 0 });
    let text = success(room.run("run_shell_command", args).await).text;
    let pid = text.split("process ").nth(1).unwrap().split('.').next().unwrap().to_owned();
    let killed = success(room.run("run_shell_command", command(&format!("kill -- -{pid}"))).await);
    assert_eq!(killed.exit_code, Some(0), "{killed:?}");
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
    let args = json!({ "pid": pid.parse::<u32>().unwrap(), "delay_ms": 60_000 });
    let ended = success(room.run("read_background_output", args).await).text;
    assert!(ended.contains("): ended by signal 15."), "{ended}");
}

#[tokio::test]
async fn a_background_command_outlives_its_call_and_not_the_toolbox() {
    let room = ToolTestWorkspace::new();
    let alive = watch(&room);
    let script = "exec 3>alive; setsid sleep 1000 & echo ready; wait";
    let args = json!({ "command": script, "is_background": true, "delay_ms": 0 });
    let text = success(room.run("run_shell_command", args).await).text;
    let pid = text.split("process ").nth(1).unwrap().split('.').next().unwrap().to_owned();
    let found = success(room.run("run_shell_command", command(&format!("kill -0 -- -{pid} && echo there"))).await);
    assert_eq!(found.text, "there\n");
    let _files = room.close();
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
}

#[tokio::test]
async fn a_background_command_is_listed_and_stopped_for_its_own_session_only() {
    let room = ToolTestWorkspace::new();
    let alive = watch(&room);
    let script = "exec 3>alive; sleep 1000 & echo ready; wait";
    let args = json!({ "command": script, "is_background": true, "delay_ms": 0 });
    // The session that tests call in, and another one.
    let session = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let stranger = "00000000-0000-7000-8000-00000000dead".parse().unwrap();
    success(room.run("run_shell_command", args).await);
    let [running] = room.toolbox.background_commands(session).try_into().expect("one");
    assert_eq!(running.command, script);
    assert_eq!(room.toolbox.background_commands(stranger), []);
    assert_eq!(room.toolbox.stop_background_command(stranger, running.pid), None);
    assert_eq!(room.toolbox.stop_background_command(session, running.pid + 1), None);
    // A bash that is only starting may lose the signal between starting `sleep` and waiting for it.
    success(room.run("read_background_output", json!({ "pid": running.pid, "wait_for": "ready" })).await);
    assert_eq!(room.toolbox.stop_background_command(session, running.pid), Some(running.clone()));
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
    let args = json!({ "pid": running.pid, "delay_ms": 60_000 });
    let ended = success(room.run("read_background_output", args).await).text;
    assert!(ended.contains("): ended by signal 15."), "{ended}");
    assert_eq!(room.toolbox.background_commands(session), []);
    assert_eq!(room.toolbox.stop_background_command(session, running.pid), None);
}

#[tokio::test]
async fn a_background_command_goes_on_in_the_next_toolbox() {
    let background = BackgroundProcesses::default();
    let first = ToolTestWorkspace::with_settings(|settings| settings.background = background.clone());
    let alive = watch(&first);
    let args = json!({ "command": "exec 3>alive; echo ready; sleep 1000", "is_background": true, "delay_ms": 0 });
    success(first.run("run_shell_command", args).await);
    let second = ToolTestWorkspace::with_settings(|settings| settings.background = background);
    let _files = first.close();
    let listed = success(second.run("list_background_processes", json!({})).await).text;
    assert!(listed.contains("sleep 1000") && listed.contains("running"), "{listed}");
    let _files = second.close();
    timeout(TEST_TIMEOUT, alive).await.expect("something goes on").unwrap();
}

#[tokio::test]
async fn a_command_inherits_three_streams_and_nothing_else() {
    // The last one is the directory that `ls` itself reads.
    let text = success(ToolTestWorkspace::new().run("run_shell_command", command("ls /proc/self/fd")).await).text;
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[tokio::test]
async fn a_supervisor_has_no_environment_and_is_nobodys_to_read() {
    let look = "cat /proc/$PPID/environ 2>/dev/null | wc -c; stat -c %U /proc/$PPID/environ";
    let script = format!("{look}; tr '\\0' ' ' </proc/$PPID/cmdline");
    let text = success(ToolTestWorkspace::new().run("run_shell_command", command(&script)).await).text;
    assert_eq!(text, "0\nroot\npollux __supervise-call \n");
}

#[tokio::test]
async fn nobody_is_left_when_a_call_has_ended() {
    let room = ToolTestWorkspace::new();
    for script in ["true", "(setsid true &); (sleep 0.01 &); echo hello", "setsid sleep 1000 &"] {
        success(room.run("run_shell_command", command(script)).await);
    }
    // The end of a call waits for the end of all processes, and its supervisor is reaped before.
    assert_eq!(children_of_ours(), Vec::<String>::new());
}

/// The children of this test: their states and names.
fn children_of_ours() -> Vec<String> {
    let us = std::process::id().to_string();
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let ours = stats.filter(|stat| stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1) == Some(us.as_str()));
    ours.collect()
}

/// Whoever serves has to look through all of them.
#[tokio::test]
async fn a_command_cannot_have_descriptors_without_end() {
    let ran = ToolTestWorkspace::new().run("run_shell_command", command("ulimit -Sn; ulimit -Hn")).await;
    let limits = success(ran).text;
    assert!(limits.lines().all(|limit| limit.parse::<u64>().unwrap() <= 10_240), "{limits}");
}
