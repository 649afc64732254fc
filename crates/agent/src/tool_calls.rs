//! Calls: may this one run, and running it.

use crate::checkpoint::{self, ToolCallSite};
use crate::plan_rules::name_plan_modes;
use crate::subagent;
use crate::turn_agent::TurnAgent;
use crate::workspace_agent::WorkspaceAgent;
use pollux_host::{NotOwed, Reporter};
use pollux_policy::{Policy, PolicyDecision, PolicyObjection, PolicyRequest};
use pollux_session::{
    ApprovalMode, Ask, AskDetails, BoxFuture, BuiltInTool, CallId, CallOutcome, CallPhase, CallState, EntryAuthor,
    Grant, GrantScope, ModelUsage, NewCall, PolicyVerdict, Report, SeenFiles, Seq, SessionId, SessionSetting, ToolKind,
};
use pollux_tools::{CallPreview, PlanObjection, ToolCallContext, ToolRunOutcome, Toolbox};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// What decides whether a call may run, besides the call and the rules.
#[derive(Clone, Copy)]
pub(crate) struct PermissionContext<'a> {
    /// The call it is made for.
    pub(crate) parent: Option<&'a CallState>,
    pub(crate) mode: ApprovalMode,
    /// What was granted for the session, and by whom.
    pub(crate) grants: &'a [(Grant, EntryAuthor)],
}

/// Ask the tool what it would do, after the calls that come `before` it, and policy whether it may.
pub(crate) async fn vet(
    agent: &TurnAgent,
    site: &ToolCallSite,
    call: &CallState,
    before: &[CallState],
    permission: PermissionContext<'_>,
    reporter: &Reporter,
) -> Result<(), NotOwed> {
    if let Some(why) = subagent::misplaced(call, permission.parent)
        .or_else(|| agent.tool_refusal(&call.tool).filter(|_| !site.is_restore_call(call)))
    {
        return reporter
            .report(Report::Vetted { kind: ToolKind::default(), verdict: PolicyVerdict::Deny { why } })
            .await;
    }
    let workspace = &agent.workspace;
    let toolbox = site.add_restore_tool(agent.toolbox_for(None, permission.mode), workspace.checkpoints.as_ref());
    if !toolbox.has(&call.tool) {
        let down = agent.all_servers().find_map(|servers| servers.why_missing(&call.tool));
        let outcome = down.map_or_else(|| toolbox.unknown(&call.tool, permission.mode), |down| down.outcome());
        let verdict = PolicyVerdict::Fail { outcome };
        return reporter.report(Report::Vetted { kind: ToolKind::default(), verdict }).await;
    }
    if let Some(outcome) = toolbox.misplaced(&call.tool, permission.mode) {
        let verdict = PolicyVerdict::Fail { outcome };
        return reporter.report(Report::Vetted { kind: ToolKind::default(), verdict }).await;
    }
    let previewed = toolbox.preview_after(site.session, site.workspace(), call, before, &site.seen_files).await;
    let (kind, verdict) = match previewed {
        Err(outcome) => (ToolKind::default(), PolicyVerdict::Fail { outcome }),
        Ok(preview) => {
            let (kind, misfit, is_secret) = (preview.kind, preview.misfit.clone(), preview.secret.is_some());
            let verdict = judge_call(workspace, &toolbox, call, permission, preview).await;
            match (misfit, verdict) {
                (Some(misfit), PolicyVerdict::Allow { .. }) => {
                    (ToolKind::default(), PolicyVerdict::Fail { outcome: misfit.outcome })
                }
                (Some(misfit), PolicyVerdict::Ask(_)) if !is_secret => {
                    (ToolKind::default(), PolicyVerdict::Fail { outcome: misfit.outcome })
                }
                (Some(misfit), PolicyVerdict::Ask(ask)) => {
                    (kind, PolicyVerdict::Ask(Ask::new(misfit.question, ask.options).with_reason(ask.reason)))
                }
                (_, verdict) => (kind, verdict),
            }
        }
    };
    reporter.report(Report::Vetted { kind, verdict }).await
}

