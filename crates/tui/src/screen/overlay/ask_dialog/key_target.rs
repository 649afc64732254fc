//! Who gets what is typed while an ask is open: the one rule for approvals, plans and questions alike.

use super::unmodified_key;
use crossterm::event::{KeyCode, KeyEvent};

/// What the keys that write are meant for. Nobody can see what a person means by a digit, so a sentence that they have begun
/// keeps all of it, however long they pause, until an arrow shows that they mean the dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyTarget {
    /// Nothing has shown it since the dialog came: the composer, if a text stands in it.
    Unknown,
    /// Letters went to the composer.
    Composer,
    /// A key was for the dialog.
    Dialog,
}

/// What a dialog does with a key while the person writes in the composer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyWhileWriting {
    /// The dialog takes it, and those that follow.
    TurnsToDialog,
    /// The dialog takes this one: it shows more, or it leaves.
    ForDialog,
    /// The composer has it, if it is text.
    ForComposer,
    /// It is nobody's. It may end a sentence, which is not sent past a question, and chooses nothing.
    Ignored,
}

impl KeyTarget {
    /// Whether the person writes in the composer; `has_draft` says whether a text stands there.
    pub(super) fn is_composer(self, has_draft: bool) -> bool {
        match self {
            KeyTarget::Unknown => has_draft,
            KeyTarget::Composer => true,
            KeyTarget::Dialog => false,
        }
    }
}

impl KeyWhileWriting {
    pub(super) fn of(key: KeyEvent) -> KeyWhileWriting {
        match unmodified_key(key) {
            KeyCode::Up | KeyCode::Down => KeyWhileWriting::TurnsToDialog,
            KeyCode::Esc | KeyCode::PageUp | KeyCode::PageDown => KeyWhileWriting::ForDialog,
            // Tab completes a name in the composer, and the Enter after it must not be an answer.
            KeyCode::Enter if key.modifiers.is_empty() => KeyWhileWriting::Ignored,
            KeyCode::Tab | KeyCode::BackTab => KeyWhileWriting::Ignored,
            _ => KeyWhileWriting::ForComposer,
        }
    }
}
