//! Answers in words, for clients that know nothing but text. [`describe_asks`] says what is asked and which replies count,
//! [`read_reply`] says what a reply means. They stand side by side so that what is offered is what counts.
//!
//! Only a reply that can mean nothing else allows anything. What looks like an answer and is none is refused, and every
//! other text is a no: a misunderstanding must never run a tool.

mod bounds;
mod choice;
mod form;
mod question;
mod unclear;

pub use question::{ReplyForm, describe_asks};
pub(crate) use unclear::{closed_ask, explain_unclear, names_open_ask};

use crate::ask::{AnswerEdit, Ask, AskDetails, AskOption, Grant, cancel_choice, once_choice};
use crate::built_in_tool::BuiltInTool;
use crate::call::CallState;
use crate::ids::CallId;
use crate::state::TurnState;
use choice::ReplyChoice;
use serde_json::Value;

/// What a text means to the asks that are open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReplyMeaning {
    /// It answers the asks that it names by their numbers, one in each line.
    Numbered(Vec<AskAnswer>),
    /// It answers these, which are whatever is open.
    Answers(Vec<AskAnswer>),
    /// It begins as an answer does and is none.
    Unclear,
    /// It says no to all of them, and what to do instead.
    Instead,
    /// The same of the ask that it names by its number alone.
    NumberedInstead(AskAnswer),
    /// It sends a plan back, and says what should be different.
    Feedback(AskAnswer),
}

/// An answer to one ask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskAnswer {
    pub(crate) call: CallId,
    /// The id of the option chosen.
    pub(crate) option: String,
    pub(crate) edit: Option<AnswerEdit>,
}

/// An ask that waits. Its number is that of its call, which no other ask of the session ever has: a late reply with a number
/// is never taken for an answer to another ask.
struct NumberedAsk<'a> {
    number: u64,
    call: CallId,
    tool: &'a str,
    args: &'a Value,
    ask: &'a Ask,
}

/// The tool whose questions a text answers without naming the ask. A question of an MCP server may open at any moment, and
/// what was meant for the agent must not reach the server.
const QUESTION_TOOL: &str = BuiltInTool::AskUser.name();

/// The tool that puts plans.
const PLAN_TOOL: &str = BuiltInTool::ExitPlanMode.name();

/// The tool that puts the questions of remote agents.
const REMOTE_TOOL: &str = BuiltInTool::RemoteAsk.name();

/// What may stand before a number. With one, it numbers nothing: `+1` may as well be meant as a yes.
const SIGNS: [char; 2] = ['+', '-'];

/// What may stand between the words of a reply. A question mark, or anything that cannot be seen, is no part of an answer.
const PUNCTUATION: [char; 5] = [' ', ',', ';', '.', '!'];

/// Words that say no where a sentence begins with them.
const REFUSALS: [&str; 13] = [
    "no", "not", "nope", "never", "don't", "cancel", "reject", "deny", "decline", "refuse", "dismiss", "stop", "abort",
];

/// Words that may stand beside those of an option without meaning anything else.
const FILLERS: [&str; 4] = ["it", "this", "that", "please"];

/// Words of agreement that are no answer. A reply of nothing else is neither a yes nor meant as a no.
const AGREEMENT: [&str; 18] = [
    "y", "ok", "okay", "sure", "fine", "good", "allow", "allowed", "accept", "approve", "approved", "agreed",
    "proceed", "go", "ahead", "do", "run", "yep",
];

/// What may stand around a reply without being part of it.
const BRACKETS: [(char, char); 6] = [('"', '"'), ('\'', '\''), ('`', '`'), ('(', ')'), ('“', '”'), ('‘', '’')];

