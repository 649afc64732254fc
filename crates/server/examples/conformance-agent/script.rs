//! What the agent does with each trigger of the kits: the runner of a session that has no model.

use crate::trigger::{Act, Triggers};
use pollux_host::{Gone, Job, Reporter, Runner, Work};
use pollux_session::{
    Ask, Call, CallOutcome, CallResult, Details, Display, Equipment, Failure, FileDiff, Fragment, ItemKind, Leaving,
    Line, NewCall, Pending, PromptId, Report, ToolKind, Transcript, Usage, Verdict, cancel_choice, once_choice,
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
pub(crate) struct Script {
    /// What each prompt wants.
    pub(crate) triggers: Arc<Triggers>,
    /// How long an act that has to be caught at work takes.
    pub(crate) long: Duration,
    /// How long everything else takes.
    pub(crate) short: Duration,
}

impl Runner for Script {
    fn equipment(&self) -> Equipment {
        Equipment { model: "script".into(), tools: vec![ASK.into(), MAKE.into()], user_tier: None }
    }

    fn run(&self, job: Job, reporter: Reporter) -> Pending<'static, ()> {
        let (triggers, long, short) = (Arc::clone(&self.triggers), self.long, self.short);
        Box::pin(async move {
            let done = match job.work {
                Work::Think { transcript, .. } => {
                    let Some(turn) = Asked::of(&transcript) else { return };
                    let act = triggers.act(job.session, turn.prompt).await;
                    let wait = if act == Act::TakeLong { long } else { short };
                    // A turn that goes on after its call has waited already.
                    sleep(if turn.has_called { Duration::ZERO } else { wait }).await;
                    reporter.report(step(act, turn.has_called)).await
                }
                Work::Vet { call, .. } => reporter.report(vetted(&call)).await,
                Work::Run { call, .. } => run(&call, &reporter).await,
                // Nothing here compacts or grants.
                Work::Compact { .. } | Work::Keep { .. } => Ok(()),
            };
            if done == Err(Gone) {
                tracing::debug!("the work was stopped");
            }
        })
    }
}

/// The turn that a step is for.
struct Asked {
    prompt: PromptId,
    has_called: bool,
}

impl Asked {
    fn of(transcript: &Transcript) -> Option<Asked> {
        let mut has_called = false;
        for line in transcript.lines().rev() {
            match line {
                Line::Turn { prompt, .. } => return Some(Asked { prompt: *prompt, has_called }),
                Line::Call { .. } => has_called = true,
                _ => {}
            }
        }
        None
    }
}

fn step(act: Act, has_called: bool) -> Report {
    match act {
        // A turn that has made its call is done.
        _ if has_called => spoken("", Vec::new()),
        Act::Say(text) => spoken(text, Vec::new()),
        Act::TakeLong => spoken("Done at last", Vec::new()),
        Act::Finish => spoken("", Vec::new()),
        Act::Ask => spoken("", vec![call(ASK, json!({}))]),
        Act::Make(what) => spoken("", vec![call(MAKE, json!({ "what": what.name() }))]),
        Act::Fail => Report::StepFailed {
            failure: Failure { kind: "scripted".into(), message: "the script wants this to fail".into() },
        },
    }
}

fn spoken(text: &str, calls: Vec<NewCall>) -> Report {
    let fragment = Fragment { kind: ItemKind::Text, text: text.to_owned(), end: None };
    let fragments = if text.is_empty() { Vec::new() } else { vec![fragment] };
    Report::StepDone {
        fragments,
        calls,
        finish: "STOP".into(),
        usage: Usage::default(),
        citations: Vec::new(),
        response: None,
    }
}

fn call(tool: &str, args: Value) -> NewCall {
    NewCall { tool: tool.to_owned(), args, meta: Value::Null }
}

fn vetted(call: &Call) -> Report {
    if call.tool == ASK {
        let ask = Ask::new(Details::generic("What next?"), vec![once_choice(), cancel_choice()]);
        return Report::Vetted { kind: ToolKind::Converse, verdict: Verdict::Ask(ask) };
    }
    Report::Vetted { kind: ToolKind::Read, verdict: Verdict::allow("the script says so") }
}

async fn run(call: &Call, reporter: &Reporter) -> Result<(), Gone> {
    reporter.report(Report::Starting).await?;
    let result = match call.args.get("what").and_then(Value::as_str) {
        Some("file") => CallResult { display: Some(Display::Diff(file())), ..made() },
        Some("link") => CallResult { leaves: vec![link()], ..made() },
        Some("data") => {
            CallResult { leaves: vec![Leaving::Data { data: json!({ "key": "value", "count": 42 }) }], ..made() }
        }
        _ => CallResult { text: "answered".into(), ..CallResult::default() },
    };
    reporter.report(Report::Done { outcome: CallOutcome::Succeeded { result } }).await
}

fn made() -> CallResult {
    CallResult { text: "made".into(), ..CallResult::default() }
}

fn link() -> Leaving {
    Leaving::Link {
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
