//! `/about`: what runs here.

use super::{Answer, Asked, Command, Occasion, plain};
use pollux_session::{CommandInfo, Pending};

/// The command.
pub(super) struct About;

impl Command for About {
    fn info(&self) -> CommandInfo {
        plain("about", "The version, the model, the workspace and how freely tools run")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let mut lines = vec![format!("pollux {}", occasion.agent.commands.version)];
            match occasion.desk() {
                Ok(desk) => {
                    lines.push(format!("model: {}", desk.model.info().label));
                    lines.push(format!("mode: {}", desk.mode.name()));
                }
                Err(why) => lines.push(format!("model: none ({why})")),
            }
            let trusted = if occasion.agent.trusts(occasion.workspace()) { "trusted" } else { "not trusted" };
            lines.push(format!("workspace: {} ({trusted})", occasion.facts.workspace));
            // True until a sandbox is built; the mode and the policy are what stands in the way of a command.
            lines.push("sandbox: none; commands run with your own rights, as policy allows or you do".to_owned());
            lines.push(format!("session: {}", occasion.facts.session));
            Ok(Answer::say(lines.join("\n")))
        })
    }
}
