//! Where a task stands, in one word for everybody: that of the dialect in which its newest message came.

use super::form::state_in;
use super::{coder, state_word, word};
use crate::scene::{Scene, View};
use crate::version::Version;
use pollux_wire::named::StandingWord;

/// The dialect in which a message came, as the log remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageDialect {
    /// A2A of a version, on any binding; in 0.3 the task itself says whether it is Google's.
    A2a(Version),
    /// The endpoint guide's.
    Flat,
    /// The protocol page's.
    Page,
    /// The server reference's.
    Named,
}

impl MessageDialect {
    const ALL: [MessageDialect; 5] = [
        MessageDialect::A2a(Version::V03),
        MessageDialect::A2a(Version::V10),
        MessageDialect::Flat,
        MessageDialect::Page,
        MessageDialect::Named,
    ];

    /// Its name in the log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MessageDialect::A2a(Version::V03) => "a2a-0.3",
            MessageDialect::A2a(Version::V10) => "a2a-1.0",
            MessageDialect::Flat => "flat",
            MessageDialect::Page => "page",
            MessageDialect::Named => "named",
        }
    }

    fn of_name(name: &str) -> Option<MessageDialect> {
        MessageDialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// The word for where what `view` sees stands; `None` when no message has come in any dialect.
pub(crate) fn standing_word(scene: &Scene, view: View) -> Option<StandingWord> {
    let status = scene.status(view);
    Some(match MessageDialect::of_name(scene.newest_dialect(view)?)? {
        MessageDialect::Named => StandingWord::Named(state_word(word(&status))),
        MessageDialect::A2a(Version::V03) if scene.coder(view).is_some() => {
            StandingWord::A2a(coder::word(&status, view))
        }
        MessageDialect::A2a(version) => StandingWord::A2a(state_in(version, word(&status), scene.rest(view))),
        MessageDialect::Flat | MessageDialect::Page => StandingWord::A2a(word(&status)),
    })
}
