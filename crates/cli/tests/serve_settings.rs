//! `pollux serve` by its environment and its settings, each workspace by its own, with the real program.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::http;
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn put(path: &Path, text: &str) -> Result<()> {
    std::fs::create_dir_all(path.parent().context("a path with a folder")?)?;
    Ok(std::fs::write(path, text)?)
}

/// A folder beside the workspace.
fn folder(home: &TestHome, name: &str) -> Result<PathBuf> {
    std::fs::create_dir_all(home.path(name))?;
    Ok(home.path(name).canonicalize()?)
}

/// Say something in a new task of `workspace`, with more of `settings`, and wait for the answer.
async fn say(server: &ServerProcess, workspace: &Path, settings: &Value) -> Result<Value> {
    let mut settings = settings.clone();
    settings["kind"] = json!("agent-settings");
    settings["workspacePath"] = json!(workspace);
    let message = json!({
        "kind": "message", "role": "user", "messageId": uuid::Uuid::now_v7().to_string(),
        "parts": [{"kind": "text", "text": "go"}],
        "metadata": {"coderAgent": settings},
    });
    http::rpc(&server.address, "message/send", &json!({"message": message, "configuration": {"blocking": true}})).await
}

/// The tools a model was offered.
fn offered(body: &Value) -> Vec<&str> {
    let declared = body["tools"][0]["functionDeclarations"].as_array();
    declared.into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect()
}

