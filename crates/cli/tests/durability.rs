//! The plug is pulled at random moments while clients stream. After the restart nothing a client saw is missing or
//! different, numbers have no gap, no command ran twice, and an ask that was pending is still there to be answered.

mod conversation;
mod driver;
mod log_check;
mod model_script;
mod observed_event;
mod simulated_power;
mod watcher;

use anyhow::{Context as _, Result, ensure};
use conversation::WatchedConversation;
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::randomness::{rounds, seed};
use simulated_power::{PowerSupply, SimulatedPower};
use std::time::Duration;
use tokio::task::JoinSet;

/// The number of conversations that go on at once, each with an SSE client that drives it and a WebSocket that watches.
const AT_ONCE: usize = 4;
/// The longest life of the server.
const LIFE_MS: u64 = 300;

#[tokio::test]
async fn what_a_client_was_told_survives_the_power_cut() -> Result<()> {
    let mut chance = fastrand::Rng::with_seed(seed());
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let play = model_script::write(&home.path("play.jsonl"))?;
    let data = home.path("data");
    let flags = ["--data-dir", data.to_str().context("a path that is text")?, "-m", play.as_str()];

    let mut begun = 0;
    let mut over = Vec::new();
    let mut going = Vec::new();
    let cuts = rounds(200);
    for cut in 0..cuts {
        while going.len() < AT_ONCE {
            going.push(WatchedConversation::new(&home, begun, chance.fork())?);
            begun += 1;
        }
        let server = home.serve(&flags).await?;
        let life = Duration::from_millis(chance.u64(0..LIFE_MS));
        let met = live(server, going, Some(life)).await.with_context(|| format!("before cut {cut} of {cuts}"))?;
        going = Vec::new();
        for conversation in met {
            if conversation.is_over() { over.push(conversation) } else { going.push(conversation) }
        }
    }

    let server = home.serve(&flags).await?;
    over.extend(live(server, going, None).await.context("after the last cut")?);
    let server = home.serve(&flags).await?;
    for conversation in &over {
        conversation.check(&server.address).await?;
    }
    server.kill().await?;
    log_check::check(&data, &over).await?;

    let after_restart: usize = over.iter().map(|conversation| conversation.driver.answered_in_a_later_life).sum();
    let interrupted: usize = over.iter().map(WatchedConversation::interrupted).sum();
    println!(
        "{} conversations, {after_restart} asks answered after a restart, {interrupted} calls interrupted",
        over.len()
    );
    ensure!(after_restart > 0 && interrupted > 0, "the cuts must hit pending asks and running calls");
    Ok(())
}

/// Let everybody talk to `server` until its `life` is over, or until they are all done when it has no end.
async fn live(
    server: ServerProcess,
    conversations: Vec<WatchedConversation>,
    life: Option<Duration>,
) -> Result<Vec<WatchedConversation>> {
    let power = SimulatedPower::on(if life.is_some() { PowerSupply::Failing } else { PowerSupply::Steady });
    let mut talks = JoinSet::new();
    for mut conversation in conversations {
        let (address, power) = (server.address.clone(), power.clone());
        talks.spawn(async move {
            conversation.talk(&address, &power).await?;
            anyhow::Ok(conversation)
        });
    }
    if let Some(life) = life {
        // Everything before the cut may fail for real; a test that has failed need not wait for it.
        tokio::time::sleep(life).await;
        power.cut();
        server.kill().await?;
        return talks.join_all().await.into_iter().collect();
    }
    let talked = talks.join_all().await.into_iter().collect();
    server.kill().await?;
    talked
}
