//! Commands on their way out, and what can go wrong for good.

use pollux_session::{Command, CommandId, CommandReceipt, PromptTarget, ReadError, Seat, SendError};
use std::io;
use thiserror::Error;
use uuid::Uuid;

/// The most answers of one message that also has a prompt.
const MAX_DECLINED: usize = 63;

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

/// A no to what is asked, together with what to do instead: nothing can come between them. Other prompts that the no holds
/// follow this one.
pub(crate) fn instead_command(seat: &dyn Seat, mut declined: Vec<Command>, text: String) -> Command {
    // Words for the model, also where they begin as a command does.
    let text = if text.starts_with('/') { format!(" {text}") } else { text };
    declined.truncate(MAX_DECLINED);
    declined.push(prompt_command(seat, text));
    Command::Message { parts: declined, releases: false }
}

/// The prompt that a command brings, alone or with answers.
pub(crate) fn prompt_text(command: &Command) -> Option<&str> {
    match command {
        Command::Prompt { text, .. } => Some(text),
        Command::Message { parts, .. } => parts.iter().find_map(prompt_text),
        _ => None,
    }
}
