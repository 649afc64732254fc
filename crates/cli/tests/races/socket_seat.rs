//! A client on the WebSocket.

use super::verdict::{RaceChoice, RaceVerdict};
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::socket::WebSocketClient;
use serde_json::{Value, json};

/// The replies that a client wants to its frames.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WantedReplies {
    /// Its frames have ids: each gets an answer.
    Wanted,
    /// Its frames have none.
    OnlyRefusals,
}

/// One WebSocket, and what has come over it since the ask.
pub(crate) struct SocketSeat {
    socket: WebSocketClient,
    name: String,
    reply: WantedReplies,
    since_ask: Vec<Value>,
    newest: u64,
}

impl SocketSeat {
    pub(crate) async fn connect(address: &str, number: usize, reply: WantedReplies) -> Result<SocketSeat> {
        let name = format!("socket-{number}");
        let socket = WebSocketClient::connect_as(address, "/ws", &name).await?;
        Ok(SocketSeat { socket, name, reply, since_ask: Vec::new(), newest: 0 })
    }

    /// The name by which others know it.
    pub(crate) fn label(&self) -> String {
        format!("A2A {}", self.name)
    }

    pub(crate) async fn prompt(&mut self, text: &str) -> Result<()> {
        let message = json!({"role": "user", "parts": [{"kind": "text", "text": text}]});
        self.socket.send(&json!({"jsonrpc": "2.0", "method": "message/stream", "params": {"message": message}})).await
    }

    /// Wait for an ask.
    pub(crate) async fn wait_for_ask(&mut self) -> Result<String> {
        loop {
            let frame = self.next().await?;
            if frame["kind"] == "TOOL_CALL_UPDATE" && frame["confirmation_request"].is_object() {
                self.since_ask.clear();
                return Ok(frame["tool_call_id"].as_str().context("the call has no id")?.to_owned());
            }
        }
    }

    pub(crate) async fn answer(&mut self, call: &str, choice: RaceChoice) -> Result<RaceVerdict> {
        let mut frame =
            json!({"jsonrpc": "2.0", "method": "message/stream", "params": {"message": choice.message(call)}});
        if self.reply == WantedReplies::Wanted {
            frame["id"] = json!(call);
            self.socket.send(&frame).await?;
            let reply = self.reply(call).await?;
            return if reply["result"].is_object() {
                Ok(RaceVerdict::Won)
            } else {
                RaceVerdict::from_error(&reply["error"])
            };
        }
        self.socket.send(&frame).await?;
        // Frames are taken one after the other: when this nonsense is answered, the answer before it was dealt with.
        self.socket.send(&json!({"jsonrpc": "2.0", "id": call, "method": "fence"})).await?;
        self.reply(call).await?;
        match self.since_ask.iter().find(|frame| frame["kind"] == "ERROR") {
            Some(refusal) => RaceVerdict::from_frame(refusal),
            None => Ok(RaceVerdict::Won),
        }
    }

    /// Wait until the call and the turn are over; the dialog closes on the way.
    pub(crate) async fn wait_for_close(&mut self, call: &str, choice: RaceChoice) -> Result<()> {
        let rested = |frame: &Value| {
            frame["kind"] == "STATE_CHANGE" && frame["final"] == true && frame["state"] != "input-required"
        };
        while !self.since_ask.iter().any(rested) {
            let frame = self.next().await?;
            self.since_ask.push(frame);
        }
        let last = self.since_ask.iter().rfind(|frame| frame["tool_call_id"] == call);
        let last = last.with_context(|| format!("nobody told {} how {call} ended", self.name))?;
        let ending = if choice.runs() { "SUCCEEDED" } else { "CANCELLED" };
        ensure!(last["status"] == ending, "{call} must end {ending} for {}, not as {last}", self.name);
        ensure!(last.get("confirmation_request").is_none(), "a closed ask must not ask: {last}");
        Ok(())
    }

    /// The JSON-RPC answer with this id. What else comes is kept.
    async fn reply(&mut self, id: &str) -> Result<Value> {
        loop {
            let frame = self.next().await?;
            if frame["id"] == id {
                return Ok(frame);
            }
            self.since_ask.push(frame);
        }
    }

    /// The next frame. Numbers never go back.
    async fn next(&mut self) -> Result<Value> {
        let frame = self.socket.next().await?.with_context(|| format!("the socket of {} closed", self.name))?;
        if let Some(seq) = frame["seq"].as_u64() {
            ensure!(seq >= self.newest, "{} saw {} before {frame}", self.name, self.newest);
            self.newest = seq;
        }
        Ok(frame)
    }
}
