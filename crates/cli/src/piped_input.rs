//! Standard input that is no terminal, as a prompt or as what a prompt is about. Half of it is none: too much is
//! refused, never cut.

use crate::settings::UsageError;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// The most that is read from a pipe.
const LIMIT: usize = 8 * 1024 * 1024;

/// The wait for the first byte when there is a prompt without it. Whoever starts programs often leaves an idle pipe
/// behind, and that must not hold up a prompt for ever.
const FIRST_BYTE: Duration = Duration::from_millis(500);

/// A prompt, and how much of it was piped in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PipedPrompt {
    pub(crate) text: String,
    /// So many bytes at the beginning are no words of the person, but what a program printed.
    pub(crate) piped_len: usize,
}

impl PipedPrompt {
    /// With `!CMD` as the agent's `/shell CMD`, which asks as it does everywhere: what is in an argument may be a script's words.
    pub(crate) fn with_shell_mark(self) -> anyhow::Result<PipedPrompt> {
        match self.text.strip_prefix('!').map(str::trim).filter(|_| self.piped_len == 0) {
            None => Ok(self),
            Some("") => {
                Err(UsageError("put a command after the !, or a space before it to send it as text".into()).into())
            }
            Some(command) => Ok(PipedPrompt { text: format!("/shell {command}"), piped_len: 0 }),
        }
    }
}

/// All of `input`, however long that takes to come.
pub(crate) fn read_all(input: impl Read) -> anyhow::Result<PipedPrompt> {
    let mut bytes = Vec::new();
    input.take(LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    let text = text(bytes)?;
    Ok(PipedPrompt { piped_len: text.len(), text })
}

/// All of `input` if any of it comes soon, else nothing: `prompt` is there anyway.
pub(crate) fn read_beside_prompt(prompt: &str, input: impl Read + Send + 'static) -> anyhow::Result<PipedPrompt> {
    let (sender, receiver) = sync_channel(1);
    // A thread that waits for a pipe cannot be stopped, only left behind.
    std::thread::Builder::new().name("piped".into()).spawn(move || pump(input, &sender))?;
    let before = text(collect(&receiver)?)?;
    Ok(match before.trim() {
        "" => PipedPrompt { text: prompt.to_owned(), piped_len: 0 },
        _ => {
            let piped = format!("{}\n\n", before.trim_end_matches(['\n', '\r']));
            PipedPrompt { piped_len: piped.len(), text: piped + prompt }
        }
    })
}

fn collect(receiver: &Receiver<io::Result<Vec<u8>>>) -> anyhow::Result<Vec<u8>> {
    let mut bytes = match receiver.recv_timeout(FIRST_BYTE) {
        Ok(first) => first.map_err(|error| unreadable(&error))?,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
    };
    while bytes.len() <= LIMIT
        && let Ok(more) = receiver.recv()
    {
        bytes.extend(more.map_err(|error| unreadable(&error))?);
    }
    Ok(bytes)
}

fn pump(mut input: impl Read, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let read = match input.read(&mut chunk) {
            Ok(0) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map(|count| chunk[..count].to_vec()),
        };
        let broken = read.is_err();
        if sender.send(read).is_err() || broken {
            return;
        }
    }
}

fn text(bytes: Vec<u8>) -> anyhow::Result<String> {
    if bytes.len() > LIMIT {
        let way_out = "put it into a file and name that in the prompt, like @big.log";
        return Err(UsageError(format!("standard input is longer than {} MB; {way_out}", LIMIT / 1024 / 1024)).into());
    }
    let not_text = "standard input is not valid UTF-8 text; put it into a file and name that in the prompt";
    Ok(String::from_utf8(bytes).map_err(|_| UsageError(not_text.into()))?)
}

fn unreadable(error: &io::Error) -> UsageError {
    UsageError(format!("standard input cannot be read: {error}; use -p TEXT with </dev/null"))
}

#[cfg(test)]
mod tests;
