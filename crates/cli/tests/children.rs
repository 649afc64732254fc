//! The processes of calls and the death of the program that started them: with the real program, which has no hook of the
//! tests in it.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::http;
use pollux_testkit::program::{ServerProcess, TestHome, send_signal};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::json;
use std::fs::File;
use std::io::Read;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The time that the end of processes may take on a busy machine. It takes a quarter of a second on an idle one.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A server in which `command` runs. The command writes its own number, and the one of its parent, to the named pipe
/// `alive`, which it and all that it starts hold open.
struct RunningCommand {
    home: TestHome,
    flags: Vec<String>,
    server: ServerProcess,
    alive: File,
    supervisor: u32,
}

async fn run(command: &str) -> Result<RunningCommand> {
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let path = home.workspace().join("alive");
    mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR)?;
    let command = format!("exec 3>alive\n{command}\necho $PPID >&3\nsleep 1000");
    let lines =
        [script::call_answer("run_shell_command", &json!({ "command": command })), script::text_answer("Done.")];
    let model = script::write(&home.path("script.jsonl"), &lines)?;
    let flags = vec!["--yolo".to_owned(), "-m".to_owned(), model];
    let server = serve(&home, &flags).await?;
    let message = json!({"role": "user", "messageId": "1", "parts": [{"kind": "text", "text": "go"}]});
    let params = json!({"message": message, "configuration": {"blocking": false}});
    let sent = http::rpc(&server.address, "message/send", &params).await?;
    ensure!(sent["error"].is_null(), "{sent}");
    let started = on_own_thread(move || {
        let mut alive = File::open(path)?;
        let mut line = String::new();
        while !line.ends_with('\n') {
            let mut byte = [0];
            ensure!(alive.read(&mut byte)? == 1, "the command ended: {line}");
            line.push(char::from(byte[0]));
        }
        Ok((alive, line.trim().parse()?))
    });
    let (alive, supervisor) = started.await.context("the command does not start")?;
    Ok(RunningCommand { home, flags, server, alive, supervisor })
}

async fn serve(home: &TestHome, flags: &[String]) -> Result<ServerProcess> {
    home.serve(&flags.iter().map(String::as_str).collect::<Vec<_>>()).await
}

/// Wait for `work`, which may hang. Nobody waits for its thread then, not even the end of the test.
async fn on_own_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let (sender, done) = oneshot::channel();
    std::thread::spawn(move || sender.send(work()));
    timeout(TIMEOUT, done).await.context("it takes too long")??
}

/// Wait until nobody has the named pipe open.
async fn ended(mut alive: File) -> Result<()> {
    let read = on_own_thread(move || Ok(alive.read(&mut [0])?));
    assert_eq!(read.await.context("something goes on")?, 0);
    Ok(())
}

#[tokio::test]
async fn what_runs_ends_when_the_server_is_killed() -> Result<()> {
    let running = run("(setsid bash -c \"trap '' TERM HUP; sleep 1000 & wait; wait\" &); setsid sleep 1000 &").await?;
    running.server.kill().await?;
    ended(running.alive).await
}

#[tokio::test]
async fn what_runs_ends_when_the_server_stops() -> Result<()> {
    let running = run("setsid sleep 1000 &").await?;
    assert_eq!(running.server.stop().await?, Some(0));
    ended(running.alive).await
}

#[tokio::test]
async fn what_outlived_the_server_and_its_supervisor_ends_at_the_next_start() -> Result<()> {
    let running = run("trap '' TERM HUP; sleep 1000 &").await?;
    let records = running.home.path("state/pollux/supervisors");
    assert_eq!(std::fs::read_dir(&records)?.count(), 1);
    // A supervisor that is stopped sees nobody die.
    send_signal(running.supervisor, "STOP")?;
    running.server.kill().await?;
    send_signal(running.supervisor, "KILL")?;
    let RunningCommand { home, flags, mut alive, .. } = running;
    rustix::fs::fcntl_setfl(&alive, rustix::fs::OFlags::NONBLOCK)?;
    let nothing_yet = alive.read(&mut [0]).map_err(|error| error.kind());
    assert_eq!(nothing_yet, Err(std::io::ErrorKind::WouldBlock), "it goes on");
    rustix::fs::fcntl_setfl(&alive, rustix::fs::OFlags::empty())?;
    let server = serve(&home, &flags).await?;
    ended(alive).await?;
    assert_eq!(std::fs::read_dir(&records)?.count(), 0);
    server.kill().await
}

#[tokio::test]
async fn a_supervisor_that_was_stopped_ends_at_the_next_start() -> Result<()> {
    let running = run("(setsid sleep 1000 &)").await?;
    send_signal(running.supervisor, "STOP")?;
    running.server.kill().await?;
    let server = serve(&running.home, &running.flags).await?;
    ended(running.alive).await?;
    server.kill().await
}

#[tokio::test]
async fn a_record_of_another_process_ends_nobody() -> Result<()> {
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let model = script::write(&home.path("script.jsonl"), &[script::text_answer("Done.")])?;
    let mut stranger = home.command_of("sleep", &["1000"]).spawn()?;
    let pid = stranger.id().context("it runs")?;
    let records = home.path("state/pollux/supervisors");
    std::fs::create_dir_all(&records)?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    // The number is right and the start is not, and the other way round.
    let dead = json!({"pid": 1, "start": 1});
    for (name, boot, start) in [("a.json", boot.trim(), 1), ("b.json", "another boot", start_of(pid)?)] {
        let record = json!({"boot": boot, "owner": dead, "supervisor": {"pid": pid, "start": start}});
        std::fs::write(records.join(name), record.to_string())?;
    }
    std::fs::write(records.join("c.json"), "no record")?;
    let server = serve(&home, &["-m".into(), model]).await?;
    assert_eq!(stranger.try_wait()?, None);
    let left: Vec<_> = std::fs::read_dir(&records)?.flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["c.json"]);
    server.kill().await
}

/// When a process started, as `/proc` has it.
fn start_of(pid: u32) -> Result<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').context("a name")?;
    Ok(fields.split_whitespace().nth(19).context("a start")?.parse()?)
}
