//! Everything the line mode waits for, in order of urgency.

use super::doorstep::Doorstep;
use crate::lines::{Echo, Lines, Typed};
use pollux_session::{Notice, Notices, ReadError, Seat, Seq};
use std::collections::VecDeque;
use std::io;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How much of what a person types waits until the session is there; what is typed beyond that waits in the terminal.
const EARLY: usize = 4096;

/// What the line mode waits for.
pub(super) struct Inputs {
    lines: Option<Lines>,
    /// What was typed before the session was there.
    early: VecDeque<io::Result<Typed>>,
    doorstep: Doorstep,
    interrupts: Option<mpsc::Receiver<()>>,
    notices: Option<Box<dyn Notices>>,
    console: Option<mpsc::Receiver<Notice>>,
}

/// Whether typed lines are taken now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listening {
    ToLines,
    ToOthers,
    /// To the person alone, until then.
    OnlyKeys {
        until: Instant,
    },
}

/// What came first.
pub(super) enum Happened {
    Interrupt,
    Line(String),
    Keys(Vec<u8>),
    /// The person has not typed for a while.
    LongSilent,
    NoMoreLines,
    Broken(io::Error),
    Entries,
    Notice(Notice),
}

impl From<Typed> for Happened {
    fn from(typed: Typed) -> Happened {
        match typed {
            Typed::Line(line) => Happened::Line(line),
            Typed::Keys(bytes) => Happened::Keys(bytes),
        }
    }
}

impl Inputs {
    pub(super) fn new(
        lines: Lines,
        interrupts: mpsc::Receiver<()>,
        notices: Box<dyn Notices>,
        console: Option<mpsc::Receiver<Notice>>,
    ) -> Inputs {
        let (early, doorstep) = (VecDeque::new(), Doorstep::default());
        Inputs { lines: Some(lines), early, doorstep, interrupts: Some(interrupts), notices: Some(notices), console }
    }

    /// Forget what is half typed.
    pub(super) fn forget_half_typed(&mut self) {
        self.early.retain(Result::is_err);
        self.doorstep = Doorstep::default();
        if let Some(lines) = &self.lines {
            lines.forget_half_typed();
        }
    }

    /// Whether there is, or may be, anything from the person that was not taken yet.
    pub(super) fn has_lines(&self) -> bool {
        self.lines.is_some() || !self.early.is_empty()
    }

    /// What comes of `work`; `None` when the person leaves before it is done. What else they type is kept for later.
    /// Input that is no person's waits.
    pub(super) async fn unless_left<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(work);
        loop {
            let hears = self.lines.as_ref().is_some_and(|lines| lines.echo() == Echo::Terminal);
            let hears = hears && self.early.len() < EARLY;
            tokio::select! {
                biased;
                interrupt = received(&mut self.interrupts) => match interrupt {
                    Some(()) => return None,
                    None => self.interrupts = None,
                },
                typed = line(&mut self.lines), if hears => match typed {
                    Some(Ok(typed)) if self.doorstep.is_left_by(&typed) => return None,
                    Some(Ok(typed)) => self.early.push_back(Ok(typed)),
                    Some(Err(error)) => {
                        self.early.push_back(Err(error));
                        self.lines = None;
                    }
                    None => return None,
                },
                done = &mut work => return Some(done),
            }
        }
    }

    /// The next thing that happens. The person comes first: a flood of entries cannot keep them from stopping it.
    pub(super) async fn next(
        &mut self,
        seat: &dyn Seat,
        cursor: Seq,
        listening: Listening,
    ) -> Result<Happened, ReadError> {
        let to_keys = matches!(listening, Listening::OnlyKeys { .. });
        if let Some(typed) = self.early.pop_front() {
            return Ok(typed.map_or_else(Happened::Broken, Happened::from));
        }
        loop {
            tokio::select! {
                biased;
                interrupt = received(&mut self.interrupts) => match interrupt {
                    Some(()) => return Ok(Happened::Interrupt),
                    None => self.interrupts = None,
                },
                line = line(&mut self.lines), if listening != Listening::ToOthers => {
                    return Ok(match line {
                        Some(typed) => typed.map_or_else(Happened::Broken, Happened::from),
                        None => {
                            self.lines = None;
                            Happened::NoMoreLines
                        }
                    });
                }
                () = silence(listening) => return Ok(Happened::LongSilent),
                changed = seat.changed(cursor), if !to_keys => return changed.map(|_| Happened::Entries),
                notice = notice(&mut self.notices), if !to_keys => match notice {
                    Some(notice) => return Ok(Happened::Notice(notice)),
                    None => self.notices = None,
                },
                notice = received(&mut self.console), if !to_keys => match notice {
                    Some(notice) => return Ok(Happened::Notice(notice)),
                    None => self.console = None,
                },
            }
        }
    }
}

async fn received<T>(receiver: &mut Option<mpsc::Receiver<T>>) -> Option<T> {
    match receiver {
        Some(receiver) => receiver.recv().await,
        None => std::future::pending().await,
    }
}

async fn silence(listening: Listening) {
    match listening {
        Listening::OnlyKeys { until } => tokio::time::sleep_until(until).await,
        Listening::ToLines | Listening::ToOthers => std::future::pending().await,
    }
}

async fn line(lines: &mut Option<Lines>) -> Option<io::Result<Typed>> {
    match lines {
        Some(lines) => lines.next().await,
        None => std::future::pending().await,
    }
}

async fn notice(notices: &mut Option<Box<dyn Notices>>) -> Option<Notice> {
    match notices {
        Some(notices) => notices.next().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
