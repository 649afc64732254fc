//! Where the reader puts what came, and where it is told what to do.

use super::TerminalInput;
use crate::screen::terminal;
use crate::screen::theme::Rgb;
use parking_lot::{Condvar, Mutex, MutexGuard};
use ratatui::layout::{Position, Size};
use std::collections::VecDeque;
use std::io;
use std::time::Duration;
use tokio::sync::Notify;

/// How many inputs wait here. More wait in the terminal.
const LIMIT: usize = 1024;
/// How long the reader is waited for. It answers at once, or it hangs in half a sequence of the terminal.
const READER_TIMEOUT: Duration = Duration::from_secs(5);

/// The terminal's size, and its cursor if it says where that is.
pub(super) type SizeAndCursor = (Size, Option<Position>);

/// Shared by the reader's thread and the keyboard.
#[derive(Debug, Default)]
pub(super) struct ReaderChannel {
    state: Mutex<ChannelState>,
    changed: Condvar,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct ChannelState {
    inputs: VecDeque<io::Result<TerminalInput>>,
    reading: ReaderState,
    measuring: MeasureState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReaderState {
    #[default]
    On,
    /// It is to pause.
    Pausing,
    Paused,
    /// There will be no more.
    Over,
}

/// Whether the terminal is to be asked for its size.
#[derive(Debug, Default)]
enum MeasureState {
    #[default]
    No,
    Asked,
    Done(io::Result<SizeAndCursor>),
}

/// What the reader does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReaderStep {
    Read,
    Measure,
    End,
}

impl ReaderChannel {
    /// For the reader: wait as long as it is to pause, then say what is to be done.
    pub(super) fn next_step(&self) -> ReaderStep {
        let mut on = self.lock();
        loop {
            match on.reading {
                ReaderState::On if matches!(on.measuring, MeasureState::Asked) => return ReaderStep::Measure,
                ReaderState::On => return ReaderStep::Read,
                ReaderState::Over => return ReaderStep::End,
                ReaderState::Pausing => {
                    on.reading = ReaderState::Paused;
                    self.changed.notify_all();
                }
                ReaderState::Paused => self.changed.wait(&mut on),
            }
        }
    }

    /// For the reader: here is one more. Waits while the channel is full, unless something else is wanted.
    pub(super) fn push_input(&self, input: io::Result<TerminalInput>) {
        let mut on = self.lock();
        while on.inputs.len() >= LIMIT && on.reading == ReaderState::On && !matches!(on.measuring, MeasureState::Asked)
        {
            self.changed.wait(&mut on);
        }
        on.inputs.push_back(input);
        self.arrived.notify_one();
    }

    /// For the reader: this is what the terminal said.
    pub(super) fn finish_measure(&self, measure: io::Result<SizeAndCursor>) {
        self.lock().measuring = MeasureState::Done(measure);
        self.changed.notify_all();
    }

    /// The oldest input.
    pub(super) fn take(&self) -> Option<io::Result<TerminalInput>> {
        let input = self.lock().inputs.pop_front();
        self.changed.notify_all();
        input
    }

    /// What the terminal has said its background is, out of its turn.
    pub(super) fn take_background(&self) -> Option<Rgb> {
        let mut on = self.lock();
        let said = on.inputs.iter().enumerate().find_map(|(at, input)| match input {
            Ok(TerminalInput::Background(background)) => Some((at, *background)),
            Ok(_) | Err(_) => None,
        });
        let (at, background) = said?;
        on.inputs.remove(at);
        Some(background)
    }

    /// Wait until there may be one.
    pub(super) async fn wait_for_input(&self) {
        self.arrived.notified().await;
    }

    /// Whether there will be no more. What was put here between the last look and the end is still to be taken.
    pub(super) fn is_over(&self) -> bool {
        let on = self.lock();
        on.reading == ReaderState::Over && on.inputs.is_empty()
    }

    /// There will be no more, or nobody wants them.
    pub(super) fn close(&self) {
        self.lock().reading = ReaderState::Over;
        self.changed.notify_all();
        self.arrived.notify_one();
    }

    pub(super) fn ask_size(&self) {
        self.lock().measuring = MeasureState::Asked;
        self.changed.notify_all();
    }

    pub(super) fn await_size(&self) -> io::Result<SizeAndCursor> {
        let waits =
            |on: &mut ChannelState| matches!(on.measuring, MeasureState::Asked) && on.reading != ReaderState::Over;
        let mut on = self.lock();
        self.changed.wait_while_for(&mut on, waits, READER_TIMEOUT);
        match std::mem::take(&mut on.measuring) {
            MeasureState::Done(measure) => measure,
            // The reader is stuck or gone; the size can be had without it.
            MeasureState::No | MeasureState::Asked => Ok((terminal::size()?, None)),
        }
    }

    pub(super) fn ask_pause(&self) {
        let mut on = self.lock();
        if on.reading == ReaderState::On {
            on.reading = ReaderState::Pausing;
            self.changed.notify_all();
        }
    }

    pub(super) fn await_pause(&self) -> io::Result<()> {
        let waits = |on: &mut ChannelState| on.reading == ReaderState::Pausing;
        let mut on = self.lock();
        self.changed.wait_while_for(&mut on, waits, READER_TIMEOUT);
        if on.reading == ReaderState::Pausing {
            let message = "the keyboard is still being read; press a key and try again";
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        Ok(())
    }

    pub(super) fn end_pause(&self) {
        let mut on = self.lock();
        if matches!(on.reading, ReaderState::Pausing | ReaderState::Paused) {
            on.reading = ReaderState::On;
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ChannelState> {
        self.state.lock()
    }
}
