//! A runner whose answers depend on nothing but the conversation, so that every process gives the same ones.

use parking_lot::Mutex;
use pollux_host::{EffectJob, EffectWork, NotOwed, Reporter, Runner};
use pollux_session::{
    Ask, AskDetails, BoxFuture, CallOutcome, CallResult, CallState, ItemKind, ModelFragment, ModelUsage, NewCall,
    PolicyVerdict, Report, RuntimeDescription, ToolKind, Transcript, TranscriptLine, cancel_choice, once_choice,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The prompts that it gets, in this order. The second waits while the first is dealt with.
pub(crate) const PROMPTS: [&str; 2] = ["work", "try"];

/// The runner, and the arguments of the calls it ran.
#[derive(Clone)]
pub(crate) struct ScriptedRunner {
    ran: Arc<Mutex<Vec<String>>>,
    world: Arc<Mutex<FileChange>>,
}

/// The change of a file behind the agent's back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileChange {
    Untouched,
    Changed,
}

/// The option a person chooses for `call`.
pub(crate) fn choice_for(call: &CallState) -> String {
    let choice = if call.args == "forbidden" { cancel_choice() } else { once_choice() };
    choice.id
}

impl ScriptedRunner {
    /// A puppet that has run nothing yet, in this world.
    pub(crate) fn new(world: FileChange) -> ScriptedRunner {
        ScriptedRunner { ran: Arc::default(), world: Arc::new(Mutex::new(world)) }
    }

    /// The arguments of the calls it ran, in order.
    pub(crate) fn ran(&self) -> Vec<String> {
        self.ran.lock().clone()
    }

    async fn act(&self, work: EffectWork, reporter: &Reporter) -> Result<(), NotOwed> {
        match work {
            EffectWork::Think { transcript, .. } => think(&transcript, reporter).await,
            EffectWork::Vet { call, .. } => {
                let (kind, verdict) = match call.tool.as_str() {
                    "look" => (ToolKind::Read, PolicyVerdict::allow("looking is free")),
                    _ => {
                        let details = AskDetails::generic(call.args.to_string());
                        (ToolKind::Execute, PolicyVerdict::Ask(Ask::new(details, vec![once_choice(), cancel_choice()])))
                    }
                };
                reporter.report(Report::Vetted { kind, verdict }).await
            }
            EffectWork::Run { call, .. } => self.run_call(&call, reporter).await,
            EffectWork::Compact { .. } => {
                reporter.report(Report::NotCompacted { why: "a puppet forgets nothing".into() }).await
            }
            EffectWork::Keep { .. } => reporter.report(Report::Kept { failure: None }).await,
        }
    }

    /// True if the file changes just before it is to be written: once, so that the call that asks anew succeeds.
    fn changes_now(&self) -> bool {
        std::mem::replace(&mut *self.world.lock(), FileChange::Changed) == FileChange::Untouched
    }

    async fn run_call(&self, call: &CallState, reporter: &Reporter) -> Result<(), NotOwed> {
        if call.args == "moving" && self.changes_now() {
            return reporter.report(Report::Stale).await;
        }
        reporter.report(Report::Starting).await?;
        self.ran.lock().push(call.args.to_string());
        for text in ["one\n", "two\n"] {
            reporter.report(Report::Output { text: text.into(), skipped: 0 }).await?;
        }
        let result = CallResult { text: format!("did {}", call.args), ..CallResult::default() };
        reporter.report(Report::Done { outcome: CallOutcome::Succeeded { result } }).await
    }
}

impl Runner for ScriptedRunner {
    fn equipment(&self) -> RuntimeDescription {
        RuntimeDescription {
            model: "puppet".into(),
            tools: vec!["look".into(), "pull".into()],
            ..RuntimeDescription::default()
        }
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        let puppet = self.clone();
        Box::pin(async move {
            // Work that is no longer owed ends here.
            let _ = puppet.act(job.work, &reporter).await;
        })
    }
}

/// Say and call what comes next in the turn.
async fn think(transcript: &Transcript, reporter: &Reporter) -> Result<(), NotOwed> {
    let mut prompt = "";
    let mut step = 0;
    for line in transcript.lines() {
        match line {
            TranscriptLine::Turn { prompt: answered, .. } => {
                step = 1;
                prompt = text_of(transcript, answered.0.0);
            }
            TranscriptLine::Step { .. } => step += 1,
            _ => {}
        }
    }
    match (prompt, step) {
        ("work", 1) => {
            say(reporter, ItemKind::Thought, &["**Plan** look", " and pull"], Some(json!("signed"))).await?;
            say(reporter, ItemKind::Text, &["I will ", "look and ", "pull."], None).await?;
            done(reporter, &[("look", "around"), ("pull", "hard"), ("look", "again")]).await
        }
        ("work", 2) => {
            say(reporter, ItemKind::Text, &["That ", "broke"], None).await?;
            reporter.report(Report::Retrying { reason: "a hiccup".into(), attempt: 2, wait_ms: 0 }).await?;
            say(reporter, ItemKind::Text, &["That went ", "well."], None).await?;
            done(reporter, &[("pull", "left"), ("pull", "moving"), ("pull", "right")]).await
        }
        ("work", _) => {
            say(reporter, ItemKind::Text, &["Done."], None).await?;
            done(reporter, &[]).await
        }
        _ => done(reporter, &[("pull", "allowed"), ("pull", "forbidden")]).await,
    }
}

fn text_of(transcript: &Transcript, seq: u64) -> &str {
    let prompt = transcript.lines().find_map(|line| match line {
        TranscriptLine::Prompt { id, text, .. } if id.0.0 == seq => Some(text.as_str()),
        _ => None,
    });
    prompt.unwrap_or_default()
}

/// Say an item in pieces, each its own commit.
async fn say(reporter: &Reporter, kind: ItemKind, pieces: &[&str], end: Option<Value>) -> Result<(), NotOwed> {
    for (at, piece) in pieces.iter().enumerate() {
        let end = end.clone().filter(|_| at + 1 == pieces.len());
        let fragments = vec![ModelFragment { kind, text: (*piece).into(), end }];
        reporter.report(Report::Said { fragments, response: None }).await?;
    }
    Ok(())
}

async fn done(reporter: &Reporter, calls: &[(&str, &str)]) -> Result<(), NotOwed> {
    let call = |(tool, args): &(&str, &str)| NewCall { tool: (*tool).into(), args: json!(args), meta: Value::Null };
    let calls = calls.iter().map(call).collect();
    let (fragments, finish, usage) = (vec![], "STOP".into(), ModelUsage::default());
    reporter.report(Report::StepDone { fragments, calls, finish, usage, citations: vec![], response: None }).await
}
