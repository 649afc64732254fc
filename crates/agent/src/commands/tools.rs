//! `/tools`: what the model may call.

use super::{Answer, Asked, Command, Occasion, group, plain};
use pollux_session::{CommandInfo, Pending};

/// The command.
pub(super) struct Tools;

impl Command for Tools {
    fn info(&self) -> CommandInfo {
        let subcommands =
            vec![plain("list", "The tools the model has"), plain("desc", "The tools with what each does")];
        group("tools", "The tools the model has", subcommands)
    }

    fn otherwise(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, asked: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let desk = occasion.desk()?;
            let tools = desk.toolbox.declarations(desk.mode);
            let lines = tools.iter().map(|tool| match asked.sub.as_str() {
                "desc" => format!("- {}: {}", tool.name, tool.description),
                _ => format!("- {}", tool.name),
            });
            let count = match tools.len() {
                1 => "1 tool".to_owned(),
                count => format!("{count} tools"),
            };
            let count = format!("{count} in {} mode:", desk.mode.name());
            Ok(Answer::say([count].into_iter().chain(lines).collect::<Vec<_>>().join("\n")))
        })
    }
}
