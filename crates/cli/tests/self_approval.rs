//! A command that was approved cannot approve the next one: the endpoint refuses whatever the session started, on every
//! transport, with and without the token, while everybody else is served. With the real program.
#![cfg(target_os = "linux")]

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{ServerProcess, TIMEOUT, TestHome};
use pollux_testkit::{http, script};
use pretty_assertions::assert_eq;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");
const ATTACK: &str = include_str!("self_approval/attack.py");
const HIDDEN: &str = include_str!("self_approval/hidden.py");

/// The token in the file that tells local clients where the server is.
fn token(home: &TestHome) -> Result<String> {
    fn files(dir: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
        for entry in std::fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_dir() { files(&path, found)? } else { found.push(path) }
        }
        Ok(())
    }
    let mut found = Vec::new();
    files(&home.path("run"), &mut found)?;
    let records = found.iter().filter_map(|path| serde_json::from_slice::<Value>(&std::fs::read(path).ok()?).ok());
    let mut tokens = records.filter_map(|record| record["token"].as_str().map(str::to_owned));
    tokens.next().context("the server tells where it is")
}

/// A server whose model runs `attack.sh` once, without a question.
async fn serve(home: &TestHome, flags: &[&str]) -> Result<ServerProcess> {
    let lines = [
        script::call_answer("run_shell_command", &json!({"command": "sh attack.sh"})),
        script::repeat_forever(script::text_answer("done")),
    ];
    let model = script::write(&home.path("script.jsonl"), &lines)?;
    let server = home.serve(&[&["--yolo", "-m", &model], flags].concat()).await?;
    // Once it answers, it has told where it is.
    assert_eq!(http::get(&server.address, "/health").await?.status, 200);
    Ok(server)
}

fn port(server: &ServerProcess) -> Result<&str> {
    Ok(server.address.rsplit_once(':').context("an address has a port")?.1)
}

/// Opens a FIFO for writing as soon as somebody reads from it. A thread that waits in `open` could not be given up.
async fn open_once_read(fifo: &Path) -> Result<OwnedFd> {
    let mut tries = tokio::time::interval(Duration::from_millis(10));
    loop {
        tries.tick().await;
        match rustix::fs::open(fifo, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()) {
            Err(Errno::NXIO) => {}
            opened => return Ok(opened?),
        }
    }
}

/// Has the session run `python3 script arguments` and returns what it wrote, after `meanwhile`, which begins when the
/// script has tried everything and waits.
async fn run_attack(
    home: &TestHome,
    server: &ServerProcess,
    script: &str,
    arguments: &str,
    meanwhile: impl AsyncFnOnce() -> Result<()>,
) -> Result<String> {
    std::fs::write(home.workspace().join("attack.py"), script)?;
    std::fs::write(home.workspace().join("attack.sh"), format!("exec python3 attack.py {arguments}\n"))?;
    let hold = home.workspace().join("hold");
    rustix::fs::mkfifoat(rustix::fs::CWD, &hold, Mode::from_raw_mode(0o600))?;
    let address = server.address.clone();
    let turn = tokio::spawn(async move {
        let message = json!({"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "go"}]});
        http::rpc(&address, "message/send", &json!({ "message": message })).await
    });
    let held = timeout(TIMEOUT, open_once_read(&hold)).await.context("the command does not come to its end")??;
    meanwhile().await?;
    drop(held);
    let task = timeout(TIMEOUT, turn).await???;
    ensure!(task["error"].is_null(), "{task}");
    Ok(std::fs::read_to_string(home.workspace().join("result.txt"))?)
}

/// The statuses that this process gets, without and with the token.
async fn list_tasks(server: &ServerProcess, token: &str) -> Result<Vec<u16>> {
    let mut listed = Vec::new();
    for headers in [Vec::new(), vec![("Authorization", format!("Bearer {token}"))]] {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        listed.push(http::request(&server.address, "GET", "/tasks", &headers, b"").await?.status);
    }
    Ok(listed)
}

/// The output of `attack.py` when every attempt was refused.
fn all_refused() -> String {
    let mut expected = String::new();
    for who in ["child", "orphan"] {
        for with in ["no token", "token"] {
            // 7 is PERMISSION_DENIED.
            for (transport, status) in [("json-rpc", "403"), ("http", "403"), ("websocket", "403"), ("grpc", "7")] {
                expected.push_str(&format!("{who}, {with}, {transport}: {status}\n"));
            }
        }
    }
    expected
}

fn free_port() -> Result<String> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string())
}

