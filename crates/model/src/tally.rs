//! What an answer amounts to so far, and whether it can be used once it is complete.

use crate::content::{Content, Part, PartData, Role};
use crate::error::Flaw;

/// What has been received of one answer.
pub(crate) struct Tally {
    occasion: Occasion,
    text: String,
    thought: bool,
    calls: usize,
}

/// What the model was asked to go on from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occasion {
    Prompt,
    /// The results of its calls: it may have nothing to add.
    Results,
}

/// Whether any text came before a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Something,
    Nothing,
}

impl Occasion {
    /// What a conversation ends with.
    pub(crate) fn of(contents: &[Content]) -> Occasion {
        let has_results =
            |content: &Content| content.parts.iter().any(|part| matches!(part.data, PartData::FunctionResponse { .. }));
        match contents.last() {
            Some(last) if last.role == Role::User && has_results(last) => Occasion::Results,
            _ => Occasion::Prompt,
        }
    }
}

impl Tally {
    pub(crate) fn new(occasion: Occasion) -> Tally {
        Tally { occasion, text: String::new(), thought: false, calls: 0 }
    }

    /// Count a part.
    pub(crate) fn add(&mut self, part: &Part) {
        self.thought |= part.thought;
        match &part.data {
            PartData::Text(text) if !part.thought => self.text.push_str(text),
            PartData::FunctionCall { .. } => self.calls += 1,
            PartData::Text(_) | PartData::FunctionResponse { .. } | PartData::Other(_) => {}
        }
    }

    /// How many calls there are.
    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    /// Whether there is text.
    pub(crate) fn said(&self) -> Said {
        if self.text.is_empty() { Said::Nothing } else { Said::Something }
    }

    /// What is wrong with the answer, now that it is complete. `finish` is in Gemini's words.
    pub(crate) fn flaw(&self, finish: Option<&str>) -> Option<Flaw> {
        if self.calls > 0 {
            return None;
        }
        let is_silent = !has_visible_text(&self.text);
        let reason = finish.unwrap_or("no finish reason").to_owned();
        match (finish, self.occasion) {
            (Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL"), _) => Some(Flaw::BadCall { finish: reason }),
            (Some("MAX_TOKENS" | "SAFETY" | "RECITATION" | "OTHER"), _) if is_silent && !self.thought => {
                Some(Flaw::Empty { finish: reason })
            }
            (None, Occasion::Prompt) => Some(Flaw::NoFinish),
            _ if is_silent && self.thought => Some(Flaw::OnlyThoughts { finish: reason }),
            (_, Occasion::Prompt) if is_silent => Some(Flaw::Empty { finish: reason }),
            _ => None,
        }
    }
}

/// Whether anything is left to show without white space, zero-width characters and HTML comments.
fn has_visible_text(text: &str) -> bool {
    let mut rest = text;
    loop {
        let (before, after) = match rest.split_once("<!--") {
            Some((before, comment)) => (before, comment.split_once("-->").map_or("", |(_, after)| after)),
            None => (rest, ""),
        };
        let is_blank = |c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}');
        if !before.chars().all(is_blank) {
            return true;
        }
        if after.is_empty() {
            return false;
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests;
