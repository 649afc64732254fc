//! The model's output that the log does not hold yet, in as few fragments as will tell it.

use pollux_model::{MessagePart, PartData};
use pollux_session::{ItemKind, ModelFragment, NewCall};
use serde_json::{Map, Value, json};

/// The speech of one model call.
#[derive(Default)]
pub(crate) struct ModelOutputBuffer {
    unsent: Vec<ModelFragment>,
    unsent_bytes: usize,
    open: Option<ItemKind>,
    /// All text so far, thoughts excluded: what a retry continues from.
    pub(crate) text: String,
    /// The calls it wants.
    pub(crate) calls: Vec<NewCall>,
}

impl ModelOutputBuffer {
    /// Take in a part. A part that carries more than text ends its item, so that what the provider attached stays
    /// with the text it belongs to.
    pub(crate) fn absorb(&mut self, part: MessagePart) {
        match part.data {
            PartData::Text(text) if part.thought => {
                if text.starts_with("**") && self.open == Some(ItemKind::Thought) {
                    self.say(ItemKind::Thought, "", Some(Value::Null));
                }
                self.say(ItemKind::Thought, &text, None);
            }
            PartData::Text(text) => {
                let end = (!part.extra.is_empty()).then_some(Value::Object(part.extra));
                if !text.is_empty() || end.is_some() {
                    self.text.push_str(&text);
                    self.say(ItemKind::Text, &text, end);
                }
            }
            PartData::FunctionCall { id, name, args } => {
                self.calls.push(NewCall { tool: name, args, meta: call_meta(id.as_deref(), &part.extra) });
            }
            PartData::FunctionResponse { .. } | PartData::Other(_) => {
                tracing::warn!("the model sent a part that is neither text nor a call; it is left out");
            }
        }
    }

    /// True if there is nothing to commit.
    pub(crate) fn is_empty(&self) -> bool {
        self.unsent.is_empty()
    }

    /// The bytes of text that wait to be committed.
    pub(crate) fn unsent_bytes(&self) -> usize {
        self.unsent_bytes
    }

    /// The fragments to commit now.
    pub(crate) fn take(&mut self) -> Vec<ModelFragment> {
        self.unsent_bytes = 0;
        std::mem::take(&mut self.unsent)
    }

    fn say(&mut self, kind: ItemKind, text: &str, end: Option<Value>) {
        self.open = end.is_none().then_some(kind);
        self.unsent_bytes += text.len();
        match self.unsent.last_mut() {
            Some(last) if last.kind == kind && last.end.is_none() => {
                last.text.push_str(text);
                last.end = end;
            }
            _ => self.unsent.push(ModelFragment { kind, text: text.to_owned(), end }),
        }
    }
}

/// Data of a call that is kept for the provider: its own id and everything it attached.
fn call_meta(id: Option<&str>, extra: &Map<String, Value>) -> Value {
    json!({ "id": id, "extra": extra })
}

/// The reverse of [`call_meta`].
pub(crate) fn call_meta_parts(meta: &Value) -> (Option<String>, Map<String, Value>) {
    let id = meta.get("id").and_then(Value::as_str).map(str::to_owned);
    let extra = meta.get("extra").and_then(Value::as_object).cloned().unwrap_or_default();
    (id, extra)
}
