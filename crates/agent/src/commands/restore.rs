//! `/restore`: go back to what the workspace and the conversation were like before a call.

use super::{Answer, Asked, Command, Occasion, group, needed, plain, taking};
use pollux_session::{Checkpoint, CommandInfo, Pending};
use serde_json::json;

/// The command.
pub(super) struct Restore;

/// The tool that puts files back. It says what it will change, and asks.
const TOOL: &str = "restore_checkpoint";

impl Command for Restore {
    fn info(&self) -> CommandInfo {
        let name = needed("checkpoint", "A name from the list");
        let subcommands = vec![
            plain("list", "The checkpoints of this session, newest first"),
            taking("restore", "Put files and conversation back to a checkpoint, after showing what changes", name),
        ];
        group("restore", "Go back to before a change", subcommands)
    }

    fn otherwise(&self, rest: &str) -> Option<&'static str> {
        Some(if rest.is_empty() { "list" } else { "restore" })
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, asked: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            match asked.sub.as_str() {
                "restore" => restore(occasion, &asked.argument()),
                _ => Ok(Answer::say(listed(occasion))),
            }
        })
    }
}

fn restore(occasion: &Occasion<'_>, name: &str) -> Result<Answer, String> {
    match occasion.calls().pop() {
        Some(Ok(text)) => return Ok(Answer::say(text)),
        Some(Err(why)) => return Err(format!("the restore did not go through: {why}")),
        None => {}
    }
    let mut checkpoints = occasion.facts.checkpoints.iter().map(|kept| &kept.checkpoint);
    match checkpoints.find(|checkpoint| checkpoint.name == name) {
        Some(Checkpoint { saved: Ok(_), .. }) => Ok(Answer::call([(TOOL, json!({ "checkpoint": name }))])),
        Some(Checkpoint { saved: Err(why), .. }) => {
            Err(format!("{name} was not saved, so there is no way back to it: {why}"))
        }
        None => Err(format!("there is no checkpoint {name}; /restore list shows what there is")),
    }
}

fn listed(occasion: &Occasion<'_>) -> String {
    let checkpoints = &occasion.facts.checkpoints;
    if checkpoints.is_empty() {
        return "There are no checkpoints yet: one is made before each call that changes something.".to_owned();
    }
    let line = |checkpoint: &Checkpoint| match &checkpoint.saved {
        Ok(_) => format!("- {}", checkpoint.name),
        Err(why) => format!("- {} (not saved: {why})", checkpoint.name),
    };
    let lines = checkpoints.iter().rev().map(|kept| line(&kept.checkpoint));
    let last = "/restore NAME goes back to just before that call.".to_owned();
    lines.chain([last]).collect::<Vec<_>>().join("\n")
}
