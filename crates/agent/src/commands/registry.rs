//! All commands there are: those that come with Pollux, then files of the workspace and of the person, then extensions,
//! then prompts of MCP servers. The first of a name has it.

use super::absent::AbsentCommand;
use super::built_in::{build_command, list_built_in};
use super::custom::{self, CommandDirectories};
use super::{SlashCommand, name_suggestion, server_prompt};
use crate::turn_agent::TurnAgent;
use pollux_session::{BuiltInCommand, CommandInfo};

/// What a word names.
pub(super) enum CommandLookup {
    /// A command.
    Command(Box<dyn SlashCommand>),
    /// A command that cannot be used; the sentence says why.
    Broken(String),
    /// No command, but very nearly one; the sentence says which.
    Misspelt(String),
    /// No command: plain text.
    Nothing,
}

/// The command that `word` names.
pub(super) async fn find_command(agent: &TurnAgent, word: &str) -> CommandLookup {
    let built_in = BuiltInCommand::from_name(word);
    if let Some(command) = built_in.filter(|known| known.name() == word).and_then(build_command) {
        return CommandLookup::Command(command);
    }
    match custom::find_command(command_directories(agent), word.to_owned()).await {
        Some(Ok(command)) => return CommandLookup::Command(Box::new(command)),
        Some(Err(why)) => return CommandLookup::Broken(why),
        None => {}
    }
    for servers in agent.all_servers() {
        match server_prompt::find_prompt(servers, word).await {
            Some(Ok(command)) => return CommandLookup::Command(Box::new(command)),
            Some(Err(why)) => return CommandLookup::Broken(why),
            None => {}
        }
    }
    // After all others: somebody's own command may have such a name.
    if let Some(command) = built_in.and_then(build_command) {
        return CommandLookup::Command(command);
    }
    if let Some(absent) = AbsentCommand::find(word) {
        return CommandLookup::Command(Box::new(absent));
    }
    let names: Vec<String> = list_built_in().map(|command| command.name).collect();
    match name_suggestion::suggest_name(word, names.iter().map(String::as_str)) {
        Some(near) => CommandLookup::Misspelt(format!(
            "no command /{word}; did you mean /{near}? To send the line to the agent, put a space before the slash"
        )),
        None => CommandLookup::Nothing,
    }
}

/// Every command there is, the built-in ones first.
pub(crate) async fn list_commands(agent: &TurnAgent) -> Vec<CommandInfo> {
    let mut all: Vec<CommandInfo> = list_built_in().collect();
    let from_files = custom::list_commands(command_directories(agent)).await;
    let from_servers = agent.all_servers().flat_map(server_prompt::list_prompts);
    for other in from_files.into_iter().chain(from_servers) {
        if all.iter().all(|known| known.name != other.name) {
            all.push(other);
        }
    }
    all
}

/// The commands that come with Pollux, and the prompts of servers.
pub(crate) fn list_without_files(agent: &TurnAgent) -> Vec<CommandInfo> {
    list_built_in().chain(agent.all_servers().flat_map(server_prompt::list_prompts)).collect()
}

fn command_directories(agent: &TurnAgent) -> CommandDirectories {
    let (sources, workspace) = (&agent.commands, &agent.workspace.root);
    let trusted = agent.workspace.is_trusted();
    let extensions = sources.list_extensions(workspace).into_iter();
    let extensions = extensions.filter(|extension| extension.active);
    let from_extensions = extensions.filter_map(|extension| Some((extension.name, extension.commands?)));
    CommandDirectories {
        workspace: trusted.then(|| workspace.join(".gemini").join("commands")),
        own: sources.own_dir.clone(),
        extensions: from_extensions.collect(),
    }
}
