//! The content of a message: `parts` of A2A, or the `content` of the endpoint guide.

use super::file::{self, FilePartContent, InboundFile};
use super::{
    InboundAnswer, InboundContent, MessageRules, PromptContent, check_metadata, confirmation, media, unsupported_part,
};
use crate::errors::RequestError;
use pollux_session::{MediaContent, Refusal};
use pollux_wire::a2a::{Metadata, Part};
use serde_json::{Map, Value};

/// The most parts of a message: each is kept as it came, which costs many times the bytes of a short one.
const MOST_PARTS: usize = 256;

fn is_known_kind(kind: &Value) -> bool {
    ["text", "data", "file"].iter().any(|known| kind == known)
}

/// The content of a message's parts.
pub(super) struct MessageParts {
    rules: MessageRules,
    text: Vec<String>,
    /// Data that answers nothing, as JSON.
    data: Vec<String>,
    /// Files that came along, as text.
    files: Vec<String>,
    /// Files that came along, to be looked at.
    shown: Vec<InboundFile>,
    answers: Vec<InboundAnswer>,
    /// Parts that are no answer, as they came.
    parts: Vec<Part>,
}

impl MessageParts {
    /// Read the message's parts.
    pub(super) fn read(message: &Map<String, Value>, rules: MessageRules) -> Result<MessageParts, RequestError> {
        let mut content = MessageParts {
            rules,
            text: Vec::new(),
            data: Vec::new(),
            files: Vec::new(),
            shown: Vec::new(),
            answers: Vec::new(),
            parts: Vec::new(),
        };
        for name in ["parts", "content"] {
            match message.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::Array(parts)) if parts.len() > MOST_PARTS => {
                    return Err(RequestError::invalid_params(format!(
                        "`params.message.{name}` holds {} parts; at most {MOST_PARTS} are taken, so join texts",
                        parts.len()
                    )));
                }
                Some(Value::Array(parts)) => {
                    for (index, part) in parts.iter().enumerate() {
                        content.take(&format!("params.message.{name}[{index}]"), part)?;
                    }
                }
                Some(part) => content.take(&format!("params.message.{name}"), part)?,
            }
        }
        Ok(content)
    }

    fn take(&mut self, place: &str, part: &Value) -> Result<(), RequestError> {
        let part = match part {
            Value::String(text) => {
                self.text.push(text.clone());
                self.parts.push(Part::text(text));
                return Ok(());
            }
            Value::Object(part) => check_one_content(place, part)?,
            _ => {
                return Err(RequestError::invalid_params(format!(
                    "`{place}` must be an object such as {{\"text\": \"…\"}}"
                )));
            }
        };
        check_metadata(place, part.get("metadata"))?;
        match part.get("kind") {
            // Clients of 0.2 still say `type`.
            None | Some(Value::Null) => match part.get("type") {
                Some(kind) if self.rules == MessageRules::A2a && !is_known_kind(kind) => {
                    return Err(RequestError::invalid_params(format!(
                        "`{place}.type` is {kind}, which no part is; use `kind`"
                    )));
                }
                _ => {}
            },
            Some(kind) if is_known_kind(kind) => {}
            Some(Value::String(kind)) => return Err(unsupported_part(kind)),
            Some(_) if self.rules == MessageRules::Seeds => {}
            Some(kind) => return Err(unsupported_part(&kind.to_string())),
        }
        let is_file = part.get("kind").is_some_and(|kind| kind == "file");
        if is_file || ["file", "raw", "url"].iter().any(|field| part.contains_key(*field)) {
            return self.take_file(place, part);
        }
        if let Some(media) = ["mediaType", "media_type", "mimeType"].iter().find_map(|name| part.get(*name)?.as_str())
            && !media::is_read(media)
        {
            return Err(unsupported_part(media));
        }
        match (part.get("text"), part.get("data")) {
            (Some(Value::String(text)), _) => {
                self.text.push(text.clone());
                self.parts.push(Part::Text { text: text.clone(), metadata: metadata_of(part) });
            }
            (Some(_), _) => return Err(RequestError::invalid_params(format!("`{place}.text` must be text"))),
            (None, Some(data)) => self.take_data(&format!("{place}.data"), part, data)?,
            (None, None) => {
                return Err(RequestError::invalid_params(format!("`{place}` holds neither `text` nor `data`")));
            }
        }
        Ok(())
    }

    fn take_file(&mut self, place: &str, part: &Map<String, Value>) -> Result<(), RequestError> {
        let (came, file) = file::read(place, part)?;
        match came {
            FilePartContent::Text(text) => self.files.push(text),
            FilePartContent::File(_) if self.shown.len() >= MediaContent::MOST_IN_PROMPT => {
                return Err(Refusal::TooManyFiles { limit: MediaContent::MOST_IN_PROMPT }.into());
            }
            FilePartContent::File(file) => self.shown.push(file),
        }
        self.parts.push(Part::File { file, metadata: metadata_of(part) });
        Ok(())
    }

    /// An answer to an ask, or data for the agent, which reads it as JSON. In 0.3, whose parts say their kind, data is an
    /// object; in 1.0 it is any value.
    fn take_data(&mut self, place: &str, part: &Map<String, Value>, data: &Value) -> Result<(), RequestError> {
        if let Value::Object(object) = data {
            if let Some(answer) = confirmation::read(place, object)? {
                self.answers.push(answer);
                return Ok(());
            }
        } else if part.contains_key("kind") {
            return Err(RequestError::invalid_params(format!("`{place}` must be an object")));
        }
        self.data.push(data.to_string());
        self.parts.push(Part::Data { data: data.clone(), metadata: metadata_of(part) });
        Ok(())
    }

    /// One prompt, or answers and what is said after them.
    pub(super) fn into_content(self) -> Result<InboundContent, RequestError> {
        let MessageParts { rules: _, text, mut data, files: told, shown: files, answers, mut parts } = self;
        let is_empty = text.is_empty() && data.is_empty() && told.is_empty() && files.is_empty();
        if answers.is_empty() && is_empty {
            return Err(RequestError::invalid_params("the message holds neither text nor a tool call confirmation"));
        }
        if !answers.is_empty() {
            // Data beside an answer is about that answer; beside a text, or alone, it is for the agent.
            data.clear();
            parts.retain(|part| !matches!(part, Part::Data { .. }));
        }
        if is_one_text(&parts) {
            parts.clear();
        }
        let text = (!text.is_empty()).then(|| text.join("\n")).into_iter().chain(data).chain(told);
        let words = PromptContent { text: text.collect::<Vec<_>>().join("\n"), files, parts };
        if answers.is_empty() {
            return Ok(InboundContent::Prompt(words));
        }
        let then = (!words.is_empty()).then_some(words);
        Ok(InboundContent::Answers { answers: check_answered_once(answers)?, then })
    }
}

