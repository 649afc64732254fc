//! What happens while the agent works: streams, resizes, cancels.

use crate::stage::{GATED, READY, home, model, open};
use anyhow::Result;
use pollux_testkit::script;

#[tokio::test]
async fn a_long_answer_is_in_the_scrollback_once_and_in_order() -> Result<()> {
    let home = home()?;
    let lines: Vec<String> = (1..=300).map(|number| format!("- line number {number} of the answer")).collect();
    let answers = [script::says(&lines.join("\n"))];
    let tmux = open(&home, &["--model", &model(&home, &answers)?]).await?;
    tmux.enter("count").await?;
    tmux.wait_for("line number 300").await?;
    tmux.wait_for(READY).await?;
    let numbers = |text: &str| -> Vec<usize> {
        text.lines().filter_map(|line| line.split_once("line number ")?.1.split_once(' ')?.0.parse().ok()).collect()
    };
    let wanted: Vec<usize> = (1..=300).collect();
    tmux.wait_until_everything("each line once", |text| numbers(text) == wanted).await?;
    Ok(())
}

#[tokio::test]
async fn a_resize_while_a_command_prints_leaves_one_composer() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.enter("run for i in $(seq 1 400); do echo row $i of the output; sleep 0.01; done").await?;
    tmux.wait_for("│ row ").await?;
    for (columns, rows) in [(40, 24), (120, 30), (60, 12), (300, 40), (80, 24)] {
        tmux.resize(columns, rows).await?;
        tmux.wait_until("the status line", |screen| screen.contains("YOLO")).await?;
    }
    let one_of_each = |screen: &str| ["tokens sent", READY, "YOLO"].map(|text| screen.matches(text).count()) == [1; 3];
    tmux.wait_until("one composer and one status line", one_of_each).await?;
    Ok(())
}

#[tokio::test]
async fn escape_cancels_the_turn() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.enter(GATED).await?;
    tmux.wait_for("at the gate").await?;
    tmux.wait_for("Esc to cancel").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_gone("Esc to cancel").await?;
    tmux.wait_for("cancelled").await?;
    Ok(())
}

#[tokio::test]
async fn everything_can_be_read_again_with_calls_opened() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.enter("run seq 1 50").await?;
    tmux.wait_for("tokens sent").await?;
    tmux.press(&["C-o"]).await?;
    tmux.wait_for("everything so far").await?;
    tmux.wait_says("#{alternate_on}", "1").await?;
    tmux.types("q").await?;
    tmux.wait_for(READY).await?;
    tmux.wait_says("#{alternate_on}", "0").await?;
    Ok(())
}

#[tokio::test]
async fn narrowing_again_and_again_leaves_no_copies() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    // Rows that fit the narrowest window: where all of them are wrapped there may be no room for them, see docs/TERMINAL.md.
    tmux.enter("run for i in $(seq 1 400); do echo row $i of the output; sleep 0.01; done").await?;
    tmux.wait_for("│ row ").await?;
    for columns in [76, 70, 66, 60, 55, 50, 44, 40, 80] {
        tmux.resize(columns, 24).await?;
        tmux.wait_until("the status line", |screen| screen.contains("YOLO")).await?;
    }
    let parts = ["tokens sent", READY, "YOLO", "│ row 400 of", "Esc to cancel"];
    let once = |text: &str| parts.map(|part| text.matches(part).count()) == [1, 1, 1, 1, 0];
    let no_copies = |text: &str| text.matches("│ row ").count() == 10;
    tmux.wait_until_everything("nothing of the live rows", |text| once(text) && no_copies(text)).await?;
    Ok(())
}
