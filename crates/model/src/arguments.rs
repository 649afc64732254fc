//! The arguments of a call, for providers that stream them as text.

use crate::error::{AnswerFlaw, ModelError};
use serde_json::{Map, Value};

/// Arguments as an object; none at all is an empty one. Anything else is the model's mistake, and it may be asked again.
pub(crate) fn read_arguments(tool: &str, text: &str) -> Result<Value, ModelError> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let read: Result<Map<String, Value>, _> = serde_json::from_str(text);
    read.map(Value::Object).map_err(|error| {
        let flaw = AnswerFlaw::BadArguments { tool: tool.to_owned(), why: error.to_string() };
        ModelError::Malformed { flaw }
    })
}