/// True if parts are a text and files to look at after it, which the prompt itself says.
fn is_one_text(parts: &[Part]) -> bool {
    let files = match parts {
        [Part::Text { metadata, .. }, files @ ..] if metadata.is_empty() => files,
        files => files,
    };
    files.iter().all(|part| matches!(part, Part::File { file, metadata } if file.is_elsewhere() && metadata.is_empty()))
}

fn metadata_of(part: &Map<String, Value>) -> Metadata {
    part.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// `answers`, if no call is answered twice.
fn check_answered_once(answers: Vec<InboundAnswer>) -> Result<Vec<InboundAnswer>, RequestError> {
    for (index, answer) in answers.iter().enumerate() {
        if answers.iter().skip(index + 1).any(|other| other.call.may_equal(answer.call)) {
            return Err(RequestError::invalid_params(format!(
                "the message answers {} twice: choose once",
                answer.call
            )));
        }
    }
    Ok(answers)
}

/// A part that holds one content. What is `null` is not there, except as the only one: then it is data.
fn check_one_content<'a>(place: &str, part: &'a Map<String, Value>) -> Result<&'a Map<String, Value>, RequestError> {
    const CONTENTS: [&str; 5] = ["text", "data", "file", "raw", "url"];
    let there: Vec<String> = CONTENTS
        .iter()
        .filter(|name| part.get(**name).is_some_and(|content| !content.is_null()))
        .map(|name| format!("`{name}`"))
        .collect();
    if there.len() > 1 {
        return Err(RequestError::invalid_params(format!(
            "`{place}` must hold one content and has {}",
            there.join(", ")
        )));
    }
    Ok(part)
}
