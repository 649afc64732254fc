//! The colours of code. What a syntax theme wants is moved until it can be read on the background that is really there.

use super::rgb::Rgb;
use super::terminal_colours::{ColourDepth, TerminalColours};
use ratatui::style::{Color, Modifier, Style};
use syntect::highlighting::{self, FontStyle};
use two_face::theme::EmbeddedThemeName;

/// Which kind of background a theme is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackgroundShade {
    Dark,
    Light,
}

impl BackgroundShade {
    /// The terminal's background, or what comes nearest where it is not known or of the other kind.
    pub(super) fn ground(self, terminal: TerminalColours) -> Rgb {
        let fits = |background: &Rgb| background.is_light() == (self == BackgroundShade::Light);
        let usual = match self {
            BackgroundShade::Dark => Rgb::BLACK,
            BackgroundShade::Light => Rgb::WHITE,
        };
        terminal.background.filter(fits).unwrap_or(usual)
    }

    /// Text where the terminal's own colour for it may not be readable.
    pub(super) fn text(self) -> Rgb {
        match self {
            BackgroundShade::Dark => Rgb(0xe6, 0xed, 0xf3),
            BackgroundShade::Light => Rgb(0x1f, 0x23, 0x28),
        }
    }
}

impl ColourDepth {
    /// The colour nearest to `colour` that is readable on `ground`; `None` where only the person's own colours are shown.
    pub(super) fn readable(self, colour: Rgb, ground: Rgb) -> Option<Color> {
        match self {
            ColourDepth::Sixteen => None,
            ColourDepth::Indexed => Some(Color::Indexed(colour.readable_on(ground).nearest_index_on(ground))),
            ColourDepth::TrueColour => {
                let Rgb(red, green, blue) = colour.readable_on(ground);
                Some(Color::Rgb(red, green, blue))
            }
        }
    }
}

/// How code is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxColours {
    shade: BackgroundShade,
    terminal: TerminalColours,
}

impl SyntaxColours {
    pub(super) fn new(shade: BackgroundShade, terminal: TerminalColours) -> SyntaxColours {
        SyntaxColours { shade, terminal }
    }

    /// Which of two-face's themes says what is coloured.
    pub(crate) fn theme(&self) -> EmbeddedThemeName {
        match (self.terminal.depth, self.shade) {
            (ColourDepth::Sixteen, _) => EmbeddedThemeName::Ansi,
            (ColourDepth::Indexed | ColourDepth::TrueColour, BackgroundShade::Dark) => {
                EmbeddedThemeName::Base16OceanDark
            }
            (ColourDepth::Indexed | ColourDepth::TrueColour, BackgroundShade::Light) => {
                EmbeddedThemeName::InspiredGithub
            }
        }
    }

    /// How a piece of code looks on `line`: only the letters are coloured, the background stays that of the line.
    pub(crate) fn style(&self, code: highlighting::Style, line: Style) -> Style {
        let highlighting::Color { r: red, g: green, b: blue, .. } = code.foreground;
        let ground = line.bg.and_then(Rgb::from_colour).unwrap_or_else(|| self.shade.ground(self.terminal));
        let colour = self.terminal.depth.readable(Rgb(red, green, blue), ground);
        let colour = colour.or_else(|| self.sixteen_colour(code.foreground));
        let modifiers = [
            (FontStyle::BOLD, Modifier::BOLD),
            (FontStyle::ITALIC, Modifier::ITALIC),
            (FontStyle::UNDERLINE, Modifier::UNDERLINED),
        ];
        let set = modifiers.into_iter().filter(|(font, _)| code.font_style.contains(*font));
        let style = colour.map_or(line, |colour| line.fg(colour));
        set.fold(style, |style, (_, modifier)| style.add_modifier(modifier))
    }

    /// The colours of the theme for sixteen are numbers, with an alpha of 0. Those that cannot be read everywhere are
    /// replaced by others.
    fn sixteen_colour(self, code: highlighting::Color) -> Option<Color> {
        let number = Some(code.r).filter(|_| code.a == 0)?;
        match (self.shade, number % 8) {
            (BackgroundShade::Dark, 1) => Some(Color::LightRed),
            (BackgroundShade::Dark, 2) => Some(Color::Green),
            (BackgroundShade::Dark, 3) => Some(Color::Yellow),
            (BackgroundShade::Dark, 4) => Some(Color::LightBlue),
            (BackgroundShade::Dark, 5) => Some(Color::LightMagenta),
            (BackgroundShade::Dark, 6) => Some(Color::Cyan),
            (BackgroundShade::Light, 1) => Some(Color::Red),
            (BackgroundShade::Light, 2 | 4 | 6) => Some(Color::Blue),
            (BackgroundShade::Light, 3 | 5) => Some(Color::Magenta),
            // Comments, and what is as plain as the rest.
            (BackgroundShade::Dark | BackgroundShade::Light, _) => None,
        }
    }
}
