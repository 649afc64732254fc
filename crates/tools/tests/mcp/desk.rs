//! What every test here does with servers: start them, wait, call their tools.

use pollux_session::{Call, CallId, CallOutcome, CallPhase, Pending, Seq, SessionId, Setting, TaskId, ToolKind};
use pollux_tools::{McpOptions, McpServerConfig, McpServers, McpStatus, Output, Ran};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// One server called `peer`, ready or failed.
pub(crate) async fn start(config: McpServerConfig, options: McpOptions) -> McpServers {
    let servers = McpServers::start(BTreeMap::from([("peer".to_owned(), config)]), options);
    servers.settled().await;
    servers
}

pub(crate) fn status(servers: &McpServers) -> McpStatus {
    servers.status().borrow()["peer"].clone()
}

/// Why the server is not there.
pub(crate) fn why(servers: &McpServers) -> String {
    match status(servers) {
        McpStatus::Failed { why } => why,
        other => panic!("the server is {other:?}"),
    }
}

pub(crate) async fn until(servers: &McpServers, wanted: impl Fn(&McpStatus) -> bool) {
    let mut all = servers.status();
    assert!(all.wait_for(|all| wanted(&all["peer"])).await.is_ok());
}

pub(crate) fn names(servers: &McpServers) -> Vec<String> {
    servers.tools().iter().map(|tool| tool.declaration().name).collect()
}

pub(crate) async fn run(servers: &McpServers, name: &str, args: Value) -> CallOutcome {
    let tools = servers.tools();
    let tool = tools.iter().find(|tool| tool.declaration().name == name);
    let tool = tool.unwrap_or_else(|| panic!("{name} is not one of {:?}", names(servers)));
    let task: TaskId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let (id, kind, phase) = (CallId(Seq(1)), ToolKind::Fetch, CallPhase::Running);
    let call = Call { id, task, tool: name.into(), args, kind, ask: None, edit: None, phase };
    match tool.run(Path::new("/"), &call, &mut Silence).await {
        Ok(Ran::Done(outcome)) => outcome,
        Ok(Ran::Stale) => CallOutcome::Superseded,
        Err(error) => error.into(),
    }
}

/// The text of a call that succeeded.
pub(crate) async fn text(servers: &McpServers, name: &str, args: Value) -> String {
    match run(servers, name, args).await {
        CallOutcome::Succeeded { result } => result.text,
        other => panic!("{name}: {other:?}"),
    }
}

struct Silence;

impl Output for Silence {
    fn session(&self) -> SessionId {
        "00000000-0000-7000-8000-000000000002".parse().unwrap()
    }

    fn send<'a>(&'a mut self, _: String, _: u64) -> Pending<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, _: Setting) -> Pending<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}
