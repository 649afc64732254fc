//! Plans through the tool itself. What a plan does is tested where plans are run.

use super::*;
use crate::process::plan_of_program;
use crate::workspace::FileAccess;
use pollux_session::{
    BlobRef, CallId, CallOutcome, CallPhase, CallResult, CommandPlan, ModelUsage, NewCall, ResultDisplay, Seq,
    SessionId, SessionSetting, TaskId,
};
use pretty_assertions::assert_eq;
use serde_json::json;

/// Keeps nothing that could be found again.
struct NoOutput;

impl OutputStore for NoOutput {
    fn spool(&self) -> io::Result<Box<dyn crate::output::OutputSpool>> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn read(&self, _: &BlobRef) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn create_file(&self, _: SessionId, name: &str, _: u64) -> io::Result<(std::fs::File, PathBuf)> {
        Ok((tempfile::tempfile()?, name.into()))
    }
}

impl ToolCallContext for NoOutput {
    fn session(&self) -> SessionId {
        "00000000-0000-7000-8000-000000000001".parse().unwrap()
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

fn tool() -> RunShellCommandTool {
    RunShellCommandTool {
        output_store: Arc::new(NoOutput),
        access: Arc::new(FileAccess::default()),
        limits: ShellLimits::default(),
        streams: ShellStreams::Terminal,
        max_text_chars: 1000,
        environment: Vec::new(),
        background: Arc::new(BackgroundRegistry::default()),
    }
}

#[tokio::test]
async fn a_call_with_a_plan_never_gets_a_shell() {
    let place = tempfile::tempdir().unwrap();
    let workspace = place.path().canonicalize().unwrap();
    let plan = CommandPlan { directory: workspace.display().to_string(), trusted: true, pipelines: Vec::new() };
    let task: TaskId = "00000000-0000-7000-8000-000000000001".parse().unwrap();
    let call = CallState {
        id: CallId(Seq(1)),
        task,
        parent: None,
        place: CallId(Seq(1)),
        tool: NAME.into(),
        args: json!({ "command": "touch ran" }),
        kind: ToolKind::Execute,
        ask: None,
        chosen: None,
        edit: None,
        plan: Some(plan),
        phase: CallPhase::Running,
        response: None,
    };
    let ran = tool().run(&workspace, &call, &mut NoOutput).await;
    assert!(matches!(ran, Ok(ToolRunOutcome::Done(_))), "{ran:?}");
    assert!(!workspace.join("ran").exists());
}

#[tokio::test]
async fn a_plan_runs_in_the_foreground_and_in_the_background() {
    let place = tempfile::tempdir().unwrap();
    let workspace = place.path().canonicalize().unwrap();
    std::fs::write(workspace.join("a.txt"), "one\n").unwrap();
    let tool = tool();
    let runnable = || plan_of_program(&["/bin/cat", "a.txt"], &workspace);
    let plan = || ShellWork::Plan(ResolvedPlan { runnable: runnable(), left_out: Some("[Not searched: x]".into()) });
    let args = parse_arguments(&json!({ "command": "cat a.txt" })).unwrap();
    let result = CallResult { text: "one\n[Not searched: x]\n".into(), exit_code: Some(0), ..CallResult::default() };
    assert_eq!(
        tool.run_work(plan(), CallId(Seq(1)), &args, &mut NoOutput).await.unwrap(),
        ToolRunOutcome::succeeded(result)
    );
    let args = json!({ "command": "cat a.txt", "is_background": true, "delay_ms": 60_000 });
    let args = parse_arguments(&args).unwrap();
    let text = "The command has ended already: ended with exit code 0. Its output so far:\none\n[Not searched: x]\n";
    let display = Some(ResultDisplay::Text { text: "one".into() });
    let result = CallResult { text: text.into(), exit_code: Some(0), display, ..CallResult::default() };
    assert_eq!(
        tool.run_work(plan(), CallId(Seq(1)), &args, &mut NoOutput).await.unwrap(),
        ToolRunOutcome::succeeded(result)
    );
    assert_eq!(tool.background.first_call(NoOutput.session()), Some(CallId(Seq(1))));
}

#[test]
fn a_plan_may_print_less_than_a_command_that_somebody_has_allowed() {
    let limits = ShellLimits::default();
    let resolved = ResolvedPlan { runnable: plan_of_program(&["seq", "9"], Path::new("/")), left_out: None };
    assert_eq!(ShellWork::Plan(resolved).output_limit(&limits), MAX_PLAN_OUTPUT);
    let command = ShellWork::Command { directory: PathBuf::from("/"), off_path: Vec::new() };
    assert_eq!(command.output_limit(&limits), limits.output);
}
