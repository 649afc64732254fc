//! The lines of a change as they look everywhere: in an ask, on a page and in the transcript. A line that was added or
//! removed has a background, and code has its colours; in sixteen colours only what has changed has a colour.

use super::highlight::CodeHighlighter;
use super::markdown::word_wrap::wrap_letters;
use super::patch::DiffRow;
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
    colouring: DiffColouring,
}

/// What the colours of letters say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffColouring {
    /// What kind of code it is: the backgrounds say what has changed.
    Syntax,
    /// What has changed. Code in colours of its own would look as if it had.
    Change,
}

impl<'t> DiffLines<'t> {
    /// For a change of the file of this name.
    pub(crate) fn new(name: &str, layout: DiffLayout, theme: &'t Theme) -> DiffLines<'t> {
        let fresh = CodeHighlighter::for_file(name, theme);
        let has_backgrounds = theme.added.bg.is_some() && theme.removed.bg.is_some();
        let colouring = if has_backgrounds { DiffColouring::Syntax } else { DiffColouring::Change };
        DiffLines { layout, theme, old: fresh.clone(), new: fresh.clone(), fresh, colouring }
    }

    /// The next row, of which `text` is what can be drawn.
    pub(crate) fn draw(&mut self, row: &DiffRow<'_>, text: &str) -> Vec<Line<'static>> {
        let theme = self.theme;
        let (sign, style) = match row {
            DiffRow::Same(..) => (" ", theme.text),
            DiffRow::Added(..) => ("+", theme.added),
            DiffRow::Removed(..) => ("-", theme.removed),
            DiffRow::HunkHeader(_) => (" ", theme.accent),
            DiffRow::Remark(_) => (" ", theme.dim),
        };
        let code = match self.colouring {
            DiffColouring::Syntax => self.highlight(row, text, style),
            DiffColouring::Change => None,
        };
        let text = code.unwrap_or_else(|| vec![Span::styled(text.to_owned(), style)]);
        self.lay_out(row.number(), sign, style, &text)
    }

    /// The code of a row in colours; `None` where it is none.
    fn highlight(&mut self, row: &DiffRow<'_>, text: &str, style: Style) -> Option<Vec<Span<'static>>> {
        match row {
            DiffRow::Same(..) => {
                self.old.highlight_line(text, style);
                Some(self.new.highlight_line(text, style))
            }
            DiffRow::Added(..) => Some(self.new.highlight_line(text, style)),
            DiffRow::Removed(..) => Some(self.old.highlight_line(text, style)),
            DiffRow::HunkHeader(_) => {
                // What lies between is not known, and may have ended anything.
                (self.old, self.new) = (self.fresh.clone(), self.fresh.clone());
                None
            }
            DiffRow::Remark(_) => None,
        }
    }

    fn lay_out(&self, number: Option<usize>, sign: &str, style: Style, text: &[Span<'static>]) -> Vec<Line<'static>> {
        let DiffLayout { indent, digits, width, continued, background } = &self.layout;
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        // A background is all that a line's marks share with its text.
        let ground = style.bg.map_or(Style::new(), |colour| Style::new().bg(colour));
        let lines = wrap_letters(text, width.saturating_sub(indent.len() + digits + 1 + SIGN)).into_iter().enumerate();
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
