//! One model call of a turn: ask, stream what is said into the log, try again when it breaks off, ask another model when
//! this one cannot answer for long.

use crate::commands::{DispatchOutcome, PromptAttachment, TurnSession, dispatch_command};
use crate::commit_pacing::CommitPacer;
use crate::compact;
use crate::loop_guard::{self, CallLoop};
use crate::media_parts::{contents_for_model, refuse_media};
use crate::model_call_context::ModelCallContext;
use crate::output_buffer::ModelOutputBuffer;
use crate::prompt_preparation::{prepare, tell_missing_notes};
use crate::repetition::RepetitionDetector;
use crate::turn_agent::TurnAgent;
use crate::workspace_agent::WorkspaceAgent;
use futures_util::{FutureExt, StreamExt};
use pollux_host::{NotOwed, Reporter};
use pollux_model::{
    AnswerFlaw, MessagePart, Model, ModelChunk, ModelError, ModelRequest, PartData, RetryClass, ToolChoice,
};
use pollux_session::{ModelUsage, Report, Transcript, TranscriptLine, TurnFailure};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The number of times that an answer that breaks off is asked for, the first time included.
const ATTEMPTS: u32 = 4;
/// The most text that is taken from a model that is faster than the disk before it has to wait for the next commit.
/// This is also what bounds an entry: whoever reads the log later holds a page of them.
const BURST: usize = 64 * 1024;
/// The reminder to a model that answered with nothing a person could see.
const EMPTY_ANSWER_REMINDER: &str =
    "Your last answer had no visible text and no tool call. Answer now: with text for the person, or with a tool call.";
/// The reminder to a model whose call was not well formed.
const BAD_CALL_REMINDER: &str = "Your last answer held a tool call that was not well formed, so nothing of it was done. Make \
                                 the call again, with the name of a tool that you have and arguments that are one JSON object.";
/// The kind of error of a provider that does not take a conversation of this length.
const TOO_LONG: &str = "model_too_long";

/// The kind of error of a provider that does not take a request as it is. What it says of media differs too much to be read.
const REFUSED_REQUEST: &str = "model_request";

/// Go on with the running turn: a command does, if the prompt names one, else the model.
pub(crate) async fn continue_turn(
    agent: &TurnAgent,
    facts: &TurnSession,
    call_context: Result<ModelCallContext, TurnFailure>,
    mut transcript: Transcript,
    reporter: &Reporter,
) -> Result<(), NotOwed> {
    let handed = match dispatch_command(agent, facts, &call_context, &mut transcript, reporter).await? {
        DispatchOutcome::Done => return Ok(()),
        DispatchOutcome::Model => None,
        DispatchOutcome::Handed(attachment) => Some(attachment),
    };
    match call_context {
        Ok(call_context) => call_model(&agent.workspace, call_context, facts, transcript, handed, reporter).await,
        Err(failure) => reporter.report(Report::StepFailed { failure }).await,
    }
}