/// What policy says of a call. A shell command that it would let run without a question is held against the disk, too: what
/// speaks against it there is one more reason to ask.
async fn judge_call(
    agent: &WorkspaceAgent,
    toolbox: &Toolbox,
    call: &CallState,
    permission: PermissionContext<'_>,
    preview: CallPreview,
) -> PolicyVerdict {
    let (workspace, workspace_trusted) = (&*agent.root, agent.is_trusted());
    let policy = agent.policies.for_workspace(workspace, workspace_trusted);
    for problem in agent.policies.take_new_problems() {
        tracing::warn!("{problem}");
    }
    let canonical = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
    let obeyed_args = toolbox.obeyed_arguments(&call.tool, &call.args);
    let request = PolicyRequest {
        mode: agent.settings.effective_mode(permission.mode),
        kind: preview.kind,
        tool: &call.tool,
        args: &call.args,
        obeyed_args: &obeyed_args,
        details: &preview.details,
        grants: permission.grants,
        protected: preview.protected.as_deref(),
        outside: preview.outside.as_deref(),
        secret: preview.secret.as_deref(),
        workspace_trusted,
        subagent: subagent::caller(permission.parent),
        agent: preview.agent.as_ref(),
        workspace: &canonical,
        objection: None,
    };
    let judgement = policy.judge(&request);
    let objection = match &judgement.plan {
        Some(plan) => toolbox.check_plan(workspace, plan).await.err(),
        None => None,
    };
    let secret = objection.as_ref().filter(|objection| objection.is_secret).map(|objection| objection.why.as_str());
    let found = objection.as_ref().map(|PlanObjection { why, command, .. }| PolicyObjection { why, command: *command });
    let request = PolicyRequest { objection: found, secret: request.secret.or(secret), ..request };
    let judgement = if objection.is_some() { policy.judge(&request) } else { judgement };
    match judgement.verdict {
        PolicyDecision::Allow => PolicyVerdict::Allow { why: judgement.why, plan: judgement.plan },
        PolicyDecision::Deny => PolicyVerdict::Deny { why: judgement.why },
        PolicyDecision::Ask => {
            let mut options = preview.options.unwrap_or_else(|| policy.options(&request));
            options.retain(|choice| choice.reach == GrantScope::Session || !agent.settings.restrictions.lasting_grants);
            let changed = policy.asks_because_tool_changed(&request);
            let reason = match asks_for_trust(&policy, toolbox, workspace, request).await {
                true => Some("It asks because you do not trust this folder; `pollux trust` changes that.".to_owned()),
                false => None,
            };
            let mut details = preview.details;
            if let AskDetails::Mcp { version, .. } = &mut details {
                version.changed = changed;
            }
            if call.tool == BuiltInTool::ExitPlanMode.name() {
                name_plan_modes(&mut details, &policy, workspace_trusted);
            }
            PolicyVerdict::Ask(Ask::new(details, options).with_reason(reason))
        }
    }
}

/// Whether a command asks only because the person does not trust the folder. What it would be in one that they trust is
/// judged the same way, so that nobody trusts a folder for nothing.
async fn asks_for_trust(policy: &Policy, toolbox: &Toolbox, workspace: &Path, request: PolicyRequest<'_>) -> bool {
    if request.workspace_trusted || request.kind != ToolKind::Execute {
        return false;
    }
    let trusted = policy.judge(&PolicyRequest { workspace_trusted: true, objection: None, ..request });
    match (trusted.verdict, &trusted.plan) {
        (PolicyDecision::Allow, Some(plan)) => toolbox.check_plan(workspace, plan).await.is_ok(),
        (PolicyDecision::Allow, None) => true,
        (PolicyDecision::Ask | PolicyDecision::Deny, _) => false,
    }
}

