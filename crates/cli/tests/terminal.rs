//! The plain terminal in a real one: what is typed, what is printed meanwhile, and how it is left.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{TestHome, address_in};
use pollux_testkit::script;
use pollux_testkit::socket::WebSocketClient;
use pollux_testkit::terminal::{CTRL_C, CTRL_D, PtyTerminal};
use serde_json::json;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

#[tokio::test]
async fn half_typed_text_comes_back_after_another_client_has_spoken() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = script::write(&home.path("script.jsonl"), &[script::repeat_forever(script::text_answer("Sure."))])?;
    let mut terminal = PtyTerminal::start(&home, &["--a2a-port", "0", "-m", &model])?;
    terminal.wait_for("shared on ")?;
    let address = address_in(&terminal.rest_of_line()?).context("the terminal prints no address")?;
    let mut socket = WebSocketClient::connect(&address, "/ws").await?;
    terminal.wait_for("\n> ")?;
    terminal.press("what ab".as_bytes())?;
    terminal.wait_for("what ab")?;
    socket
        .send(&json!({"jsonrpc": "2.0", "method": "message/stream",
            "params": {"message": {"content": {"text": "me first"}}}}))
        .await?;
    terminal.wait_for("me first")?;
    terminal.wait_for("Sure.")?;
    terminal.wait_for("\n> what ab")?;
    terminal.press(b"xx\x7f\x7fout it?\r")?;
    terminal.wait_for("Sure.")?;
    terminal.wait_for("\n> ")?;
    terminal.press(CTRL_D)?;
    assert_eq!(terminal.exit_code()?, 0);
    let shown = home.run(&["sessions"]).await?;
    ensure!(String::from_utf8_lossy(&shown.stdout).contains("me first"), "the session is kept");
    Ok(())
}

#[tokio::test]
async fn the_terminal_is_left_as_it_was() -> Result<()> {
    for (name, keys) in [("Ctrl+D", vec![CTRL_D]), ("Ctrl+C twice", vec![CTRL_C, CTRL_C]), ("/quit", vec![b"/quit\r"])]
    {
        let home = TestHome::new(POLLUX)?;
        let line = format!("trap : INT; {} --ephemeral -m demo; stty -a; echo over", home.program().display());
        let mut shell = PtyTerminal::run(&home, "/bin/sh", &["-c", &line])?;
        shell.wait_for("\n> ")?;
        for key in keys {
            shell.press(key)?;
            if key == CTRL_C {
                // It explains itself before it leaves.
                let _ = shell.wait_for("\n");
            }
        }
        let left = shell.wait_for("over")?;
        let modes: Vec<&str> = left.split_whitespace().map(|word| word.trim_end_matches(';')).collect();
        for mode in ["icanon", "echo", "iexten", "isig"] {
            ensure!(modes.contains(&mode), "{mode} is off after {name}: {left}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_dumb_terminal_is_sent_no_sequence() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let line = format!("TERM=dumb exec {} --ephemeral -m demo --debug", home.program().display());
    let mut terminal = PtyTerminal::run(&home, "/bin/sh", &["-c", &line])?;
    terminal.wait_for("\n> ")?;
    // Typed, taken back and typed again; a call that asks, with its headline and its result.
    terminal.press(b"run touch oops\x7f\x7f\x7f\x7fhello.txt\r")?;
    terminal.wait_for("answer 1-3: ")?;
    terminal.type_line("1")?;
    terminal.wait_for("Chain finished")?;
    terminal.wait_for("\n> ")?;
    terminal.press(CTRL_D)?;
    assert_eq!(terminal.exit_code()?, 0);
    ensure!(!terminal.bytes.contains(&0x1b), "{}", String::from_utf8_lossy(&terminal.bytes).escape_debug());
    Ok(())
}

#[tokio::test]
async fn what_the_program_says_of_itself_never_lands_on_the_prompt() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let mut terminal = PtyTerminal::start(&home, &["--a2a-port", "0", "-m", "demo", "--debug"])?;
    terminal.wait_for("shared on ")?;
    let address = address_in(&terminal.rest_of_line()?).context("the terminal prints no address")?;
    terminal.wait_for("\n> ")?;
    terminal.press(b"half")?;
    terminal.wait_for("half")?;
    let _socket = WebSocketClient::connect(&address, "/ws").await?;
    terminal.wait_for("A2A client connected")?;
    terminal.wait_for("\n> half")?;
    ensure!(terminal.screen.contains("[A2AService]"), "{}", terminal.screen);
    for line in terminal.screen.lines().filter(|line| line.contains("A2A client connected")) {
        ensure!(!line.contains("> "), "it lands on the prompt: {line:?}");
    }
    Ok(())
}

#[tokio::test]
async fn long_lines_are_broken_between_words() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let words = "word ".repeat(40);
    let model = script::write(&home.path("script.jsonl"), &[script::text_answer(words.trim_end())])?;
    let mut terminal = PtyTerminal::start(&home, &["--ephemeral", "-m", &model])?;
    terminal.wait_for("\n> ")?;
    terminal.type_line("go")?;
    let answer = terminal.wait_for("\n> ")?;
    let told: Vec<&str> = answer.lines().filter(|line| line.contains("word")).collect();
    ensure!(told.len() == 3, "{told:?}");
    ensure!(told.iter().all(|line| line.len() <= 80 && line.trim_end().ends_with("word")), "{told:?}");
    Ok(())
}

#[tokio::test]
async fn a_model_that_is_unknown_changes_nothing() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let mut terminal = PtyTerminal::start(&home, &["--ephemeral", "-m", "demo"])?;
    terminal.wait_for("\n> ")?;
    terminal.type_line("/model no-such-model")?;
    terminal.wait_for("no-such-model")?;
    terminal.wait_for("nothing has changed; /model lists what can be had")?;
    terminal.wait_for("\n> ")?;
    terminal.type_line("/model")?;
    let listed = terminal.wait_for("/model NAME sets another one")?;
    ensure!(listed.contains("demo-offline-not-an-ai  (needs no key) · in use"), "{listed}");
    ensure!(listed.contains("No API key found. For other models, set GEMINI_API_KEY,"), "{listed}");
    terminal.wait_for("\n> ")?;
    terminal.type_line("list the files")?;
    terminal.wait_for("▸ list_directory")?;
    Ok(())
}
