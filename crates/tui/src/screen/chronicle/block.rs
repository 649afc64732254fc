//! The parts of a transcript, in the order they happened.

use super::call::{CallState, Look};
use super::paint::{Detail, Margin, Tone};
use crate::screen::markdown::flow::{hang, span, words};
use crate::screen::markdown::{self, Markdown};
use crate::screen::theme::Theme;
use pollux_session::CallId;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The sign of a thought.
pub(super) const THOUGHT: &str = "◦ ";
/// How many lines of a prompt are shown: the person knows what they pasted.
const PROMPT_LINES: usize = 50;
/// How many lines of a summary are shown.
const SUMMARY_LINES: usize = 10;

/// One part of a transcript.
#[derive(Debug)]
pub(super) enum Block {
    /// What the program says first.
    Greeting(Vec<String>),
    /// What a person said, with the mark before it.
    Prompt { mark: String, text: String },
    /// The agent's words.
    Text(Box<TextBlock>),
    /// A sentence about something.
    Note { sign: &'static str, role: Role, text: String },
    /// All that the agent thought, for whoever wants to read it.
    Thought(String),
    /// What stands for the conversation so far.
    Summary(String),
    /// A call that is not over.
    Call(CallId),
    /// A call that is over, or as far as it goes while others are made for it.
    Done { call: Box<CallState>, look: Look },
}

/// Which of the theme's styles a sentence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Tone(Tone),
    Accent,
}

/// The agent's words while they stream.
#[derive(Debug, Default)]
pub(super) struct TextBlock {
    markdown: Markdown,
    flow: Flow,
    drawn: Drawn,
}

/// Whether the beginning of a text was returned, with its sign and the gap above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Drawn {
    #[default]
    Nothing,
    Beginning,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Flow {
    #[default]
    Streaming,
    Whole,
    /// It broke off.
    Cut,
}

/// What a block is, for the empty lines between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Prompt,
    Text,
    Line,
}

impl Kind {
    /// Whether an empty line stands between a block and the one above it.
    pub(super) fn has_gap_below(self, above: Option<Kind>) -> bool {
        match (above, self) {
            (None, _) | (Some(Kind::Prompt | Kind::Line), Kind::Line) => false,
            (Some(_), Kind::Prompt | Kind::Text) | (Some(Kind::Text), Kind::Line) => true,
        }
    }
}

impl Block {
    pub(super) fn note(tone: Tone, text: impl Into<String>) -> Block {
        Block::Note { sign: tone.sign(), role: Role::Tone(tone), text: text.into() }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Block::Prompt { .. } => Kind::Prompt,
            Block::Text(_) => Kind::Text,
            Block::Greeting(_)
            | Block::Note { .. }
            | Block::Thought(_)
            | Block::Summary(_)
            | Block::Call(_)
            | Block::Done { .. } => Kind::Line,
        }
    }

    /// Whether it can never change again.
    pub(super) fn is_settled(&self) -> bool {
        match self {
            Block::Text(text) => text.flow != Flow::Streaming,
            Block::Call(_) => false,
            Block::Greeting(_)
            | Block::Prompt { .. }
            | Block::Note { .. }
            | Block::Thought(_)
            | Block::Summary(_)
            | Block::Done { .. } => true,
        }
    }

    /// Whether its beginning was returned, while the rest may still change.
    pub(super) fn has_begun(&self) -> bool {
        matches!(self, Block::Text(text) if text.drawn == Drawn::Beginning)
    }

    /// The lines that can never change again. Those of a text are returned piece by piece.
    pub(super) fn take_finished(&mut self, detail: Detail, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        match self {
            Block::Text(text) => text.take_finished(width, theme),
            other if other.is_settled() => other.lines(detail, width, theme),
            _ => Vec::new(),
        }
    }

    /// Its lines; those of a text that were not taken yet. An open call has none of its own.
    pub(super) fn lines(&self, detail: Detail, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let margin = Margin::new(width, 0);
        match self {
            Block::Greeting(lines) => {
                let text = lines.join("\n");
                words(&[span(&text, theme.dim)], usize::from(width)).into_iter().map(Line::from).collect()
            }
            Block::Prompt { mark, text } => prompt(mark, text, detail, width, theme),
            Block::Text(text) => text.pending(width, theme),
            Block::Note { sign, role, text } => margin.said(sign, role.style(theme), text),
            Block::Thought(text) => thought(text, width, theme),
            Block::Summary(text) => margin.inner().quoted(text.trim(), theme.dim, detail.most(SUMMARY_LINES), theme),
            Block::Call(_) => Vec::new(),
            Block::Done { call, look } => call.lines(*look, detail, width, theme),
        }
    }
}

impl Role {
    fn style(self, theme: &Theme) -> Style {
        match self {
            Role::Tone(tone) => tone.style(theme),
            Role::Accent => theme.accent,
        }
    }
}

/// Thoughts are markdown too, and stay in the background.
fn thought(text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let style = Tone::Info.style(theme);
    let dim = |line: Line<'static>| line.spans.into_iter().map(|span| span.patch_style(style)).collect();
    let lines = markdown::render(text, width.saturating_sub(2), theme).into_iter().map(dim).collect();
    hang(lines, &Span::styled(THOUGHT, style), &Span::raw("  "))
}

fn prompt(mark: &str, text: &str, detail: Detail, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let spans = [span(mark, theme.accent), span(text.trim_end(), theme.person)];
    let mut broken = words(&spans, usize::from(width).saturating_sub(2));
    let hidden = broken.len().saturating_sub(detail.most(PROMPT_LINES));
    broken.truncate(broken.len() - hidden);
    let mut lines = hang(broken, &Span::raw(""), &Span::raw("  "));
    lines.extend(Margin::new(width, 0).inner().more(hidden, "more line", theme));
    lines
}

impl TextBlock {
    pub(super) fn push(&mut self, piece: &str) {
        self.markdown.push(piece);
    }

    pub(super) fn end(&mut self) {
        self.markdown.end();
        self.flow = Flow::Whole;
    }

    pub(super) fn cut(&mut self) {
        self.markdown.end();
        self.flow = Flow::Cut;
    }

    pub(super) fn is_streaming(&self) -> bool {
        self.flow == Flow::Streaming
    }

    fn take_finished(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let lines = self.markdown.take_finished(width.saturating_sub(2), theme);
        let lines = self.sign(lines, theme);
        if !lines.is_empty() {
            self.drawn = Drawn::Beginning;
        }
        lines
    }

    fn pending(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        self.sign(self.markdown.pending(width.saturating_sub(2), theme), theme)
    }

    fn sign(&self, lines: Vec<Line<'static>>, theme: &Theme) -> Vec<Line<'static>> {
        let rest = Span::raw("  ");
        let sign = match self.drawn {
            Drawn::Nothing => Span::styled("✦ ", theme.accent),
            Drawn::Beginning => rest.clone(),
        };
        let mut lines = hang(lines.into_iter().map(|line| line.spans).collect(), &sign, &rest);
        if self.flow == Flow::Cut {
            lines.push(Line::from(Span::styled("  … (cut short)", theme.warn)));
        }
        lines
    }
}
