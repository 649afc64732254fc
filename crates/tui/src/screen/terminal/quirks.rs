//! How terminals differ where they cannot be asked. What they say about themselves in the environment has to do.

use crate::screen::settings::NotificationMethod;
use std::time::Duration;

/// tmux tells a program of a new size at once, and of the next ones a quarter of a second later. Meanwhile its screen has a
/// size that nobody here can know.
const TMUX_SETTLES: Duration = Duration::from_millis(300);

/// How this terminal does what others do differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TerminalQuirks {
    pub(crate) narrowed_rows: NarrowedRows,
    pub(crate) erased_cells: ErasedCells,
    pub(crate) notification: NotificationSequence,
    pub(crate) colour_queries: ColourQueries,
    /// How long after a change of its size it may have another one already.
    pub(crate) resize_delay: Duration,
}

/// What becomes of a row that no longer fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NarrowedRows {
    /// It is wrapped, and joined again when there is room.
    Wrapped,
    /// It is cut off.
    Cut,
}

/// What becomes of the erased end of a row when rows are wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErasedCells {
    /// It is as if it had never been.
    Forgotten,
    /// It counts as blanks, and wraps, unless the row was erased as a whole.
    Counted,
}

/// Which sequence shows a notification. Both together show two where both are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotificationSequence {
    Osc9,
    Osc777,
    Both,
}

/// What becomes of a question for a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColourQueries {
    /// It is answered, or nothing comes of it.
    Harmless,
    /// Its letters may be printed.
    Printed,
}

impl Default for TerminalQuirks {
    /// What most do.
    fn default() -> TerminalQuirks {
        let (narrowing, erased, notices) = (NarrowedRows::Wrapped, ErasedCells::Forgotten, NotificationSequence::Both);
        TerminalQuirks {
            narrowed_rows: narrowing,
            erased_cells: erased,
            notification: notices,
            colour_queries: ColourQueries::Harmless,
            resize_delay: Duration::ZERO,
        }
    }
}

impl TerminalQuirks {
    /// The habits of the terminal that these environment variables tell of.
    pub(crate) fn from_environment(variable: impl Fn(&str) -> Option<String>) -> TerminalQuirks {
        let has = |name: &str| variable(name).is_some();
        let term = variable("TERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        // Inside tmux the variables of the terminal around it may still be there; it wraps whatever that one does.
        let in_tmux = has("TMUX");
        let cuts = has("XTERM_VERSION") || has("STY") || term == "linux";
        let narrowed_rows = if cuts && !in_tmux { NarrowedRows::Cut } else { NarrowedRows::Wrapped };
        let (erased_cells, resize_delay) =
            if in_tmux { (ErasedCells::Counted, TMUX_SETTLES) } else { (ErasedCells::Forgotten, Duration::ZERO) };
        let notification = match program.as_str() {
            "iTerm.app" | "WezTerm" | "ghostty" => NotificationSequence::Osc9,
            _ if has("KITTY_WINDOW_ID") => NotificationSequence::Osc9,
            _ if has("VTE_VERSION") || term.starts_with("foot") || term.starts_with("rxvt") => {
                NotificationSequence::Osc777
            }
            _ => NotificationSequence::Both,
        };
        // The console of older kernels ends such a sequence at its first letter.
        let is_console = term == "linux" && !in_tmux;
        let colour_queries = if is_console { ColourQueries::Printed } else { ColourQueries::Harmless };
        TerminalQuirks { narrowed_rows, erased_cells, notification, colour_queries, resize_delay }
    }

    /// The same for a person who has chosen how they are notified.
    pub(crate) fn with_notifications(self, chosen: Option<NotificationMethod>) -> TerminalQuirks {
        let notification = match chosen {
            Some(NotificationMethod::Osc9) => NotificationSequence::Osc9,
            Some(NotificationMethod::Osc777) => NotificationSequence::Osc777,
            Some(NotificationMethod::Auto | NotificationMethod::Bell) | None => self.notification,
        };
        TerminalQuirks { notification, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::{ColourQueries, ErasedCells, NarrowedRows, NotificationSequence, TMUX_SETTLES, TerminalQuirks};
    use crate::screen::settings::NotificationMethod;
    use pretty_assertions::assert_eq;

    fn habits(variables: &[(&str, &str)]) -> TerminalQuirks {
        TerminalQuirks::from_environment(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn terminals_are_known_by_their_variables() {
        let wraps = |notices| TerminalQuirks { notification: notices, ..TerminalQuirks::default() };
        let cuts = TerminalQuirks { narrowed_rows: NarrowedRows::Cut, ..TerminalQuirks::default() };
        let tmux = TerminalQuirks {
            erased_cells: ErasedCells::Counted,
            resize_delay: TMUX_SETTLES,
            ..TerminalQuirks::default()
        };
        assert_eq!(habits(&[]), TerminalQuirks::default());
        assert_eq!(habits(&[("XTERM_VERSION", "XTerm(390)")]), cuts);
        assert_eq!(habits(&[("TERM", "linux")]), TerminalQuirks { colour_queries: ColourQueries::Printed, ..cuts });
        assert_eq!(habits(&[("STY", "1.pts"), ("TERM", "screen")]), cuts);
        assert_eq!(habits(&[("XTERM_VERSION", "XTerm(390)"), ("TMUX", "/tmp/t,1,0")]), tmux);
        assert_eq!(habits(&[("TERM_PROGRAM", "ghostty")]), wraps(NotificationSequence::Osc9));
        let chosen = |method| habits(&[("TERM_PROGRAM", "ghostty")]).with_notifications(Some(method));
        assert_eq!(chosen(NotificationMethod::Osc777), wraps(NotificationSequence::Osc777));
        assert_eq!(chosen(NotificationMethod::Auto), wraps(NotificationSequence::Osc9));
        assert_eq!(habits(&[("KITTY_WINDOW_ID", "1")]), wraps(NotificationSequence::Osc9));
        assert_eq!(habits(&[("VTE_VERSION", "7600")]), wraps(NotificationSequence::Osc777));
    }
}
