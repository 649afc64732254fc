//! One session with everybody at it: a terminal, WebSocket clients, SSE clients.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::http::{self, HttpAnswer, ReceivedEvent};
use pollux_testkit::program::{TestHome, address_in};
use pollux_testkit::socket::WebSocketClient;
use pollux_testkit::terminal::PtyTerminal;
use serde_json::{Value, json};

/// A prompt whose command runs until [`SharedTerminalSession::open_gate`].
pub(crate) const GATED: &str = "run mkfifo gate && echo at the gate && cat gate";

/// A session in a terminal, shared on a port.
pub(crate) struct SharedTerminalSession {
    pub(crate) terminal: PtyTerminal,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
    /// Dropped last: the program lives in it.
    pub(crate) home: TestHome,
}

/// A home for `gemini`, as the seeds call the program.
pub(crate) fn home() -> Result<TestHome> {
    TestHome::new(env!("CARGO_BIN_EXE_gemini"))
}

impl SharedTerminalSession {
    /// Start `gemini --a2a-port 0` with more `args`, and wait for the sign that asks for a prompt.
    pub(crate) fn open(args: &[&str]) -> Result<SharedTerminalSession> {
        let mut stage = SharedTerminalSession::start(home()?, args)?;
        stage.terminal.wait_for("\n> ")?;
        Ok(stage)
    }

    /// A session in a home that has a past; returns as soon as the address is printed.
    pub(crate) fn start(home: TestHome, args: &[&str]) -> Result<SharedTerminalSession> {
        let mut terminal = PtyTerminal::start(&home, &[&["--a2a-port", "0"], args].concat())?;
        terminal.wait_for("shared on ")?;
        let address = address_in(&terminal.rest_of_line()?).context("the terminal prints no address")?;
        Ok(SharedTerminalSession { terminal, address, home })
    }

    /// The port others find it on.
    pub(crate) fn port(&self) -> Result<u16> {
        Ok(self.address.rsplit(':').next().context("an address ends in a port")?.parse()?)
    }

    /// A WebSocket client, as the endpoint guide shows it.
    pub(crate) async fn socket(&self) -> Result<WebSocketClient> {
        WebSocketClient::connect(&self.address, "/ws").await
    }

    /// The session's id, as `POST /tasks` tells it.
    pub(crate) async fn session(&self) -> Result<String> {
        let answer = http::request(&self.address, "POST", "/tasks", &[], &[]).await?.json().await?;
        Ok(answer["sessionId"].as_str().context("POST /tasks names the session")?.to_owned())
    }

    /// An SSE client that takes the session's stream up, after `cursor` or from now on.
    pub(crate) async fn resubscribe(&self, cursor: Option<&str>) -> Result<HttpAnswer> {
        let params = json!({"id": self.session().await?});
        let answer = http::rpc_stream(&self.address, "tasks/resubscribe", &params, cursor).await?;
        ensure!(answer.status == 200, "resubscribing is answered {}", answer.status);
        Ok(answer)
    }

    /// The events of a stream of the session until the turn rests. The stream itself goes on.
    pub(crate) async fn until_rest(mut sse: HttpAnswer) -> Result<Vec<ReceivedEvent>> {
        let mut events = Vec::new();
        loop {
            let event = sse.event().await?.context("the stream goes on")?;
            let state = event.data["result"]["status"]["state"].clone();
            let is_update = event.data["result"]["kind"] == "status-update";
            events.push(event);
            if is_update && (state == "completed" || state == "canceled") {
                return Ok(events);
            }
        }
    }

    /// Type the prompt [`GATED`] and wait until its command waits. Nobody is asked under `--yolo`.
    pub(crate) fn run_gated(&mut self) -> Result<()> {
        self.terminal.type_line(GATED)?;
        self.terminal.wait_for("    at the gate")?;
        Ok(())
    }

    /// Let the gated command print `text` and end.
    pub(crate) fn open_gate(&self, text: &str) -> Result<()> {
        Ok(std::fs::write(self.home.workspace().join("gate"), text)?)
    }
}

/// The endpoint guide's frame that sends a prompt.
pub(crate) fn prompt(text: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "message/stream", "params": {"message": {"content": {"text": text}}}})
}

/// The endpoint guide's frame that answers the ask in `pending`.
pub(crate) fn confirm(pending: &Value, option: &str) -> Value {
    let data = json!({
        "kind": "TOOL_CALL_CONFIRMATION",
        "tool_call_id": pending["tool_call_id"],
        "selected_option_id": option,
    });
    json!({"jsonrpc": "2.0", "method": "message/stream", "params": {"message": {"content": {"data": data}}}})
}

/// True if a frame is an ask that is open.
pub(crate) fn is_ask(frame: &Value) -> bool {
    frame["status"] == "PENDING" && !frame["confirmation_request"].is_null()
}

/// True if a frame says that the turn is over.
pub(crate) fn is_rest(frame: &Value) -> bool {
    frame["final"] == true && frame["state"] != "input-required"
}

/// The frames a client makes sense of: log lines left out, text put together as it streams, and without the session's id
/// and the numbers, which are checked here.
pub(crate) fn summarize_frames(frames: &[Value], session: &str) -> Result<Vec<Value>> {
    let mut told: Vec<Value> = Vec::new();
    let mut newest = 0;
    for frame in frames {
        ensure!(frame["taskId"] == session, "{frame} is not of session {session}");
        let seq = frame["seq"].as_u64().with_context(|| format!("{frame} has no number"))?;
        ensure!(seq >= newest, "{frame} comes after {newest}");
        newest = seq;
        let mut frame = frame.clone();
        let object = frame.as_object_mut().context("a frame is an object")?;
        object.retain(|key, _| !["taskId", "seq"].contains(&key.as_str()));
        match (told.last_mut(), frame["kind"].as_str()) {
            (_, Some("CONSOLE_LOG")) => {}
            (Some(last), Some("TEXT_CONTENT")) if last["kind"] == "TEXT_CONTENT" => {
                let longer = format!("{}{}", text_of(last)?, text_of(&frame)?);
                last["content"]["text"] = json!(longer);
            }
            _ => told.push(frame),
        }
    }
    Ok(told)
}

fn text_of(frame: &Value) -> Result<&str> {
    frame["content"]["text"].as_str().with_context(|| format!("{frame} has no text"))
}

/// The states a tool call goes through in `frames`, each once.
pub(crate) fn statuses(frames: &[Value]) -> Vec<&str> {
    let mut found: Vec<&str> = frames.iter().filter_map(|frame| frame["status"].as_str()).collect();
    found.dedup();
    found
}
