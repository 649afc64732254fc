//! Everything the line mode waits for, in order of urgency.

use super::quit_detector::QuitDetector;
use crate::line_input::{EchoSource, LineInput, TypedInput};
use pollux_session::{Notice, NoticeFeed, ReadError, Seat, Seq};
use std::collections::VecDeque;
use std::io;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The most typed input that waits until the session is there; more waits in the terminal.
const MAX_EARLY_INPUT: usize = 4096;

/// The sources that the line mode waits for.
pub(super) struct InputSources {
    lines: Option<LineInput>,
    /// Input that was typed before the session was there.
    early_input: VecDeque<io::Result<TypedInput>>,
    quit_detector: QuitDetector,
    interrupts: Option<mpsc::Receiver<()>>,
    notices: Option<Box<dyn NoticeFeed>>,
    console: Option<mpsc::Receiver<Notice>>,
}

/// The lines that are taken now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputScope {
    Everything,
    NotLines,
    /// To the person alone, until then.
    OnlyKeys {
        until: Instant,
    },
}

/// The first event that came.
pub(super) enum LineModeEvent {
    Interrupt,
    Line(String),
    Keys(Vec<u8>),
    /// The person has not typed for a while.
    TypingPaused,
    NoMoreLines,
    InputFailed(io::Error),
    Entries,
    Notice(Notice),
}

impl From<TypedInput> for LineModeEvent {
    fn from(typed: TypedInput) -> LineModeEvent {
        match typed {
            TypedInput::Line(line) => LineModeEvent::Line(line),
            TypedInput::Keys(bytes) => LineModeEvent::Keys(bytes),
        }
    }
}

impl InputSources {
    pub(super) fn new(
        lines: LineInput,
        interrupts: mpsc::Receiver<()>,
        notices: Box<dyn NoticeFeed>,
        console: Option<mpsc::Receiver<Notice>>,
    ) -> InputSources {
        let (early_input, quit_detector) = (VecDeque::new(), QuitDetector::default());
        InputSources {
            lines: Some(lines),
            early_input,
            quit_detector,
            interrupts: Some(interrupts),
            notices: Some(notices),
            console,
        }
    }

    /// Forget what is half typed.
    pub(super) fn forget_half_typed(&mut self) {
        self.early_input.retain(Result::is_err);
        self.quit_detector = QuitDetector::default();
        if let Some(lines) = &self.lines {
            lines.forget_half_typed();
        }
    }

    /// True if there is, or may be, anything from the person that was not taken yet.
    pub(super) fn has_lines(&self) -> bool {
        self.lines.is_some() || !self.early_input.is_empty()
    }

    /// The result of `work`; `None` when the person leaves before it is done. What else they type is kept for later.
    /// Input that is no person's waits.
    pub(super) async fn run_unless_quit<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(work);
        loop {
            let hears = self.lines.as_ref().is_some_and(|lines| lines.echo() == EchoSource::Terminal);
            let hears = hears && self.early_input.len() < MAX_EARLY_INPUT;
            tokio::select! {
                biased;
                interrupt = received(&mut self.interrupts) => match interrupt {
                    Some(()) => return None,
                    None => self.interrupts = None,
                },
                typed = line(&mut self.lines), if hears => match typed {
                    Some(Ok(typed)) if self.quit_detector.is_quit(&typed) => return None,
                    Some(Ok(typed)) => self.early_input.push_back(Ok(typed)),
                    Some(Err(error)) => {
                        self.early_input.push_back(Err(error));
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
        listening: InputScope,
    ) -> Result<LineModeEvent, ReadError> {
        let to_keys = matches!(listening, InputScope::OnlyKeys { .. });
        if let Some(typed) = self.early_input.pop_front() {
            return Ok(typed.map_or_else(LineModeEvent::InputFailed, LineModeEvent::from));
        }
        loop {
            tokio::select! {
                biased;
                interrupt = received(&mut self.interrupts) => match interrupt {
                    Some(()) => return Ok(LineModeEvent::Interrupt),
                    None => self.interrupts = None,
                },
                line = line(&mut self.lines), if listening != InputScope::NotLines => {
                    return Ok(match line {
                        Some(typed) => typed.map_or_else(LineModeEvent::InputFailed, LineModeEvent::from),
                        None => {
                            self.lines = None;
                            LineModeEvent::NoMoreLines
                        }
                    });
                }
                () = typing_pause(listening) => return Ok(LineModeEvent::TypingPaused),
                changed = seat.changed(cursor), if !to_keys => return changed.map(|_| LineModeEvent::Entries),
                notice = notice(&mut self.notices), if !to_keys => match notice {
                    Some(notice) => return Ok(LineModeEvent::Notice(notice)),
                    None => self.notices = None,
                },
                notice = received(&mut self.console), if !to_keys => match notice {
                    Some(notice) => return Ok(LineModeEvent::Notice(notice)),
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

async fn typing_pause(listening: InputScope) {
    match listening {
        InputScope::OnlyKeys { until } => tokio::time::sleep_until(until).await,
        InputScope::Everything | InputScope::NotLines => std::future::pending().await,
    }
}

async fn line(lines: &mut Option<LineInput>) -> Option<io::Result<TypedInput>> {
    match lines {
        Some(lines) => lines.next().await,
        None => std::future::pending().await,
    }
}

async fn notice(notices: &mut Option<Box<dyn NoticeFeed>>) -> Option<Notice> {
    match notices {
        Some(notices) => notices.next().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
