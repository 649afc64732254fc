//! A job done by an agent elsewhere, over A2A. What it asks is asked here, of whoever watches the session.

use super::definition::Remote;
use super::errand::result;
use super::remote_ask;
use super::shelf::Subagents;
use pollux_remote::{Address, Answer, Ending, Exchange, News, Outcome, Peer, Question, RemoteError};
use pollux_session::{CallError, CallOutcome};
use pollux_tools::{Output, Ran, ToolError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How often news are passed on at most.
const PACE: Duration = Duration::from_millis(100);
/// How much of an agent's progress goes to the log.
const SHOWN: usize = 256 * 1024;
/// How much an agent may ask in one job.
const QUESTIONS: usize = 50;
/// How long an agent has to stop when its time is over.
const STOPPING: Duration = Duration::from_secs(10);

/// Have the agent `name` do the job. The time that people take to answer its questions does not count.
pub(super) async fn run(
    subagents: &Subagents,
    name: &str,
    remote: &Remote,
    prompt: &str,
    out: &mut dyn Output,
) -> Result<Ran, ToolError> {
    let session = out.session();
    let address = address(subagents, remote)?;
    let mut time = Clock { left: remote.time };
    let peer = time.run(Peer::reach(&address)).await?;
    let mut exchange = Exchange::new(Arc::new(peer), subagents.context(session, name));
    time.run(exchange.say(prompt)).await?;
    let mut progress = Progress::default();
    let mut questions = 0;
    let mut declined = false;
    let ending = loop {
        let news = match time.run(exchange.next()).await {
            Ok(news) => news,
            Err(error) => {
                progress.flush(out).await;
                // It may have been the connection that broke, so this may be in vain too.
                let _ = timeout(STOPPING, exchange.stop()).await;
                return Err(error);
            }
        };
        match news {
            News::Progress(text) => progress.push(&text, out).await,
            News::Asks(question) => {
                progress.flush(out).await;
                questions += 1;
                let answer = if questions > QUESTIONS { Answer::Declined } else { ask(name, &question, out).await };
                declined = answer == Answer::Declined;
                time.run(exchange.answer(&question, &answer)).await?;
            }
            News::Over(ending) => break ending,
        }
    };
    progress.flush(out).await;
    if let Some(context) = exchange.context() {
        subagents.remember(session, name, context);
    }
    Ok(Ran::Done(outcome(name, &ending, declined)))
}

fn address(subagents: &Subagents, remote: &Remote) -> Result<Address, ToolError> {
    let failed = |why: String| ToolError::failed("agent_unreachable", why);
    let credential = remote.auth.as_ref().map(|auth| auth.credential(&|name| subagents.variable(name))).transpose();
    Address::new(&remote.card, credential.map_err(failed)?).map_err(|error| failed(error.to_string()))
}

/// Put a question to the people of the session.
async fn ask(name: &str, question: &Question, out: &mut dyn Output) -> Answer {
    match out.call(remote_ask::call(name, question)).await {
        CallOutcome::Succeeded { result } => remote_ask::read(&result.text),
        _ => Answer::Declined,
    }
}

fn outcome(name: &str, ending: &Ending, declined: bool) -> CallOutcome {
    let told = (!ending.text.is_empty()).then(|| result(&ending.text));
    let failed = |kind: &str, message: String| CallOutcome::Failed {
        error: CallError { kind: kind.into(), message },
        result: told.clone(),
    };
    let refused = || failed("agent_declined", format!("what {name} asked was not granted, so its work was stopped"));
    match ending.outcome {
        Outcome::Completed | Outcome::Canceled if declined && ending.text.is_empty() => refused(),
        Outcome::Completed => CallOutcome::Succeeded {
            result: told.unwrap_or_else(|| result(&format!("{name} is done and had nothing to say."))),
        },
        Outcome::Failed => failed("agent_failed", format!("{name} could not do it")),
        Outcome::Rejected => failed("agent_rejected", format!("{name} does not take such a job")),
        Outcome::Canceled if declined => refused(),
        Outcome::Canceled => failed("agent_stopped", format!("the work was stopped where {name} runs")),
    }
}

/// The time an agent has left.
struct Clock {
    left: Duration,
}

impl Clock {
    async fn run<T>(&mut self, work: impl Future<Output = Result<T, RemoteError>>) -> Result<T, ToolError> {
        let began = Instant::now();
        let done = timeout(self.left, work).await;
        self.left = self.left.saturating_sub(began.elapsed());
        match done {
            Ok(done) => done.map_err(|error| ToolError::failed("agent_unreachable", error.to_string())),
            Err(_) => Err(ToolError::failed(
                "agent_timeout",
                "the agent took too long and was told to stop; give it more with `timeout_mins` in its file",
            )),
        }
    }
}

/// What is passed on of an agent's progress: not too often, not too much, the end always.
#[derive(Default)]
struct Progress {
    waiting: String,
    sent: usize,
    last: Option<Instant>,
}

impl Progress {
    async fn push(&mut self, text: &str, out: &mut dyn Output) {
        let room = SHOWN.saturating_sub(self.sent + self.waiting.len());
        self.waiting.push_str(&text[..text.floor_char_boundary(room)]);
        if self.last.is_none_or(|last| last.elapsed() >= PACE) {
            self.flush(out).await;
        }
    }

    async fn flush(&mut self, out: &mut dyn Output) {
        if !self.waiting.is_empty() {
            self.sent += self.waiting.len();
            self.last = Some(Instant::now());
            out.send(std::mem::take(&mut self.waiting), 0).await;
        }
    }
}
