//! Blocks that are drawn as a whole: headings, rules, tables, markup of a page, and what is nested too deep.

use super::inline::{MarkdownEvents, inline_spans};
use super::table::{TableCell, table_lines};
use super::word_wrap::{clean_span, wrap_letters, wrap_words};
use crate::screen::theme::Theme;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// How long a rule is drawn: no line is as wide as the screen, since screens get narrower.
const RULE: usize = 24;

/// The lines of a block that is whole.
pub(super) fn draw_leaf(text: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let parser = Parser::new_ext(text, options);
    let mut defined: Vec<_> = parser.reference_definitions().iter().map(|(_, link)| link.span.clone()).collect();
    defined.sort_by_key(|range| range.start);
    let events = parser.collect::<Vec<_>>().into_iter().peekable();
    let mut page = LeafRenderer { events: MarkdownEvents { events }, theme };
    let mut lines = page.blocks(width);
    // Where a link's name leads is not part of any block, and would be seen by nobody.
    for range in defined {
        let source = text.get(range).unwrap_or_default();
        lines.extend(wrap_words(&[clean_span(source.trim(), theme.dim)], width).into_iter().map(Line::from));
    }
    lines
}

struct LeafRenderer<'a, 't> {
    events: MarkdownEvents<'a>,
    theme: &'t Theme,
}

impl<'a> LeafRenderer<'a, '_> {
    fn blocks(&mut self, width: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        while let Some(event) = self.events.events.next() {
            match event {
                Event::Start(tag) => lines.extend(self.block(tag, width)),
                Event::Rule => {
                    lines.push(Line::from(Span::styled("─".repeat(RULE.min(width)), self.theme.dim)));
                }
                // Everything else is part of a block.
                _ => {}
            }
        }
        lines
    }

    fn block(&mut self, tag: Tag<'a>, width: usize) -> Vec<Line<'static>> {
        match tag {
            Tag::Heading { level, .. } => self.heading(level, width),
            Tag::HtmlBlock => self.html(width),
            Tag::Table(alignments) => {
                let (head, rows) = self.cells();
                table_lines(&head, &rows, &alignments, width, self.theme)
            }
            // A paragraph, and what is nested too deep.
            _ => self.flat(width),
        }
    }

    fn heading(&mut self, level: HeadingLevel, width: usize) -> Vec<Line<'static>> {
        let style = match level {
            HeadingLevel::H1 => self.theme.accent.patch(self.theme.strong).add_modifier(Modifier::UNDERLINED),
            HeadingLevel::H2 => self.theme.accent.patch(self.theme.strong),
            HeadingLevel::H3 | HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => self.theme.strong,
        };
        let spans = inline_spans(&mut self.events, style, self.theme);
        self.events.events.next();
        wrap_words(&spans, width).into_iter().map(Line::from).collect()
    }

    /// Markup of a page is text here.
    fn html(&mut self, width: usize) -> Vec<Line<'static>> {
        let mut text = String::new();
        for event in self.events.events.by_ref() {
            match event {
                Event::End(TagEnd::HtmlBlock) => break,
                Event::Text(piece) | Event::Html(piece) | Event::InlineHtml(piece) => text.push_str(&piece),
                _ => {}
            }
        }
        let spans = [clean_span(text.trim_end_matches('\n'), self.theme.dim)];
        wrap_letters(&spans, width).into_iter().map(Line::from).collect()
    }

    /// Everything up to the end of a block, however deep, as one paragraph.
    fn flat(&mut self, width: usize) -> Vec<Line<'static>> {
        let mut spans = Vec::new();
        let mut open = 1;
        while open > 0 {
            spans.extend(inline_spans(&mut self.events, self.theme.text, self.theme));
            match self.events.events.next() {
                None => break,
                Some(Event::Start(_)) => open += 1,
                Some(Event::End(_)) => open -= 1,
                Some(_) => {}
            }
            if !spans.is_empty() {
                spans.push(Span::raw(" "));
            }
        }
        wrap_words(&spans, width).into_iter().map(Line::from).collect()
    }

    /// The head of a table and its rows; the end of the table is taken too.
    fn cells(&mut self) -> (Vec<TableCell>, Vec<Vec<TableCell>>) {
        let (mut head, mut rows, mut row) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(event) = self.events.events.next() {
            match event {
                Event::Start(Tag::TableCell) => row.push(inline_spans(&mut self.events, self.theme.text, self.theme)),
                Event::End(TagEnd::TableHead) => head = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => rows.push(std::mem::take(&mut row)),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        (head, rows)
    }
}
