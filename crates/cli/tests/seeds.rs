//! The examples of the endpoint guide, as the README shows them, run by the programs a person would use (a shell, curl
//! and wscat), and those of the server reference that take the real program.

mod guide;
mod picture;
mod readme;
mod reference;
mod shape;

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::TestHome;
use pollux_testkit::terminal::PtyTerminal;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use shape::differences;
use std::path::{Path, PathBuf};

#[test]
fn the_readme_shows_the_examples_of_the_guide_as_they_are() -> Result<()> {
    let blocks = readme::blocks()?;
    let shown = |language: &str| -> Vec<String> {
        let chosen = blocks.iter().filter(|block| block.language == language);
        chosen.map(|block| block.text.clone()).collect()
    };
    let commands = shown("bash");
    let commands: Vec<&str> = commands.iter().map(String::as_str).filter(|text| text.contains("41243")).collect();
    assert_eq!(commands, guide::COMMANDS);
    assert_eq!(shown("json"), [guide::PROMPT, guide::CONFIRMATION]);
    Ok(())
}

#[tokio::test]
async fn curl_fetches_the_agent_card() -> Result<()> {
    let (home, port) = (home()?, free_port()?);
    let _gemini = start(&home, "gemini", port)?;
    let card = shell(&home, &readme::command("curl", port)?).await?;
    let card: Value = serde_json::from_str(&card)?;
    assert_eq!(
        (&card["url"], &card["protocolVersion"], &card["capabilities"]["streaming"]),
        (&json!(format!("http://localhost:{port}/")), &json!("0.3.0"), &json!(true))
    );
    let extensions = card["capabilities"]["extensions"].as_array().context("the card names its extensions")?;
    let uris: Vec<&str> = extensions.iter().filter_map(|extension| extension["uri"].as_str()).collect();
    assert_eq!(uris, [guide::EXTENSION]);
    Ok(())
}

#[tokio::test]
async fn curl_drives_the_http_routes() -> Result<()> {
    let (home, port) = (home()?, free_port()?);
    let mut gemini = start(&home, "gemini", port)?;
    let tasks = format!("http://localhost:{port}/tasks");
    let created: Value = serde_json::from_str(&shell(&home, &format!("curl -X POST {tasks}")).await?)?;
    let session = created["sessionId"].as_str().context("POST /tasks returns the sessionId")?;

    let frame = readme::frame("\"text\"")?;
    let line = format!("curl -N -H 'Content-Type: application/json' -d '{frame}' {tasks}/{session}/messages/stream");
    let stream = shell(&home, &line).await?;
    gemini.wait_for("[A2A curl] > List the files in the current directory")?;
    let frames = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    let frames: Vec<Value> = frames.map(serde_json::from_str).collect::<Result<_, _>>()?;
    let text = frames.iter().find(|frame| frame["kind"] == "TEXT_CONTENT").context("text comes")?;
    assert_eq!(differences(&serde_json::from_str(guide::TEXT_CONTENT)?, text), [".seq is more"]);
    let last = frames.last().context("the stream ends")?;
    assert_eq!(
        (&last["kind"], &last["state"], &last["final"]),
        (&json!("STATE_CHANGE"), &json!("completed"), &json!(true))
    );
    Ok(())
}

#[tokio::test]
async fn wscat_sends_a_prompt_and_receives_the_updates() -> Result<()> {
    let (home, port) = (home_with_wscat()?, free_port()?);
    let mut gemini = start(&home, "gemini", port)?;
    let mut wscat = connect(&home, port)?;
    wscat.type_line(&readme::frame("\"text\"")?)?;
    gemini.wait_for("[A2A] > List the files in the current directory")?;
    let frames = received(&mut wscat, |frame| frame["final"] == true)?;
    let kinds: Vec<&str> = frames.iter().filter_map(|frame| frame["kind"].as_str()).collect();
    for kind in ["THOUGHT", "TEXT_CONTENT", "TOOL_CALL_UPDATE", "STATE_CHANGE"] {
        assert!(kinds.contains(&kind), "no {kind} in {frames:#?}");
    }
    let text = frames.iter().find(|frame| frame["kind"] == "TEXT_CONTENT").context("text comes")?;
    assert_eq!(differences(&serde_json::from_str(guide::TEXT_CONTENT)?, text), [".seq is more"]);
    assert_eq!(frames.last().context("the turn ends")?["state"], "completed");
    Ok(())
}

