//! The questions: as the model gives them, in words for a person, and as the schema of the answers.

use crate::error::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The most questions at once.
const MAX_QUESTIONS: usize = 4;
/// The number of options of a question.
const OPTIONS: std::ops::RangeInclusive<usize> = 2..=4;

/// The tool's arguments.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AskUserArguments {
    /// One to four questions.
    #[schemars(length(min = 1, max = 4))]
    questions: Vec<Question>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Question {
    /// The question itself, as a whole sentence.
    question: String,
    /// A label of one or two words, shown beside the question.
    header: String,
    /// `choice` offers options, `text` takes whatever is written, `yesno` wants a yes or a no.
    #[serde(rename = "type", default)]
    kind: Kind,
    /// What a `choice` offers: two to four options. The person may write something else instead.
    #[serde(default)]
    options: Vec<Choice>,
    /// Whether several options of a `choice` may be picked.
    #[serde(default)]
    multi_select: bool,
    /// A hint shown where text can be written.
    #[serde(default)]
    placeholder: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Kind {
    #[default]
    Choice,
    Text,
    YesNo,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct Choice {
    /// The option in one to five words.
    label: String,
    /// What it means, in one sentence.
    #[serde(default)]
    description: String,
}

impl AskUserArguments {
    pub(super) fn len(&self) -> usize {
        self.questions.len()
    }

    /// The label of the question at `at`; empty when there is none.
    pub(super) fn header(&self, at: usize) -> &str {
        self.questions.get(at).map_or("", |question| &question.header)
    }

    pub(super) fn check(&self) -> Result<(), ToolError> {
        let bad = |problem: String| Err(ToolError::BadArguments(format!("argument `questions`: {problem}")));
        if self.questions.is_empty() || self.questions.len() > MAX_QUESTIONS {
            return bad(format!("ask one to {MAX_QUESTIONS} questions, not {}", self.questions.len()));
        }
        for (at, question) in self.questions.iter().enumerate() {
            let number = at + 1;
            if question.question.trim().is_empty() {
                return bad(format!("question {number} is empty"));
            }
            if question.kind == Kind::Choice && !OPTIONS.contains(&question.options.len()) {
                let (least, most) = (OPTIONS.start(), OPTIONS.end());
                return bad(format!("question {number} is a choice and must offer {least} to {most} options"));
            }
            if question.options.iter().any(|option| option.label.trim().is_empty()) {
                return bad(format!("question {number} has an option without a label"));
            }
        }
        Ok(())
    }

    /// The questions as a person would put them.
    pub(super) fn describe(&self) -> String {
        let questions = self.questions.iter().enumerate().map(|(at, question)| {
            let number = if self.len() > 1 { format!("{}. ", at + 1) } else { String::new() };
            let options = question.options().into_iter().map(|(label, about)| match about {
                "" => format!("\n   - {label}"),
                about => format!("\n   - {label}: {about}"),
            });
            format!("{number}{}{}", question.question.trim(), options.collect::<String>())
        });
        questions.collect::<Vec<_>>().join("\n")
    }

    /// The JSON schema of the answers: one property for each question, named by its number from 0.
    pub(super) fn schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.questions.iter().enumerate().map(|(at, question)| (at.to_string(), question.schema())).collect();
        json!({ "type": "object", "properties": properties })
    }
}

impl Question {
    /// The options: labels and their meanings.
    fn options(&self) -> Vec<(&str, &str)> {
        match self.kind {
            Kind::Choice => {
                self.options.iter().map(|option| (option.label.trim(), option.description.trim())).collect()
            }
            Kind::Text => Vec::new(),
            Kind::YesNo => vec![("Yes", ""), ("No", "")],
        }
    }

    fn schema(&self) -> Value {
        let offered = self.options().into_iter().map(|(label, about)| match about {
            "" => json!({ "const": label }),
            about => json!({ "const": label, "description": about }),
        });
        let mut offered: Vec<Value> = offered.collect();
        let mut answer = Map::from_iter([("type".to_owned(), json!("string"))]);
        if !offered.is_empty() {
            // Whatever is offered, a person may write something else.
            offered.push(json!({ "type": "string", "title": "Other" }));
            answer.insert("anyOf".into(), offered.into());
        }
        if self.kind == Kind::Choice && self.multi_select {
            answer = Map::from_iter([("type".to_owned(), json!("array")), ("items".to_owned(), answer.into())]);
        }
        answer.insert("title".into(), json!(self.header));
        answer.insert("description".into(), json!(self.question));
        if let Some(hint) = &self.placeholder {
            answer.insert("examples".into(), json!([hint]));
        }
        answer.into()
    }
}
