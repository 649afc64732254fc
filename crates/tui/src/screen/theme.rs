//! What colours mean. Parts of the screen name a role; only themes name colours.

use ratatui::style::{Color, Modifier, Style};

/// A style for each role.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Theme {
    pub(crate) name: &'static str,
    /// Ordinary text.
    pub(crate) text: Style,
    /// What matters less: thoughts, hints, durations.
    pub(crate) dim: Style,
    /// What matters more: headings, names.
    pub(crate) strong: Style,
    /// The program's own marks: signs, spinners, what is chosen.
    pub(crate) accent: Style,
    /// What a person said.
    pub(crate) person: Style,
    pub(crate) good: Style,
    pub(crate) warn: Style,
    pub(crate) bad: Style,
    /// Lines of a diff.
    pub(crate) added: Style,
    pub(crate) removed: Style,
    /// Code inside a sentence.
    pub(crate) code: Style,
    pub(crate) link: Style,
    /// The light dots of a code for a camera, on dark.
    pub(crate) qr: Style,
    /// Which of two-face's themes colours code; `None` leaves it plain.
    pub(crate) syntax: Option<two_face::theme::EmbeddedThemeName>,
}

/// Every theme by name, the default first.
pub(crate) fn themes() -> [Theme; 3] {
    [dark(), light(), plain()]
}

/// For dark backgrounds. Only the sixteen colours that people choose for their own terminals.
pub(crate) fn dark() -> Theme {
    let base = Style::new();
    Theme {
        name: "dark",
        text: base,
        dim: base.fg(Color::DarkGray),
        strong: base.add_modifier(Modifier::BOLD),
        accent: base.fg(Color::Cyan),
        person: base.fg(Color::Blue).add_modifier(Modifier::BOLD),
        good: base.fg(Color::Green),
        warn: base.fg(Color::Yellow),
        bad: base.fg(Color::Red),
        added: base.fg(Color::Green),
        removed: base.fg(Color::Red),
        code: base.fg(Color::Yellow),
        link: base.fg(Color::Cyan).add_modifier(Modifier::UNDERLINED),
        qr: base.fg(Color::White).bg(Color::Black),
        syntax: Some(two_face::theme::EmbeddedThemeName::Base16OceanDark),
    }
}

/// For light backgrounds.
pub(crate) fn light() -> Theme {
    let base = Style::new();
    Theme {
        name: "light",
        dim: base.fg(Color::Gray).add_modifier(Modifier::DIM),
        warn: base.fg(Color::Magenta),
        code: base.fg(Color::Magenta),
        accent: base.fg(Color::Blue),
        link: base.fg(Color::Blue).add_modifier(Modifier::UNDERLINED),
        syntax: Some(two_face::theme::EmbeddedThemeName::InspiredGithub),
        ..dark()
    }
}

/// Without colours: what matters is said by words, signs and weight.
pub(crate) fn plain() -> Theme {
    let base = Style::new();
    let (bold, faint) = (base.add_modifier(Modifier::BOLD), base.add_modifier(Modifier::DIM));
    Theme {
        name: "plain",
        text: base,
        dim: faint,
        strong: bold,
        accent: bold,
        person: bold,
        good: base,
        warn: bold,
        bad: bold,
        added: base,
        removed: faint,
        code: base,
        link: base.add_modifier(Modifier::UNDERLINED),
        qr: base,
        syntax: None,
    }
}
