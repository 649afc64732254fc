//! What is asked, as a text that also says which replies count.

use super::{NumberedAsk, QUESTION_TOOL, form, open_asks};
use crate::ask::{AskDetails, AskOption};
use crate::describe::{plural, runs_in_background};
use crate::patched_file::{list_patched_files, whole_diff};
use crate::sanitize::{clean, one_line};
use crate::state::TurnState;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write;

/// How many characters of a command, a diff or a plan are shown: more than any command has.
const SHOWN_CHARS: usize = 40_000;
/// How many of them are the end, where something is left out.
const SHOWN_END: usize = 10_000;

/// The longest name that is shown, in characters.
const NAME_CHARS: usize = 500;

/// How a client may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyForm {
    /// By a text.
    Words,
    /// By naming an option of the call, as a protocol has it: `how` says how.
    Option {
        /// A sentence.
        how: &'static str,
    },
}

/// What all other replies mean.
const RESEMBLES: &str = "A reply that only resembles one of these (\"ok\", \"yes, but …\", \"7\") decides nothing, and you are \
    asked again.";
const OTHERWISE: &str = "Any other text means no, and tells the agent what to do instead.";
/// The same where a plan is asked about.
const FEEDBACK: &str = "Any other text sends the plan back to the agent, which reads it as feedback.";

/// What the open asks of `turn` ask, and which replies count; `None` where nothing is asked.
pub fn describe_asks(turn: &TurnState, form: ReplyForm) -> Option<String> {
    let asks = open_asks(turn);
    let several = asks.len() > 1;
    let mut text = String::new();
    for ask in &asks {
        let _ = write!(text, "Ask {}: ", ask.number);
        ask.describe(&mut text, form, several);
        text.push('\n');
    }
    match (form, asks.first()) {
        (_, None) => return None,
        (ReplyForm::Option { how }, Some(_)) => text.push_str(how),
        (ReplyForm::Words, Some(first)) if several => {
            let number = first.number;
            let _ = write!(
                text,
                "{} asks wait. Begin your reply with the number of the one that it answers, for example \"{number} yes\" or \
                 \"{number} no\". ",
                asks.len()
            );
            if !asks.iter().any(NumberedAsk::is_question) {
                let _ = write!(text, "{RESEMBLES} {OTHERWISE}");
            }
        }
        (ReplyForm::Words, Some(only)) if only.is_question() => {}
        (ReplyForm::Words, Some(only)) => {
            let _ = write!(text, "{RESEMBLES} {}", if only.takes_feedback() { FEEDBACK } else { OTHERWISE });
        }
    }
    Some(text.trim_end().to_owned())
}

