//! The sequences that colour text (SGR), as styles.

use ratatui::style::{Color, Modifier, Style};
use vte::{Params, Perform};

/// `style` after `sequence`; `None` when the sequence does something else than colouring.
pub(super) fn apply_sgr(style: Style, sequence: &str) -> Option<Style> {
    let mut painter = SgrParser { style, has_painted: false };
    vte::Parser::new().advance(&mut painter, sequence.as_bytes());
    painter.has_painted.then(|| legible(painter.style))
}

struct SgrParser {
    style: Style,
    has_painted: bool,
}

impl Perform for SgrParser {
    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if action != 'm' || !intermediates.is_empty() || ignore {
            return;
        }
        self.has_painted = true;
        let mut params = params.iter();
        while let Some(param) = params.next() {
            self.apply_param(param, &mut params);
        }
    }
}

impl SgrParser {
    fn apply_param<'p>(&mut self, param: &[u16], more: &mut impl Iterator<Item = &'p [u16]>) {
        let style = self.style;
        self.style = match param.first().copied().unwrap_or(0) {
            0 => Style::new(),
            1 => style.add_modifier(Modifier::BOLD),
            2 => style.add_modifier(Modifier::DIM),
            3 => style.add_modifier(Modifier::ITALIC),
            4 => style.add_modifier(Modifier::UNDERLINED),
            7 => style.add_modifier(Modifier::REVERSED),
            9 => style.add_modifier(Modifier::CROSSED_OUT),
            22 => without(without(style, Modifier::BOLD), Modifier::DIM),
            23 => without(style, Modifier::ITALIC),
            24 => without(style, Modifier::UNDERLINED),
            27 => without(style, Modifier::REVERSED),
            29 => without(style, Modifier::CROSSED_OUT),
            code @ 30..=37 => style.fg(indexed_colour(code - 30)),
            code @ 90..=97 => style.fg(indexed_colour(code - 90 + 8)),
            code @ 40..=47 => style.bg(indexed_colour(code - 40)),
            code @ 100..=107 => style.bg(indexed_colour(code - 100 + 8)),
            38 => extended_colour(param, more).map_or(style, |colour| style.fg(colour)),
            48 => extended_colour(param, more).map_or(style, |colour| style.bg(colour)),
            // The colour of underlines is not kept, but its numbers are no other codes.
            58 => {
                extended_colour(param, more);
                style
            }
            39 => Style { fg: None, ..style },
            49 => Style { bg: None, ..style },
            // Blinking is a nuisance, and hidden text (8) is what must not be.
            _ => style,
        };
    }
}

/// One of the 256 colours or one of all: `38;5;n`, `38;2;r;g;b`, and the same with colons.
fn extended_colour<'p>(param: &[u16], more: &mut impl Iterator<Item = &'p [u16]>) -> Option<Color> {
    let numbers: Vec<u16> = match param {
        [_] => {
            let mut next = || more.next().and_then(|param| param.first().copied());
            match next()? {
                5 => vec![5, next()?],
                2 => vec![2, next()?, next()?, next()?],
                _ => return None,
            }
        }
        // With colons there may be a colour space before the three parts.
        [_, 2, _, red, green, blue, ..] => vec![2, *red, *green, *blue],
        [_, rest @ ..] => rest.to_vec(),
        [] => return None,
    };
    let byte = |number: u16| u8::try_from(number).ok();
    match numbers[..] {
        [5, number] => byte(number).map(Color::Indexed),
        [2, red, green, blue] => Some(Color::Rgb(byte(red)?, byte(green)?, byte(blue)?)),
        _ => None,
    }
}

/// The first sixteen are the person's own choice, like those of our themes.
fn indexed_colour(number: u16) -> Color {
    const NAMED: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    NAMED.get(usize::from(number)).copied().unwrap_or(Color::Reset)
}

fn without(style: Style, modifier: Modifier) -> Style {
    Style { add_modifier: style.add_modifier.difference(modifier), ..style }
}

/// Letters in the colour of their background would be hidden.
fn legible(style: Style) -> Style {
    if style.fg.is_some() && style.fg == style.bg { Style { bg: None, ..style } } else { style }
}
