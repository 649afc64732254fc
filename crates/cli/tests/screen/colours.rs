//! The theme follows the background that the terminal tells, and a terminal that tells nothing is not waited for.

use crate::screen::screen_session::{READY, home, open};
use anyhow::{Result, ensure};
use pollux_testkit::terminal::PtyTerminal;

/// The colour of less important text, on light and on dark backgrounds.
const DIM_ON_LIGHT: &str = "38;5;242";
const DIM_ON_LIGHT_OF_SIXTEEN: &str = "\x1b[0;90m";
const DIM_ON_DARK: &str = "38;5;246";

#[tokio::test]
async fn the_theme_follows_the_background_and_nothing_of_it_is_typed() -> Result<()> {
    let home = home()?;
    // Before it has a background of its own, tmux knows none, and says nothing.
    let silent = open(&home, &[]).await?;
    silent.wait_styled(DIM_ON_DARK).await?;
    for (background, dim) in [("white", DIM_ON_LIGHT), ("#002b36", DIM_ON_DARK), ("#fdf6e3", DIM_ON_LIGHT)] {
        silent.set_background(background).await?;
        let tmux = silent.open_beside(&[]).await?;
        tmux.wait_for(READY).await?;
        let styled = tmux.wait_styled(dim).await?;
        ensure!(!styled.contains("rgb:"), "on {background}:\n{styled}");
    }
    Ok(())
}

#[tokio::test]
async fn a_chosen_theme_stays_whatever_the_background_is() -> Result<()> {
    let home = home()?;
    let dark = open(&home, &[]).await?;
    dark.set_background("black").await?;
    dark.type_line("/theme light").await?;
    dark.wait_styled(DIM_ON_LIGHT).await?;
    let again = dark.open_beside(&[]).await?;
    again.wait_for(READY).await?;
    again.wait_styled(DIM_ON_LIGHT).await?;
    Ok(())
}

#[tokio::test]
async fn the_model_in_use_is_marked() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("/model").await?;
    let hint = "No API key found. For other models, set GEMINI_API_KEY,";
    tmux.wait_for_all(&["❯ demo-offline-not-an-ai  (needs no key) · in use", hint]).await?;
    Ok(())
}

#[tokio::test]
async fn a_terminal_that_answers_nothing_is_not_waited_for_and_may_answer_later() -> Result<()> {
    let home = home()?;
    let mut terminal = PtyTerminal::run(&home, home.program(), &[])?;
    // Neither where its cursor is nor what its background is.
    terminal.wait_for(READY)?;
    terminal.press(b"\x1b]11;rgb:ffff/ffff/ffff\x07ready")?;
    terminal.wait_for("ready")?;
    ensure!(!terminal.screen.contains("rgb:"), "{}", terminal.screen);
    ensure!(String::from_utf8_lossy(&terminal.bytes).contains(DIM_ON_LIGHT_OF_SIXTEEN), "{}", terminal.screen);
    Ok(())
}
