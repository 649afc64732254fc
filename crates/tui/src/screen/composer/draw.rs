//! What the composer looks like: a sign, the text around the cursor, and below it what is offered or searched.

use super::completion::{CompletionItem, CompletionMenu};
use super::history_search::HistorySearch;
use super::text_layout::{TextLayout, cut};
use super::{Composer, InputMode};
use crate::sanitize::one_line;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::Theme;
use ratatui::layout::Position;
use ratatui::text::{Line, Span};
use std::ops::Range;
use std::sync::atomic::Ordering;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The sign and its blank.
const MARGIN: usize = 2;
/// The most rows below the text.
const ROWS_OFFERED: usize = 8;
/// The widest that names are before what is said about them.
const WIDEST_NAME: usize = 32;
/// The longest name or description that is looked at.
const LONGEST: usize = 400;

/// What is said in an empty composer that is wide enough.
const HINT: &str = "Type a prompt, @file, /command or !shell · ? for keys";

/// How wide the text is in so many columns: after the margin, with room for the cursor behind a full row.
pub(super) fn text_width(width: u16) -> usize {
    usize::from(width).saturating_sub(MARGIN + 1).max(1)
}

impl Composer {
    /// What it looks like in at most `height` lines, none wider than `width`.
    pub(crate) fn render(&self, width: u16, height: u16, theme: &Theme) -> RenderedLines {
        self.drawn_width.store(width, Ordering::Relaxed);
        let height = usize::from(height).max(1);
        let columns = usize::from(width);
        match (&self.search, self.completion.menu()) {
            (Some(search), _) => {
                let mut picture = self.render_search_hit(search, width, height.saturating_sub(1).max(1), theme);
                picture.stack(search_line(search, columns, theme));
                picture
            }
            (None, None) => self.render_text(width, height, theme),
            (None, Some(menu)) => {
                let offered = menu.rows.len().min(ROWS_OFFERED).min(height.saturating_sub(1));
                let mut picture = self.render_text(width, height - offered, theme);
                let mark = if self.completion.is_complete() { MenuMark::Nothing } else { MenuMark::Chosen };
                picture.stack(RenderedLines::without_cursor(menu_lines(menu, mark, (offered, columns), theme)));
                picture
            }
        }
    }

    /// The row being written, while a dialog has the composer's place; none when nothing is typed.
    pub(crate) fn draft_row(&self, width: u16, theme: &Theme) -> Option<RenderedLines> {
        (!self.is_empty()).then(|| RenderedLines { cursor: None, ..self.render_text(width, 1, theme) })
    }

    fn render_text(&self, width: u16, height: usize, theme: &Theme) -> RenderedLines {
        if self.buffer.text().is_empty() {
            let space = usize::from(width).saturating_sub(MARGIN);
            let hint = match self.buffer.input_mode {
                InputMode::Prompt if space < HINT.width() => "Type a prompt · ? for keys",
                InputMode::Prompt => HINT,
                InputMode::Shell => "Type a shell command · Esc to leave",
            };
            let line = Line::from(vec![sign(self.buffer.input_mode, theme), Span::styled(cut(hint, space), theme.dim)]);
            return RenderedLines { lines: vec![line], cursor: Some(Position { x: 2, y: 0 }) };
        }
        let layout = TextLayout { text: self.buffer.text(), folds: &self.pastes, width: text_width(width) };
        rows(&layout, self.buffer.cursor()..self.buffer.cursor(), height, (self.buffer.input_mode, theme))
    }

    /// The prompt that was found, around the part of it that was searched for.
    fn render_search_hit(&self, search: &HistorySearch, width: u16, height: usize, theme: &Theme) -> RenderedLines {
        let Some(prompt) = search.found.and_then(|found| self.history.prompt(found)) else {
            return RenderedLines { cursor: None, ..self.render_text(width, height, theme) };
        };
        let (input_mode, text) = InputMode::split_text(prompt);
        let unfolded = super::FoldedPastes::default();
        let layout = TextLayout { text, folds: &unfolded, width: text_width(width) };
        let part = place_of(&search.part, text).unwrap_or(0..0);
        RenderedLines { cursor: None, ..rows(&layout, part, height, (input_mode, theme)) }
    }
}

/// The rows around a place, which is marked unless it is empty.
fn rows(
    layout: &TextLayout<'_>,
    place: Range<usize>,
    height: usize,
    (input_mode, theme): (InputMode, &Theme),
) -> RenderedLines {
    let shown = layout.rows_around(place.start, height);
    let last = shown.rows.len() - 1;
    let lines = shown.rows.iter().enumerate().map(|(at, row)| {
        let margin = match at {
            0 if shown.more_above => Span::styled("↑ ", theme.dim),
            at if at == last && shown.more_below => Span::styled("↓ ", theme.dim),
            0 => sign(input_mode, theme),
            _ => Span::raw("  "),
        };
        let mut spans = vec![margin];
        spans.extend(layout.spans(row.clone(), &place, theme));
        Line::from(spans)
    });
    let column = MARGIN + layout.column(place.start);
    RenderedLines { lines: lines.collect(), cursor: Some(position(column, shown.cursor)) }
}

