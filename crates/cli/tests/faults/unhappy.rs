//! Requests that cannot be done, with the real program: the status and the sentence for each. In all of these the
//! original answers with something else, or not at all, or makes the best of it without a word.

use crate::faults::fault_server::{FaultServer, go_on, task_of, text};
use anyhow::{Context as _, Result};
use pollux_testkit::http;
use pollux_testkit::program::TestHome;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

/// The status and the body of an answer to a POST.
async fn post(address: &str, path: &str, body: &Value) -> Result<(u16, Value)> {
    let answer = http::post(address, path, body).await?;
    Ok((answer.status, answer.json().await?))
}

#[tokio::test]
async fn commands_that_cannot_be_run() -> Result<()> {
    let stage = FaultServer::open(&[]).await?;
    let address = &stage.server.address;
    let refused = [
        (json!({"command": "nope"}), 404, "Command not found: nope"),
        (json!({"command": "memory nope"}), 404, "Command not found: memory nope"),
        (json!({"command": "memory add", "args": "two words"}), 400, "\"args\" field must be an array."),
        (
            json!({"command": "memory show", "taskId": "nothing"}),
            404,
            "task not found: \"nothing\"; leave the task id out to start one",
        ),
    ];
    for (body, status, error) in refused {
        assert_eq!(post(address, "/executeCommand", &body).await?, (status, json!({ "error": error })), "{body}");
    }
    // Arguments that do not fit are the command's own business: it answers, and says how it is used.
    let uses = "say /memory show, /memory add TEXT, /memory refresh, /memory list";
    for (body, words) in [
        (json!({"command": "memory add"}), format!("/memory add needs text; {uses}")),
        (
            json!({"command": "extensions list", "args": ["all"]}),
            "/extensions list takes nothing after it, but `all` came; say /extensions list".to_owned(),
        ),
        (
            json!({"command": "restore", "args": ["../../passwd"]}),
            "there is no checkpoint ../../passwd; /restore list shows what there is".to_owned(),
        ),
        (
            json!({"command": "chat resume", "args": ["yesterday"]}),
            "no conversation is saved as yesterday; /chat list shows what is".to_owned(),
        ),
    ] {
        let (status, answer) = post(address, "/executeCommand", &body).await?;
        let expected = json!({"type": "message", "messageType": "error", "content": words});
        assert_eq!((status, &answer["data"]), (200, &expected), "{body}");
    }
    let executed = stage.ask("command/execute", &json!({"command_path": ["nope"]})).await?;
    let message = "there is no command /nope; commands/get lists those there are";
    let expected = json!({"execution_id": "", "status": "FAILED_TO_START", "message": message});
    assert_eq!(executed["result"], expected);
    assert_eq!(stage.upstream.requests().len(), 0, "no model was asked");
    Ok(())
}

#[tokio::test]
async fn tasks_that_are_not_there() -> Result<()> {
    let stage = FaultServer::open(&[]).await?;
    let missing = "task not found: \"nothing\"; use the id that the server gave it";
    for method in ["tasks/get", "tasks/cancel", "tasks/resubscribe"] {
        let error = stage.ask(method, &json!({"id": "nothing"})).await?["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32001), &json!(missing)), "{method}");
    }
    let missing = "task not found: \"nothing\"; leave the task id out to start one";
    let error = stage.ask("message/stream", &go_on("nothing", "m", &text("hi"))).await?["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!(-32001), &json!(missing)));
    let answer = http::get(&stage.server.address, "/tasks/nothing/metadata").await?;
    assert_eq!((answer.status, answer.json().await?), (404, json!({"error": "Task not found"})));
    Ok(())
}

#[tokio::test]
async fn workspaces_that_cannot_be_used() -> Result<()> {
    let stage = FaultServer::open(&[json!({"says": "Here."})]).await?;
    let (file, nowhere) = (stage.home.workspace().join("a-file"), stage.home.workspace().join("nowhere"));
    std::fs::write(&file, "")?;
    for (path, why) in
        [(&file, "is not a directory"), (&nowhere, "does not exist; create the directory first or leave it out")]
    {
        let words = format!("`workspace_path` {:?} {why}", path.display().to_string());
        let mut params = stage.begin(&text("hi"))?;
        params["message"]["metadata"]["coderAgent"]["workspacePath"] = json!(path);
        let error = stage.ask("message/stream", &params).await?["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(words)));
        let settings = json!({"agentSettings": {"kind": "agent-settings", "workspacePath": path}});
        let (status, answer) = post(&stage.server.address, "/tasks", &settings).await?;
        assert_eq!((status, &answer["error"]["message"]), (400, &json!(words)));
    }
    assert!(!nowhere.exists(), "a directory was made up");
    let health = http::get(&stage.server.address, "/health").await?.json().await?;
    assert_eq!(health["totalTasks"], 0, "what is refused opens nothing");

    // A task stays where it is: the place of another is refused, and so it is at the session of a terminal.
    let task = task_of(&stage.say(&stage.begin(&text("hi"))?).await?)?;
    let elsewhere = stage.home.path("elsewhere");
    std::fs::create_dir(&elsewhere)?;
    let shared = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
    let terminal = shared.share(&["-m", "demo"]).await?;
    for (address, task, own) in
        [(&stage.server.address, Some(task), stage.home.workspace()), (&terminal.address, None, shared.workspace())]
    {
        let mut params = stage.begin(&text("hi"))?;
        params["message"]["metadata"]["coderAgent"]["workspacePath"] = json!(elsewhere);
        if let Some(task) = task {
            params["message"]["taskId"] = json!(task);
        }
        let answer = http::rpc(address, "message/stream", &params).await?;
        let words = answer["error"]["message"].as_str().with_context(|| format!("no error: {answer}"))?;
        let own = std::fs::canonicalize(own)?.display().to_string();
        let elsewhere = elsewhere.display().to_string();
        let expected =
            format!("`workspace_path` {elsewhere:?} is not this session's workspace; it is {own:?}, or leave it out");
        assert_eq!((&answer["error"]["code"], words), (&json!(-32602), expected.as_str()));
    }
    Ok(())
}
