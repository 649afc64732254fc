//! A call: one line that names it, what a person decided about it, how it ended.

use super::entry_context::NoteTone;
use super::session_change::describe_reach;
use super::tool_labels::choice_name;
use super::wording::{MARK_CHARS, client_name, plural};
use crate::ask::{AnswerEdit, FileDiff};
use crate::built_in_tool::BuiltInTool;
use crate::call::{CallError, CallOutcome, CallResult, ResultDisplay, ToolKind};
use crate::event::{EntryAuthor, Event};
use crate::ids::CallId;
use crate::patched_file::summarize_patch;
use crate::sanitize::one_line;
use crate::state::SessionState;
use serde_json::Value;

/// The longest summary of a call's arguments, in characters. An ask shows them in full.
const SUMMARY_CHARS: usize = 100;
/// The longest purpose of a command that is shown, in characters.
const PURPOSE_CHARS: usize = 300;
/// The arguments that say what a call is about, most telling first.
const SUMMARY_ARGUMENTS: [&str; 12] = [
    "command",
    "file_path",
    "absolute_path",
    "path",
    "pattern",
    "dir_path",
    "query",
    "url",
    "prompt",
    "fact",
    "to",
    "checkpoint",
];

/// The sentence about a call that was replaced by another one.
pub(crate) const REPLACED_CALL_SENTENCE: &str = "the call below stands for it";

/// `run_shell_command  npm test`, with the name of the call that had it made, if one did. For a call of the running turn.
pub fn describe_heading(state: &SessionState, id: CallId) -> String {
    let calls = state.turn.as_ref().map(|turn| &turn.calls);
    let Some(call) = calls.and_then(|calls| calls.get(&id)) else { return id.to_string() };
    let tool = short_name(&call.tool, &call.args);
    let named = match summarize_args(&call.args) {
        // What it says to the person is in its ask or in its result.
        _ if call.kind == ToolKind::Converse => tool,
        about if about.is_empty() => tool,
        about => format!("{tool}  {about}"),
    };
    match call.parent.and_then(|parent| calls?.get(&parent)) {
        Some(parent) => format!("{named}  (for {})", short_name(&parent.tool, &parent.args)),
        None => named,
    }
}

/// A call by its tool, and by the agent where it hands work to one.
pub fn short_name(tool: &str, args: &Value) -> String {
    let tool = one_line(tool, MARK_CHARS);
    match args.get("agent_name").and_then(Value::as_str) {
        Some(agent) => format!("{tool} {}", one_line(agent, MARK_CHARS)),
        None => tool,
    }
}

/// The plan that a call laid before the person, whole.
pub fn proposed_plan<'a>(tool: &str, args: &'a Value) -> Option<&'a str> {
    let is_plan = BuiltInTool::from_name(tool) == Some(BuiltInTool::ExitPlanMode);
    args.get("plan").filter(|_| is_plan)?.as_str()
}

/// The subject of a call, on one line.
pub fn summarize_args(args: &Value) -> String {
    if let Some(plan) = args.get("plan").and_then(Value::as_str) {
        let title = plan.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
        return one_line(title.unwrap_or_default(), SUMMARY_CHARS);
    }
    if let Some(todos) = args.get("todos").and_then(Value::as_array) {
        let done = todos.iter().filter(|todo| todo["status"] == "completed").count();
        return format!("{}, {done} done", plural(todos.len(), "item"));
    }
    let telling = SUMMARY_ARGUMENTS.iter().find_map(|key| args.get(key)?.as_str());
    let patched = || summarize_patch(args.get("patch")?.as_str()?);
    match telling.map(str::to_owned).or_else(patched).as_deref() {
        Some(text) if runs_in_background(args) => format!("{} (in the background)", one_line(text, SUMMARY_CHARS)),
        Some(text) => one_line(text, SUMMARY_CHARS),
        None if args.as_object().is_some_and(serde_json::Map::is_empty) || args.is_null() => String::new(),
        None => one_line(&args.to_string(), SUMMARY_CHARS),
    }
}

/// The subject of a call, on one line. A path inside the workspace is written without it.
pub(crate) fn describe_target(args: &Value, workspace: &str) -> String {
    let about = summarize_args(args);
    let inside = about.strip_prefix(workspace).and_then(|path| path.strip_prefix('/'));
    let inside = inside.filter(|path| !workspace.is_empty() && !path.is_empty()).map(str::to_owned);
    inside.unwrap_or(about)
}

