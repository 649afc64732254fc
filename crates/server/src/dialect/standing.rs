//! Where a task stands, in one word for everybody: that of the dialect in which its newest message came.

use super::form::state_in;
use super::{coder, state_word, word};
use crate::audience::{Audience, ToolExtension};
use crate::scene::{Scene, View};
use crate::version::Version;
use pollux_wire::named::StandingWord;

/// The dialect in which a message came, as the log remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageDialect {
    /// A2A, on any binding; in 0.3 the task itself says whether it is Google's.
    A2a(Audience),
    /// The endpoint guide's.
    Flat,
    /// The protocol page's.
    Page,
    /// The server reference's.
    Named,
}

impl MessageDialect {
    const ALL: [MessageDialect; 7] = [
        MessageDialect::a2a(Version::V03, ToolExtension::Unknown),
        MessageDialect::a2a(Version::V03, ToolExtension::Declared),
        MessageDialect::a2a(Version::V10, ToolExtension::Unknown),
        MessageDialect::a2a(Version::V10, ToolExtension::Declared),
        MessageDialect::Flat,
        MessageDialect::Page,
        MessageDialect::Named,
    ];

    const fn a2a(version: Version, extension: ToolExtension) -> MessageDialect {
        MessageDialect::A2a(Audience { version, extension })
    }

    /// Its name in the log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MessageDialect::A2a(Audience { version, extension }) => match (version, extension) {
                (Version::V03, ToolExtension::Unknown) => "a2a-0.3",
                (Version::V03, ToolExtension::Declared) => "a2a-0.3+development-tool",
                (Version::V10, ToolExtension::Unknown) => "a2a-1.0",
                (Version::V10, ToolExtension::Declared) => "a2a-1.0+development-tool",
            },
            MessageDialect::Flat => "flat",
            MessageDialect::Page => "page",
            MessageDialect::Named => "named",
        }
    }

    /// The dialect of that name.
    pub(crate) fn of_name(name: &str) -> Option<MessageDialect> {
        MessageDialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// What a message in it says of the `development-tool` extension.
    pub(crate) fn extension(self) -> ToolExtension {
        match self {
            MessageDialect::A2a(audience) => audience.extension,
            MessageDialect::Flat | MessageDialect::Page | MessageDialect::Named => ToolExtension::Unknown,
        }
    }
}

/// The word for where what `view` sees stands; `None` when no message has come in any dialect.
pub(crate) fn standing_word(scene: &Scene, view: View) -> Option<StandingWord> {
    let status = scene.status(view);
    Some(match MessageDialect::of_name(scene.newest_dialect(view)?)? {
        MessageDialect::Named => StandingWord::Named(state_word(word(&status))),
        MessageDialect::A2a(Audience { version: Version::V03, .. }) if scene.coder(view).is_some() => {
            StandingWord::A2a(coder::word(&status, view))
        }
        MessageDialect::A2a(Audience { version, .. }) => {
            StandingWord::A2a(state_in(version, word(&status), scene.rest(view)))
        }
        MessageDialect::Flat | MessageDialect::Page => StandingWord::A2a(word(&status)),
    })
}
