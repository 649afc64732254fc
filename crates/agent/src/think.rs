//! One model call of a turn: ask, stream what is said into the log, try again when it breaks off, ask another model when
//! this one cannot answer for long.

use crate::agent::{Agent, Desk};
use crate::commands::{Attachment, Attended, Facts, attend};
use crate::loops;
use crate::pace::Pace;
use crate::preparation::prepare;
use crate::repetition::Repetition;
use crate::showing::shown_contents;
use crate::speech::Speech;
use futures_util::{FutureExt, StreamExt};
use pollux_host::{Gone, Reporter};
use pollux_model::{Chunk, Class, Flaw, Model, ModelError, Part, PartData, Profile, Request, ToolDeclaration};
use pollux_session::{Failure, Line, Report, Transcript, Usage};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often an answer that breaks off is asked for, the first time included.
const ATTEMPTS: u32 = 4;
/// How much text is taken from a model that is faster than the disk before it has to wait for the next commit. This is
/// also what bounds an entry: whoever reads the log later holds a page of them.
const BURST: usize = 64 * 1024;
/// What a model with the short profile is offered.
const SHORT_TOOLS: [&str; 5] = ["list_directory", "read_file", "replace", "run_shell_command", "write_file"];

/// What a model is told that answered with nothing a person could see.
const SPEAK: &str =
    "Your last answer had no visible text and no tool call. Answer now: with text for the person, or with a tool call.";

/// Go on with the running turn: a command does, if the prompt names one, else the model.
pub(crate) async fn answer(
    agent: &Agent,
    facts: &Facts,
    desk: Result<Desk, Failure>,
    mut transcript: Transcript,
    reporter: &Reporter,
) -> Result<(), Gone> {
    let handed = match attend(agent, facts, &desk, &mut transcript, reporter).await? {
        Attended::Done => return Ok(()),
        Attended::Model => None,
        Attended::Handed(attachment) => Some(attachment),
    };
    match desk {
        Ok(desk) => think(desk, transcript, handed, reporter).await,
        Err(failure) => reporter.report(Report::StepFailed { failure }).await,
    }
}

/// Ask the model to go on with the conversation and report all of it. `handed` is what a command wants it told.
async fn think(
    mut desk: Desk,
    transcript: Transcript,
    handed: Option<Attachment>,
    reporter: &Reporter,
) -> Result<(), Gone> {
    let settings = desk.settings.clone();
    let too_many = settings.max_session_turns.and_then(|most| loops::too_many_turns(&transcript, most));
    let going_round = || settings.loop_guard.then(|| loops::going_round(&transcript)).flatten();
    if let Some(failure) = too_many.or_else(going_round) {
        return reporter.report(Report::StepFailed { failure }).await;
    }
    let transcript = prepare(&desk, transcript, handed, reporter).await?;
    let mut given_up = given_up(&transcript);
    let mut said = String::new();
    loop {
        let error = match ask(&desk, &transcript, &mut said, reporter).await? {
            Ok(()) => return Ok(()),
            Err(Trouble::Looping) => {
                return reporter.report(Report::StepFailed { failure: loops::repeating() }).await;
            }
            Err(Trouble::Model(error)) => error,
        };
        let from = desk.model.info().id;
        given_up.push(from.clone());
        let Some(other) = instead(&desk, &error, &given_up) else {
            let failure = Failure { kind: error.kind().to_owned(), message: last_word(&desk, &error, &given_up) };
            return reporter.report(Report::StepFailed { failure }).await;
        };
        let (to, why) = (other.info().id, error.to_string());
        reporter.report(Report::FellBack { from, to, why }).await?;
        desk.model = other;
    }
}

/// Why a model's answer could not be had.
enum Trouble {
    /// It failed.
    Model(ModelError),
    /// It says the same over and over.
    Looping,
}

/// Ask one model, again while it may help. `said` is what was said so far, by whichever model.
async fn ask(
    desk: &Desk,
    transcript: &Transcript,
    said: &mut String,
    reporter: &Reporter,
) -> Result<Result<(), Trouble>, Gone> {
    // Made once: but for the one sentence below, a retry has the same one.
    let mut system = desk.system_prompt().await;
    let mut attempt = 1;
    loop {
        let contents = shown_contents(desk, transcript, said).await;
        let request = Request { system: system.clone(), contents, tools: declarations(desk) };
        let mut call = ModelCall::new(reporter, desk.settings.loop_guard);
        let trouble = match call.follow(desk.model.as_ref(), request).await? {
            Ok(()) => return Ok(Ok(())),
            Err(trouble) => trouble,
        };
        said.push_str(&call.speech.text);
        let Trouble::Model(error) = trouble else { return Ok(Err(trouble)) };
        let wait = match error.class() {
            Class::Retryable { after } if attempt < ATTEMPTS => {
                after.unwrap_or(Duration::from_secs(1 << (attempt - 1)))
            }
            Class::Retryable { .. } | Class::Terminal => return Ok(Err(Trouble::Model(error))),
        };
        // Asked the same again, a model that said nothing says nothing again.
        let silent = matches!(error, ModelError::Malformed { flaw: Flaw::OnlyThoughts { .. } | Flaw::Empty { .. } });
        if silent && !system.ends_with(SPEAK) {
            system = format!("{system}\n\n{SPEAK}");
        }
        attempt += 1;
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        reporter.report(Report::Retrying { reason: error.to_string(), attempt, wait_ms }).await?;
        tokio::time::sleep(wait).await;
    }
}

