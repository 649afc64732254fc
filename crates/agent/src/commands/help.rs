//! `/help`: every command there is.

use super::line::usage;
use super::registry::all;
use super::{Answer, Asked, Command, Occasion, plain};
use pollux_session::{CommandInfo, Pending};

/// The command.
pub(super) struct Help;

impl Command for Help {
    fn info(&self) -> CommandInfo {
        plain("help", "The commands there are")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let commands = all(occasion.agent, occasion.workspace()).await;
            let mut lines = vec!["Commands:".to_owned()];
            for command in &commands {
                match command.subcommands.as_slice() {
                    [] => lines.push(format!("- {}: {}", usage(command), command.description)),
                    subs => {
                        lines.push(format!("- /{}: {}", command.name, command.description));
                        lines.extend(subs.iter().map(|sub| {
                            let full = CommandInfo { name: format!("{} {}", command.name, sub.name), ..sub.clone() };
                            format!("  - {}: {}", usage(&full), sub.description)
                        }));
                    }
                }
            }
            lines.push(
                "Anything else is a prompt. To send a line that begins with a slash, put a space before the slash."
                    .to_owned(),
            );
            Ok(Answer::say(lines.join("\n")))
        })
    }
}
