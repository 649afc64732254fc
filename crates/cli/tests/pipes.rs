//! A workspace full of pipes that nobody writes to: no turn waits for them, and the server answers.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::{TIMEOUT, TestHome};
use pollux_testkit::{http, script};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, FileType, mknodat};
use serde_json::{Value, json};
use std::path::Path;
use tokio::time::timeout;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

/// Names that the program reads in a workspace, or in the person's own directory.
const WORKSPACE_FILES: &[&str] = &[
    ".gitignore",
    ".geminiignore",
    ".ignore",
    ".customignore",
    ".env",
    ".git/HEAD",
    ".git/info/exclude",
    ".gemini/settings.json",
    ".gemini/.env",
    ".gemini/commands/piped.toml",
    ".gemini/agents/piped.md",
    ".gemini/policies/piped.toml",
    ".gemini/extensions/x/gemini-extension.json",
    "AGENTS.md",
    "notes",
    "deep/.gitignore",
    "deep/notes",
];
const OWN_FILES: &[&str] = &[
    ".gemini/GEMINI.md",
    ".gemini/.env",
    ".gemini/commands/piped.toml",
    ".gemini/agents/piped.md",
    ".gemini/extensions/x/gemini-extension.json",
    ".gemini/models.toml",
    ".gemini/keybindings.json",
    ".config/git/ignore",
];

fn pipe(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path.parent().context("a path with a folder")?)?;
    Ok(mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0)?)
}

/// A home whose workspace is trusted and full of pipes.
fn piped_home(own: &[&str]) -> Result<TestHome> {
    let home = TestHome::new(POLLUX)?;
    let workspace = home.workspace().canonicalize()?;
    for name in WORKSPACE_FILES {
        pipe(&workspace.join(name))?;
    }
    for name in own {
        pipe(&home.path(name))?;
    }
    std::fs::write(workspace.join("GEMINI.md"), "before\n@./notes\n@deep/notes\nafter\n")?;
    std::fs::write(workspace.join("deep/found.txt"), "needle\n")?;
    std::fs::create_dir_all(home.path(".gemini"))?;
    let trusted = json!({workspace.display().to_string(): "TRUST_FOLDER"});
    std::fs::write(home.path(".gemini/trustedFolders.json"), trusted.to_string())?;
    let settings = json!({"context": {"fileFiltering": {"customIgnoreFilePaths": [".customignore"]}}});
    std::fs::write(home.path(".gemini/settings.json"), settings.to_string())?;
    Ok(home)
}

/// Calls that look at everything, then the end.
fn exploring_calls() -> Vec<Value> {
    let mut lines = vec![
        script::call_answer("glob", &json!({"pattern": "**/*.txt"})),
        script::call_answer("grep_search", &json!({"pattern": "needle"})),
        script::call_answer("list_directory", &json!({"dir_path": "deep"})),
        script::call_answer("read_file", &json!({"file_path": "notes"})),
        script::call_answer("write_file", &json!({"file_path": "new.txt", "content": "x"})),
    ];
    lines.push(script::text_answer("the end"));
    lines
}

#[tokio::test]
async fn a_turn_ends_in_a_workspace_full_of_pipes() -> Result<()> {
    let home = piped_home(OWN_FILES)?;
    let model = script::write(&home.path("script.jsonl"), &exploring_calls())?;
    let run = async || {
        let flags = ["-p", "look at @notes and @deep", "-m", &model, "--yolo", "-o", "stream-json"];
        let output = timeout(TIMEOUT, home.run(&flags)).await.context("the turn hangs")??;
        let [told, complained] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        anyhow::Ok((output.status.code(), told + &complained))
    };
    // One's own models and rules may not be left out in silence.
    let (code, told) = run().await?;
    assert_eq!(code, Some(2), "{told}");
    ensure!(told.contains("models.toml: it is not a regular file"), "{told}");
    std::fs::remove_file(home.path(".gemini/models.toml"))?;
    let (code, told) = run().await?;
    assert_eq!(code, Some(1), "{told}");
    ensure!(told.contains("piped.toml:1: the file cannot be read: it is not a regular file"), "{told}");
    std::fs::remove_file(home.workspace().join(".gemini/policies/piped.toml"))?;
    let (code, told) = run().await?;
    assert_eq!(code, Some(0), "{told}");
    // What an ignore file that cannot be read keeps from the model is not known.
    ensure!(!told.contains("found.txt") && told.contains("the end"), "{told}");
    for name in [".geminiignore", ".customignore"] {
        std::fs::remove_file(home.workspace().join(name))?;
    }
    let (code, told) = run().await?;
    assert_eq!(code, Some(0), "{told}");
    ensure!(told.contains("found.txt") && told.contains("the end"), "{told}");
    ensure!(told.contains("only regular files can be read"), "{told}");
    Ok(())
}

#[tokio::test]
async fn a_server_answers_however_many_sessions_are_full_of_pipes() -> Result<()> {
    let home = piped_home(&[])?;
    let lines = [script::repeat_forever(script::text_answer("the end"))];
    let model = script::write(&home.path("script.jsonl"), &lines)?;
    let server = home.serve(&["-m", &model]).await?;
    let say = |number: usize| {
        let address = server.address.clone();
        async move {
            let parts = json!([{"kind": "text", "text": "look at @notes and @deep/notes"}]);
            let message = json!({"role": "user", "messageId": number.to_string(), "parts": parts});
            let params = json!({"message": message, "configuration": {"blocking": true}});
            timeout(TIMEOUT, http::rpc(&address, "message/send", &params)).await.context("a turn hangs")?
        }
    };
    let mut turns = tokio::task::JoinSet::new();
    for number in 0..100 {
        turns.spawn(say(number));
    }
    let health = timeout(TIMEOUT, http::get(&server.address, "/health")).await.context("/health hangs")??;
    let health = health.text().await?;
    ensure!(health.contains("healthy"), "{health}");
    while let Some(turn) = turns.join_next().await {
        let task = turn??;
        assert_eq!(task["result"]["status"]["state"], "completed", "{task}");
    }
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}
