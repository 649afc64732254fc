//! A person's answers, made to fit the schema that a server asks with: right types, nothing missing, nothing extra.

use reqwest::Url;
use serde_json::{Map, Number, Value};

#[cfg(test)]
mod tests;

/// The answers to send, or what is wrong with them. Read leniently (numbers and yes or no in words, titles for values),
/// sent strictly. Answers are an object by property, the same inside `{"answers": …}`, or the bare answer to a single
/// property.
pub(super) fn fit(schema: &Value, given: &Value) -> Result<Map<String, Value>, String> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let wrapped = given.get("answers").filter(|_| !properties.contains_key("answers"));
    let given = wrapped.unwrap_or(given);
    let mut fitted = Map::new();
    let mut problems = Vec::new();
    for (name, property) in properties {
        let answer = match given {
            Value::Object(by_name) => by_name.get(name),
            bare => (properties.len() == 1).then_some(bare),
        };
        let is_required = list(schema, "required").iter().any(|required| required == name);
        match answer.filter(|answer| !is_nothing(answer)) {
            Some(answer) => match value(property, answer) {
                Ok(value) => {
                    fitted.insert(name.clone(), value);
                }
                Err(problem) => problems.push(format!("`{name}` {problem}")),
            },
            None if is_required => match property.get("default") {
                Some(usual) => {
                    fitted.insert(name.clone(), usual.clone());
                }
                None => problems.push(format!("`{name}` is missing")),
            },
            None => {}
        }
    }
    if problems.is_empty() { Ok(fitted) } else { Err(problems.join("; ")) }
}

/// True if an answer is none.
fn is_nothing(answer: &Value) -> bool {
    match answer {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn value(property: &Value, answer: &Value) -> Result<Value, String> {
    match property.get("type").and_then(Value::as_str) {
        Some("array") => several(property, answer),
        _ if choices(property).is_some() => one_of(property, answer),
        Some("string") => text(property, answer),
        Some("boolean") => yes_or_no(answer),
        Some("integer") => number(property, answer, true),
        Some("number") => number(property, answer, false),
        _ => Ok(answer.clone()),
    }
}

fn several(property: &Value, answer: &Value) -> Result<Value, String> {
    let items = property.get("items").unwrap_or(&Value::Null);
    let one = [answer.clone()];
    let given = answer.as_array().map_or(&one[..], Vec::as_slice);
    let chosen = given.iter().map(|answer| value(items, answer)).collect::<Result<Vec<_>, _>>()?;
    let count = chosen.len() as u64;
    if let Some(least) = property.get("minItems").and_then(Value::as_u64).filter(|least| count < *least) {
        return Err(format!("must have at least {least} entries"));
    }
    if let Some(most) = property.get("maxItems").and_then(Value::as_u64).filter(|most| count > *most) {
        return Err(format!("must have at most {most} entries"));
    }
    Ok(chosen.into())
}

/// The values that are offered, each with its title; `None` when none are.
fn choices(property: &Value) -> Option<Vec<(&Value, &str)>> {
    if let Some(Value::Array(values)) = property.get("enum") {
        let titles = list(property, "enumNames");
        let title = |at: usize| titles.get(at).and_then(Value::as_str).unwrap_or_default();
        return Some(values.iter().enumerate().map(|(at, value)| (value, title(at))).collect());
    }
    let titled = property.get("oneOf").or_else(|| property.get("anyOf"))?.as_array()?;
    titled
        .iter()
        .map(|choice| Some((choice.get("const")?, choice.get("title").and_then(Value::as_str).unwrap_or_default())))
        .collect()
}

fn one_of(property: &Value, answer: &Value) -> Result<Value, String> {
    let choices = choices(property).unwrap_or_default();
    let exact = choices.iter().find(|(value, _)| *value == answer);
    let titled = || {
        let said = answer.as_str()?;
        choices.iter().find(|(_, title)| !title.is_empty() && title.eq_ignore_ascii_case(said))
    };
    match exact.or_else(titled) {
        Some((value, _)) => Ok((*value).clone()),
        None => {
            let offered: Vec<String> = choices.iter().map(|(value, _)| value.to_string()).collect();
            Err(format!("must be one of {}", offered.join(", ")))
        }
    }
}

fn text(property: &Value, answer: &Value) -> Result<Value, String> {
    let text = match answer {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Err("must be text".into()),
    };
    let length = text.chars().count() as u64;
    if let Some(least) = property.get("minLength").and_then(Value::as_u64).filter(|least| length < *least) {
        return Err(format!("must have at least {least} characters"));
    }
    if let Some(most) = property.get("maxLength").and_then(Value::as_u64).filter(|most| length > *most) {
        return Err(format!("must have at most {most} characters"));
    }
    let (fits, what) = match property.get("format").and_then(Value::as_str) {
        Some("email") => (is_email(&text), "an email address"),
        Some("uri") => (Url::parse(&text).is_ok(), "an address such as https://example.org/"),
        Some("date") => (is_date(&text), "a date such as 2026-01-31"),
        Some("date-time") => (is_moment(&text), "a date and time such as 2026-01-31T12:00:00Z"),
        _ => (true, ""),
    };
    if fits { Ok(text.into()) } else { Err(format!("must be {what}")) }
}

fn is_email(text: &str) -> bool {
    let is_word = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    text.split_once('@').is_some_and(|(who, place)| is_word(who) && is_word(place) && !place.contains('@'))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let number = |part: &str, digits: usize| {
        let fits = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u32>().ok().filter(|_| fits)
    };
    number(year, 4).is_some()
        && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
        && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
}

fn is_moment(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else { return false };
    let clock = time.trim_end_matches(['Z', 'z']);
    is_date(date) && time.len() > 5 && clock.bytes().all(|byte| byte.is_ascii_digit() || b":.+-".contains(&byte))
}

fn yes_or_no(answer: &Value) -> Result<Value, String> {
    let said = match answer {
        Value::Bool(said) => Some(*said),
        Value::String(word) => match word.trim().to_lowercase().as_str() {
            "yes" | "y" | "true" => Some(true),
            "no" | "n" | "false" => Some(false),
            _ => None,
        },
        _ => None,
    };
    said.map(Value::Bool).ok_or_else(|| "must be yes or no".into())
}

fn number(property: &Value, answer: &Value, whole: bool) -> Result<Value, String> {
    let what = if whole { "must be a whole number" } else { "must be a number" };
    let number = match answer {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => {
            let text = text.trim();
            text.parse::<i64>().map(Number::from).ok().or_else(|| Number::from_f64(text.parse().ok()?))
        }
        _ => None,
    };
    let number = number.ok_or(what)?;
    let size = number.as_f64().ok_or(what)?;
    if whole && size.fract() != 0.0 {
        return Err(what.into());
    }
    if let Some(least) = property.get("minimum").and_then(Value::as_f64).filter(|least| size < *least) {
        return Err(format!("must be at least {least}"));
    }
    if let Some(most) = property.get("maximum").and_then(Value::as_f64).filter(|most| size > *most) {
        return Err(format!("must be at most {most}"));
    }
    // 3.0 is a whole number, and is sent as one.
    #[expect(clippy::cast_possible_truncation, reason = "whole numbers beyond 2^53 came as whole numbers")]
    let number = if whole && !number.is_i64() && !number.is_u64() { Number::from(size as i64) } else { number };
    Ok(number.into())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
