//! One model call of a turn: ask, stream what is said into the log, try again when it breaks off.

use crate::agent::Desk;
use crate::history::contents;
use crate::loops;
use crate::pace::Pace;
use crate::preparation::prepare;
use crate::speech::Speech;
use futures_util::{FutureExt, StreamExt};
use pollux_host::{Gone, Reporter};
use pollux_model::{Chunk, Class, Model, ModelError, Profile, Request, ToolDeclaration};
use pollux_session::{Failure, Report, Transcript, Usage};
use std::time::Duration;
use tokio::time::Instant;

/// How often an answer that breaks off is asked for, the first time included.
const ATTEMPTS: u32 = 4;
/// How much text is taken from a model that is faster than the disk before it has to wait for the next commit. This is
/// also what bounds an entry: whoever reads the log later holds a page of them.
const BURST: usize = 64 * 1024;
/// What a model with the short profile is offered.
const SHORT_TOOLS: [&str; 5] = ["list_directory", "read_file", "replace", "run_shell_command", "write_file"];

/// Ask the model to go on with the conversation and report all of it.
pub(crate) async fn think(desk: &Desk, transcript: Transcript, reporter: &Reporter) -> Result<(), Gone> {
    if let Some(failure) = loops::going_round(&transcript) {
        return reporter.report(Report::StepFailed { failure }).await;
    }
    let transcript = prepare(desk, transcript, reporter).await?;
    // Made once: what a retry is told must not differ from what the first attempt was.
    let (system, tools) = (desk.system_prompt(), declarations(desk));
    let mut said = String::new();
    for attempt in 1.. {
        let request = Request { system: system.clone(), contents: contents(&transcript, &said), tools: tools.clone() };
        let mut call = ModelCall::new(reporter);
        let error = match call.follow(desk.model.as_ref(), request).await? {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        said.push_str(&call.speech.text);
        let wait = match error.class() {
            Class::Retryable { after } if attempt < ATTEMPTS => {
                after.unwrap_or(Duration::from_secs(1 << (attempt - 1)))
            }
            Class::Retryable { .. } | Class::Terminal => {
                let failure = Failure { kind: error.kind().to_owned(), message: error.to_string() };
                return reporter.report(Report::StepFailed { failure }).await;
            }
        };
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        reporter.report(Report::Retrying { reason: error.to_string(), attempt: attempt + 1, wait_ms }).await?;
        tokio::time::sleep(wait).await;
    }
    Ok(())
}

/// One request and what has come of it so far.
struct ModelCall<'a> {
    reporter: &'a Reporter,
    speech: Speech,
    pace: Pace,
    usage: Usage,
    citations: Vec<String>,
    finish: Option<String>,
}

impl<'a> ModelCall<'a> {
    fn new(reporter: &'a Reporter) -> Self {
        ModelCall {
            reporter,
            speech: Speech::default(),
            pace: Pace::new(),
            usage: Usage::default(),
            citations: Vec::new(),
            finish: None,
        }
    }

    /// Follow the answer to its end. The outer error says that nobody waits for it any more.
    async fn follow(&mut self, model: &dyn Model, request: Request) -> Result<Result<(), ModelError>, Gone> {
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
                        return Ok(Err(error));
                    }
                    None => return self.finish().await.map(Ok),
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
            Chunk::Parts(parts) => parts.into_iter().for_each(|part| self.speech.absorb(part)),
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

    async fn commit(&mut self) -> Result<(), Gone> {
        if self.speech.is_empty() {
            return Ok(());
        }
        let began = Instant::now();
        self.reporter.report(Report::Said { fragments: self.speech.take() }).await?;
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
