//! Everything the line mode waits for, in order of urgency.

use crate::lines::Lines;
use pollux_session::{Notice, Notices, ReadError, Seat, Seq};
use std::io;
use tokio::sync::mpsc;

/// What the line mode waits for.
pub(super) struct Inputs {
    lines: Option<Lines>,
    interrupts: Option<mpsc::Receiver<()>>,
    notices: Option<Box<dyn Notices>>,
}

/// Whether typed lines are taken now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listening {
    ToLines,
    ToOthers,
}

/// What came first.
pub(super) enum Happened {
    Interrupt,
    Line(String),
    NoMoreLines,
    Broken(io::Error),
    Entries,
    Notice(Notice),
}

impl Inputs {
    pub(super) fn new(lines: Lines, interrupts: mpsc::Receiver<()>, notices: Box<dyn Notices>) -> Inputs {
        Inputs { lines: Some(lines), interrupts: Some(interrupts), notices: Some(notices) }
    }

    /// Forget what is half typed.
    pub(super) fn forget_half_typed(&self) {
        if let Some(lines) = &self.lines {
            lines.forget_half_typed();
        }
    }

    /// Whether the person can still type something.
    pub(super) fn has_lines(&self) -> bool {
        self.lines.is_some()
    }

    /// The next thing that happens. The person comes first: a flood of entries cannot keep them from stopping it.
    pub(super) async fn next(
        &mut self,
        seat: &dyn Seat,
        cursor: Seq,
        listening: Listening,
    ) -> Result<Happened, ReadError> {
        loop {
            tokio::select! {
                biased;
                interrupt = interrupt(&mut self.interrupts) => match interrupt {
                    Some(()) => return Ok(Happened::Interrupt),
                    None => self.interrupts = None,
                },
                line = line(&mut self.lines), if listening == Listening::ToLines => {
                    return Ok(match line {
                        Some(Ok(line)) => Happened::Line(line),
                        Some(Err(error)) => Happened::Broken(error),
                        None => {
                            self.lines = None;
                            Happened::NoMoreLines
                        }
                    });
                }
                changed = seat.changed(cursor) => return changed.map(|_| Happened::Entries),
                notice = notice(&mut self.notices) => match notice {
                    Some(notice) => return Ok(Happened::Notice(notice)),
                    None => self.notices = None,
                },
            }
        }
    }
}

async fn interrupt(interrupts: &mut Option<mpsc::Receiver<()>>) -> Option<()> {
    match interrupts {
        Some(interrupts) => interrupts.recv().await,
        None => std::future::pending().await,
    }
}

async fn line(lines: &mut Option<Lines>) -> Option<io::Result<String>> {
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