#[tokio::test]
async fn what_the_session_started_cannot_use_its_endpoint() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let grpc_port = free_port()?;
    let server = serve(&home, &["--grpc-port", &grpc_port]).await?;
    let token = token(&home)?;
    let arguments = format!("{} {grpc_port} {token}", port(&server)?);
    let told = run_attack(&home, &server, ATTACK, &arguments, async || {
        assert_eq!(list_tasks(&server, &token).await?, [200, 200]);
        Ok(())
    });
    assert_eq!(told.await?, all_refused());
    Ok(())
}

#[tokio::test]
async fn what_another_session_started_cannot_use_it_either() -> Result<()> {
    let (home, other_home) = (TestHome::new(POLLUX)?, TestHome::new(POLLUX)?);
    let grpc_port = free_port()?;
    let server = serve(&home, &["--grpc-port", &grpc_port]).await?;
    let other = serve(&other_home, &[]).await?;
    let token = token(&home)?;
    let arguments = format!("{} {grpc_port} {token}", port(&server)?);
    let told = run_attack(&other_home, &other, ATTACK, &arguments, async || {
        assert_eq!(list_tasks(&server, &token).await?, [200, 200]);
        Ok(())
    });
    assert_eq!(told.await?, all_refused());
    Ok(())
}

/// Root may look into every process, unless it lacks this right, as it does in a container. Other users lack it always.
const WITHOUT_PTRACE: &str = "setpriv --inh-caps -sys_ptrace,-sys_admin --bounding-set -sys_ptrace,-sys_admin --";

/// Set for a test that runs once more, in a PID namespace of its own.
const IS_ALONE: &str = "POLLUX_TEST_IS_ALONE";

/// Runs the test `name` in a PID namespace of its own and returns true, unless it is in one already or this user may make none.
/// Where nobody may look into other processes, commands of any other Pollux of the machine would count.
#[expect(clippy::disallowed_methods, reason = "the test needs processes outside the session's tree")]
async fn ran_alone(name: &str) -> Result<bool> {
    let alone = |program: &Path| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--pid", "--fork", "--mount-proc", "--kill-child", "--"]).arg(program).env(IS_ALONE, "1");
        unshare
    };
    if std::env::var_os(IS_ALONE).is_some() || !alone(Path::new("true")).output().await?.status.success() {
        return Ok(false);
    }
    let test = alone(&std::env::current_exe()?).args(["--exact", name, "--nocapture"]).status().await?;
    ensure!(test.success(), "the test in a PID namespace of its own: {test}");
    Ok(true)
}

#[expect(clippy::disallowed_methods, reason = "the test needs processes outside the session's tree")]
#[tokio::test]
async fn what_hides_its_descriptors_or_becomes_another_user_is_refused() -> Result<()> {
    if ran_alone("self_approval::what_hides_its_descriptors_or_becomes_another_user_is_refused").await? {
        return Ok(());
    }
    let is_root = rustix::process::getuid().is_root();
    let prefix = if is_root { WITHOUT_PTRACE } else { "" };
    let place = tempfile::tempdir()?;
    let program = place.path().join("pollux");
    std::fs::write(&program, format!("#!/bin/sh\nexec {prefix} {POLLUX} \"$@\"\n"))?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700))?;
    let home = TestHome::new(&program.display().to_string())?;
    let server = serve(&home, &[]).await?;
    let token = token(&home)?;

    let url = format!("http://{}/tasks", server.address);
    let mut curl = Vec::from_iter(prefix.split_whitespace());
    curl.extend(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", &url]);
    let (first, rest) = curl.split_first().context("a program")?;
    let arguments = format!("{} {token} {}", port(&server)?, if is_root { "65534" } else { "-" });
    let told = run_attack(&home, &server, HIDDEN, &arguments, async || {
        // The command still runs and hides what it holds, but this connection is seen to be somebody else's.
        let served = Command::new(first).args(rest).output().await?;
        assert_eq!(String::from_utf8(served.stdout)?, "200");
        Ok(())
    });
    let told = told.await?;
    let expected = ["undumpable: 403\n", "another_user: 403\n"];
    assert_eq!(told, expected[..if is_root { 2 } else { 1 }].concat());
    Ok(())
}
