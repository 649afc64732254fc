//! Commands on their way to the session, one after another.

use crate::send::send_command;
use pollux_session::{Command, CommandReceipt, Seat, SendError};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;

/// How many commands may wait; a person does not type faster.
const MAX_WAITING: usize = 256;

/// What came of a command.
pub(super) struct SentCommand {
    pub(super) command: Command,
    pub(super) outcome: Result<CommandReceipt, SendError>,
}

/// Sends in order, beside the loop.
pub(super) struct Outbox {
    commands: mpsc::Sender<Command>,
    results: mpsc::Receiver<SentCommand>,
    /// Those without a receipt yet, oldest first.
    under_way: VecDeque<Command>,
}

impl Outbox {
    pub(super) fn new(seat: Arc<dyn Seat>) -> Outbox {
        let (commands, mut waiting) = mpsc::channel::<Command>(MAX_WAITING);
        let (answers, results) = mpsc::channel(MAX_WAITING);
        tokio::spawn(async move {
            while let Some(command) = waiting.recv().await {
                let outcome = send_command(seat.as_ref(), command.clone()).await;
                if answers.send(SentCommand { command, outcome }).await.is_err() {
                    return;
                }
            }
        });
        Outbox { commands, results, under_way: VecDeque::new() }
    }

    /// How many receipts are still to come.
    pub(super) fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// The commands whose receipts are still to come, oldest first.
    pub(super) fn unconfirmed(&self) -> impl Iterator<Item = &Command> {
        self.under_way.iter()
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// Send a command after those before it; `false` when too many wait already.
    pub(super) fn push(&mut self, command: Command) -> bool {
        let taken = self.commands.try_send(command.clone()).is_ok();
        if taken {
            self.under_way.push_back(command);
        }
        taken
    }

    /// What came of the next one. A call that is dropped loses nothing; without one under way it does not return.
    pub(super) async fn next(&mut self) -> SentCommand {
        match self.results.recv().await {
            Some(sent) => {
                self.under_way.pop_front();
                sent
            }
            None => std::future::pending().await,
        }
    }
}
