//! A text as the values that a question's JSON schema asks for, and what the schema asks for in words.

use super::bounds::Bounds;
use super::{leading_number, normalized, place_in_list};
use crate::sanitize::one_line;
use serde_json::{Map, Value};

/// How many things a list may hold.
const MOST_PICKED: usize = 64;

/// The longest name or value that is repeated, in characters.
const SHOWN_CHARS: usize = 200;

/// One value that is asked for.
pub(super) struct Field<'a> {
    name: &'a str,
    schema: &'a Value,
    required: bool,
}

/// The values that `schema` asks for, in order.
pub(super) fn fields(schema: &Value) -> Vec<Field<'_>> {
    let required = list(schema, "required");
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let is_required = |name: &str| required.iter().any(|one| one == name);
    properties.map(|(name, schema)| Field { name, schema, required: is_required(name) }).collect()
}

/// The values for the properties of `schema`, or what is wrong with `text`. One property takes the whole text, several take a
/// line each: by name, then optional ones may be left out, or in their order.
pub(super) fn read_answers(schema: &Value, text: &str) -> Result<Value, String> {
    let fields = fields(schema);
    let given = match (named_lines(&fields, text)?, fields.as_slice()) {
        (Some(named), _) => named,
        (None, [only]) => vec![(only, text.trim())],
        (None, _) => lines_in_order(&fields, text)?,
    };
    let is_given = |field: &Field<'_>| given.iter().any(|(given, _)| given.name == field.name);
    // What has a default is filled in by whoever asks.
    let is_needed = |field: &Field<'_>| field.required && field.schema.get("default").is_none();
    let missing = fields.iter().find(|field| is_needed(field) && !is_given(field));
    if let Some(missing) = missing {
        return Err(format!("`{}` is missing", missing.shown_name()));
    }
    let values = given.into_iter().map(|(field, text)| Ok((field.name.to_owned(), field.read(text)?)));
    values.collect::<Result<Map<_, _>, String>>().map(Value::Object)
}

/// Fields, each with the text that a reply has for it.
type GivenTexts<'a, 'b> = Vec<(&'a Field<'b>, &'a str)>;

/// Lines that all begin with the name or the title of a field of their own, and a colon; `None` where they are something else.
fn named_lines<'a, 'b>(fields: &'a [Field<'b>], text: &'a str) -> Result<Option<GivenTexts<'a, 'b>>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(lines) = lines.map(|line| line.split_once([':', '='])).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let field_of = |name: &str| fields.iter().find(|field| field.is_called(&normalized(name)));
    let mut named: GivenTexts<'_, '_> = Vec::new();
    let mut unknown = None;
    for (name, value) in lines {
        match field_of(name) {
            Some(field) if named.iter().any(|(known, _)| known.name == field.name) => return Ok(None),
            Some(field) => named.push((field, value.trim())),
            None => unknown = unknown.or(Some(name)),
        }
    }
    match unknown {
        // A value may hold a colon. Beside names, or where there are not as many lines as values, what is before it is one.
        Some(name) if !named.is_empty() || (fields.len() > 1 && lines_in_order(fields, text).is_err()) => {
            Err(format!("there is no value `{}`", one_line(name.trim(), SHOWN_CHARS)))
        }
        Some(_) => Ok(None),
        None => Ok((!named.is_empty()).then_some(named)),
    }
}

/// A line for every field, or for every one that is required; in the order of the numbers before them if all have one.
fn lines_in_order<'a, 'b>(fields: &'a [Field<'b>], text: &'a str) -> Result<GivenTexts<'a, 'b>, String> {
    let mut lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let required = fields.iter().filter(|field| field.required).count();
    if lines.len() != fields.len() && (required == 0 || lines.len() != required) {
        return Err(format!("{} values are asked for, and the reply has {}", fields.len(), lines.len()));
    }
    if let Some(mut numbered) = lines.iter().map(|line| leading_number(line)).collect::<Option<Vec<_>>>() {
        numbered.sort_by_key(|(number, _)| *number);
        if !numbered.iter().zip(1..).all(|((number, _), expected)| *number == expected) {
            return Err("the numbers of its lines are not those of the values".into());
        }
        lines = numbered.into_iter().map(|(_, rest)| rest).collect();
    }
    let all = lines.len() == fields.len();
    Ok(fields.iter().filter(|field| all || field.required).zip(lines).collect())
}

