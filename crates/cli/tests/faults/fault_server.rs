//! The real server with a model on loopback, and a client of Google's a2a-server in front of it.

use anyhow::{Context as _, Result};
use pollux_testkit::http::{self, HttpAnswer, ReceivedEvent};
use pollux_testkit::program::{ServerProcess, TestHome};
use pollux_testkit::replay::ReplayProvider;
use serde_json::{Value, json};

/// A server, its home and its model.
pub(crate) struct FaultServer {
    pub(crate) home: TestHome,
    pub(crate) server: ServerProcess,
    pub(crate) upstream: ReplayProvider,
}

impl FaultServer {
    /// Start a server whose model answers with `lines`, in this order.
    pub(crate) async fn open(lines: &[Value]) -> Result<FaultServer> {
        FaultServer::open_with(lines, &[]).await
    }

    /// A server with more in its environment.
    pub(crate) async fn open_with(lines: &[Value], environment: &[(&str, &str)]) -> Result<FaultServer> {
        let home = TestHome::new(env!("CARGO_BIN_EXE_pollux"))?;
        let upstream = ReplayProvider::start(lines).await?;
        FaultServer::reopen(home, upstream, environment).await
    }

    /// Start the next server of a home.
    pub(crate) async fn reopen(
        home: TestHome,
        upstream: ReplayProvider,
        environment: &[(&str, &str)],
    ) -> Result<FaultServer> {
        let mut command = home.command(&["serve", "--port=0", "--model=gemini-2.5-flash"]);
        command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", &upstream.address);
        command.envs(environment.iter().copied());
        let server = ServerProcess::start(command).await?;
        Ok(FaultServer { home, server, upstream })
    }

    /// A message that begins a task in the workspace.
    pub(crate) fn begin(&self, parts: &Value) -> Result<Value> {
        let workspace = std::fs::canonicalize(self.home.workspace())?;
        Ok(json!({"message": {
            "kind": "message", "role": "user", "messageId": "begin", "parts": parts,
            "metadata": {"coderAgent": {"kind": "agent-settings", "workspacePath": workspace}},
        }}))
    }

    /// Send a message and leave its stream open.
    pub(crate) async fn stream(&self, params: &Value) -> Result<HttpAnswer> {
        http::rpc_stream(&self.server.address, "message/stream", params, None).await
    }

    /// Send a message and hear its stream to the end.
    pub(crate) async fn say(&self, params: &Value) -> Result<Vec<Value>> {
        Ok(self.stream(params).await?.events().await?.into_iter().map(result).collect())
    }

    /// Any other call.
    pub(crate) async fn ask(&self, method: &str, params: &Value) -> Result<Value> {
        http::rpc(&self.server.address, method, params).await
    }
}

/// A text as the parts of a message.
pub(crate) fn text(text: &str) -> Value {
    json!([{"kind": "text", "text": text}])
}

/// A message to a task.
pub(crate) fn go_on(task: &str, id: &str, parts: &Value) -> Value {
    json!({"message": {"kind": "message", "role": "user", "messageId": id, "taskId": task, "parts": parts}})
}

/// The answer to an ask, as a part of a message.
pub(crate) fn choice(call: &str, outcome: &str) -> Value {
    json!({"kind": "data", "data": {"callId": call, "outcome": outcome}})
}

/// The result in an event of a stream.
pub(crate) fn result(mut event: ReceivedEvent) -> Value {
    event.data["result"].take()
}

/// The task that a stream begins with.
pub(crate) fn task_of(events: &[Value]) -> Result<String> {
    let first = events.first().context("nothing was said")?;
    Ok(first["id"].as_str().with_context(|| format!("not a task: {first}"))?.to_owned())
}

/// The calls that wait for an answer, in the order they were told.
pub(crate) fn open_asks(events: &[Value]) -> Vec<String> {
    let calls = events.iter().filter(|event| event["metadata"]["coderAgent"]["kind"] == "tool-call-confirmation");
    calls
        .filter_map(|event| event["status"]["message"]["parts"][0]["data"]["request"]["callId"].as_str())
        .map(str::to_owned)
        .collect()
}

/// All the text of a stream.
pub(crate) fn streamed_text(events: &[Value]) -> String {
    let texts = events.iter().filter(|event| event["metadata"]["coderAgent"]["kind"] == "text-content");
    texts.filter_map(|event| event["status"]["message"]["parts"][0]["text"].as_str()).collect()
}

/// The state that a stream ended in.
pub(crate) fn rest(events: &[Value]) -> Option<&str> {
    let last = events.last().filter(|last| last["final"] == true)?;
    last["status"]["state"].as_str()
}
