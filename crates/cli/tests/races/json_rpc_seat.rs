//! A client that posts JSON-RPC and reads event streams, one connection for each.

use super::verdict::{RaceChoice, RaceVerdict, fresh_id};
use anyhow::{Context as _, Result, bail};
use pollux_testkit::http::{HttpAnswer, ReceivedEvent};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// One client.
pub(crate) struct JsonRpcSeat {
    address: String,
    name: String,
    /// The task it knows, from the first event it saw.
    task: Option<String>,
    /// The last event it saw.
    cursor: Option<String>,
    /// The ask it has been told of.
    ask: Option<String>,
    /// A connection that is open already.
    open: Option<TcpStream>,
}

impl JsonRpcSeat {
    pub(crate) fn new(address: &str, number: usize) -> JsonRpcSeat {
        let (address, name) = (address.to_owned(), format!("poster-{number}"));
        JsonRpcSeat { address, name, task: None, cursor: None, ask: None, open: None }
    }

    /// The name by which others know it.
    pub(crate) fn label(&self) -> String {
        format!("A2A {}", self.name)
    }

    /// Send a prompt and read on until the ask.
    pub(crate) async fn prompt(&mut self, text: &str) -> Result<()> {
        let message = json!({"role": "user", "messageId": fresh_id(), "parts": [{"kind": "text", "text": text}]});
        let stream = self.post("message/stream", json!({"message": message})).await?;
        self.follow(stream).await
    }

    /// Take the stream up where it was left, unless it has led to the ask already.
    pub(crate) async fn wait_for_ask(&mut self) -> Result<String> {
        if self.ask.is_none() {
            let task = match &self.task {
                Some(task) => task.clone(),
                None => self.only_task().await?,
            };
            // The stream of a session goes on as long as the session does.
            let mut stream = self.post("tasks/resubscribe", json!({"id": task})).await?;
            while self.ask.is_none() && self.read_event(&mut stream).await? {}
        }
        self.ask.clone().with_context(|| format!("{} does not see the ask", self.name))
    }

    /// Connect now and post later.
    pub(crate) async fn reach_out(&mut self) -> Result<()> {
        self.open = Some(TcpStream::connect(&self.address).await?);
        Ok(())
    }

    pub(crate) async fn answer(&mut self, call: &str, choice: RaceChoice) -> Result<RaceVerdict> {
        let mut message = choice.message(call);
        message["taskId"] = json!(self.task);
        let answer = self.post("message/stream", json!({"message": message})).await?;
        self.ask = None;
        if answer.headers.get("content-type").is_some_and(|content| content == "text/event-stream") {
            self.follow(answer).await?;
            return Ok(RaceVerdict::Won);
        }
        RaceVerdict::from_error(&answer.json().await?["error"])
    }

    async fn only_task(&mut self) -> Result<String> {
        let created = pollux_testkit::http::post(&self.address, "/tasks", &json!({})).await?.json().await?;
        Ok(created["taskId"].as_str().context("no task id")?.to_owned())
    }

    async fn post(&mut self, method: &str, params: Value) -> Result<HttpAnswer> {
        let mut stream = match self.open.take() {
            Some(open) => open,
            None => TcpStream::connect(&self.address).await?,
        };
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let cursor = self.cursor.iter().map(|cursor| format!("Last-Event-ID: {cursor}\r\n")).collect::<String>();
        let head = format!(
            "POST / HTTP/1.1\r\nHost: {}\r\nX-Client-Name: {}\r\nContent-Type: application/json\r\n{cursor}\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            self.name,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await?;
        HttpAnswer::read(stream).await
    }

    /// Read a stream to its end.
    async fn follow(&mut self, mut stream: HttpAnswer) -> Result<()> {
        while self.read_event(&mut stream).await? {}
        Ok(())
    }

    /// Read one event; false at the end.
    async fn read_event(&mut self, stream: &mut HttpAnswer) -> Result<bool> {
        let Some(ReceivedEvent { id, data }) = stream.event().await? else { return Ok(false) };
        self.cursor = id.or(self.cursor.take());
        let result = &data["result"];
        if result.is_null() {
            bail!("{} was told {data}", self.name);
        }
        let task = result["taskId"].as_str().or(result["id"].as_str());
        self.task = task.map(str::to_owned);
        for part in result["status"]["message"]["parts"].as_array().into_iter().flatten() {
            if part["data"]["confirmation_request"].is_object() {
                self.ask = part["data"]["tool_call_id"].as_str().map(str::to_owned);
            }
        }
        Ok(true)
    }
}
