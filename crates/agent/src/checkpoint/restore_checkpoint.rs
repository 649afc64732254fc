//! `restore_checkpoint`: puts the workspace back to a checkpoint of the session. Only the command `/restore` calls it, and
//! no model is offered it.

use pollux_session::{
    ApprovalMode, AskDetails, AskOption, BoxFuture, BuiltInTool, CallResult, CallState, SavedCheckpoint, SessionId,
    ToolKind, cancel_choice, code_span, once_choice,
};
use pollux_tools::{
    CallPreview, CheckpointError, CheckpointedCall, Checkpoints, RestorePlan, RestoreScope, Tool, ToolCallContext,
    ToolError, ToolRunOutcome, ToolSpec,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

pub(super) const NAME: &str = BuiltInTool::RestoreCheckpoint.name();

/// The sentence on what happens besides.
const CONVERSATION: &str = "The conversation goes back too: the model is no longer told what came after it.";
/// The same where going back is undone.
const CONVERSATION_AGAIN: &str = "That undoes it: the model is told again what it was told before the restore.";
/// In a file that a call changed, nobody can tell whose lines are whose; and a command may have changed any.
const OWN_CHANGES: &str =
    "A file that goes back goes back whole, with what you have changed in it since. A new checkpoint keeps that.";
/// A person may want their own changes undone as well.
const ALL_CHANGES: &str = "Every change since then goes back, your own too, and files that you made since then are removed. \
                           A new checkpoint keeps all of it.";

/// The tool for one session.
pub(super) struct RestoreCheckpoint {
    pub(super) checkpoints: Arc<Checkpoints>,
    pub(super) session: SessionId,
    pub(super) known: Arc<VecDeque<SavedCheckpoint>>,
}

/// The checkpoint that `args` name. The name is looked up, and nothing else is done with it.
pub(super) fn find<'a>(known: &'a VecDeque<SavedCheckpoint>, args: &Value) -> Option<&'a SavedCheckpoint> {
    let name = args.get("checkpoint").and_then(Value::as_str)?;
    known.iter().rev().find(|kept| kept.checkpoint.name == name)
}

impl RestoreCheckpoint {
    /// The checkpoint, and what going back to it changes.
    async fn compare(&self, workspace: &Path, args: &Value) -> Result<(&SavedCheckpoint, RestorePlan), ToolError> {
        let unknown =
            || ToolError::BadArguments("there is no such checkpoint; `/restore` lists those there are".into());
        let wanted = find(&self.known, args).ok_or_else(unknown)?;
        let checkpoint = &wanted.checkpoint;
        let saved = checkpoint
            .saved
            .as_ref()
            .map_err(|why| ToolError::failed("checkpoint_failed", format!("this checkpoint was not saved: {why}")))?;
        let since = self.known.iter().skip_while(|kept| kept.checkpoint.name != checkpoint.name);
        let calls: Vec<CheckpointedCall<'_>> = since.map(checkpointed_call).collect();
        let scope = if is_for_all(args) { RestoreScope::Everything(&calls) } else { RestoreScope::ChangedBy(&calls) };
        let restore = self.checkpoints.compare(self.session, workspace, saved, scope).await;
        Ok((wanted, restore.map_err(|trouble| failed(&trouble))?))
    }
}

fn checkpointed_call(kept: &SavedCheckpoint) -> CheckpointedCall<'_> {
    let SavedCheckpoint { checkpoint, call_title, at, ended, .. } = kept;
    let (saved, files) = (checkpoint.saved.as_deref().ok(), checkpoint.changed_files());
    let background = ended.is_none().then_some(call_title.as_str());
    CheckpointedCall { saved, files, started: *at, ended: *ended, background }
}

/// True if the person's own changes go back, too.
fn is_for_all(args: &Value) -> bool {
    args.get("all").and_then(Value::as_bool) == Some(true)
}

fn details(wanted: &SavedCheckpoint, args: &Value, restore: &RestorePlan) -> AskDetails {
    let own = match restore.changed_later() {
        _ if is_for_all(args) => ALL_CHANGES.to_owned(),
        [] => OWN_CHANGES.to_owned(),
        files => {
            let names: Vec<String> = files.iter().map(|file| code_span(file)).collect();
            format!(
                "Your own changes go back too in what you changed after the agent: {}. A new checkpoint keeps them.",
                names.join(", ")
            )
        }
    };
    let conversation = if wanted.is_of_restore() { CONVERSATION_AGAIN } else { CONVERSATION };
    let all = match restore.leaves_own_changes() {
        true => format!("\nFiles that only you changed stay; `/restore {} all` takes those back too.", wanted.number()),
        false => String::new(),
    };
    AskDetails::generic(format!(
        "Go back to just before {} (checkpoint {}).\n{own}\n{conversation}{all}\n\n{}",
        call_label(wanted),
        wanted.number(),
        restore.description()
    ))
}

/// The call that a checkpoint was made for, in words that do not tell of another restore in turn.
fn call_label(wanted: &SavedCheckpoint) -> &str {
    if wanted.is_of_restore() { "the restore" } else { &wanted.call_title }
}

fn failed(trouble: &CheckpointError) -> ToolError {
    ToolError::failed("checkpoint_failed", trouble.to_string())
}

impl Tool for RestoreCheckpoint {
    fn declaration(&self) -> ToolSpec {
        let description = "Puts the workspace and the conversation back to a checkpoint.".into();
        let parameters = Arc::new(json!({"type": "object", "properties": {
                "checkpoint": {"type": "string"}, "to": {"type": "string"}, "all": {"type": "boolean"}}}));
        ToolSpec { name: NAME.into(), description, parameters }
    }

    fn offered_in(&self, _: ApprovalMode) -> bool {
        false
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (wanted, restore) = self.compare(workspace, args).await?;
            let summary = format!("Go back to before {}", call_label(wanted));
            let preview = CallPreview::new(NAME, ToolKind::Edit, summary, details(wanted, args, &restore));
            // Each time is another one, so there is nothing to allow for the next.
            let back = AskOption { name: "Go back".into(), ..once_choice() };
            let stay = AskOption { name: "Leave everything as it is".into(), ..cancel_choice() };
            Ok(CallPreview { options: Some(vec![back, stay]), ..preview })
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        _: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let (wanted, restore) = self.compare(workspace, &call.args).await?;
            if call.ask.as_ref().is_some_and(|ask| ask.details != details(wanted, &call.args, &restore)) {
                return Ok(ToolRunOutcome::Stale);
            }
            let changed = restore.description().to_owned();
            restore.apply().await.map_err(|trouble| failed(&trouble))?;
            // Whoever was asked has seen it.
            let shown = if call.ask.is_some() { String::new() } else { format!("\n\n{changed}") };
            let text = format!(
                "Files and conversation are back to just before {}. `/restore {}` undoes this.{shown}",
                if wanted.is_of_restore() { call_label(wanted).to_owned() } else { code_span(&wanted.call_title) },
                // The checkpoint that was made for this call.
                call.id.0.0
            );
            Ok(ToolRunOutcome::succeeded(CallResult { text, ..CallResult::default() }))
        })
    }
}
