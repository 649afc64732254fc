//! Typing: several lines, completion, pastes, history, the queue.

use crate::stage::{GATED, READY, home, open};
use anyhow::Result;

#[tokio::test]
async fn a_prompt_of_several_lines() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.types("create notes.txt with \"buy milk\"").await?;
    tmux.press(&["C-j"]).await?;
    tmux.types("read notes.txt").await?;
    tmux.wait_for("\n  read notes.txt").await?;
    tmux.press(&["Enter"]).await?;
    tmux.wait_for_all(&["Allow once", "> create notes.txt with \"buy milk\"\n  read notes.txt"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_file_is_completed_and_told_to_the_model() -> Result<()> {
    let home = home()?;
    std::fs::create_dir(home.workspace().join("src"))?;
    std::fs::write(home.workspace().join("src/lighthouse.rs"), "fn shine() {}\n")?;
    let tmux = open(&home, &[]).await?;
    tmux.types("what is in @light").await?;
    tmux.wait_for("src/lighthouse.rs").await?;
    tmux.press(&["Tab"]).await?;
    tmux.wait_for("@src/lighthouse.rs").await?;
    Ok(())
}

#[tokio::test]
async fn a_command_is_completed() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.types("/abo").await?;
    tmux.wait_for("/about").await?;
    tmux.press(&["Tab"]).await?;
    tmux.press(&["Enter"]).await?;
    tmux.wait_for("sandbox: none").await?;
    Ok(())
}

#[tokio::test]
async fn a_megabyte_is_pasted_folded_and_sent_whole() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    let line = "all work and no play makes a long paste\n";
    tmux.types("count this: ").await?;
    tmux.paste(&line.repeat(1_048_576 / line.len())).await?;
    let screen = tmux.wait_for("[Pasted text: ").await?;
    assert!(!screen.contains("all work and no play"), "{screen}");
    tmux.press(&["C-u"]).await?;
    tmux.wait_for(READY).await?;
    Ok(())
}

#[tokio::test]
async fn earlier_prompts_come_back_in_later_sessions() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.enter("help").await?;
    tmux.wait_for("tokens sent").await?;
    tmux.press(&["C-d"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    drop(tmux);
    let tmux = open(&home, &[]).await?;
    tmux.press(&["Up"]).await?;
    tmux.wait_for("> help").await?;
    Ok(())
}

#[tokio::test]
async fn a_prompt_waits_is_changed_and_is_not_fired_by_cancelling() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.enter(GATED).await?;
    tmux.wait_for("at the gate").await?;
    tmux.enter("create one.txt with \"1\"").await?;
    tmux.wait_for("1 prompt waiting").await?;
    tmux.press(&["Up"]).await?;
    tmux.wait_gone("1 prompt waiting").await?;
    tmux.press(&["C-u"]).await?;
    tmux.enter("create two.txt with \"2\"").await?;
    tmux.wait_for("1 prompt waiting").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for("/queue go").await?;
    assert!(!home.workspace().join("two.txt").exists());
    tmux.enter("/queue go").await?;
    tmux.wait_gone("1 prompt waiting").await?;
    tmux.wait_until("the file is there", |_| home.workspace().join("two.txt").exists()).await?;
    assert!(!home.workspace().join("one.txt").exists());
    Ok(())
}