impl Field<'_> {
    /// What it is, for a list of all.
    pub(super) fn describe(&self) -> String {
        let about = ["title", "description"].into_iter().filter_map(|word| self.schema.get(word)?.as_str());
        let about = about.filter(|about| !about.is_empty()).map(|about| one_line(about, SHOWN_CHARS));
        let about = about.collect::<Vec<_>>().join(", ");
        let about = if about.is_empty() { about } else { format!(": {about}") };
        let need = if self.required { "required" } else { "optional" };
        let default = self.default_in_words().map(|default| format!(", default {default}")).unwrap_or_default();
        format!("{}{about} ({}, {need}{default})", self.shown_name(), self.kind())
    }

    fn default_in_words(&self) -> Option<String> {
        let plain = |value: &Value| match value {
            Value::Bool(true) => Some("yes".to_owned()),
            Value::Bool(false) => Some("no".to_owned()),
            Value::Number(number) => Some(number.to_string()),
            Value::String(text) => Some(one_line(text, SHOWN_CHARS)).filter(|text| !text.is_empty()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        match self.schema.get("default")? {
            Value::Array(several) => several.iter().map(plain).collect::<Option<Vec<_>>>().map(|all| all.join(", ")),
            one => plain(one),
        }
    }

    /// What a person calls it.
    pub(super) fn label(&self) -> String {
        let title = self.schema.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
        one_line(title.unwrap_or(self.name), SHOWN_CHARS)
    }

    /// Whether it offers something to choose from.
    pub(super) fn offers(&self) -> bool {
        !offered(self.schema.get("items").unwrap_or(self.schema)).is_empty()
    }

    fn shown_name(&self) -> String {
        one_line(self.name, SHOWN_CHARS)
    }

    fn is_called(&self, words: &str) -> bool {
        // The questions of the agent are called by numbers, and so are lines.
        let names = [self.name, self.schema.get("title").and_then(Value::as_str).unwrap_or_default()];
        names.iter().any(|name| normalized(name) == words && !words.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// What its values are, in words.
    fn kind(&self) -> String {
        match self.bounds().and_then(|bounds| bounds.in_words()) {
            Some(bounds) => format!("{}, {bounds}", self.type_in_words()),
            None => self.type_in_words(),
        }
    }

    fn bounds(&self) -> Option<Bounds> {
        // What is offered has its own length.
        let is_text = self.schema.get("type").and_then(Value::as_str) == Some("string");
        Bounds::of(self.schema).filter(|_| !(is_text && self.offers()))
    }

    fn type_in_words(&self) -> String {
        let one_of = |schema: &Value| {
            let names: Vec<String> = offered(schema).iter().map(|(value, _)| one_line(value, SHOWN_CHARS)).collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        match self.schema.get("type").and_then(Value::as_str) {
            Some("boolean") => "yes or no".into(),
            Some("integer") => "a whole number".into(),
            Some("number") => "a number".into(),
            Some("array") => match self.schema.get("items").and_then(one_of) {
                Some(names) => format!("some of: {names}; with commas between them"),
                None => "several, with commas between them".into(),
            },
            _ => one_of(self.schema).map_or_else(|| "text".into(), |names| format!("one of: {names}")),
        }
    }

    fn read(&self, text: &str) -> Result<Value, String> {
        let misfit = || format!("`{}`: \"{}\" is not {}", self.shown_name(), one_line(text, SHOWN_CHARS), self.kind());
        let is_within = |value: &Value| self.bounds().is_none_or(|bounds| bounds.hold(value));
        self.value_of(text).filter(is_within).ok_or_else(misfit)
    }

    fn value_of(&self, text: &str) -> Option<Value> {
        let words = normalized(text);
        if words.is_empty() {
            return None;
        }
        match self.schema.get("type").and_then(Value::as_str) {
            Some("boolean") => match words.as_str() {
                "yes" | "true" => Some(Value::Bool(true)),
                "no" | "false" => Some(Value::Bool(false)),
                _ => None,
            },
            Some("integer") => words.parse::<i64>().ok().map(Value::from),
            Some("number") => words.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number),
            Some("array") => {
                let items = self.schema.get("items").unwrap_or(&Value::Null);
                let several: Vec<&str> = text.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
                let fits = several.len() <= MOST_PICKED;
                let picked = several.into_iter().map(|one| pick(items, one).map(Value::from));
                picked.collect::<Option<Value>>().filter(|_| fits)
            }
            Some("object") => None,
            _ => pick(self.schema, text.trim()).map(Value::from),
        }
    }
}

/// What `schema` offers to choose from, in order: each value, and its title.
fn offered(schema: &Value) -> Vec<(&str, &str)> {
    let titles = list(schema, "enumNames");
    let title = |at: usize| titles.get(at).and_then(Value::as_str).unwrap_or_default();
    let plain = list(schema, "enum").iter().enumerate().filter_map(|(at, one)| Some((one.as_str()?, title(at))));
    let titled = ["anyOf", "oneOf"].into_iter().flat_map(|word| list(schema, word)).filter_map(|one| {
        Some((one.get("const")?.as_str()?, one.get("title").and_then(Value::as_str).unwrap_or_default()))
    });
    plain.chain(titled).collect()
}

/// The one of those that `schema` offers that `text` names or numbers, or else the text itself, where other words count too.
fn pick<'a>(schema: &'a Value, text: &'a str) -> Option<&'a str> {
    let (words, offered) = (normalized(text), offered(schema));
    let numbered = place_in_list(&words).and_then(|place| offered.get(place));
    let named = || offered.iter().find(|(value, title)| normalized(value) == words || normalized(title) == words);
    let takes_others = offered.is_empty() || (schema.get("enum").is_none() && schema.get("oneOf").is_none());
    match numbered.or_else(named) {
        Some((value, _)) => Some(value),
        None => takes_others.then_some(text),
    }
}

fn list<'a>(schema: &'a Value, word: &str) -> &'a [Value] {
    schema.get(word).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
