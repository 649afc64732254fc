//! Where the reader puts what came, and where it is told what to do.

use super::Input;
use crate::screen::terminal;
use crate::screen::theme::Rgb;
use ratatui::layout::{Position, Size};
use std::collections::VecDeque;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How many inputs wait here. More wait in the terminal.
const LIMIT: usize = 1024;
/// How long the reader is waited for. It answers at once, or it hangs in half a sequence of the terminal.
const PATIENCE: Duration = Duration::from_secs(5);

/// The terminal's size, and its cursor if it says where that is.
pub(super) type Measure = (Size, Option<Position>);

/// Shared by the reader's thread and the keyboard.
#[derive(Debug, Default)]
pub(super) struct Desk {
    on: Mutex<OnDesk>,
    changed: Condvar,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct OnDesk {
    inputs: VecDeque<io::Result<Input>>,
    reading: Reading,
    measuring: Measuring,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reading {
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
enum Measuring {
    #[default]
    No,
    Asked,
    Done(io::Result<Measure>),
}

/// What the reader does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Read,
    Measure,
    End,
}

impl Desk {
    /// For the reader: wait as long as it is to pause, then say what is to be done.
    pub(super) fn next(&self) -> Next {
        let mut on = self.lock();
        loop {
            match on.reading {
                Reading::On if matches!(on.measuring, Measuring::Asked) => return Next::Measure,
                Reading::On => return Next::Read,
                Reading::Over => return Next::End,
                Reading::Pausing => {
                    on.reading = Reading::Paused;
                    self.changed.notify_all();
                }
                Reading::Paused => on = self.changed.wait(on).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// For the reader: here is one more. Waits while the desk is full, unless something else is wanted.
    pub(super) fn put(&self, input: io::Result<Input>) {
        let mut on = self.lock();
        while on.inputs.len() >= LIMIT && on.reading == Reading::On && !matches!(on.measuring, Measuring::Asked) {
            on = self.changed.wait(on).unwrap_or_else(PoisonError::into_inner);
        }
        on.inputs.push_back(input);
        self.arrived.notify_one();
    }

    /// For the reader: this is what the terminal said.
    pub(super) fn measured(&self, measure: io::Result<Measure>) {
        self.lock().measuring = Measuring::Done(measure);
        self.changed.notify_all();
    }

    /// The oldest input.
    pub(super) fn take(&self) -> Option<io::Result<Input>> {
        let input = self.lock().inputs.pop_front();
        self.changed.notify_all();
        input
    }

    /// What the terminal has said its background is, out of its turn.
    pub(super) fn take_background(&self) -> Option<Rgb> {
        let mut on = self.lock();
        let said = on.inputs.iter().enumerate().find_map(|(at, input)| match input {
            Ok(Input::Background(background)) => Some((at, *background)),
            Ok(_) | Err(_) => None,
        });
        let (at, background) = said?;
        on.inputs.remove(at);
        Some(background)
    }

    /// Wait until there may be one.
    pub(super) async fn arrival(&self) {
        self.arrived.notified().await;
    }

    /// Whether there will be no more. What was put here between the last look and the end is still to be taken.
    pub(super) fn is_over(&self) -> bool {
        let on = self.lock();
        on.reading == Reading::Over && on.inputs.is_empty()
    }

    /// There will be no more, or nobody wants them.
    pub(super) fn close(&self) {
        self.lock().reading = Reading::Over;
        self.changed.notify_all();
        self.arrived.notify_one();
    }

    pub(super) fn ask_size(&self) {
        self.lock().measuring = Measuring::Asked;
        self.changed.notify_all();
    }

    pub(super) fn await_size(&self) -> io::Result<Measure> {
        let waits = |on: &mut OnDesk| matches!(on.measuring, Measuring::Asked) && on.reading != Reading::Over;
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, waits);
        let (mut on, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match std::mem::take(&mut on.measuring) {
            Measuring::Done(measure) => measure,
            // The reader is stuck or gone; the size can be had without it.
            Measuring::No | Measuring::Asked => Ok((terminal::size()?, None)),
        }
    }

    pub(super) fn ask_pause(&self) {
        let mut on = self.lock();
        if on.reading == Reading::On {
            on.reading = Reading::Pausing;
            self.changed.notify_all();
        }
    }

    pub(super) fn await_pause(&self) -> io::Result<()> {
        let waits = |on: &mut OnDesk| on.reading == Reading::Pausing;
        let waited = self.changed.wait_timeout_while(self.lock(), PATIENCE, waits);
        let (on, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if on.reading == Reading::Pausing {
            let message = "the keyboard is still being read; press a key and try again";
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        Ok(())
    }

    pub(super) fn end_pause(&self) {
        let mut on = self.lock();
        if matches!(on.reading, Reading::Pausing | Reading::Paused) {
            on.reading = Reading::On;
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, OnDesk> {
        self.on.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
