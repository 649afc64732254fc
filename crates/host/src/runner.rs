//! The runner: it does the owed work. The host starts it, and drops it when it is no longer owed.

use crate::actor::{ActorMessage, LOG_PAGE, MailboxItem, ReportMessage};
use crate::journal::read_error;
use pollux_session::{
    ApprovalMode, BoxFuture, CallOutcome, CallState, ClientCredentials, Effect, Entry, EntryAuthor, Grant, GrantScope,
    NewCall, Owner, ReadError, Report, RuntimeDescription, SavedCheckpoint, SeenFiles, Seq, SessionId, Transcript,
};
use pollux_store::Log;
use std::collections::VecDeque;
use std::sync::Arc;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

/// Does the work a session owes.
pub trait Runner: Send + Sync + 'static {
    /// The model and the tools it works with.
    fn equipment(&self) -> RuntimeDescription;

    /// The runtime for one session: credentials that it was lent may bring another model.
    fn equipment_of(&self, session: SessionId) -> RuntimeDescription {
        let _ = session;
        self.equipment()
    }

    /// Check that it can ask the model a person names for `session`; an error says why not, in words.
    fn has_model(&self, session: SessionId, name: &str) -> Result<(), String> {
        let _ = (session, name);
        Ok(())
    }

    /// Check that a session in `workspace` can be narrowed to the tools in `names`; an error says why not, in words.
    fn has_tools(&self, workspace: &str, names: &[String]) -> Result<(), String> {
        let _ = (workspace, names);
        Ok(())
    }

    /// Check that sessions may be in this mode; an error says why not, in words.
    fn permits(&self, mode: ApprovalMode) -> Result<(), String> {
        let _ = mode;
        Ok(())
    }

    /// Check that a new session could be lent these credentials; an error says why not, in words.
    fn check_lent(&self, lent: ClientCredentials) -> Result<(), String> {
        let _ = lent;
        Err("nothing can be lent to a session here".to_owned())
    }

    /// Take what a client lends `session`, besides what was lent before; else why not, in words.
    fn entrust(&self, session: SessionId, lent: ClientCredentials) -> Result<(), String> {
        let _ = (session, lent);
        Err("nothing can be lent to a session here".to_owned())
    }

    /// Do one job to its end, reporting as it goes. Dropping the future stops the work and everything it started.
    fn run(&self, job: EffectJob, reporter: Reporter) -> BoxFuture<'static, ()>;
}

/// One piece of owed work with all it needs to know.
#[derive(Clone, Debug)]
pub struct EffectJob {
    pub session: SessionId,
    /// Whose it is.
    pub owner: Owner,
    /// The absolute path of the session's workspace.
    pub workspace: String,
    /// The only tools the session was opened with, if it was so narrowed.
    pub only_tools: Option<Vec<String>>,
    /// True if a client lent the session credentials, to whichever process that was.
    pub lent: bool,
    /// The checkpoints the session can go back to, oldest first.
    pub checkpoints: Arc<VecDeque<SavedCheckpoint>>,
    /// The versions of files that the model was shown last.
    pub seen_files: Arc<SeenFiles>,
    /// The command that answers the running turn instead of the model.
    pub command: Option<String>,
    pub work: EffectWork,
}

/// The work that an effect stands for.
#[derive(Clone, Debug)]
pub enum EffectWork {
    /// Ask the model to go on.
    Think {
        /// The conversation so far.
        transcript: Transcript,
        /// The model somebody chose, by the name they used; `None` leaves it to the runner.
        model: Option<String>,
        /// The approval mode: some tools are offered only in some modes.
        mode: ApprovalMode,
    },
    /// Say whether a call may run.
    Vet {
        call: CallState,
        /// The open calls before it in its answer, in their order: they take effect first.
        before: Vec<CallState>,
        /// The call it is made for.
        parent: Option<Box<CallState>>,
        mode: ApprovalMode,
        /// Grants for the session, each with who gave it.
        grants: Vec<(Grant, EntryAuthor)>,
    },
    /// Run a call.
    Run {
        /// The call, with what was shown and what a person changed.
        call: CallState,
        /// The call it is made for.
        parent: Option<Box<CallState>>,
        /// The model of the turn, by the name somebody used; `None` leaves it to the runner.
        model: Option<String>,
        mode: ApprovalMode,
        /// Grants for the session so far, each with who gave it.
        grants: Vec<(Grant, EntryAuthor)>,
    },
    /// Make a summary of the older part of the conversation.
    Compact {
        /// The conversation so far.
        transcript: Transcript,
        /// The model somebody chose.
        model: Option<String>,
        mode: ApprovalMode,
    },
    /// Put a grant into the person's own policy file.
    Keep { grant: Grant, reach: GrantScope },
}

