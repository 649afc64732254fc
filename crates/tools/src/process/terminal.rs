//! A command in a terminal of its own: programs draw and colour as they do for people, and nobody is there to type.

use super::{Group, Printed, Running, environment};
use crate::output::TERMINAL;
use crate::process_environment::ProcessEnvironment;
use futures_util::FutureExt;
use pty_process::{Command, Pts, Pty, Size};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::io;
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncReadExt;

/// The shell is started by another one that lets hang-ups pass: the kernel hangs up on everybody when the shell ends,
/// and it is the call that ends what is left then, not chance. The command stays an argument, so its errors read as ever.
const START: &str = r#"trap '' HUP; exec "$0" -c -- "$1""#;

/// Our end of a terminal that a command runs in.
pub(crate) struct Terminal(Pty);

/// A terminal that nothing runs in yet.
pub(super) struct OpenTerminal {
    ours: Pty,
    theirs: Pts,
}

impl Terminal {
    pub(super) fn open() -> io::Result<OpenTerminal> {
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
        Ok(OpenTerminal { ours, theirs })
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

impl OpenTerminal {
    /// Start `command` in it, in a session of its own.
    #[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
    pub(super) fn start(self, shell: &str, command: &str, directory: &Path, passed: &[String]) -> io::Result<Running> {
        let child = Command::new("/bin/sh")
            .args(["-c", START, shell, command])
            .current_dir(directory)
            .env_clear()
            .envs(environment::build_for_terminal(ProcessEnvironment::original().variables(), passed))
            .stdin(Stdio::null())
            .spawn(self.theirs)
            .map_err(|error| match error {
                pty_process::Error::Io(error) => error,
                other => io::Error::other(other),
            })?;
        Ok(Running { output: Printed::Terminal(Terminal(self.ours)), group: Group::of(child)? })
    }
}
