//! Lines of code in colours. What knows the languages is loaded once, when the first code needs it.

use super::theme::{SyntaxColours, Theme};
use crate::sanitize::clean;
use ratatui::style::Style;
use ratatui::text::Span;
use std::fmt;
use std::sync::{Arc, OnceLock};
use syntect::highlighting::{self, HighlightIterator, HighlightState, Highlighter};
use syntect::parsing::{ParseState, ScopeStack, SyntaxReference, SyntaxSet};
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// Longer lines are not coloured: nobody reads them, and they take long.
const LONG_LINE: usize = 2_000;
/// After so many lines the rest is not coloured.
const COLOURED_LINES: usize = 5_000;

static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
static THEMES: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();

fn syntaxes() -> &'static SyntaxSet {
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

fn theme_of(name: EmbeddedThemeName) -> &'static highlighting::Theme {
    THEMES.get_or_init(two_face::theme::extra).get(name)
}

/// Load the languages and the themes. Takes some ten milliseconds: call it on a thread of its own, after the first frame.
pub(crate) fn load_syntaxes() {
    syntaxes();
    theme_of(EmbeddedThemeName::Base16OceanDark);
}

/// Colours lines that follow each other.
#[derive(Clone)]
pub(crate) struct CodeHighlighter {
    /// `None` where the language is not known or the theme has no colours.
    language: Option<LanguageHighlighter>,
    lines: usize,
}

#[derive(Clone)]
struct LanguageHighlighter {
    colours: SyntaxColours,
    highlighter: Arc<Highlighter<'static>>,
    parse: ParseState,
    highlight: HighlightState,
}

impl fmt::Debug for CodeHighlighter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeHighlighter").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl CodeHighlighter {
    /// For a block of `language`, as its fence names it.
    pub(crate) fn for_language(language: &str, theme: &Theme) -> CodeHighlighter {
        CodeHighlighter::with_syntax(theme, || {
            let name = language.split([' ', ',', '{', ':']).next().filter(|name| !name.is_empty())?;
            let name = match name.to_ascii_lowercase().as_str() {
                "shell" | "console" | "zsh" | "shell-session" => "bash".to_owned(),
                "jsonc" | "json5" => "json".to_owned(),
                other => other.to_owned(),
            };
            syntaxes().find_syntax_by_token(&name)
        })
    }

    /// For a file of this name: `Makefile`, `main.rs`.
    pub(crate) fn for_file(name: &str, theme: &Theme) -> CodeHighlighter {
        CodeHighlighter::with_syntax(theme, || {
            let extension = name.rsplit_once('.').map(|(_, extension)| extension);
            let by_extension = |extension| syntaxes().find_syntax_by_extension(extension);
            by_extension(name).or_else(|| by_extension(extension?))
        })
    }

    fn with_syntax(theme: &Theme, syntax: impl FnOnce() -> Option<&'static SyntaxReference>) -> CodeHighlighter {
        // The languages are not loaded for a theme without colours.
        let language = theme.syntax.and_then(|colours| {
            let syntax = syntax()?;
            let highlighter = Arc::new(Highlighter::new(theme_of(colours.theme())));
            let highlight = HighlightState::new(&highlighter, ScopeStack::new());
            Some(LanguageHighlighter { colours, highlighter, parse: ParseState::new(syntax), highlight })
        });
        CodeHighlighter { language, lines: 0 }
    }

    /// The next line. What has no colour of its own looks as `style` says, and its background is behind all of it.
    pub(crate) fn highlight_line(&mut self, line: &str, style: Style) -> Vec<Span<'static>> {
        self.lines += 1;
        let coloured = match &mut self.language {
            Some(language) if line.len() <= LONG_LINE && self.lines <= COLOURED_LINES => language.spans(line, style),
            _ => None,
        };
        coloured.unwrap_or_else(|| vec![Span::styled(clean(line).into_owned(), style)])
    }
}

impl LanguageHighlighter {
    /// `None` when the grammar fails on this line: it is shown without colours then.
    fn spans(&mut self, line: &str, style: Style) -> Option<Vec<Span<'static>>> {
        let line = format!("{line}\n");
        let changes = self.parse.parse_line(&line, syntaxes()).ok()?;
        let pieces = HighlightIterator::new(&mut self.highlight, &changes, &line, &self.highlighter);
        let span = |(code, text): (highlighting::Style, &str)| {
            Span::styled(clean(text.trim_end_matches('\n')).into_owned(), self.colours.style(code, style))
        };
        Some(pieces.map(span).collect())
    }
}
