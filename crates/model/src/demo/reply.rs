//! The engine's replies: which rule matched, what really came of a call, and, when it understands nothing, what it is.

use super::grammar::{DemoPlan, parse};
use super::progress::{ChainOutcome, ChainProgress, NextStep, progress};
use super::step::{DemoCall, DemoStep, code};
use crate::content::{ATTACHED, MessageRole, ModelMessage, PartData};
use pollux_session::BuiltInTool;
use serde_json::Value;

/// The beginning of the first answer of a session.
pub(super) const BANNER: &str = "I am the offline demo, not an AI model.";

const WAY_OUT: &str = "For a real model set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY and start again.";

const GRAMMAR: &str = "I match fixed sentences, one a line or joined by `then`:\n\
    - `create FILE with TEXT` (or with a fenced block below it)\n\
    - `read FILE`\n\
    - `list [DIR]`\n\
    - `find PATTERN [in DIR]`\n\
    - `replace \"A\" with \"B\" in FILE`\n\
    - `run COMMAND`\n\
    - `help`";

/// The most lines of a tool's output that are repeated.
const MOST_LINES: usize = 40;
const MOST_CHARS: usize = 4_000;

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DemoReply {
    pub(super) thought: String,
    pub(super) text: String,
    pub(super) call: Option<DemoCall>,
}

/// The answer to a conversation.
pub(super) fn reply(contents: &[ModelMessage]) -> DemoReply {
    let (prompt, responses) = turn(contents);
    match parse(prompt) {
        DemoPlan::Steps(steps) => go_on(&steps, &progress(&steps, &responses)),
        DemoPlan::Help => DemoReply {
            thought: "**Matched rule: help** The prompt asks what there is to say.".to_owned(),
            text: format!("{GRAMMAR}\n\n{WAY_OUT}"),
            call: None,
        },
        DemoPlan::NotUnderstood(sentence) => DemoReply {
            thought: "**No rule matched** Nothing is done.".to_owned(),
            text: format!(
                "I did not understand {} and did nothing: I do not reason. {GRAMMAR}\n\n{WAY_OUT}",
                code(&sentence)
            ),
            call: None,
        },
    }
}

/// The prompt being answered, and the results of the calls made for it.
fn turn(contents: &[ModelMessage]) -> (&str, Vec<&Value>) {
    let text_of =
        |content: &'_ ModelMessage| content.parts.iter().rposition(|part| matches!(part.data, PartData::Text(_)));
    let is_prompt = |content: &&ModelMessage| content.role == MessageRole::User && text_of(content).is_some();
    let at = contents.iter().rposition(|content| is_prompt(&content)).unwrap_or(0);
    let (prompt, later) = match contents.get(at..) {
        Some([prompt, later @ ..]) => (prompt.parts.as_slice(), later),
        _ => (&[] as &[_], &[] as &[ModelMessage]),
    };
    let text = prompt.iter().rev().find_map(|part| match &part.data {
        PartData::Text(text) if text.starts_with(ATTACHED) => None,
        PartData::Text(text) => Some(text.as_str()),
        PartData::FunctionCall { .. } | PartData::FunctionResponse { .. } | PartData::Other(_) => None,
    });
    let responses = later.iter().flat_map(|content| &content.parts).filter_map(|part| match &part.data {
        PartData::FunctionResponse { response, .. } => Some(response),
        PartData::Text(_) | PartData::FunctionCall { .. } | PartData::Other(_) => None,
    });
    (text.unwrap_or_default(), responses.collect())
}

