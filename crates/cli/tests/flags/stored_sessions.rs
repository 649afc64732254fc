//! Sessions that are kept: in use, resumed, listed, of another release.

use super::{POLLUX, contains_all, port, refused, text};
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::{http, script};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::os::unix::fs::FileExt;

#[tokio::test]
async fn a_data_directory_in_use_says_by_whom() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let server = home.serve(&["--data-dir", "data"]).await?;
    let held = [format!("pid {}", server.pid()), format!("on port {}", port(&server))];
    let held: Vec<&str> = held.iter().map(String::as_str).collect();
    refused(&home.run(&["serve", "--port", "0", "--data-dir", "data"]).await?, &held)?;
    assert_eq!(http::get(&server.address, "/health").await?.status, 200, "the holder goes on");
    assert_eq!(server.stop().await?, Some(0));
    // Free again, and after a power cut too.
    home.serve(&["--data-dir", "data"]).await?.kill().await?;
    assert_eq!(home.serve(&["--data-dir", "data"]).await?.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn a_session_in_use_says_by_whom() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let shared = home.share(&[]).await?;
    let id = session_of(&shared).await?;
    // Only a session in which something was said is gone on with unnamed.
    let message = json!({"message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "help"}]}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": message});
    assert_eq!(http::post(&shared.address, "/", &call).await?.status, 200);
    let held = [format!("pid {}", shared.pid()), format!("on port {}", port(&shared))];
    let held: Vec<&str> = held.iter().map(String::as_str).collect();
    let join = format!("join it at http://{}/", shared.address);
    refused(&home.run(&["-p", "x", "-m", "demo", "--resume", &id]).await?, &[held.as_slice(), &[&join]].concat())?;
    refused(&home.run(&["-p", "x", "-m", "demo", "--resume", "latest"]).await?, &held)?;
    refused(&home.run(&["-p", "x", "-m", "demo", "--resume"]).await?, &held)?;
    let listed = text(&home.run(&["sessions"]).await?.stdout);
    contains_all(&listed, &[&[id.as_str(), "[running:"], held.as_slice()].concat())?;
    // Another one in the same workspace is another session.
    assert_eq!(home.run(&["-m", "demo", "-p", "list the files"]).await?.status.code(), Some(0));
    assert_eq!(shared.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn a_session_is_deleted_with_its_checkpoints_unless_somebody_has_it_open() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let args = ["-m", "demo", "--yolo", "--checkpointing", "-p", "create a.txt with hello"];
    assert_eq!(home.run(&args).await?.status.code(), Some(0));
    let listed = text(&home.run(&["sessions"]).await?.stdout);
    let id = listed.split(' ').next().context("an id")?.to_owned();
    let found = home.run_program("find", &[&home.path(".").display().to_string()]).await?;
    contains_all(&text(&found.stdout), &[&format!("sessions/{id}/log.db"), &format!("refs/checkpoints/{id}")])?;
    let deleted = home.run(&["sessions", "delete", &id[..18]]).await?;
    assert_eq!(text(&deleted.stdout), format!("deleted session {id}  create a.txt with hello\n"));
    let found = home.run_program("find", &[&home.path(".").display().to_string()]).await?;
    assert!(!text(&found.stdout).contains(&id), "nothing is left");
    contains_all(&text(&home.run(&["sessions"]).await?.stdout), &["no sessions yet"])?;
    let shared = home.share(&[]).await?;
    let running = session_of(&shared).await?;
    let held = format!("pid {}", shared.pid());
    refused(&home.run(&["sessions", "delete", &running]).await?, &["is open elsewhere", &held])?;
    assert_eq!(shared.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn the_sessions_of_a_server_are_listed_and_resumed_too() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let server = home.serve(&[]).await?;
    let id = session_of(&server).await?;
    let listed = text(&home.run(&["sessions"]).await?.stdout);
    contains_all(&listed, &[&id, "(nothing said yet)", "(of pollux serve)", "[running:"])?;
    refused(&home.run(&["-m", "demo", "-p", "x", "-r", &id]).await?, &["is open elsewhere", "join it at"])?;
    assert_eq!(server.stop().await?, Some(0));
    refused(&home.run(&["sessions", "delete", &id]).await?, &["belongs to `pollux serve`", "one database"])?;
    let resumed = home.run(&["-m", "demo", "-p", "list the files", "-r", &id]).await?;
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    let listed = text(&home.run(&["sessions"]).await?.stdout);
    contains_all(&listed, &[&id, "list the files  (of pollux serve)"])
}

#[tokio::test]
async fn a_session_goes_on_with_resume_and_is_not_kept_with_ephemeral() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let lines = [script::text_answer("first"), script::text_answer("second"), script::text_answer("third")];
    let model = script::write(&home.path("script.jsonl"), &lines)?;
    let said = async |args: &[&str]| -> Result<String> {
        let output = home.run(&[&["-m", &model, "-p", "go"], args].concat()).await?;
        ensure!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        Ok(text(&output.stdout))
    };
    assert_eq!(said(&["--ephemeral"]).await?, "first\n");
    ensure!(!home.path("state").exists(), "--ephemeral keeps something");
    assert_eq!(said(&[]).await?, "first\n");
    assert_eq!(said(&["--resume"]).await?, "second\n");
    let listed = text(&home.run(&["sessions"]).await?.stdout);
    let (id, rest) = listed.trim_end().split_once("  ").context("one session is listed")?;
    assert_eq!(rest.trim_start(), "just now  go");
    // The beginning of an id will do.
    assert_eq!(said(&["-r", &id[..13]]).await?, "third\n");
    // Elsewhere it says where it works.
    let elsewhere = home.path("elsewhere");
    std::fs::create_dir(&elsewhere)?;
    let mut command = home.command(&["-m", "demo", "-p", "go", "-r", &id[..13]]);
    let told = text(&command.current_dir(&elsewhere).output().await?.stderr);
    let folder = format!("works in {}, not in the current folder", home.workspace().canonicalize()?.display());
    ensure!(told.contains(&folder), "{told}");
    // And there it is only counted, until all are asked for.
    let listed = async |args: &[&str]| -> Result<String> {
        Ok(text(&home.command(args).current_dir(&elsewhere).output().await?.stdout))
    };
    let counted = "no sessions in this folder; 1 session in other folders: `pollux sessions --all`\n";
    assert_eq!(listed(&["sessions"]).await?, counted);
    let all = listed(&["sessions", "--all"]).await?;
    assert_eq!(listed(&["sessions", "list", "--all"]).await?, all);
    contains_all(&all, &[id, &format!("  {}  go", home.workspace().canonicalize()?.display())])
}

#[tokio::test]
async fn a_prompt_without_a_key_goes_on_with_the_sessions_own_model() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model = script::write(&home.path("script.jsonl"), &[script::text_answer("first")])?;
    assert_eq!(text(&home.run(&["-m", &model, "-p", "go"]).await?.stdout), "first\n");
    // A script is not found again by what a log calls it.
    refused(&home.run(&["--continue", "-p", "list the files"]).await?, &["no API key found"])?;
    assert_eq!(home.run(&["-m", "demo", "-p", "list the files"]).await?.status.code(), Some(0));
    let resumed = home.run(&["--continue", "-p", "list the files"]).await?;
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    Ok(())
}

