//! The work that is under way. Reconciling it with what is owed is all of starting and all of stopping.

use crate::actor::MailboxItem;
use crate::runner::{EffectJob, EffectWork, Reporter, Runner};
use pollux_session::{
    CallError, CallOutcome, CallState, Effect, PolicyVerdict, Report, SessionId, SessionState, ToolKind, Transcript,
    TurnFailure,
};
use pollux_store::Log;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinSet};
use tracing::field::{Empty, display};
use tracing::{Instrument, Span};

/// The work under way for one session.
pub(crate) struct RunningEffects {
    session: SessionId,
    runner: Arc<dyn Runner>,
    log: Arc<dyn Log>,
    tasks: JoinSet<()>,
    by_effect: HashMap<Effect, AbortHandle>,
    by_task: HashMap<Id, Effect>,
}

impl RunningEffects {
    pub(crate) fn new(session: SessionId, runner: Arc<dyn Runner>, log: Arc<dyn Log>) -> RunningEffects {
        let (tasks, by_effect, by_task) = (JoinSet::new(), HashMap::new(), HashMap::new());
        RunningEffects { session, runner, log, tasks, by_effect, by_task }
    }

    /// Start what is owed and not running; stop what runs and is not owed.
    pub(crate) fn reconcile(
        &mut self,
        state: &SessionState,
        transcript: &Transcript,
        mailbox: &mpsc::Sender<MailboxItem>,
    ) {
        let owed = pollux_session::next(state);
        self.by_effect.retain(|effect, task| {
            let keep = owed.contains(effect);
            if !keep {
                task.abort();
            }
            keep
        });
        for effect in owed {
            if self.by_effect.contains_key(&effect) {
                continue;
            }
            let Some(job) = self.job(state, transcript, effect) else { continue };
            let (session, log) = (self.session, self.log.clone());
            let reporter = Reporter { effect, mailbox: mailbox.clone(), session, log };
            let span = work_span(self.session, state);
            let task = self.tasks.spawn(self.runner.run(job, reporter).instrument(span));
            self.by_task.insert(task.id(), effect);
            self.by_effect.insert(effect, task);
        }
    }

    /// True if nothing is under way.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_effect.is_empty()
    }

    /// Wait for work that ended without saying so: it panicked or forgot to report. Returns what it should have said.
    pub(crate) async fn ended_silently(&mut self) -> (Effect, Report) {
        loop {
            let Some(joined) = self.tasks.join_next_with_id().await else {
                std::future::pending::<()>().await;
                continue;
            };
            let (id, why) = match joined {
                Ok((id, ())) => (id, "ended without a result"),
                Err(error) if error.is_panic() => (error.id(), "stopped by an internal error"),
                Err(error) => {
                    self.by_task.remove(&error.id());
                    continue;
                }
            };
            let Some(effect) = self.by_task.remove(&id) else { continue };
            // It may have been stopped and started anew since, or it has said all there is to say.
            if self.by_effect.get(&effect).is_none_or(|task| task.id() != id) {
                continue;
            }
            // Work that reported its end is no longer owed; the session drops what is said here for it.
            self.by_effect.remove(&effect);
            return (effect, failure_of(effect, why));
        }
    }

    fn job(&self, state: &SessionState, transcript: &Transcript, effect: Effect) -> Option<EffectJob> {
        let call = |id| state.turn.as_ref()?.calls.get(&id).cloned();
        let parent = |made: &CallState| made.parent.and_then(call).map(Box::new);
        let work = match effect {
            Effect::Think { .. } => {
                let model = state.turn.as_ref()?.model.clone();
                EffectWork::Think { transcript: transcript.clone(), model, mode: state.mode }
            }
            Effect::Vet { call: id, .. } => {
                let turn = state.turn.as_ref()?;
                let call = call(id)?;
                let before = turn.calls_before(&call).cloned().collect();
                EffectWork::Vet { parent: parent(&call), call, before, mode: state.mode, grants: state.grants.clone() }
            }
            Effect::Run { call: id } => {
                let model = state.turn.as_ref()?.model.clone();
                let call = call(id)?;
                EffectWork::Run { parent: parent(&call), call, grants: state.grants.clone(), model, mode: state.mode }
            }
            Effect::Compact { .. } => {
                let (transcript, model) = (transcript.clone(), state.model.clone());
                EffectWork::Compact { transcript, model, mode: state.mode }
            }
            Effect::Keep { answer } => {
                let keeping = state.keeping.iter().find(|keeping| keeping.answer == answer)?;
                EffectWork::Keep { grant: keeping.grant.clone(), reach: keeping.reach }
            }
        };
        let opened = state.opened.as_ref()?;
        let (workspace, only_tools) = (opened.workspace.clone(), opened.overrides.only_tools.clone());
        let (checkpoints, seen_files) = (Arc::clone(&state.checkpoints), Arc::clone(&state.seen_files));
        let command = state.turn.as_ref().and_then(|turn| turn.command.clone());
        let (owner, lent) = (opened.owner.clone(), opened.overrides.lent);
        let session = self.session;
        Some(EffectJob { session, owner, workspace, only_tools, lent, checkpoints, seen_files, command, work })
    }
}

/// The fields of every log line about the work: its session and task.
fn work_span(session: SessionId, state: &SessionState) -> Span {
    let span = tracing::debug_span!("work", task = Empty, %session);
    if let Some(turn) = &state.turn {
        span.record("task", display(turn.task));
    }
    span
}

/// The report of work that could not make its own.
fn failure_of(effect: Effect, why: &str) -> Report {
    let failed = || {
        let error = CallError { kind: "internal".into(), message: format!("the tool {why}") };
        CallOutcome::Failed { error, result: None }
    };
    match effect {
        Effect::Think { .. } => Report::StepFailed {
            failure: TurnFailure {
                kind: "internal".into(),
                message: format!("the model call {why}; send the prompt again"),
            },
        },
        Effect::Vet { .. } => {
            Report::Vetted { kind: ToolKind::default(), verdict: PolicyVerdict::Fail { outcome: failed() } }
        }
        Effect::Run { .. } => Report::Done { outcome: failed() },
        Effect::Compact { .. } => Report::NotCompacted { why: format!("the model call {why}") },
        Effect::Keep { .. } => Report::Kept { failure: Some(format!("the writing of the policy file {why}")) },
    }
}
