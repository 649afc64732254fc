//! One piece of work handed to an agent: what is said to it, what comes of it, its questions, its end. A stream that
//! breaks is taken up again; an agent that cannot stream is asked how it goes. Dropped before the end, it has the agent
//! told to stop.

use crate::allowance::{STREAM_BYTES, StreamAllowance};
use crate::call::{Answered, Operation, unwrap};
use crate::error::RemoteError;
use crate::events::Events;
use crate::hearing::Heard;
use crate::message::Thread;
use crate::peer::Peer;
use crate::question::{Answer, Question, Reply};
use crate::reading::{TaskState, Told};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How often a broken connection is taken up in a row.
const TAKEN_UP: u32 = 5;
/// How often streams are taken up in all. After that the task is looked at: an agent that breaks one stream after the other
/// would otherwise decide how often we come back at once.
const STREAMS_RESUMED: u32 = 20;
/// How long a stream that holds an unanswered question may be silent before the question counts as asked: some agents
/// keep the stream open then.
const SILENCE: Duration = Duration::from_secs(3);
/// How long to wait between two looks at a task, at first and at most.
const LOOK: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));
/// How long the agent may take to acknowledge that it shall stop.
const STOPPING: Duration = Duration::from_secs(10);

/// What an agent has to tell.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// It goes on; this is new.
    Progress(String),
    /// It wants to know something. [`Exchange::answer`] goes on.
    Asks(Question),
    /// It is over.
    Over(Ending),
}

/// How the work ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How.
    pub outcome: Outcome,
    /// Everything the agent said and made.
    pub text: String,
}

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
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
    peer: Arc<Peer>,
    heard: Heard,
    source: Source,
    /// Streams that still stand open: some agents stop when one is closed.
    held: Vec<Events>,
    /// How often in a row the connection broke.
    broke: u32,
    /// How often a stream was taken up again, in a row or not.
    resumed: u32,
    /// What all streams together may still bring.
    allowance: StreamAllowance,
    over: bool,
}

/// Where news come from.
enum Source {
    /// Nothing has been said yet.
    None,
    Stream(Events),
    /// The task is looked at, after a wait.
    Looks(Duration),
}

impl Exchange {
    /// Work for `peer`, in a conversation it knows, if any.
    pub fn new(peer: Arc<Peer>, context: Option<String>) -> Exchange {
        let heard = Heard::within(context);
        let allowance = StreamAllowance::new(STREAM_BYTES);
        Exchange { peer, heard, source: Source::None, held: Vec::new(), broke: 0, resumed: 0, allowance, over: false }
    }

    /// The agent's name for the conversation, to go on with it later.
    pub fn context(&self) -> Option<&str> {
        self.heard.context()
    }

    /// Say what is to be done.
    pub async fn say(&mut self, text: &str) -> Result<(), RemoteError> {
        self.send(&Reply::Text(text.to_owned()), None).await
    }

    /// Answer a question.
    pub async fn answer(&mut self, question: &Question, answer: &Answer) -> Result<(), RemoteError> {
        match question.reply(answer) {
            Some(reply) => self.send(&reply, Some(question)).await,
            None if *answer == Answer::Declined => self.stop().await,
            None => {
                // A permission was given elsewhere: the task goes on by itself, and is looked at.
                self.heard.answered(Some(question));
                self.source = Source::Looks(LOOK.0);
                Ok(())
            }
        }
    }

    /// Have the agent stop, and wait until it says so.
    pub async fn stop(&mut self) -> Result<(), RemoteError> {
        self.over = true;
        let Some(task) = self.heard.task.clone() else { return Ok(()) };
        self.heard.answered(None);
        self.heard.state = Some(TaskState::Canceled);
        self.heard.rests = true;
        self.peer.about(Operation::Cancel, &task, None, &self.allowance).await.map(drop)
    }

