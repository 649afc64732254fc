//! A shared session whose one turn prints 20 MB and then says more than any socket's buffers hold.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::{http, script};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tokio::net::{TcpSocket, TcpStream};

/// Whoever declares it is told what is said as status updates.
const EXTENSION: &str = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";
/// The bytes that the command prints.
const PRINTED: usize = 20_000_000;
/// The bytes of the model's text in one chunk.
const CHUNK: usize = 32 * 1024;
/// The receive buffer of a client that must not take much without reading.
const SMALL_BUFFER: u32 = 4096;

/// The server and what its turn will do.
pub(crate) struct LongTurnServer {
    pub(crate) server: ServerProcess,
    pub(crate) session: String,
    /// The most that the system holds for a client that does not read.
    pub(crate) buffered: usize,
    /// All that the model says in the turn: more than that.
    pub(crate) speech: String,
    home: TestHome,
}

impl LongTurnServer {
    pub(crate) async fn open() -> Result<LongTurnServer> {
        let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
        let buffered = buffered()?;
        let speech = speech(buffered * 3 / 2);
        // The command waits until everybody is there, and takes its time, so that they meet it printing.
        let command = format!(
            "until [ -e go ]; do sleep 0.02; done; \
             for part in $(seq 20); do head -c {} /dev/zero; sleep 0.1; done | tr '\\0' x | fold -w 100",
            PRINTED / 20
        );
        let lines = [
            script::call_answer("run_shell_command", &json!({"command": command})),
            chunked(&speech),
            script::repeat_forever(script::text_answer("done")),
        ];
        let model = script::write(&home.path("script.jsonl"), &lines)?;
        let server = home.share(&["--yolo", "-m", &model, "--data-dir", "data", "--checkpointing=false"]).await?;
        let opened = http::post(&server.address, "/tasks", &json!({})).await?.json().await?;
        let session = opened["sessionId"].as_str().context("POST /tasks tells the session")?.to_owned();
        Ok(LongTurnServer { server, session, buffered, speech, home })
    }

    /// Let the command print.
    pub(crate) fn release_command(&self) -> Result<()> {
        Ok(std::fs::write(self.home.workspace().join("go"), "")?)
    }

    /// The parameters of a message that says `text`.
    pub(crate) fn message(text: &str) -> Value {
        let parts = json!([{"kind": "text", "text": text}]);
        json!({"message": {"messageId": text, "role": "user", "parts": parts, "extensions": [EXTENSION]}})
    }

    /// A connection that takes in very little while nobody reads from it.
    pub(crate) async fn connect_with_small_buffer(&self) -> Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(SMALL_BUFFER)?;
        let address: SocketAddr = self.server.address.parse()?;
        Ok(socket.connect(address).await?)
    }

    /// The only blob of the session holds all that the command printed.
    pub(crate) fn check_blob(&self) -> Result<()> {
        let blobs = self.home.workspace().join("data/sessions").join(&self.session).join("blobs");
        let mut files = files_below(&blobs)?;
        // What the model can open of it is kept beside.
        files.retain(|file| !file.starts_with(blobs.join(".pollux-outputs")));
        ensure!(files.len() == 1, "there is one long output, not {files:?}");
        let kept = std::fs::read(&files[0])?;
        let line = [&[b'x'; 100][..], b"\n"].concat();
        let mut printed = line.repeat(PRINTED / 100);
        printed.pop();
        ensure!(kept == printed, "{} bytes are kept, {} were printed", kept.len(), printed.len());
        Ok(())
    }
}

/// The most that the system holds for a client that does not read, here and there.
fn buffered() -> Result<usize> {
    let figures = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_wmem").context("this test needs Linux")?;
    let most: usize = figures.split_whitespace().nth(2).context("tcp_wmem has three figures")?.parse()?;
    ensure!(most <= 16 * 1024 * 1024, "sockets here hold {most} bytes, more than a test can fill: lower tcp_wmem");
    Ok(most + SMALL_BUFFER as usize)
}

/// At least so much text, no two lines of it alike.
fn speech(len: usize) -> String {
    let line = |number: usize| format!("{number:07} {}\n", "said ".repeat(18));
    (0..=len / line(0).len()).map(line).collect()
}

/// One answer of the model, in many chunks.
fn chunked(speech: &str) -> Value {
    let chunk = |text: &str, finish: Value| json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": finish, "index": 0}]});
    let mut response: Vec<Value> =
        speech.as_bytes().chunks(CHUNK).map(|text| chunk(&String::from_utf8_lossy(text), Value::Null)).collect();
    response.push(chunk("", json!("STOP")));
    json!({"method": "generateContentStream", "response": response})
}

fn files_below(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(files_below(&path)?) } else { files.push(path) }
    }
    Ok(files)
}
