//! `/extensions` and `/list-extensions`: what extends the agent here, for people and for programs.

use super::{Answer, Asked, Command, Occasion, group, plain};
use pollux_session::{CommandInfo, Pending};
use serde_json::{Value, json};

/// The command.
pub(super) struct Extensions;

/// The same as data, under the name and in the shape that the server reference gives.
pub(super) struct ListExtensions;

const LIST: &str = "The extensions there are, with version and state";
const LIST_AS_DATA: &str = "The extensions there are, as JSON for programs";

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
        plain("list-extensions", LIST_AS_DATA)
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move { Ok(Answer::say(as_data(occasion).to_string())) })
    }
}

fn as_data(occasion: &Occasion<'_>) -> Value {
    let extensions = occasion.agent.commands.extensions_of(occasion.workspace()).into_iter();
    let extensions = extensions
        .map(|extension| json!({ "name": extension.name, "version": extension.version, "enabled": extension.active }));
    json!({ "extensions": extensions.collect::<Vec<_>>() })
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
