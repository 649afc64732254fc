//! Where in a stream of text a call may stand: text is held back while it could be one, and let go when it is not.

use super::read::{Reading, WrittenCall, begin, call, calls};
use serde_json::Value;

/// The most text that is held back before it is let go as it is.
const LONGEST: usize = 256 * 1024;
const FENCE: &str = "```";
const OPEN_TAG: &str = "<tool_call>";
const CLOSE_TAG: &str = "</tool_call>";
/// The words that may stand behind a fence that holds a call.
const LANGUAGES: [&str; 6] = ["", "json", "jsonc", "tool_call", "tool_calls", "tool_code"];

/// The text as it comes in.
#[derive(Default)]
pub(super) struct Blocks {
    /// Text that has come and is not shown yet.
    held: String,
    place: TextPosition,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum TextPosition {
    /// A line begins here: a block may, too.
    #[default]
    LineStart,
    /// In the middle of a line of text.
    Line,
    /// Inside a fence that holds something else.
    Code,
}

/// The action for the beginning of the held text.
enum HeldTextAction {
    /// So many bytes are text, and then the place is another.
    Show(usize, TextPosition),
    /// So many bytes are calls.
    Take(usize, Vec<WrittenCall>),
    /// Nobody can tell before more has come.
    Wait,
}

impl Blocks {
    /// Take in text: what of it is shown now. Calls of `tools` go to `found`.
    pub(super) fn take(&mut self, text: &str, tools: &[String], found: &mut Vec<WrittenCall>) -> String {
        self.held.push_str(text);
        let mut shown = String::new();
        while !self.held.is_empty() {
            match self.next(tools) {
                HeldTextAction::Show(length, place) => {
                    shown.extend(self.held.drain(..length));
                    self.place = place;
                }
                HeldTextAction::Take(length, calls) => {
                    self.held.drain(..length);
                    self.place = TextPosition::LineStart;
                    found.extend(calls);
                }
                HeldTextAction::Wait if self.held.len() > LONGEST => {
                    shown.push_str(&std::mem::take(&mut self.held));
                    self.place = TextPosition::Line;
                }
                HeldTextAction::Wait => break,
            }
        }
        shown
    }

    /// Nothing more comes: a block that was not closed ends here. What is left to show.
    pub(super) fn end(self, tools: &[String], found: &mut Vec<WrittenCall>) -> String {
        let text = self.held.trim_start();
        let inside = match text.strip_prefix(FENCE) {
            Some(rest) => rest.split_once('\n').map(|(_, body)| body),
            None => text.strip_prefix(OPEN_TAG),
        };
        match inside.filter(|_| self.place == TextPosition::LineStart).and_then(|body| calls(body, tools)) {
            Some(calls) => {
                found.extend(calls);
                String::new()
            }
            None => self.held,
        }
    }

    fn next(&self, tools: &[String]) -> HeldTextAction {
        match self.place {
            TextPosition::Line => match self.held.find('\n') {
                Some(at) => HeldTextAction::Show(at + 1, TextPosition::LineStart),
                None => HeldTextAction::Show(self.held.len(), TextPosition::Line),
            },
            TextPosition::Code => self.code(),
            TextPosition::LineStart => {
                let text = self.held.trim_start();
                let lead = self.held.len() - text.len();
                if [FENCE, OPEN_TAG].iter().any(|opening| opening.starts_with(text)) {
                    return HeldTextAction::Wait;
                }
                if let Some(rest) = text.strip_prefix(FENCE) {
                    return fence(lead, rest, tools);
                }
                if let Some(rest) = text.strip_prefix(OPEN_TAG) {
                    return tagged(lead, rest, tools);
                }
                if text.starts_with(['{', '[']) {
                    return bare(lead, text, tools);
                }
                HeldTextAction::Show(lead, TextPosition::Line)
            }
        }
    }

    /// Show code until a line that closes the fence.
    fn code(&self) -> HeldTextAction {
        let line_start = self.held.find('\n').map(|at| at + 1);
        match line_start {
            Some(at) => {
                let after = self.held.get(at..).unwrap_or_default().trim_start_matches([' ', '\t']);
                if after.starts_with(FENCE) {
                    let length = self.held.len() - after.len() + FENCE.len();
                    HeldTextAction::Show(length, TextPosition::Line)
                } else if FENCE.starts_with(after) {
                    HeldTextAction::Wait
                } else {
                    HeldTextAction::Show(at, TextPosition::Code)
                }
            }
            None => HeldTextAction::Show(self.held.len(), TextPosition::Code),
        }
    }
}

/// A fence, behind its three marks.
fn fence(lead: usize, rest: &str, tools: &[String]) -> HeldTextAction {
    let Some((language, body)) = rest.split_once('\n') else { return HeldTextAction::Wait };
    let head = lead + FENCE.len() + language.len();
    if !LANGUAGES.contains(&language.trim().to_ascii_lowercase().as_str()) {
        return HeldTextAction::Show(head, TextPosition::Code);
    }
    let Some(end) = body.find("\n```") else { return HeldTextAction::Wait };
    let length = head + 1 + end + "\n```".len();
    match calls(body.get(..end).unwrap_or_default(), tools) {
        Some(calls) => HeldTextAction::Take(length, calls),
        None => HeldTextAction::Show(length, TextPosition::Line),
    }
}

fn tagged(lead: usize, rest: &str, tools: &[String]) -> HeldTextAction {
    let Some(end) = rest.find(CLOSE_TAG) else { return HeldTextAction::Wait };
    let length = lead + OPEN_TAG.len() + end + CLOSE_TAG.len();
    match calls(rest.get(..end).unwrap_or_default(), tools) {
        Some(calls) => HeldTextAction::Take(length, calls),
        None => HeldTextAction::Show(length, TextPosition::Line),
    }
}

fn bare(lead: usize, text: &str, tools: &[String]) -> HeldTextAction {
    match begin(text) {
        Reading::Unfinished => HeldTextAction::Wait,
        Reading::NotJson => HeldTextAction::Show(lead + 1, TextPosition::Line),
        Reading::Whole { value, length } => {
            let found = match &value {
                Value::Array(values) if !values.is_empty() => values.iter().map(|value| call(value, tools)).collect(),
                value => call(value, tools).map(|call| vec![call]),
            };
            match found {
                Some(calls) => HeldTextAction::Take(lead + length, calls),
                None => HeldTextAction::Show(lead + length, TextPosition::Line),
            }
        }
    }
}