/// The way back to the session for one piece of work.
#[derive(Clone)]
pub struct Reporter {
    pub(crate) effect: Effect,
    pub(crate) mailbox: mpsc::Sender<MailboxItem>,
    pub(crate) session: SessionId,
    pub(crate) log: Arc<dyn Log>,
}

/// The work is no longer owed; stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the work is no longer owed")]
pub struct NotOwed;

impl Reporter {
    /// Have another call made for the call that runs here, vetted and run like any other, and wait for its end. When it
    /// is superseded, the end is that of the call that stands for it.
    ///
    /// Dropping the future withdraws the call.
    pub async fn call(&self, call: NewCall) -> Result<CallOutcome, NotOwed> {
        let (reply, answer) = oneshot::channel();
        let (done, outcome) = oneshot::channel();
        let report = Report::Calls { call };
        self.mailbox
            .send(Box::new(ActorMessage::Report(ReportMessage {
                effect: self.effect,
                report,
                reply,
                then: Some(done),
            })))
            .await
            .map_err(|_| NotOwed)?;
        answer.await.map_err(|_| NotOwed)??;
        AwaitedOutcome { reporter: self, outcome: Some(outcome) }.wait().await
    }

    /// Report what came of the work so far. Returns when it is durable.
    pub async fn report(&self, report: Report) -> Result<(), NotOwed> {
        self.report_for_entries(report).await.map(drop)
    }

    /// Report, and return the entries that the report caused, for a caller that folds the log.
    pub async fn report_for_entries(&self, report: Report) -> Result<Vec<Arc<Entry>>, NotOwed> {
        let (reply, answer) = oneshot::channel();
        let mail = Box::new(ActorMessage::Report(ReportMessage { effect: self.effect, report, reply, then: None }));
        self.mailbox.send(mail).await.map_err(|_| NotOwed)?;
        answer.await.map_err(|_| NotOwed)?
    }

    /// The next entries of the session's log after a cursor, oldest first; none when there are no more.
    pub async fn read_log(&self, after: Seq) -> Result<Vec<Arc<Entry>>, ReadError> {
        self.log.read(self.session, after, LOG_PAGE).await.map_err(|error| read_error(&error))
    }
}

/// The end of a call, which is withdrawn if nobody waits for it any more.
struct AwaitedOutcome<'a> {
    reporter: &'a Reporter,
    /// Until it has come.
    outcome: Option<oneshot::Receiver<CallOutcome>>,
}

impl AwaitedOutcome<'_> {
    async fn wait(mut self) -> Result<CallOutcome, NotOwed> {
        let Some(outcome) = &mut self.outcome else { return Err(NotOwed) };
        let ended = outcome.await.map_err(|_| NotOwed);
        self.outcome = None;
        ended
    }
}

impl Drop for AwaitedOutcome<'_> {
    fn drop(&mut self) {
        // The actor finds the call by its closed channel.
        if self.outcome.take().is_none() {
            return;
        }
        let Reporter { effect, mailbox, .. } = self.reporter.clone();
        // Where the mailbox is full, the actor is told as soon as there is room.
        if let Err(mpsc::error::TrySendError::Full(mail)) =
            mailbox.try_send(Box::new(ActorMessage::Abandoned { effect }))
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(async move { mailbox.send(mail).await });
        }
    }
}
