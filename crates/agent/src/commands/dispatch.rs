//! The step of a turn that a command answers, if one does.

use super::command_line::{self, parse_typed};
use super::registry::{self, CommandLookup};
use super::{CommandContext, CommandContinuation, CommandInvocation, CommandOutput, PromptAttachment, TurnSession};
use crate::model_call_context::ModelCallContext;
use crate::turn_agent::TurnAgent;
use pollux_host::{NotOwed, Reporter};
use pollux_session::{
    ItemKind, ModelFragment, ModelUsage, PromptId, Report, Transcript, TranscriptLine, TurnFailure, TurnId,
};
use serde_json::Value;

/// The longest text a command says, in bytes.
const MAX_TEXT: usize = 256 * 1024;

/// Who goes on with the turn.
#[derive(Debug, PartialEq)]
pub(crate) enum DispatchOutcome {
    /// The command has said what it had to say.
    Done,
    /// The model: no command was meant, or the turn was handed over earlier.
    Model,
    /// The model, which is told this first. It is not in the log yet.
    Handed(PromptAttachment),
}

/// Let a command answer, if the running turn is one's. `transcript` then says so too.
pub(crate) async fn dispatch_command(
    agent: &TurnAgent,
    facts: &TurnSession,
    call_context: &Result<ModelCallContext, TurnFailure>,
    transcript: &mut Transcript,
    reporter: &Reporter,
) -> Result<DispatchOutcome, NotOwed> {
    let Some(RunningTurn { turn, prompt, command }) = find_running_turn(transcript) else {
        return Ok(DispatchOutcome::Model);
    };
    let Some(typed) = parse_typed(&prompt) else { return Ok(DispatchOutcome::Model) };
    let found = match registry::find_command(agent, typed.word).await {
        CommandLookup::Nothing if command.is_some() => {
            let gone = format!("the command /{} is no longer there; /help lists what is", typed.word);
            return report_failure(reporter, gone).await;
        }
        CommandLookup::Nothing => return Ok(DispatchOutcome::Model),
        CommandLookup::Misspelt(sentence) => return report_failure(reporter, sentence).await,
        CommandLookup::Broken(sentence) => Err(sentence),
        CommandLookup::Command(found) => {
            let asked = match found.reads_its_own_arguments() {
                true => {
                    Ok(CommandInvocation { name: found.info().name, sub: String::new(), rest: typed.rest.to_owned() })
                }
                false => {
                    command_line::parse_invocation(&found.info(), found.default_subcommand(typed.rest), typed.rest)
                }
            };
            asked.map(|asked| (found, asked))
        }
    };
    if command.is_none() {
        let name = found.as_ref().map_or_else(|_| typed.word.to_owned(), |(_, asked)| asked.name.clone());
        transcript.apply_all(&reporter.report_for_entries(Report::Commanded { name }).await?);
    }
    let command_context =
        CommandContext { agent, facts, model_call: call_context, transcript, reporter, turn, prompt: &prompt };
    let answer = match &found {
        Ok((found, asked)) => found.step(&command_context, asked).await,
        Err(sentence) => Err(sentence.clone()),
    };
    match answer {
        Ok(answer) => report_output(reporter, answer).await,
        Err(sentence) => report_failure(reporter, sentence).await,
    }
}

/// A turn that a command may answer.
struct RunningTurn {
    turn: TurnId,
    prompt: String,
    command: Option<String>,
}

/// The running turn, unless the model has it.
fn find_running_turn(transcript: &Transcript) -> Option<RunningTurn> {
    let since = || transcript.lines().rev().take_while(|line| !matches!(line, TranscriptLine::Turn { .. }));
    let turn = transcript.lines().rev().find(|line| matches!(line, TranscriptLine::Turn { .. }))?;
    let TranscriptLine::Turn { id, prompt, command, .. } = turn else { return None };
    let is_open = match command {
        Some(_) => !since().any(|line| matches!(line, TranscriptLine::Attachment { .. })),
        // Prompts that came after it wait for their own turn.
        None => since().all(|line| matches!(line, TranscriptLine::Prompt { .. })),
    };
    let text = prompt_text(transcript, *prompt).filter(|_| is_open)?;
    Some(RunningTurn { turn: *id, prompt: text.to_owned(), command: command.clone() })
}

fn prompt_text(transcript: &Transcript, wanted: PromptId) -> Option<&str> {
    transcript.lines().find_map(|line| match line {
        // A prompt that begins with what a program printed names no command.
        TranscriptLine::Prompt { id, text, piped_len: 0, .. } if *id == wanted => Some(text.as_str()),
        _ => None,
    })
}

async fn report_output(reporter: &Reporter, answer: CommandOutput) -> Result<DispatchOutcome, NotOwed> {
    let CommandOutput { changes, text, then } = answer;
    for change in changes {
        reporter.report(change).await?;
    }
    let mut text = text;
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push_str("\n[The rest is too long to be shown.]");
    }
    let said = (!text.is_empty()).then(|| ModelFragment { kind: ItemKind::Text, text, end: Some(Value::Null) });
    let fragments: Vec<ModelFragment> = said.into_iter().collect();
    let calls = match then {
        CommandContinuation::Rest => Vec::new(),
        CommandContinuation::Call(calls) => calls,
        CommandContinuation::Model(attachment) => {
            if !fragments.is_empty() {
                reporter.report(Report::Said { fragments, response: None }).await?;
            }
            return Ok(DispatchOutcome::Handed(attachment));
        }
    };
    let (finish, usage, citations) = ("STOP".to_owned(), ModelUsage::default(), Vec::new());
    reporter.report(Report::StepDone { fragments, calls, finish, usage, citations, response: None }).await?;
    Ok(DispatchOutcome::Done)
}

async fn report_failure(reporter: &Reporter, message: String) -> Result<DispatchOutcome, NotOwed> {
    let failure = TurnFailure { kind: "command_failed".into(), message };
    reporter.report(Report::StepFailed { failure }).await?;
    Ok(DispatchOutcome::Done)
}
