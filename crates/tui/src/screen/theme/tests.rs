mod palettes;

use super::terminal_colours::ColourDepth;
use super::{AUTO, NAMES, Rgb, TRUE_COLOURS, TerminalColours, Theme, ThemeSelection, plain, themes};
use crate::ansi_writer::ColourMode;
use crate::screen::diff_lines::{BackgroundReach, DiffLayout, DiffLines};
use crate::screen::highlight::CodeHighlighter;
use crate::screen::patch::rows_from_patch;
use palettes::{Palette, dark_palettes, light_palettes};
use pretty_assertions::assert_eq;
use ratatui::style::{Color, Modifier, Style};

/// The contrast that WCAG 2 asks of large text and of signs. Solarized has no more than 4.1 for its own text.
const SEEN: f32 = 3.0;

const DEPTHS: [ColourDepth; 3] = [ColourDepth::Sixteen, ColourDepth::Indexed, ColourDepth::TrueColour];

impl Palette {
    /// What is really shown.
    fn shown(&self, colour: Option<Color>, otherwise: Rgb) -> Rgb {
        let number = match colour.unwrap_or_default() {
            Color::Reset => return otherwise,
            Color::Black => 0,
            Color::Red => 1,
            Color::Green => 2,
            Color::Yellow => 3,
            Color::Blue => 4,
            Color::Magenta => 5,
            Color::Cyan => 6,
            Color::Gray => 7,
            Color::DarkGray => 8,
            Color::LightRed => 9,
            Color::LightGreen => 10,
            Color::LightYellow => 11,
            Color::LightBlue => 12,
            Color::LightMagenta => 13,
            Color::LightCyan => 14,
            Color::White => 15,
            fixed @ (Color::Rgb(..) | Color::Indexed(_)) => return Rgb::from_colour(fixed).unwrap(),
        };
        self.colours[number]
    }

    /// The least contrast of a style: many terminals show a bold colour as the bright one, and many do not.
    fn contrast(&self, style: Style) -> f32 {
        let ground = self.shown(style.bg, self.background);
        let usual = self.shown(style.fg, self.text).contrast(ground);
        let is_bold = style.add_modifier.contains(Modifier::BOLD);
        let bright = style.fg.filter(|_| is_bold).and_then(bright).map(|colour| self.shown(Some(colour), self.text));
        bright.map_or(usual, |bright| usual.min(bright.contrast(ground)))
    }
}

fn all_palettes() -> Vec<Palette> {
    dark_palettes().into_iter().chain(light_palettes()).collect()
}

fn bright(colour: Color) -> Option<Color> {
    match colour {
        Color::Red => Some(Color::LightRed),
        Color::Green => Some(Color::LightGreen),
        Color::Yellow => Some(Color::LightYellow),
        Color::Blue => Some(Color::LightBlue),
        Color::Magenta => Some(Color::LightMagenta),
        Color::Cyan => Some(Color::LightCyan),
        _ => None,
    }
}

