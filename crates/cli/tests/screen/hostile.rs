//! Text that wants to be a terminal's master. Everything a model, a file, a client or a server may say reaches the screen
//! as text and never as a sequence of its own.

use crate::screen::screen_session::{READY, address, dialog, home, message, model, socket};
use anyhow::Result;
use pollux_testkit::script;
use pollux_testkit::socket::WebSocketClient;
use pollux_testkit::tmux::TmuxWindow;
use serde_json::json;

/// Sets the title, clears the screen, switches to the other one, hides the cursor, goes elsewhere.
const ATTACK: &str = "\u{1b}]2;owned\u{7}\u{1b}[2J\u{1b}[?1049h\u{1b}[?25l\u{9b}31mred\u{1b}[Hhome\u{202e}drah";

#[tokio::test]
async fn nothing_a_model_or_a_client_says_is_a_sequence() -> Result<()> {
    let home = home()?;
    let answers = [
        script::text_answer(&format!("text {ATTACK} end of text")),
        script::call_answer(
            "run_shell_command",
            &json!({"command": format!("printf '%s' '{ATTACK}'; echo end of output")}),
        ),
        script::text_answer("end of the turn"),
    ];
    let model = model(&home, &answers)?;
    let tmux = TmuxWindow::start(&home, &["--a2a-port", "0", "--yolo", "--model", &model], 80, 40).await?;
    tmux.wait_for(READY).await?;
    let mut client = socket(&tmux).await?;
    client.send(&message(&json!({"text": format!("prompt {ATTACK} end of prompt")}))).await?;
    tmux.wait_for("end of text").await?;
    tmux.type_line("go on").await?;
    tmux.wait_for("end of the turn").await?;
    unharmed(&tmux, &["prompt ", "end of prompt", "text ", "end of text", "end of output"]).await
}

/// The screen is still ours, and every part of what was said is there to be read.
async fn unharmed(tmux: &TmuxWindow<'_>, parts: &[&str]) -> Result<()> {
    tmux.wait_for_format("#{pane_title} #{alternate_on} #{cursor_flag}", "◇ pollux workspace 0 1").await?;
    let all = |text: &str| parts.iter().all(|part| text.contains(part));
    let everything = tmux.wait_until_printed("every part", all).await?;
    assert!(!everything.contains(['\u{202e}', '\u{9b}', '\u{8}']), "{everything}");
    Ok(())
}

#[tokio::test]
async fn nothing_an_mcp_server_says_is_a_sequence() -> Result<()> {
    let home = home()?;
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screen/hostile.py");
    std::fs::create_dir_all(home.path(".gemini"))?;
    let settings = json!({"mcpServers": {"desk": {"command": "python3", "args": [server]}}});
    std::fs::write(home.path(".gemini/settings.json"), settings.to_string())?;
    let answers = [
        script::call_answer("mcp_desk_look", &json!({"words": format!("words {ATTACK} end of words")})),
        script::text_answer("end of the turn"),
        script::text_answer("end of the second turn"),
    ];
    let model = model(&home, &answers)?;
    let tmux = TmuxWindow::start(&home, &["--debug", "--model", &model], 100, 50).await?;
    // A name that hides something is not taken at all, and what it was is said.
    tmux.wait_for_all(&["desk is ready", "cannot be used: the tool", "cannot be used: the prompt", READY]).await?;
    tmux.type_line("/mcp list").await?;
    tmux.wait_for_all(&["mcp_desk_look", "desk:hail", READY]).await?;
    tmux.type_line("/tools desc").await?;
    tmux.wait_for_all(&["end of tool", READY]).await?;
    // What is offered while a command is being named.
    tmux.type_text("/desk").await?;
    tmux.wait_for("end of prompt").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_gone("end of prompt").await?;
    tmux.press(&["C-c"]).await?;
    tmux.wait_for(READY).await?;
    tmux.type_line("look").await?;
    dialog(&tmux, "Allow once").await?;
    tmux.wait_for("end of words").await?;
    tmux.type_text("1").await?;
    tmux.wait_for_all(&["end of the turn", READY]).await?;
    tmux.type_line("/desk:hail").await?;
    tmux.wait_for_all(&["end of the second turn", READY]).await?;
    unharmed(&tmux, &["mcp_desk_look", "end of tool"]).await?;
    // With every call in full, on a page of its own.
    tmux.press(&["C-o"]).await?;
    tmux.wait_for_all(&["end of words", "end of result", "everything so far"]).await?;
    tmux.wait_for_format("#{pane_title} #{alternate_on}", "◇ pollux workspace 1").await?;
    tmux.press(&["q"]).await?;
    tmux.wait_for(READY).await?;
    unharmed(&tmux, &["end of the second turn"]).await
}

#[tokio::test]
async fn nothing_a_client_is_called_is_a_sequence() -> Result<()> {
    let home = home()?;
    let tmux = TmuxWindow::start(&home, &["--a2a-port", "0"], 80, 24).await?;
    tmux.wait_for(READY).await?;
    // No more than this gets through HTTP: other control characters are no part of a header.
    let name = "\u{9b}31m\u{9d}2;owned\u{9c}\u{202e}evil\u{200b}\u{2066}client\t";
    let mut client = WebSocketClient::connect_as(&address(&tmux).await?, "/ws", name).await?;
    tmux.wait_for("1 client on :").await?;
    client.send(&message(&json!({"text": "help"}))).await?;
    tmux.wait_for_all(&["evilclient] > help", "tokens sent", READY]).await?;
    tmux.type_line("/clients").await?;
    dialog(&tmux, "WebSocket").await?;
    tmux.wait_for("evilclient").await?;
    tmux.press(&["Enter"]).await?;
    tmux.wait_for_all(&["evilclient from this session?", "Yes, remove it"]).await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for("Who is here").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for(READY).await?;
    unharmed(&tmux, &["evilclient] > help"]).await
}

#[tokio::test]
async fn a_command_is_never_partly_invisible() -> Result<()> {
    let home = home()?;
    let hidden = format!("echo good{}; touch bad.txt", " ".repeat(300));
    let answers = [script::call_answer("run_shell_command", &json!({"command": hidden}))];
    let model = model(&home, &answers)?;
    for columns in [40, 80] {
        let tmux = TmuxWindow::start(&home, &["--model", &model], columns, 24).await?;
        tmux.wait_for(READY).await?;
        tmux.type_line("do it").await?;
        tmux.wait_for_all(&["Allow once", "; touch bad.t"]).await?;
    }
    Ok(())
}