#[tokio::test]
async fn a_session_in_which_no_model_was_asked_is_never_gone_on_with() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let model =
        script::write(&home.path("script.jsonl"), &[script::text_answer("first"), script::text_answer("second")])?;
    let said = async |args: &[&str]| home.run(&[&["-m", &model], args].concat()).await;
    assert_eq!(text(&said(&["-p", "go"]).await?.stdout), "first\n");
    // A terminal that is opened and left again.
    assert_eq!(said(&["--plain"]).await?.status.code(), Some(0));
    let listed = text(&home.run(&["sessions"]).await?.stdout);
    contains_all(&listed, &["(nothing said yet)"])?;
    // A command that Pollux answers itself.
    contains_all(&text(&said(&["-p", "/stats"]).await?.stdout), &["turns: 0"])?;
    assert_eq!(text(&said(&["-p", "go on", "--continue"]).await?.stdout), "second\n");
    Ok(())
}

#[tokio::test]
async fn a_log_of_a_later_release_is_refused_and_left_alone() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    assert_eq!(home.run(&["-m", "demo", "-p", "list the files", "--data-dir", "data"]).await?.status.code(), Some(0));
    assert_eq!(home.serve(&["--data-dir", "data/serve"]).await?.stop().await?, Some(0));
    let listed = text(&home.run(&["sessions", "--data-dir", "data"]).await?.stdout);
    let id = listed.split(' ').next().context("a session is listed")?;
    let data = home.workspace().join("data");
    let logs = [data.join("serve/log.db"), data.join("sessions").join(id).join("log.db")];
    for log in &logs {
        // A write-ahead log that was left behind would say what the version is, in place of the header.
        let left = std::fs::metadata(log.with_extension("db-wal")).map_or(0, |wal| wal.len());
        assert_eq!(left, 0, "{} was not closed", log.display());
        // `user_version` of the database's header.
        std::fs::OpenOptions::new().write(true).open(log)?.write_all_at(&77_u32.to_be_bytes(), 60)?;
    }
    let before = contents(&logs)?;
    let later = ["later release", "store version 77", "update pollux or choose another directory"];
    refused(&home.run(&["serve", "--port", "0", "--data-dir", "data/serve"]).await?, &later)?;
    refused(&home.run(&["-m", "demo", "-p", "x", "--data-dir", "data", "--resume", id]).await?, &later)?;
    let listed = home.run(&["sessions", "--data-dir", "data"]).await?;
    assert_eq!(listed.status.code(), Some(0));
    contains_all(&text(&listed.stdout), &[&[id, "cannot be read"], later.as_slice()].concat())?;
    assert_eq!(contents(&logs)?, before);

    std::fs::write(&logs[0], b"no database")?;
    let foreign = home.run(&["serve", "--port", "0", "--data-dir", "data/serve"]).await?;
    assert_eq!(foreign.status.code(), Some(1));
    let told = text(&foreign.stderr);
    contains_all(&told, &["data/serve/log.db is not a database", "move it away or choose another directory"])?;
    assert_eq!(told.lines().count(), 1, "{told}");
    assert_eq!(std::fs::read(&logs[0])?, b"no database");
    Ok(())
}

async fn session_of(server: &ServerProcess) -> Result<String> {
    let task = http::post(&server.address, "/tasks", &json!({})).await?.json().await?;
    Ok(task["sessionId"].as_str().context("POST /tasks tells the session")?.to_owned())
}

fn contents(paths: &[std::path::PathBuf]) -> Result<Vec<Vec<u8>>> {
    Ok(paths.iter().map(std::fs::read).collect::<std::io::Result<_>>()?)
}
