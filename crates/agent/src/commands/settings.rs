//! `/settings`: what holds, and who says so.

use super::{Answer, Asked, Command, Occasion, plain};
use pollux_session::{CommandInfo, Pending};
use pollux_tools::run_file_work;

/// The command.
pub(super) struct Settings;

impl Command for Settings {
    fn info(&self) -> CommandInfo {
        plain("settings", "The settings that hold here, and where each comes from")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let show = occasion.agent.commands.settings.clone();
            let show = show.ok_or("this agent was put together without settings files")?;
            let workspace = occasion.workspace().to_owned();
            let lines = run_file_work(move || show(&workspace)).await;
            let lines = lines.map_err(|error| format!("the settings could not be read: {error}"))?;
            Ok(Answer::say(lines.join("\n")))
        })
    }
}
