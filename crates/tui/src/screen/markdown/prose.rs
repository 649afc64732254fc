//! Whole blocks of markdown as lines: paragraphs, headings, lists, quotes, tables, code that is part of a list.

use super::code::Brush;
use super::flow::{hang, letters, span, words};
use super::inline::{Walk, inline, is_inline};
use super::table::{Cell, table};
use crate::screen::theme::Theme;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// Where less room than this is left, what is nested is drawn as plain text.
const NEST_WIDTH: usize = 24;
/// What is nested deeper than this is drawn as plain text.
const NEST_DEPTH: usize = 12;
/// How long a rule is drawn: no line is as wide as the screen, since screens get narrower.
const RULE: usize = 24;

/// The lines of a text that is whole.
pub(super) fn draw(text: &str, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(text, options);
    let mut defined: Vec<_> = parser.reference_definitions().iter().map(|(_, link)| link.span.clone()).collect();
    defined.sort_by_key(|range| range.start);
    let events = parser.collect::<Vec<_>>().into_iter().peekable();
    let mut page = Page { walk: Walk { events }, theme };
    let mut lines = page.blocks(width, 0);
    // Where a link's name leads is not part of any block, and would be seen by nobody.
    for range in defined {
        let source = text.get(range).unwrap_or_default();
        lines.extend(words(&[span(source.trim(), theme.dim)], width).into_iter().map(Line::from));
    }
    lines
}

struct Page<'a, 't> {
    walk: Walk<'a>,
    theme: &'t Theme,
}

/// What a block was, for what stands between it and the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Paragraph,
    List,
    Other,
}

impl Kind {
    /// Whether an empty line stands between a block and the one above it. Where the source had one, it is a cut anyway.
    fn has_gap_below(self, above: Option<Kind>) -> bool {
        match (above, self) {
            (Some(Kind::Paragraph | Kind::List), Kind::Paragraph) | (Some(Kind::List), Kind::List) => true,
            (_, Kind::Paragraph | Kind::List | Kind::Other) => false,
        }
    }
}

