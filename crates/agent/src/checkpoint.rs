//! Checkpoints: the workspace is saved before a call that changes things, and `/restore` goes back to it.

mod changed_files;
mod name;
mod restore_checkpoint;

use pollux_session::{
    AskDetails, BuiltInCommand, CallError, CallOutcome, CallState, CommandPlan, Report, SavedCheckpoint, SeenFiles,
    Seq, SessionId,
};
use pollux_tools::{CheckpointRequest, Checkpoints, Toolbox};
use restore_checkpoint::{NAME, RestoreCheckpoint};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// The commands that go back. In their turns, and in no others, there is the tool for it.
const COMMANDS: [BuiltInCommand; 2] = [BuiltInCommand::Restore, BuiltInCommand::Rewind];

/// Where a call is made.
pub(crate) struct ToolCallSite {
    pub(crate) session: SessionId,
    pub(crate) workspace: String,
    /// The checkpoints that the session can go back to, oldest first.
    pub(crate) checkpoints: Arc<VecDeque<SavedCheckpoint>>,
    /// The versions of files that the model was shown last.
    pub(crate) seen_files: Arc<SeenFiles>,
    /// The command that answers the turn.
    pub(crate) command: Option<String>,
}

impl ToolCallSite {
    pub(crate) fn workspace(&self) -> &Path {
        Path::new(&self.workspace)
    }

    /// `toolbox`, with the tool that goes back where a person has asked for that.
    pub(crate) fn add_restore_tool(&self, toolbox: Toolbox, checkpoints: Option<&Arc<Checkpoints>>) -> Toolbox {
        match checkpoints {
            Some(keeper) if self.is_restore_turn() => toolbox.and(vec![Arc::new(RestoreCheckpoint {
                checkpoints: Arc::clone(keeper),
                session: self.session,
                known: Arc::clone(&self.checkpoints),
            })]),
            Some(_) | None => toolbox,
        }
    }

    /// True if a person has asked to go back.
    fn is_restore_turn(&self) -> bool {
        let command = self.command.as_deref().and_then(|command| command.split(' ').next());
        COMMANDS.iter().any(|back| Some(back.name()) == command)
    }

    /// True if `call` is the one that does it. However few tools a session has, a person can.
    pub(crate) fn is_restore_call(&self, call: &CallState) -> bool {
        self.is_restore_turn() && call.tool == NAME
    }

    /// The checkpoint that `call` goes back to, if it does.
    fn restore_target(&self, call: &CallState) -> Option<&SavedCheckpoint> {
        self.is_restore_call(call).then(|| restore_checkpoint::find(&self.checkpoints, &call.args))?
    }

    /// The newest entry that is still told once `call` has gone back.
    pub(crate) fn rewinds_to(&self, call: &CallState) -> Option<Seq> {
        self.restore_target(call).map(|goal| goal.before_step)
    }
}

/// Save the workspace, if `call` is about to change it. `judged` is what policy allowed of a call that nobody was asked about. What is returned is for the log; the outcome is how the call ends
/// that cannot do without.
pub(crate) async fn save(
    keeper: Option<&Checkpoints>,
    toolbox: &Toolbox,
    site: &ToolCallSite,
    call: &CallState,
    judged: Option<&AskDetails>,
) -> Option<Result<Report, CallOutcome>> {
    let keeper = keeper?;
    let only_reads = call.plan.as_ref().is_some_and(CommandPlan::only_reads);
    if only_reads || !call.kind.changes_things() || !toolbox.changes_workspace(&call.tool) {
        return None;
    }
    let goal = site.restore_target(call);
    let saved = |kept: &'_ SavedCheckpoint| kept.checkpoint.saved.as_deref().ok().map(str::to_owned);
    let also = goal.and_then(saved);
    let named: Vec<String> = site.checkpoints.iter().filter_map(saved).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let files = changed_files::find(call, judged, site.workspace());
    // Who goes back may want to come again: what the calls since then changed is in the present, too, even if it is ignored.
    let since = |goal: &SavedCheckpoint| {
        let name = goal.checkpoint.name.clone();
        let calls = site.checkpoints.iter().skip_while(move |kept| kept.checkpoint.name != name);
        calls.filter_map(|kept| kept.checkpoint.changed_files()).flatten().cloned().collect::<Vec<String>>()
    };
    let changes = goal.map_or_else(|| files.clone(), since);
    let wanted = CheckpointRequest {
        session: site.session,
        workspace: site.workspace(),
        named: &named,
        also: also.as_deref(),
        changes: &changes,
    };
    let saved = keeper.save(wanted).await.map_err(|trouble| trouble.to_string());
    if let (Some(_), Err(why)) = (goal, &saved) {
        let message = format!("nothing was changed, because the present could not be saved first: {why}");
        let error = CallError { kind: "checkpoint_failed".into(), message };
        return Some(Err(CallOutcome::Failed { error, result: None }));
    }
    Some(Ok(Report::Checkpointed { name: name::checkpoint_name(call, &site.checkpoints), saved, files }))
}
