//! `/restore`: go back to what the workspace and the conversation were like before a call.

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use jiff::Timestamp;
use pollux_session::{
    BuiltInCommand, BuiltInTool, CommandInfo, SavedCheckpoint, UnixMillis, WorkspaceCheckpoint, code_span, format_age,
};
use serde_json::json;

/// The command.
pub(super) struct RestoreCommand;

/// The tool that puts files back. It says what it will change, and asks.
const TOOL: &str = BuiltInTool::RestoreCheckpoint.name();

#[async_trait]
impl SlashCommand for RestoreCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Restore.info()
    }

    fn default_subcommand(&self, rest: &str) -> Option<&'static str> {
        Some(if rest.is_empty() { "list" } else { "restore" })
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        match asked.sub.as_str() {
            "restore" => restore(command_context, &asked.argument()),
            _ => Ok(CommandOutput::say(listed(command_context))),
        }
    }
}

fn restore(command_context: &CommandContext<'_>, name: &str) -> Result<CommandOutput, String> {
    match command_context.call_results().pop() {
        Some(Ok(text)) => Ok(CommandOutput::say(text)),
        Some(Err(why)) => Err(format!("the restore did not go through: {why}")),
        None => begin_restore(command_context, name),
    }
}

/// Have the files put back that a checkpoint, named as `/restore` takes it, has saved. The call says what it will change, and asks.
pub(super) fn begin_restore(command_context: &CommandContext<'_>, name: &str) -> Result<CommandOutput, String> {
    let (name, all) = match name.strip_suffix(" all") {
        Some(name) => (name.trim_end(), true),
        None => (name, false),
    };
    let Some(kept) = command_context.facts.checkpoints.iter().find(|kept| kept.is_called(name)) else {
        return Err(format!("there is no checkpoint {name}; /restore list shows what there is"));
    };
    let WorkspaceCheckpoint { name, saved, .. } = &kept.checkpoint;
    // For people: the name says little.
    let to = match kept.is_of_restore() {
        true => format!("before the restore {}", kept.number()),
        false => format!("before {}", kept.call_title),
    };
    match saved {
        Ok(saved) => match restore_obstacle(command_context, saved) {
            None if all => Ok(CommandOutput::call([(TOOL, json!({ "checkpoint": name, "to": to, "all": true }))])),
            None => Ok(CommandOutput::call([(TOOL, json!({ "checkpoint": name, "to": to }))])),
            Some(why) => Err(format!("there is no way back to {name} here: {why}; /restore list shows what there is")),
        },
        Err(why) => Err(format!("{name} was not saved, so there is no way back to it: {why}")),
    }
}

/// Why what was saved cannot be gone back to on this machine.
fn restore_obstacle(command_context: &CommandContext<'_>, saved: &str) -> Option<String> {
    match &command_context.agent.workspace.checkpoints {
        Some(keeper) => keeper
            .find(command_context.facts.session, command_context.workspace(), saved)
            .err()
            .map(|trouble| trouble.to_string()),
        None => Some("checkpoints are disabled (general.checkpointing.enabled)".to_owned()),
    }
}

fn listed(command_context: &CommandContext<'_>) -> String {
    let checkpoints = &command_context.facts.checkpoints;
    if checkpoints.is_empty() {
        return "There are no checkpoints yet: one is made before each call that changes something.".to_owned();
    }
    let now = UnixMillis(u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0));
    // For each, why there is no way back to it.
    let (here, gone): (Vec<_>, Vec<_>) = checkpoints
        .iter()
        .rev()
        .map(|kept| match &kept.checkpoint.saved {
            Ok(saved) => (kept, restore_obstacle(command_context, saved)),
            Err(why) => (kept, Some(format!("not saved: {why}"))),
        })
        .partition(|(_, obstacle)| obstacle.is_none());
    let mut lines = Vec::new();
    if here.is_empty() {
        lines.push("There is no checkpoint here to go back to.".to_owned());
    } else {
        lines.extend(here.iter().map(|(kept, _)| list_line(kept, now)));
        lines.push("\n`/restore NUMBER` goes back to just before that call.".to_owned());
        lines.push(
            "Files that only you changed stay as they are; `/restore NUMBER all` takes them back too.".to_owned(),
        );
    }
    if !gone.is_empty() {
        lines.push("\nThere is no way back to these:".to_owned());
        let reason = |why: &Option<String>| why.clone().unwrap_or_default();
        lines.extend(gone.iter().map(|(kept, why)| format!("{} ({})", list_line(kept, now), reason(why))));
    }
    lines.join("\n")
}

/// A checkpoint by its number: how old it is, the call it was made for, and what that changed.
fn list_line(kept: &SavedCheckpoint, now: UnixMillis) -> String {
    let facts = [format_age(kept.at, now), code_span(&kept.call_title), kept.call_result.clone()];
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    format!("- {} · {}", kept.number(), facts.join(" · "))
}
