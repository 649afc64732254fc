//! The theme in use: what the person chose, or what the terminal's background asks for.

use super::{AUTO, Rgb, TerminalColours, Theme, dark_on, light_on, plain, themes};
use crate::ansi_writer::ColourMode;

/// A choice of a theme, and what comes of it on this terminal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ThemeSelection {
    /// The name of the theme, or [`AUTO`].
    choice: &'static str,
    terminal: TerminalColours,
    pub(crate) current: Theme,
}

impl ThemeSelection {
    /// Begin with what the person chose earlier. One that is not known, or none, follows the terminal.
    pub(crate) fn new(choice: Option<&str>, terminal: TerminalColours, colour: ColourMode) -> ThemeSelection {
        let mut selection = ThemeSelection { choice: AUTO, terminal, current: following(terminal) };
        choice.map(|name| selection.choose(name));
        if colour == ColourMode::Never {
            selection.current = plain();
        }
        selection
    }

    pub(crate) fn choice(&self) -> &'static str {
        self.choice
    }

    /// Use another one; `false` when there is none of that name.
    pub(crate) fn choose(&mut self, name: &str) -> bool {
        let found = match name {
            AUTO => Some((AUTO, following(self.terminal))),
            _ => themes(self.terminal).into_iter().find(|theme| theme.name == name).map(|theme| (theme.name, theme)),
        };
        let is_known = found.is_some();
        if let Some((choice, theme)) = found {
            (self.choice, self.current) = (choice, theme);
        }
        is_known
    }

    /// The terminal has said what its background is. A terminal without colours stays so.
    pub(crate) fn take_background(&mut self, background: Rgb) {
        self.terminal.background = Some(background);
        if self.current.syntax.is_some() {
            self.choose(self.choice);
        }
    }
}

/// The theme for the terminal's background. Most backgrounds that nothing is known of are dark.
fn following(terminal: TerminalColours) -> Theme {
    let is_light = terminal.background.is_some_and(Rgb::is_light);
    if is_light { light_on(terminal) } else { dark_on(terminal) }
}
