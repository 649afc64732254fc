//! The clients: two that read as they should, one that reads a byte a second, one that never reads, many that vanish.

use super::long_turn::LongTurnServer;
use super::received_turn::ReceivedTurn;
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::http::{self, HttpAnswer};
use pollux_testkit::randomness::seed;
use pollux_testkit::socket::WebSocketClient;
use serde_json::json;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

/// The time in which the clients that vanish come.
const COMING: Duration = Duration::from_secs(2);
/// The longest that each of them stays.
const STAYING: Duration = Duration::from_secs(3);

/// Read a socket to the end of the turn.
pub(crate) fn watch(mut socket: WebSocketClient) -> JoinHandle<Result<ReceivedTurn>> {
    tokio::spawn(async move {
        let mut told = ReceivedTurn::default();
        while !told.is_over {
            told.take_flat_frame(&socket.next().await?.context("the socket closed")?)?;
        }
        Ok(told)
    })
}

/// Read a stream to its end.
pub(crate) fn listen(mut stream: HttpAnswer) -> JoinHandle<Result<ReceivedTurn>> {
    tokio::spawn(async move {
        let mut told = ReceivedTurn::default();
        while let Some(event) = stream.event().await? {
            told.take_rfc_event(&event.data, event.id.as_deref())?;
        }
        Ok(told)
    })
}

/// Take a stream up at `cursor`, and read a byte of it a second for as long as the test runs.
pub(crate) async fn read_slowly(stage: &LongTurnServer, cursor: &str) -> Result<JoinHandle<Result<()>>> {
    let mut stream = stage.connect_with_small_buffer().await?;
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/resubscribe", "params": {"id": stage.session}});
    let (host, body) = (&stage.server.address, call.to_string());
    let length = body.len();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nLast-Event-ID: {cursor}\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    let mut answer = HttpAnswer::read(stream).await?;
    ensure!(answer.status == 200, "status {}", answer.status);
    Ok(tokio::spawn(async move {
        while answer.read_some(1).await? > 0 {
            sleep(Duration::from_secs(1)).await;
        }
        Ok(())
    }))
}

/// Connect so many times and never read.
pub(crate) async fn stall(stage: &LongTurnServer, count: usize) -> Result<Vec<WebSocketClient>> {
    let mut stalled = Vec::new();
    for _ in 0..count {
        stalled.push(WebSocketClient::connect_over(stage.connect_with_small_buffer().await?, "/ws").await?);
    }
    Ok(stalled)
}

/// One that stalled wakes up: it reads to the end of the turn, coming back if it was sent away for its silence.
pub(crate) async fn resume_reading(stage: &LongTurnServer, mut socket: WebSocketClient) -> Result<ReceivedTurn> {
    let mut told = ReceivedTurn::default();
    while !told.is_over {
        match socket.next().await {
            Ok(Some(frame)) => told.take_flat_frame(&frame)?,
            Ok(None) | Err(_) => {
                socket = WebSocketClient::connect(&stage.server.address, &format!("/ws?after={}", told.seq)).await?;
            }
        }
    }
    Ok(told)
}

/// Clients that come at random moments, read a little and are gone without a word, half on sockets, half on streams.
pub(crate) fn vanish(stage: &LongTurnServer, count: usize, cursor: &str) -> JoinSet<Result<()>> {
    let mut chance = fastrand::Rng::with_seed(seed());
    let mut all = JoinSet::new();
    for number in 0..count {
        let visitor = VanishingClient {
            address: stage.server.address.clone(),
            session: stage.session.clone(),
            cursor: chance.bool().then(|| cursor.to_owned()),
            frames: chance.usize(0..20),
        };
        let coming = COMING.mul_f64(chance.f64());
        all.spawn(async move {
            sleep(coming).await;
            // Whoever sees nothing new for a while leaves early.
            let visit =
                async { if number % 2 == 0 { visitor.on_a_socket().await } else { visitor.on_a_stream().await } };
            timeout(STAYING, visit).await.unwrap_or(Ok(()))
        });
    }
    all
}

/// One that vanishes.
struct VanishingClient {
    address: String,
    session: String,
    /// Where it begins; where things stand if it does not say.
    cursor: Option<String>,
    frames: usize,
}

impl VanishingClient {
    async fn on_a_socket(self) -> Result<()> {
        let path = if self.cursor.is_some() { "/ws?after=0" } else { "/ws" };
        let mut socket = WebSocketClient::connect(&self.address, path).await?;
        for _ in 0..self.frames {
            ensure!(socket.next().await?.is_some(), "the socket was closed");
        }
        Ok(())
    }

    async fn on_a_stream(self) -> Result<()> {
        let task = json!({"id": self.session});
        let mut stream = http::rpc_stream(&self.address, "tasks/resubscribe", &task, self.cursor.as_deref()).await?;
        ensure!(stream.status == 200, "status {}", stream.status);
        for _ in 0..self.frames {
            if stream.event().await?.is_none() {
                break;
            }
        }
        Ok(())
    }
}
