//! Commands through policy and tools, as a call takes them: judged, checked against the disk, and run.

use pollux_policy::{Policy, PolicyDecision, PolicyRequest};
use pollux_session::{
    ApprovalMode, AskDetails, BlobRef, BoxFuture, CallId, CallOutcome, CallPhase, CallState, CommandPlan, EntryAuthor,
    Grant, ModelUsage, NewCall, Seq, SessionId, SessionSetting, ToolKind,
};
use pollux_tools::{OutputSpool, OutputStore, ShellStreams, ToolCallContext, ToolRunOutcome, Toolbox, ToolboxSettings};
use serde_json::json;
use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The built-in rules alone.
static POLICY: LazyLock<Policy> = LazyLock::new(Policy::default);

/// Rules that commands are judged by, beside the built-in ones.
pub(crate) struct PolicySetup<'a> {
    pub(crate) root: &'a Path,
    pub(crate) is_trusted: bool,
    pub(crate) grants: Vec<(Grant, EntryAuthor)>,
}

impl PolicySetup<'_> {
    /// The plan of a command that is allowed in default mode.
    pub(crate) fn judge(&self, command: &str) -> Option<CommandPlan> {
        let root = self.root;
        let args = json!({ "command": command });
        let details = AskDetails::Execute { command: command.into(), directory: root.to_str().unwrap().into() };
        let judgement = POLICY.judge(&PolicyRequest {
            mode: ApprovalMode::Default,
            kind: ToolKind::Execute,
            tool: "run_shell_command",
            args: &args,
            obeyed_args: &args,
            details: &details,
            grants: &self.grants,
            protected: None,
            outside: None,
            secret: None,
            workspace_trusted: self.is_trusted,
            subagent: None,
            agent: None,
            workspace: root,
            objection: None,
        });
        if judgement.verdict != PolicyDecision::Allow {
            return None;
        }
        Some(judgement.plan.unwrap_or_else(|| panic!("allowed without a plan: {command}")))
    }
}

/// The tools, with no terminal for commands.
pub(crate) fn toolbox() -> Toolbox {
    Toolbox::new(ToolboxSettings {
        shell_streams: ShellStreams::Pipes,
        ..ToolboxSettings::new(Arc::new(NoOutputStore))
    })
}

/// Run a plan and return how the call ended.
pub(crate) async fn run_plan(toolbox: &Toolbox, root: &Path, command: &str, plan: CommandPlan) -> CallOutcome {
    let call = CallState {
        id: CallId(Seq(1)),
        task: "00000000-0000-7000-8000-000000000001".parse().unwrap(),
        parent: None,
        place: CallId(Seq(1)),
        response: None,
        tool: "run_shell_command".into(),
        args: json!({ "command": command }),
        kind: ToolKind::Execute,
        ask: None,
        chosen: None,
        edit: None,
        plan: Some(plan),
        phase: CallPhase::Running,
    };
    match toolbox.run(root, &call, &mut NoOutput).await {
        ToolRunOutcome::Done(outcome) => outcome,
        stale @ ToolRunOutcome::Stale => panic!("{command}: {stale:?}"),
    }
}

struct NoOutput;

impl ToolCallContext for NoOutput {
    fn session(&self) -> SessionId {
        "00000000-0000-7000-8000-000000000002".parse().unwrap()
    }

    fn send<'a>(&'a mut self, _: String, _: u64) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn call<'a>(&'a mut self, _: NewCall) -> BoxFuture<'a, CallOutcome> {
        Box::pin(std::future::ready(CallOutcome::Cancelled))
    }

    fn spend<'a>(&'a mut self, _: String, _: ModelUsage) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn set<'a>(&'a mut self, _: SessionSetting) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Nothing here prints enough to be kept.
struct NoOutputStore;

impl OutputStore for NoOutputStore {
    fn spool(&self) -> io::Result<Box<dyn OutputSpool>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read(&self, _: &BlobRef) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}