#[tokio::test]
async fn a_workspaces_settings_and_extensions_are_its_own() -> Result<()> {
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("done"))]).await?;
    let home = TestHome::new(POLLUX)?;
    let (trusted, other) = (folder(&home, "trusted")?, folder(&home, "other")?);
    for workspace in [&trusted, &other] {
        put(&workspace.join(".gemini/settings.json"), r#"{"tools": {"core": ["glob"]}}"#)?;
        put(&workspace.join(".gemini/extensions/x/gemini-extension.json"), r#"{"name": "x", "version": "1"}"#)?;
        put(&workspace.join(".gemini/extensions/x/GEMINI.md"), "the word of the extension")?;
    }
    put(
        &home.path(".gemini/trustedFolders.json"),
        &json!({trusted.display().to_string(): "TRUST_FOLDER"}).to_string(),
    )?;
    let mut command = home.command(&["serve", "--port", "0"]);
    command.arg("--workspace-root").arg(&trusted).arg("--workspace-root").arg(&other);
    command.env("GEMINI_API_KEY", "k").env("GOOGLE_GEMINI_BASE_URL", &google.base_url);
    let server = ServerProcess::start(command).await?;
    for workspace in [&trusted, &other, &trusted] {
        say(&server, workspace, &json!({})).await?;
    }
    let requests = google.requests();
    let seen = requests.iter().map(|request| {
        let told = request.body["systemInstruction"].to_string().contains("the word of the extension");
        (offered(&request.body).contains(&"write_file"), offered(&request.body).contains(&"glob"), told)
    });
    assert_eq!(seen.collect::<Vec<_>>(), [(false, true, true), (true, true, false), (false, true, true)]);
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

#[tokio::test]
async fn an_ephemeral_server_leaves_nothing_on_the_disk() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let server = ServerProcess::start(home.command(&["serve", "--port", "0", "--ephemeral", "-m", "demo"])).await?;
    let task = say(&server, &home.workspace(), &json!({})).await?;
    let again = http::rpc(&server.address, "tasks/get", &json!({"id": task["id"]})).await?;
    assert_eq!(again["status"]["state"], task["status"]["state"], "it is all there while the server runs");
    assert_eq!(server.stop().await?, Some(0));
    ensure!(!home.path("state").exists(), "tasks are in memory alone");
    Ok(())
}

#[tokio::test]
async fn what_holds_for_a_server_is_shown_with_who_says_so() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    put(&home.path(".gemini/settings.json"), r#"{"serve": {"port": 7, "bucket": "gs://mine"}}"#)?;
    let mut command = home.command(&["settings", "show"]);
    command.env("PORT", "8080").env("LOG_LEVEL", "info");
    let shown = text(&command.output().await?.stdout);
    let line = |name: &str| {
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("serve.port"), "serve.port 8080 environment PORT");
    assert_eq!(line("serve.logLevel"), "serve.logLevel \"info\" environment LOG_LEVEL");
    ensure!(line("serve.bucket").starts_with("serve.bucket \"gs://mine\""), "{shown}");
    ensure!(line("serve.bucket").ends_with(".gemini/settings.json:1"), "{shown}");
    assert_eq!(line("serve.workspace"), "serve.workspace not set default");
    Ok(())
}

#[tokio::test]
async fn the_card_is_as_the_settings_say_and_flags_win() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let hosts = json!(["hooks.lan:8080"]);
    let own = json!({"a2a": {"agentName": "Mine", "requireExtension": true, "pushHosts": hosts}});
    put(&home.path(".gemini/settings.json"), &own.to_string())?;
    for (flags, name) in [(&[][..], "Mine"), (&["--agent-name", "Other"], "Other")] {
        let server = home.serve(&[&["-m", "demo"], flags].concat()).await?;
        let card = http::get(&server.address, "/.well-known/agent-card.json").await?.json().await?;
        let extension = &card["capabilities"]["extensions"][0];
        assert_eq!((card["name"].as_str(), &extension["required"]), (Some(name), &json!(true)));
        assert_eq!(server.stop().await?, Some(0));
    }
    let shown = text(&home.run(&["settings", "show"]).await?.stdout);
    ensure!(shown.contains("hooks.lan:8080"), "{shown}");
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_shown_or_reached_stops_the_server() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    for (flags, why) in [
        (["--push-host", "http://x/"], "\"http://x/\" is no host; write example.com or example.com:8080"),
        (["--push-host", "2130706433"], "write 127.0.0.1"),
        (["--mcp-host", "http://x/"], "\"http://x/\" is no host; write example.com or example.com:8080"),
        (["--agent-name", ""], "a name is a non-empty line of text"),
        (["--agent-name", "  "], "a name is a non-empty line of text"),
    ] {
        let refused = home.run(&[&["serve", "--port", "0", "-m", "demo"][..], &flags].concat()).await?;
        assert_eq!(refused.status.code(), Some(2), "{flags:?}");
        ensure!(text(&refused.stderr).contains(why), "{flags:?}: {}", text(&refused.stderr));
    }
    for key in ["pushHosts", "mcpHosts"] {
        put(&home.path(".gemini/settings.json"), &format!(r#"{{"a2a": {{"{key}": ["http://x/"]}}}}"#))?;
        let refused = home.run(&["serve", "--port", "0", "-m", "demo"]).await?;
        assert_eq!(refused.status.code(), Some(2));
        let why = format!("a2a.{key}: \"http://x/\" is no host");
        ensure!(text(&refused.stderr).contains(&why), "{}", text(&refused.stderr));
    }
    Ok(())
}

#[tokio::test]
async fn the_server_accepts_edits_by_itself_only_if_its_person_says_so() -> Result<()> {
    let write = json!({"file_path": "a.txt", "content": "x"});
    for (own, theirs, wanted) in [(true, false, true), (false, true, false)] {
        let home = TestHome::new(POLLUX)?;
        let workspace = home.workspace().canonicalize()?;
        let model = script::write(
            &home.path("script.jsonl"),
            &[script::call_answer("write_file", &write), script::text_answer("ok")],
        )?;
        put(&home.path(".gemini/settings.json"), &json!({"tools": {"autoAccept": own}}).to_string())?;
        put(&workspace.join(".gemini/settings.json"), &json!({"tools": {"autoAccept": theirs}}).to_string())?;
        put(
            &home.path(".gemini/trustedFolders.json"),
            &json!({workspace.display().to_string(): "TRUST_FOLDER"}).to_string(),
        )?;
        let server = home.serve(&["-m", &model]).await?;
        say(&server, &workspace, &json!({})).await?;
        assert_eq!(workspace.join("a.txt").exists(), wanted, "own {own}, theirs {theirs}");
        assert_eq!(server.stop().await?, Some(0));
    }
    Ok(())
}

/// The address of the extension that the RFC's events have their metadata under.
const EXTENSION: &str = "https://github.com/google-gemini/gemini-cli/blob/main/docs/a2a/developer-profile/v0/spec.md";

#[tokio::test]
async fn the_operator_says_which_plan_events_tell_of() -> Result<()> {
    let set = r#"{"a2a": {"userTier": "standard-tier"}}"#;
    for (settings, wanted) in [(set, json!("standard-tier")), ("{}", Value::Null)] {
        let home = TestHome::new(POLLUX)?;
        put(&home.path(".gemini/settings.json"), settings)?;
        let server = home.serve(&["-m", "demo"]).await?;
        for metadata in [json!({"coderAgent": {"kind": "agent-settings"}}), json!({})] {
            let message = json!({
                "kind": "message", "role": "user", "messageId": uuid::Uuid::now_v7().to_string(),
                "parts": [{"kind": "text", "text": "hello"}], "metadata": metadata,
            });
            let params = json!({ "message": message });
            let request = json!({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": params}).to_string();
            let headers = [("Content-Type", "application/json"), ("Accept", "text/event-stream")];
            let mut stream = http::request(&server.address, "POST", "/", &headers, request.as_bytes()).await?;
            let mut told = Vec::new();
            while let Some(event) = stream.event().await? {
                let result = &event.data["result"];
                if result["kind"] == "status-update" {
                    let rfc = &result["metadata"][EXTENSION]["user_tier"];
                    told.push(if rfc.is_null() { result["metadata"]["userTier"].clone() } else { rfc.clone() });
                }
            }
            ensure!(told.len() > 2 && told.iter().all(|tier| *tier == wanted), "{metadata}: {told:?}");
        }
        assert_eq!(server.stop().await?, Some(0));
    }
    Ok(())
}

#[tokio::test]
async fn extensions_are_listed_and_switched() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    put(&home.path(".gemini/extensions/x/gemini-extension.json"), r#"{"name": "x", "version": "1.2"}"#)?;
    put(&home.path(".gemini/extensions/bad/gemini-extension.json"), r#"{"name": "bad"}"#)?;
    let listed = home.run(&["extensions", "list"]).await?;
    ensure!(text(&listed.stdout).starts_with("x 1.2  enabled   yours"), "{}", text(&listed.stdout));
    ensure!(text(&listed.stderr).contains("version is missing"), "{}", text(&listed.stderr));
    let state = async || -> Result<Value> {
        let told: Value = serde_json::from_slice(&home.run(&["extensions", "list", "--json"]).await?.stdout)?;
        Ok(told[0]["isActive"].clone())
    };
    assert_eq!(home.run(&["extensions", "disable", "x", "--scope", "workspace"]).await?.status.code(), Some(0));
    assert_eq!(state().await?, json!(false));
    assert_eq!(home.run(&["extensions", "enable", "x"]).await?.status.code(), Some(0));
    assert_eq!(state().await?, json!(true));
    // Switched off from a folder that lies elsewhere, it is off there as well.
    let elsewhere = tempfile::tempdir()?;
    let run_there = async |args: &[&str]| home.command(args).current_dir(elsewhere.path()).output().await;
    let told = run_there(&["extensions", "disable", "x"]).await?;
    assert_eq!(text(&told.stdout), "x is disabled for you, in every folder\n");
    let listed = run_there(&["extensions", "list"]).await?;
    ensure!(text(&listed.stdout).starts_with("x 1.2  disabled  yours"), "{}", text(&listed.stdout));
    assert_eq!(state().await?, json!(false));
    let unknown = home.run(&["extensions", "enable", "y"]).await?;
    assert_eq!(unknown.status.code(), Some(2));
    ensure!(
        text(&unknown.stderr).contains("there is no extension \"y\" here; there are x"),
        "{}",
        text(&unknown.stderr)
    );
    Ok(())
}

#[tokio::test]
async fn a_client_pays_for_its_own_task_and_says_so_again_after_a_restart() -> Result<()> {
    let google = FakeGemini::start([script::repeat_forever(script::text_answer("done"))]).await?;
    let home = TestHome::new(POLLUX)?;
    let workspace = home.workspace().canonicalize()?;
    let serve = async || {
        let mut command = home.command(&["serve", "--port", "0", "--data-dir", "data"]);
        command.env("GEMINI_API_KEY", "operator").env("GOOGLE_GEMINI_BASE_URL", &google.base_url);
        ServerProcess::start(command).await
    };
    let server = serve().await?;
    let task = say(&server, &workspace, &json!({"apiKey": "hush-lent"})).await?;
    say(&server, &workspace, &json!({})).await?;
    assert_eq!(server.stop().await?, Some(0));
    let server = serve().await?;
    let id = task["result"]["id"].as_str().with_context(|| task.to_string())?;
    let again = async |settings: Value| {
        let message = json!({
            "kind": "message", "role": "user", "messageId": uuid::Uuid::now_v7().to_string(), "taskId": id,
            "parts": [{"kind": "text", "text": "go on"}], "metadata": {"coderAgent": settings},
        });
        http::rpc(&server.address, "message/send", &json!({"message": message})).await
    };
    let told = again(json!({"kind": "agent-settings", "workspacePath": workspace})).await?.to_string();
    ensure!(told.contains("send them again with the next message"), "{told}");
    again(json!({"kind": "agent-settings", "workspacePath": workspace, "apiKey": "hush-again"})).await?;
    let requests = google.requests();
    let keys = requests.iter().map(|request| request.headers.get("x-goog-api-key").and_then(|key| key.to_str().ok()));
    assert_eq!(keys.collect::<Vec<_>>(), [Some("hush-lent"), Some("operator"), Some("hush-again")]);
    assert_eq!(server.stop().await?, Some(0));
    for entry in std::fs::read_dir(home.workspace().join("data"))? {
        let path = entry?.path();
        let kept = if path.is_file() { text(&std::fs::read(&path)?) } else { String::new() };
        ensure!(!kept.contains("hush"), "{} holds the key", path.display());
    }
    Ok(())
}
