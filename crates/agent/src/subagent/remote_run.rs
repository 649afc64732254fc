//! A job done by an agent elsewhere, over A2A. What it asks is asked here, of whoever watches the session.

use super::definition::{AgentCardSource, DefinitionSource, RemoteSubagent, SubagentDefinition};
use super::local_run::result;
use super::registry::SubagentRegistry;
use super::remote_ask;
use pollux_remote::{
    AgentAddress, AgentQuestion, AgentQuestionAnswer, Exchange, ExchangeEvent, ExchangeOutcome, ExchangeResult,
    RemoteAgent, RemoteError,
};
use pollux_session::{CallError, CallOutcome};
use pollux_tools::{ToolCallContext, ToolError, ToolRunOutcome};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The shortest interval at which news are passed on.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// The most bytes of an agent's progress that go to the log.
const SHOWN: usize = 256 * 1024;
/// The most questions of an agent in one job.
const QUESTIONS: usize = 50;
/// The most bytes of a declined question that the model is told.
const PHRASE: usize = 200;
/// The time that an agent has to stop when its time is over.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Have the agent do the job, which is at `remote`. The time that people take to answer its questions does not count.
pub(super) async fn run(
    subagents: &SubagentRegistry,
    definition: &SubagentDefinition,
    remote: &RemoteSubagent,
    prompt: &str,
    out: &mut dyn ToolCallContext,
) -> Result<ToolRunOutcome, ToolError> {
    let (session, name, digest) = (out.session(), definition.name.as_str(), definition.digest());
    let address = address(subagents, definition.source, remote)?;
    let mut time = TimeBudget { left: remote.time };
    let peer = time.run(connect(remote, &address)).await?;
    let mut exchange = Exchange::new(Arc::new(peer), subagents.context(session, &digest));
    time.run(exchange.say(prompt)).await?;
    let mut progress = Progress::default();
    let mut questions = 0;
    let mut declined = None;
    let ending = loop {
        let news = match time.run(exchange.next()).await {
            Ok(news) => news,
            Err(error) => {
                progress.flush(out).await;
                // It may have been the connection that broke, so this may be in vain too.
                let _ = timeout(STOP_TIMEOUT, exchange.stop()).await;
                return Err(error);
            }
        };
        match news {
            ExchangeEvent::Progress(text) => progress.push(&text, out).await,
            ExchangeEvent::Asks(question) => {
                // The ask closes when it is answered; what was asked stays readable here, for every client.
                progress.push_line(&quoted(&question.description), out).await;
                progress.flush(out).await;
                questions += 1;
                let answer = if questions > QUESTIONS {
                    AgentQuestionAnswer::Declined
                } else {
                    ask_people(name, &question, out).await
                };
                if answer == AgentQuestionAnswer::Declined {
                    declined.get_or_insert_with(|| question.description.clone());
                }
                time.run(exchange.answer(&question, &answer)).await?;
            }
            ExchangeEvent::Over(ending) => break ending,
        }
    };
    progress.flush(out).await;
    if let Some(context) = exchange.context() {
        subagents.remember(session, &digest, context);
    }
    Ok(ToolRunOutcome::Done(outcome(name, &ending, declined.as_deref())))
}

/// The agent, with the card that its file holds or that it serves.
async fn connect(remote: &RemoteSubagent, address: &AgentAddress) -> Result<RemoteAgent, RemoteError> {
    match &remote.card {
        AgentCardSource::Address(_) => RemoteAgent::reach(address).await,
        AgentCardSource::Inline { json, .. } => RemoteAgent::with_card(json, address),
    }
}

fn address(
    subagents: &SubagentRegistry,
    source: DefinitionSource,
    remote: &RemoteSubagent,
) -> Result<AgentAddress, ToolError> {
    let failed = |why: String| ToolError::failed("agent_unreachable", why);
    let env = |name: &str| subagents.variable(source, name);
    let credential = remote.auth.as_ref().map(|auth| auth.credential(source, &env)).transpose();
    let address = AgentAddress::new(remote.card.address(), credential.map_err(failed)?);
    address.and_then(|address| address.with_others(&remote.others)).map_err(|error| failed(error.to_string()))
}