fn go_on(steps: &[DemoStep], progress: &ChainProgress<'_>) -> DemoReply {
    let count = steps.len();
    let mut texts = Vec::new();
    if let Some((at, outcome)) = &progress.newest
        && let Some(step) = steps.get(*at)
    {
        texts.extend(told(step, outcome, &progress.next));
    }
    let step_of = |at: usize| steps.get(at).map_or("", DemoStep::rule);
    let (thought, call) = match &progress.next {
        NextStep::Call(at, call) => {
            let is_second = matches!(progress.newest, Some((newest, _)) if newest == *at);
            if let Some(step) = steps.get(*at).filter(|_| !is_second) {
                texts.push(format!("{}.", step.plan()));
            }
            let thought =
                format!("**Matched rule: {}** Step {} of {count}: calling {}.", step_of(*at), at + 1, call.0.name());
            (thought, Some(call.clone()))
        }
        NextStep::Rest => {
            if count > 1 {
                texts.push(format!("All {count} steps are done."));
            }
            ("**Chain finished** Every step has its result.".to_owned(), None)
        }
        NextStep::Stop(at) | NextStep::NotThere(at) | NextStep::NotWhole(at) => {
            let left: Vec<String> = steps.iter().skip(at + 1).map(|step| format!("- {}", step.plan())).collect();
            if !left.is_empty() {
                texts.push(format!("I stop here. Not tried:\n{}", left.join("\n")));
            }
            (format!("**Chain stopped** Step {} of {count} ({}) did not work.", at + 1, step_of(*at)), None)
        }
    };
    DemoReply { thought, text: texts.join("\n\n"), call }
}

/// The result of a call, as it was; nothing when there is more of the step to come.
fn told(step: &DemoStep, outcome: &ChainOutcome<'_>, next: &NextStep) -> Option<String> {
    Some(match (step, outcome) {
        (_, ChainOutcome::Failed { why, output }) => {
            let printed = if output.is_empty() { String::new() } else { format!("\n\n{}", fenced(output)) };
            format!("{} ended with an error: {}{printed}", step.plan(), why.trim())
        }
        (DemoStep::Replace { from, file, .. }, ChainOutcome::Gave(_)) => match next {
            NextStep::NotThere(_) => format!("{} is not in {}; the file is as it was.", code(from), code(file)),
            NextStep::NotWhole(_) => {
                format!("{} cannot be read whole and exactly, so I do not write it back.", code(file))
            }
            NextStep::Call(_, (BuiltInTool::WriteFile, _)) => return None,
            NextStep::Call(..) | NextStep::Stop(_) | NextStep::Rest => format!("Changed {}.", code(file)),
        },
        (DemoStep::Write { file, .. } | DemoStep::Replace { file, .. }, ChainOutcome::Changed) => {
            format!("Wrote {}, with the content changed by the person who allowed it.", code(file))
        }
        (DemoStep::Write { .. }, ChainOutcome::Gave(output)) if !output.trim().is_empty() => output.trim().to_owned(),
        (DemoStep::Write { file, .. }, ChainOutcome::Gave(_)) => format!("Wrote {}.", code(file)),
        (DemoStep::Read { file }, ChainOutcome::Gave(output)) => format!("{} holds:\n\n{}", code(file), fenced(output)),
        (DemoStep::List { dir }, ChainOutcome::Gave(output)) => format!("In {}:\n\n{}", code(dir), fenced(output)),
        (DemoStep::Find { pattern, .. }, ChainOutcome::Gave(output)) => {
            format!("The search for {} printed:\n\n{}", code(pattern), fenced(output))
        }
        (DemoStep::Run { command }, ChainOutcome::Gave(output)) => {
            format!("{} printed:\n\n{}", code(command), fenced(output))
        }
        (
            DemoStep::Read { .. } | DemoStep::List { .. } | DemoStep::Find { .. } | DemoStep::Run { .. },
            ChainOutcome::Changed,
        ) => "It was changed by the person who allowed it.".to_owned(),
    })
}

/// Text in a Markdown fence that nothing in it can close, cut to a length to read.
fn fenced(text: &str) -> String {
    let text = text.trim_end();
    if text.is_empty() {
        return "(nothing)".to_owned();
    }
    let mut shown = String::new();
    let mut lines = text.lines();
    for line in lines.by_ref().take(MOST_LINES) {
        shown.extend(line.chars().take(MOST_CHARS.saturating_sub(shown.len())));
        shown.push('\n');
    }
    let is_cut = shown.len() > MOST_CHARS || lines.next().is_some();
    let note = if is_cut { "(cut here; the whole output is with the call)" } else { "" };
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}\n{shown}{fence}\n{note}").trim_end().to_owned()
}
