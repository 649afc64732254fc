//! `/chat`: keep a conversation under a tag, and go on with it later in the same workspace.

mod shelf;
mod told;

use super::{Answer, Asked, Command, Occasion, group, needed, plain, taking};
use pollux_session::{CommandInfo, Pending, Report, Seq, Usage};
use shelf::{Kept, Shelf};

/// The command.
pub(super) struct Chat;

impl Command for Chat {
    fn info(&self) -> CommandInfo {
        let tag = || needed("tag", "What it is called: letters, digits, dots, dashes and underscores");
        let subcommands = vec![
            taking("save", "Keep the conversation so far", tag()),
            plain("list", "The conversations that are kept for this workspace"),
            taking("resume", "Let the model go on from a kept conversation", tag()),
            taking("delete", "Throw a kept conversation away", tag()),
        ];
        group("chat", "Keep conversations and go back to them", subcommands)
    }

    fn otherwise(&self, _: &str) -> Option<&'static str> {
        Some("list")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, asked: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let chats = occasion.agent.commands.chats_dir.as_deref();
            let chats = chats.ok_or("this agent was put together without a place to keep conversations")?;
            let shelf = Shelf::of(chats, &occasion.facts.owner, occasion.workspace());
            let tag = asked.argument();
            match asked.sub.as_str() {
                "save" => {
                    let kept = Kept { model: model(occasion), text: told::told(occasion.transcript) };
                    if kept.text.is_empty() {
                        return Err("there is no conversation to keep yet".to_owned());
                    }
                    off_thread(move || shelf.save(&tag, &kept).map(|()| tag)).await.map(|tag| {
                        Answer::say(format!("The conversation is kept as {tag}. /chat resume {tag} goes on from here."))
                    })
                }
                "resume" => {
                    let (tag, kept) = off_thread(move || shelf.read(&tag).map(|kept| (tag, kept))).await?;
                    Ok(resume(occasion, &tag, &kept))
                }
                "delete" => {
                    let tag = off_thread(move || shelf.delete(&tag).map(|()| tag)).await?;
                    Ok(Answer::say(format!("The kept conversation {tag} is gone.")))
                }
                _ => off_thread(move || shelf.tags()).await.map(|tags| Answer::say(listed(&tags))),
            }
        })
    }
}

/// The model forgets what was said in this session and knows the kept conversation instead.
fn resume(occasion: &Occasion<'_>, tag: &str, kept: &Kept) -> Answer {
    let said = format!(
        "The model now knows the conversation that was kept as {tag} ({} characters, with {}), and nothing of what was \
         said here before.",
        kept.text.chars().count(),
        kept.model
    );
    let summary = format!("The person kept this conversation as {tag} and goes on with it now.\n\n{}", kept.text);
    // What comes before the command is what the kept conversation stands for.
    let before = occasion.turn.0;
    Answer::say(said).after(Report::Rewound { to: Seq::START }).after(Report::Compacted {
        before,
        summary,
        usage: Usage::default(),
    })
}

fn model(occasion: &Occasion<'_>) -> String {
    occasion.desk().map_or_else(|_| "no model".to_owned(), |desk| desk.model.info().id)
}

fn listed(tags: &[String]) -> String {
    if tags.is_empty() {
        return "No conversation is kept for this workspace. /chat save TAG keeps one.".to_owned();
    }
    tags.iter().map(|tag| format!("- {tag}")).collect::<Vec<_>>().join("\n")
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T, String> + Send + 'static) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| format!("kept conversations cannot be reached: {error}"))?
}
