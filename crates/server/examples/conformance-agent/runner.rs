//! The agent's action for each trigger of the kits: the runner of a session that has no model.

use crate::trigger::{PromptActions, TriggeredAction};
use pollux_host::{EffectJob, EffectWork, NotOwed, Reporter, Runner};
use pollux_session::{
    Ask, AskDetails, BoxFuture, CallArtifact, CallOutcome, CallResult, CallState, FileDiff, ItemKind, ModelFragment,
    ModelUsage, NewCall, PolicyVerdict, PromptId, Report, ResultDisplay, RuntimeDescription, ToolKind, Transcript,
    TranscriptLine, TurnFailure, cancel_choice, once_choice,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The tool that waits for a person.
const ASK: &str = "ask";
/// The tool that makes things.
const MAKE: &str = "make";

/// Does what the kits want.
pub(crate) struct ConformanceRunner {
    /// The action of each prompt.
    pub(crate) triggers: Arc<PromptActions>,
    /// The duration of an act that has to be caught at work.
    pub(crate) long: Duration,
    /// The duration of everything else.
    pub(crate) short: Duration,
}

impl Runner for ConformanceRunner {
    fn equipment(&self) -> RuntimeDescription {
        RuntimeDescription {
            model: "script".into(),
            tools: vec![ASK.into(), MAKE.into()],
            ..RuntimeDescription::default()
        }
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        let (triggers, long, short) = (Arc::clone(&self.triggers), self.long, self.short);
        Box::pin(async move {
            let done = match job.work {
                EffectWork::Think { transcript, .. } => {
                    let Some(turn) = PromptedTurn::newest(&transcript) else { return };
                    let act = triggers.act(job.session, turn.prompt).await;
                    let wait = if act == TriggeredAction::TakeLong { long } else { short };
                    // A turn that goes on after its call has waited already.
                    sleep(if turn.has_called { Duration::ZERO } else { wait }).await;
                    reporter.report(step(act, turn.has_called)).await
                }
                EffectWork::Vet { call, .. } => reporter.report(vetted(&call)).await,
                EffectWork::Run { call, .. } => run(&call, &reporter).await,
                // Nothing here compacts or grants.
                EffectWork::Compact { .. } | EffectWork::Keep { .. } => Ok(()),
            };
            if done == Err(NotOwed) {
                tracing::debug!("the work was stopped");
            }
        })
    }
}

/// The turn that a step is for.
struct PromptedTurn {
    prompt: PromptId,
    has_called: bool,
}

impl PromptedTurn {
    fn newest(transcript: &Transcript) -> Option<PromptedTurn> {
        let mut has_called = false;
        for line in transcript.lines().rev() {
            match line {
                TranscriptLine::Turn { prompt, .. } => return Some(PromptedTurn { prompt: *prompt, has_called }),
                TranscriptLine::Call { .. } => has_called = true,
                _ => {}
            }
        }
        None
    }
}

fn step(act: TriggeredAction, has_called: bool) -> Report {
    match act {
        // A turn that has made its call is done.
        _ if has_called => spoken("", Vec::new()),
        TriggeredAction::Say(text) => spoken(text, Vec::new()),
        TriggeredAction::TakeLong => spoken("Done at last", Vec::new()),
        TriggeredAction::Finish => spoken("", Vec::new()),
        TriggeredAction::Ask => spoken("", vec![call(ASK, json!({}))]),
        TriggeredAction::Make(what) => spoken("", vec![call(MAKE, json!({ "what": what.name() }))]),
        TriggeredAction::Fail => Report::StepFailed {
            failure: TurnFailure { kind: "scripted".into(), message: "the script wants this to fail".into() },
        },
    }
}

fn spoken(text: &str, calls: Vec<NewCall>) -> Report {
    let fragment = ModelFragment { kind: ItemKind::Text, text: text.to_owned(), end: None };
    let fragments = if text.is_empty() { Vec::new() } else { vec![fragment] };
    Report::StepDone {
        fragments,
        calls,
        finish: "STOP".into(),
        usage: ModelUsage::default(),
        citations: Vec::new(),
        response: None,
    }
}

fn call(tool: &str, args: Value) -> NewCall {
    NewCall { tool: tool.to_owned(), args, meta: Value::Null }
}

fn vetted(call: &CallState) -> Report {
    if call.tool == ASK {
        let ask = Ask::new(AskDetails::generic("What next?"), vec![once_choice(), cancel_choice()]);
        return Report::Vetted { kind: ToolKind::Converse, verdict: PolicyVerdict::Ask(ask) };
    }
    Report::Vetted { kind: ToolKind::Read, verdict: PolicyVerdict::allow("the script says so") }
}

async fn run(call: &CallState, reporter: &Reporter) -> Result<(), NotOwed> {
    reporter.report(Report::Starting).await?;
    let result = match call.args.get("what").and_then(Value::as_str) {
        Some("file") => CallResult { display: Some(ResultDisplay::Diff(file())), ..made() },
        Some("link") => CallResult { leaves: vec![link()], ..made() },
        Some("data") => {
            CallResult { leaves: vec![CallArtifact::Data { data: json!({ "key": "value", "count": 42 }) }], ..made() }
        }
        _ => CallResult { text: "answered".into(), ..CallResult::default() },
    };
    reporter.report(Report::Done { outcome: CallOutcome::Succeeded { result } }).await
}

fn made() -> CallResult {
    CallResult { text: "made".into(), ..CallResult::default() }
}

fn link() -> CallArtifact {
    CallArtifact::Link {
        url: "https://example.com/output.txt".into(),
        name: "output.txt".into(),
        media: Some("text/plain".into()),
    }
}

fn file() -> FileDiff {
    FileDiff {
        name: "output.txt".into(),
        path: "/workspace/output.txt".into(),
        old: None,
        new: "Generated file content\n".into(),
        patch: "+Generated file content\n".into(),
    }
}
