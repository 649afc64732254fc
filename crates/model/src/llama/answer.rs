//! An answer in the demanded form, read while it is being written: words are shown as they come, a call when it is whole.

use super::form::SAY;
use crate::error::{AnswerFlaw, ModelError};
use serde_json::{Map, Value};

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerForm {
    /// Every character is part of the text.
    Plain,
    /// One object: words or a call.
    Formed,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParsedCall {
    pub(super) name: String,
    pub(super) args: Value,
}

/// An answer that is being written.
pub(super) struct Answer {
    manner: AnswerForm,
    decoder: Utf8,
    /// Text that has come and is not shown yet.
    held: String,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nobody knows yet what it will be.
    Beginning,
    /// Inside the words.
    Saying,
    /// The words are over.
    Said,
    /// It is a call.
    Calling,
}

impl Answer {
    pub(super) fn new(manner: AnswerForm) -> Answer {
        Answer { manner, decoder: Utf8::default(), held: String::new(), state: State::Beginning }
    }

    /// Take in what was written next; the text that can be shown now.
    pub(super) fn take(&mut self, bytes: &[u8]) -> String {
        let text = self.decoder.take(bytes);
        if self.manner == AnswerForm::Plain {
            return text;
        }
        self.held.push_str(&text);
        if self.state == State::Beginning {
            let opening = format!("{SAY}\"");
            if let Some(words) = self.held.strip_prefix(&opening) {
                self.held = words.to_owned();
                self.state = State::Saying;
            } else if !opening.starts_with(&self.held) {
                self.state = State::Calling;
            }
        }
        if self.state == State::Saying { self.words() } else { String::new() }
    }

    /// The answer is complete: the call it makes, if it makes one.
    pub(super) fn end(self) -> Result<Option<ParsedCall>, ModelError> {
        let unreadable = || {
            let finish = "an answer that is neither words nor a call".to_owned();
            ModelError::Malformed { flaw: AnswerFlaw::BadCall { finish } }
        };
        match (self.manner, self.state) {
            (AnswerForm::Plain, _) | (AnswerForm::Formed, State::Saying | State::Said) => Ok(None),
            (AnswerForm::Formed, State::Beginning | State::Calling) => {
                let mut fields: Map<String, Value> = serde_json::from_str(&self.held).map_err(|_| unreadable())?;
                match (fields.remove("tool"), fields.remove("args")) {
                    (Some(Value::String(name)), Some(args)) => Ok(Some(ParsedCall { name, args })),
                    _ => Err(unreadable()),
                }
            }
        }
    }

    /// Undo the escapes as far as they are whole.
    fn words(&mut self) -> String {
        let mut words = String::new();
        let mut rest = self.held.as_str();
        while let Some(c) = rest.chars().next() {
            let length = match c {
                '"' => {
                    self.state = State::Said;
                    rest = "";
                    break;
                }
                '\\' => match unescape(rest) {
                    Some((c, length)) => {
                        words.push(c);
                        length
                    }
                    None => break,
                },
                c => {
                    words.push(c);
                    c.len_utf8()
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        self.held = rest.to_owned();
        words
    }
}

/// The character that an escape at the beginning of `text` stands for, and how long the escape is.
fn unescape(text: &str) -> Option<(char, usize)> {
    let c = match text.chars().nth(1)? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let code = u32::from_str_radix(text.get(2..6)?, 16).ok();
            return Some((code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER), 6));
        }
        plain => plain,
    };
    Some((c, 1 + text.chars().nth(1)?.len_utf8()))
}

/// Text from pieces that may end in the middle of a character.
#[derive(Default)]
struct Utf8 {
    rest: Vec<u8>,
}

impl Utf8 {
    fn take(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let mut text = String::new();
        loop {
            match std::str::from_utf8(&self.rest) {
                Ok(whole) => {
                    text.push_str(whole);
                    self.rest.clear();
                    return text;
                }
                Err(error) => {
                    let (good, bad) = self.rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(good));
                    let Some(length) = error.error_len() else {
                        self.rest = bad.to_vec();
                        return text;
                    };
                    text.push(char::REPLACEMENT_CHARACTER);
                    self.rest = bad.get(length..).unwrap_or_default().to_vec();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
