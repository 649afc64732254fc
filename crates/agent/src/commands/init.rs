//! `/init`: the model looks at the workspace and writes its memory file.

use super::{CommandContext, CommandInvocation, CommandOutput, PromptAttachment, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo};
use pollux_tools::McpContent;

/// The command.
pub(super) struct InitCommand;

/// What the model is to do. `{file}` is the file's name.
const INSTRUCTIONS: &str = "\
Get to know this workspace and write {file} at its top. The file is told to you at the start of every later session, so \
it holds what a newcomer needs and cannot guess.\n\
First look: list the directory, read the README and whatever says how it is built and tested, then a few files that \
show how the rest is put together. Read about ten files, not all of them.\n\
Then write {file} in Markdown, at most 120 lines:\n\
- what this is and what it is for, in two or three sentences;\n\
- how it is laid out: the directories and files that matter, and what each is for;\n\
- the commands that build, run, test and check it, exactly as they are typed;\n\
- the conventions its code follows that are not obvious.\n\
Where the workspace holds no code, say what it holds and what it is used for instead. Write only what you have seen; \
where you are not sure, say so. Do not invent commands.";

#[async_trait]
impl SlashCommand for InitCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Init.info()
    }

    async fn step(&self, command_context: &CommandContext<'_>, _: &CommandInvocation) -> Result<CommandOutput, String> {
        let names = &command_context.agent.workspace.settings.memory.names;
        let file = names.first().map_or("GEMINI.md", String::as_str);
        let path = command_context.workspace().join(file);
        let exists = tokio::fs::try_exists(&path).await;
        if exists.map_err(|error| format!("{} cannot be looked for: {error}", path.display()))? {
            return Err(format!(
                "{file} exists in this workspace already, so nothing was changed; edit it, or move it away"
            ));
        }
        let content = McpContent { text: INSTRUCTIONS.replace("{file}", file), media: Vec::new() };
        Ok(CommandOutput::hand_to_model(PromptAttachment { name: "/init".into(), content, seen: Vec::new() }))
    }
}
