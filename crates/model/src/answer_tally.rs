//! The content of an answer so far, and the check that it can be used once it is complete.

use crate::content::{MessagePart, MessageRole, ModelMessage, PartData};
use crate::error::AnswerFlaw;

/// The parts received of one answer.
pub(crate) struct AnswerTally {
    occasion: ContinuationPoint,
    text: String,
    thought: bool,
    calls: usize,
}

/// The point in the conversation from which the model goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContinuationPoint {
    Prompt,
    /// The results of its calls: it may have nothing to add.
    Results,
}

/// The text that came before a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartialText {
    Something,
    Nothing,
}

impl ContinuationPoint {
    /// The point at which a conversation ends.
    pub(crate) fn of(contents: &[ModelMessage]) -> ContinuationPoint {
        let has_results = |content: &ModelMessage| {
            content.parts.iter().any(|part| matches!(part.data, PartData::FunctionResponse { .. }))
        };
        match contents.last() {
            Some(last) if last.role == MessageRole::User && has_results(last) => ContinuationPoint::Results,
            _ => ContinuationPoint::Prompt,
        }
    }
}

impl AnswerTally {
    pub(crate) fn new(occasion: ContinuationPoint) -> AnswerTally {
        AnswerTally { occasion, text: String::new(), thought: false, calls: 0 }
    }

    /// Count a part.
    pub(crate) fn add(&mut self, part: &MessagePart) {
        self.thought |= part.thought;
        match &part.data {
            PartData::Text(text) if !part.thought => self.text.push_str(text),
            PartData::FunctionCall { .. } => self.calls += 1,
            PartData::Text(_) | PartData::FunctionResponse { .. } | PartData::Other(_) => {}
        }
    }

    /// The number of calls.
    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    pub(crate) fn said(&self) -> PartialText {
        if self.text.is_empty() { PartialText::Nothing } else { PartialText::Something }
    }

    /// The flaw of the answer, now that it is complete. `finish` is in Gemini's words.
    pub(crate) fn flaw(&self, finish: Option<&str>) -> Option<AnswerFlaw> {
        if self.calls > 0 {
            return None;
        }
        let is_silent = !has_visible_text(&self.text);
        let reason = finish.unwrap_or("no finish reason").to_owned();
        match (finish, self.occasion) {
            (Some("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL"), _) => {
                Some(AnswerFlaw::BadCall { finish: reason })
            }
            (Some("MAX_TOKENS" | "SAFETY" | "RECITATION" | "OTHER"), _) if is_silent && !self.thought => {
                Some(AnswerFlaw::Empty { finish: reason })
            }
            (None, ContinuationPoint::Prompt) => Some(AnswerFlaw::NoFinish),
            _ if is_silent && self.thought => Some(AnswerFlaw::OnlyThoughts { finish: reason }),
            (_, ContinuationPoint::Prompt) if is_silent => Some(AnswerFlaw::Empty { finish: reason }),
            _ => None,
        }
    }
}

/// True if anything is left to show without white space, zero-width characters and HTML comments.
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
