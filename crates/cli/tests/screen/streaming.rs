//! What happens while the agent works: streams, resizes, cancels.

use crate::stage::{READY, home, model, open};
use anyhow::Result;
use pollux_testkit::script;

/// A prompt whose command runs until the gate is opened.
const GATED: &str = "run mkfifo gate && echo at the gate && cat gate";

#[tokio::test]
async fn a_long_answer_is_in_the_scrollback_once_and_in_order() -> Result<()> {
    let home = home()?;
    let lines: Vec<String> = (1..=300).map(|number| format!("- line number {number} of the answer")).collect();
    let answers = [script::says(&lines.join("\n"))];
    let tmux = open(&home, &["--model", &model(&home, &answers)?]).await?;
    tmux.enter("count").await?;
    tmux.wait_for("line number 300").await?;
    tmux.wait_for(READY).await?;
    let everything = tmux.everything().await?;
    let found: Vec<usize> = everything
        .lines()
        .filter_map(|line| line.split_once("line number ")?.1.split_once(' ')?.0.parse().ok())
        .collect();
    assert_eq!(found, (1..=300).collect::<Vec<usize>>());
    Ok(())
}

#[tokio::test]
async fn a_resize_while_a_command_prints_leaves_one_composer() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.enter("run for i in $(seq 1 400); do echo row $i of the output; sleep 0.01; done").await?;
    tmux.wait_for("row 20 of").await?;
    for (columns, rows) in [(40, 24), (120, 30), (60, 12), (300, 40), (80, 24)] {
        tmux.resize(columns, rows).await?;
        tmux.wait_until("the status line", |screen| screen.contains("YOLO")).await?;
    }
    let screen = tmux.wait_for("tokens sent").await?;
    assert_eq!(screen.matches(READY).count(), 1, "{screen}");
    assert_eq!(screen.matches("YOLO").count(), 1, "{screen}");
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
    let everything = tmux.everything().await?;
    assert!(everything.contains("cancelled"), "{everything}");
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
    assert_eq!(tmux.says("#{alternate_on}").await?, "1");
    tmux.types("q").await?;
    tmux.wait_for(READY).await?;
    assert_eq!(tmux.says("#{alternate_on}").await?, "0");
    Ok(())
}
