//! `/extensions` and `/list-extensions`: what extends the agent here.

use super::{Answer, Asked, Command, Occasion, group, plain};
use pollux_session::{CommandInfo, Pending};

/// The command.
pub(super) struct Extensions;

/// The same under the name that the endpoint guide uses.
pub(super) struct ListExtensions;

const LIST: &str = "The extensions there are, with version and state";

impl Command for Extensions {
    fn info(&self) -> CommandInfo {
        group("extensions", "What extends the agent here", vec![plain("list", LIST)])
    }

    fn otherwise(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move { Ok(Answer::say(listed(occasion))) })
    }
}

impl Command for ListExtensions {
    fn info(&self) -> CommandInfo {
        plain("list-extensions", LIST)
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move { Ok(Answer::say(listed(occasion))) })
    }
}

fn listed(occasion: &Occasion<'_>) -> String {
    let extensions = occasion.agent.commands.extensions_of(occasion.workspace());
    if extensions.is_empty() {
        return "There are no extensions.".to_owned();
    }
    let lines = extensions.iter().map(|extension| {
        let state = if extension.active { "enabled" } else { "disabled" };
        format!("- {} {} ({state})", extension.name, extension.version)
    });
    lines.collect::<Vec<_>>().join("\n")
}
