//! The terminal's mode while lines are typed key by key: it neither collects nor shows them. Ctrl+C and Ctrl+Z stay
//! signals, and a line break is drawn as before.

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::io;
use std::sync::{Arc, Weak};

/// Key by key, until the last of these that is no copy for a thread is dropped.
#[derive(Debug)]
pub(super) struct KeyByKey {
    /// How the terminal was; shared with nobody who outlives the seat.
    before: Before,
}

#[derive(Debug)]
enum Before {
    Owned(Arc<Termios>),
    Seen(Weak<Termios>),
}

impl KeyByKey {
    /// Switch the terminal at standard input over.
    pub(super) fn enter() -> io::Result<KeyByKey> {
        let before = tcgetattr(io::stdin())?;
        let mode = KeyByKey { before: Before::Owned(Arc::new(before)) };
        mode.again();
        Ok(mode)
    }

    /// Switch it over again, as long as the seat is there.
    pub(super) fn again(&self) {
        let before = match &self.before {
            Before::Owned(before) => Some(before.clone()),
            Before::Seen(before) => before.upgrade(),
        };
        let Some(before) = before else { return };
        let mut mode = (*before).clone();
        mode.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        mode.special_codes[SpecialCodeIndex::VMIN] = 1;
        mode.special_codes[SpecialCodeIndex::VTIME] = 0;
        // A terminal that is gone needs no mode; its next read says so.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &mode);
    }
}

impl Clone for KeyByKey {
    /// A copy for the thread that reads: it outlives the seat, and must not keep the terminal from being put back.
    fn clone(&self) -> KeyByKey {
        let before = match &self.before {
            Before::Owned(before) => Arc::downgrade(before),
            Before::Seen(before) => before.clone(),
        };
        KeyByKey { before: Before::Seen(before) }
    }
}

impl Drop for KeyByKey {
    fn drop(&mut self) {
        if let Before::Owned(before) = &self.before {
            // Nothing can be done about a terminal that is gone.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}