fn sign(input_mode: InputMode, theme: &Theme) -> Span<'static> {
    match input_mode {
        InputMode::Prompt => Span::styled("> ", theme.accent),
        InputMode::Shell => Span::styled("! ", theme.warn),
    }
}

/// Where `part` is in `text`, capital or small.
fn place_of(part: &str, text: &str) -> Option<Range<usize>> {
    let part = part.to_lowercase();
    text.char_indices().find_map(|(start, _)| {
        let mut wanted = part.chars();
        for (at, ch) in text[start..].char_indices() {
            if wanted.as_str().is_empty() {
                return Some(start..start + at);
            }
            if !ch.to_lowercase().all(|ch| wanted.next() == Some(ch)) {
                return None;
            }
        }
        wanted.as_str().is_empty().then_some(start..text.len())
    })
}

fn search_line(search: &HistorySearch, width: usize, theme: &Theme) -> RenderedLines {
    let nothing = search.found.is_none() && !search.part.is_empty();
    let label = if nothing { "no match: " } else { "search: " };
    let hint = "  Ctrl+R older · Enter takes it · Esc back";
    // The end of what is typed is where the person looks.
    let part = cut_start(&one_line_inside(&search.part), width.saturating_sub(label.width() + 1));
    let cursor = label.width() + part.width();
    let mut spans =
        vec![Span::styled(label, if nothing { theme.warn } else { theme.dim }), Span::styled(part, theme.strong)];
    if cursor + hint.width() <= width {
        spans.push(Span::styled(hint, theme.dim));
    }
    RenderedLines { lines: vec![Line::from(spans)], cursor: Some(position(cursor, 0)) }
}

/// Whether Enter takes the chosen row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MenuMark {
    Chosen,
    /// It sends the text as it stands.
    Nothing,
}

fn menu_lines(
    menu: &CompletionMenu,
    mark: MenuMark,
    (height, width): (usize, usize),
    theme: &Theme,
) -> Vec<Line<'static>> {
    // The last line counts when not all rows fit.
    let counts = menu.total > height;
    let room = if counts && height > 1 { height - 1 } else { height };
    let first = menu.chosen.saturating_sub(room / 2).min(menu.rows.len().saturating_sub(room));
    let rows: Vec<&CompletionItem> = menu.rows.iter().skip(first).take(room).collect();
    let widest = menu.rows.iter().map(|row| one_line(&row.name, LONGEST).width()).max().unwrap_or(0);
    let described = menu.rows.iter().any(|row| !row.about.is_empty());
    let space = width.saturating_sub(MARGIN);
    // On a narrow screen what is said about them has half of it.
    let name_width = if described { widest.min(WIDEST_NAME).min(space.div_ceil(2)) } else { space };
    let mut lines: Vec<Line<'static>> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            menu_line(row, mark == MenuMark::Chosen && first + at == menu.chosen, name_width, space, theme)
        })
        .collect();
    if counts && height > 1 {
        let count = format!("  {} of {}", menu.chosen + 1, menu.total);
        lines.push(Line::styled(cut(&count, width), theme.dim));
    }
    lines
}

fn menu_line(row: &CompletionItem, chosen: bool, name_width: usize, space: usize, theme: &Theme) -> Line<'static> {
    let (sign, style) = if chosen { ("› ", theme.accent) } else { ("  ", theme.text) };
    let clean = one_line(&row.name, LONGEST);
    // The end of a path says more than its start.
    let name = if row.about.is_empty() { cut_start(&clean, name_width) } else { cut(&clean, name_width) };
    let gap = name_width.saturating_sub(name.width()) + 2;
    let mut spans = vec![Span::styled(sign, style), Span::styled(name, style)];
    if !row.about.is_empty() && space > name_width + 2 {
        let about = cut(&one_line(&row.about, LONGEST), space - name_width - 2);
        spans.push(Span::styled(format!("{}{about}", " ".repeat(gap)), theme.dim));
    }
    Line::from(spans)
}

/// On one line as it is, with its blanks at both ends.
fn one_line_inside(text: &str) -> String {
    let end = text.trim_end().len();
    let start = end - text[..end].trim_start().len();
    let blank = |part: &str| " ".repeat(part.chars().count());
    if end == 0 {
        blank(text)
    } else {
        format!("{}{}{}", blank(&text[..start]), one_line(text, LONGEST), blank(&text[end..]))
    }
}

/// The last `width` columns of a text, with a `…` where it was cut.
fn cut_start(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut start, mut column) = (text.len(), 1);
    for (at, cluster) in text.grapheme_indices(true).rev() {
        column += cluster.width();
        if column > width {
            break;
        }
        start = at;
    }
    if width == 0 { String::new() } else { format!("…{}", &text[start..]) }
}

fn position(column: usize, row: usize) -> Position {
    let narrow = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
    Position { x: narrow(column), y: narrow(row) }
}