/// The models that were given up in the running turn already.
fn given_up(transcript: &Transcript) -> Vec<String> {
    let turn = transcript.lines().rev().take_while(|line| !matches!(line, Line::Turn { .. }));
    let from = |line: &Line| match line {
        Line::FellBack { from, .. } => Some(from.clone()),
        _ => None,
    };
    turn.filter_map(from).collect()
}

/// The model to ask after `error`, if it lasts, another one is wanted, and it was not given up itself.
fn instead(desk: &Desk, error: &ModelError, given_up: &[String]) -> Option<Arc<dyn Model>> {
    if !error.is_lasting() || !desk.settings.fall_back {
        return None;
    }
    desk.models.fallback(&desk.model.info().id).filter(|other| !given_up.contains(&other.info().id))
}

/// What the person is told when no model answers, with one they could choose.
fn last_word(desk: &Desk, error: &ModelError, given_up: &[String]) -> String {
    let lasts = error.is_lasting() || error.kind() == "model_quota";
    let other = if lasts { desk.models.another(given_up) } else { None };
    other.map_or_else(|| error.to_string(), |name| format!("{error}; in this session: /model {name}"))
}

/// One request and what has come of it so far.
struct ModelCall<'a> {
    reporter: &'a Reporter,
    speech: Speech,
    pace: Pace,
    usage: Usage,
    citations: Vec<String>,
    finish: Option<String>,
    /// What the provider calls the answer.
    response: Option<String>,
    /// Listens for a model that says the same over and over.
    repetition: Option<Repetition>,
}

impl<'a> ModelCall<'a> {
    fn new(reporter: &'a Reporter, guarded: bool) -> Self {
        ModelCall {
            reporter,
            speech: Speech::default(),
            pace: Pace::new(),
            usage: Usage::default(),
            citations: Vec::new(),
            finish: None,
            response: None,
            repetition: guarded.then(Repetition::default),
        }
    }

    /// Follow the answer to its end. The outer error says that nobody waits for it any more.
    async fn follow(&mut self, model: &dyn Model, request: Request) -> Result<Result<(), Trouble>, Gone> {
        let mut stream = model.generate(request);
        loop {
            let next = tokio::select! {
                biased;
                next = stream.next() => next,
                () = tokio::time::sleep_until(self.pace.ready()), if !self.speech.is_empty() => {
                    self.commit().await?;
                    continue;
                }
            };
            // Whatever else is there already goes into the same commit.
            let mut next = Some(next);
            while let Some(ready) = next.take() {
                match ready {
                    Some(Ok(chunk)) => self.absorb(chunk).await?,
                    Some(Err(error)) => {
                        self.commit().await?;
                        return Ok(Err(Trouble::Model(error)));
                    }
                    None => return self.finish().await.map(Ok),
                }
                if self.repetition.as_ref().is_some_and(Repetition::is_found) {
                    self.commit().await?;
                    return Ok(Err(Trouble::Looping));
                }
                if self.speech.unsent_bytes() < BURST {
                    next = stream.next().now_or_never();
                }
            }
            if self.speech.unsent_bytes() >= BURST {
                tokio::time::sleep_until(self.pace.ready()).await;
            }
            if Instant::now() >= self.pace.ready() {
                self.commit().await?;
            }
        }
    }

    /// Take in a chunk.
    async fn absorb(&mut self, chunk: Chunk) -> Result<(), Gone> {
        match chunk {
            Chunk::Response { id } => self.response = Some(id),
            Chunk::Parts(parts) => parts.into_iter().for_each(|part| self.hear(part)),
            Chunk::Usage(usage) => self.usage = usage,
            Chunk::Citations(citations) => self.citations.extend(citations),
            Chunk::Finish { reason } => self.finish = Some(reason),
            Chunk::Retrying { reason, attempt, wait } => {
                self.commit().await?;
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                self.reporter.report(Report::Retrying { reason, attempt, wait_ms }).await?;
            }
        }
        Ok(())
    }

    fn hear(&mut self, part: Part) {
        if let (Some(repetition), PartData::Text(text), false) = (&mut self.repetition, &part.data, part.thought) {
            repetition.hear(text);
        }
        self.speech.absorb(part);
    }

    async fn commit(&mut self) -> Result<(), Gone> {
        if self.speech.is_empty() {
            return Ok(());
        }
        let began = Instant::now();
        self.reporter.report(Report::Said { fragments: self.speech.take(), response: self.response.clone() }).await?;
        self.pace.committed(began);
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), Gone> {
        self.reporter
            .report(Report::StepDone {
                fragments: self.speech.take(),
                calls: std::mem::take(&mut self.speech.calls),
                finish: self.finish.take().unwrap_or_default(),
                usage: self.usage,
                citations: std::mem::take(&mut self.citations),
                response: self.response.take(),
            })
            .await
    }
}

/// The tools offered: all of them, or the few that a small model can keep apart.
fn declarations(desk: &Desk) -> Vec<ToolDeclaration> {
    let short = desk.model.info().profile == Profile::Short;
    desk.toolbox
        .declarations(desk.mode)
        .into_iter()
        .filter(|tool| !short || SHORT_TOOLS.contains(&tool.name.as_str()))
        .map(|tool| ToolDeclaration { name: tool.name, description: tool.description, parameters: tool.parameters })
        .collect()
}
