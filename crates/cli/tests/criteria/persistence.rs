//! The kept part of a session, and its holder.

use crate::criteria::shared_session::{SharedTerminalSession, home, is_ask};
use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pollux_testkit::program::{TestHome, address_in};
use pollux_testkit::terminal::{CTRL_D, PtyTerminal};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::fs::File;
use std::path::Path;

#[tokio::test]
async fn after_a_power_cut_resume_goes_on_and_the_open_ask_is_answered() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let session = stage.session().await?;
    let mut socket = stage.socket().await?;
    stage.terminal.type_line("list")?;
    stage.terminal.wait_for("\n> ")?;
    stage.terminal.type_line("create kept.txt with forever")?;
    stage.terminal.wait_for("answer 1-3: ")?;
    let before = socket.read_until(is_ask).await?.pop().context("the ask comes")?;
    let SharedTerminalSession { terminal, home, .. } = stage;
    terminal.kill()?;

    let mut stage = SharedTerminalSession::start(home, &["--resume"])?;
    for text in ["> list", "▸ list_directory  .  ✓", "> create kept.txt with forever", "? Write a file  kept.txt"] {
        stage.terminal.wait_for(text)?;
    }
    stage.terminal.wait_for("answer 1-3: ")?;
    assert_eq!(stage.session().await?, session);
    let again = stage.socket().await?.read_until(is_ask).await?.pop().context("the ask comes again")?;
    assert_eq!(again["tool_call_id"], before["tool_call_id"]);
    assert_eq!(again["confirmation_request"], before["confirmation_request"]);

    stage.terminal.type_line("1")?;
    stage.terminal.wait_for("▸ write_file  kept.txt  ✓")?;
    assert_eq!(std::fs::read_to_string(stage.home.workspace().join("kept.txt"))?, "forever");
    stage.terminal.wait_for("\n> ")?;
    stage.terminal.press(CTRL_D)?;
    stage.terminal.wait_for(&format!("Resume this session: pollux --resume {session}"))?;
    assert_eq!(stage.terminal.exit_code()?, 0);
    Ok(())
}

#[tokio::test]
async fn a_command_that_ran_during_a_power_cut_is_interrupted_and_not_run_again() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&["--yolo"])?;
    stage.terminal.type_line("run mkfifo gate && echo once >> runs.txt && echo at the gate && cat gate")?;
    stage.terminal.wait_for("    at the gate")?;
    let SharedTerminalSession { terminal, home, .. } = stage;
    terminal.kill()?;
    // A power cut would end the command as well; here it may outlive the program, so it is let go. Opened for both
    // ways, a pipe waits for nobody.
    drop(File::options().read(true).write(true).open(home.workspace().join("gate"))?);

    let mut stage = SharedTerminalSession::start(home, &["--resume"])?;
    stage.terminal.wait_for("> run mkfifo gate")?;
    stage.terminal.wait_for("✗ interrupted: it was running when the process ended")?;
    stage.terminal.wait_for("\n> ")?;
    assert_eq!(std::fs::read_to_string(stage.home.workspace().join("runs.txt"))?, "once\n");
    Ok(())
}

#[tokio::test]
async fn a_session_goes_on_in_its_own_directory_wherever_it_is_resumed() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let session = stage.session().await?;
    stage.terminal.press(CTRL_D)?;
    assert_eq!(stage.terminal.exit_code()?, 0);

    let line =
        format!("cd .. && exec {} --plain --a2a-port 0 --yolo --resume {session}", stage.home.program().display());
    let mut elsewhere = PtyTerminal::run(&stage.home, "sh", &["-c", &line])?;
    elsewhere.wait_for(&format!(" in {}\r\n", stage.home.workspace().display()))?;
    elsewhere.wait_for("shared on ")?;
    let address = address_in(&elsewhere.rest_of_line()?).context("the terminal prints no address")?;
    elsewhere.wait_for("\n> ")?;
    elsewhere.type_line("create here.txt with x")?;
    elsewhere.wait_for("▸ write_file  here.txt  ✓")?;
    assert_eq!(std::fs::read_to_string(stage.home.workspace().join("here.txt"))?, "x");
    // A client that names the session's directory is at the right place.
    let settings = json!({"agentSettings": {"workspacePath": stage.home.workspace()}});
    assert_eq!(http::post(&address, "/tasks", &settings).await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn terminals_run_side_by_side_in_one_directory() -> Result<()> {
    let mut first = SharedTerminalSession::open(&[])?;
    let mut second = PtyTerminal::start(&first.home, &["--a2a-port", "0"])?;
    second.wait_for("\n> ")?;
    for terminal in [&mut first.terminal, &mut second] {
        terminal.type_line("list")?;
        terminal.wait_for("▸ list_directory  .  ✓")?;
    }
    let pids = [first.terminal.pid()?, second.pid()?];
    let listed = listed(&first.home).await?;
    assert_eq!(listed.lines().count(), 2);
    assert!(pids.iter().all(|pid| listed.contains(&format!("[running: pid {pid} on port "))), "{listed}");
    Ok(())
}

#[tokio::test]
async fn an_ephemeral_session_leaves_nothing_on_the_disk() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&["--ephemeral"])?;
    stage.terminal.type_line("list")?;
    stage.terminal.wait_for("▸ list_directory  .  ✓")?;
    stage.terminal.wait_for("\n> ")?;
    stage.terminal.press(CTRL_D)?;
    assert_eq!(stage.terminal.exit_code()?, 0);
    assert_eq!(files_below(&stage.home.path(""))?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_second_process_is_told_who_holds_the_session_and_on_which_port() -> Result<()> {
    let mut stage = SharedTerminalSession::open(&[])?;
    let (pid, port) = (stage.terminal.pid()?, stage.port()?);
    // An empty one is not gone on with.
    stage.terminal.type_line("list the files")?;
    stage.terminal.wait_for("▸ list_directory  .  ✓")?;
    let session = stage.session().await?;
    for resume in [vec!["--resume"], vec!["--resume", &session]] {
        let mut second = PtyTerminal::start(&stage.home, &resume)?;
        assert_eq!(second.exit_code()?, 2);
        let said = second.screen.trim_end();
        assert!(said.contains(&format!("pid {pid} on port {port}")), "{said}");
    }
    Ok(())
}

#[tokio::test]
async fn sessions_are_listed_with_who_runs_them() -> Result<()> {
    let home = home()?;
    assert_eq!(listed(&home).await?, "no sessions yet; `pollux` starts one\n");
    let mut stage = SharedTerminalSession::start(home, &[])?;
    stage.terminal.type_line("list the files")?;
    stage.terminal.wait_for("▸ list_directory  .  ✓")?;
    let session = stage.session().await?;
    let line = format!("{session}    just now  list the files");
    let running = format!("  [running: pid {} on port {}]", stage.terminal.pid()?, stage.port()?);
    assert_eq!(listed(&stage.home).await?, format!("{line}{running}\n"));

    stage.terminal.wait_for("\n> ")?;
    stage.terminal.press(CTRL_D)?;
    assert_eq!(stage.terminal.exit_code()?, 0);
    assert_eq!(listed(&stage.home).await?, format!("{line}\n"));
    Ok(())
}

async fn listed(home: &TestHome) -> Result<String> {
    let output = home.run(&["sessions"]).await?;
    assert_eq!((output.status.code(), String::from_utf8(output.stderr)?), (Some(0), String::new()));
    Ok(String::from_utf8(output.stdout)?)
}

/// Every file below `dir`.
fn files_below(dir: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path.display().to_string());
        }
    }
    Ok(files)
}
