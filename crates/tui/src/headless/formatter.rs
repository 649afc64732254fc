//! Whoever tells the turn: the same entries as text, as one JSON object or as a stream of them.

use super::json_formatter::JsonFormatter;
use super::stream_json_formatter::StreamJsonFormatter;
use super::text_formatter::TextFormatter;
use super::{HeadlessOutcome, HeadlessSettings, OutputFormat};
use crate::ansi_writer::AnsiWriter;
use crate::send::TerminalError;
use pollux_session::{Entry, EntryOrigin, SessionId, SessionView, TurnFailure, TurnOutcome, UnixMillis};

/// The agent's word for a session that has had all the turns it may have.
const OUT_OF_TURNS: &str = "turn_limit";

/// Turns entries into what is written. Does no IO.
pub(super) trait OutputFormatter: Send {
    /// Tell an entry of the prompt's turn, or the one that accepted the prompt, seen from the view just before it. What
    /// a person may want to see besides the answer goes to `errors`.
    fn format_entry(&mut self, view: &SessionView, entry: &Entry, whose: EntryOrigin, errors: &mut AnsiWriter);

    /// Something is not as the one who started this may think.
    fn format_warning(&mut self, at: UnixMillis, sentence: &str, errors: &mut AnsiWriter);

    /// It is over.
    fn format_ending(&mut self, ending: &HeadlessEnding);

    /// The output that is ready to be written.
    fn take_output(&mut self) -> String;
}

/// The teller of a format.
pub(super) fn formatter_for(settings: HeadlessSettings, session: Option<SessionId>) -> Box<dyn OutputFormatter> {
    match settings.format {
        OutputFormat::Text => Box::new(TextFormatter::new()),
        OutputFormat::Json => Box::new(JsonFormatter::new(session, settings.prices)),
        OutputFormat::StreamJson => Box::new(StreamJsonFormatter::new(session, settings.prices)),
    }
}

/// The end, and why when it is not a good one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeadlessEnding {
    pub(super) outcome: HeadlessOutcome,
    pub(super) failure: Option<TurnFailure>,
    pub(super) exit_code: u8,
    pub(super) at: UnixMillis,
}

impl HeadlessEnding {
    pub(super) fn new(outcome: HeadlessOutcome, failure: Option<TurnFailure>, at: UnixMillis) -> HeadlessEnding {
        HeadlessEnding { outcome, failure, exit_code: outcome.exit_code(), at }
    }

    /// The end of a turn; `denied` says what was denied because nobody was there.
    pub(super) fn from_turn(outcome: &TurnOutcome, denied: Option<&str>, at: UnixMillis) -> HeadlessEnding {
        match (outcome, denied) {
            (TurnOutcome::Rested, None) => HeadlessEnding::new(HeadlessOutcome::Rested, None, at),
            (TurnOutcome::Rested, Some(sentence)) => {
                HeadlessEnding::new(HeadlessOutcome::Denied, Some(failure("denied", sentence)), at)
            }
            (TurnOutcome::Failed { failure }, _) if failure.kind == OUT_OF_TURNS => {
                HeadlessEnding::new(HeadlessOutcome::OutOfTurns, Some(failure.clone()), at)
            }
            (TurnOutcome::Failed { failure }, _) => {
                HeadlessEnding::new(HeadlessOutcome::Failed, Some(failure.clone()), at)
            }
            (TurnOutcome::Cancelled, _) => HeadlessEnding::cancelled("the turn was cancelled", at),
        }
    }

    pub(super) fn cancelled(sentence: &str, at: UnixMillis) -> HeadlessEnding {
        HeadlessEnding::new(HeadlessOutcome::Cancelled, Some(failure("cancelled", sentence)), at)
    }

    pub(super) fn from_error(error: &TerminalError, at: UnixMillis) -> HeadlessEnding {
        let kind = match error {
            TerminalError::Output(_) => "output",
            TerminalError::Input(_) => "input",
            TerminalError::Read(_) => "log",
            TerminalError::Send(_) => "refused",
        };
        HeadlessEnding::new(HeadlessOutcome::Failed, Some(failure(kind, &error.to_string())), at)
    }
}

fn failure(kind: &str, message: &str) -> TurnFailure {
    TurnFailure { kind: kind.into(), message: message.into() }
}