#[tokio::test]
async fn wscat_answers_what_the_terminal_asks() -> Result<()> {
    let (home, port) = (home_with_wscat()?, free_port()?);
    let mut gemini = start(&home, "gemini", port)?;
    let mut wscat = connect(&home, port)?;
    gemini.type_line("run echo from wscat > made.txt")?;
    gemini.wait_for("Allow once")?;
    let pending = received(&mut wscat, |frame| frame["status"] == "PENDING")?.pop().context("the ask comes")?;
    assert_eq!(
        differences(&serde_json::from_str(guide::PENDING)?, &pending),
        [
            ".confirmation_request.options[].description is more",
            ".confirmation_request.details.execute_details.working_directory is more",
            ".description is more",
            ".input_parameters is more",
            ".seq is more",
        ]
    );
    let request = &pending["confirmation_request"];
    assert_eq!(request["details"]["execute_details"]["command"], "echo from wscat > made.txt");
    let options: Vec<&str> =
        request["options"].as_array().into_iter().flatten().filter_map(|it| it["id"].as_str()).collect();
    assert_eq!(options, ["proceed_once", "proceed_always", "cancel"]);

    let call = pending["tool_call_id"].as_str().context("the ask has an id")?;
    wscat.type_line(&readme::frame("TOOL_CALL_CONFIRMATION")?.replace(guide::CALL, call))?;
    gemini.wait_for("A2A allowed it once")?;
    let after = received(&mut wscat, |frame| frame["final"] == true && frame["state"] == "completed")?;
    let statuses: Vec<&str> = after.iter().filter_map(|frame| frame["status"].as_str()).collect();
    assert_eq!(statuses, ["EXECUTING", "SUCCEEDED"]);
    assert_eq!(std::fs::read_to_string(home.workspace().join("made.txt"))?, "from wscat\n");
    Ok(())
}

#[tokio::test]
async fn debug_shows_the_lines_that_the_guide_tells_to_look_for() -> Result<()> {
    let (home, port) = (home_with_wscat()?, free_port()?);
    let mut gemini = start(&home, "gemini --a2a-port 41243 --debug", port)?;
    let _wscat = connect(&home, port)?;
    gemini.wait_for("A2A client connected")?;
    assert!(gemini.screen.contains("[A2AService]"), "{}", gemini.screen);
    Ok(())
}

/// A home in which `gemini` is on the path.
fn home() -> Result<TestHome> {
    let gemini = Path::new(env!("CARGO_BIN_EXE_gemini"));
    let mut home = TestHome::new(env!("CARGO_BIN_EXE_gemini"))?;
    home.put_on_path(gemini.parent().context("a program is in a directory")?);
    Ok(home)
}

/// A home with `wscat`.
fn home_with_wscat() -> Result<TestHome> {
    let peers = std::env::var_os("POLLUX_PEERS").map(PathBuf::from);
    let peers = peers.context("POLLUX_PEERS is not set: `cargo xtask test` installs wscat and says where it is")?;
    let mut home = home()?;
    home.put_on_path(peers.join("node/node_modules/.bin"));
    Ok(home)
}

/// A port that nobody has. Another program may take it before it is used; the test then fails and says so.
fn free_port() -> Result<u16> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Type the README's command that begins with `words` into a shell in a terminal, and wait for the sign.
fn start(home: &TestHome, words: &str, port: u16) -> Result<PtyTerminal> {
    let mut terminal = PtyTerminal::run(home, "sh", &["-c", &format!("exec {}", readme::command(words, port)?)])?;
    terminal.wait_for(&format!("shared on http://127.0.0.1:{port}/"))?;
    terminal.wait_for("\n> ")?;
    Ok(terminal)
}

/// Type the README's wscat command into a shell in another terminal, and wait until it is connected.
fn connect(home: &TestHome, port: u16) -> Result<PtyTerminal> {
    let line = format!("exec {}", readme::command("wscat", port)?);
    let mut terminal = PtyTerminal::run(home, "sh", &["-c", &line])?;
    terminal.wait_for("Connected")?;
    Ok(terminal)
}

/// The frames that wscat prints, up to the one that `ends` it.
fn received(wscat: &mut PtyTerminal, ends: impl Fn(&Value) -> bool) -> Result<Vec<Value>> {
    let mut frames = Vec::new();
    loop {
        wscat.wait_for("< {")?;
        let frame: Value = serde_json::from_str(&format!("{{{}", wscat.rest_of_line()?))?;
        frames.push(frame.clone());
        if ends(&frame) {
            return Ok(frames);
        }
    }
}

/// Run a line in a shell; what it prints.
async fn shell(home: &TestHome, line: &str) -> Result<String> {
    let output = home.run_program("sh", &["-c", line]).await?;
    ensure!(output.status.success(), "`{line}` failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}
