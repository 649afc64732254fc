//! Others at the session: the door, the list of clients, and a second terminal.

use crate::screen::screen_session::{READY, address, dialog, home, open, socket};
use anyhow::{Context as _, Result};
use pollux_testkit::program::send_signal;
use pollux_testkit::socket::WebSocketClient;
use std::collections::BTreeSet;

#[tokio::test]
async fn the_door_is_opened_shown_and_closed_while_the_session_goes_on() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("/a2a open").await?;
    tmux.wait_for_all(&["pollux attach", "http://127.0.0.1:"]).await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for("shared on :").await?;
    tmux.type_line("/a2a close").await?;
    tmux.wait_gone("shared on :").await?;
    Ok(())
}

#[tokio::test]
async fn clients_are_counted_listed_and_removed() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut client = socket(&tmux).await?;
    tmux.wait_for("1 client on :").await?;
    tmux.type_line("/clients").await?;
    dialog(&tmux, "WebSocket").await?;
    tmux.press(&["Enter"]).await?;
    dialog(&tmux, "Yes, remove it").await?;
    tmux.type_text("y").await?;
    while client.next().await?.is_some() {}
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_is_removed_ends_and_says_why() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let second = first.open_beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    first.wait_for("1 client on :").await?;
    first.type_line("/clients").await?;
    dialog(&first, "terminal").await?;
    first.press(&["Enter"]).await?;
    dialog(&first, "Yes, remove it").await?;
    first.type_text("y").await?;
    let why = "this client was removed from the session";
    second.wait_until_printed(why, |text| text.contains(why)).await?;
    assert_eq!(second.exit_code().await?, 1);
    first.wait_for("shared on :").await?;
    // Whoever starts it again comes again.
    let third = first.open_beside(&["attach"]).await?;
    third.wait_for(READY).await?;
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_has_joined_lists_who_is_there_and_removes_one() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let mut client = WebSocketClient::connect_as(&address(&first).await?, "/ws", "zed").await?;
    first.wait_for("1 client on :").await?;
    let second = first.open_beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    second.type_line("/clients").await?;
    second.wait_for_all(&["Who is here", "A2A zed", "A2A terminal ", "observe, prompt, approve"]).await?;
    second.type_text("zed").await?;
    second.wait_gone("A2A terminal").await?;
    second.press(&["Enter"]).await?;
    dialog(&second, "Remove A2A zed from this session?").await?;
    second.type_text("y").await?;
    while client.next().await?.is_some() {}
    second.wait_for("removed").await?;
    Ok(())
}

#[tokio::test]
async fn a_second_terminal_types_too_and_approves() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let second = first.open_beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    first.wait_for("1 client on :").await?;
    second.type_line("create notes.txt with \"buy milk\"").await?;
    first.wait_for("] > create notes.txt").await?;
    first.wait_for("Allow once").await?;
    dialog(&second, "Allow once").await?;
    second.type_text("1").await?;
    first.wait_gone("Allow once").await?;
    first.wait_for("tokens sent").await?;
    assert!(home.workspace().join("notes.txt").exists());
    first.type_line("help").await?;
    second.wait_for("] > help").await?;
    second.press(&["C-d"]).await?;
    assert_eq!(second.exit_code().await?, 0);
    first.wait_for("shared on :").await.context("the session goes on without it")?;
    Ok(())
}

#[tokio::test]
async fn every_terminal_says_how_many_are_there_and_which_is_which() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let (second, third) = (first.open_beside(&["attach"]).await?, first.open_beside(&["attach"]).await?);
    for terminal in [&first, &second, &third] {
        terminal.wait_for("2 clients on :").await?;
    }
    first.type_line("/clients").await?;
    let both = |screen: &str| names(screen).len() == 2;
    first.wait_until("two that are not called the same", both).await?;
    first.press(&["Escape"]).await?;
    third.press(&["C-d"]).await?;
    assert_eq!(third.exit_code().await?, 0);
    for terminal in [&first, &second] {
        terminal.wait_for("1 client on :").await?;
    }
    second.type_line("help").await?;
    let prompted = first.wait_for("] > help").await?;
    assert_eq!(names(&prompted).len(), 1, "{prompted}");
    Ok(())
}

/// The names of the attached terminals on a screen.
fn names(screen: &str) -> BTreeSet<&str> {
    let named = screen.split("A2A terminal ").skip(1);
    named.filter_map(|rest| rest.split([' ', ']', '\n']).next()).collect()
}

#[tokio::test]
async fn a_terminal_that_has_joined_offers_no_closing_of_the_door() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let second = first.open_beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    second.type_line("/a2a").await?;
    let panel = second.wait_for("c copy the address").await?;
    assert!(!panel.contains("close the endpoint"), "{panel}");
    second.type_text("x").await?;
    second.press(&["Escape"]).await?;
    second.wait_for(READY).await?;
    second.type_line("/a2a close").await?;
    second.wait_for("only the terminal that holds the session can close its endpoint").await?;
    first.wait_for("1 client on :").await?;
    Ok(())
}

#[tokio::test]
async fn whoever_holds_the_session_is_asked_before_the_others_lose_it() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let port = address(&first).await?.rsplit(':').next().context("an address has a port")?.to_owned();
    let second = first.open_beside(&["attach"]).await?;
    second.wait_for(READY).await?;
    first.wait_for("1 client on :").await?;
    first.press(&["C-d"]).await?;
    first.wait_for("1 client is attached and loses the session; press Ctrl+D again to leave").await?;
    first.press(&["C-d"]).await?;
    assert_eq!(first.exit_code().await?, 0);
    second.wait_for("! sharing was closed where the session runs; waiting a minute").await?;
    // Another session where this one was is not mistaken for it.
    let other = first.open_beside(&["--a2a-port", &port]).await?;
    other.wait_for(READY).await?;
    let over = "that session is no longer served there";
    second.wait_until_printed(over, |text| text.contains(over)).await?;
    assert_eq!(second.exit_code().await?, 1);
    Ok(())
}

#[tokio::test]
async fn why_there_is_no_connection_can_be_read() -> Result<()> {
    let home = home()?;
    let first = open(&home, &["--a2a-port", "0"]).await?;
    let second = first.open_beside(&["attach"]).await?;
    // The model's name comes with the log: everything has been read.
    second.wait_for("default mode · demo").await?;
    let pid = first.read_format("#{pane_pid}").await?;
    // The shell around it has the program as its only child.
    let program = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    send_signal(program.trim().parse()?, "KILL")?;
    second.wait_for("! not connected: cannot reach 127.0.0.1:").await?;
    second.wait_for_all(&["Connection refused", "Ctrl+D leaves"]).await?;
    second.type_line("are you there?").await?;
    second.wait_for("1 command not sent yet").await?;
    second.press(&["C-d"]).await?;
    let undelivered = "not confirmed as sent: are you there?";
    second.wait_until_printed(undelivered, |text| text.contains(undelivered)).await?;
    assert_eq!(second.exit_code().await?, 0);
    Ok(())
}
