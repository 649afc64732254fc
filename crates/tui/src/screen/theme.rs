//! What colours mean. Parts of the screen name a role; only themes name colours.
//!
//! Text has to be readable on whatever people have made of their sixteen colours: `tests.rs` reckons the contrast of every
//! role over palettes that many use. No role is faint: terminals disagree on how faint that is.

mod rgb;
mod selection;
mod syntax;
mod terminal_colours;

pub(crate) use rgb::Rgb;
pub(crate) use selection::ThemeSelection;
pub(crate) use syntax::SyntaxColours;
pub(crate) use terminal_colours::{TerminalColours, parse_colour};

use ratatui::style::{Color, Modifier, Style};
use syntax::BackgroundShade;
use terminal_colours::ColourDepth;

/// The name of the choice that follows the terminal's background.
pub(crate) const AUTO: &str = "auto";

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
    /// Lines of a diff. With a background, the code on it has its own colours.
    pub(crate) added: Style,
    pub(crate) removed: Style,
    /// Code inside a sentence.
    pub(crate) code: Style,
    pub(crate) link: Style,
    /// The light dots of a code for a camera, on dark.
    pub(crate) qr: Style,
    /// What code is coloured with; `None` leaves it plain.
    pub(crate) syntax: Option<SyntaxColours>,
}

/// Every theme by name.
pub(crate) const NAMES: [&str; 4] = [AUTO, "dark", "light", "plain"];

fn themes(terminal: TerminalColours) -> [Theme; 3] {
    [dark_on(terminal), light_on(terminal), plain()]
}

/// For dark backgrounds. Its colours are those that people choose for their own terminals, as far as these can be relied
/// on: bright black is the background itself in some palettes, blue is hardly brighter than black, and bright green is grey.
fn dark_on(terminal: TerminalColours) -> Theme {
    let base = Style::new();
    let dim = match terminal.depth {
        ColourDepth::Sixteen => base,
        ColourDepth::Indexed | ColourDepth::TrueColour => base.fg(Color::Indexed(246)),
    };
    let (added, removed) = match changed_lines(BackgroundShade::Dark, terminal) {
        Some(on_backgrounds) => on_backgrounds,
        None => (base.fg(Color::Green), base.fg(Color::LightRed)),
    };
    Theme {
        name: "dark",
        text: base,
        dim,
        strong: base.add_modifier(Modifier::BOLD),
        accent: base.fg(Color::Cyan),
        person: base.fg(Color::LightBlue).add_modifier(Modifier::BOLD),
        good: base.fg(Color::Green),
        warn: base.fg(Color::Yellow),
        bad: base.fg(Color::LightRed),
        added,
        removed,
        code: base.fg(Color::Yellow),
        link: base.fg(Color::Cyan).add_modifier(Modifier::UNDERLINED),
        qr: base.fg(Color::White).bg(Color::Black),
        syntax: Some(SyntaxColours::new(BackgroundShade::Dark, terminal)),
    }
}

/// For light backgrounds. Of the sixteen colours only red, blue, magenta and bright black can be read on white everywhere,
/// and blue only where it is not bold: many terminals show a bold colour as the bright one.
fn light_on(terminal: TerminalColours) -> Theme {
    let base = Style::new();
    let [dim, accent, good, warn, code] = match terminal.depth {
        ColourDepth::Sixteen => [Color::DarkGray, Color::Magenta, Color::Blue, Color::Red, Color::Magenta],
        ColourDepth::Indexed | ColourDepth::TrueColour => [242, 25, 28, 130, 90].map(Color::Indexed),
    };
    let (added, removed) = match changed_lines(BackgroundShade::Light, terminal) {
        Some(on_backgrounds) => on_backgrounds,
        None => (base.fg(good), base.fg(Color::Red)),
    };
    Theme {
        name: "light",
        dim: base.fg(dim),
        accent: base.fg(accent),
        person: base.fg(accent).add_modifier(Modifier::BOLD),
        good: base.fg(good),
        warn: base.fg(warn),
        bad: base.fg(Color::Red),
        added,
        removed,
        code: base.fg(code),
        link: base.fg(accent).add_modifier(Modifier::UNDERLINED),
        syntax: Some(SyntaxColours::new(BackgroundShade::Light, terminal)),
        ..dark_on(terminal)
    }
}

/// Without colours: what matters is said by words, signs and weight.
pub(crate) fn plain() -> Theme {
    let base = Style::new();
    let bold = base.add_modifier(Modifier::BOLD);
    Theme {
        name: "plain",
        text: base,
        dim: base,
        strong: bold,
        accent: bold,
        person: bold,
        good: base,
        warn: bold,
        bad: bold,
        added: base,
        removed: base,
        code: base,
        link: base.add_modifier(Modifier::UNDERLINED),
        qr: base,
        syntax: None,
    }
}

/// Added and removed lines on backgrounds of their own; `None` where sixteen colours have none that text can be read on.
fn changed_lines(shade: BackgroundShade, terminal: TerminalColours) -> Option<(Style, Style)> {
    let (green, red) = match (terminal.depth, shade) {
        (ColourDepth::Sixteen, _) => return None,
        (ColourDepth::Indexed, BackgroundShade::Dark) => (Color::Indexed(22), Color::Indexed(52)),
        (ColourDepth::Indexed, BackgroundShade::Light) => (Color::Indexed(194), Color::Indexed(224)),
        (ColourDepth::TrueColour, _) => {
            let (green, red, share) = match shade {
                BackgroundShade::Dark => (Rgb(0x2e, 0xa0, 0x43), Rgb(0xda, 0x36, 0x33), 0.25),
                BackgroundShade::Light => (Rgb(0x2d, 0xa4, 0x4e), Rgb(0xcf, 0x22, 0x2e), 0.15),
            };
            let tinted = |tint: Rgb| {
                let Rgb(red, green, blue) = shade.ground(terminal).mix(tint, share);
                Color::Rgb(red, green, blue)
            };
            (tinted(green), tinted(red))
        }
    };
    let on = |ground: Color| {
        let text = terminal.depth.readable(shade.text(), Rgb::from_colour(ground)?)?;
        Some(Style::new().fg(text).bg(ground))
    };
    on(green).zip(on(red))
}

/// A terminal of all colours that has said nothing.
#[cfg(test)]
pub(crate) const TRUE_COLOURS: TerminalColours = TerminalColours { depth: ColourDepth::TrueColour, background: None };

/// The theme for dark backgrounds on such a terminal.
#[cfg(test)]
pub(crate) fn dark() -> Theme {
    dark_on(TRUE_COLOURS)
}

/// The theme for light ones.
#[cfg(test)]
pub(crate) fn light() -> Theme {
    light_on(TRUE_COLOURS)
}

#[cfg(test)]
mod tests;
