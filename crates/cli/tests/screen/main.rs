//! The screen, in a real tmux, driven by keys. What a person would see is what tmux says is there.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should say so at once")]

mod asks;
mod composer;
mod criteria;
mod far;
mod hostile;
mod joining;
mod leaving;
mod stage;
mod streaming;

use anyhow::Result;
use stage::{home, open};

#[tokio::test]
async fn the_first_prompt_is_answered() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.wait_for("offline demo, not an AI").await?;
    tmux.enter("help").await?;
    tmux.wait_for("offline demo engine, not an AI").await?;
    tmux.wait_for("> help").await?;
    Ok(())
}

#[tokio::test]
async fn the_title_says_where_and_how_things_stand() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.wait_says("#{pane_title}", "◇ pollux workspace").await?;
    tmux.enter("run sleep 60").await?;
    tmux.wait_for("Allow once").await?;
    tmux.wait_says("#{pane_title}", "✋ pollux workspace").await?;
    assert_eq!(tmux.says("#{alternate_on}").await?, "0", "the terminal's own scrollback is used");
    Ok(())
}

#[tokio::test]
async fn modes_go_round_and_the_last_one_asks_first() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    for mode in ["auto-edit", "plan", "asks first"] {
        tmux.press(&["BTab"]).await?;
        tmux.wait_for(mode).await?;
    }
    tmux.press(&["C-y"]).await?;
    tmux.wait_for("nothing asks").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for("asks first").await?;
    Ok(())
}

#[tokio::test]
async fn a_command_after_an_exclamation_mark_runs_without_a_second_question() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.enter("!echo from the shell > made.txt && cat made.txt").await?;
    tmux.wait_for("from the shell").await?;
    tmux.wait_until("the file is there", |_| home.workspace().join("made.txt").exists()).await?;
    Ok(())
}