/// `run_shell_command npm test`.
pub fn call_title(tool: &str, args: &Value, workspace: &str) -> String {
    format!("{} {}", short_name(tool, args), describe_target(args, workspace)).trim_end().to_owned()
}

/// `run in the background in /ws`: where a command runs, and whether it goes on after its call.
pub fn describe_run(directory: &str, args: &Value) -> String {
    let how = if runs_in_background(args) { "run in the background in" } else { "run in" };
    format!("{how} {}", one_line(directory, usize::MAX))
}

/// What whoever wants a command says that it is for, on one line. It is their word, and may be wrong.
pub fn stated_purpose(args: &Value) -> Option<String> {
    let said = args.get("description").and_then(Value::as_str).map(str::trim).filter(|said| !said.is_empty())?;
    Some(format!("stated purpose: {}", one_line(said, PURPOSE_CHARS)))
}

/// True if the call goes on after its end, with these arguments of `run_shell_command`.
pub(crate) fn runs_in_background(args: &Value) -> bool {
    args.get("is_background").and_then(Value::as_bool) == Some(true)
}

/// The tone of an ending, and the words for it; none when it went well.
pub fn describe_ending(outcome: &CallOutcome) -> (NoteTone, String) {
    match outcome {
        CallOutcome::Succeeded { .. } => (NoteTone::Good, String::new()),
        CallOutcome::Failed { error, .. } => (NoteTone::Bad, without_model_advice(&error.message).to_owned()),
        CallOutcome::Declined => (NoteTone::Warn, "declined".into()),
        CallOutcome::Denied { why } => (NoteTone::Bad, format!("denied: {}", without_built_in_origin(why))),
        CallOutcome::Cancelled => (NoteTone::Warn, "cancelled".into()),
        CallOutcome::Interrupted => (NoteTone::Bad, "interrupted: it was running when the process ended".into()),
        CallOutcome::Superseded => (NoteTone::Warn, "not done: the file changed after it was shown".into()),
    }
}

/// What else a person has to know of the end of a call, in a line below it.
pub fn describe_aftermath(outcome: &CallOutcome) -> Option<&'static str> {
    let stops = outcome.result().is_some_and(CallResult::has_stopped_processes);
    stops.then_some("what it left running in the background was stopped when it ended")
}

/// Why policy said no, without the line of a rule that comes with Pollux: nobody can look it up.
fn without_built_in_origin(why: &str) -> &str {
    why.rfind(" (built-in rules:").filter(|_| why.ends_with(')')).map_or(why, |at| &why[..at])
}

/// Why a call did not do its work, for those who read it apart from the call: a word for programs and a sentence for people.
/// `None` when it did.
pub fn describe_call_error(outcome: &CallOutcome) -> Option<CallError> {
    let (kind, message) = match outcome {
        CallOutcome::Succeeded { .. } => return None,
        CallOutcome::Failed { error, .. } => return Some(error.clone()),
        CallOutcome::Denied { why } => ("denied", why.as_str()),
        CallOutcome::Declined => ("declined", "a person declined this call"),
        CallOutcome::Cancelled => ("cancelled", "the turn was cancelled"),
        CallOutcome::Interrupted => ("interrupted", "the process ended while this ran; it is not run again by itself"),
        CallOutcome::Superseded => {
            ("superseded", "what this was about to change has changed meanwhile; another call asks anew")
        }
    };
    Some(CallError { kind: kind.to_owned(), message: message.to_owned() })
}

/// How the end of a sentence begins that is only for the model.
const MODEL_ADVICE: [&str; 3] = ["the tools are ", "to see it, call ", "ask the person"];

/// A sentence for the model without the tool that it ends with advice to call: people cannot.
pub fn without_model_advice(sentence: &str) -> &str {
    let is_advice = |end: &str| {
        if MODEL_ADVICE.iter().any(|advice| end.starts_with(advice)) {
            return true;
        }
        let words = end.strip_prefix("use ").unwrap_or(end);
        words.split(' ').next().is_some_and(|word| BuiltInTool::from_name(word).is_some())
    };
    sentence.rsplit_once("; ").filter(|(_, end)| is_advice(end)).map_or(sentence, |(what, _)| what)
}

