//! A command that was approved cannot approve the next one: the endpoint refuses whatever the session started, on every
//! transport, with and without the token, while everybody else is served. With the real program.
#![cfg(target_os = "linux")]

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{Home, PATIENCE};
use pollux_testkit::{http, script};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");
const ATTACK: &str = include_str!("self_approval/attack.py");

/// The token in the file that tells local clients where the server is.
fn token(home: &Home) -> Result<String> {
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

#[tokio::test]
async fn what_the_session_started_cannot_use_its_endpoint() -> Result<()> {
    let home = Home::new(POLLUX)?;
    let grpc_port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
    let lines = [
        script::calls("run_shell_command", &json!({"command": "sh attack.sh"})),
        script::again_and_again(script::says("done")),
    ];
    let model = script::write(&home.path("script.jsonl"), &lines)?;
    let server = home.serve(&["--yolo", "--grpc-port", &grpc_port, "-m", &model]).await?;
    // Once it answers, it has told where it is.
    assert_eq!(http::get(&server.address, "/health").await?.status, 200);
    let token = token(&home)?;
    let (_, port) = server.address.rsplit_once(':').context("an address has a port")?;
    std::fs::write(home.workspace().join("attack.py"), ATTACK)?;
    std::fs::write(home.workspace().join("attack.sh"), format!("exec python3 attack.py {port} {grpc_port} {token}\n"))?;
    let hold = home.workspace().join("hold");
    rustix::fs::mkfifoat(rustix::fs::CWD, &hold, rustix::fs::Mode::from_raw_mode(0o600))?;

    let address = server.address.clone();
    let turn = tokio::spawn(async move {
        let message = json!({"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "go"}]});
        http::rpc(&address, "message/send", &json!({ "message": message })).await
    });
    // Opens when the command has tried everything and waits.
    let opening = tokio::task::spawn_blocking(move || std::fs::OpenOptions::new().write(true).open(hold));
    let held = timeout(PATIENCE, opening).await.context("the command does not come to its end")???;
    let mut listed = Vec::new();
    for headers in [Vec::new(), vec![("Authorization", format!("Bearer {token}"))]] {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        listed.push(http::request(&server.address, "GET", "/tasks", &headers, b"").await?.status);
    }
    assert_eq!(listed, [200, 200]);
    drop(held);
    let task = timeout(PATIENCE, turn).await???;
    ensure!(task["error"].is_null(), "{task}");

    let told = std::fs::read_to_string(home.workspace().join("result.txt"))?;
    let mut expected = String::new();
    for who in ["child", "orphan"] {
        for with in ["no token", "token"] {
            // 7 is PERMISSION_DENIED.
            for (transport, status) in [("json-rpc", "403"), ("http", "403"), ("websocket", "403"), ("grpc", "7")] {
                expected.push_str(&format!("{who}, {with}, {transport}: {status}\n"));
            }
        }
    }
    assert_eq!(told, expected);
    Ok(())
}