/// The output of a command that no model has asked for, and of which the log has nothing. `None` if it would ask, or fails.
pub(crate) async fn read_command_output(agent: &WorkspaceAgent, session: SessionId, command: &str) -> Option<String> {
    let toolbox = agent.toolbox();
    let mut call = CallState {
        id: CallId(Seq::START),
        task: session.main_task(),
        parent: None,
        place: CallId(Seq::START),
        response: None,
        tool: BuiltInTool::RunShellCommand.name().to_owned(),
        args: json!({ "command": command }),
        kind: ToolKind::Execute,
        ask: None,
        chosen: None,
        edit: None,
        plan: None,
        phase: CallPhase::Ready,
    };
    let permission = PermissionContext { parent: None, mode: ApprovalMode::Default, grants: &[] };
    let preview = toolbox.preview(session, &agent.root, &call.tool, &call.args, &Arc::default()).await.ok()?;
    let verdict = judge_call(agent, &toolbox, &call, permission, preview).await;
    // A command that runs as it is typed may do anything: that somebody has allowed it is no reason to run it unasked.
    let PolicyVerdict::Allow { plan: Some(plan), .. } = verdict else { return None };
    call.plan = Some(plan);
    let mut output = UnloggedOutput { session, trusted: agent.is_trusted() };
    match toolbox.run(&agent.root, &call, &mut output).await {
        ToolRunOutcome::Done(CallOutcome::Succeeded { result }) => Some(result.text),
        ToolRunOutcome::Done(_) | ToolRunOutcome::Stale => None,
    }
}

/// The way back of a call that belongs to no session's log.
struct UnloggedOutput {
    session: SessionId,
    trusted: bool,
}

impl ToolCallContext for UnloggedOutput {
    fn session(&self) -> SessionId {
        self.session
    }

    fn trusts_workspace(&self) -> bool {
        self.trusted
    }

    fn call<'b>(&'b mut self, _: NewCall) -> BoxFuture<'b, CallOutcome> {
        Box::pin(async { CallOutcome::Cancelled })
    }

    fn spend<'b>(&'b mut self, _: String, _: ModelUsage) -> BoxFuture<'b, ()> {
        Box::pin(async {})
    }

    fn set<'b>(&'b mut self, _: SessionSetting) -> BoxFuture<'b, ()> {
        Box::pin(async {})
    }

    fn send<'b>(&'b mut self, _: String, _: u64) -> BoxFuture<'b, ()> {
        Box::pin(async {})
    }
}

/// A call as it stands just before it runs.
enum FinalJudgement {
    /// It may run. What policy looked at, if it was judged once more.
    Runs(Option<AskDetails>),
    /// Nobody was asked about it, and it would no longer run without a question.
    WouldAsk,
    /// It may not run any more, whoever has allowed it.
    Denied { why: String },
}

/// Judge a call once more: it may have waited behind others for long, and the mode, the rules, the disk, the server of its tool or
/// the file of its agent may have changed since. A yes of a person stands unless the call is forbidden by now; whether it is still
/// the one that was shown, the tool finds out for itself.
async fn judge_finally(
    agent: &WorkspaceAgent,
    toolbox: &Toolbox,
    site: &ToolCallSite,
    call: &CallState,
    permission: PermissionContext<'_>,
) -> FinalJudgement {
    let is_allowed_by_person = call.chosen.is_some();
    let preview = toolbox.preview(site.session, &agent.root, &call.tool, &call.args, &site.seen_files).await;
    let Ok(preview) = preview else {
        // A plan is resolved once more when it runs, and what only reads says then what is wrong. Everything else is looked at anew.
        let is_checked_later = is_allowed_by_person || call.plan.is_some() || call.kind == ToolKind::Read;
        return if is_checked_later { FinalJudgement::Runs(None) } else { FinalJudgement::WouldAsk };
    };
    let details = preview.details.clone();
    match judge_call(agent, toolbox, call, permission, preview).await {
        PolicyVerdict::Deny { why } if is_allowed_by_person => FinalJudgement::Denied { why },
        _ if is_allowed_by_person => FinalJudgement::Runs(None),
        PolicyVerdict::Allow { plan, .. } if plan == call.plan => FinalJudgement::Runs(Some(details)),
        PolicyVerdict::Allow { .. }
        | PolicyVerdict::Ask(_)
        | PolicyVerdict::Deny { .. }
        | PolicyVerdict::Fail { .. } => FinalJudgement::WouldAsk,
    }
}

