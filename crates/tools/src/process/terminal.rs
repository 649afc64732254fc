//! A command in a terminal of its own: programs draw and colour as they do for people, and nobody is there to type.

use crate::output::TERMINAL;
use futures_util::FutureExt;
use pty_process::{Pty, Size};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use tokio::io::AsyncReadExt;

/// Our end of a terminal that a command runs in.
pub(crate) struct CommandTerminal(Pty);

impl CommandTerminal {
    /// A new terminal: our end, and the one that is to become the controlling terminal of a command.
    pub(super) fn open() -> io::Result<(CommandTerminal, OwnedFd)> {
        let (ours, theirs) = pty_process::open().map_err(io::Error::other)?;
        let (rows, columns) = TERMINAL;
        ours.resize(Size::new(rows, columns)).map_err(io::Error::other)?;
        let mut modes = tcgetattr(&theirs)?;
        modes.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
        // What was printed is what is kept, byte for byte: the screen knows by itself that a line feed begins a line.
        modes.output_modes.remove(OutputModes::ONLCR);
        // Reading returns at once, with nothing: who asks a question here sees the end of input instead of waiting for ever.
        modes.special_codes[SpecialCodeIndex::VMIN] = 0;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&theirs, OptionalActions::Now, &modes)?;
        Ok((CommandTerminal(ours), theirs.as_fd().try_clone_to_owned()?))
    }

    /// The next bytes; none when everybody has closed it.
    pub(super) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut len = match self.0.read(buffer).await {
            // How Linux says that nobody has the other end open any more.
            Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => 0,
            read => read?,
        };
        // The kernel hands out little at a time: take what else is there. An end or an error comes again.
        while len > 0 && len < buffer.len() {
            match self.0.read(&mut buffer[len..]).now_or_never() {
                Some(Ok(more @ 1..)) => len += more,
                Some(Ok(_) | Err(_)) | None => break,
            }
        }
        Ok(len)
    }
}
