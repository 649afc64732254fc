//! Events of the terminal at standard input.

use super::reader::{TerminalEventSource, WaitResult};
use super::reader_channel::SizeAndCursor;
use crate::screen::terminal;
use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io::{self, PipeReader, Read};
use std::time::Duration;

/// How often the size is looked at again when it changed while the terminal was asked for its cursor.
const MAX_MEASURES: usize = 4;

/// The terminal, and the pipe that wakes whoever waits for it.
pub(super) struct Tty {
    woken: PipeReader,
}

impl Tty {
    pub(super) fn new(woken: PipeReader) -> Tty {
        Tty { woken }
    }
}

impl TerminalEventSource for Tty {
    /// Waits here and not in crossterm: that cannot be woken, and does not see that a terminal is gone.
    fn wait(&mut self) -> io::Result<WaitResult> {
        let stdin = io::stdin();
        let mut both = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        match poll(&mut both, None) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(WaitResult::Woken),
            Err(error) => return Err(error.into()),
        }
        let [terminal, wake] = both.map(|end| end.revents());
        if terminal.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Ok(WaitResult::Gone);
        }
        if wake.contains(PollFlags::IN) {
            let _ = self.woken.read(&mut [0; 64])?;
        }
        Ok(WaitResult::Woken)
    }

    fn next(&mut self, patience: Duration) -> io::Result<Option<Event>> {
        if crossterm::event::poll(patience)? { crossterm::event::read().map(Some) } else { Ok(None) }
    }

    fn measure(&mut self) -> io::Result<SizeAndCursor> {
        let mut size = terminal::size()?;
        let mut cursor = None;
        for _ in 0..MAX_MEASURES {
            cursor = terminal::cursor();
            let now = terminal::size()?;
            if std::mem::replace(&mut size, now) == now {
                break;
            }
        }
        Ok((size, cursor))
    }
}
