//! How terminals differ where they cannot be asked. What they say about themselves in the environment has to do.

use std::time::Duration;

/// tmux tells a program of a new size at once, and of the next ones a quarter of a second later. Meanwhile its screen has a
/// size that nobody here can know.
const TMUX_SETTLES: Duration = Duration::from_millis(300);

/// How this terminal does what others do differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Habits {
    pub(crate) narrowing: Narrowing,
    pub(crate) erased: Erased,
    pub(crate) notices: Notices,
    pub(crate) colour_queries: ColourQueries,
    /// How long after a change of its size it may have another one already.
    pub(crate) settles: Duration,
}

/// What becomes of a row that no longer fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowing {
    /// It is wrapped, and joined again when there is room.
    Wraps,
    /// It is cut off.
    Cuts,
}

/// What becomes of the erased end of a row when rows are wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Erased {
    /// It is as if it had never been.
    Forgotten,
    /// It counts as blanks, and wraps, unless the row was erased as a whole.
    Counted,
}

/// Which sequence shows a notification. Both together show two where both are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notices {
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

impl Default for Habits {
    /// What most do.
    fn default() -> Habits {
        let (narrowing, erased, notices) = (Narrowing::Wraps, Erased::Forgotten, Notices::Both);
        Habits { narrowing, erased, notices, colour_queries: ColourQueries::Harmless, settles: Duration::ZERO }
    }
}

impl Habits {
    /// The habits of the terminal that these environment variables tell of.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<String>) -> Habits {
        let has = |name: &str| variable(name).is_some();
        let term = variable("TERM").unwrap_or_default();
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        // Inside tmux the variables of the terminal around it may still be there; it wraps whatever that one does.
        let in_tmux = has("TMUX");
        let cuts = has("XTERM_VERSION") || has("STY") || term == "linux";
        let narrowing = if cuts && !in_tmux { Narrowing::Cuts } else { Narrowing::Wraps };
        let (erased, settles) =
            if in_tmux { (Erased::Counted, TMUX_SETTLES) } else { (Erased::Forgotten, Duration::ZERO) };
        let notices = match program.as_str() {
            "iTerm.app" | "WezTerm" | "ghostty" => Notices::Osc9,
            _ if has("KITTY_WINDOW_ID") => Notices::Osc9,
            _ if has("VTE_VERSION") || term.starts_with("foot") || term.starts_with("rxvt") => Notices::Osc777,
            _ => Notices::Both,
        };
        // The console of older kernels ends such a sequence at its first letter.
        let is_console = term == "linux" && !in_tmux;
        let colour_queries = if is_console { ColourQueries::Printed } else { ColourQueries::Harmless };
        Habits { narrowing, erased, notices, colour_queries, settles }
    }
}

#[cfg(test)]
mod tests {
    use super::{ColourQueries, Erased, Habits, Narrowing, Notices, TMUX_SETTLES};
    use pretty_assertions::assert_eq;

    fn habits(variables: &[(&str, &str)]) -> Habits {
        Habits::of(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn terminals_are_known_by_their_variables() {
        let wraps = |notices| Habits { notices, ..Habits::default() };
        let cuts = Habits { narrowing: Narrowing::Cuts, ..Habits::default() };
        let tmux = Habits { erased: Erased::Counted, settles: TMUX_SETTLES, ..Habits::default() };
        assert_eq!(habits(&[]), Habits::default());
        assert_eq!(habits(&[("XTERM_VERSION", "XTerm(390)")]), cuts);
        assert_eq!(habits(&[("TERM", "linux")]), Habits { colour_queries: ColourQueries::Printed, ..cuts });
        assert_eq!(habits(&[("STY", "1.pts"), ("TERM", "screen")]), cuts);
        assert_eq!(habits(&[("XTERM_VERSION", "XTerm(390)"), ("TMUX", "/tmp/t,1,0")]), tmux);
        assert_eq!(habits(&[("TERM_PROGRAM", "ghostty")]), wraps(Notices::Osc9));
        assert_eq!(habits(&[("KITTY_WINDOW_ID", "1")]), wraps(Notices::Osc9));
        assert_eq!(habits(&[("VTE_VERSION", "7600")]), wraps(Notices::Osc777));
    }
}
