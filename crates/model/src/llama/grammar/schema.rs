//! From the JSON schema of a tool's arguments to the rules that spell them.

use super::super::form::spell;
use super::{Rules, hint, literal};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The deepest nesting of objects that is checked; below it anything goes.
const DEEPEST: usize = 8;

/// The shapes of one schema.
pub(super) struct Shapes<'a> {
    whole: &'a Value,
    rules: &'a mut Rules,
    /// The rules of definitions, by reference: one may refer to itself.
    known: HashMap<&'a str, String>,
    depth: usize,
}

/// A property: how it is spelt, and whether it may be left out.
struct Property {
    spelt: String,
    required: bool,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(whole: &'a Value, rules: &'a mut Rules) -> Shapes<'a> {
        Shapes { whole, rules, known: HashMap::new(), depth: 0 }
    }

    /// The arguments: always an object, and an empty one when none are described.
    pub(super) fn arguments(&mut self, wish: &str) -> String {
        match self.whole.get("properties").and_then(Value::as_object) {
            Some(_) => self.shape(self.whole, wish),
            None if self.whole.get("$ref").is_some() || self.whole.get("anyOf").is_some() => {
                self.shape(self.whole, wish)
            }
            None if self.whole.get("additionalProperties").is_some_and(|more| more != &Value::Bool(false)) => {
                "object".to_owned()
            }
            None => "\"{}\"".to_owned(),
        }
    }

    /// The rule that spells a value of `schema`. `wish` is its name, should it need one.
    fn shape(&mut self, schema: &'a Value, wish: &str) -> String {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.referred(reference);
        }
        if let Some(only) = schema.get("const") {
            return literal(&spell(only));
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
            return one_of(choices.iter().map(|choice| literal(&spell(choice))));
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(choices) = schema.get(key).and_then(Value::as_array) {
                return one_of(choices.iter().map(|choice| self.shape(choice, wish)));
            }
        }
        if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            return self.shape(only, wish);
        }
        match schema.get("type") {
            Some(Value::String(word)) => self.typed(word, schema, wish),
            Some(Value::Array(words)) => {
                one_of(words.iter().map(|word| self.typed(word.as_str().unwrap_or_default(), schema, wish)))
            }
            None if schema.get("properties").is_some() => self.typed("object", schema, wish),
            _ => "value".to_owned(),
        }
    }

    fn typed(&mut self, word: &str, schema: &'a Value, wish: &str) -> String {
        match word {
            "string" | "integer" | "number" | "boolean" => word.to_owned(),
            "null" => "\"null\"".to_owned(),
            "array" => match schema.get("items") {
                Some(items) => {
                    let item = self.shape(items, &format!("{wish}-item"));
                    let some = format!("{item} ( \", \" {item} )*");
                    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
                    if least > 0 { format!("\"[\" {some} \"]\"") } else { format!("\"[\" ( {some} )? \"]\"") }
                }
                None => "array".to_owned(),
            },
            "object" => match schema.get("properties").and_then(Value::as_object) {
                Some(properties) if self.depth < DEEPEST => self.object(properties, schema, wish),
                _ => "object".to_owned(),
            },
            _ => "value".to_owned(),
        }
    }

    fn object(&mut self, properties: &'a Map<String, Value>, schema: &'a Value, wish: &str) -> String {
        self.depth += 1;
        let name = self.rules.reserve(wish);
        let must = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let properties = properties.iter().map(|(key, value)| {
            let value = self.shape(value, &format!("{wish}-{}", hint(key)));
            let key_text = literal(&format!("{}: ", spell(&Value::from(key.as_str()))));
            Property { spelt: format!("{key_text} {value}"), required: must.iter().any(|name| name == key) }
        });
        let (first, rest): (Vec<Property>, Vec<Property>) = properties.partition(|property| property.required);
        let body = match fields(&first, &rest) {
            none if none.is_empty() => "\"{}\"".to_owned(),
            fields => format!("\"{{\" {fields} \"}}\""),
        };
        self.rules.define(&name, &body);
        self.depth -= 1;
        name
    }

    /// A definition inside the schema; anything for a reference that leads nowhere.
    fn referred(&mut self, reference: &'a str) -> String {
        if let Some(name) = self.known.get(reference) {
            return name.clone();
        }
        let found = reference.strip_prefix('#').and_then(|pointer| self.whole.pointer(pointer));
        let Some(schema) = found else { return "value".to_owned() };
        let last = reference.rsplit('/').next().unwrap_or_default();
        let name = self.rules.reserve(&hint(last));
        self.known.insert(reference, name.clone());
        let body = self.shape(schema, &format!("{name}-fields"));
        self.rules.define(&name, &body);
        name
    }
}

/// The required properties, then the optional ones: a comma stands between two, wherever the first of them is.
fn fields(must: &[Property], may: &[Property]) -> String {
    let optional = |properties: &[Property]| {
        let each = properties.iter().map(|property| format!("( \", \" {} )?", property.spelt));
        each.collect::<Vec<_>>().join(" ")
    };
    if must.is_empty() {
        let beginnings = may.iter().enumerate().map(|(at, property)| {
            let after = may.get(at + 1..).unwrap_or_default();
            format!("{} {}", property.spelt, optional(after)).trim_end().to_owned()
        });
        let beginnings: Vec<String> = beginnings.collect();
        return if beginnings.is_empty() { String::new() } else { format!("( {} )?", beginnings.join(" | ")) };
    }
    let must: Vec<&str> = must.iter().map(|property| property.spelt.as_str()).collect();
    format!("{} {}", must.join(" \", \" "), optional(may)).trim_end().to_owned()
}

fn one_of(choices: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for choice in choices {
        if !distinct.contains(&choice) {
            distinct.push(choice);
        }
    }
    match distinct.as_slice() {
        [] => "value".to_owned(),
        [only] => only.clone(),
        several => format!("( {} )", several.join(" | ")),
    }
}
