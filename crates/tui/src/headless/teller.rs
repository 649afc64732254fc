//! Whoever tells the turn: the same entries as text, as one JSON object or as a stream of them.

use super::json::Json;
use super::stream::Stream;
use super::text::Text;
use super::{Format, OnceSettings, Outcome};
use crate::pen::Pen;
use crate::send::PlainError;
use crate::view::{View, Whose};
use pollux_session::{At, Entry, Failure, SessionId, TurnOutcome};

/// The agent's word for a session that has had all the turns it may have.
const OUT_OF_TURNS: &str = "turn_limit";

/// Turns entries into what is written. Does no IO.
pub(super) trait Teller: Send {
    /// Tell an entry of the prompt's turn, or the one that accepted the prompt, seen from the view just before it. What
    /// a person may want to see besides the answer goes to `errors`.
    fn entry(&mut self, view: &View, entry: &Entry, whose: Whose, errors: &mut Pen);

    /// Something is not as the one who started this may think.
    fn warn(&mut self, at: At, sentence: &str, errors: &mut Pen);

    /// It is over.
    fn end(&mut self, ending: &Ending);

    /// What is ready to be written to the output.
    fn take(&mut self) -> String;
}

/// The teller of a format.
pub(super) fn teller(settings: OnceSettings, session: Option<SessionId>) -> Box<dyn Teller> {
    match settings.format {
        Format::Text => Box::new(Text::new()),
        Format::Json => Box::new(Json::new(session, settings.prices)),
        Format::StreamJson => Box::new(Stream::new(session, settings.prices)),
    }
}

/// How it ended, and why when it did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) outcome: Outcome,
    pub(super) failure: Option<Failure>,
    pub(super) exit_code: u8,
    pub(super) at: At,
}

impl Ending {
    pub(super) fn new(outcome: Outcome, failure: Option<Failure>, at: At) -> Ending {
        Ending { outcome, failure, exit_code: outcome.exit_code(), at }
    }

    /// The end of a turn; `declined` says what was declined because nobody was there. A call that offers no way to
    /// decline it is declined by cancelling the turn.
    pub(super) fn of_turn(outcome: &TurnOutcome, declined: Option<&str>, at: At) -> Ending {
        match (outcome, declined) {
            (TurnOutcome::Rested, None) => Ending::new(Outcome::Rested, None, at),
            (TurnOutcome::Rested | TurnOutcome::Cancelled, Some(sentence)) => {
                Ending::new(Outcome::Declined, Some(failure("declined", sentence)), at)
            }
            (TurnOutcome::Failed { failure }, _) if failure.kind == OUT_OF_TURNS => {
                Ending::new(Outcome::OutOfTurns, Some(failure.clone()), at)
            }
            (TurnOutcome::Failed { failure }, _) => Ending::new(Outcome::Failed, Some(failure.clone()), at),
            (TurnOutcome::Cancelled, None) => Ending::cancelled("the turn was cancelled", at),
        }
    }

    pub(super) fn cancelled(sentence: &str, at: At) -> Ending {
        Ending::new(Outcome::Cancelled, Some(failure("cancelled", sentence)), at)
    }

    pub(super) fn of_error(error: &PlainError, at: At) -> Ending {
        let kind = match error {
            PlainError::Output(_) => "output",
            PlainError::Input(_) => "input",
            PlainError::Read(_) => "log",
            PlainError::Send(_) => "refused",
        };
        Ending::new(Outcome::Failed, Some(failure(kind, &error.to_string())), at)
    }
}

fn failure(kind: &str, message: &str) -> Failure {
    Failure { kind: kind.into(), message: message.into() }
}
