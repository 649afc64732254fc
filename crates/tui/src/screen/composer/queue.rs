//! The prompts that wait, above the composer.

use super::text_layout::cut;
use crate::sanitize::one_line;
use crate::screen::theme::Theme;
use pollux_session::{EntryAuthor, QueuedPrompt, client_name, plural};
use ratatui::text::{Line, Span};
use std::collections::VecDeque;
use unicode_width::UnicodeWidthStr as _;

/// The most prompts that are listed.
const PROMPTS_SHOWN: usize = 4;
/// The most characters of a prompt that are looked at.
const LONGEST: usize = 400;

/// What waits and what to do about it; nothing when nothing waits. Prompts of others than `me` say whose they are.
pub(crate) fn queue_lines(
    waiting: &VecDeque<QueuedPrompt>,
    width: u16,
    theme: &Theme,
    me: &EntryAuthor,
) -> Vec<Line<'static>> {
    if waiting.is_empty() {
        return Vec::new();
    }
    let width = usize::from(width);
    let (head, style, hints) = match waiting.iter().filter(|waiting| waiting.held).count() {
        0 => (format!("{} waiting", plural(waiting.len(), "prompt")), theme.dim, &["↑ to edit"][..]),
        held => (
            format!("{} held", plural(held, "prompt")),
            theme.warn,
            if held == 1 {
                &["/queue go sends it", "your next prompt goes first", "↑ to edit"][..]
            } else {
                &["/queue go sends them", "your next prompt goes first", "↑ to edit"][..]
            },
        ),
    };
    let mut lines = head_lines(&head, hints, width, style, theme);
    for (at, prompt) in waiting.iter().take(PROMPTS_SHOWN).enumerate() {
        let whose = if prompt.by == *me { String::new() } else { format!("[{}] ", client_name(&prompt.by, me)) };
        let number = format!("  {}. {whose}", at + 1);
        let number = cut(&number, width);
        let text = cut(&words_of(&prompt.text), width.saturating_sub(number.width()));
        lines.push(Line::from(vec![Span::styled(number, theme.dim), Span::styled(text, theme.text)]));
    }
    if let Some(more) = waiting.len().checked_sub(PROMPTS_SHOWN).filter(|more| *more > 0) {
        lines.push(Line::styled(cut(&format!("  … {more} more (/queue lists them)"), width), theme.dim));
    }
    lines
}

/// A waiting prompt in words. Going back names an entry by its number, which nobody has seen.
fn words_of(prompt: &str) -> String {
    let is_number = |rest: &str| {
        let number = rest.split(' ').next().unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    match prompt.strip_prefix("/rewind ").is_some_and(is_number) {
        true => "go back to an earlier prompt".to_owned(),
        false => one_line(prompt, LONGEST),
    }
}

/// What is the matter, and what can be done, each hint whole on its line.
fn head_lines(
    head: &str,
    hints: &[&str],
    width: usize,
    style: ratatui::style::Style,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut column = head.width();
    let mut line = vec![Span::styled(cut(head, width), style)];
    for hint in hints {
        if column + 3 + hint.width() > width {
            lines.push(Line::from(std::mem::take(&mut line)));
            line.push(Span::styled(cut(&format!("  {hint}"), width), theme.dim));
            column = 2 + hint.width();
        } else {
            line.push(Span::styled(format!(" · {hint}"), theme.dim));
            column += 3 + hint.width();
        }
    }
    lines.push(Line::from(line));
    lines
}
