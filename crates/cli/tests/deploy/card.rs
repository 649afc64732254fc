//! Where the card says that gRPC is, and what that costs.

use crate::deploy::home;
use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pollux_testkit::program::TIMEOUT;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::time::timeout;

async fn grpc_targets(args: &[&str]) -> Result<Vec<Value>> {
    let home = home()?;
    let server = home.serve(args).await?;
    let headers = [("Host", "pollux.example.com")];
    let answer = http::request(&server.address, "GET", "/.well-known/agent-card.json?A2A-Version=1.0", &headers, &[]);
    let card = answer.await?.json().await?;
    let interfaces = card["supportedInterfaces"].as_array().cloned().unwrap_or_default();
    assert_eq!(interfaces[0]["url"], "https://pollux.example.com/");
    let of_grpc = interfaces.into_iter().filter(|interface| interface["protocolBinding"] == "GRPC");
    Ok(of_grpc.map(|interface| interface["url"].clone()).collect())
}

#[tokio::test]
async fn behind_a_proxy_it_is_where_the_operator_says() -> Result<()> {
    let behind = ["--tls-in-front", "--allow-host", "pollux.example.com", "--grpc-port", "0"];
    assert_eq!(grpc_targets(&behind).await?, Vec::<Value>::new());
    let outside = [&behind[..], &["--grpc-outside", "grpc.example.com:443"]].concat();
    assert_eq!(grpc_targets(&outside).await?, [json!("grpc.example.com:443"), json!("grpc.example.com:443")]);
    Ok(())
}

#[tokio::test]
async fn who_offers_grpc_is_told_which_client_then_refuses_the_card() -> Result<()> {
    let home = home()?;
    let mut command = home.command(&["serve", "--port", "0", "--grpc-port", "0", "-m", "demo", "--ephemeral"]);
    let mut child = command.stderr(Stdio::piped()).kill_on_drop(true).spawn()?;
    let mut lines = BufReader::new(child.stderr.take().context("standard error is captured")?).lines();
    let warned = timeout(TIMEOUT, async {
        while let Some(line) = lines.next_line().await? {
            if line.contains("--grpc-port: google-adk refuses a card that it reads from this server") {
                return Ok::<_, std::io::Error>(true);
            }
        }
        Ok(false)
    });
    assert!(warned.await??);
    child.kill().await?;
    Ok(())
}
