//! Text that wants to be a terminal's master. Everything a model, a file, a client or a server may say reaches the screen
//! as text and never as a sequence of its own.

use crate::stage::{home, message, model, socket};
use anyhow::Result;
use pollux_testkit::script;
use pollux_testkit::tmux::Tmux;
use serde_json::json;

/// Sets the title, clears the screen, switches to the other one, hides the cursor, goes elsewhere.
const ATTACK: &str = "\u{1b}]2;owned\u{7}\u{1b}[2J\u{1b}[?1049h\u{1b}[?25l\u{9b}31mred\u{1b}[Hhome\u{202e}drah";

#[tokio::test]
async fn nothing_a_model_or_a_client_says_is_a_sequence() -> Result<()> {
    let home = home()?;
    let answers = [
        script::says(&format!("text {ATTACK} end of text")),
        script::calls("run_shell_command", &json!({"command": format!("printf '%s' '{ATTACK}'; echo end of output")})),
        script::says("end of the turn"),
    ];
    let model = model(&home, &answers)?;
    let tmux = Tmux::start(&home, &["--a2a-port", "0", "--yolo", "--model", &model], 80, 40).await?;
    tmux.wait_for(crate::stage::READY).await?;
    let mut client = socket(&tmux).await?;
    client.send(&message(&json!({"text": format!("prompt {ATTACK} end of prompt")}))).await?;
    tmux.wait_for("end of text").await?;
    tmux.enter("go on").await?;
    tmux.wait_for("end of the turn").await?;
    assert_ne!(tmux.says("#{pane_title}").await?, "owned");
    assert_eq!(tmux.says("#{alternate_on}").await?, "0");
    let parts = ["prompt ", "end of prompt", "text ", "end of text", "end of output"];
    let all = |text: &str| parts.iter().all(|part| text.contains(part));
    let everything = tmux.wait_until_everything("every part", all).await?;
    assert!(!everything.contains('\u{202e}'));
    Ok(())
}

#[tokio::test]
async fn a_command_is_never_partly_invisible() -> Result<()> {
    let home = home()?;
    let hidden = format!("echo good{}; touch bad.txt", " ".repeat(300));
    let answers = [script::calls("run_shell_command", &json!({"command": hidden}))];
    let model = model(&home, &answers)?;
    for columns in [40, 80] {
        let tmux = Tmux::start(&home, &["--model", &model], columns, 24).await?;
        tmux.wait_for(crate::stage::READY).await?;
        tmux.enter("do it").await?;
        tmux.wait_for_all(&["Allow once", "; touch bad.t"]).await?;
    }
    Ok(())
}
