//! The commands that come with Pollux.

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

/// Each of them, by name.
pub(super) const BUILT_IN: &[fn() -> Box<dyn SlashCommand>] = &[
    || Box::new(AboutCommand),
    || Box::new(ChatCommand),
    || Box::new(ClearCommand),
    || Box::new(CompressCommand),
    || Box::new(ExtensionsCommand),
    || Box::new(HelpCommand),
    || Box::new(InitCommand),
    || Box::new(ListExtensionsCommand),
    || Box::new(McpCommand),
    || Box::new(MemoryCommand),
    || Box::new(ModelCommand),
    || Box::new(RestoreCommand),
    || Box::new(RewindCommand),
    || Box::new(SettingsCommand),
    || Box::new(ShellSlashCommand),
    || Box::new(StatsCommand),
    || Box::new(ToolsCommand),
];