    /// What comes next. After [`News::Over`] nothing does.
    pub async fn next(&mut self) -> Result<News, RemoteError> {
        loop {
            if self.heard.rests
                && let Some(news) = self.rest().await?
            {
                return Ok(news);
            }
            let shown = match &mut self.source {
                Source::None => return Err(RemoteError::Broken { why: "nothing was said to the agent".into() }),
                Source::Looks(wait) => {
                    let pause = *wait;
                    *wait = (*wait * 3 / 2).min(LOOK.1);
                    tokio::time::sleep(pause).await;
                    self.look().await?
                }
                Source::Stream(events) => {
                    let silent = async {
                        match self.heard.asked() {
                            Some(_) => tokio::time::sleep(SILENCE).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        event = events.next() => self.event(event).await?,
                        () = silent => {
                            // The question stands; the stream stays open while it is answered.
                            if let Source::Stream(events) = std::mem::replace(&mut self.source, Source::Looks(LOOK.0)) {
                                self.held.push(events);
                            }
                            self.heard.state = Some(TaskState::InputRequired);
                            self.heard.rests = true;
                            String::new()
                        }
                    }
                }
            };
            if !shown.is_empty() {
                return Ok(News::Progress(shown));
            }
        }
    }

    /// The agent rests: what that means. `None` when it goes on after all.
    async fn rest(&mut self) -> Result<Option<News>, RemoteError> {
        if let Some(question) = self.heard.question() {
            return Ok(Some(News::Asks(question)));
        }
        // A look at the task has brought its record already.
        if self.heard.gap
            && matches!(self.source, Source::Stream(_))
            && let Some(task) = self.heard.task.clone()
            && let Ok(Answered::Value(value)) = self.peer.about(Operation::Get, &task, None, &self.allowance).await
            && let Some(told) = Told::read(&value)
        {
            self.heard.absorb(told, self.peer.card.line.version)?;
        }
        self.over = true;
        let outcome = match self.heard.state {
            Some(TaskState::Failed) => Outcome::Failed,
            Some(TaskState::Canceled) => Outcome::Canceled,
            Some(TaskState::Rejected) => Outcome::Rejected,
            _ => Outcome::Completed,
        };
        Ok(Some(News::Over(Ending { outcome, text: self.heard.text() })))
    }

    async fn send(&mut self, reply: &Reply, question: Option<&Question>) -> Result<(), RemoteError> {
        let thread = Thread { task: self.heard.task.as_deref(), context: self.heard.context() };
        let answered = self.peer.send(&thread, reply, &self.allowance).await?;
        self.heard.answered(question);
        self.broke = 0;
        self.take(answered)
    }

    /// Follow what an answer brings.
    fn take(&mut self, answered: Answered) -> Result<(), RemoteError> {
        self.source = match answered {
            Answered::Stream(events) => Source::Stream(events),
            Answered::Value(value) => {
                self.absorb(&value)?;
                self.heard.rests |= self.heard.state.is_some_and(TaskState::waits);
                Source::Looks(LOOK.0)
            }
        };
        Ok(())
    }

    fn absorb(&mut self, value: &Value) -> Result<String, RemoteError> {
        match Told::read(value) {
            Some(told) => self.heard.absorb(told, self.peer.card.line.version),
            None => {
                tracing::debug!("an agent sent something that is not known here; it is passed over");
                Ok(String::new())
            }
        }
    }

    /// An event of the stream, or its end.
    async fn event(&mut self, event: Option<Result<Value, RemoteError>>) -> Result<String, RemoteError> {
        match event {
            Some(Ok(value)) => {
                let result = unwrap(value, &self.peer.card.line)?;
                self.broke = 0;
                self.absorb(&result)
            }
            Some(Err(error @ (RemoteError::TooMuch { .. } | RemoteError::Refused { .. }))) => Err(error),
            Some(Err(error)) => self.take_up(error.to_string()).await,
            None if self.heard.state.is_some_and(|state| state.waits() || state.is_end()) => {
                self.heard.rests = true;
                Ok(String::new())
            }
            None => self.take_up("the stream ended before the work did".into()).await,
        }
    }

    /// Take a broken stream up again, or look at the task where that cannot be done.
    async fn take_up(&mut self, why: String) -> Result<String, RemoteError> {
        self.broke += 1;
        let Some(task) = self.heard.task.clone().filter(|_| self.broke <= TAKEN_UP) else {
            return Err(RemoteError::Broken { why });
        };
        let cursor = match &self.source {
            Source::Stream(events) => events.cursor.clone(),
            Source::None | Source::Looks(_) => None,
        };
        self.heard.gap |= cursor.is_none();
        self.resumed += 1;
        if self.resumed > STREAMS_RESUMED {
            self.source = Source::Looks(LOOK.0);
            return Ok(String::new());
        }
        tokio::time::sleep(LOOK.0 * (1 << (self.broke - 1))).await;
        match self.peer.about(Operation::Subscribe, &task, cursor.as_deref(), &self.allowance).await {
            Ok(Answered::Stream(mut events)) => {
                events.cursor = cursor;
                self.source = Source::Stream(events);
            }
            Ok(value) => self.take(value)?,
            // It does not take streams up: looking works everywhere.
            Err(RemoteError::Refused { .. } | RemoteError::Status { .. }) => self.source = Source::Looks(LOOK.0),
            Err(error) => return Box::pin(self.take_up(error.to_string())).await,
        }
        Ok(String::new())
    }

    /// Look at the task.
    async fn look(&mut self) -> Result<String, RemoteError> {
        let Some(task) = self.heard.task.clone() else {
            return Err(RemoteError::Garbled { why: "the agent answered with neither a message nor a task".into() });
        };
        match self.peer.about(Operation::Get, &task, None, &self.allowance).await {
            Ok(Answered::Value(value)) => {
                self.broke = 0;
                let shown = self.absorb(&value)?;
                self.heard.gap = true;
                self.heard.rests |= self.heard.state.is_some_and(TaskState::waits);
                Ok(shown)
            }
            Ok(Answered::Stream(_)) => Err(RemoteError::Garbled { why: "a task was asked for, a stream came".into() }),
            Err(error @ RemoteError::Unreachable { .. }) if self.broke < TAKEN_UP => {
                self.broke += 1;
                tracing::debug!("looking at a remote task failed: {error}");
                Ok(String::new())
            }
            Err(error) => Err(error),
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let Some(task) = self.heard.task.take().filter(|_| !self.over) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (peer, allowance) = (self.peer.clone(), self.allowance.clone());
        // Best effort: whoever waited for the work is gone.
        runtime.spawn(async move {
            let stop = peer.about(Operation::Cancel, &task, None, &allowance);
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
