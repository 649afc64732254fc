//! Calls: may this one run, and running it.

use crate::agent::Agent;
use crate::checkpoint::{self, Site};
use crate::subagent;
use pollux_host::{Gone, Reporter};
use pollux_policy::{Decision, Request};
use pollux_session::{
    Ask, By, Call, CallOutcome, Grant, Mode, NewCall, Pending, Reach, Report, SessionId, Setting, ToolKind, Usage,
    Verdict,
};
use pollux_tools::{Output, Preview, Ran, Toolbox};
use std::path::Path;

/// Ask the tool what it would do and policy whether it may.
pub(crate) async fn vet(
    agent: &Agent,
    site: &Site,
    call: &Call,
    parent: Option<&Call>,
    mode: Mode,
    grants: &[(Grant, By)],
    reporter: &Reporter,
) -> Result<(), Gone> {
    if let Some(why) =
        subagent::misplaced(call, parent).or_else(|| agent.closed_to(&call.tool).filter(|_| !site.is_going_back(call)))
    {
        return reporter.report(Report::Vetted { kind: ToolKind::default(), verdict: Verdict::Deny { why } }).await;
    }
    let toolbox = site.equip(agent.toolbox_for(agent.place(site.workspace()), None, mode), agent);
    let (kind, verdict) = match toolbox.preview(site.workspace(), &call.tool, &call.args).await {
        Err(outcome) => (ToolKind::default(), Verdict::Fail { outcome }),
        Ok(preview) => {
            let caller = subagent::caller(parent);
            (preview.kind, judge(agent, site.workspace(), call, caller, mode, grants, preview))
        }
    };
    reporter.report(Report::Vetted { kind, verdict }).await
}

fn judge(
    agent: &Agent,
    workspace: &Path,
    call: &Call,
    subagent: Option<&str>,
    mode: Mode,
    grants: &[(Grant, By)],
    preview: Preview,
) -> Verdict {
    let workspace_trusted = agent.trusts(workspace);
    let policy = agent.policies.of(workspace, workspace_trusted);
    for problem in agent.policies.take_news() {
        tracing::warn!("{problem}");
    }
    let request = Request {
        mode: agent.settings.in_force(mode),
        kind: preview.kind,
        tool: &call.tool,
        args: &call.args,
        details: &preview.details,
        grants,
        protected: preview.protected.as_deref(),
        secret: preview.secret.as_deref(),
        workspace_trusted,
        subagent,
    };
    let judgement = policy.judge(&request);
    match judgement.verdict {
        Decision::Allow => Verdict::allow(judgement.why),
        Decision::Deny => Verdict::Deny { why: judgement.why },
        Decision::Ask => {
            let mut options = preview.options.unwrap_or_else(|| policy.options(&request));
            options.retain(|choice| choice.reach == Reach::Session || !agent.settings.forbidden.lasting_grants);
            Verdict::Ask(Ask::new(preview.details, options))
        }
    }
}

/// Run a call. What it may change is saved first, and it starts only after the log says that it does.
pub(crate) async fn run(
    agent: &Agent,
    toolbox: Toolbox,
    site: &Site,
    call: &Call,
    mode: Mode,
    reporter: &Reporter,
) -> Result<(), Gone> {
    let toolbox = site.equip(toolbox, agent);
    match checkpoint::save(agent.checkpoints.as_deref(), &toolbox, site, call).await {
        None => {}
        Some(Ok(checkpointed)) => reporter.report(checkpointed).await?,
        Some(Err(outcome)) => return reporter.report(Report::Done { outcome }).await,
    }
    reporter.report(Report::Starting).await?;
    let mut output = LiveOutput { session: site.session, mode: agent.settings.in_force(mode), reporter };
    let ran = toolbox.run(site.workspace(), call, &mut output).await;
    if let (Ran::Done(CallOutcome::Succeeded { .. }), Some(to)) = (&ran, site.rewinds_to(call)) {
        reporter.report(Report::Rewound { to }).await?;
    }
    match ran {
        Ran::Done(outcome) => reporter.report(Report::Done { outcome }).await,
        Ran::Stale => reporter.report(Report::Stale).await,
    }
}

struct LiveOutput<'a> {
    session: SessionId,
    mode: Mode,
    reporter: &'a Reporter,
}

impl Output for LiveOutput<'_> {
    fn session(&self) -> SessionId {
        self.session
    }

    fn reads_secrets(&self) -> bool {
        self.mode == Mode::Yolo
    }

    fn call<'b>(&'b mut self, call: NewCall) -> Pending<'b, CallOutcome> {
        // As below.
        Box::pin(async move { self.reporter.call(call).await.unwrap_or(CallOutcome::Cancelled) })
    }

    fn spend<'b>(&'b mut self, model: String, usage: Usage) -> Pending<'b, ()> {
        Box::pin(async move {
            let _ = self.reporter.report(Report::Spent { model, usage }).await;
        })
    }

    fn set<'b>(&'b mut self, setting: Setting) -> Pending<'b, ()> {
        Box::pin(async move {
            // As below: when nobody waits for the call any more, its future is dropped.
            let _ = self.reporter.report(Report::Set { setting }).await;
        })
    }

    fn send<'b>(&'b mut self, text: String, skipped: u64) -> Pending<'b, ()> {
        Box::pin(async move {
            // When the call is no longer owed, this future is dropped with the tool; until then nothing is lost.
            let _ = self.reporter.report(Report::Output { text, skipped }).await;
        })
    }
}
