//! The reader's loop: wait, read everything that is there, sort it, put it on the desk.

use super::Input;
use super::answer::is_answering;
use super::desk::{Desk, Measure, Next};
use super::sort::{is_burst, sort};
use crossterm::event::Event;
use std::io;
use std::time::Duration;

/// How long the next event may take to belong to those before it.
const TOGETHER: Duration = Duration::from_millis(1);
/// The same in the middle of a burst or of the terminal's answer: both may come in pieces.
const TOGETHER_IN_BURST: Duration = Duration::from_millis(20);
/// The most events that are taken together.
const EVENTS_LIMIT: usize = 64 * 1024;

/// Where events come from.
pub(super) trait Source: Send + 'static {
    /// Wait until there may be an event, or something to do.
    fn wait(&mut self) -> io::Result<Waited>;

    /// The next event, if it comes soon enough.
    fn next(&mut self, patience: Duration) -> io::Result<Option<Event>>;

    /// Ask the terminal.
    fn measure(&mut self) -> io::Result<Measure>;
}

/// What the waiting ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    Woken,
    /// The terminal is gone.
    Gone,
}

/// Read until the terminal is gone, fails, or nobody listens.
pub(super) fn read(mut source: impl Source, desk: &Desk) {
    loop {
        match desk.next() {
            Next::End => return,
            Next::Measure => {
                let measure = source.measure();
                // What the terminal said before is there as soon as this is: whoever waits for the one has the other.
                if let Err(error) = gather(&mut source, desk) {
                    desk.put(Err(error));
                    break;
                }
                desk.measured(measure);
            }
            Next::Read => match round(&mut source, desk) {
                Ok(Waited::Woken) => {}
                Ok(Waited::Gone) => {
                    desk.put(Ok(Input::Closed));
                    break;
                }
                Err(error) => {
                    desk.put(Err(error));
                    break;
                }
            },
        }
    }
    desk.close();
}

fn round(source: &mut impl Source, desk: &Desk) -> io::Result<Waited> {
    gather(source, desk)?;
    source.wait()
}

/// Put everything that is there on the desk.
fn gather(source: &mut impl Source, desk: &Desk) -> io::Result<()> {
    for input in sort(&collect(source)?) {
        desk.put(Ok(input));
    }
    Ok(())
}

fn collect(source: &mut impl Source) -> io::Result<Vec<Event>> {
    let mut events = Vec::new();
    while events.len() < EVENTS_LIMIT {
        let is_unfinished = is_burst(&events) || is_answering(&events);
        let patience = if is_unfinished { TOGETHER_IN_BURST } else { TOGETHER };
        match source.next(patience)? {
            Some(event) => events.push(event),
            None => break,
        }
    }
    Ok(events)
}
