//! `/shell`: a command the person runs themselves, whose output the model knows from then on. The terminal's `!` is this.

use super::{Answer, Asked, Command, Occasion, needed, taking};
use pollux_session::{CommandInfo, Pending, Report};
use serde_json::json;

/// The command.
pub(super) struct Shell;

/// The tool it runs with, and so the policy it runs under.
const TOOL: &str = "run_shell_command";

impl Command for Shell {
    fn info(&self) -> CommandInfo {
        let command = needed("command", "What to run, as a shell reads it");
        taking("shell", "Run a command in the workspace and let the model know what it printed", command)
    }

    /// A shell does, quotes and all.
    fn reads_its_own_arguments(&self) -> bool {
        true
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, asked: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let command = asked.rest.as_str();
            if command.is_empty() {
                return Err("/shell needs a command; say /shell COMMAND".to_owned());
            }
            match occasion.calls().pop() {
                None => {
                    let why = "The person runs this themselves.";
                    Ok(Answer::call([(TOOL, json!({ "command": command, "description": why }))]))
                }
                Some(Ok(printed)) => {
                    let text = format!("I ran this command myself:\n{command}\n\nThis is what came of it:\n{printed}");
                    let told = Report::Attached { name: format!("! {command}"), text, media: Vec::new() };
                    Ok(Answer::say("").after(told))
                }
                Some(Err(why)) => Err(format!("`{command}` did not run: {why}")),
            }
        })
    }
}