/// Run a call. What it may change is saved first, and it starts only after the log says that it does.
pub(crate) async fn run(
    agent: &WorkspaceAgent,
    toolbox: Toolbox,
    site: &ToolCallSite,
    call: &CallState,
    permission: PermissionContext<'_>,
    reporter: &Reporter,
) -> Result<(), NotOwed> {
    let toolbox = site.add_restore_tool(toolbox, agent.checkpoints.as_ref());
    let judged = match judge_finally(agent, &toolbox, site, call, permission).await {
        FinalJudgement::Runs(judged) => judged,
        FinalJudgement::WouldAsk => return reporter.report(Report::Stale).await,
        FinalJudgement::Denied { why } => {
            return reporter.report(Report::Done { outcome: CallOutcome::Denied { why } }).await;
        }
    };
    match checkpoint::save(agent.checkpoints.as_deref(), &toolbox, site, call, judged.as_ref()).await {
        None => {}
        Some(Ok(checkpointed)) => reporter.report(checkpointed).await?,
        Some(Err(outcome)) => return reporter.report(Report::Done { outcome }).await,
    }
    reporter.report(Report::Starting).await?;
    let (mode, trusted) = (agent.settings.effective_mode(permission.mode), agent.is_trusted());
    let (session, seen_files) = (site.session, Arc::clone(&site.seen_files));
    let mut output = LiveOutput { session, mode, trusted, judged, seen_files, reporter };
    let ran = toolbox.run(site.workspace(), call, &mut output).await;
    if let (ToolRunOutcome::Done(CallOutcome::Succeeded { .. }), Some(to)) = (&ran, site.rewinds_to(call)) {
        reporter.report(Report::Rewound { to }).await?;
    }
    match ran {
        ToolRunOutcome::Done(outcome) => reporter.report(Report::Done { outcome }).await,
        ToolRunOutcome::Stale => reporter.report(Report::Stale).await,
    }
}

struct LiveOutput<'a> {
    session: SessionId,
    mode: ApprovalMode,
    /// Whether the person trusts the workspace.
    trusted: bool,
    /// What policy allowed without a question.
    judged: Option<AskDetails>,
    seen_files: Arc<SeenFiles>,
    reporter: &'a Reporter,
}

impl ToolCallContext for LiveOutput<'_> {
    fn session(&self) -> SessionId {
        self.session
    }

    fn judged(&self) -> Option<&AskDetails> {
        self.judged.as_ref()
    }

    fn seen_files(&self) -> Arc<SeenFiles> {
        Arc::clone(&self.seen_files)
    }

    fn reads_secrets(&self) -> bool {
        self.mode == ApprovalMode::Yolo
    }

    fn trusts_workspace(&self) -> bool {
        self.trusted
    }

    fn call<'b>(&'b mut self, call: NewCall) -> BoxFuture<'b, CallOutcome> {
        // As below.
        Box::pin(async move { self.reporter.call(call).await.unwrap_or(CallOutcome::Cancelled) })
    }

    fn spend<'b>(&'b mut self, model: String, usage: ModelUsage) -> BoxFuture<'b, ()> {
        Box::pin(async move {
            let _ = self.reporter.report(Report::Spent { model, usage }).await;
        })
    }

    fn set<'b>(&'b mut self, setting: SessionSetting) -> BoxFuture<'b, ()> {
        Box::pin(async move {
            // As below: when nobody waits for the call any more, its future is dropped.
            let _ = self.reporter.report(Report::Set { setting }).await;
        })
    }

    fn send<'b>(&'b mut self, text: String, skipped: u64) -> BoxFuture<'b, ()> {
        Box::pin(async move {
            // When the call is no longer owed, this future is dropped with the tool; until then nothing is lost.
            let _ = self.reporter.report(Report::Output { text, skipped }).await;
        })
    }
}
