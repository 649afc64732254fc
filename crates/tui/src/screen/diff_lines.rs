//! The lines of a change as they look everywhere: in an ask, on a page and in the transcript. A line that was added or
//! removed has a background, with its code in colours on it; in sixteen colours it has one colour of its own.

use super::highlight::CodeHighlighter;
use super::markdown::flow::letters;
use super::patch::Row;
use super::theme::Theme;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The columns of a sign and the blank after it.
const SIGN: usize = 2;

/// Where the parts of a line stand.
#[derive(Clone, Debug)]
pub(crate) struct DiffLayout {
    pub(crate) indent: String,
    /// The columns for numbers.
    pub(crate) digits: usize,
    pub(crate) width: usize,
    /// The sign of a line that goes on with the one above it.
    pub(crate) continued: &'static str,
    pub(crate) background: BackgroundReach,
}

/// How far the background of a line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackgroundReach {
    /// To the end of its text: a line in the scrollback may have to fit a narrower window later.
    Text,
    /// To the end of the row.
    Row,
}

/// Draws the rows of one change, from its first to its last.
pub(crate) struct DiffLines<'t> {
    layout: DiffLayout,
    theme: &'t Theme,
    /// The beginning of the file.
    fresh: CodeHighlighter,
    /// The file before and after: a line that was removed says nothing about those that stay.
    old: CodeHighlighter,
    new: CodeHighlighter,
}

impl<'t> DiffLines<'t> {
    /// For a change of the file of this name.
    pub(crate) fn new(name: &str, layout: DiffLayout, theme: &'t Theme) -> DiffLines<'t> {
        let fresh = CodeHighlighter::for_file(name, theme);
        DiffLines { layout, theme, old: fresh.clone(), new: fresh.clone(), fresh }
    }

    /// The next row, of which `text` is what can be drawn.
    pub(crate) fn draw(&mut self, row: &Row<'_>, text: &str) -> Vec<Line<'static>> {
        let theme = self.theme;
        let whole = |style| vec![Span::styled(text.to_owned(), style)];
        let (sign, style, text) = match row {
            Row::Same(..) => {
                self.old.highlight_line(text, theme.text);
                (" ", theme.text, self.new.highlight_line(text, theme.text))
            }
            Row::Added(..) => ("+", theme.added, changed(&mut self.new, text, theme.added)),
            Row::Removed(..) => ("-", theme.removed, changed(&mut self.old, text, theme.removed)),
            Row::Place(_) => {
                // What lies between is not known, and may have ended anything.
                (self.old, self.new) = (self.fresh.clone(), self.fresh.clone());
                (" ", theme.accent, whole(theme.accent))
            }
            Row::Remark(_) => (" ", theme.dim, whole(theme.dim)),
        };
        self.lay_out(row.number(), sign, style, &text)
    }

    fn lay_out(&self, number: Option<usize>, sign: &str, style: Style, text: &[Span<'static>]) -> Vec<Line<'static>> {
        let DiffLayout { indent, digits, width, continued, background } = &self.layout;
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        // A background is all that a line's marks share with its text.
        let ground = style.bg.map_or(Style::new(), |colour| Style::new().bg(colour));
        let lines = letters(text, width.saturating_sub(indent.len() + digits + 1 + SIGN)).into_iter().enumerate();
        let line = |(at, text): (usize, Vec<Span<'static>>)| {
            let (number, sign, style) = match at {
                0 => (number.as_str(), sign, style),
                _ => ("", *continued, self.theme.dim.patch(ground)),
            };
            let mut line = Line::from(Span::styled(format!("{indent}{number:>digits$}"), self.theme.dim));
            // Blanks at the end of a line are drawn only where they have a background.
            if !(sign == " " && text.is_empty() && style.bg.is_none()) {
                line.spans.extend([Span::raw(" "), Span::styled(sign.to_owned(), style)]);
            }
            if !text.is_empty() {
                line.spans.push(Span::styled(" ", ground));
                line.spans.extend(text);
            }
            if style.bg.is_some() && *background == BackgroundReach::Row {
                line.spans.push(Span::styled(" ".repeat(width.saturating_sub(line.width())), ground));
            }
            line
        };
        lines.map(line).collect()
    }
}

/// A line that was changed. Without a background its own colour is what says so.
fn changed(code: &mut CodeHighlighter, text: &str, style: Style) -> Vec<Span<'static>> {
    let coloured = code.highlight_line(text, style);
    if style.bg.is_some() { coloured } else { vec![Span::styled(text.to_owned(), style)] }
}
