//! The step of a turn that a command answers, if one does.

use super::line::{self, typed};
use super::registry::{self, Found};
use super::{Answer, Asked, Attachment, Facts, Occasion, Then};
use crate::agent::{Agent, Desk};
use crate::preparation::note;
use pollux_host::{Gone, Reporter};
use pollux_session::{Event, Failure, Fragment, ItemKind, Line, PromptId, Report, Transcript, TurnId, Usage};
use serde_json::Value;

/// The longest text a command says, in bytes.
const MAX_TEXT: usize = 256 * 1024;

/// Who goes on with the turn.
#[derive(Debug, PartialEq)]
pub(crate) enum Attended {
    /// The command has said what it had to say.
    Done,
    /// The model: no command was meant, or the turn was handed over earlier.
    Model,
    /// The model, which is told this first. It is not in the log yet.
    Handed(Attachment),
}

/// Let a command answer, if the running turn is one's. `transcript` then says so too.
pub(crate) async fn attend(
    agent: &Agent,
    facts: &Facts,
    desk: &Result<Desk, Failure>,
    transcript: &mut Transcript,
    reporter: &Reporter,
) -> Result<Attended, Gone> {
    let Some(Running { turn, prompt, command }) = running(transcript) else { return Ok(Attended::Model) };
    let Some(typed) = typed(&prompt) else { return Ok(Attended::Model) };
    let found = match registry::find(agent, facts, typed.word).await {
        Found::Nothing if command.is_some() => {
            let gone = format!("the command /{} is no longer there; /help lists what is", typed.word);
            return fail(reporter, gone).await;
        }
        Found::Nothing => return Ok(Attended::Model),
        Found::Nearly(sentence) => return fail(reporter, sentence).await,
        Found::Broken(sentence) => Err(sentence),
        Found::Command(found) => {
            let asked = match found.reads_its_own_arguments() {
                true => Ok(Asked { name: found.info().name, sub: String::new(), rest: typed.rest.to_owned() }),
                false => line::read(&found.info(), found.otherwise(typed.rest), typed.rest),
            };
            asked.map(|asked| (found, asked))
        }
    };
    if command.is_none() {
        let name = found.as_ref().map_or_else(|_| typed.word.to_owned(), |(_, asked)| asked.name.clone());
        reporter.report(Report::Commanded { name: name.clone() }).await?;
        note(transcript, Event::Commanded { name });
    }
    let occasion = Occasion { agent, facts, desk, transcript, turn, prompt: &prompt };
    let answer = match &found {
        Ok((found, asked)) => found.step(&occasion, asked).await,
        Err(sentence) => Err(sentence.clone()),
    };
    match answer {
        Ok(answer) => give(reporter, answer).await,
        Err(sentence) => fail(reporter, sentence).await,
    }
}

/// A turn that a command may answer.
struct Running {
    turn: TurnId,
    prompt: String,
    command: Option<String>,
}

/// The running turn, unless the model has it.
fn running(transcript: &Transcript) -> Option<Running> {
    let since = || transcript.lines().rev().take_while(|line| !matches!(line, Line::Turn { .. }));
    let turn = transcript.lines().rev().find(|line| matches!(line, Line::Turn { .. }))?;
    let Line::Turn { id, prompt, command, .. } = turn else { return None };
    let is_open = match command {
        Some(_) => !since().any(|line| matches!(line, Line::Attachment { .. })),
        // Prompts that came after it wait for their own turn.
        None => since().all(|line| matches!(line, Line::Prompt { .. })),
    };
    let text = prompt_text(transcript, *prompt).filter(|_| is_open)?;
    Some(Running { turn: *id, prompt: text.to_owned(), command: command.clone() })
}

fn prompt_text(transcript: &Transcript, wanted: PromptId) -> Option<&str> {
    transcript.lines().find_map(|line| match line {
        // A prompt that begins with what a program printed names no command.
        Line::Prompt { id, text, piped_len: 0, .. } if *id == wanted => Some(text.as_str()),
        _ => None,
    })
}

async fn give(reporter: &Reporter, answer: Answer) -> Result<Attended, Gone> {
    let Answer { changes, text, then } = answer;
    for change in changes {
        reporter.report(change).await?;
    }
    let mut text = text;
    if text.len() > MAX_TEXT {
        text.truncate(text.floor_char_boundary(MAX_TEXT));
        text.push_str("\n[The rest is too long to be shown.]");
    }
    let said = (!text.is_empty()).then(|| Fragment { kind: ItemKind::Text, text, end: Some(Value::Null) });
    let fragments: Vec<Fragment> = said.into_iter().collect();
    let calls = match then {
        Then::Rest => Vec::new(),
        Then::Call(calls) => calls,
        Then::Model(attachment) => {
            if !fragments.is_empty() {
                reporter.report(Report::Said { fragments, response: None }).await?;
            }
            return Ok(Attended::Handed(attachment));
        }
    };
    let (finish, usage, citations) = ("STOP".to_owned(), Usage::default(), Vec::new());
    reporter.report(Report::StepDone { fragments, calls, finish, usage, citations, response: None }).await?;
    Ok(Attended::Done)
}

async fn fail(reporter: &Reporter, message: String) -> Result<Attended, Gone> {
    let failure = Failure { kind: "command_failed".into(), message };
    reporter.report(Report::StepFailed { failure }).await?;
    Ok(Attended::Done)
}
