//! A running server with one task that waits for two answers, and the means to see that its log stays as it is.

use anyhow::{Context as _, Result, ensure};
use pollux_session::{Owner, Seq, SessionId};
use pollux_store::{DataDir, SessionStore};
use pollux_testkit::program::{ServerMode, ServerProcess, TestHome};
use pollux_testkit::{http, script};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A server and its task.
pub(crate) struct TaskServer {
    pub(crate) mode: ServerMode,
    pub(crate) server: ServerProcess,
    /// The task that waits for answers.
    pub(crate) task: String,
    /// The call that wants to run a command.
    pub(crate) command: String,
    /// The call that wants to write a file.
    pub(crate) edit: String,
    home: TestHome,
}

impl TaskServer {
    /// One room of each mode.
    pub(crate) async fn both() -> Result<[TaskServer; 2]> {
        Ok([TaskServer::open(ServerMode::Serve).await?, TaskServer::open(ServerMode::Share).await?])
    }

    pub(crate) async fn open(mode: ServerMode) -> Result<TaskServer> {
        let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
        let both = script::answer(&json!([
            {"functionCall": {"name": "run_shell_command", "args": {"command": "touch ran"}}},
            {"functionCall": {"name": "write_file", "args": {"file_path": "note.txt", "content": "as shown\n"}}},
        ]));
        let model =
            script::write(&home.path("script.jsonl"), &[both, script::repeat_forever(script::text_answer("done"))])?;
        let args = ["-m", &model, "--data-dir", "data"];
        let server = home.serve_as(mode, &args).await?;
        let sent = http::rpc(&server.address, "message/send", &message("first", &json!([{"text": "go"}]))).await?;
        let task = &sent["result"];
        ensure!(task["status"]["state"] == "input-required", "the task does not wait: {sent}");
        let call = |tool: &str| {
            let parts = task["status"]["message"]["parts"].as_array()?;
            let data = parts.iter().map(|part| &part["data"]).find(|data| data["tool_name"] == tool)?;
            Some(data["tool_call_id"].as_str()?.to_owned())
        };
        let command = call("run_shell_command").context("the command asks")?;
        let edit = call("write_file").context("the edit asks")?;
        let task = task["id"].as_str().context("the task has an id")?.to_owned();
        Ok(TaskServer { mode, server, task, command, edit, home })
    }

    pub(crate) fn address(&self) -> &str {
        &self.server.address
    }

    /// The words about a path outside the workspace, whether something is there or not.
    pub(crate) fn outside_path_words(&self) -> &'static [&'static str] {
        match self.mode {
            ServerMode::Serve => &["is outside of what this server works in", "name a directory in"],
            ServerMode::Share => &["is not this session's workspace", "leave it out"],
        }
    }

    /// A path outside the workspace.
    pub(crate) fn outside_path(&self, name: &str) -> PathBuf {
        self.home.path(name)
    }

    /// The file that the edit is about.
    pub(crate) fn note(&self) -> PathBuf {
        self.home.workspace().join("note.txt")
    }

    /// The whole task and the cursor of its newest entry.
    pub(crate) async fn log(&self) -> Result<http::ReceivedEvent> {
        self.log_of(&self.task).await
    }

    /// The log of another task.
    pub(crate) async fn log_of(&self, task: &str) -> Result<http::ReceivedEvent> {
        let mut stream = http::rpc_stream(self.address(), "tasks/resubscribe", &json!({"id": task}), None).await?;
        stream.event().await?.context("a stream begins with the task")
    }

    /// Stop the server and tell what its logs hold: every session with its newest entry.
    pub(crate) async fn stop(self) -> Result<Vec<(SessionId, Seq)>> {
        ensure!(self.server.stop().await? == Some(0), "the server did not stop as it should");
        let data = self.home.workspace().join("data");
        let logs = match self.mode {
            ServerMode::Serve => vec![DataDir::at(&data).log()],
            ServerMode::Share => pollux_store::kept_sessions(&data)?.iter().map(|kept| kept.place.dir.log()).collect(),
        };
        let mut found = Vec::new();
        for log in logs {
            let listed = SessionStore::open(&log)?.index.list(&Owner("local".into()), 100).await?;
            found.extend(listed.iter().map(|session| (session.id, session.head)));
        }
        Ok(found)
    }
}

/// The parameters of a message.
pub(crate) fn message(id: &str, parts: &Value) -> Value {
    json!({"message": {"kind": "message", "role": "user", "messageId": id, "parts": parts}})
}
