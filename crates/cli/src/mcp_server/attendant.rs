//! The runner of a session whose thinking the MCP client does. Its one tool call of a turn, `mcp_client`, stands for
//! the client; every call the client makes is made for that one, so all of them are vetted, asked about, recorded and
//! run side by side as the engine does it for anybody.

use super::counter::{Counter, Recalls};
use pollux_agent::Agent;
use pollux_host::{Gone, Job, Reporter, Runner, Work};
use pollux_session::{
    CallId, CallOutcome, CallResult, Equipment, Mode, NewCall, Pending, Report, SessionId, ToolKind, Usage, Verdict,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// The call that stands for the client, and what stands where a model's name would.
pub(super) const MCP_CLIENT: &str = "mcp_client";
/// How many calls of the client run at once.
const OPEN_CALLS: usize = 64;
/// How long a turn waits for another call before it rests: calls often come one after the other.
const LINGER: Duration = Duration::from_secs(2);

/// Runs the calls at its counter.
#[derive(Clone)]
pub(super) struct Attendant {
    pub(super) agent: Agent,
    pub(super) counter: Arc<Counter>,
    pub(super) recalls: Arc<Recalls>,
}

impl Attendant {
    async fn work(&self, mut job: Job, reporter: &Reporter) -> Result<(), Gone> {
        match &mut job.work {
            Work::Think { .. } => reporter.report(self.step()).await,
            Work::Vet { call, .. } if call.tool == MCP_CLIENT => {
                let verdict = Verdict::allow("it stands for the MCP client; its calls are vetted");
                reporter.report(Report::Vetted { kind: ToolKind::Delegate, verdict }).await
            }
            Work::Run { call, .. } if call.tool == MCP_CLIENT => self.attend(reporter).await,
            Work::Vet { call, parent, .. } => {
                // To policy it is a call like a model's own.
                *parent = None;
                let id = call.id;
                let verdict = Verdict::Fail { outcome: CallOutcome::Cancelled };
                let taken_back = Report::Vetted { kind: ToolKind::default(), verdict };
                self.unless_recalled(id, job, reporter, taken_back).await
            }
            Work::Run { call, .. } => {
                let (id, taken_back) = (call.id, Report::Done { outcome: CallOutcome::Cancelled });
                self.unless_recalled(id, job, reporter, taken_back).await
            }
            Work::Compact { .. } | Work::Keep { .. } => {
                self.agent.run(job, reporter.clone()).await;
                Ok(())
            }
        }
    }

    /// What a model would say: one call for all that wait, or nothing when none does.
    fn step(&self) -> Report {
        let stands_for_it = NewCall { tool: MCP_CLIENT.into(), args: json!({}), meta: Value::Null };
        Report::StepDone {
            fragments: Vec::new(),
            calls: if self.counter.waits() { vec![stands_for_it] } else { Vec::new() },
            finish: "STOP".into(),
            usage: Usage::default(),
            citations: Vec::new(),
            response: None,
        }
    }

    /// Have every call made that is put down at the counter, until none has come for a while.
    async fn attend(&self, reporter: &Reporter) -> Result<(), Gone> {
        let _attended = self.counter.attended();
        reporter.report(Report::Starting).await?;
        let mut open = JoinSet::new();
        let mut made: BTreeMap<String, u64> = BTreeMap::new();
        loop {
            while open.len() < OPEN_CALLS
                && let Some(call) = self.counter.take()
            {
                *made.entry(call.tool.clone()).or_default() += 1;
                let reporter = reporter.clone();
                open.spawn(async move { reporter.call(call).await });
            }
            if !open.is_empty() {
                tokio::select! {
                    () = self.counter.arrived(), if open.len() < OPEN_CALLS => {}
                    // What came of it is in the log, where whoever wanted the call reads it.
                    _ = open.join_next() => {}
                }
                continue;
            }
            let idle = self.counter.is_closed() || tokio::time::timeout(LINGER, self.counter.arrived()).await.is_err();
            if idle && self.counter.leave() {
                break;
            }
        }
        let result = CallResult { text: in_words(&made), ..CallResult::default() };
        reporter.report(Report::Done { outcome: CallOutcome::Succeeded { result } }).await
    }

    /// Have the agent do the job, unless its call is taken back.
    async fn unless_recalled(&self, call: CallId, job: Job, reporter: &Reporter, or: Report) -> Result<(), Gone> {
        let recalled = self.recalls.of(call);
        tokio::select! {
            biased;
            () = recalled.cancelled() => reporter.report(or).await,
            () = self.agent.run(job, reporter.clone()) => Ok(()),
        }
    }
}

impl Runner for Attendant {
    fn equipment(&self) -> Equipment {
        Equipment { model: MCP_CLIENT.into(), ..self.agent.equipment() }
    }

    fn has_model(&self, session: SessionId, name: &str) -> Result<(), String> {
        self.agent.has_model(session, name)
    }

    fn permits(&self, mode: Mode) -> Result<(), String> {
        self.agent.permits(mode)
    }

    fn run(&self, job: Job, reporter: Reporter) -> Pending<'static, ()> {
        let attendant = self.clone();
        Box::pin(async move {
            // `Gone` only says that the work is no longer owed: there is nobody left to tell.
            if attendant.work(job, &reporter).await.is_err() {
                tracing::debug!("work for the MCP client ended early: it is no longer owed");
            }
        })
    }
}

/// What was done, for a model that goes on with the session one day.
fn in_words(made: &BTreeMap<String, u64>) -> String {
    let made: Vec<String> = made.iter().map(|(tool, count)| format!("{tool} ({count})")).collect();
    format!("The MCP client called tools by itself: {}.", made.join(", "))
}
