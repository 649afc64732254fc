//! Others at the session: the door, the list of clients, and a second terminal.

use crate::stage::{READY, address, dialog, home, open, socket};
use anyhow::{Context as _, Result};
use pollux_testkit::socket::Socket;

#[tokio::test]
async fn the_door_is_opened_shown_and_closed_while_the_session_goes_on() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.enter("/a2a open").await?;
    tmux.wait_for_all(&["pollux attach", "http://127.0.0.1:"]).await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for("shared on :").await?;
    tmux.enter("/a2a close").await?;
    tmux.wait_gone("shared on :").await?;
    Ok(())
}

#[tokio::test]
async fn clients_are_counted_listed_and_removed() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut client = socket(&tmux).await?;
    tmux.wait_for("1 client on :").await?;
    tmux.enter("/clients").await?;
    dialog(&tmux, "WebSocket").await?;
    tmux.press(&["Enter"]).await?;
    dialog(&tmux, "Yes, remove it").await?;
    tmux.types("y").await?;
    while client.next().await?.is_some() {}
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_is_removed_ends_and_says_why() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let second = first.beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    first.wait_for("1 client on :").await?;
    first.enter("/clients").await?;
    dialog(&first, "terminal").await?;
    first.press(&["Enter"]).await?;
    dialog(&first, "Yes, remove it").await?;
    first.types("y").await?;
    let why = "this client was removed from the session";
    second.wait_until_everything(why, |text| text.contains(why)).await?;
    assert_eq!(second.exit_code().await?, 1);
    first.wait_for("shared on :").await?;
    // Whoever starts it again comes again.
    let third = first.beside(&["attach"]).await?;
    third.wait_for(READY).await?;
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_has_joined_lists_who_is_there_and_removes_one() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let mut client = Socket::connect_as(&address(&first).await?, "/ws", "zed").await?;
    first.wait_for("1 client on :").await?;
    let second = first.beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    second.enter("/clients").await?;
    second.wait_for_all(&["Who is here", "A2A zed", "A2A terminal", "observe, prompt, approve"]).await?;
    second.types("zed").await?;
    second.wait_gone("A2A terminal").await?;
    second.press(&["Enter"]).await?;
    dialog(&second, "Remove A2A zed from this session?").await?;
    second.types("y").await?;
    while client.next().await?.is_some() {}
    second.wait_for("removed").await?;
    Ok(())
}

#[tokio::test]
async fn a_second_terminal_types_too_and_approves() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let second = first.beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    first.wait_for("1 client on :").await?;
    second.enter("create notes.txt with \"buy milk\"").await?;
    first.wait_for("] > create notes.txt").await?;
    first.wait_for("Allow once").await?;
    dialog(&second, "Allow once").await?;
    second.types("1").await?;
    first.wait_gone("Allow once").await?;
    first.wait_for("tokens sent").await?;
    assert!(home.workspace().join("notes.txt").exists());
    first.enter("help").await?;
    second.wait_for("] > help").await?;
    second.press(&["C-d"]).await?;
    assert_eq!(second.exit_code().await?, 0);
    first.wait_for("shared on :").await.context("the session goes on without it")?;
    Ok(())
}