fn roles(theme: &Theme) -> [(&'static str, Style); 16] {
    [
        ("text", theme.text),
        ("dim", theme.dim),
        ("strong", theme.strong),
        ("accent", theme.accent),
        ("what is chosen", theme.accent.patch(theme.strong)),
        ("danger", theme.bad.patch(theme.strong)),
        ("person", theme.person),
        ("good", theme.good),
        ("warn", theme.warn),
        ("bad", theme.bad),
        ("added", theme.added),
        ("removed", theme.removed),
        ("code", theme.code),
        ("code in a heading", theme.code.patch(theme.strong)),
        ("link", theme.link),
        ("qr", theme.qr),
    ]
}

/// The theme that is used on a palette.
fn following(palette: &Palette, depth: ColourDepth) -> Theme {
    let terminal = TerminalColours { depth, background: Some(palette.background) };
    ThemeSelection::new(None, terminal, ColourMode::Always).current
}

/// A change with something of every kind that syntax themes colour.
const CHANGE: &str = "@@ -1,9 +1,9 @@\n // a comment\n use std::fmt;\n-/// Old.\n-const SIZE: usize = 4;\n+/// New.\n\
                      +const SIZE: usize = 8;\n fn main() -> Result<(), String> {\n-    let text = \"one\\n\";\n\
                      +    let text = format!(\"two {}\", 'x');\n     self.call(text, true, 3.14)?;\n #[derive(Debug)]\n \
                      struct Point<T> { x: T }\n";

/// The same code in a block of an answer.
fn block_styles(theme: &Theme) -> Vec<Style> {
    let mut highlighter = CodeHighlighter::for_language("rust", theme);
    let lines = rows_from_patch(CHANGE).into_iter().flat_map(|row| highlighter.highlight_line(row.text(), theme.text));
    lines.map(|span| span.style).collect()
}

fn code_styles(theme: &Theme) -> Vec<Style> {
    let layout =
        DiffLayout { indent: String::new(), digits: 1, width: 80, continued: " ", background: BackgroundReach::Row };
    let mut lines = DiffLines::new("main.rs", layout, theme);
    let drawn = rows_from_patch(CHANGE).iter().flat_map(|row| lines.draw(row, row.text())).collect::<Vec<_>>();
    drawn
        .iter()
        .flat_map(|line| &line.spans)
        .filter(|span| !span.content.trim().is_empty())
        .map(|span| span.style)
        .collect()
}

#[test]
fn every_role_can_be_read_on_every_palette() {
    let mut unreadable = Vec::new();
    for (name, palettes) in [("dark", dark_palettes()), ("light", light_palettes())] {
        for palette in &palettes {
            for depth in DEPTHS {
                let theme = following(palette, depth);
                assert_eq!(theme.name, name, "{}", palette.name);
                let code = code_styles(&theme).into_iter().map(|style| ("code in a diff", style));
                let block = block_styles(&theme).into_iter().map(|style| ("code in a block", style));
                for (role, style) in roles(&theme).into_iter().chain(code).chain(block) {
                    let contrast = palette.contrast(style);
                    // The terminal's own text is as readable as its owner wants it.
                    let is_own = palette.shown(style.fg, palette.text) == palette.text && style.bg.is_none();
                    if contrast < SEEN && !is_own {
                        unreadable.push(format!("{} in {depth:?}: {role} {style:?} has {contrast:.1}", palette.name));
                    }
                }
            }
        }
    }
    assert_eq!(unreadable, Vec::<String>::new());
}

#[test]
fn code_on_the_background_of_a_change_is_easy_to_read() {
    for palette in &all_palettes() {
        for depth in [ColourDepth::Indexed, ColourDepth::TrueColour] {
            for style in code_styles(&following(palette, depth)).into_iter().filter(|style| style.bg.is_some()) {
                let contrast = palette.contrast(style);
                assert!(contrast >= 4.5, "{} in {depth:?}: {style:?} has {contrast:.1}", palette.name);
            }
        }
    }
}

#[test]
fn changes_have_backgrounds_and_syntax_colours_where_there_are_enough_colours() {
    for palette in &all_palettes() {
        for depth in DEPTHS {
            let theme = following(palette, depth);
            let (added, removed) = (theme.added, theme.removed);
            let (on, off): (Vec<_>, Vec<_>) = code_styles(&theme).into_iter().partition(|style| style.bg.is_some());
            assert_eq!(added.bg.is_some(), depth != ColourDepth::Sixteen, "{}", palette.name);
            assert_ne!(palette.shown(added.fg, palette.text), palette.text, "{}", palette.name);
            match depth {
                ColourDepth::Sixteen => {
                    assert_ne!(added.fg, removed.fg, "the sign is not all that tells them apart");
                    assert_eq!(on, []);
                    let others = [theme.text.fg, theme.dim.fg, theme.accent.fg, added.fg, removed.fg];
                    assert!(off.iter().all(|style| others.contains(&style.fg)), "only changes are coloured: {off:?}");
                    assert!(
                        off.iter().any(|style| style.fg == added.fg) && off.iter().any(|style| style.fg == removed.fg)
                    );
                }
                ColourDepth::Indexed | ColourDepth::TrueColour => {
                    assert_ne!(added.bg, removed.bg);
                    let letters = on.iter().filter(|style| style.bg == added.bg).map(|style| style.fg);
                    let colours: std::collections::HashSet<_> = letters.collect();
                    assert!(colours.len() > 2, "{} in {depth:?}: {colours:?}", palette.name);
                }
            }
        }
    }
}

#[test]
fn nothing_is_faint() {
    for depth in DEPTHS {
        for theme in themes(TerminalColours { depth, background: None }) {
            let faint =
                |(role, style): (&'static str, Style)| style.add_modifier.contains(Modifier::DIM).then_some(role);
            assert_eq!(roles(&theme).into_iter().filter_map(faint).collect::<Vec<_>>(), Vec::<&str>::new());
        }
    }
}

#[test]
fn the_theme_follows_the_background_until_one_is_chosen() {
    let mut selection = ThemeSelection::new(None, TRUE_COLOURS, ColourMode::Always);
    assert_eq!((selection.choice(), selection.current.name), (AUTO, "dark"), "most are dark");
    selection.take_background(Rgb::WHITE);
    assert_eq!((selection.choice(), selection.current.name), (AUTO, "light"));
    assert!(selection.choose("dark"));
    selection.take_background(Rgb::WHITE);
    assert_eq!((selection.choice(), selection.current.name), ("dark", "dark"));
    assert!(!selection.choose("mauve"));
    assert_eq!(selection.choice(), "dark");
    assert!(selection.choose(AUTO));
    assert_eq!(selection.current.name, "light", "what the terminal said is not forgotten");
    assert!(NAMES.into_iter().all(|name| selection.choose(name)));
}

#[test]
fn a_terminal_without_colours_gets_none() {
    let mut selection = ThemeSelection::new(Some("light"), TRUE_COLOURS, ColourMode::Never);
    selection.take_background(Rgb::BLACK);
    assert_eq!((selection.choice(), selection.current), ("light", plain()), "and the choice is kept for others");
}

#[test]
fn a_theme_that_is_not_known_follows_the_background() {
    assert_eq!(ThemeSelection::new(Some("mauve"), TRUE_COLOURS, ColourMode::Always).choice(), AUTO);
}