/// What `text` means to the open asks of `turn`.
pub(crate) fn read_reply(turn: &TurnState, text: &str) -> ReplyMeaning {
    let asks = open_asks(turn);
    // Before everything else: a remote agent's option may be called "11: no".
    if let Some(answers) = read_numbered_lines(&asks, text) {
        return ReplyMeaning::Numbered(answers);
    }
    if let Some((number, rest)) = leading_number(text)
        && let Some(meant) = asks.iter().find(|ask| ask.number == number)
    {
        if let Some(answer) = meant.read(rest) {
            return ReplyMeaning::Numbered(vec![answer]);
        }
        if let Some(feedback) = meant.read_feedback(rest).filter(|_| is_refusal(&normalized(rest))) {
            return ReplyMeaning::Feedback(feedback);
        }
        if let Some(no) = meant.no().filter(|_| !meant.is_question() && is_refusal(&normalized(rest))) {
            return ReplyMeaning::NumberedInstead(meant.choose(no, None));
        }
    }
    if let [only] = asks.as_slice()
        && (!only.is_question() || only.tool == QUESTION_TOOL || only.is_declined_by(text))
        && let Some(answer) = only.read(text)
    {
        // Nobody can mean by a bare word what they were not shown.
        if only.is_allowed_unseen_by(&answer) {
            return ReplyMeaning::Unclear;
        }
        return ReplyMeaning::Answers(vec![answer]);
    }
    let words = normalized(text);
    if words == "no" {
        return decline_all(turn).map_or(ReplyMeaning::Unclear, ReplyMeaning::Answers);
    }
    let first: String = words.chars().take_while(|letter| letter.is_alphanumeric()).collect();
    let looks_like_answer = ["yes", "always"].contains(&first.as_str())
        || words.trim_start_matches(SIGNS).starts_with(char::is_numeric)
        || is_nearly_yes(&words)
        || !is_refusal(&words) && asks.iter().any(|ask| ask.choices().iter().any(|choice| choice.begins_with(&words)));
    if looks_like_answer || asks.iter().any(NumberedAsk::is_question) {
        return ReplyMeaning::Unclear;
    }
    let feedback = if let [only] = asks.as_slice() { only.read_feedback(text) } else { None };
    feedback.map_or(ReplyMeaning::Instead, ReplyMeaning::Feedback)
}

/// Lines that each name an open ask of their own and answer it; `None` where there are not several, or one does not.
fn read_numbered_lines(asks: &[NumberedAsk<'_>], text: &str) -> Option<Vec<AskAnswer>> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut answers: Vec<AskAnswer> = Vec::new();
    for line in lines.iter().filter(|_| lines.len() > 1) {
        let (number, rest) = leading_number(line)?;
        let meant = asks.iter().find(|ask| ask.number == number)?;
        let answer = meant.read(rest).filter(|answer| answers.iter().all(|known| known.call != answer.call))?;
        answers.push(answer);
    }
    (!answers.is_empty()).then_some(answers)
}

/// What is wrong with the values that `text` has for the question it names, or for the only one; `None` where that is not the
/// matter.
fn misfit(turn: &TurnState, text: &str) -> Option<String> {
    let asks = open_asks(turn);
    let numbered = leading_number(text)
        .and_then(|(number, rest)| asks.iter().find(|ask| ask.number == number).map(|meant| (meant, rest)));
    let only = || asks.iter().find(|ask| asks.len() == 1 && ask.tool == QUESTION_TOOL).map(|only| (only, text));
    let (meant, text) = numbered.or_else(only)?;
    form::read_answers(meant.question_schema()?, text).err()
}

/// A no to every open ask of `turn`; `None` if one of them has no option for that.
pub(crate) fn decline_all(turn: &TurnState) -> Option<Vec<AskAnswer>> {
    let decline = |ask: NumberedAsk<'_>| ask.no().map(|choice| ask.choose(choice, None));
    open_asks(turn).into_iter().map(decline).collect()
}

/// The asks of `turn` that wait.
fn open_asks(turn: &TurnState) -> Vec<NumberedAsk<'_>> {
    let numbered = turn.asking_calls().filter_map(|call| {
        let CallState { id, tool, args, ask, .. } = call;
        Some(NumberedAsk { number: id.0.0, call: *id, tool, args, ask: ask.as_ref()? })
    });
    numbered.collect()
}

