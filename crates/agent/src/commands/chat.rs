//! `/chat`: keep a conversation under a tag, and go on with it later in the same workspace.

mod chat_store;
mod readable_transcript;
mod transcript_text;

use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use chat_store::{ChatStore, ChatTag, SavedChat};
use pollux_session::{BuiltInCommand, CommandInfo, ModelUsage, Report, code_span};

/// The command.
pub(super) struct ChatCommand;

#[async_trait]
impl SlashCommand for ChatCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Chat.info()
    }

    fn default_subcommand(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        let chats = command_context.agent.commands.chats_dir.as_deref();
        let chats = chats.ok_or("this agent was put together without a place to save conversations")?;
        let shelf = ChatStore::open(chats, &command_context.facts.owner, command_context.workspace());
        let tag = asked.argument();
        match asked.sub.as_str() {
            "save" => {
                let kept = SavedChat {
                    model: model(command_context),
                    text: transcript_text::render_transcript(command_context.transcript),
                    shown: readable_transcript::render_transcript(
                        command_context.transcript,
                        command_context.workspace(),
                    ),
                };
                if kept.text.is_empty() {
                    return Err("there is no conversation to save yet".to_owned());
                }
                off_thread(move || shelf.save(&tag, &kept).map(|()| tag))
                    .await
                    .map(|tag| CommandOutput::say(format!("Saved as `{tag}`. Resume it with `/chat resume {tag}`.")))
            }
            "resume" => {
                let (tag, kept) = off_thread(move || shelf.read(&tag).map(|kept| (tag, kept))).await?;
                Ok(resume(command_context, &tag, &kept))
            }
            "delete" => {
                let tag = off_thread(move || shelf.delete(&tag).map(|()| tag)).await?;
                Ok(CommandOutput::say(format!("Deleted the saved conversation `{tag}`.")))
            }
            _ => off_thread(move || shelf.tags()).await.map(|tags| CommandOutput::say(listed(&tags))),
        }
    }
}

/// The model forgets what was said in this session and knows the kept conversation instead, which the person sees.
fn resume(command_context: &CommandContext<'_>, tag: &str, kept: &SavedChat) -> CommandOutput {
    let shown = if kept.shown.is_empty() { &kept.text } else { &kept.shown };
    let said = format!(
        "{shown}\n\n---\n\nThis is the conversation that was saved as `{tag}`, with {}. The model now knows it, and nothing \
         of what was said here before.",
        kept.model
    );
    let summary = format!("The person kept this conversation as {tag} and goes on with it now.\n\n{}", kept.text);
    // The kept conversation stands for what comes before the command, as a summary would, but /uncompress does not take it back.
    let before = command_context.turn.0;
    CommandOutput::say(said).with_change(Report::Compacted { before, summary, usage: ModelUsage::default() })
}

fn model(command_context: &CommandContext<'_>) -> String {
    command_context.model_call().map_or_else(|_| "no model".to_owned(), |call_context| call_context.model.info().id)
}

fn listed(tags: &[ChatTag]) -> String {
    if tags.is_empty() {
        return "No conversation is saved for this workspace. /chat save TAG saves one.".to_owned();
    }
    let line = |chat: &ChatTag| match &chat.saved {
        Some(at) => format!("- {} ({})", code_span(&chat.tag), at.strftime("%Y-%m-%d %H:%M")),
        None => format!("- {}", code_span(&chat.tag)),
    };
    tags.iter().map(line).collect::<Vec<_>>().join("\n")
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| format!("saved conversations cannot be reached: {error}"))?
}
