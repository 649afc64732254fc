//! Code in colours. What knows the languages is loaded once, when the first code block needs it.

use super::flow::{hang, letters, span};
use crate::screen::theme::Theme;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::fmt;
use std::sync::{Arc, OnceLock};
use syntect::highlighting::{self, FontStyle, HighlightIterator, HighlightState, Highlighter};
use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// What stands before each line of code.
const MARGIN: &str = "  ";
/// Longer lines are not coloured: nobody reads them, and they take long.
const LONG_LINE: usize = 2_000;
/// After so many lines of one block the rest of it is not coloured.
const COLOURED_LINES: usize = 5_000;

static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
static THEMES: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();

fn syntaxes() -> &'static SyntaxSet {
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

fn theme_of(name: EmbeddedThemeName) -> &'static highlighting::Theme {
    THEMES.get_or_init(two_face::theme::extra).get(name)
}

/// Load the languages and the themes.
pub(super) fn load() {
    syntaxes();
    theme_of(EmbeddedThemeName::Base16OceanDark);
}

/// Colours the lines of one code block, from its first to its last.
#[derive(Clone)]
pub(super) struct Brush {
    /// `None` where the language is not known or the theme has no colours.
    paint: Option<Paint>,
    lines: usize,
}

#[derive(Clone)]
struct Paint {
    highlighter: Arc<Highlighter<'static>>,
    parse: ParseState,
    highlight: HighlightState,
}

impl fmt::Debug for Brush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brush").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Brush {
    /// For a block of `language`, as its fence names it.
    pub(super) fn new(language: &str, theme: &Theme) -> Brush {
        Brush { paint: Paint::new(language, theme), lines: 0 }
    }

    /// The next line of the block.
    pub(super) fn draw(&mut self, line: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        self.lines += 1;
        let coloured = match &mut self.paint {
            Some(paint) if line.len() <= LONG_LINE && self.lines <= COLOURED_LINES => paint.spans(line),
            _ => None,
        };
        let spans = coloured.unwrap_or_else(|| vec![span(line, theme.text)]);
        let margin = Span::raw(MARGIN);
        hang(letters(&spans, width.saturating_sub(MARGIN.len())), &margin, &margin)
    }
}

impl Paint {
    fn new(language: &str, theme: &Theme) -> Option<Paint> {
        let name = language.split([' ', ',', '{', ':']).next().filter(|name| !name.is_empty())?;
        let name = match name.to_ascii_lowercase().as_str() {
            "shell" | "console" | "zsh" | "shell-session" => "bash".to_owned(),
            "jsonc" | "json5" => "json".to_owned(),
            other => other.to_owned(),
        };
        let theme = theme.syntax?;
        let syntax = syntaxes().find_syntax_by_token(&name)?;
        let highlighter = Arc::new(Highlighter::new(theme_of(theme)));
        let highlight = HighlightState::new(&highlighter, ScopeStack::new());
        Some(Paint { highlighter, parse: ParseState::new(syntax), highlight })
    }

    /// `None` when the grammar fails on this line: it is shown without colours then.
    fn spans(&mut self, line: &str) -> Option<Vec<Span<'static>>> {
        let line = format!("{line}\n");
        let changes = self.parse.parse_line(&line, syntaxes()).ok()?;
        let runs = HighlightIterator::new(&mut self.highlight, &changes, &line, &self.highlighter);
        Some(runs.map(|(style, text)| span(text.trim_end_matches('\n'), style_of(style))).collect())
    }
}

/// Only the letters are coloured: the background is the terminal's own.
fn style_of(style: highlighting::Style) -> Style {
    let colour = style.foreground;
    let modifiers = [
        (FontStyle::BOLD, Modifier::BOLD),
        (FontStyle::ITALIC, Modifier::ITALIC),
        (FontStyle::UNDERLINE, Modifier::UNDERLINED),
    ];
    let set = modifiers.into_iter().filter(|(font, _)| style.font_style.contains(*font));
    set.fold(Style::new().fg(Color::Rgb(colour.r, colour.g, colour.b)), |style, (_, modifier)| {
        style.add_modifier(modifier)
    })
}
