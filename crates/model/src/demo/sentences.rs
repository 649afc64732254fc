//! A prompt cut into sentences: one a line, more where `then` joins two commands, each with the fenced text below it.

use super::grammar::starts_with_verb;

/// One command as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromptSentence {
    /// The words.
    pub(super) text: String,
    /// The fenced text that follows it.
    pub(super) body: Option<String>,
}

/// The sentences of `prompt`. Fenced text belongs to the sentence before it.
pub(super) fn sentences(prompt: &str) -> Vec<PromptSentence> {
    let mut found: Vec<PromptSentence> = Vec::new();
    let mut lines = prompt.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if let Some(fence) = fence_of(line) {
            let inside = lines.by_ref().take_while(|line| !is_end(line, fence));
            let body = inside.map(|line| format!("{line}\n")).collect();
            match found.last_mut() {
                Some(last) if last.body.is_none() => last.body = Some(body),
                _ => found.push(PromptSentence { text: String::new(), body: Some(body) }),
            }
            continue;
        }
        found.extend(split(line).into_iter().map(|text| PromptSentence { text, body: None }));
    }
    found
}

/// The run of at least three marks a fence begins with.
fn fence_of(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let (fence, info) = line.split_at(length);
    (length >= 3 && !info.contains('`')).then_some(fence)
}

fn is_end(line: &str, fence: &str) -> bool {
    let line = line.trim();
    line.starts_with(fence) && line.chars().all(|c| fence.starts_with(c))
}

/// Cut a line at each `then` that stands outside quotes and has a command behind it. `; then` is the shell's own.
fn split(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices("then ").filter(|(at, _)| line.get(..*at).is_some_and(ends_a_command)) {
        let (Some(before), Some(after)) = (line.get(start..at), line.get(at + "then ".len()..)) else { continue };
        if !is_quoted(before) && starts_with_verb(after) {
            found.push(tidy(before));
            start = at + "then ".len();
        }
    }
    found.push(tidy(line.get(start..).unwrap_or_default()));
    found.retain(|text| !text.is_empty());
    found
}

fn ends_a_command(before: &str) -> bool {
    before.ends_with(char::is_whitespace) && !before.trim_end().ends_with(';') && !before.trim().is_empty()
}

/// True if a quotation is still open at the end of `text`. An apostrophe inside a word opens none.
fn is_quoted(text: &str) -> bool {
    let mut open = None;
    let mut last = ' ';
    for c in text.chars() {
        match open {
            Some(mark) if c == mark => open = None,
            None if matches!(c, '"' | '`') || (c == '\'' && !last.is_alphanumeric()) => open = Some(c),
            None if c == '“' => open = Some('”'),
            _ => {}
        }
        last = c;
    }
    open.is_some()
}

/// Without the joints: list marks in front, commas and `and` behind.
fn tidy(text: &str) -> String {
    let text = text.trim();
    let marked = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = match marked.strip_prefix(['.', ')']) {
        Some(rest) if marked.len() < text.len() && rest.starts_with(' ') => rest,
        _ => text.strip_prefix("- ").or(text.strip_prefix("* ")).unwrap_or(text),
    };
    let text = text.trim().trim_end_matches(',');
    text.strip_suffix(" and").unwrap_or(text).trim().trim_end_matches(',').to_owned()
}
