//! What is inside a paragraph: words, emphasis, code, links, pictures.

use super::splitter::JOINT;
use super::word_wrap::clean_span;
use crate::sanitize::one_line;
use crate::screen::theme::Theme;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

/// The events of a text, one after the other.
pub(super) struct MarkdownEvents<'a> {
    pub(super) events: std::iter::Peekable<std::vec::IntoIter<Event<'a>>>,
}

/// A link or a picture that is open: where it leads, and where its text begins.
struct OpenLink {
    url: String,
    from: usize,
}

/// The words of a run. They are looked at behind a letter, so that they are taken for nothing but words.
pub(super) fn run_spans(text: &str, theme: &Theme) -> Vec<Span<'static>> {
    let guard = if text.starts_with(char::is_whitespace) { "x" } else { "x " };
    let guarded = format!("{guard}{text}");
    let events = Parser::new_ext(&guarded, Options::ENABLE_STRIKETHROUGH).collect::<Vec<_>>().into_iter().peekable();
    let mut walk = MarkdownEvents { events };
    let mut spans = Vec::new();
    // The event between two paragraphs, if the text was more than one after all, is no part of either.
    while walk.events.next().is_some() {
        spans.extend(inline_spans(&mut walk, theme.text, theme));
    }
    if let Some(first) = spans.first_mut() {
        first.content = first.content.strip_prefix(guard).unwrap_or(&first.content).to_owned().into();
    }
    spans
}

/// Everything up to the next event that is not part of a paragraph. That event stays.
pub(super) fn inline_spans(walk: &mut MarkdownEvents<'_>, base: Style, theme: &Theme) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut styles = vec![base];
    let mut links: Vec<OpenLink> = Vec::new();
    while let Some(event) = walk.events.next_if(is_inline) {
        let style = styles.last().copied().unwrap_or(base);
        match event {
            Event::Start(Tag::Emphasis) => styles.push(style.add_modifier(Modifier::ITALIC)),
            Event::Start(Tag::Strong) => styles.push(style.add_modifier(Modifier::BOLD)),
            Event::Start(Tag::Strikethrough) => styles.push(style.add_modifier(Modifier::CROSSED_OUT)),
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push(OpenLink { url: one_line(&dest_url, usize::MAX), from: spans.len() });
                styles.push(style.patch(theme.link));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                spans.push(Span::styled("[image: ", theme.dim));
                links.push(OpenLink { url: one_line(&dest_url, usize::MAX), from: spans.len() });
                styles.push(style);
            }
            Event::Start(_) => styles.push(style),
            Event::End(TagEnd::Link) => {
                styles.pop();
                if let Some(link) = links.pop().filter(|link| !link.is_shown_by(&spans[link.from..])) {
                    spans.push(Span::styled(format!(" ({})", link.url), theme.dim));
                }
            }
            Event::End(TagEnd::Image) => {
                styles.pop();
                let url = links.pop().map(|link| link.url).unwrap_or_default();
                spans.push(Span::styled(format!("] ({url})"), theme.dim));
            }
            Event::End(_) => {
                styles.pop();
            }
            // Without a style of its own, code keeps its marks.
            Event::Code(code) if theme.code == theme.text => {
                spans.push(clean_span(&format!("`{}`", code.replace(JOINT, " ")), style));
            }
            Event::Code(code) => spans.push(clean_span(&code.replace(JOINT, " "), style.patch(theme.code))),
            Event::InlineHtml(text) | Event::Html(text) => {
                spans.push(clean_span(&text.replace(JOINT, "\n"), style.patch(theme.dim)));
            }
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                spans.push(clean_span(&text.replace(JOINT, "\n"), style));
            }
            // Models and commands break lines where they mean it; joining them would be for a page, not for a terminal.
            Event::SoftBreak | Event::HardBreak => spans.push(Span::styled("\n", style)),
            Event::TaskListMarker(true) => spans.push(Span::styled("[x] ", theme.accent)),
            Event::TaskListMarker(false) => spans.push(Span::styled("[ ] ", theme.accent)),
            Event::Rule => {}
        }
    }
    spans
}

impl OpenLink {
    /// Whether the link's text says where it leads.
    fn is_shown_by(&self, spans: &[Span<'_>]) -> bool {
        let text: String = spans.iter().map(|span| span.content.as_ref()).collect();
        self.url == text || self.url.strip_prefix("mailto:") == Some(&text)
    }
}

/// Whether an event is part of a paragraph.
pub(super) fn is_inline(event: &Event<'_>) -> bool {
    match event {
        Event::Start(tag) => is_inline_end(tag.to_end()),
        Event::End(tag) => is_inline_end(*tag),
        Event::Rule => false,
        Event::Text(_)
        | Event::Code(_)
        | Event::InlineMath(_)
        | Event::DisplayMath(_)
        | Event::Html(_)
        | Event::InlineHtml(_)
        | Event::FootnoteReference(_)
        | Event::SoftBreak
        | Event::HardBreak
        | Event::TaskListMarker(_) => true,
    }
}

fn is_inline_end(tag: TagEnd) -> bool {
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong, Subscript, Superscript};
    matches!(tag, Emphasis | Strong | Strikethrough | Superscript | Subscript | Link | Image)
}
