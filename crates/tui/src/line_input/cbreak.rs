//! The terminal's mode while lines are typed key by key: it neither collects nor shows them. Ctrl+C and Ctrl+Z stay
//! signals, and a line break is drawn as before.

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::io;
use std::sync::{Arc, Weak};

/// Key by key, until the last of these that is no copy for a thread is dropped.
#[derive(Debug)]
pub(super) struct CbreakMode {
    /// The former settings of the terminal; shared with nobody who outlives the seat.
    saved: SavedTermios,
}

#[derive(Debug)]
enum SavedTermios {
    Owned(Arc<Termios>),
    Borrowed(Weak<Termios>),
}

impl CbreakMode {
    /// Switch the terminal at standard input over.
    pub(super) fn enter() -> io::Result<CbreakMode> {
        let before = tcgetattr(io::stdin())?;
        let mode = CbreakMode { saved: SavedTermios::Owned(Arc::new(before)) };
        mode.reenter();
        Ok(mode)
    }

    /// Switch it over again, as long as the seat is there.
    pub(super) fn reenter(&self) {
        let before = match &self.saved {
            SavedTermios::Owned(before) => Some(before.clone()),
            SavedTermios::Borrowed(before) => before.upgrade(),
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

impl Clone for CbreakMode {
    /// A copy for the thread that reads: it outlives the seat, and must not keep the terminal from being put back.
    fn clone(&self) -> CbreakMode {
        let before = match &self.saved {
            SavedTermios::Owned(before) => Arc::downgrade(before),
            SavedTermios::Borrowed(before) => before.clone(),
        };
        CbreakMode { saved: SavedTermios::Borrowed(before) }
    }
}

impl Drop for CbreakMode {
    fn drop(&mut self) {
        if let SavedTermios::Owned(before) = &self.saved {
            // Nothing can be done about a terminal that is gone.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}
