//! Gemini CLI as a client: Pollux is a remote agent of it, named in a file of the person's, and Gemini CLI hands it work over
//! A2A 0.3. Skipped when Gemini CLI is not installed.

use crate::differential::gemini_settings;
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{ServerMode, TestHome};
use pollux_testkit::replay::ReplayProvider;
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::timeout;

/// Gemini CLI takes seconds to start, more where the machine is busy.
const TIMEOUT: Duration = Duration::from_secs(180);
const MODEL: &str = "gemini-2.5-flash";

/// A step in which Gemini CLI's model hands work to Pollux.
fn invoke_pollux(prompt: &str) -> Value {
    json!({"calls": [{"name": "invoke_agent", "args": {"agent_name": "pollux", "prompt": prompt}}]})
}

/// Gemini CLI's words to its model about the work it had handed over.
fn results(upstream: &ReplayProvider) -> Vec<String> {
    let requests = upstream.requests();
    let contents = requests.last().map(|request| request.body["contents"].clone()).unwrap_or_default();
    let parts = contents.as_array().into_iter().flatten().filter_map(|content| content["parts"].as_array()).flatten();
    parts.filter_map(|part| part.get("functionResponse")).map(|result| result["response"].to_string()).collect()
}

/// Both programs: Pollux's model does `far`, Gemini CLI's does `near`. What Gemini CLI said, and what it told its model of
/// the work it had handed over. `None` where it is not installed.
async fn play(mode: ServerMode, far: &[Value], near: &[Value]) -> Result<Option<(TestHome, String, Vec<String>)>> {
    let Some(peers) = std::env::var_os("POLLUX_PEERS").map(PathBuf::from) else {
        eprintln!("skipped: POLLUX_PEERS is not set; `cargo xtask test` sets the peers up");
        return Ok(None);
    };
    let there = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    std::fs::write(there.workspace().join("notes.txt"), "the answer is forty-two\n")?;
    let model = script::write(&there.path("script.jsonl"), far)?;
    let server = there.serve_as(mode, &["-m", &model]).await?;

    let here = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let write = |name: &str, text: String| -> Result<()> {
        let path = here.path(name);
        std::fs::create_dir_all(path.parent().context("a directory")?)?;
        Ok(std::fs::write(path, text)?)
    };
    let card = server.url("/.well-known/agent-card.json");
    let head = format!("kind: remote\nname: pollux\ndescription: Knows the notes.\nagent_card_url: {card}");
    write(".gemini/agents/pollux.md", format!("---\n{head}\n---\n"))?;
    write(".gemini/settings.json", gemini_settings::settings(MODEL).to_string())?;
    let upstream = ReplayProvider::start(near).await?;
    let gemini = peers.join("node/node_modules/.bin/gemini");
    let mut command = here.command_of(gemini, &["--prompt", "ask pollux", "--yolo", "--skip-trust"]);
    command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", &upstream.address);
    let ended = timeout(TIMEOUT, command.output()).await.context("Gemini CLI does not end")??;
    let said = String::from_utf8(ended.stdout)?;
    ensure!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    Ok(Some((there, said.trim().to_owned(), results(&upstream))))
}

#[tokio::test]
async fn gemini_cli_hands_work_to_pollux_and_gets_the_answers() -> Result<()> {
    let far = [
        script::call_answer("read_file", &json!({"file_path": "notes.txt"})),
        script::text_answer("It is forty-two."),
        script::text_answer("Because the notes say so."),
    ];
    let near = [
        invoke_pollux("what is the answer?"),
        invoke_pollux("and why?"),
        json!({"says": "Pollux has answered twice."}),
    ];
    let Some((_, said, told)) = play(ServerMode::Serve, &far, &near).await? else { return Ok(()) };
    assert_eq!(said, "Pollux has answered twice.");
    ensure!(told.len() == 2, "two results: {told:?}");
    ensure!(told[0].matches("It is forty-two.").count() == 1, "{told:?}");
    ensure!(told[1].matches("Because the notes say so.").count() == 1, "{told:?}");
    Ok(())
}

/// Gemini CLI keeps the task that asks something, so its model can answer in words.
#[tokio::test]
async fn gemini_cli_approves_refuses_and_redirects_in_words() -> Result<()> {
    approve_refuse_and_redirect(ServerMode::Serve).await
}

#[tokio::test]
async fn gemini_cli_approves_refuses_and_redirects_in_a_shared_session() -> Result<()> {
    approve_refuse_and_redirect(ServerMode::Share).await
}

async fn approve_refuse_and_redirect(mode: ServerMode) -> Result<()> {
    let write = |name: &str| script::call_answer("write_file", &json!({"file_path": name, "content": "made\n"}));
    let far = [
        write("approved.txt"),
        script::text_answer("Made."),
        write("declined.txt"),
        write("declined.txt"),
        script::text_answer("Told instead."),
    ];
    let near = [
        invoke_pollux("make a file"),
        invoke_pollux("yes"),
        invoke_pollux("make another file"),
        invoke_pollux("No."),
        invoke_pollux("make it all the same"),
        invoke_pollux("no, tell me instead"),
        json!({"says": "Pollux has made one file."}),
    ];
    let Some((there, said, told)) = play(mode, &far, &near).await? else { return Ok(()) };
    assert_eq!(said, "Pollux has made one file.");
    ensure!(told.len() == 6, "six results: {told:?}");
    for (asked, name) in [(0, "approved.txt"), (2, "declined.txt"), (4, "declined.txt")] {
        let questions = told[asked].matches(&format!("The agent wants to change {name}:")).count();
        ensure!(questions == 1, "{name} is asked about {questions} times: {}", told[asked]);
    }
    ensure!(told[1].matches("Made.").count() == 1, "{}", told[1]);
    ensure!(told[3].contains("CANCELLED"), "{}", told[3]);
    ensure!(
        told[5].contains("CANCELLED") && told[5].ends_with(r#"Artifact (answer):\nTold instead."}"#),
        "{}",
        told[5]
    );
    ensure!(there.workspace().join("approved.txt").exists(), "an approved call has not run");
    ensure!(!there.workspace().join("declined.txt").exists(), "a declined call has run");
    Ok(())
}