/// Ask the model to go on with the conversation and report all of it. `handed` is what a command wants it told.
async fn call_model(
    agent: &WorkspaceAgent,
    mut call_context: ModelCallContext,
    facts: &TurnSession,
    mut transcript: Transcript,
    handed: Option<PromptAttachment>,
    reporter: &Reporter,
) -> Result<(), NotOwed> {
    let settings = call_context.settings.clone();
    let too_many = settings.max_session_turns.and_then(|most| loop_guard::check_turn_limit(&transcript, most));
    if let Some(failure) = too_many {
        return reporter.report(Report::StepFailed { failure }).await;
    }
    match settings.loop_guard.then(|| loop_guard::detect_call_loop(&transcript)).flatten() {
        Some(CallLoop::Stop(failure)) => return reporter.report(Report::StepFailed { failure }).await,
        Some(CallLoop::Tell { name, text }) => {
            let note = Report::Attached { name, text, media: Vec::new(), seen: Vec::new() };
            transcript.apply_all(&reporter.report_for_entries(note).await?);
        }
        None => {}
    }
    let mut transcript = prepare(agent, &call_context, facts, transcript, handed, reporter).await?;
    let mut given_up = models_given_up(&transcript);
    let mut said = String::new();
    let mut may_compact = true;
    loop {
        let error = match ask_with_retries(&call_context, &transcript, &mut said, reporter).await? {
            Ok(()) => return Ok(()),
            Err(ModelCallFailure::Looping) => {
                return reporter.report(Report::StepFailed { failure: loop_guard::repetition_failure() }).await;
            }
            Err(ModelCallFailure::Model(error)) => error,
        };
        // How much a model takes is known only roughly, until it refuses.
        if error.kind() == TOO_LONG && std::mem::take(&mut may_compact) {
            let report = compact::compact_conversation(&call_context, &transcript).await;
            let is_compacted = matches!(report, Report::Compacted { .. });
            transcript.apply_all(&reporter.report_for_entries(report).await?);
            if is_compacted {
                tell_missing_notes(agent, &call_context, facts.session, &mut transcript, reporter).await?;
                continue;
            }
        }
        if error.kind() == REFUSED_REQUEST
            && let Some(refused) = refuse_media(&call_context, &transcript)
        {
            transcript.apply_all(&reporter.report_for_entries(refused).await?);
            continue;
        }
        let from = call_context.model.info().id;
        given_up.push(from.clone());
        let Some(other) = fallback_model(&call_context, &error, &given_up) else {
            let failure = TurnFailure {
                kind: error.kind().to_owned(),
                message: describe_failure(&call_context, &error, &given_up),
            };
            return reporter.report(Report::StepFailed { failure }).await;
        };
        let (to, why) = (other.info().id, error.to_string());
        reporter.report(Report::FellBack { from, to, why }).await?;
        call_context.model = other;
    }
}

/// Why a model's answer could not be had.
enum ModelCallFailure {
    /// It failed.
    Model(ModelError),
    /// It says the same over and over.
    Looping,
}

/// Ask one model, again while it may help. `said` is what was said so far, by whichever model.
async fn ask_with_retries(
    call_context: &ModelCallContext,
    transcript: &Transcript,
    said: &mut String,
    reporter: &Reporter,
) -> Result<Result<(), ModelCallFailure>, NotOwed> {
    // Made once: but for the one sentence below, a retry has the same one.
    let mut system = call_context.system_prompt(transcript).await;
    let mut attempt = 1;
    loop {
        let contents = contents_for_model(call_context, transcript, said).await;
        let tools = call_context.tool_declarations();
        let request = ModelRequest { system: system.clone(), contents, tools, tool_choice: ToolChoice::Auto };
        let mut call = ModelCall::new(reporter, call_context.settings.loop_guard);
        let trouble = match call.follow(call_context.model.as_ref(), request).await? {
            Ok(()) => return Ok(Ok(())),
            Err(trouble) => trouble,
        };
        said.push_str(&call.speech.text);
        let ModelCallFailure::Model(error) = trouble else { return Ok(Err(trouble)) };
        let wait = match error.class() {
            RetryClass::Retryable { after } if attempt < ATTEMPTS => {
                after.unwrap_or(Duration::from_secs(1 << (attempt - 1)))
            }
            RetryClass::Retryable { .. } | RetryClass::Terminal => return Ok(Err(ModelCallFailure::Model(error))),
        };
        if let Some(reminder) = reminder_after(&error).filter(|reminder| !system.ends_with(reminder)) {
            system = format!("{system}\n\n{reminder}");
        }
        attempt += 1;
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        reporter.report(Report::Retrying { reason: error.to_string(), attempt, wait_ms }).await?;
        tokio::time::sleep(wait).await;
    }
}

/// What a model is told whose answer could not be used. Asked the same again, it would answer the same again.
fn reminder_after(error: &ModelError) -> Option<&'static str> {
    let ModelError::Malformed { flaw } = error else { return None };
    match flaw {
        AnswerFlaw::OnlyThoughts { .. } | AnswerFlaw::Empty { .. } => Some(EMPTY_ANSWER_REMINDER),
        AnswerFlaw::BadCall { .. } | AnswerFlaw::BadArguments { .. } => Some(BAD_CALL_REMINDER),
        AnswerFlaw::NoFinish | AnswerFlaw::BadFrame { .. } => None,
    }
}

/// The models that were given up in the running turn already.
fn models_given_up(transcript: &Transcript) -> Vec<String> {
    let turn = transcript.lines().rev().take_while(|line| !matches!(line, TranscriptLine::Turn { .. }));
    let from = |line: &TranscriptLine| match line {
        TranscriptLine::FellBack { from, .. } => Some(from.clone()),
        _ => None,
    };
    turn.filter_map(from).collect()
}

