//! `/rewind`: the model forgets a prompt and everything after it. The log keeps it. Files go back only with a checkpoint, and
//! before the conversation does: whoever does not want them back after all keeps both.

use super::restore::begin_restore;
use super::{CommandContext, CommandInvocation, CommandOutput, SlashCommand};
use async_trait::async_trait;
use pollux_session::{BuiltInCommand, CommandInfo, Report, Seq, TranscriptLine, code_span};

/// The command.
pub(super) struct RewindCommand;

/// How much of a prompt the list shows, in characters.
const SHOWN: usize = 72;

#[async_trait]
impl SlashCommand for RewindCommand {
    fn info(&self) -> CommandInfo {
        BuiltInCommand::Rewind.info()
    }

    async fn step(
        &self,
        command_context: &CommandContext<'_>,
        asked: &CommandInvocation,
    ) -> Result<CommandOutput, String> {
        let prompts = prompts(command_context);
        let argument = asked.argument();
        if argument.is_empty() {
            return Ok(CommandOutput::say(listed(&prompts)));
        }
        let (number, checkpoint) = argument.split_once(char::is_whitespace).unwrap_or((&argument, ""));
        let seq = number.parse::<u64>().map(Seq);
        let known = seq.ok().and_then(|seq| prompts.iter().find(|(at, _)| *at == seq));
        let Some((seq, text)) = known else {
            return Err(format!("there is no prompt {number} to go back to; /rewind lists them"));
        };
        let files = match (checkpoint.trim(), command_context.call_results().pop()) {
            ("", _) => "Files stay as they are; /restore puts them back.".to_owned(),
            (checkpoint, None) => return begin_restore(command_context, checkpoint),
            (_, Some(Ok(restored))) => restored,
            (_, Some(Err(why))) => return Err(format!("nothing goes back: {why}")),
        };
        let said = format!("The conversation goes on just before this prompt: {}\n{files}", code_span(&shorten(text)));
        Ok(CommandOutput::say(said).with_change(Report::Rewound { to: Seq(seq.0.saturating_sub(1)) }))
    }
}

/// The prompts that the model knows of, oldest first, without this one.
fn prompts<'a>(command_context: &CommandContext<'a>) -> Vec<(Seq, &'a str)> {
    let told = command_context.transcript.told();
    let answered = told.iter().filter_map(|line| match line {
        // A command of the person's own is told to the model, but it is no prompt.
        TranscriptLine::Turn { command: Some(name), .. } if name == "shell" => None,
        TranscriptLine::Turn { prompt, .. } => Some(prompt.0),
        _ => None,
    });
    let answered: Vec<Seq> = answered.collect();
    told.into_iter()
        .filter_map(|line| match line {
            TranscriptLine::Prompt { id, text, .. } if answered.contains(&id.0) => Some((id.0, text.as_str())),
            _ => None,
        })
        .collect()
}

fn listed(prompts: &[(Seq, &str)]) -> String {
    if prompts.is_empty() {
        return "There is no prompt to go back to.".to_owned();
    }
    let lines = prompts.iter().rev().map(|(seq, text)| format!("- {}: {}", seq.0, code_span(&shorten(text))));
    let last = "\n`/rewind NUMBER` goes back to just before that prompt.".to_owned();
    lines.chain([last]).collect::<Vec<_>>().join("\n")
}

/// The first line of a prompt, cut where it is long.
fn shorten(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None if line.len() < text.trim_end().len() => format!("{line} …"),
        None => line.to_owned(),
    }
}
