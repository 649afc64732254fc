//! How large a number, or how long a text or a list, may be that a question's JSON schema asks for.

use serde_json::{Number, Value};

/// The least and the most of what is counted.
pub(super) struct Bounds {
    least: Option<Number>,
    most: Option<Number>,
    /// What is counted, behind a blank.
    unit: &'static str,
}

impl Bounds {
    /// Those of the values that `schema` takes; `None` for types that have none.
    pub(super) fn of(schema: &Value) -> Option<Bounds> {
        let bound = |name: &str| schema.get(name).and_then(Value::as_number).cloned();
        Some(match schema.get("type")?.as_str()? {
            "integer" | "number" => Bounds { least: bound("minimum"), most: bound("maximum"), unit: "" },
            "array" => Bounds { least: bound("minItems"), most: bound("maxItems"), unit: " of them" },
            "string" => {
                // That a text is not empty goes without saying.
                let least = bound("minLength").filter(|least| least.as_u64().is_some_and(|least| least > 1));
                Bounds { least, most: bound("maxLength"), unit: " characters" }
            }
            _ => return None,
        })
    }

    pub(super) fn in_words(&self) -> Option<String> {
        let unit = self.unit;
        match (&self.least, &self.most) {
            (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
            (Some(least), None) => Some(format!("at least {least}{unit}")),
            (None, Some(most)) => Some(format!("at most {most}{unit}")),
            (None, None) => None,
        }
    }

    /// Whether `value` is within them.
    pub(super) fn hold(&self, value: &Value) -> bool {
        let size = match value {
            Value::Number(number) => number.clone(),
            Value::String(text) => text.chars().count().into(),
            Value::Array(several) => several.len().into(),
            Value::Null | Value::Bool(_) | Value::Object(_) => return true,
        };
        let is_at_least = |large: &Number, small: &Number| large.as_f64() >= small.as_f64();
        self.least.as_ref().is_none_or(|least| is_at_least(&size, least))
            && self.most.as_ref().is_none_or(|most| is_at_least(most, &size))
    }
}