/// The change that a call made, as far as its result says (`+3 -1`), or its failure.
pub fn describe_change(outcome: &CallOutcome) -> String {
    let CallOutcome::Succeeded { result } = outcome else { return describe_ending(outcome).1 };
    match (&result.display, result.exit_code) {
        (Some(shown @ (ResultDisplay::Diff(_) | ResultDisplay::Patch { .. })), _) => {
            let counts = shown.file_diffs().map(FileDiff::changed_lines);
            let (added, removed) = counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
            format!("+{added} -{removed}")
        }
        (_, Some(code)) if code != 0 => format!("exit {code}"),
        _ => String::new(),
    }
}

/// The person and the option of a call's ask that they chose: `decided by A2A zed: Allow once`.
pub fn describe_decision(
    state: &SessionState,
    call: CallId,
    choice: &str,
    by: &EntryAuthor,
    reader: &EntryAuthor,
) -> String {
    format!("decided by {}: {}", client_name(by, reader), choice_name(state, call, choice))
}

/// The effect of an answer, to follow the name of whoever gave it: `allowed it once, with changes`. `None` for other
/// events.
pub fn describe_answer(state: &SessionState, event: &Event) -> Option<String> {
    let Event::Answered { call, choice, allows, edit, grant, reach, .. } = event else { return None };
    let mut words = match (grant, edit) {
        _ if !allows => "declined it".to_owned(),
        (Some(grant), _) => {
            format!("allowed {} {}", one_line(&grant.to_string(), usize::MAX), describe_reach(*reach))
        }
        (None, _) if choice != "proceed_once" => format!("chose: {}", choice_name(state, *call, choice)),
        (None, Some(AnswerEdit::Answers { .. })) => "answered".to_owned(),
        (None, Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. }) | None) => "allowed it once".to_owned(),
    };
    if matches!(edit, Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. })) {
        words.push_str(", with changes");
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::{describe_aftermath, describe_ending, without_model_advice};
    use crate::{CallError, CallOutcome, CallResult};
    use pretty_assertions::assert_eq;

    #[test]
    fn people_are_not_told_the_line_of_a_built_in_rule() {
        let ending = |why: &str| describe_ending(&CallOutcome::Denied { why: why.into() }).1;
        assert_eq!(ending("no in plan mode (built-in rules:60)"), "denied: no in plan mode");
        assert_eq!(ending("no (/home/me/x.toml:3)"), "denied: no (/home/me/x.toml:3)");
    }

    #[test]
    fn a_person_learns_what_was_stopped_behind_a_command() {
        let note = "[Background processes were stopped when the command ended.]\n";
        for (text, is_told) in [
            (format!("ok\n{note}"), true),
            (format!("(no output)\n{note}Exit code: 3\n"), true),
            // What a command prints is not what happened to it.
            (format!("{note}and more\n"), false),
            ("ok\n".to_owned(), false),
            (String::new(), false),
        ] {
            let result = CallResult { text: text.clone(), exit_code: Some(0), ..CallResult::default() };
            let outcome = CallOutcome::Succeeded { result };
            assert_eq!(describe_aftermath(&outcome).is_some(), is_told, "{text:?}");
        }
        assert_eq!(describe_aftermath(&CallOutcome::Declined), None);
    }

    #[test]
    fn people_are_not_told_to_call_a_tool() {
        let missing = "`a.rs` does not exist in the workspace";
        let message = format!("{missing}; list_directory shows what does");
        let error = CallError { kind: "not_found".into(), message };
        let outcome = CallOutcome::Failed { error, result: None };
        assert_eq!(describe_ending(&outcome).1, missing);
        assert_eq!(
            without_model_advice("`a` is too large; use run_shell_command for a part of it"),
            "`a` is too large"
        );
        let protected = "`.env` has a protected name, so it is not attached";
        for (told, shown) in [
            ("there is no tool `dig`; the tools are glob, read_file".to_owned(), "there is no tool `dig`"),
            (format!("{protected}; to see it, call read_file, and the person is asked"), protected),
        ] {
            assert_eq!(without_model_advice(&told), shown);
        }
        for advice_for_people in ["it timed out; try again", "no such model; /model lists them", "plain"] {
            assert_eq!(without_model_advice(advice_for_people), advice_for_people);
        }
    }
}
