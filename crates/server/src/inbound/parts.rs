//! The content of a message: `parts` of A2A, or the `content` of the endpoint guide.

use super::confirmation::Confirmation;
use super::{Says, media, not_taken};
use crate::errors::Fault;
use serde_json::{Map, Value};

/// What the parts of a message amount to.
#[derive(Default)]
pub(super) struct Content {
    text: Vec<String>,
    confirmations: Vec<Confirmation>,
}

impl Content {
    /// Read the message's parts.
    pub(super) fn of(message: &Map<String, Value>) -> Result<Content, Fault> {
        let mut content = Content::default();
        for name in ["parts", "content"] {
            match message.get(name) {
                None | Some(Value::Null) => {}
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

    fn take(&mut self, place: &str, part: &Value) -> Result<(), Fault> {
        let part = match part {
            Value::String(text) => {
                self.text.push(text.clone());
                return Ok(());
            }
            Value::Object(part) => part,
            _ => return Err(Fault::params(format!("`{place}` must be an object such as {{\"text\": \"…\"}}"))),
        };
        match part.get("kind").and_then(Value::as_str) {
            None | Some("text" | "data") => {}
            Some(kind) => return Err(not_taken(kind)),
        }
        if ["file", "raw", "url"].iter().any(|field| part.contains_key(*field)) {
            return Err(not_taken("file"));
        }
        if let Some(media) = ["mediaType", "media_type", "mimeType"].iter().find_map(|name| part.get(*name)?.as_str())
            && !media::is_read(media)
        {
            return Err(not_taken(media));
        }
        match (part.get("text"), part.get("data")) {
            (Some(Value::String(text)), _) => self.text.push(text.clone()),
            (Some(_), _) => return Err(Fault::params(format!("`{place}.text` must be text"))),
            (None, Some(Value::Object(data))) => {
                self.confirmations.extend(Confirmation::read(&format!("{place}.data"), data)?);
            }
            (None, Some(_)) => return Err(Fault::params(format!("`{place}.data` must be an object"))),
            (None, None) => return Err(Fault::params(format!("`{place}` holds neither `text` nor `data`"))),
        }
        Ok(())
    }

    /// One prompt or one answer.
    pub(super) fn says(mut self) -> Result<Says, Fault> {
        let text = self.text.join("\n");
        match (self.confirmations.pop(), self.confirmations.is_empty()) {
            (Some(_), _) if !text.trim().is_empty() => {
                Err(Fault::params("the message holds text and a confirmation: send them as two messages"))
            }
            (Some(_), false) => {
                Err(Fault::params("the message holds several confirmations: send one message for each"))
            }
            (Some(confirmation), true) => Ok(confirmation.says()),
            (None, _) if self.text.is_empty() => {
                Err(Fault::params("the message holds neither text nor a tool call confirmation"))
            }
            (None, _) => Ok(Says::Prompt(text)),
        }
    }
}
