//! The runner of a session whose thinking the MCP client does. Its one tool call of a turn, `mcp_client`, stands for
//! the client; every call the client makes is made for that one, so all of them are vetted, asked about, recorded and
//! run side by side as the engine does it for anybody.

use super::call_queue::{CallCancellations, CallQueue};
use pollux_host::{EffectJob, EffectWork, NotOwed, Reporter, Runner};
use pollux_session::{
    ApprovalMode, BoxFuture, CallId, CallOutcome, CallResult, ModelUsage, NewCall, PolicyVerdict, Report,
    RuntimeDescription, SessionId, ToolKind,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// The call that stands for the client, and what stands where a model's name would.
pub(super) const MCP_CLIENT: &str = "mcp_client";
/// The most calls of the client that run at once.
const OPEN_CALLS: usize = 64;
/// The time that a turn waits for another call before it rests: calls often come one after the other.
const LINGER: Duration = Duration::from_secs(2);

/// Runs the calls that wait.
#[derive(Clone)]
pub(super) struct McpClientRunner {
    pub(super) agent: Arc<dyn Runner>,
    pub(super) call_queue: Arc<CallQueue>,
    pub(super) cancellations: Arc<CallCancellations>,
}

impl McpClientRunner {
    async fn work(&self, mut job: EffectJob, reporter: &Reporter) -> Result<(), NotOwed> {
        match &mut job.work {
            EffectWork::Think { .. } => reporter.report(self.step()).await,
            EffectWork::Vet { call, .. } if call.tool == MCP_CLIENT => {
                let verdict = PolicyVerdict::allow("it stands for the MCP client; its calls are vetted");
                reporter.report(Report::Vetted { kind: ToolKind::Delegate, verdict }).await
            }
            EffectWork::Run { call, .. } if call.tool == MCP_CLIENT => self.make_queued_calls(reporter).await,
            EffectWork::Vet { call, parent, .. } => {
                // To policy it is a call like a model's own.
                *parent = None;
                let id = call.id;
                let verdict = PolicyVerdict::Fail { outcome: CallOutcome::Cancelled };
                let taken_back = Report::Vetted { kind: ToolKind::default(), verdict };
                self.run_unless_cancelled(id, job, reporter, taken_back).await
            }
            EffectWork::Run { call, .. } => {
                let (id, taken_back) = (call.id, Report::Done { outcome: CallOutcome::Cancelled });
                self.run_unless_cancelled(id, job, reporter, taken_back).await
            }
            EffectWork::Compact { .. } | EffectWork::Keep { .. } => {
                self.agent.run(job, reporter.clone()).await;
                Ok(())
            }
        }
    }

    /// The step that a model would take: one call for all that wait, or nothing when none does.
    fn step(&self) -> Report {
        let stands_for_it = NewCall { tool: MCP_CLIENT.into(), args: json!({}), meta: Value::Null };
        Report::StepDone {
            fragments: Vec::new(),
            calls: if self.call_queue.has_waiting() { vec![stands_for_it] } else { Vec::new() },
            finish: "STOP".into(),
            usage: ModelUsage::default(),
            citations: Vec::new(),
            response: None,
        }
    }

    /// Have every call made that is put into the queue, until none has come for a while.
    async fn make_queued_calls(&self, reporter: &Reporter) -> Result<(), NotOwed> {
        let _attended = self.call_queue.guard();
        reporter.report(Report::Starting).await?;
        let mut open = JoinSet::new();
        let mut made: BTreeMap<String, u64> = BTreeMap::new();
        loop {
            while open.len() < OPEN_CALLS
                && let Some(call) = self.call_queue.take()
            {
                *made.entry(call.tool.clone()).or_default() += 1;
                let reporter = reporter.clone();
                open.spawn(async move { reporter.call(call).await });
            }
            if !open.is_empty() {
                tokio::select! {
                    () = self.call_queue.wait_for_call(), if open.len() < OPEN_CALLS => {}
                    // What came of it is in the log, where whoever wanted the call reads it.
                    _ = open.join_next() => {}
                }
                continue;
            }
            let idle = self.call_queue.is_closed()
                || tokio::time::timeout(LINGER, self.call_queue.wait_for_call()).await.is_err();
            if idle && self.call_queue.stop_if_empty() {
                break;
            }
        }
        let result = CallResult { text: describe_calls(&made), ..CallResult::default() };
        reporter.report(Report::Done { outcome: CallOutcome::Succeeded { result } }).await
    }

    /// Have the agent do the job, unless its call is taken back.
    async fn run_unless_cancelled(
        &self,
        call: CallId,
        job: EffectJob,
        reporter: &Reporter,
        or: Report,
    ) -> Result<(), NotOwed> {
        let recalled = self.cancellations.token(call);
        tokio::select! {
            biased;
            () = recalled.cancelled() => reporter.report(or).await,
            () = self.agent.run(job, reporter.clone()) => Ok(()),
        }
    }
}

impl Runner for McpClientRunner {
    fn equipment(&self) -> RuntimeDescription {
        RuntimeDescription { model: MCP_CLIENT.into(), ..self.agent.equipment() }
    }

    fn has_model(&self, session: SessionId, name: &str) -> Result<(), String> {
        self.agent.has_model(session, name)
    }

    fn permits(&self, mode: ApprovalMode) -> Result<(), String> {
        self.agent.permits(mode)
    }

    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()> {
        let runner = self.clone();
        Box::pin(async move {
            // `NotOwed` only says that the work is no longer owed: there is nobody left to tell.
            if runner.work(job, &reporter).await.is_err() {
                tracing::debug!("work for the MCP client ended early: it is no longer owed");
            }
        })
    }
}

/// The calls in words, for a model that goes on with the session one day.
fn describe_calls(made: &BTreeMap<String, u64>) -> String {
    let made: Vec<String> = made.iter().map(|(tool, count)| format!("{tool} ({count})")).collect();
    format!("The MCP client called tools by itself: {}.", made.join(", "))
}
