//! Pollux hands work to another Pollux over A2A: both are the real program. What the one far away asks is asked here.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::http;
use pollux_testkit::program::{ServerProcess, TestHome};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const TOKEN: &str = "a-token-of-thirty-three-characters";

/// Two servers: work is given to `near`, which hands it to `far`.
struct AgentPair {
    local: ServerProcess,
    /// Kept alive.
    _remote: ServerProcess,
    remote_home: TestHome,
    _local_home: TestHome,
    task: Option<String>,
}

fn line(part: &Value) -> String {
    let content = json!({"role": "model", "parts": [part]});
    json!({"method": "generateContentStream", "response": [{"candidates": [
        {"content": content, "finishReason": "STOP", "index": 0}]}]})
    .to_string()
}

fn call(name: &str, args: &Value) -> String {
    line(&json!({"functionCall": {"name": name, "args": args}}))
}

fn text(text: &str) -> String {
    line(&json!({ "text": text }))
}

/// A home whose model says `lines`, and the flag that names it.
fn home(lines: &[String]) -> Result<(TestHome, String)> {
    let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    std::fs::write(home.path("script.responses"), lines.join("\n"))?;
    let model = format!("script:{}", home.path("script.responses").display());
    Ok((home, model))
}

impl AgentPair {
    async fn start(far_lines: &[String]) -> Result<AgentPair> {
        let (far_home, far_model) = home(far_lines)?;
        let token_file = far_home.path("token");
        std::fs::write(&token_file, TOKEN)?;
        std::fs::set_permissions(&token_file, std::fs::Permissions::from_mode(0o600))?;
        let token_file = token_file.display().to_string();
        let far = far_home.serve(&["--model", &far_model, "--token-file", &token_file]).await?;

        let hand = call("invoke_agent", &json!({"agent_name": "far", "prompt": "write the greeting"}));
        let (near_home, near_model) = home(&[hand, text("all is done")])?;
        let agents = near_home.path(".gemini/agents");
        std::fs::create_dir_all(&agents)?;
        let file = format!(
            "---\nname: far\ndescription: Works far away.\nkind: remote\nagent_card_url: {}\nauth:\n  type: http\n  \
             token: $FAR_TOKEN\n---\n",
            far.url("")
        );
        std::fs::write(agents.join("far.md"), file)?;
        let mut command = near_home.command(&["serve", "--port", "0", "--model", &near_model]);
        command.env("FAR_TOKEN", TOKEN);
        let near = ServerProcess::start(command).await?;
        Ok(AgentPair { local: near, _remote: far, remote_home: far_home, _local_home: near_home, task: None })
    }

    /// Send a message part to the near one and return what it tells until it rests: the tool calls and the state.
    async fn send(&mut self, id: &str, part: &Value) -> Result<(Vec<Value>, String)> {
        let mut message = json!({"role": "user", "messageId": id, "parts": [part]});
        if let Some(task) = &self.task {
            message["taskId"] = json!(task);
        }
        let params = json!({ "message": message });
        let events = http::rpc_stream(&self.local.address, "message/stream", &params, None).await?.events().await?;
        let mut calls = Vec::new();
        let mut state = String::new();
        for event in &events {
            let result = &event.data["result"];
            ensure!(!result.is_null(), "an error came: {}", event.data);
            let task = result["taskId"].as_str().or(result["id"].as_str()).context("no task")?;
            self.task = Some(task.to_owned());
            state = result["status"]["state"].as_str().unwrap_or_default().to_owned();
            let parts = result["status"]["message"]["parts"].as_array().cloned().unwrap_or_default();
            calls.extend(
                parts.into_iter().map(|part| part["data"].clone()).filter(|data| !data["tool_call_id"].is_null()),
            );
        }
        Ok((calls, state))
    }

    async fn answer(&mut self, ask: &Value, option: &str) -> Result<(Vec<Value>, String)> {
        let data = json!({"tool_call_id": ask["tool_call_id"], "selected_option_id": option});
        let id = format!("answer-{}", ask["tool_call_id"]);
        self.send(&id, &json!({"kind": "data", "data": data})).await
    }
}

/// The newest call of `tool` that asks.
fn asking(calls: &[Value], tool: &str) -> Result<Value> {
    let asks = |call: &&Value| call["tool_name"] == tool && !call["confirmation_request"].is_null();
    calls.iter().rev().find(asks).cloned().with_context(|| format!("{tool} does not ask: {calls:#?}"))
}

fn last<'a>(calls: &'a [Value], tool: &str) -> Result<&'a Value> {
    calls.iter().rev().find(|call| call["tool_name"] == tool).with_context(|| format!("no {tool}: {calls:#?}"))
}

fn greeting() -> Vec<String> {
    vec![call("write_file", &json!({"file_path": "hello.txt", "content": "hello\n"})), text("written far away")]
}

/// Up to the question of the far agent.
async fn run_until_ask(pair: &mut AgentPair) -> Result<Value> {
    let (calls, state) = pair.send("go", &json!({"kind": "text", "text": "have a greeting written"})).await?;
    assert_eq!(state, "input-required");
    // The job leaves the machine, so that comes first.
    let ask = asking(&calls, "invoke_agent")?;
    let (calls, state) = pair.answer(&ask, "proceed_once").await?;
    assert_eq!(state, "input-required");
    let ask = asking(&calls, "remote_ask")?;
    let description = ask["confirmation_request"]["generic_details"]["description"].as_str().unwrap_or_default();
    ensure!(description.starts_with("The agent far asks:\nchange "), "{description}");
    ensure!(description.contains("+hello"), "{description}");
    Ok(ask)
}

#[tokio::test]
async fn what_a_remote_agent_asks_is_answered_here() -> Result<()> {
    let mut pair = AgentPair::start(&greeting()).await?;
    let ask = run_until_ask(&mut pair).await?;
    let options = ask["confirmation_request"]["options"].as_array().context("options")?;
    let ids: Vec<&str> = options.iter().filter_map(|option| option["id"].as_str()).collect();
    assert_eq!(ids, ["proceed_once", "proceed_always", "cancel"]);
    assert!(!pair.remote_home.workspace().join("hello.txt").exists());
    let (calls, state) = pair.answer(&ask, "proceed_once").await?;
    assert_eq!(state, "completed");
    assert_eq!(std::fs::read_to_string(pair.remote_home.workspace().join("hello.txt"))?, "hello\n");
    let handed = last(&calls, "invoke_agent")?;
    assert_eq!(handed["status"], json!("SUCCEEDED"));
    // The answer first, then what else the far agent made: the file, with its diff.
    let told = handed["output"]["text"].as_str().context("a text")?;
    ensure!(told.starts_with("written far away\n\n[hello.txt (text/plain)"), "{told}");
    ensure!(told.contains("+hello"), "{told}");
    Ok(())
}

#[tokio::test]
async fn what_is_declined_here_is_declined_there() -> Result<()> {
    let mut pair = AgentPair::start(&greeting()).await?;
    let ask = run_until_ask(&mut pair).await?;
    let (calls, state) = pair.answer(&ask, "cancel").await?;
    assert_eq!(state, "completed");
    assert!(!pair.remote_home.workspace().join("hello.txt").exists());
    let handed = last(&calls, "invoke_agent")?;
    assert_eq!((&handed["status"], &handed["error"]["type"]), (&json!("FAILED"), &json!("agent_declined")));
    Ok(())
}
