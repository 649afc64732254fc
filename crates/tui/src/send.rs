//! Commands on their way out, and what can go wrong for good.

use pollux_session::{Command, CommandId, CommandReceipt, PromptTarget, ReadError, Seat, SendError};
use std::io;
use thiserror::Error;
use uuid::Uuid;

/// Why a seat at the terminal could not go on.
#[derive(Debug, Error)]
pub enum TerminalError {
    /// The terminal took no more output.
    #[error("the output could not be written: {0}")]
    Output(#[source] io::Error),
    /// The input broke.
    #[error("the input could not be read: {0}")]
    Input(#[source] io::Error),
    /// The session's log could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The prompt was not accepted, so there is nothing to wait for.
    #[error(transparent)]
    Send(#[from] SendError),
}

/// Send a command under a fresh id.
pub(crate) async fn send_command(seat: &dyn Seat, command: Command) -> Result<CommandReceipt, SendError> {
    seat.send(CommandId::from(Uuid::now_v7()), command).await
}

/// A prompt to the session as a whole.
pub(crate) fn prompt_command(seat: &dyn Seat, text: String) -> Command {
    Command::prompt(PromptTarget::Existing { task: seat.session().main_task() }, text)
}
