//! The asks of one piece of work, put to the person and answered in the session.

use super::elicitation_form::{ElicitationForm, ElicitationReply};
use super::request_client::McpRequestClient;
use pollux_session::{Ask, CallId, CancelScope, Command, CommandId, Seat};
use std::collections::HashMap;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

/// The most replies that may wait to be read.
const REPLIES: usize = 16;

/// Asks that are open. Dropped, they are taken back from the client.
pub(super) struct OpenElicitations {
    open: HashMap<CallId, (ElicitationForm, DropGuard)>,
    sender: mpsc::Sender<(CallId, ElicitationReply)>,
    replies: mpsc::Receiver<(CallId, ElicitationReply)>,
    /// Why something was declined that the person never saw, and how to allow it.
    pub(super) unasked: Option<String>,
}

impl Default for OpenElicitations {
    fn default() -> OpenElicitations {
        let (sender, replies) = mpsc::channel(REPLIES);
        OpenElicitations { open: HashMap::new(), sender, replies, unasked: None }
    }
}

impl OpenElicitations {
    /// Put an ask to the person.
    pub(super) fn open(&mut self, client: &McpRequestClient, call: CallId, tool: &str, ask: &Ask) {
        let question = ElicitationForm::new(tool, ask);
        let (client, asked, sender) = (client.clone(), question.clone(), self.sender.clone());
        let taken_back = CancellationToken::new();
        let guard = taken_back.clone().drop_guard();
        // It outlives this value by a moment: the client has to be told that the question is taken back.
        tokio::spawn(async move {
            let reply = client.ask(&asked, &taken_back).await;
            // Nobody may be there any more to act on it.
            let _ = sender.send((call, reply)).await;
        });
        self.open.insert(call, (question, guard));
    }

    /// The ask is closed in the session: take it back.
    pub(super) fn close(&mut self, call: CallId) {
        self.open.remove(&call);
    }

    /// Take every ask back; returns what declines them.
    pub(super) fn decline_all(&mut self) -> Vec<Command> {
        let open = self.open.drain();
        open.map(|(call, (question, _))| decline(call, &question)).collect()
    }

    /// The next answer, as a command; pending for ever when nothing is asked.
    pub(super) async fn next_answer(&mut self) -> Command {
        loop {
            // It never ends: one sender is ours.
            let Some((call, reply)) = self.replies.recv().await else { continue };
            // One that was taken back has nothing to say.
            let Some((question, _)) = self.open.remove(&call) else { continue };
            return match reply {
                ElicitationReply::Chosen { option, edit } => Command::Answer { call, option, edit },
                ElicitationReply::Declined => decline(call, &question),
                ElicitationReply::NotAsked(why) => {
                    self.unasked = Some(format!("it needs approval, and {why}; {}", question.describe_alternative()));
                    decline(call, &question)
                }
            };
        }
    }
}

/// Send a command under a fresh id. A refusal means that somebody else or the session itself was faster.
pub(super) async fn send(seat: &dyn Seat, command: Command) {
    if let Err(error) = seat.send(CommandId::from(Uuid::now_v7()), command).await {
        tracing::debug!(%error, "a command of the MCP client was not taken");
    }
}

/// The command by which the call does not run. An ask that offers no such thing leaves only the end of the turn.
fn decline(call: CallId, question: &ElicitationForm) -> Command {
    match question.refusal() {
        Some(option) => Command::Answer { call, option: option.to_owned(), edit: None },
        None => Command::Cancel { scope: CancelScope::Turn },
    }
}
