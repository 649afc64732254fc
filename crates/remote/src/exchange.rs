//! One piece of work handed to an agent: what is said to it, what comes of it, its questions, its end. A stream that
//! breaks is taken up again; an agent that cannot stream is asked how it goes. Dropped before the end, it has the agent
//! told to stop.

use crate::agent_update::{AgentTaskState, AgentUpdate};
use crate::error::RemoteError;
use crate::event_stream::AgentEventStream;
use crate::exchange_state::ExchangeState;
use crate::http_client::{AgentOperation, AgentResponse, unwrap_result};
use crate::question::{AgentQuestion, AgentQuestionAnswer, OutgoingPart};
use crate::remote_agent::RemoteAgent;
use crate::request_params::MessageTarget;
use crate::stream_allowance::{STREAM_BYTES, StreamAllowance};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The most times in a row that a broken connection is taken up.
const MAX_RECONNECTS: u32 = 5;
/// The most streams that are taken up in all. After that the task is looked at: an agent that breaks one stream after
/// the other would otherwise decide how often we come back at once.
const MAX_RESUMED_STREAMS: u32 = 20;
/// The silence of a stream that holds an unanswered question after which the question counts as asked: some agents keep
/// the stream open then.
const SILENCE: Duration = Duration::from_secs(3);
/// The wait between two looks at a task, at first and at most.
const POLL_INTERVAL: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));
/// The time that the agent may take to acknowledge that it shall stop.
const STOPPING: Duration = Duration::from_secs(10);

/// News of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum ExchangeEvent {
    /// It goes on; this is new.
    Progress(String),
    /// It wants to know something. [`Exchange::answer`] goes on.
    Asks(AgentQuestion),
    /// It is over.
    Over(ExchangeResult),
}

/// The end of the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExchangeResult {
    pub outcome: ExchangeOutcome,
    /// Everything the agent said and made.
    pub text: String,
}

/// The way in which the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeOutcome {
    /// It is done.
    Completed,
    /// It failed.
    Failed,
    /// Somebody stopped it.
    Canceled,
    /// The agent does not do such things.
    Rejected,
}

/// One piece of work.
pub struct Exchange {
    peer: Arc<RemoteAgent>,
    state: ExchangeState,
    source: UpdateSource,
    /// Streams that still stand open: some agents stop when one is closed.
    held: Vec<AgentEventStream>,
    /// The number of times in a row that the connection broke.
    failures: u32,
    /// The number of times that a stream was taken up again, in a row or not.
    resumed: u32,
    /// The amount that all streams together may still bring.
    allowance: StreamAllowance,
    over: bool,
}

/// Where news come from.
enum UpdateSource {
    /// Nothing has been said yet.
    None,
    Stream(AgentEventStream),
    /// The task is looked at, after a wait.
    Polling(Duration),
}

impl Exchange {
    /// Work for `peer`, in a conversation it knows, if any.
    pub fn new(peer: Arc<RemoteAgent>, context: Option<String>) -> Exchange {
        let state = ExchangeState::within(context);
        let allowance = StreamAllowance::new(STREAM_BYTES);
        Exchange {
            peer,
            state,
            source: UpdateSource::None,
            held: Vec::new(),
            failures: 0,
            resumed: 0,
            allowance,
            over: false,
        }
    }

    /// The agent's name for the conversation, to go on with it later.
    pub fn context(&self) -> Option<&str> {
        self.state.context()
    }

    /// Say what is to be done.
    pub async fn say(&mut self, text: &str) -> Result<(), RemoteError> {
        self.send(&OutgoingPart::Text(text.to_owned()), None).await
    }

    /// Answer a question.
    pub async fn answer(&mut self, question: &AgentQuestion, answer: &AgentQuestionAnswer) -> Result<(), RemoteError> {
        match question.reply(answer) {
            Some(reply) => self.send(&reply, Some(question)).await,
            None if *answer == AgentQuestionAnswer::Declined => self.stop().await,
            None => {
                // A permission was given elsewhere: the task goes on by itself, and is looked at.
                self.state.mark_answered(Some(question));
                self.source = UpdateSource::Polling(POLL_INTERVAL.0);
                Ok(())
            }
        }
    }