impl<'a> Page<'a, '_> {
    /// The blocks up to the end of what holds them, which is taken too.
    fn blocks(&mut self, width: usize, depth: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let mut above = None;
        loop {
            let (kind, drawn) = match self.walk.events.peek() {
                None => break,
                Some(event) if is_inline(event) => (Kind::Other, self.paragraph(width)),
                Some(_) => match self.walk.events.next() {
                    None | Some(Event::End(_)) => break,
                    Some(Event::Start(tag)) => self.block(tag, width, depth),
                    Some(Event::Rule) => {
                        let rule = "─".repeat(RULE.min(width));
                        (Kind::Other, vec![Line::from(Span::styled(rule, self.theme.dim))])
                    }
                    // Everything else is part of a paragraph.
                    Some(_) => continue,
                },
            };
            if kind.has_gap_below(above) {
                lines.push(Line::default());
            }
            above = Some(kind);
            lines.extend(drawn);
        }
        lines
    }

    fn block(&mut self, tag: Tag<'a>, width: usize, depth: usize) -> (Kind, Vec<Line<'static>>) {
        let is_deep = width < NEST_WIDTH || depth > NEST_DEPTH;
        let lines = match tag {
            Tag::Paragraph => {
                let lines = self.paragraph(width);
                self.walk.events.next();
                return (Kind::Paragraph, lines);
            }
            Tag::Heading { level, .. } => self.heading(level, width),
            Tag::CodeBlock(kind) => self.code(&kind, width),
            Tag::HtmlBlock => self.html(width),
            Tag::List(_) | Tag::BlockQuote(_) | Tag::Item if is_deep => self.flat(width),
            Tag::List(first) => return (Kind::List, self.list(first, width, depth)),
            Tag::BlockQuote(_) => {
                let mark = Span::styled("│ ", self.theme.dim);
                let inner = self.blocks(width - 2, depth + 1);
                inner.into_iter().flat_map(|line| hang(vec![line.spans], &mark, &mark)).collect()
            }
            Tag::Table(alignments) => {
                let (head, rows) = self.cells();
                table(&head, &rows, &alignments, width, self.theme)
            }
            // Nothing else is asked for in the options; should it come, its text is drawn.
            _ => self.flat(width),
        };
        (Kind::Other, lines)
    }

    fn paragraph(&mut self, width: usize) -> Vec<Line<'static>> {
        let spans = inline(&mut self.walk, self.theme.text, self.theme);
        words(&spans, width).into_iter().map(Line::from).collect()
    }

    fn heading(&mut self, level: HeadingLevel, width: usize) -> Vec<Line<'static>> {
        let style = match level {
            HeadingLevel::H1 => self.theme.accent.patch(self.theme.strong).add_modifier(Modifier::UNDERLINED),
            HeadingLevel::H2 => self.theme.accent.patch(self.theme.strong),
            HeadingLevel::H3 | HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => self.theme.strong,
        };
        let spans = inline(&mut self.walk, style, self.theme);
        self.walk.events.next();
        words(&spans, width).into_iter().map(Line::from).collect()
    }

    fn list(&mut self, first: Option<u64>, width: usize, depth: usize) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let mut number = first;
        while let Some(Event::Start(Tag::Item)) = self.walk.events.next() {
            let mark = match &mut number {
                Some(number) => {
                    let mark = format!("{number}. ");
                    *number = number.saturating_add(1);
                    mark
                }
                None => "- ".to_owned(),
            };
            let deep = mark.len();
            let inner = self.blocks(width.saturating_sub(deep), depth + 1);
            let inner = if inner.is_empty() { vec![Line::default()] } else { inner };
            let (mark, rest) = (Span::styled(mark, self.theme.accent), Span::raw(" ".repeat(deep)));
            lines.extend(hang(inner.into_iter().map(|line| line.spans).collect(), &mark, &rest));
        }
        lines
    }

    fn code(&mut self, kind: &CodeBlockKind<'_>, width: usize) -> Vec<Line<'static>> {
        let language = match kind {
            CodeBlockKind::Fenced(info) => info.as_ref(),
            CodeBlockKind::Indented => "",
        };
        let text = self.raw(TagEnd::CodeBlock);
        let mut brush = Brush::new(language, self.theme);
        text.trim_end_matches('\n').split('\n').flat_map(|line| brush.draw(line, width, self.theme)).collect()
    }

    /// Markup of a page is text here.
    fn html(&mut self, width: usize) -> Vec<Line<'static>> {
        let text = self.raw(TagEnd::HtmlBlock);
        let spans = [span(text.trim_end_matches('\n'), self.theme.dim)];
        letters(&spans, width).into_iter().map(Line::from).collect()
    }

    /// The text up to `end`, which is taken too.
    fn raw(&mut self, end: TagEnd) -> String {
        let mut text = String::new();
        for event in self.walk.events.by_ref() {
            match event {
                Event::End(tag) if tag == end => break,
                Event::Text(piece) | Event::Html(piece) | Event::InlineHtml(piece) => text.push_str(&piece),
                _ => {}
            }
        }
        text
    }

    /// Everything up to the end of a block, however deep, as one paragraph.
    fn flat(&mut self, width: usize) -> Vec<Line<'static>> {
        let mut spans = Vec::new();
        let mut open = 1;
        while open > 0 {
            spans.extend(inline(&mut self.walk, self.theme.text, self.theme));
            match self.walk.events.next() {
                None => break,
                Some(Event::Start(_)) => open += 1,
                Some(Event::End(_)) => open -= 1,
                Some(_) => {}
            }
            if !spans.is_empty() {
                spans.push(Span::raw(" "));
            }
        }
        words(&spans, width).into_iter().map(Line::from).collect()
    }

    /// The head of a table and its rows; the end of the table is taken too.
    fn cells(&mut self) -> (Vec<Cell>, Vec<Vec<Cell>>) {
        let (mut head, mut rows, mut row) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(event) = self.walk.events.next() {
            match event {
                Event::Start(Tag::TableCell) => row.push(inline(&mut self.walk, self.theme.text, self.theme)),
                Event::End(TagEnd::TableHead) => head = std::mem::take(&mut row),
                Event::End(TagEnd::TableRow) => rows.push(std::mem::take(&mut row)),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        (head, rows)
    }
}
