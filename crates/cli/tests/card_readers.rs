//! The card of an agent that demands a token, as the public SDKs read it without naming a version of A2A. Skipped unless
//! POLLUX_PEERS names a directory with the virtual environments `py` and `py-0.3` and the packages `node` and `node-1.0`.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{TIMEOUT, TestHome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const TOKEN: &str = "a-token-that-is-long-enough-for-a-test";

/// A client's reading of one card: how to sign in, which scheme is needed, and if there is a longer card.
fn whole() -> Value {
    json!(["Bearer", ["bearer"], true])
}

async fn check(interpreter: &str, script: &str, arguments: &[&str], extended: Value) -> Result<()> {
    let Some(peers) = std::env::var_os("POLLUX_PEERS").map(PathBuf::from) else {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
        return Ok(());
    };
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let file = home.path("token");
    std::fs::write(&file, TOKEN)?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
    let server = home.serve(&["-m", "demo", "--ephemeral", "--token-file", &file.to_string_lossy()]).await?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/card_readers").join(script);
    let program = if interpreter == "node" { interpreter.into() } else { peers.join(interpreter) };
    let mut command = home.command_of(program, &[]);
    command.arg(script).args([&server.url(""), TOKEN]).args(arguments);
    command.env("POLLUX_PEERS", &peers).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = tokio::time::timeout(TIMEOUT, command.output()).await.context("the client does not end")??;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let saw: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(saw, json!([whole(), extended, true]));
    Ok(())
}

#[tokio::test]
async fn python_0_3() -> Result<()> {
    check("py-0.3/bin/python", "card.py", &[], whole()).await
}

#[tokio::test]
async fn python_1_0() -> Result<()> {
    check("py/bin/python", "card.py", &[], whole()).await
}

/// Over HTTP+JSON this SDK reads the extended card by the `.proto` of 0.3, and Python's of 0.3 by its JSON schema: the
/// schemes have a place for both, the list of those that are needed has not.
#[tokio::test]
async fn javascript_0_3() -> Result<()> {
    check("node", "card.mjs", &["node"], json!(["Bearer", [], true])).await
}

#[tokio::test]
async fn javascript_1_0() -> Result<()> {
    check("node", "card.mjs", &["node-1.0"], whole()).await
}
