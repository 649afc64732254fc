//! `/clear`: the model forgets the conversation. The log keeps it.

use super::{Answer, Asked, Command, Occasion, plain};
use pollux_session::{CommandInfo, Pending, Report, Seq};

/// The command.
pub(super) struct Clear;

impl Command for Clear {
    fn info(&self) -> CommandInfo {
        plain("clear", "Begin anew: the model no longer knows of the conversation so far")
    }

    fn step<'a>(&'a self, _: &'a Occasion<'a>, _: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async {
            let said = "The conversation begins anew. The log keeps what was said, and files are as they are.";
            Ok(Answer::say(said).after(Report::Rewound { to: Seq::START }))
        })
    }
}
