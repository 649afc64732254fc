//! The conversation as every provider wants it: each call has an id of its own, and its result follows at once.
//!
//! A history may come from any provider, or from none (summaries, edits). What the wire formats refuse is mended here,
//! once for all: ids that are missing, used twice or oddly spelt, results that are missing or belong to no call.
//! Nothing is lost: a result without a call is told as text.

use crate::content::{MADE, MessagePart, MessageRole, ModelMessage, PartData};
use serde_json::{Value, json};
use std::collections::{HashSet, VecDeque};

/// The requirements of a wire format.
#[derive(Clone, Copy)]
pub(crate) struct PairingRules {
    /// True for a part that is sent although there is nothing in it.
    pub(crate) keeps_empty: fn(&MessagePart) -> bool,
    /// True for an id that may be sent as it is.
    pub(crate) takes_id: fn(&str) -> bool,
}

impl PairingRules {
    /// Text is never empty, and ids are short and plain.
    pub(crate) fn strict() -> PairingRules {
        PairingRules { keeps_empty: |_| false, takes_id: |id| id.len() <= 40 && id.chars().all(is_plain) }
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// `contents` in strict order: roles alternate, and a user content begins with the results of all calls before it.
/// Thoughts are left out. Ids that had to be made begin with [`MADE`].
pub(crate) fn pair(contents: Vec<ModelMessage>, rules: PairingRules) -> Vec<ModelMessage> {
    let mut pairing = Pairing::new(rules);
    for content in contents {
        for part in content.parts {
            let is_empty = matches!(&part.data, PartData::Text(text) if text.is_empty());
            if part.thought || (is_empty && !(rules.keeps_empty)(&part)) {
                continue;
            }
            match content.role {
                MessageRole::Model => pairing.add_model(part),
                MessageRole::User => pairing.add_user(part),
            }
        }
    }
    pairing.answer_calls();
    pairing.contents
}

/// A call without its result.
struct OpenCall {
    /// The id it had.
    old: Option<String>,
    /// The id it has now.
    new: String,
    name: String,
    result: Option<Value>,
}

struct Pairing {
    rules: PairingRules,
    contents: Vec<ModelMessage>,
    used: HashSet<String>,
    made: usize,
    /// The calls of the newest model content, in order.
    open: VecDeque<OpenCall>,
    /// Parts of the user's message besides results, before the model speaks again.
    beside: Vec<MessagePart>,
}

impl Pairing {
    fn new(rules: PairingRules) -> Pairing {
        let (contents, used, open, beside) = (Vec::new(), HashSet::new(), VecDeque::new(), Vec::new());
        Pairing { rules, contents, used, made: 0, open, beside }
    }

    fn add_model(&mut self, mut part: MessagePart) {
        if self.has_answers() {
            self.answer_calls();
        }
        match &mut part.data {
            PartData::FunctionCall { id, name, .. } => {
                let old = id.take();
                let new = self.fresh_id(old.as_deref());
                *id = Some(new.clone());
                self.open.push_back(OpenCall { old, new, name: name.clone(), result: None });
            }
            // The model cannot answer its own calls.
            PartData::FunctionResponse { .. } => return,
            PartData::Text(_) | PartData::Other(_) => {}
        }
        match self.contents.last_mut() {
            Some(last) if last.role == MessageRole::Model => last.parts.push(part),
            _ => self.contents.push(ModelMessage { role: MessageRole::Model, parts: vec![part] }),
        }
    }

    fn add_user(&mut self, part: MessagePart) {
        let PartData::FunctionResponse { id, name, response } = part.data else {
            self.beside.push(part);
            return;
        };
        let is_it = |call: &&mut OpenCall| {
            call.result.is_none() && if id.is_some() { call.old == id } else { call.name == name }
        };
        match self.open.iter_mut().find(is_it) {
            Some(call) => call.result = Some(response),
            None => self.beside.push(MessagePart::text(format!("[result of {name}] {}", told(&response).0))),
        }
    }

    fn has_answers(&self) -> bool {
        !self.beside.is_empty() || self.open.iter().any(|call| call.result.is_some())
    }

    /// Close the user's turn: a result for every call, then what was said.
    fn answer_calls(&mut self) {
        let results = self.open.drain(..).map(|call| {
            let response = call.result.unwrap_or_else(|| json!({"error": "This call was not run."}));
            MessagePart::response(call.new, call.name, response)
        });
        let mut parts: Vec<MessagePart> = results.collect();
        parts.append(&mut self.beside);
        if parts.is_empty() {
            return;
        }
        match self.contents.last_mut() {
            Some(last) if last.role == MessageRole::User => last.parts.extend(parts),
            _ => self.contents.push(ModelMessage { role: MessageRole::User, parts }),
        }
    }

    /// The id itself if it may be sent and was not used before, else one that is derived from the place alone: the
    /// same history always gives the same ids.
    fn fresh_id(&mut self, id: Option<&str>) -> String {
        let takes_id = self.rules.takes_id;
        if let Some(id) = id.filter(|id| !id.is_empty() && takes_id(id))
            && self.used.insert(id.to_owned())
        {
            return id.to_owned();
        }
        loop {
            self.made += 1;
            let id = format!("{MADE}{}", self.made);
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolResultStatus {
    Well,
    Wrong,
}

/// A result as text: what is in `output`, or the whole of it.
pub(crate) fn told(response: &Value) -> (String, ToolResultStatus) {
    let went = if response.get("error").is_some() { ToolResultStatus::Wrong } else { ToolResultStatus::Well };
    let only = match response {
        Value::Object(fields) if fields.len() == 1 => fields.get("output").or_else(|| fields.get("error")),
        _ => None,
    };
    let text = match only.unwrap_or(response) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    (text, went)
}

/// A picture, document or sound inside a part.
pub(crate) struct InlineMedia<'a> {
    pub(crate) kind: &'a str,
    /// In base64.
    pub(crate) data: &'a str,
}

impl InlineMedia<'_> {
    /// The medium in a part, if there is one.
    pub(crate) fn of(part: &MessagePart) -> Option<InlineMedia<'_>> {
        let PartData::Other(fields) = &part.data else { return None };
        let inline = fields.get("inlineData")?;
        Some(InlineMedia { kind: inline.get("mimeType")?.as_str()?, data: inline.get("data")?.as_str()? })
    }

    /// The text in place of a medium that the provider does not take.
    pub(crate) fn placeholder(&self) -> String {
        format!("[{} left out: this model does not take it]", self.kind)
    }
}

#[cfg(test)]
mod tests;
