//! `pollux trust`, and what a folder may say before and after, with the real program.

use anyhow::{Result, ensure};
use pollux_testkit::program::{TIMEOUT, TestHome};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use std::process::Output;
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A home whose workspace wants `read_file` out of the toolbox.
fn home() -> Result<TestHome> {
    let home = TestHome::new(POLLUX)?;
    let dir = home.workspace().join(".gemini");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("settings.json"), r#"{"tools": {"exclude": ["read_file"]}}"#)?;
    Ok(home)
}

async fn excluded(home: &TestHome) -> Result<bool> {
    let shown = text(&home.run(&["settings", "show"]).await?.stdout);
    Ok(shown.lines().any(|line| line.starts_with("tools.exclude") && line.contains("read_file")))
}

#[tokio::test]
async fn a_folder_counts_once_it_is_trusted_and_no_longer_than_that() -> Result<()> {
    let home = home()?;
    let file = home.path(".gemini/trustedFolders.json");
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(&file, r#"{"/elsewhere": "DO_NOT_TRUST"}"#)?;
    ensure!(!excluded(&home).await?, "an untrusted folder has a say");

    let trusted = home.run(&["trust"]).await?;
    let told = text(&trusted.stdout);
    assert_eq!(trusted.status.code(), Some(0), "{}", text(&trusted.stderr));
    for words in ["is trusted now", ".gemini/settings.json: settings that narrow yours", "pollux trust --remove"] {
        ensure!(told.contains(words), "{words:?} is missing in: {told}");
    }
    ensure!(excluded(&home).await?, "a trusted folder has no say");
    let listed = text(&home.run(&["trust", "--list"]).await?.stdout);
    let workspace = home.workspace().canonicalize()?.display().to_string();
    ensure!(
        listed.contains("/elsewhere  not trusted") && listed.contains(&format!("{workspace}  trusted")),
        "{listed}"
    );

    let removed = home.run(&["trust", "--remove", &workspace]).await?;
    assert_eq!(
        (removed.status.code(), text(&removed.stdout)),
        (Some(0), format!("{workspace} is not trusted any more\n"))
    );
    ensure!(!excluded(&home).await?, "a folder that is trusted no more has a say");
    let kept: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    assert_eq!(kept, serde_json::json!({"/elsewhere": "DO_NOT_TRUST"}));
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_trusted_is_refused() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let refused = |output: &Output, words: &str| -> Result<()> {
        let told = text(&output.stderr);
        ensure!(output.status.code() == Some(2) && told.contains(words), "{:?} {told}", output.status.code());
        Ok(())
    };
    refused(&home.run(&["trust", "missing"]).await?, "missing cannot be trusted: ")?;
    refused(&home.run(&["trust", "--remove"]).await?, "nothing was said of")?;
    refused(&home.run(&["trust", "/"]).await?, "holds your whole home directory")?;
    refused(&home.run(&["trust", "--list", "--remove"]).await?, "--list")?;
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/trustedFolders.json"), "{")?;
    refused(&home.run(&["trust"]).await?, "is broken")?;
    assert_eq!(std::fs::read_to_string(home.path(".gemini/trustedFolders.json"))?, "{");
    Ok(())
}

#[tokio::test]
async fn a_session_says_once_what_does_not_count() -> Result<()> {
    let home = home()?;
    let model = script::write(&home.path("script.jsonl"), &[script::text_answer("done")])?;
    let hint = "this folder is not trusted, so this does not count: .gemini/settings.json; `pollux trust` changes that";
    let told = text(&home.run(&["-p", "go", "-m", &model]).await?.stderr);
    assert_eq!(told.matches(hint).count(), 1, "{told}");
    home.run(&["trust"]).await?;
    let told = text(&home.run(&["-p", "go", "-m", &model]).await?.stderr);
    ensure!(!told.contains("not trusted"), "{told}");
    Ok(())
}

#[tokio::test]
async fn the_person_may_switch_the_question_off_and_a_folder_may_not() -> Result<()> {
    let home = home()?;
    let workspace_settings = home.workspace().join(".gemini/settings.json");
    let off = r#"{"tools": {"exclude": ["read_file"]}, "security": {"folderTrust": {"enabled": false}}}"#;
    std::fs::write(&workspace_settings, off)?;
    ensure!(!excluded(&home).await?, "a folder has trusted itself");
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/settings.json"), r#"{"security": {"folderTrust": {"enabled": false}}}"#)?;
    ensure!(excluded(&home).await?, "every folder counts as trusted");
    let listed = text(&home.run(&["trust", "--list"]).await?.stdout);
    ensure!(listed.contains("security.folderTrust.enabled is false"), "{listed}");
    Ok(())
}

#[tokio::test]
async fn another_file_may_say_what_is_trusted() -> Result<()> {
    let home = home()?;
    let file = home.path("mine.json");
    let trusted = home.command(&["trust"]).env("GEMINI_CLI_TRUSTED_FOLDERS_PATH", &file).output();
    assert_eq!(timeout(TIMEOUT, trusted).await??.status.code(), Some(0));
    ensure!(file.exists() && !home.path(".gemini/trustedFolders.json").exists(), "it was written elsewhere");
    Ok(())
}