impl NumberedAsk<'_> {
    /// The answer that `text` is to this ask alone.
    fn read(&self, text: &str) -> Option<AskAnswer> {
        let words = normalized(text);
        let Some(schema) = self.question_schema() else {
            return self.chosen(&words).and_then(|choice| choice.answer(self.call));
        };
        if let Some(declined) = self.no().filter(|_| self.is_declined_by(text)) {
            return Some(self.choose(declined, None));
        }
        match form::read_answers(schema, text) {
            Ok(answers) => Some(self.choose(self.yes()?, Some(AnswerEdit::Answers { answers }))),
            // Where it is none of the values that are asked for, it says what it says everywhere else.
            Err(_) if words == "no" => self.no().map(|choice| self.choose(choice, None)),
            Err(_) => None,
        }
    }

    /// Whether `answer` lets the call run although the question does not show all of it.
    fn is_allowed_unseen_by(&self, answer: &AskAnswer) -> bool {
        let allows = self.ask.options.iter().any(|choice| choice.allows && choice.id == answer.option);
        allows && !self.is_question() && !self.is_shown_whole()
    }

    /// Whether `text` is the name of the option that says no.
    fn is_declined_by(&self, text: &str) -> bool {
        self.no().is_some_and(|choice| self.is_name_of(choice, &normalized(text)))
    }

    /// Whether normalized `words` are the name of `choice`, or an id that is ours. A remote agent's ids are not shown, so nobody
    /// means them.
    fn is_name_of(&self, choice: &AskOption, words: &str) -> bool {
        let is_id = || self.tool != REMOTE_TOOL && is_own_id(words) && choice.id == words;
        !words.is_empty() && (normalized(&choice.name) == words || is_id())
    }

    /// The choice that `words` name.
    fn chosen(&self, words: &str) -> Option<ReplyChoice<'_>> {
        let mut choices = self.choices();
        if let Some(place) = place_in_list(words) {
            return (place < choices.len()).then(|| choices.swap_remove(place));
        }
        let (first, rest) = words.split_once(PUNCTUATION).unwrap_or((words, ""));
        // Before names: a remote agent's option that lets things run may call itself "no".
        let meant = match first {
            "yes" => self.yes(),
            "no" => self.no(),
            "always" if words == first => self.always(),
            _ => return self.called(words),
        };
        let meant = choices.into_iter().find(|choice| meant.is_some_and(|option| choice.option.id == option.id));
        meant.filter(|choice| choice.says_nothing_but(rest))
    }

    /// The only choice with that name. What begins with a number or says no is never the name of one that lets the call run:
    /// a remote agent names its options as it likes.
    fn called(&self, words: &str) -> Option<ReplyChoice<'_>> {
        let may_allow = !words.starts_with(char::is_numeric) && !is_refusal(words);
        let may_be_meant = |choice: &ReplyChoice<'_>| may_allow || !choice.option.allows;
        let is_name = |choice: &ReplyChoice<'_>| !words.is_empty() && normalized(&choice.name) == words;
        let is_id = |choice: &ReplyChoice<'_>| self.is_name_of(choice.option, words);
        let only = |is_called: &dyn Fn(&ReplyChoice<'_>) -> bool| {
            let mut called = self.choices().into_iter().filter(|choice| is_called(choice) && may_be_meant(choice));
            called.next().filter(|first| called.all(|other| other.option.id == first.option.id))
        };
        only(&is_name).or_else(|| only(&is_id))
    }

    /// What may be chosen, in the order in which it is shown: its options, or what can be said to a plan.
    fn choices(&self) -> Vec<ReplyChoice<'_>> {
        match self.tool == PLAN_TOOL {
            true => ReplyChoice::of_plan(self.ask),
            false => None,
        }
        .unwrap_or_else(|| self.ask.options.iter().map(ReplyChoice::of_option).collect())
    }

    /// What sends its plan back with `text`, if it is about a plan.
    fn read_feedback(&self, text: &str) -> Option<AskAnswer> {
        let plan = self.choices().into_iter().find(|choice| choice.needs_feedback)?;
        plan.with_feedback(self.call, text)
    }

    /// The option that runs the call and grants nothing else.
    fn yes(&self) -> Option<&AskOption> {
        let mut plain = self.ask.options.iter().filter(|choice| choice.allows && choice.grant.is_none());
        plain.clone().find(|choice| choice.id == once_choice().id).or_else(|| plain.next())
    }

    fn no(&self) -> Option<&AskOption> {
        self.ask.options.iter().find(|choice| !choice.allows)
    }

    /// The option with the narrowest grant. What a remote agent's option grants is not known here: it counts if it is the only one.
    fn always(&self) -> Option<&AskOption> {
        let granting = self.ask.options.iter().filter_map(|choice| Some((choice.grant.as_ref()?, choice)));
        let narrowest = granting.min_by_key(|(grant, choice)| (choice.reach, breadth(grant)));
        let mut far = self.ask.options.iter().filter(|choice| choice.allows && choice.id.starts_with("proceed_always"));
        let only_far = || far.next().filter(|_| far.next().is_none());
        narrowest.map(|(_, choice)| choice).or_else(only_far)
    }

    fn choose(&self, choice: &AskOption, edit: Option<AnswerEdit>) -> AskAnswer {
        AskAnswer { call: self.call, option: choice.id.clone(), edit }
    }

    /// What the person is asked for, if that is more than a choice. A plan is approved or not, whatever may be sent along.
    fn question_schema(&self) -> Option<&Value> {
        let AskDetails::Generic { schema: Some(schema), .. } = &self.ask.details else { return None };
        let properties = schema.get("properties")?.as_object()?;
        (!properties.is_empty() && !properties.contains_key("approvalMode")).then_some(schema)
    }

    fn is_question(&self) -> bool {
        self.question_schema().is_some()
    }
}

