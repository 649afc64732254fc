//! The dialog that asks whether a folder is trusted, and what an answer changes.

use crate::screen::screen_session::{READY, dialog, home};
use anyhow::Result;
use pollux_testkit::tmux::TmuxWindow;

const QUESTION: &str = "Do you trust the files in this folder?";

#[tokio::test]
async fn a_prompt_typed_at_the_dialog_trusts_nothing_and_trust_counts_at_once() -> Result<()> {
    let home = home()?;
    let gemini = home.workspace().join(".gemini");
    std::fs::create_dir_all(gemini.join("commands"))?;
    std::fs::write(gemini.join("settings.json"), r#"{"tools": {"exclude": ["web_fetch"]}}"#)?;
    std::fs::write(gemini.join("commands/greet.toml"), "prompt = \"say hello\"\ndescription = \"Greets\"\n")?;
    let kept = home.path(".gemini/trustedFolders.json");
    let tmux = TmuxWindow::start(&home, &[], 80, 30).await?;
    dialog(&tmux, QUESTION).await?;
    tmux.type_line("fix 2 bugs").await?;
    dialog(&tmux, "this waits for an answer first").await?;
    assert!(!kept.exists(), "a digit of a prompt has decided");

    tmux.press(&["Down"]).await?;
    tmux.wait_for("❯ 1. Trust this folder").await?;
    tmux.press(&["Enter"]).await?;
    // The prompt is not lost.
    tmux.wait_for_all(&["counts from now on", "> fix 2 bugs"]).await?;
    tmux.press(&["C-c"]).await?;
    tmux.wait_for(READY).await?;
    let workspace = home.workspace().canonicalize()?.display().to_string();
    let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&kept)?)?;
    assert_eq!(file, serde_json::json!({ workspace: "TRUST_FOLDER" }));

    tmux.type_line("/tools").await?;
    let tools = tmux.wait_until_printed("the tools", |text| text.contains("write_todos")).await?;
    assert!(!tools.contains("web_fetch"), "the folder's settings do not count yet:\n{tools}");
    tmux.type_line("/greet").await?;
    tmux.wait_until_printed("the answer to the folder's command", |text| text.contains("tokens sent")).await?;
    Ok(())
}

#[tokio::test]
async fn whoever_leaves_the_dialog_has_decided_nothing() -> Result<()> {
    let home = home()?;
    std::fs::create_dir_all(home.workspace().join(".gemini"))?;
    std::fs::write(home.workspace().join(".gemini/settings.json"), "{}")?;
    for key in ["C-c", "C-d"] {
        let tmux = TmuxWindow::start(&home, &[], 80, 30).await?;
        dialog(&tmux, QUESTION).await?;
        tmux.press(&[key]).await?;
        assert_eq!(tmux.exit_code().await?, 0, "{key}");
        let left = tmux.screen_and_scrollback().await?;
        assert!(!left.contains("Resume this session"), "nothing was said in it:\n{left}");
    }
    assert!(!home.path(".gemini/trustedFolders.json").exists());
    Ok(())
}
