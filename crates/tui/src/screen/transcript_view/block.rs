//! The parts of a transcript, in the order they happened.

use super::call::{CallAppearance, SettledCall};
use super::margin::{DetailLevel, Margin, tone_sign, tone_style};
use crate::screen::markdown::word_wrap::{clean_span, hang_lines, wrap_words};
use crate::screen::markdown::{self, MarkdownStream};
use crate::screen::theme::Theme;
use pollux_session::{CallId, NoteTone, split_thought};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The sign of a thought.
pub(super) const THOUGHT: &str = "◦ ";
/// How many lines of a prompt are shown: the person knows what they pasted. What they wrote themselves is most often at the
/// beginning or at the end.
const PROMPT_LINES: usize = 20;
/// How many of them are the last ones.
const LAST_PROMPT_LINES: usize = 8;
/// How many lines of a summary are shown.
const SUMMARY_LINES: usize = 10;

/// One part of a transcript.
#[derive(Debug)]
pub(super) enum TranscriptBlock {
    /// What the program says first.
    Greeting(Vec<String>),
    /// What a person said, with the mark before it.
    Prompt { mark: String, text: String },
    /// The agent's words.
    Text(Box<TextBlock>),
    /// A sentence about something.
    Note { sign: &'static str, role: NoteStyle, text: String },
    /// All that the agent thought, for whoever wants to read it.
    Thought(String),
    /// What stands for the conversation so far.
    Summary(String),
    /// A call that is not over.
    Call(CallId),
    /// A call that is over, or as far as it goes while others are made for it.
    EndedCall { call: Box<SettledCall>, appearance: CallAppearance },
}

/// Which of the theme's styles a sentence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteStyle {
    Tone(NoteTone),
    Accent,
}

/// The agent's words while they stream.
#[derive(Debug, Default)]
pub(super) struct TextBlock {
    markdown: MarkdownStream,
    flow: TextProgress,
    drawn: TextStart,
}

/// Whether the beginning of a text was returned, with its sign and the gap above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TextStart {
    #[default]
    Nothing,
    Beginning,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TextProgress {
    #[default]
    Streaming,
    Whole,
    /// It broke off.
    Cut,
}

/// What a block is, for the empty lines between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Prompt,
    Text,
    Line,
}

impl BlockKind {
    /// Whether an empty line stands between a block and the one above it.
    pub(super) fn has_gap_below(self, above: Option<BlockKind>) -> bool {
        match (above, self) {
            (None, _) | (Some(BlockKind::Prompt | BlockKind::Line), BlockKind::Line) => false,
            (Some(_), BlockKind::Prompt | BlockKind::Text) | (Some(BlockKind::Text), BlockKind::Line) => true,
        }
    }
}

impl TranscriptBlock {
    pub(super) fn note(tone: NoteTone, text: impl Into<String>) -> TranscriptBlock {
        TranscriptBlock::Note { sign: tone_sign(tone), role: NoteStyle::Tone(tone), text: text.into() }
    }

    pub(super) fn kind(&self) -> BlockKind {
        match self {
            TranscriptBlock::Prompt { .. } => BlockKind::Prompt,
            TranscriptBlock::Text(_) => BlockKind::Text,
            TranscriptBlock::Greeting(_)
            | TranscriptBlock::Note { .. }
            | TranscriptBlock::Thought(_)
            | TranscriptBlock::Summary(_)
            | TranscriptBlock::Call(_)
            | TranscriptBlock::EndedCall { .. } => BlockKind::Line,
        }
    }

    /// Whether it can never change again.
    pub(super) fn is_settled(&self) -> bool {
        match self {
            TranscriptBlock::Text(text) => text.flow != TextProgress::Streaming,
            TranscriptBlock::Call(_) => false,
            TranscriptBlock::Greeting(_)
            | TranscriptBlock::Prompt { .. }
            | TranscriptBlock::Note { .. }
            | TranscriptBlock::Thought(_)
            | TranscriptBlock::Summary(_)
            | TranscriptBlock::EndedCall { .. } => true,
        }
    }

    /// Whether its beginning was returned, while the rest may still change.
    pub(super) fn has_begun(&self) -> bool {
        matches!(self, TranscriptBlock::Text(text) if text.drawn == TextStart::Beginning)
    }

    /// The lines that can never change again. Those of a text are returned piece by piece.
    pub(super) fn take_finished(&mut self, detail: DetailLevel, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        match self {
            TranscriptBlock::Text(text) => text.take_finished(width, theme),
            other if other.is_settled() => other.lines(detail, width, theme),
            _ => Vec::new(),
        }
    }

