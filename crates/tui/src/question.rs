//! What an ask wants to know, read out of its JSON schema. Any flat object will do; a property that is not understood
//! takes text.

use serde_json::{Number, Value};

/// One thing a person is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    /// The property the answer goes to.
    pub(crate) key: String,
    /// A few words that name it; may be empty.
    pub(crate) header: String,
    /// The question in full; may be empty.
    pub(crate) text: String,
    /// What an answer looks like.
    pub(crate) takes: Takes,
    /// What holds when it is left out, or an example of an answer, in words; may be empty.
    pub(crate) hint: String,
    /// Whether it may be left out.
    pub(crate) need: Need,
}

/// Whether a question may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Optional,
    Required,
}

/// What an answer looks like.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Takes {
    /// Whatever is typed.
    Text,
    /// A number, with or without a fraction.
    Number,
    /// A number without one.
    Whole,
    YesNo,
    /// One of these, or, when the schema does not insist, whatever is typed.
    One {
        offers: Vec<Offer>,
        others: Others,
    },
    /// Any of these, or, when the schema does not insist, whatever is typed.
    Many {
        offers: Vec<Offer>,
        others: Others,
    },
}

/// Whether an answer may be something that is not offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    Welcome,
    Refused,
}

/// One answer to choose.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    value: Value,
    /// What it is called.
    pub(crate) label: String,
    /// What it means; may be empty.
    pub(crate) about: String,
}

/// The questions of a schema, in its order.
pub(crate) fn questions(schema: &Value) -> Vec<Question> {
    let required: Vec<&str> = list(schema, "required").iter().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let question = |(key, property): (&String, &Value)| Question {
        key: key.clone(),
        header: text(property, "title"),
        text: text(property, "description"),
        takes: takes(property),
        hint: hint(property),
        need: if required.contains(&key.as_str()) { Need::Required } else { Need::Optional },
    };
    properties.into_iter().flatten().map(question).collect()
}

impl Question {
    /// Read a line as the answer. The error is a sentence for the person.
    pub(crate) fn read(&self, line: &str) -> Result<Value, String> {
        let line = line.trim();
        match &self.takes {
            Takes::Text => Ok(line.into()),
            Takes::Number => {
                let number = line.parse().ok().and_then(Number::from_f64);
                number.map(Value::from).ok_or_else(|| format!("{line} is not a number"))
            }
            Takes::Whole => line.parse::<i64>().map(Value::from).map_err(|_| format!("{line} is not a whole number")),
            Takes::YesNo => match line.to_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(true.into()),
                "n" | "no" | "false" => Ok(false.into()),
                _ => Err("say yes or no".into()),
            },
            Takes::One { offers, others } => one(offers, *others, line),
            Takes::Many { offers, others } => many(offers, *others, line),
        }
    }

    /// What an answer is called where it is one of those offered.
    pub(crate) fn label(&self, answer: &Value) -> Option<&str> {
        match &self.takes {
            Takes::One { offers, .. } | Takes::Many { offers, .. } => {
                offers.iter().find(|offer| offer.value == *answer).map(|offer| offer.label.as_str())
            }
            Takes::Text | Takes::Number | Takes::Whole | Takes::YesNo => None,
        }
    }

    /// Everything of it that is drawn, for comparing with other words about it.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let offers = match &self.takes {
            Takes::One { offers, .. } | Takes::Many { offers, .. } => offers.as_slice(),
            Takes::Text | Takes::Number | Takes::Whole | Takes::YesNo => &[],
        };
        let of_offers = offers.iter().flat_map(|offer| [offer.label.as_str(), offer.about.as_str()]);
        [self.header.as_str(), self.text.as_str()].into_iter().chain(of_offers)
    }
}

/// `2`, the name of one of them, or something else. A number is never something else: it was meant for the list.
fn one(offers: &[Offer], others: Others, line: &str) -> Result<Value, String> {
    match (offered(offers, line), others) {
        (Some(offer), _) => Ok(offer.value.clone()),
        (None, Others::Welcome) if line.parse::<usize>().is_err() => Ok(line.into()),
        (None, Others::Welcome | Others::Refused) => Err(format!("{line} is not on the list; give a number from it")),
    }
}

