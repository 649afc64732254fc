//! The questions of an ask, read out of its JSON schema. Any flat object will do; a property that is not understood
//! takes text.

use serde_json::{Number, Value};

/// One thing a person is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct FormQuestion {
    /// The property the answer goes to.
    pub key: String,
    /// A few words that name it; may be empty.
    pub header: String,
    /// The question in full; may be empty.
    pub text: String,
    pub kind: AnswerKind,
    /// The value that holds when it is left out, or an example of an answer, in words; may be empty.
    pub hint: String,
    pub need: AnswerNeed,
}

/// The need for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerNeed {
    Optional,
    Required,
}

/// The form of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerKind {
    /// Whatever is typed.
    Text,
    /// A number, with or without a fraction.
    Number,
    /// A number without one.
    Integer,
    YesNo,
    /// One of these, or, when the schema does not insist, whatever is typed.
    One {
        options: Vec<AnswerOption>,
        custom: CustomAnswers,
    },
    /// Any of these, or, when the schema does not insist, whatever is typed.
    Many {
        options: Vec<AnswerOption>,
        custom: CustomAnswers,
    },
}

/// Answers besides those that are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CustomAnswers {
    Allowed,
    Refused,
}

/// One answer to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerOption {
    value: Value,
    pub label: String,
    /// Its meaning; may be empty.
    pub about: String,
}

/// The questions of a schema, in its order.
pub fn questions_from_schema(schema: &Value) -> Vec<FormQuestion> {
    let required: Vec<&str> = array_at(schema, "required").iter().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let question = |(key, property): (&String, &Value)| FormQuestion {
        key: key.clone(),
        header: text_at(property, "title"),
        text: text_at(property, "description"),
        kind: answer_kind(property),
        hint: hint(property),
        need: if required.contains(&key.as_str()) { AnswerNeed::Required } else { AnswerNeed::Optional },
    };
    properties.into_iter().flatten().map(question).collect()
}

impl FormQuestion {
    /// Read a line as the answer. The error is a sentence for the person.
    pub fn read(&self, line: &str) -> Result<Value, String> {
        let line = line.trim();
        match &self.kind {
            AnswerKind::Text => Ok(line.into()),
            AnswerKind::Number => {
                let number = line.parse().ok().and_then(Number::from_f64);
                number.map(Value::from).ok_or_else(|| format!("{line} is not a number"))
            }
            AnswerKind::Integer => {
                line.parse::<i64>().map(Value::from).map_err(|_| format!("{line} is not a whole number"))
            }
            AnswerKind::YesNo => match line.to_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(true.into()),
                "n" | "no" | "false" => Ok(false.into()),
                _ => Err("say yes or no".into()),
            },
            AnswerKind::One { options: offers, custom: others } => read_one(offers, *others, line),
            AnswerKind::Many { options: offers, custom: others } => read_many(offers, *others, line),
        }
    }

    /// The label of an answer that is one of those offered.
    pub fn label(&self, answer: &Value) -> Option<&str> {
        match &self.kind {
            AnswerKind::One { options: offers, .. } | AnswerKind::Many { options: offers, .. } => {
                offers.iter().find(|offer| offer.value == *answer).map(|offer| offer.label.as_str())
            }
            AnswerKind::Text | AnswerKind::Number | AnswerKind::Integer | AnswerKind::YesNo => None,
        }
    }

    /// Everything of it that is drawn, for comparing with other words about it.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let offers = match &self.kind {
            AnswerKind::One { options: offers, .. } | AnswerKind::Many { options: offers, .. } => offers.as_slice(),
            AnswerKind::Text | AnswerKind::Number | AnswerKind::Integer | AnswerKind::YesNo => &[],
        };
        let of_offers = offers.iter().flat_map(|offer| [offer.label.as_str(), offer.about.as_str()]);
        [self.header.as_str(), self.text.as_str()].into_iter().chain(of_offers)
    }
}

/// `2`, the name of one of them, or something else. A number is never something else: it was meant for the list.
fn read_one(offers: &[AnswerOption], others: CustomAnswers, line: &str) -> Result<Value, String> {
    match (find_option(offers, line), others) {
        (Some(offer), _) => Ok(offer.value.clone()),
        (None, CustomAnswers::Allowed) if line.parse::<usize>().is_err() => Ok(line.into()),
        (None, CustomAnswers::Allowed | CustomAnswers::Refused) => {
            Err(format!("{line} is not on the list; give a number from it"))
        }
    }
}

