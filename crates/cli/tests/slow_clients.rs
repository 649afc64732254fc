//! Slow, stalled and vanished clients: one never reads, one reads a byte a second, 200 come and go during a turn that
//! prints 20 MB and says more than sockets buffer. Memory stays bounded, the others are told everything in order.

mod clients;
mod long_turn;
mod received_turn;

use anyhow::{Context as _, Result, ensure};
use clients::{listen, read_slowly, resume_reading, stall, vanish, watch};
use long_turn::LongTurnServer;
use pollux_testkit::http;
use pollux_testkit::program::TIMEOUT;
use pollux_testkit::socket::WebSocketClient;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The number of clients that never read. One would show that nobody waits for it; so many show that nothing is kept
/// for them in memory, because their backlog alone is more than [`MEMORY`].
const STALLED: usize = 150;
/// The number of clients that vanish.
const VANISHING: usize = 200;
/// The most memory the server may ever have. Measured in a debug build, this turn takes 100 MiB without any slow client,
/// because what the model says is held several times: in the script, the conversation, the request, the tails of two
/// dialects. With them it takes up to 170 MiB: those that vanish hold a page of the log each while they catch up.
const MEMORY: u64 = 256 * 1024 * 1024;

/// The clients besides the two that read as they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherClients {
    Nobody,
    Slow,
}

/// The cost of a turn.
struct TurnCost {
    took: Duration,
    memory: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_cost_nobody_anything() -> Result<()> {
    let alone = play(OtherClients::Nobody).await.context("without slow clients")?;
    let crowded = play(OtherClients::Slow).await.context("with slow clients")?;
    let told = |cost: &TurnCost| format!("{:?} and {} MiB", cost.took, cost.memory / 1024 / 1024);
    println!("the turn took {} without slow clients, {} with them", told(&alone), told(&crowded));
    ensure!(crowded.memory < MEMORY, "the server had {} bytes", crowded.memory);
    Ok(())
}

async fn play(others: OtherClients) -> Result<TurnCost> {
    let stage = LongTurnServer::open().await?;
    let address = &stage.server.address;
    let socket = watch(WebSocketClient::connect(address, "/ws").await?);
    let mut stalled = match others {
        OtherClients::Nobody => Vec::new(),
        OtherClients::Slow => stall(&stage, STALLED).await?,
    };
    let mut stream = http::rpc_stream(address, "message/stream", &LongTurnServer::message("go"), None).await?;
    let first = stream.event().await?.context("a stream begins with the task")?;
    let cursor = first.id.context("the task has a cursor")?;
    let stream = listen(stream);
    let slow = match others {
        OtherClients::Nobody => None,
        OtherClients::Slow => Some((read_slowly(&stage, &cursor).await?, vanish(&stage, VANISHING, &cursor))),
    };

    let began = Instant::now();
    stage.release_command()?;
    let (by_socket, by_stream) = (socket.await??, stream.await??);
    let took = began.elapsed();
    by_socket.check(&stage.speech).context("the socket")?;
    by_stream.check(&stage.speech).context("the stream")?;
    stage.check_blob()?;
    let backlog = (by_socket.bytes.saturating_sub(stage.buffered) * STALLED) as u64;
    ensure!(backlog > MEMORY, "a backlog of {backlog} bytes shows nothing: let more clients stall");

    if let Some((sipping, mut vanishing)) = slow {
        while let Some(gone) = vanishing.join_next().await {
            gone?.context("one that vanishes")?;
        }
        ensure!(!sipping.is_finished(), "the slow stream was cut off");
        sipping.abort();
    }
    if let Some(stalled) = stalled.pop() {
        resume_reading(&stage, stalled).await?.check(&stage.speech).context("one that stalled")?;
    }
    drop(stalled);
    let sent = timeout(TIMEOUT, http::rpc(address, "message/send", &LongTurnServer::message("again"))).await??;
    ensure!(sent["result"]["status"]["state"] == "completed", "the next turn: {}", sent["result"]["status"]);
    let memory = stage.server.peak_memory()?;
    ensure!(stage.server.stop().await? == Some(0), "the server did not stop as it should");
    Ok(TurnCost { took, memory })
}
