//! What comes from the person's terminal: keys, pasted text, its size, whether it is in front.
//!
//! A thread of its own reads, because a thread that waits for a person cannot be stopped, and one of the runtime's would
//! hold up the end of the program.

mod background_report;
mod event_conversion;
mod reader;
mod reader_channel;
mod tty;

use super::terminal;
use super::theme::Rgb;
use crossterm::event::KeyEvent;
use ratatui::layout::{Position, Size};
use reader::TerminalEventSource;
use reader_channel::{ReaderChannel, SizeAndCursor};
use std::io::{self, PipeWriter, Write};
use std::sync::Arc;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tty::Tty;

/// Something that came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TerminalInput {
    /// A key was pressed, or is held down.
    Key(KeyEvent),
    /// Text was pasted, whole, with `\n` between its lines.
    Paste(String),
    /// The terminal has another size, or moved its rows; where its cursor is now, if it says so.
    Resized {
        /// Columns and rows.
        size: Size,
        /// From the top left.
        cursor: Option<Position>,
    },
    /// Whether the person looks at the terminal.
    Focus(TerminalFocus),
    /// The terminal says what its background is.
    Background(Rgb),
    /// Somebody wants the program stopped (SIGTSTP). To be answered as Ctrl+Z is.
    Stop,
    /// The terminal is gone.
    Closed,
}

/// Whether the terminal is in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TerminalFocus {
    /// It is now.
    Gained,
    /// It no longer is.
    Lost,
}

/// The terminal at standard input, in raw mode.
#[derive(Debug)]
pub(crate) struct Keyboard {
    channel: Arc<ReaderChannel>,
    /// A byte in here ends the reader's waiting.
    wake: PipeWriter,
    resizes: Signal,
    stops: Signal,
}

impl Keyboard {
    /// Begin to read. To be called inside the runtime, after the terminal was taken and before its size is looked at, so
    /// that no change is missed.
    pub(crate) fn start() -> io::Result<Keyboard> {
        let (woken, wake) = io::pipe()?;
        Keyboard::start_reader(Tty::new(woken), wake)
    }

    fn start_reader(source: impl TerminalEventSource, wake: PipeWriter) -> io::Result<Keyboard> {
        let desk = Arc::new(ReaderChannel::default());
        let resizes = signal(SignalKind::window_change())?;
        let stops = signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?;
        let keyboard = Keyboard { channel: desk.clone(), wake, resizes, stops };
        std::thread::Builder::new().name("keyboard".into()).spawn(move || reader::run_reader(source, &desk))?;
        Ok(keyboard)
    }

    /// The next input; `None` when there will be no more. A call that is dropped loses nothing.
    pub(crate) async fn next(&mut self) -> Option<io::Result<TerminalInput>> {
        loop {
            if let Some(input) = self.channel.take() {
                return Some(input);
            }
            if self.channel.is_over() {
                return None;
            }
            tokio::select! {
                () = self.channel.wait_for_input() => {}
                Some(()) = self.stops.recv() => return Some(Ok(TerminalInput::Stop)),
                Some(()) = self.resizes.recv() => return Some(self.measure()),
            }
        }
    }

    /// An input that is here already, without waiting: whoever takes all of them before drawing keeps up with any typing.
    pub(crate) fn ready(&mut self) -> Option<io::Result<TerminalInput>> {
        self.channel.take()
    }

    /// Where the cursor is, if the terminal says so.
    pub(crate) fn ask_cursor(&mut self) -> io::Result<Option<Position>> {
        let (_, cursor) = self.await_measure()?;
        Ok(cursor)
    }

    /// Where the cursor is, and what the terminal says its background is. Both are asked for at once, and terminals answer
    /// in order: one that has told its cursor has told its background too, or does not know that question. So nobody
    /// waits longer than for the cursor. An answer that comes later all the same is an input.
    pub(crate) fn ask_background(&mut self) -> io::Result<(Option<Position>, Option<Rgb>)> {
        terminal::ask_background()?;
        self.await_background()
    }

    fn await_background(&mut self) -> io::Result<(Option<Position>, Option<Rgb>)> {
        let cursor = self.ask_cursor()?;
        Ok((cursor, self.channel.take_background()))
    }

    /// Have the reader ask the terminal. Nothing else may happen meanwhile, least of all drawing, or the cursor would be
    /// somewhere else by the time this is known; so this waits for the answer and does not give way.
    fn measure(&mut self) -> io::Result<TerminalInput> {
        let (size, cursor) = self.await_measure()?;
        Ok(TerminalInput::Resized { size, cursor })
    }

    fn await_measure(&mut self) -> io::Result<SizeAndCursor> {
        self.channel.ask_size();
        self.wake()?;
        self.channel.await_size()
    }

    /// Stop reading, for another program to read. Returns when the reader has let go of the terminal.
    pub(crate) fn pause(&mut self) -> io::Result<()> {
        self.channel.ask_pause();
        self.wake()?;
        self.channel.await_pause()
    }

    /// Read again.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        self.channel.end_pause();
        self.wake()
    }

    fn wake(&mut self) -> io::Result<()> {
        self.wake.write_all(b"!")
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.channel.close();
        // A reader that is gone already needs no waking.
        let _ = self.wake();
    }
}

#[cfg(test)]
mod tests;
