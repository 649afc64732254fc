//! A runner whose answers depend on nothing but the conversation, so that every process gives the same ones.

use pollux_host::{Gone, Job, Reporter, Runner, Work};
use pollux_session::{
    Ask, Call, CallOutcome, CallResult, Details, Equipment, Fragment, ItemKind, Line, NewCall, Pending, Report,
    ToolKind, Transcript, Usage, Verdict, cancel_choice, once_choice,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What is said to it, in this order. The second waits while the first is dealt with.
pub(crate) const PROMPTS: [&str; 2] = ["work", "try"];

/// The runner, and the arguments of the calls it ran.
#[derive(Clone)]
pub(crate) struct Puppet {
    ran: Arc<Mutex<Vec<String>>>,
    world: Arc<Mutex<World>>,
}

/// Whether the file that changes behind the agent's back has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    Untouched,
    Changed,
}

/// The option a person chooses for `call`.
pub(crate) fn choice_for(call: &Call) -> String {
    let choice = if call.args == "forbidden" { cancel_choice() } else { once_choice() };
    choice.id
}

impl Puppet {
    /// A puppet that has run nothing yet, in this world.
    pub(crate) fn new(world: World) -> Puppet {
        Puppet { ran: Arc::default(), world: Arc::new(Mutex::new(world)) }
    }

    /// The arguments of the calls it ran, in order.
    pub(crate) fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }

    async fn act(&self, work: Work, reporter: &Reporter) -> Result<(), Gone> {
        match work {
            Work::Think { transcript, .. } => think(&transcript, reporter).await,
            Work::Vet { call, .. } => {
                let (kind, verdict) = match call.tool.as_str() {
                    "look" => (ToolKind::Read, Verdict::allow("looking is free")),
                    _ => {
                        let details = Details::generic(call.args.to_string());
                        (ToolKind::Execute, Verdict::Ask(Ask::new(details, vec![once_choice(), cancel_choice()])))
                    }
                };
                reporter.report(Report::Vetted { kind, verdict }).await
            }
            Work::Run { call, .. } => self.run_call(&call, reporter).await,
            Work::Compact { .. } => {
                reporter.report(Report::NotCompacted { why: "a puppet forgets nothing".into() }).await
            }
            Work::Keep { .. } => reporter.report(Report::Kept { failure: None }).await,
        }
    }

    /// Whether the file changes just before it is to be written: once, so that the call that asks anew succeeds.
    fn changes_now(&self) -> bool {
        std::mem::replace(&mut *self.world.lock().unwrap(), World::Changed) == World::Untouched
    }

    async fn run_call(&self, call: &Call, reporter: &Reporter) -> Result<(), Gone> {
        if call.args == "moving" && self.changes_now() {
            return reporter.report(Report::Stale).await;
        }
        reporter.report(Report::Starting).await?;
        self.ran.lock().unwrap().push(call.args.to_string());
        for text in ["one\n", "two\n"] {
            reporter.report(Report::Output { text: text.into(), skipped: 0 }).await?;
        }
        let result = CallResult { text: format!("did {}", call.args), ..CallResult::default() };
        reporter.report(Report::Done { outcome: CallOutcome::Succeeded { result } }).await
    }
}

impl Runner for Puppet {
    fn equipment(&self) -> Equipment {
        Equipment { model: "puppet".into(), tools: vec!["look".into(), "pull".into()], user_tier: None }
    }

    fn run(&self, job: Job, reporter: Reporter) -> Pending<'static, ()> {
        let puppet = self.clone();
        Box::pin(async move {
            // Work that is no longer owed ends here.
            let _ = puppet.act(job.work, &reporter).await;
        })
    }
}

/// Say and call what comes next in the turn.
async fn think(transcript: &Transcript, reporter: &Reporter) -> Result<(), Gone> {
    let mut prompt = "";
    let mut step = 0;
    for line in transcript.lines() {
        match line {
            Line::Turn { prompt: answered, .. } => {
                step = 1;
                prompt = text_of(transcript, answered.0.0);
            }
            Line::Step { .. } => step += 1,
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
        Line::Prompt { id, text, .. } if id.0.0 == seq => Some(text.as_str()),
        _ => None,
    });
    prompt.unwrap_or_default()
}

/// Say an item in pieces, each its own commit.
async fn say(reporter: &Reporter, kind: ItemKind, pieces: &[&str], end: Option<Value>) -> Result<(), Gone> {
    for (at, piece) in pieces.iter().enumerate() {
        let end = end.clone().filter(|_| at + 1 == pieces.len());
        let fragments = vec![Fragment { kind, text: (*piece).into(), end }];
        reporter.report(Report::Said { fragments, response: None }).await?;
    }
    Ok(())
}

async fn done(reporter: &Reporter, calls: &[(&str, &str)]) -> Result<(), Gone> {
    let call = |(tool, args): &(&str, &str)| NewCall { tool: (*tool).into(), args: json!(args), meta: Value::Null };
    let calls = calls.iter().map(call).collect();
    let (fragments, finish, usage) = (vec![], "STOP".into(), Usage::default());
    reporter.report(Report::StepDone { fragments, calls, finish, usage, citations: vec![], response: None }).await
}
