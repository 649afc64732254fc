//! The reader's loop: wait, read everything that is there, sort it, hand it to the channel.

use super::TerminalInput;
use super::background_report::may_be_report;
use super::event_conversion::{inputs_from_events, is_burst};
use super::reader_channel::{ReaderChannel, ReaderStep, SizeAndCursor};
use crossterm::event::Event;
use std::io;
use std::time::Duration;

/// How long the next event may take to belong to those before it.
const EVENT_GAP: Duration = Duration::from_millis(1);
/// The same in the middle of a burst or of the terminal's answer: both may come in pieces.
const BURST_GAP: Duration = Duration::from_millis(20);
/// The most events that are taken together.
const EVENTS_LIMIT: usize = 64 * 1024;

/// Where events come from.
pub(super) trait TerminalEventSource: Send + 'static {
    /// Wait until there may be an event, or something to do.
    fn wait(&mut self) -> io::Result<WaitResult>;

    /// The next event, if it comes soon enough.
    fn next(&mut self, patience: Duration) -> io::Result<Option<Event>>;

    /// Ask the terminal.
    fn measure(&mut self) -> io::Result<SizeAndCursor>;
}

/// What the waiting ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitResult {
    Woken,
    /// The terminal is gone.
    Gone,
}

/// Read until the terminal is gone, fails, or nobody listens.
pub(super) fn run_reader(mut source: impl TerminalEventSource, desk: &ReaderChannel) {
    loop {
        match desk.next_step() {
            ReaderStep::End => return,
            ReaderStep::Measure => {
                let measure = source.measure();
                // What the terminal said before is there as soon as this is: whoever waits for the one has the other.
                if let Err(error) = gather(&mut source, desk) {
                    desk.push_input(Err(error));
                    break;
                }
                desk.finish_measure(measure);
            }
            ReaderStep::Read => match read_once(&mut source, desk) {
                Ok(WaitResult::Woken) => {}
                Ok(WaitResult::Gone) => {
                    desk.push_input(Ok(TerminalInput::Closed));
                    break;
                }
                Err(error) => {
                    desk.push_input(Err(error));
                    break;
                }
            },
        }
    }
    desk.close();
}

fn read_once(source: &mut impl TerminalEventSource, desk: &ReaderChannel) -> io::Result<WaitResult> {
    gather(source, desk)?;
    source.wait()
}

/// Hand everything that is there to the channel.
fn gather(source: &mut impl TerminalEventSource, desk: &ReaderChannel) -> io::Result<()> {
    for input in inputs_from_events(&collect(source)?) {
        desk.push_input(Ok(input));
    }
    Ok(())
}

fn collect(source: &mut impl TerminalEventSource) -> io::Result<Vec<Event>> {
    let mut events = Vec::new();
    while events.len() < EVENTS_LIMIT {
        let is_unfinished = is_burst(&events) || may_be_report(&events);
        let patience = if is_unfinished { BURST_GAP } else { EVENT_GAP };
        match source.next(patience)? {
            Some(event) => events.push(event),
            None => break,
        }
    }
    Ok(events)
}
