//! Commands on their way to the session, one after another.

use crate::send::send;
use pollux_session::{Command, Receipt, Seat, SendError};
use std::sync::Arc;
use tokio::sync::mpsc;

/// How many commands may wait; a person does not type faster.
const WAITING: usize = 256;

/// What came of a command.
pub(super) struct Sent {
    pub(super) command: Command,
    pub(super) outcome: Result<Receipt, SendError>,
}

/// Sends in order, beside the loop.
pub(super) struct Outbox {
    commands: mpsc::Sender<Command>,
    results: mpsc::Receiver<Sent>,
    under_way: usize,
}

impl Outbox {
    pub(super) fn new(seat: Arc<dyn Seat>) -> Outbox {
        let (commands, mut waiting) = mpsc::channel::<Command>(WAITING);
        let (answers, results) = mpsc::channel(WAITING);
        tokio::spawn(async move {
            while let Some(command) = waiting.recv().await {
                let outcome = send(seat.as_ref(), command.clone()).await;
                if answers.send(Sent { command, outcome }).await.is_err() {
                    return;
                }
            }
        });
        Outbox { commands, results, under_way: 0 }
    }

    /// How many receipts are still to come.
    pub(super) fn under_way(&self) -> usize {
        self.under_way
    }

    /// Whether one is.
    pub(super) fn is_busy(&self) -> bool {
        self.under_way > 0
    }

    /// Send a command after those before it; `false` when too many wait already.
    pub(super) fn push(&mut self, command: Command) -> bool {
        let taken = self.commands.try_send(command).is_ok();
        self.under_way += usize::from(taken);
        taken
    }

    /// What came of the next one. A call that is dropped loses nothing; without one under way it does not return.
    pub(super) async fn next(&mut self) -> Sent {
        match self.results.recv().await {
            Some(sent) => {
                self.under_way = self.under_way.saturating_sub(1);
                sent
            }
            None => std::future::pending().await,
        }
    }
}
