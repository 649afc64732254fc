//! `/SERVER:PROMPT arguments`: a prompt that an MCP server fills in. The model answers it.

use super::word_splitting::split_words;
use super::{CommandContext, CommandInvocation, CommandOutput, PromptAttachment, SlashCommand};
use async_trait::async_trait;
use pollux_session::{ArgumentInfo, CommandInfo};
use pollux_tools::{McpError, McpPrompt, McpServers};
use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// A prompt of a server.
pub(super) struct McpPromptCommand {
    servers: Arc<McpServers>,
    prompt: McpPrompt,
}

/// The prompt that `word` names; `None` when it names none. An error is a sentence for the person.
pub(super) async fn find_prompt(servers: &Arc<McpServers>, word: &str) -> Option<Result<McpPromptCommand, String>> {
    if let Some((server, _)) = word.split_once(':')
        && !servers.server_settled(server).await
        && servers.has(server)
    {
        let why = servers.why_not_ready(server);
        return Some(Err(McpError::NotReady { server: server.to_owned(), why }.to_string()));
    }
    let prompt = find(&servers.prompts(), word)?.clone();
    Some(Ok(McpPromptCommand { servers: servers.clone(), prompt }))
}

/// All prompts of servers that are ready, as commands.
pub(super) fn list_prompts(servers: &Arc<McpServers>) -> Vec<CommandInfo> {
    let prompts = servers.prompts().into_iter();
    prompts.map(|prompt| McpPromptCommand { servers: servers.clone(), prompt }.info()).collect()
}

#[async_trait]
impl SlashCommand for McpPromptCommand {
    fn info(&self) -> CommandInfo {
        let McpPrompt { server, name, description, arguments } = &self.prompt;
        let arguments = arguments.iter().map(|argument| ArgumentInfo {
            name: argument.name.clone(),
            description: argument.description.clone(),
            required: argument.required,
        });
        CommandInfo {
            name: format!("{server}:{name}"),
            description: description.clone(),
            arguments: arguments.collect(),
            subcommands: Vec::new(),
        }
    }

    /// By name and by place, in words of its own: see [`parse_arguments`].
    fn reads_its_own_arguments(&self) -> bool {
        true
    }

    async fn step(&self, _: &CommandContext<'_>, asked: &CommandInvocation) -> Result<CommandOutput, String> {
        let arguments = parse_arguments(&self.prompt, &asked.rest)?;
        let McpPrompt { server, name, .. } = &self.prompt;
        let filled = self.servers.prompt(server, name, &arguments).await;
        let content = filled.map_err(|error| error.to_string())?;
        Ok(CommandOutput::hand_to_model(PromptAttachment { name: full_name(&self.prompt), content, seen: Vec::new() }))
    }
}

fn full_name(prompt: &McpPrompt) -> String {
    format!("/{}:{}", prompt.server, prompt.name)
}

/// The prompt that a command names, in full or, when only one server has it, by its own name.
fn find<'a>(prompts: &'a [McpPrompt], command: &str) -> Option<&'a McpPrompt> {
    let full = prompts.iter().find(|prompt| full_name(prompt).strip_prefix('/') == Some(command));
    full.or_else(|| {
        let mut named = prompts.iter().filter(|prompt| prompt.name == command);
        let only = named.next()?;
        named.next().is_none().then_some(only)
    })
}

/// The arguments in a line: `name=value` wherever it stands, and other words in the order of what is left. Words beyond
/// the last belong to it.
fn parse_arguments(prompt: &McpPrompt, line: &str) -> Result<BTreeMap<String, String>, String> {
    let mut given: BTreeMap<String, String> = BTreeMap::new();
    let mut others = Vec::new();
    for word in split_words(line) {
        let named = word.split_once('=').map(|(name, value)| (name.trim_start_matches("--"), value));
        match named.filter(|(name, _)| prompt.arguments.iter().any(|argument| argument.name == *name)) {
            Some((name, value)) => {
                given.insert(name.to_owned(), value.to_owned());
            }
            None => others.push(word),
        }
    }
    let left: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
    let left: Vec<&str> = left.into_iter().filter(|name| !given.contains_key(*name)).collect();
    let takes = || match prompt.arguments.as_slice() {
        [] => "it takes no arguments".to_owned(),
        arguments => {
            let one =
                |required: bool, name: &str| if required { name.to_owned() } else { format!("{name} (optional)") };
            let all = arguments.iter().map(|argument| one(argument.required, &argument.name)).collect::<Vec<_>>();
            format!("it takes {}", all.join(", "))
        }
    };
    let last = left.len().checked_sub(1);
    for (at, word) in others.into_iter().enumerate() {
        let Some(last) = last else {
            return Err(format!("{} has no use for `{word}`; {}", full_name(prompt), takes()));
        };
        let value = given.entry(left[at.min(last)].to_owned()).or_default();
        if !value.is_empty() {
            value.push(' ');
        }
        value.push_str(&word);
    }
    let missing = prompt.arguments.iter().filter(|argument| argument.required && !given.contains_key(&argument.name));
    let missing: Vec<&str> = missing.map(|argument| argument.name.as_str()).collect();
    if missing.is_empty() {
        return Ok(given);
    }
    Err(format!("{} needs {}; {}", full_name(prompt), missing.join(", "), takes()))
}