/// `1, 3`, the name of one of them, or something else.
fn many(offers: &[Offer], others: Others, line: &str) -> Result<Value, String> {
    if let Some(offer) = offered(offers, line) {
        return Ok(Value::Array(vec![offer.value.clone()]));
    }
    let words: Vec<&str> = line.split([',', ' ']).filter(|word| !word.is_empty()).collect();
    let numbers = words.iter().any(|word| word.parse::<usize>().is_ok());
    if others == Others::Welcome && !numbers {
        return Ok(Value::Array(vec![line.into()]));
    }
    let mut chosen = Vec::new();
    for word in words {
        let offer = offered(offers, word).ok_or_else(|| format!("{word} is not on the list; give numbers from it"))?;
        if !chosen.contains(&offer.value) {
            chosen.push(offer.value.clone());
        }
    }
    Ok(Value::Array(chosen))
}

fn offered<'a>(offers: &'a [Offer], word: &str) -> Option<&'a Offer> {
    let by_number = word.parse::<usize>().ok().and_then(|number| offers.get(number.checked_sub(1)?));
    by_number.or_else(|| offers.iter().find(|offer| offer.label.eq_ignore_ascii_case(word)))
}

fn takes(property: &Value) -> Takes {
    let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
    let item = property.get("items").unwrap_or(&Value::Null);
    let element = if kind == "array" { item } else { property };
    let listed = listed(element);
    let others = if listed.is_some() && !has_other(element) { Others::Refused } else { Others::Welcome };
    let offers = listed.map(|offers| described(offers, property)).or_else(|| suggested(property));
    match (kind, offers.or_else(|| suggested(element))) {
        ("array", Some(offers)) => Takes::Many { offers, others },
        (_, Some(offers)) => Takes::One { offers, others },
        ("boolean", None) => Takes::YesNo,
        ("number", None) => Takes::Number,
        ("integer", None) => Takes::Whole,
        (_, None) => Takes::Text,
    }
}

fn hint(property: &Value) -> String {
    let default = property.get("default").map(|value| format!("left out, it is {}", word(value)));
    let example = list(property, "examples").first().map(|value| format!("for example {}", word(value)));
    default.or(example).unwrap_or_default()
}

/// The values a schema insists on: an `enum`, with or without `enumNames`, or constants with titles.
fn listed(schema: &Value) -> Option<Vec<Offer>> {
    let names = list(schema, "enumNames");
    let from_enum = list(schema, "enum").iter().enumerate().map(|(at, value)| Offer {
        value: value.clone(),
        label: names.get(at).and_then(Value::as_str).map_or_else(|| word(value), str::to_owned),
        about: String::new(),
    });
    let constants = list(schema, "oneOf").iter().chain(list(schema, "anyOf")).filter_map(|one| {
        let value = one.get("const")?;
        let title = text(one, "title");
        let label = if title.is_empty() { word(value) } else { title };
        Some(Offer { value: value.clone(), label, about: text(one, "description") })
    });
    let offers: Vec<Offer> = from_enum.chain(constants).collect();
    (!offers.is_empty()).then_some(offers)
}

/// Whether one of the alternatives is not a constant: then anything goes.
fn has_other(schema: &Value) -> bool {
    list(schema, "oneOf").iter().chain(list(schema, "anyOf")).any(|one| one.get("const").is_none())
}

/// The values a schema only suggests.
fn suggested(schema: &Value) -> Option<Vec<Offer>> {
    let offers: Vec<Offer> = list(schema, "x-options")
        .iter()
        .map(|option| (text(option, "label"), text(option, "description")))
        .filter(|(label, _)| !label.is_empty())
        .map(|(label, about)| Offer { value: label.clone().into(), label, about })
        .collect();
    (!offers.is_empty()).then_some(offers)
}

/// `offers` with what `x-options` says of them.
fn described(mut offers: Vec<Offer>, property: &Value) -> Vec<Offer> {
    for option in list(property, "x-options") {
        let label = text(option, "label");
        if let Some(offer) = offers.iter_mut().find(|offer| offer.label == label) {
            offer.about = text(option, "description");
        }
    }
    offers
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A value as a person would write it.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
