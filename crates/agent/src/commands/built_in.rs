//! The commands that come with Pollux and that the agent answers.

use super::SlashCommand;
use super::about::AboutCommand;
use super::chat::ChatCommand;
use super::clear::ClearCommand;
use super::compress::CompressCommand;
use super::extensions::{ExtensionsCommand, ListExtensionsCommand};
use super::help::HelpCommand;
use super::init::InitCommand;
use super::mcp::McpCommand;
use super::memory::MemoryCommand;
use super::model::ModelCommand;
use super::restore::RestoreCommand;
use super::rewind::RewindCommand;
use super::settings::SettingsCommand;
use super::shell::ShellSlashCommand;
use super::stats::StatsCommand;
use super::tools::ToolsCommand;
use pollux_session::{BuiltInCommand, CommandInfo};

/// What each of them is.
pub(super) fn list_built_in() -> impl Iterator<Item = CommandInfo> {
    BuiltInCommand::ALL.into_iter().filter(|command| build_command(*command).is_some()).map(BuiltInCommand::info)
}

/// What answers `command`. `None` if only a seat does.
pub(super) fn build_command(command: BuiltInCommand) -> Option<Box<dyn SlashCommand>> {
    Some(match command {
        BuiltInCommand::About => Box::new(AboutCommand),
        BuiltInCommand::Chat => Box::new(ChatCommand),
        BuiltInCommand::Clear => Box::new(ClearCommand),
        BuiltInCommand::Compress => Box::new(CompressCommand),
        BuiltInCommand::Extensions => Box::new(ExtensionsCommand),
        BuiltInCommand::Help => Box::new(HelpCommand),
        BuiltInCommand::Init => Box::new(InitCommand),
        BuiltInCommand::ListExtensions => Box::new(ListExtensionsCommand),
        BuiltInCommand::Mcp => Box::new(McpCommand),
        BuiltInCommand::Memory => Box::new(MemoryCommand),
        BuiltInCommand::Model => Box::new(ModelCommand),
        BuiltInCommand::Restore => Box::new(RestoreCommand),
        BuiltInCommand::Rewind => Box::new(RewindCommand),
        BuiltInCommand::Settings => Box::new(SettingsCommand),
        BuiltInCommand::Shell => Box::new(ShellSlashCommand),
        BuiltInCommand::Stats => Box::new(StatsCommand),
        BuiltInCommand::Tools => Box::new(ToolsCommand),
        BuiltInCommand::A2a
        | BuiltInCommand::Background
        | BuiltInCommand::Cancel
        | BuiltInCommand::Clients
        | BuiltInCommand::Copy
        | BuiltInCommand::Diff
        | BuiltInCommand::Export
        | BuiltInCommand::Keys
        | BuiltInCommand::Mode
        | BuiltInCommand::Permissions
        | BuiltInCommand::Queue
        | BuiltInCommand::Quit
        | BuiltInCommand::Resume
        | BuiltInCommand::Status
        | BuiltInCommand::Theme
        | BuiltInCommand::Uncompress
        | BuiltInCommand::Vim => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pollux_session::CommandAnswerer;

    #[test]
    fn the_agent_answers_what_the_table_says() {
        for command in BuiltInCommand::ALL {
            let is_only_a_seats = matches!(command.answerer(), CommandAnswerer::Seat(_));
            assert_eq!(build_command(command).is_none(), is_only_a_seats, "{command:?}");
        }
    }
}
