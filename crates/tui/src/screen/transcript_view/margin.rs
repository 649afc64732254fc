//! How the parts of a transcript are laid out: a sign and a hanging indent, or a gutter.

use crate::sanitize::clean;
use crate::screen::markdown;
use crate::screen::markdown::word_wrap::{clean_span, hang_lines, wrap_letters, wrap_words};
use crate::screen::theme::Theme;
use pollux_session::NoteTone;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The style of a sentence that means this.
pub(super) fn tone_style(tone: NoteTone, theme: &Theme) -> Style {
    match tone {
        NoteTone::Info => theme.dim,
        NoteTone::Good => theme.good,
        NoteTone::Warn => theme.warn,
        NoteTone::Bad => theme.bad,
    }
}

/// The sign that says the same without colour.
pub(super) fn tone_sign(tone: NoteTone) -> &'static str {
    match tone {
        NoteTone::Info => "· ",
        NoteTone::Good => "✓ ",
        NoteTone::Warn => "! ",
        NoteTone::Bad => "✗ ",
    }
}

/// How much of everything is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DetailLevel {
    /// The gist, with a count of what is left out.
    Collapsed,
    /// All there is.
    Expanded,
}

impl DetailLevel {
    /// How many of something are drawn where the gist is `few`.
    pub(super) fn limit(self, few: usize) -> usize {
        match self {
            DetailLevel::Collapsed => few,
            DetailLevel::Expanded => usize::MAX,
        }
    }
}

/// What stands left of the lines of a block, and how wide the screen is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margin {
    width: usize,
    indent: usize,
}

/// Breaks spans into lines of a width.
type Wrap = fn(&[Span<'_>], usize) -> Vec<Vec<Span<'static>>>;

/// How much of the screen an indent may take.
const DEEPEST: usize = 8;
const GUTTER: &str = "│ ";
/// The gutter of a line that goes on with the one above it.
const GUTTER_ON: &str = "¦ ";

impl Margin {
    /// For a block that is `depth` steps below another one.
    pub(super) fn new(width: u16, depth: usize) -> Margin {
        Margin { width: usize::from(width), indent: (2 * depth).min(DEEPEST) }
    }

    /// The same, one step further in.
    pub(super) fn inner(self) -> Margin {
        Margin { indent: self.indent + 2, ..self }
    }

    /// Columns from the screen's edge on.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The indent itself.
    pub(super) fn blank(&self) -> String {
        " ".repeat(self.indent)
    }

    /// Columns for text behind a sign or a gutter.
    pub(super) fn room(&self) -> usize {
        self.width.saturating_sub(self.indent + 2)
    }

    /// A sign of two columns, then `spans`, wrapped at words and indented below the sign.
    pub(super) fn spans_below_sign(&self, sign: &str, style: Style, spans: &[Span<'static>]) -> Vec<Line<'static>> {
        let first = Span::styled(format!("{}{sign}", self.blank()), style);
        let rest = Span::raw(" ".repeat(self.indent + 2));
        hang_lines(wrap_words(spans, self.room()), &first, &rest)
    }

    /// Text in one style below a sign.
    pub(super) fn text_below_sign(&self, sign: &str, style: Style, text: &str) -> Vec<Line<'static>> {
        self.spans_below_sign(sign, style, &[clean_span(text, style)])
    }

    /// One line of output, however often it had to be broken, behind the gutter.
    pub(super) fn gutter(&self, broken: Vec<Vec<Span<'static>>>, theme: &Theme) -> Vec<Line<'static>> {
        let mark = |gutter: &str| Span::styled(format!("{}{gutter}", self.blank()), theme.dim);
        hang_lines(broken, &mark(GUTTER), &mark(GUTTER_ON))
    }

    /// The first lines of what a program printed behind the gutter, at most `most`, and how many are left out.
    pub(super) fn quoted(&self, text: &str, style: Style, most: usize, theme: &Theme) -> Vec<Line<'static>> {
        self.quoted_by(wrap_letters, (text, style), most, theme)
    }

    /// The same for sentences, which break between words.
    pub(super) fn quoted_prose(&self, text: &str, style: Style, most: usize, theme: &Theme) -> Vec<Line<'static>> {
        self.quoted_by(wrap_words, (text, style), most, theme)
    }

    /// Markdown behind the gutter, all of it.
    pub(super) fn quoted_markdown(&self, text: &str, theme: &Theme) -> Vec<Line<'static>> {
        let width = u16::try_from(self.room()).unwrap_or(u16::MAX);
        let lines = markdown::render(text.trim_end(), width, theme);
        lines.into_iter().flat_map(|line| self.gutter(vec![line.spans], theme)).collect()
    }

    fn quoted_by(&self, wrap: Wrap, (text, style): (&str, Style), most: usize, theme: &Theme) -> Vec<Line<'static>> {
        // Not `lines`: a carriage return at the end of a line is part of what is shown.
        let mut rows = text.trim_end_matches('\n').split('\n');
        let mut lines = Vec::new();
        for row in rows.by_ref().take(most) {
            let spans = [Span::styled(clean(row).into_owned(), style)];
            lines.extend(self.gutter(wrap(&spans, self.room()), theme));
        }
        lines.extend(self.more(rows.count(), "more line", theme));
        lines
    }

    /// `… 14 more lines (Ctrl+O)`, where something is left out.
    pub(super) fn more(&self, count: usize, thing: &str, theme: &Theme) -> Option<Line<'static>> {
        let words = pollux_session::plural(count, thing);
        let indent = self.blank();
        (count > 0).then(|| Line::from(Span::styled(format!("{indent}… {words} (Ctrl+O)"), theme.dim)))
    }
}