    /// Its lines; those of a text that were not taken yet. An open call has none of its own.
    pub(super) fn lines(&self, detail: DetailLevel, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let margin = Margin::new(width, 0);
        match self {
            TranscriptBlock::Greeting(lines) => {
                let text = lines.join("\n");
                wrap_words(&[clean_span(&text, theme.dim)], usize::from(width)).into_iter().map(Line::from).collect()
            }
            TranscriptBlock::Prompt { mark, text } => prompt(mark, text, detail, width, theme),
            TranscriptBlock::Text(text) => text.pending(width, theme),
            TranscriptBlock::Note { sign, role, text } => margin.text_below_sign(sign, role.style(theme), text),
            TranscriptBlock::Thought(text) => thought(text, width, theme),
            TranscriptBlock::Summary(text) => {
                margin.inner().quoted_prose(text.trim(), theme.dim, detail.limit(SUMMARY_LINES), theme)
            }
            TranscriptBlock::Call(_) => Vec::new(),
            TranscriptBlock::EndedCall { call, appearance: look } => call.lines(*look, detail, width, theme),
        }
    }
}

impl NoteStyle {
    fn style(self, theme: &Theme) -> Style {
        match self {
            NoteStyle::Tone(tone) => tone_style(tone, theme),
            NoteStyle::Accent => theme.accent,
        }
    }
}

/// Thoughts are markdown too, and stay in the background. Each subject has a line of its own, as in the short form.
fn thought(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let style = tone_style(NoteTone::Info, theme);
    let mut lines = Vec::new();
    for (subject, about) in split_thought(text) {
        let dim = |line: Line<'static>| line.spans.into_iter().map(|span| span.patch_style(style)).collect();
        let named =
            wrap_words(&[clean_span(&subject.unwrap_or_default(), style)], usize::from(width).saturating_sub(2));
        let about = markdown::render(about, width.saturating_sub(2), theme).into_iter().map(dim);
        let part = named.into_iter().filter(|line: &Vec<Span<'static>>| !line.is_empty()).chain(about).collect();
        lines.extend(hang_lines(part, &Span::styled(THOUGHT, style), &Span::raw("  ")));
    }
    lines
}

fn prompt(mark: &str, text: &str, detail: DetailLevel, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let spans = [clean_span(mark, theme.accent), clean_span(text.trim_end(), theme.person)];
    let mut broken = wrap_words(&spans, usize::from(width).saturating_sub(2));
    let hidden = broken.len().saturating_sub(detail.limit(PROMPT_LINES));
    if hidden == 0 {
        return hang_lines(broken, &Span::raw(""), &Span::raw("  "));
    }
    let last = broken.split_off(broken.len() - LAST_PROMPT_LINES);
    broken.truncate(PROMPT_LINES - LAST_PROMPT_LINES);
    let mut lines = hang_lines(broken, &Span::raw(""), &Span::raw("  "));
    lines.extend(Margin::new(width, 0).inner().more(hidden, "more line", theme));
    lines.extend(hang_lines(last, &Span::raw("  "), &Span::raw("  ")));
    lines
}

impl TextBlock {
    pub(super) fn push(&mut self, piece: &str) {
        self.markdown.push(piece);
    }

    pub(super) fn end(&mut self) {
        self.markdown.end();
        self.flow = TextProgress::Whole;
    }

    pub(super) fn cut(&mut self) {
        self.markdown.end();
        self.flow = TextProgress::Cut;
    }

    fn take_finished(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let lines = self.markdown.take_finished(width.saturating_sub(2), theme);
        let lines = self.sign(lines, theme);
        if !lines.is_empty() {
            self.drawn = TextStart::Beginning;
        }
        lines
    }

    fn pending(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        self.sign(self.markdown.pending(width.saturating_sub(2), theme), theme)
    }

    fn sign(&self, lines: Vec<Line<'static>>, theme: &Theme) -> Vec<Line<'static>> {
        let rest = Span::raw("  ");
        let sign = match self.drawn {
            TextStart::Nothing => Span::styled("✦ ", theme.accent),
            TextStart::Beginning => rest.clone(),
        };
        let mut lines = hang_lines(lines.into_iter().map(|line| line.spans).collect(), &sign, &rest);
        if self.flow == TextProgress::Cut {
            lines.push(Line::from(Span::styled("  … (cut short)", theme.warn)));
        }
        lines
    }
}
