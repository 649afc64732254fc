//! Replication over Amazon's and Azure's interfaces, as moto and azurite speak them. `cargo xtask test` installs both.

use crate::replicating::machine;
use crate::replicating::machine::{TestConversation, TestMachine, session, workspace};
use pollux_bucket::VariableLookup;
use pollux_session::CallResult;
use pretty_assertions::assert_eq;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// An account of azurite's with a key that is no secret.
const ACCOUNT: &str = "ann";
const KEY: &str = "bm8gc2VjcmV0";

/// Makes a container: `MAKE account key port`, signed as Azure wants it.
const MAKE: &str = r#"
import base64, email.utils, hashlib, hmac, sys, urllib.request
account, key, port = sys.argv[1:]
date = email.utils.formatdate(usegmt=True)
head = "PUT" + "\n" * 12 + f"x-ms-date:{date}\nx-ms-version:2021-08-06\n"
text = head + f"/{account}/{account}/tasks\nrestype:container"
signature = base64.b64encode(hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()).decode()
request = urllib.request.Request(f"http://127.0.0.1:{port}/{account}/tasks?restype=container", method="PUT", headers={
    "x-ms-date": date, "x-ms-version": "2021-08-06", "Authorization": f"SharedKey {account}:{signature}"})
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
"#;

/// Where the peers are, or a word on why the test is skipped.
fn peers() -> Option<PathBuf> {
    let peers = std::env::var_os("POLLUX_PEERS").map(PathBuf::from);
    if peers.is_none() {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
    }
    peers
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A command that runs a peer.
fn command(program: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "tests start the peers they test with")]
    Command::new(program)
}

/// Start a peer in `dir` and wait until it listens on `port`.
async fn start(program: &Path, args: &[&str], dir: &Path, port: u16) -> Child {
    assert!(program.exists(), "POLLUX_PEERS is set, but {} is not there", program.display());
    let mut command = command(program);
    command.env("AZURITE_ACCOUNTS", format!("{ACCOUNT}:{KEY}"));
    command.args(args).current_dir(dir).kill_on_drop(true).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    let listening = async {
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            // Nothing tells when a port is open but the port.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(machine::PATIENCE, listening).await.unwrap();
    child
}

/// A task that survives its machine, and a machine that is replaced.
async fn check(bucket: &str, variables: VariableLookup) {
    let dir = tempfile::tempdir().unwrap();
    let (root, id) = (workspace(&dir), session(1));
    let first = TestMachine::with(bucket, variables.clone()).ready().await;
    TestConversation::open(&first, id, &root).await.turn("one", CallResult::default()).await;
    first.until(|told| told["behind"] == 0).await;
    let entries = first.entries(id).await;
    first.stop().await;
    std::fs::remove_dir_all(&root).unwrap();
    let second = TestMachine::with(bucket, variables.clone()).ready().await;
    assert_eq!(second.entries(id).await, entries);
    assert_eq!(std::fs::read_to_string(root.join("src/main.rs")).unwrap(), "fn main() {}");
    let third = TestMachine::with(bucket, variables).ready().await;
    TestConversation::resume(&second.store, id).await.begin("lost").await;
    second.until(|told| told["state"] == "read_only").await;
    TestConversation::resume(&third.store, id).await.turn("two", CallResult::default()).await;
    third.stop().await;
}

/// Make a bucket with the peer's own means.
async fn ask(url: &str, method: reqwest::Method) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let answer = reqwest::Client::new().request(method, url).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.status());
}

#[tokio::test]
async fn amazons_interface() {
    let Some(peers) = peers() else { return };
    let (dir, port) = (tempfile::tempdir().unwrap(), free_port());
    let listening = port.to_string();
    let _moto =
        start(&peers.join("py/bin/moto_server"), &["-H", "127.0.0.1", "-p", &listening], dir.path(), port).await;
    let endpoint = format!("http://127.0.0.1:{port}");
    ask(&format!("{endpoint}/tasks"), reqwest::Method::PUT).await;
    let variables: VariableLookup = Arc::new(move |name| match name {
        "AWS_ENDPOINT_URL" => Some(endpoint.clone()),
        "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("test".into()),
        _ => None,
    });
    check("s3://tasks/team", variables).await;
}

#[tokio::test]
async fn azures_interface() {
    let Some(peers) = peers() else { return };
    let (dir, port) = (tempfile::tempdir().unwrap(), free_port());
    let listening = port.to_string();
    // Without the first of these it would reach for a host that counts its users.
    let args = ["--disableTelemetry", "--skipApiVersionCheck", "--blobHost", "127.0.0.1", "--blobPort", &listening];
    let program = peers.join("node/node_modules/.bin/azurite-blob");
    let _azurite = start(&program, &args, dir.path(), port).await;
    let made = command(Path::new("python3")).args(["-c", MAKE, ACCOUNT, KEY, &listening]).status().await.unwrap();
    assert!(made.success(), "no container");
    let endpoint = format!("http://127.0.0.1:{port}/{ACCOUNT}");
    let variables: VariableLookup = Arc::new(move |name| match name {
        "AZURE_STORAGE_ENDPOINT" => Some(endpoint.clone()),
        "AZURE_STORAGE_ACCOUNT_NAME" => Some(ACCOUNT.into()),
        "AZURE_STORAGE_ACCOUNT_KEY" => Some(KEY.into()),
        _ => None,
    });
    check("az://tasks", variables).await;
}