/// Put a question to the people of the session.
async fn ask_people(name: &str, question: &AgentQuestion, out: &mut dyn ToolCallContext) -> AgentQuestionAnswer {
    match out.call(remote_ask::ask_call(name, question)).await {
        CallOutcome::Succeeded { result } => remote_ask::parse_answer(&result.text),
        _ => AgentQuestionAnswer::Declined,
    }
}

/// The end of the call. `declined` is the first question of the agent that was answered with no: whatever it did
/// instead, the work is not what it was asked for.
fn outcome(name: &str, ending: &ExchangeResult, declined: Option<&str>) -> CallOutcome {
    let told = (!ending.text.is_empty()).then(|| result(&ending.text));
    let failed = |kind: &str, message: String| CallOutcome::Failed {
        error: CallError { kind: kind.into(), message },
        result: told.clone(),
    };
    if let Some(question) = declined
        && matches!(ending.outcome, ExchangeOutcome::Completed | ExchangeOutcome::Canceled)
    {
        let asked = phrase(question);
        return failed("agent_declined", format!("{name} asked for something that was declined ({asked})"));
    }
    match ending.outcome {
        ExchangeOutcome::Completed => CallOutcome::Succeeded {
            result: told.unwrap_or_else(|| result(&format!("{name} is done and had nothing to say."))),
        },
        ExchangeOutcome::Failed => failed("agent_failed", format!("{name} could not do it")),
        ExchangeOutcome::Rejected => failed("agent_rejected", format!("{name} does not take such a job")),
        ExchangeOutcome::Canceled => failed("agent_stopped", format!("the work was stopped where {name} runs")),
    }
}

/// A question among what the agent says.
fn quoted(question: &str) -> String {
    question.trim().lines().enumerate().fold(String::new(), |text, (at, line)| {
        let sign = if at == 0 { '?' } else { ' ' };
        format!("{text}{sign} {line}\n")
    })
}

/// A question on one line.
fn phrase(question: &str) -> String {
    let words = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = words.floor_char_boundary(PHRASE);
    if end == words.len() { words } else { format!("{} …", &words[..end]) }
}

/// The time an agent has left.
struct TimeBudget {
    left: Duration,
}

impl TimeBudget {
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

/// The part of an agent's progress that is passed on: not too often, not too much, the end always.
#[derive(Default)]
struct Progress {
    waiting: String,
    sent: usize,
    last: Option<Instant>,
    line_open: bool,
}

impl Progress {
    /// Pass on what begins a line of its own.
    async fn push_line(&mut self, text: &str, out: &mut dyn ToolCallContext) {
        if self.line_open {
            self.push("\n", out).await;
        }
        self.push(text, out).await;
    }

    async fn push(&mut self, text: &str, out: &mut dyn ToolCallContext) {
        self.line_open = !text.ends_with('\n');
        let room = SHOWN.saturating_sub(self.sent + self.waiting.len());
        self.waiting.push_str(&text[..text.floor_char_boundary(room)]);
        if self.last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL) {
            self.flush(out).await;
        }
    }

    async fn flush(&mut self, out: &mut dyn ToolCallContext) {
        if !self.waiting.is_empty() {
            self.sent += self.waiting.len();
            self.last = Some(Instant::now());
            out.send(std::mem::take(&mut self.waiting), 0).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_was_declined_is_no_success() {
        let ending = |outcome, text: &str| ExchangeResult { outcome, text: text.into() };
        let declined = Some("run in /there:\nrm -rf build");
        for outcome_there in [ExchangeOutcome::Completed, ExchangeOutcome::Canceled] {
            let CallOutcome::Failed { error, result } = outcome("far", &ending(outcome_there, "I did not."), declined)
            else {
                panic!("it is a failure")
            };
            let message = "far asked for something that was declined (run in /there: rm -rf build)";
            assert_eq!((error.kind.as_str(), error.message.as_str()), ("agent_declined", message));
            assert_eq!(result, Some(super::result("I did not.")));
        }
        assert_eq!(quoted("run in /there:\nls\n"), "? run in /there:\n  ls\n");
        let done = outcome("far", &ending(ExchangeOutcome::Completed, "Done."), None);
        assert_eq!(done, CallOutcome::Succeeded { result: super::result("Done.") });
    }
}
