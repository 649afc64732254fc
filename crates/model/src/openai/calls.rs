//! Tool calls as they arrive: in fragments, each with the place of the call it belongs to.

use crate::arguments::read_arguments;
use crate::content::{MADE, MessagePart, PartData};
use crate::error::{AnswerFlaw, ModelError};
use serde_json::Value;

/// The most calls of one answer.
const MOST: usize = 128;
/// The most bytes of their arguments together.
const LONGEST: usize = 16 * 1024 * 1024;

/// The calls of one answer.
#[derive(Default)]
pub(super) struct Calls {
    slots: Vec<Slot>,
    length: usize,
}

#[derive(Default)]
struct Slot {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Calls {
    /// Take in one fragment.
    pub(super) fn take(&mut self, fragment: &Value) -> Result<(), ModelError> {
        let word = |key: &str| fragment[key].as_str().unwrap_or_default();
        let slot = self.slot(fragment["index"].as_u64(), word("id"))?;
        if slot.id.is_empty() {
            word("id").clone_into(&mut slot.id);
        }
        let function = &fragment["function"];
        if slot.name.is_empty() {
            function["name"].as_str().unwrap_or_default().clone_into(&mut slot.name);
        }
        let grown = match &function["arguments"] {
            Value::String(text) => {
                slot.arguments.push_str(text);
                text.len()
            }
            // Some servers send the object itself.
            Value::Object(fields) if slot.arguments.is_empty() => {
                slot.arguments = Value::Object(fields.clone()).to_string();
                slot.arguments.len()
            }
            _ => 0,
        };
        self.length += grown;
        if self.length > LONGEST {
            return Err(bad_frame(format!("the arguments of its calls are longer than {LONGEST} bytes")));
        }
        Ok(())
    }

    /// The call a fragment belongs to. Servers differ: the index may be missing, or be 0 for every call, and then only
    /// a new id begins a new call.
    fn slot(&mut self, index: Option<u64>, id: &str) -> Result<&mut Slot, ModelError> {
        let known = match index {
            Some(_) => self.slots.iter().rposition(|slot| slot.index == index),
            None => self.slots.len().checked_sub(1),
        };
        let is_other = |slot: &Slot| !id.is_empty() && !slot.id.is_empty() && slot.id != id;
        let at = match known.filter(|at| !self.slots.get(*at).is_some_and(is_other)) {
            Some(at) => at,
            None => {
                self.slots.push(Slot { index, ..Slot::default() });
                self.slots.len() - 1
            }
        };
        if self.slots.len() > MOST {
            return Err(bad_frame(format!("it makes more than {MOST} calls at once")));
        }
        self.slots.get_mut(at).ok_or_else(|| bad_frame("a call has no place".to_owned()))
    }

    /// All calls, whole. `turn` makes ids that are missing unique in the conversation.
    pub(super) fn finish(self, turn: usize) -> Result<Vec<MessagePart>, ModelError> {
        self.slots.into_iter().enumerate().map(|(at, slot)| slot.finish(turn, at + 1)).collect()
    }
}

impl Slot {
    fn finish(self, turn: usize, number: usize) -> Result<MessagePart, ModelError> {
        if self.name.is_empty() {
            return Err(ModelError::Malformed {
                flaw: AnswerFlaw::BadCall { finish: "a call without a name".to_owned() },
            });
        }
        let args = read_arguments(&self.name, &self.arguments)?;
        let id = if self.id.is_empty() { format!("{MADE}{turn}-{number}") } else { self.id };
        Ok(PartData::FunctionCall { id: Some(id), name: self.name, args }.into())
    }
}

fn bad_frame(why: String) -> ModelError {
    ModelError::Malformed { flaw: AnswerFlaw::BadFrame { why } }
}

#[cfg(test)]
mod tests;