/// The model to ask after `error`, if it lasts, another one is wanted, and it was not given up itself.
fn fallback_model(call_context: &ModelCallContext, error: &ModelError, given_up: &[String]) -> Option<Arc<dyn Model>> {
    if !error.is_lasting() || !call_context.settings.fall_back {
        return None;
    }
    call_context.models.fallback(&call_context.model.info().id).filter(|other| !given_up.contains(&other.info().id))
}

/// The sentence for the person when no model answers, with one they could choose.
fn describe_failure(call_context: &ModelCallContext, error: &ModelError, given_up: &[String]) -> String {
    let lasts = error.is_lasting() || error.kind() == "model_quota";
    let other = if lasts { call_context.models.another(given_up) } else { None };
    other.map_or_else(|| error.to_string(), |name| format!("{error}; in this session: /model {name}"))
}

/// One request and what has come of it so far.
struct ModelCall<'a> {
    reporter: &'a Reporter,
    speech: ModelOutputBuffer,
    pace: CommitPacer,
    usage: ModelUsage,
    citations: Vec<String>,
    finish: Option<String>,
    /// The provider's name for the answer.
    response: Option<String>,
    /// Listens for a model that says the same over and over.
    repetition: Option<RepetitionDetector>,
}

impl<'a> ModelCall<'a> {
    fn new(reporter: &'a Reporter, guarded: bool) -> Self {
        ModelCall {
            reporter,
            speech: ModelOutputBuffer::default(),
            pace: CommitPacer::new(),
            usage: ModelUsage::default(),
            citations: Vec::new(),
            finish: None,
            response: None,
            repetition: guarded.then(RepetitionDetector::default),
        }
    }

    /// Follow the answer to its end. The outer error says that nobody waits for it any more.
    async fn follow(
        &mut self,
        model: &dyn Model,
        request: ModelRequest,
    ) -> Result<Result<(), ModelCallFailure>, NotOwed> {
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
                        return Ok(Err(ModelCallFailure::Model(error)));
                    }
                    None => match self.flaw() {
                        Some(flaw) => {
                            self.commit().await?;
                            return Ok(Err(ModelCallFailure::Model(ModelError::Malformed { flaw })));
                        }
                        None => return self.finish().await.map(Ok),
                    },
                }
                if self.repetition.as_ref().is_some_and(RepetitionDetector::is_found) {
                    self.commit().await?;
                    return Ok(Err(ModelCallFailure::Looping));
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

    /// Why a complete answer does not end a turn. A provider takes an empty one for good; a person waits for it.
    fn flaw(&self) -> Option<AnswerFlaw> {
        let is_empty = self.speech.calls.is_empty() && self.speech.text.trim().is_empty();
        is_empty.then(|| AnswerFlaw::Empty { finish: self.finish.clone().unwrap_or_default() })
    }

    /// Take in a chunk.
    async fn absorb(&mut self, chunk: ModelChunk) -> Result<(), NotOwed> {
        match chunk {
            ModelChunk::Response { id } => self.response = Some(id),
            ModelChunk::Parts(parts) => parts.into_iter().for_each(|part| self.push_part(part)),
            ModelChunk::Usage(usage) => self.usage = usage,
            ModelChunk::Citations(citations) => self.citations.extend(citations),
            ModelChunk::Finish { reason } => self.finish = Some(reason),
            ModelChunk::Retrying { reason, attempt, wait } => {
                self.commit().await?;
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                self.reporter.report(Report::Retrying { reason, attempt, wait_ms }).await?;
            }
        }
        Ok(())
    }

    fn push_part(&mut self, part: MessagePart) {
        if let (Some(repetition), PartData::Text(text), false) = (&mut self.repetition, &part.data, part.thought) {
            repetition.push(text);
        }
        self.speech.absorb(part);
    }

    async fn commit(&mut self) -> Result<(), NotOwed> {
        if self.speech.is_empty() {
            return Ok(());
        }
        let began = Instant::now();
        self.reporter.report(Report::Said { fragments: self.speech.take(), response: self.response.clone() }).await?;
        self.pace.committed(began);
        Ok(())
    }

    async fn finish(&mut self) -> Result<(), NotOwed> {
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
