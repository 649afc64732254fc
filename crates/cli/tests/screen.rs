//! The screen, in a real tmux, driven by keys. What a person would see is what tmux says is there.

mod asks;
mod broken_session;
mod colours;
mod composer;
mod criteria;
mod hostile;
mod joining;
mod leaving;
mod screen_session;
mod streaming;
mod trust;

use anyhow::Result;
use pollux_testkit::tmux::TmuxWindow;
use screen_session::{dialog, home, open};

#[tokio::test]
async fn the_first_prompt_is_answered() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.wait_for("offline demo, not an AI").await?;
    tmux.type_line("help").await?;
    tmux.wait_for("offline demo, not an AI").await?;
    tmux.wait_for("> help").await?;
    Ok(())
}

#[tokio::test]
async fn a_prompt_among_the_arguments_is_sent_first_and_the_session_goes_on() -> Result<()> {
    let home = home()?;
    for args in [&["list the files"][..], &["-i", "list the files"], &["--plain", "list the files"]] {
        let tmux = TmuxWindow::start(&home, args, 80, 24).await?;
        tmux.wait_for_all(&["> list the files", "Listing"]).await?;
        tmux.type_line("help").await?;
        tmux.wait_for_all(&["> help", "I match fixed sentences"]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_first_start_has_three_tips_and_says_how_to_set_a_key() -> Result<()> {
    let home = home()?;
    let first = open(&home, &[]).await?;
    let screen = first.screen().await?;
    for part in [
        "Set GEMINI_API_KEY",
        "1. Ask about the code",
        "2. Edits ask first, and so do commands that are not known to only read.",
        "3. Shift+Tab sets the mode; /help lists",
    ] {
        assert!(screen.contains(part), "{part} is not in\n{screen}");
    }
    let second = open(&home, &[]).await?;
    let screen = second.screen().await?;
    assert!(screen.contains("Set GEMINI_API_KEY") && !screen.contains("1. Ask about"), "{screen}");
    Ok(())
}

#[tokio::test]
async fn the_title_says_where_and_how_things_stand() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.wait_for_format("#{pane_title}", "◇ pollux workspace").await?;
    tmux.type_line("run sleep 60").await?;
    tmux.wait_for("Allow once").await?;
    tmux.wait_for_format("#{pane_title}", "✋ pollux workspace").await?;
    assert_eq!(tmux.read_format("#{alternate_on}").await?, "0", "the terminal's own scrollback is used");
    Ok(())
}

#[tokio::test]
async fn modes_go_round_and_the_last_one_asks_first() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    for mode in ["auto_edit mode", "plan mode", "DANGER", "default mode"] {
        tmux.press(&["BTab"]).await?;
        tmux.wait_for(mode).await?;
    }
    tmux.press(&["C-y"]).await?;
    dialog(&tmux, "DANGER").await?;
    tmux.press(&["y"]).await?;
    tmux.wait_for("yolo mode").await?;
    tmux.press(&["BTab"]).await?;
    tmux.wait_for("default mode").await?;
    Ok(())
}

#[tokio::test]
async fn a_command_after_an_exclamation_mark_runs_without_a_second_question() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("!echo from the shell > made.txt && cat made.txt").await?;
    tmux.wait_for("from the shell").await?;
    tmux.wait_until("the file is there", |_| home.workspace().join("made.txt").exists()).await?;
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_the_settings_is_said_on_the_screen() -> Result<()> {
    let home = home()?;
    for (folder, settings) in [
        (home.workspace(), r#"{"mcpServers": {"theirs": {"command": "true"}}}"#),
        (home.path(""), r#"{"noSuchThing": true}"#),
    ] {
        std::fs::create_dir_all(folder.join(".gemini"))?;
        std::fs::write(folder.join(".gemini/settings.json"), settings)?;
    }
    home.run(&["trust"]).await?;
    let tmux = open(&home, &[]).await?;
    let told = ["offline demo, not an AI", "noSuchThing", "mcpServers is not taken"];
    let in_order = |text: &str| {
        let places = told.map(|part| text.find(part));
        places.iter().all(Option::is_some) && places.is_sorted()
    };
    let everything = tmux.wait_until_printed("both warnings below the greeting", in_order).await?;
    assert!(!everything.contains("WARN"), "a line was printed above the screen:\n{everything}");
    Ok(())
}

#[tokio::test]
async fn what_is_wrong_with_the_settings_is_said_when_no_screen_comes() -> Result<()> {
    let home = home()?;
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/settings.json"), r#"{"noSuchThing": true}"#)?;
    let tmux = TmuxWindow::start(&home, &["--model", "script:nowhere"], 80, 24).await?;
    let both = |text: &str| text.contains("noSuchThing") && text.contains("nowhere");
    tmux.wait_until_printed("the warning and the error", both).await?;
    assert_ne!(tmux.exit_code().await?, 0);
    Ok(())
}