/// `1, 3`, the name of one of them, or something else.
fn read_many(offers: &[AnswerOption], others: CustomAnswers, line: &str) -> Result<Value, String> {
    if let Some(offer) = find_option(offers, line) {
        return Ok(Value::Array(vec![offer.value.clone()]));
    }
    let words: Vec<&str> = line.split([',', ' ']).filter(|word| !word.is_empty()).collect();
    let numbers = words.iter().any(|word| word.parse::<usize>().is_ok());
    if others == CustomAnswers::Allowed && !numbers {
        return Ok(Value::Array(vec![line.into()]));
    }
    let mut chosen = Vec::new();
    for word in words {
        let offer =
            find_option(offers, word).ok_or_else(|| format!("{word} is not on the list; give numbers from it"))?;
        if !chosen.contains(&offer.value) {
            chosen.push(offer.value.clone());
        }
    }
    Ok(Value::Array(chosen))
}

fn find_option<'a>(offers: &'a [AnswerOption], word: &str) -> Option<&'a AnswerOption> {
    let by_number = word.parse::<usize>().ok().and_then(|number| offers.get(number.checked_sub(1)?));
    by_number.or_else(|| offers.iter().find(|offer| offer.label.eq_ignore_ascii_case(word)))
}

fn answer_kind(property: &Value) -> AnswerKind {
    let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
    let item = property.get("items").unwrap_or(&Value::Null);
    let element = if kind == "array" { item } else { property };
    let listed = enum_options(element);
    let others =
        if listed.is_some() && !allows_custom(element) { CustomAnswers::Refused } else { CustomAnswers::Allowed };
    let offers = listed.map(|offers| describe_options(offers, property)).or_else(|| suggested_options(property));
    match (kind, offers.or_else(|| suggested_options(element))) {
        ("array", Some(offers)) => AnswerKind::Many { options: offers, custom: others },
        (_, Some(offers)) => AnswerKind::One { options: offers, custom: others },
        ("boolean", None) => AnswerKind::YesNo,
        ("number", None) => AnswerKind::Number,
        ("integer", None) => AnswerKind::Integer,
        (_, None) => AnswerKind::Text,
    }
}

fn hint(property: &Value) -> String {
    let default = property.get("default").map(|value| format!("left out, it is {}", value_text(value)));
    let example = array_at(property, "examples").first().map(|value| format!("for example {}", value_text(value)));
    default.or(example).unwrap_or_default()
}

/// The values a schema insists on: an `enum`, with or without `enumNames`, or constants with titles.
fn enum_options(schema: &Value) -> Option<Vec<AnswerOption>> {
    let names = array_at(schema, "enumNames");
    let from_enum = array_at(schema, "enum").iter().enumerate().map(|(at, value)| AnswerOption {
        value: value.clone(),
        label: names.get(at).and_then(Value::as_str).map_or_else(|| value_text(value), str::to_owned),
        about: String::new(),
    });
    let constants = array_at(schema, "oneOf").iter().chain(array_at(schema, "anyOf")).filter_map(|one| {
        let value = one.get("const")?;
        let title = text_at(one, "title");
        let label = if title.is_empty() { value_text(value) } else { title };
        Some(AnswerOption { value: value.clone(), label, about: text_at(one, "description") })
    });
    let offers: Vec<AnswerOption> = from_enum.chain(constants).collect();
    (!offers.is_empty()).then_some(offers)
}

/// True if one of the alternatives is not a constant: then anything goes.
fn allows_custom(schema: &Value) -> bool {
    array_at(schema, "oneOf").iter().chain(array_at(schema, "anyOf")).any(|one| one.get("const").is_none())
}

/// The values a schema only suggests.
fn suggested_options(schema: &Value) -> Option<Vec<AnswerOption>> {
    let offers: Vec<AnswerOption> = array_at(schema, "x-options")
        .iter()
        .map(|option| (text_at(option, "label"), text_at(option, "description")))
        .filter(|(label, _)| !label.is_empty())
        .map(|(label, about)| AnswerOption { value: label.clone().into(), label, about })
        .collect();
    (!offers.is_empty()).then_some(offers)
}

/// `offers` with what `x-options` says of them.
fn describe_options(mut offers: Vec<AnswerOption>, property: &Value) -> Vec<AnswerOption> {
    for option in array_at(property, "x-options") {
        let label = text_at(option, "label");
        if let Some(offer) = offers.iter_mut().find(|offer| offer.label == label) {
            offer.about = text_at(option, "description");
        }
    }
    offers
}

fn array_at<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text_at(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A value as a person would write it.
fn value_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