impl NumberedAsk<'_> {
    /// What is asked about, which is set off from the words around it.
    fn quoted_text(&self) -> Cow<'_, str> {
        match &self.ask.details {
            AskDetails::Execute { command, .. } => command.into(),
            AskDetails::Edit(change) => change.patch.as_str().into(),
            AskDetails::Patch { files } => whole_diff(files).into(),
            AskDetails::Mcp { .. } => serde_json::to_string_pretty(self.args).unwrap_or_default().into(),
            AskDetails::Generic { description, .. } => description.into(),
        }
    }

    /// Whether the question shows all that it asks about.
    pub(super) fn is_shown_whole(&self) -> bool {
        let text = self.quoted_text();
        clean(&text).chars().count() <= SHOWN_CHARS
    }

    fn describe(&self, text: &mut String, form: ReplyForm, several: bool) {
        let shown = quoted(&self.quoted_text());
        match &self.ask.details {
            AskDetails::Execute { directory, .. } => {
                let how = if runs_in_background(self.args) { " that stays in the background," } else { "" };
                let directory = one_line(directory, NAME_CHARS);
                let _ = writeln!(text, "The agent wants to run a command{how} in {directory}:\n{shown}");
            }
            AskDetails::Edit(change) => {
                let _ = writeln!(text, "The agent wants to change {}:\n{shown}", one_line(&change.name, NAME_CHARS));
            }
            AskDetails::Patch { files } => {
                let count = plural(files.len(), "file");
                let listed = list_patched_files(files);
                let _ = writeln!(text, "The agent wants to change {count}:\n{listed}{shown}");
            }
            AskDetails::Mcp { server, tool, version } => {
                let _ = writeln!(
                    text,
                    "The agent wants to use {} of the MCP server {}.",
                    one_line(tool, NAME_CHARS),
                    one_line(server, NAME_CHARS)
                );
                let _ = writeln!(text, "Arguments:\n{shown}");
                text.extend(version.change_notice().map(|notice| format!("{notice}\n")));
            }
            AskDetails::Generic { .. } if self.is_question() => {
                let _ = writeln!(text, "The agent asks:\n{shown}");
            }
            AskDetails::Generic { .. } if self.takes_feedback() => {
                let _ = writeln!(text, "The agent has made a plan:\n{shown}");
            }
            AskDetails::Generic { .. } => {
                let _ = writeln!(text, "The agent wants to use {}:\n{shown}", one_line(self.tool, NAME_CHARS));
            }
        }
        text.extend(self.ask.reason.as_ref().map(|reason| format!("{}\n", one_line(reason, NAME_CHARS))));
        match (form, self.question_schema()) {
            (ReplyForm::Words, Some(schema)) => self.describe_answers(schema, text),
            (ReplyForm::Words, None) => self.describe_choices(text, several),
            (ReplyForm::Option { .. }, _) => {}
        }
    }

    fn describe_choices(&self, text: &mut String, several: bool) {
        let named = [("yes", self.yes()), ("always", self.always()), ("no", self.no())];
        if !self.is_shown_whole() {
            let number = self.number;
            let _ = writeln!(
                text,
                "Not all of it is shown here, so \"yes\" alone does not allow it. Look at it whole where the agent runs, in the \
                 terminal of Pollux or in the files themselves, or reply \"no\" and ask for smaller steps. To allow it all the \
                 same, reply \"{number} yes\"."
            );
        }
        text.push_str(if several {
            "Options:\n"
        } else {
            "Reply with one of these, by its number, its name or its word:\n"
        });
        let mut told = Vec::new();
        for (at, choice) in self.choices().iter().enumerate() {
            // The word means the first of several choices that stand for one option.
            let is_meant = |(word, meant): &&(&str, Option<&AskOption>)| {
                meant.is_some_and(|meant| meant.id == choice.option.id) && !told.contains(word)
            };
            let word = named.iter().find(is_meant).map(|(word, _)| *word);
            told.extend(word);
            let how = match (word, choice.needs_feedback) {
                (Some(word), _) => format!(" (\"{word}\")"),
                (None, true) => format!(": reply {}and what should be different", self.number_before_no(several)),
                (None, false) => String::new(),
            };
            let _ = writeln!(text, "{}. {}{how}", at + 1, one_line(&choice.name, NAME_CHARS));
        }
    }

    /// How a reply begins that says no to this ask and goes on.
    fn number_before_no(&self, several: bool) -> String {
        if several { format!("\"{} no\" ", self.number) } else { "\"no\" ".to_owned() }
    }

    fn takes_feedback(&self) -> bool {
        self.choices().iter().any(|choice| choice.needs_feedback)
    }

    fn describe_answers(&self, schema: &Value, text: &mut String) {
        let fields = form::fields(schema);
        if self.tool != QUESTION_TOOL {
            return self.describe_form(&fields, text);
        }
        match fields.as_slice() {
            [only] if only.offers() => {
                text.push_str("Reply with one of these, by its name or its place in the list, or in your own words.");
            }
            [_] => text.push_str("Reply with your answer."),
            several => {
                let labels: Vec<String> = several.iter().map(form::Field::label).collect();
                let _ = write!(text, "Reply with a line for each of: {}.", labels.join(", "));
            }
        }
        if let Some(decline) = self.no() {
            let or_no = if fields.len() > 1 { " or \"no\"" } else { "" };
            let _ = write!(text, " To give no answer, reply \"{}\"{or_no}.", one_line(&decline.name, NAME_CHARS));
        }
        text.push('\n');
    }

    /// The values that an MCP server asks for. It cannot see a reply without the number of its question.
    fn describe_form(&self, fields: &[form::Field<'_>], text: &mut String) {
        let number = self.number;
        text.push_str("It asks for:\n");
        for field in fields {
            let _ = writeln!(text, "- {}", field.describe());
        }
        if let [_] = fields {
            let _ = write!(text, "Reply with {number} and your answer.");
            let decline = self.no().map(|decline| one_line(&decline.name, NAME_CHARS));
            text.extend(decline.map(|decline| format!(" To give no answer, reply \"{decline}\".")));
        } else {
            let _ = write!(
                text,
                "Reply with {number}, and then a line \"name: value\" for each. What is optional may be left out. To give no \
                 answer, reply \"{number} no\"."
            );
        }
        text.push('\n');
    }
}

/// `text`, set off so that nothing in it can pass for the question around it. Of what is too long the middle is left out, and
/// the line that says so is not set off: it is ours.
fn quoted(text: &str) -> String {
    let text = clean(text);
    let count = text.chars().count();
    if count <= SHOWN_CHARS {
        return indented(&text);
    }
    let begin: String = text.chars().take(SHOWN_CHARS - SHOWN_END).collect();
    let end: String = text.chars().skip(count - SHOWN_END).collect();
    let left_out = count - SHOWN_CHARS;
    format!("{}\n[{left_out} characters are not shown here]\n{}", indented(&begin), indented(&end))
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
