//! What is known about the terminal's colours: how many it shows, and what its background is.

use super::rgb::Rgb;

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColourDepth {
    /// Those that people choose for themselves, and no others.
    Sixteen,
    /// A cube of fixed colours and a scale of greys besides.
    Indexed,
    /// All of them.
    TrueColour,
}

/// A terminal's colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TerminalColours {
    pub(crate) depth: ColourDepth,
    /// `None` where the terminal has not said.
    pub(crate) background: Option<Rgb>,
}

impl TerminalColours {
    /// What the environment tells. The terminal's own word about its background comes later, if it comes.
    pub(crate) fn from_environment(variable: impl Fn(&str) -> Option<String>) -> TerminalColours {
        let background = variable("COLORFGBG").as_deref().and_then(background_of);
        TerminalColours { depth: ColourDepth::of(variable), background }
    }
}

impl ColourDepth {
    fn of(variable: impl Fn(&str) -> Option<String>) -> ColourDepth {
        let text = |name: &str| variable(name).unwrap_or_default();
        let (term, program) = (text("TERM"), text("TERM_PROGRAM"));
        // GNU screen hands the variables of the terminal around it on, and shows fewer colours.
        let in_screen = !text("STY").is_empty();
        let says_so = matches!(text("COLORTERM").as_str(), "truecolor" | "24bit");
        let is_known_to = matches!(program.as_str(), "iTerm.app" | "WezTerm" | "ghostty" | "vscode")
            || ["-direct", "kitty", "alacritty", "ghostty", "foot"].iter().any(|part| term.contains(part))
            || !text("WT_SESSION").is_empty()
            || text("VTE_VERSION").parse::<u32>().is_ok_and(|version| version >= 3_600);
        if !in_screen && (says_so || is_known_to) {
            ColourDepth::TrueColour
        } else if term.contains("256color") || !text("TMUX").is_empty() {
            ColourDepth::Indexed
        } else {
            ColourDepth::Sixteen
        }
    }
}

/// The background in `COLORFGBG`: `15;0`, or `0;default;15`. Its numbers are those of the sixteen colours.
fn background_of(text: &str) -> Option<Rgb> {
    match text.rsplit(';').next()?.parse::<u8>().ok()? {
        0..=6 | 8 => Some(Rgb::BLACK),
        7 | 9..=15 => Some(Rgb::WHITE),
        16.. => None,
    }
}

/// Read what a terminal says when it is asked for a colour: `rgb:ffff/ffff/ffff`, with one to four digits each.
pub(crate) fn parse_colour(text: &str) -> Option<Rgb> {
    if let Some(digits) = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii()) {
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        return Some(Rgb(byte(0)?, byte(2)?, byte(4)?));
    }
    let amounts = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut amounts = amounts.split('/').map(|digits| {
        let most = 16u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        let amount = u32::from_str_radix(digits, 16).ok()?;
        u8::try_from(amount.checked_mul(255)?.checked_div(most)?).ok()
    });
    Some(Rgb(amounts.next()??, amounts.next()??, amounts.next()??))
}

#[cfg(test)]
mod tests {
    use super::{ColourDepth, Rgb, TerminalColours, parse_colour};
    use pretty_assertions::assert_eq;

    fn colours(variables: &[(&str, &str)]) -> TerminalColours {
        TerminalColours::from_environment(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn depths_are_known_by_the_variables() {
        let rows: [(&[(&str, &str)], ColourDepth); 10] = [
            (&[], ColourDepth::Sixteen),
            (&[("TERM", "linux")], ColourDepth::Sixteen),
            (&[("TERM", "xterm")], ColourDepth::Sixteen),
            (&[("TERM", "xterm-256color")], ColourDepth::Indexed),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], ColourDepth::TrueColour),
            (&[("TERM", "xterm-kitty")], ColourDepth::TrueColour),
            (&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")], ColourDepth::TrueColour),
            (&[("TERM", "screen"), ("TMUX", "/tmp/t,1,0")], ColourDepth::Indexed),
            (&[("TERM", "tmux-256color"), ("TMUX", "/tmp/t,1,0"), ("COLORTERM", "24bit")], ColourDepth::TrueColour),
            (&[("TERM", "screen"), ("STY", "1.pts"), ("COLORTERM", "truecolor")], ColourDepth::Sixteen),
        ];
        for (variables, depth) in rows {
            assert_eq!(colours(variables).depth, depth, "{variables:?}");
        }
    }

    #[test]
    fn some_terminals_tell_their_background_in_a_variable() {
        let background = |text: &str| colours(&[("COLORFGBG", text)]).background;
        assert_eq!(background("15;0"), Some(Rgb::BLACK));
        assert_eq!(background("0;15"), Some(Rgb::WHITE));
        assert_eq!(background("0;default;15"), Some(Rgb::WHITE));
        assert_eq!(["", "default;default", "15;99", "x"].map(background), [None; 4]);
    }

    #[test]
    fn colours_are_read_in_all_their_spellings() {
        let cream = Some(Rgb(0xfd, 0xf6, 0xe3));
        for text in ["rgb:fdfd/f6f6/e3e3", "rgb:fd/f6/e3", "#fdf6e3", "rgba:fdfd/f6f6/e3e3/ffff"] {
            assert_eq!(parse_colour(text), cream, "{text}");
        }
        assert_eq!(parse_colour("rgb:f/0/f"), Some(Rgb(255, 0, 255)));
        let wrong = ["", "rgb:", "rgb:ff/ff", "rgb:ff//ff", "rgb:gg/00/00", "rgb:123456789/0/0", "#fdf6e", "#€€", "?"];
        assert_eq!(wrong.map(parse_colour), [None; 9]);
    }
}