/// Whether normalized `words` agree, in words that are no answer: it is not said with what.
fn is_nearly_yes(words: &str) -> bool {
    let mut said = words_of(words).filter(|word| !FILLERS.contains(word)).peekable();
    said.peek().is_some() && said.all(|word| AGREEMENT.contains(&word))
}

/// Whether `id` is one that Pollux gives to options.
fn is_own_id(id: &str) -> bool {
    id == once_choice().id || id == cancel_choice().id || id.starts_with("proceed_always")
}

/// The place in a list, from 0, that normalized `words` name by a number from 1. A number so long that no list has it names one, too.
fn place_in_list(words: &str) -> Option<usize> {
    let is_number = !words.is_empty() && words.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| words.parse::<usize>().map_or(usize::MAX, |number| number.wrapping_sub(1)))
}

/// How much a grant covers, beside others of the same reach.
fn breadth(grant: &Grant) -> u8 {
    match grant {
        Grant::Command { .. } => 0,
        Grant::Prefix { .. } => 1,
        Grant::McpTool { .. } | Grant::Agent { .. } | Grant::ReadDirectory { .. } => 2,
        Grant::Tool { .. } | Grant::FileChanges => 3,
        Grant::McpServer { .. } | Grant::Server { .. } => 4,
    }
}

/// `text` in lower case, with single spaces, without a full stop and without quotation marks around all of it.
fn normalized(text: &str) -> String {
    let bare = |text: &str| -> String { text.trim().strip_suffix('.').unwrap_or(text.trim()).to_owned() };
    let text = bare(text);
    let inside = BRACKETS.iter().find_map(|(open, close)| {
        let inside = text.strip_prefix(*open)?.strip_suffix(*close)?;
        (!inside.contains([*open, *close])).then(|| bare(inside))
    });
    inside.unwrap_or(text).split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether normalized `words` read as a no.
fn is_refusal(words: &str) -> bool {
    let is_inside = |letter: char| letter.is_alphanumeric() || letter == '\'';
    let first: String = words.chars().take_while(|letter| is_inside(*letter)).collect();
    REFUSALS.contains(&first.as_str())
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(PUNCTUATION).filter(|word| !word.is_empty())
}

/// The number that `text` begins with, and what follows it.
fn leading_number(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (number, rest) = text.split_at(digits);
    let separators = [' ', '\t', '\n', '.', ':', ')'];
    let separated = rest.starts_with(separators);
    let rest = rest.trim_start_matches(separators);
    (separated && !rest.is_empty()).then_some((number.parse().ok()?, rest))
}

#[cfg(test)]
mod tests;
