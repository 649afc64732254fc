//! Where a task stands, in one word for everybody: that of the dialect in which its newest message came.

use super::event_encoding::state_in_version;
use super::{coder, state_word, task_state};
use crate::client_profile::{ClientProfile, ToolExtension};
use crate::version::A2aVersion;
use crate::wire_state::{TaskScope, WireState};
use pollux_wire::a2a::TaskState;
use pollux_wire::named::StandingWord;

/// The dialect in which a message came, as the log remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageDialect {
    /// A2A, on any binding; in 0.3 the task itself may say that it is Google's.
    A2a(ClientProfile),
    /// That of Google's a2a-server, by the message's own metadata, in whichever task.
    Coder(ToolExtension),
    /// The endpoint guide's.
    Flat,
    /// The protocol page's.
    Page,
    /// The server reference's.
    Named,
}

pollux_session::all_variants! {
    MessageDialect:
        A2a(ClientProfile { version: A2aVersion::V03, extension: ToolExtension::Unknown }),
        A2a(ClientProfile { version: A2aVersion::V03, extension: ToolExtension::Declared }),
        A2a(ClientProfile { version: A2aVersion::V10, extension: ToolExtension::Unknown }),
        A2a(ClientProfile { version: A2aVersion::V10, extension: ToolExtension::Declared }),
        Coder(ToolExtension::Unknown),
        Coder(ToolExtension::Declared),
        Flat,
        Page,
        Named,
}

impl MessageDialect {
    /// Its name in the log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            MessageDialect::A2a(ClientProfile { version, extension }) => match (version, extension) {
                (A2aVersion::V03, ToolExtension::Unknown) => "a2a-0.3",
                (A2aVersion::V03, ToolExtension::Declared) => "a2a-0.3+development-tool",
                (A2aVersion::V10, ToolExtension::Unknown) => "a2a-1.0",
                (A2aVersion::V10, ToolExtension::Declared) => "a2a-1.0+development-tool",
            },
            MessageDialect::Coder(ToolExtension::Unknown) => "coder",
            MessageDialect::Coder(ToolExtension::Declared) => "coder+development-tool",
            MessageDialect::Flat => "flat",
            MessageDialect::Page => "page",
            MessageDialect::Named => "named",
        }
    }

    /// The dialect of that name.
    pub(crate) fn from_name(name: &str) -> Option<MessageDialect> {
        MessageDialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// The declaration of the `development-tool` extension that a message in it makes.
    pub(crate) fn extension(self) -> ToolExtension {
        match self {
            MessageDialect::A2a(audience) => audience.extension,
            MessageDialect::Coder(extension) => extension,
            MessageDialect::Flat | MessageDialect::Page | MessageDialect::Named => ToolExtension::Unknown,
        }
    }
}

/// The word for where what `view` sees stands; `None` when no message has come in any dialect.
pub(crate) fn standing_word(wire_state: &WireState, view: TaskScope) -> Option<StandingWord> {
    Some(match newest_dialect(wire_state, view)? {
        MessageDialect::Named => StandingWord::Named(state_word(task_state(&wire_state.status(view)))),
        dialect => StandingWord::A2a(dialect.task_state(wire_state, view)),
    })
}

/// The state in A2A's own words, for a Task of 0.3: the server reference's words are not among them.
pub(crate) fn standing_state(wire_state: &WireState, view: TaskScope) -> Option<TaskState> {
    newest_dialect(wire_state, view).map(|dialect| dialect.task_state(wire_state, view))
}

fn newest_dialect(wire_state: &WireState, view: TaskScope) -> Option<MessageDialect> {
    MessageDialect::from_name(wire_state.newest_dialect(view)?)
}

impl MessageDialect {
    fn task_state(self, wire_state: &WireState, view: TaskScope) -> TaskState {
        let status = wire_state.status(view);
        match self {
            MessageDialect::Coder(_) => coder::coder_task_state(&status, view),
            MessageDialect::A2a(ClientProfile { version: A2aVersion::V03, .. })
                if wire_state.coder_settings(view).is_some() =>
            {
                coder::coder_task_state(&status, view)
            }
            MessageDialect::A2a(ClientProfile { version, .. }) => {
                state_in_version(version, task_state(&status), wire_state.continuation(view))
            }
            MessageDialect::Flat | MessageDialect::Page | MessageDialect::Named => task_state(&status),
        }
    }
}