    /// Have the agent stop, and wait until it says so.
    pub async fn stop(&mut self) -> Result<(), RemoteError> {
        self.over = true;
        let Some(task) = self.state.task.clone() else { return Ok(()) };
        self.state.mark_answered(None);
        self.state.state = Some(AgentTaskState::Canceled);
        self.state.is_resting = true;
        self.peer.request_task(AgentOperation::Cancel, &task, None, &self.allowance).await.map(drop)
    }

    /// The next news. After [`ExchangeEvent::Over`] there are none.
    pub async fn next(&mut self) -> Result<ExchangeEvent, RemoteError> {
        loop {
            if self.state.is_resting
                && let Some(news) = self.handle_rest().await?
            {
                return Ok(news);
            }
            let shown = match &mut self.source {
                UpdateSource::None => return Err(RemoteError::Broken { why: "nothing was said to the agent".into() }),
                UpdateSource::Polling(wait) => {
                    let pause = *wait;
                    *wait = (*wait * 3 / 2).min(POLL_INTERVAL.1);
                    tokio::time::sleep(pause).await;
                    self.poll_task().await?
                }
                UpdateSource::Stream(events) => {
                    let silent = async {
                        match self.state.pending_question() {
                            Some(_) => tokio::time::sleep(SILENCE).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        event = events.next() => self.handle_event(event).await?,
                        () = silent => {
                            // The question stands; the stream stays open while it is answered.
                            if let UpdateSource::Stream(events) = std::mem::replace(&mut self.source, UpdateSource::Polling(POLL_INTERVAL.0)) {
                                self.held.push(events);
                            }
                            self.state.state = Some(AgentTaskState::InputRequired);
                            self.state.is_resting = true;
                            String::new()
                        }
                    }
                }
            };
            if !shown.is_empty() {
                return Ok(ExchangeEvent::Progress(shown));
            }
        }
    }

    /// The agent rests: what that means. `None` when it goes on after all.
    async fn handle_rest(&mut self) -> Result<Option<ExchangeEvent>, RemoteError> {
        if let Some(question) = self.state.question() {
            return Ok(Some(ExchangeEvent::Asks(question)));
        }
        // A look at the task has brought its record already.
        if self.state.gap
            && matches!(self.source, UpdateSource::Stream(_))
            && let Some(task) = self.state.task.clone()
            && let Ok(AgentResponse::Value(value)) =
                self.peer.request_task(AgentOperation::Get, &task, None, &self.allowance).await
            && let Some(told) = AgentUpdate::read(&value)
        {
            self.state.apply(told, self.peer.card.interface.version)?;
        }
        self.over = true;
        let outcome = match self.state.state {
            Some(AgentTaskState::Failed) => ExchangeOutcome::Failed,
            Some(AgentTaskState::Canceled) => ExchangeOutcome::Canceled,
            Some(AgentTaskState::Rejected) => ExchangeOutcome::Rejected,
            _ => ExchangeOutcome::Completed,
        };
        Ok(Some(ExchangeEvent::Over(ExchangeResult { outcome, text: self.state.text() })))
    }

    async fn send(&mut self, reply: &OutgoingPart, question: Option<&AgentQuestion>) -> Result<(), RemoteError> {
        let thread = MessageTarget { task: self.state.task.as_deref(), context: self.state.context() };
        let answered = self.peer.send(&thread, reply, &self.allowance).await?;
        self.state.mark_answered(question);
        self.failures = 0;
        self.handle_response(answered)
    }

    /// Follow what an answer brings.
    fn handle_response(&mut self, answered: AgentResponse) -> Result<(), RemoteError> {
        self.source = match answered {
            AgentResponse::Stream(events) => UpdateSource::Stream(events),
            AgentResponse::Value(value) => {
                self.absorb(&value)?;
                self.state.is_resting |= self.state.state.is_some_and(AgentTaskState::waits);
                UpdateSource::Polling(POLL_INTERVAL.0)
            }
        };
        Ok(())
    }

    fn absorb(&mut self, value: &Value) -> Result<String, RemoteError> {
        match AgentUpdate::read(value) {
            Some(told) => self.state.apply(told, self.peer.card.interface.version),
            None => {
                tracing::debug!("an agent sent something that is not known here; it is passed over");
                Ok(String::new())
            }
        }
    }

    /// An event of the stream, or its end.
    async fn handle_event(&mut self, event: Option<Result<Value, RemoteError>>) -> Result<String, RemoteError> {
        match event {
            Some(Ok(value)) => {
                let result = unwrap_result(value, &self.peer.card.interface)?;
                self.failures = 0;
                self.absorb(&result)
            }
            Some(Err(error @ (RemoteError::TooMuch { .. } | RemoteError::Refused { .. }))) => Err(error),
            Some(Err(error)) => self.resume_stream(error.to_string()).await,
            None if self.state.state.is_some_and(|state| state.waits() || state.is_end()) => {
                self.state.is_resting = true;
                Ok(String::new())
            }
            None => self.resume_stream("the stream ended before the work did".into()).await,
        }
    }

    /// Take a broken stream up again, or look at the task where that cannot be done.
    async fn resume_stream(&mut self, why: String) -> Result<String, RemoteError> {
        self.failures += 1;
        let Some(task) = self.state.task.clone().filter(|_| self.failures <= MAX_RECONNECTS) else {
            return Err(RemoteError::Broken { why });
        };
        let cursor = match &self.source {
            UpdateSource::Stream(events) => events.cursor.clone(),
            UpdateSource::None | UpdateSource::Polling(_) => None,
        };
        self.state.gap |= cursor.is_none();
        self.resumed += 1;
        if self.resumed > MAX_RESUMED_STREAMS {
            self.source = UpdateSource::Polling(POLL_INTERVAL.0);
            return Ok(String::new());
        }
        tokio::time::sleep(POLL_INTERVAL.0 * (1 << (self.failures - 1))).await;
        match self.peer.request_task(AgentOperation::Subscribe, &task, cursor.as_deref(), &self.allowance).await {
            Ok(AgentResponse::Stream(mut events)) => {
                events.cursor = cursor;
                self.source = UpdateSource::Stream(events);
            }
            Ok(value) => self.handle_response(value)?,
            // It does not take streams up: looking works everywhere.
            Err(RemoteError::Refused { .. } | RemoteError::Status { .. }) => {
                self.source = UpdateSource::Polling(POLL_INTERVAL.0);
            }
            Err(error) => return Box::pin(self.resume_stream(error.to_string())).await,
        }
        Ok(String::new())
    }

    /// Look at the task.
    async fn poll_task(&mut self) -> Result<String, RemoteError> {
        let Some(task) = self.state.task.clone() else {
            return Err(RemoteError::Garbled { why: "the agent answered with neither a message nor a task".into() });
        };
        match self.peer.request_task(AgentOperation::Get, &task, None, &self.allowance).await {
            Ok(AgentResponse::Value(value)) => {
                self.failures = 0;
                let shown = self.absorb(&value)?;
                self.state.gap = true;
                self.state.is_resting |= self.state.state.is_some_and(AgentTaskState::waits);
                Ok(shown)
            }
            Ok(AgentResponse::Stream(_)) => {
                Err(RemoteError::Garbled { why: "a task was asked for, a stream came".into() })
            }
            Err(error @ RemoteError::Unreachable { .. }) if self.failures < MAX_RECONNECTS => {
                self.failures += 1;
                tracing::debug!("looking at a remote task failed: {error}");
                Ok(String::new())
            }
            Err(error) => Err(error),
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let Some(task) = self.state.task.take().filter(|_| !self.over) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (peer, allowance) = (self.peer.clone(), self.allowance.clone());
        // Best effort: whoever waited for the work is gone.
        runtime.spawn(async move {
            let stop = peer.request_task(AgentOperation::Cancel, &task, None, &allowance);
            if let Ok(Err(error)) | Err(error) = tokio::time::timeout(STOPPING, stop)
                .await
                .map_err(|_| RemoteError::Broken { why: "it does not answer".into() })
                .map(|stopped| stopped.map(drop))
            {
                tracing::debug!("a remote task could not be stopped: {error}");
            }
        });
    }
}
