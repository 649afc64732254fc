//! A call: one line that names it, what it prints, how it ended.

use super::answers::describe_answers;
use super::ask::draw_diff;
use super::tool_labels::choice_label;
use super::wording::{MARK_CHARS, client_name, format_duration, plural};
use crate::draw_list::{DEEP_INDENT, DrawList, GUTTER, INDENT, StreamedBlock, TextStyle};
use crate::sanitize::one_line;
use crate::seat_view::{EntryOrigin, SeatView};
use pollux_session::{
    AnswerEdit, BuiltInTool, CallId, CallOutcome, CallResult, EntryAuthor, ResultDisplay, ToolKind, UnixMillis, plain,
};
use serde_json::Value;

/// How much of a call's arguments its line shows. An ask shows them in full.
const SUMMARY_CHARS: usize = 100;
/// How many lines of a result are shown.
const RESULT_LINES: usize = 20;
/// The arguments that say what a call is about, most telling first.
const SUMMARY_ARGUMENTS: [&str; 11] = [
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
    "checkpoint",
];

/// `run_shell_command  npm test`, with the name of the call that had it made, if one did.
pub(crate) fn heading(view: &SeatView, id: CallId) -> String {
    let Some(call) = view.call(id) else { return id.to_string() };
    let tool = short_name(&call.tool, &call.args);
    let named = match summary(&call.args) {
        // What it says to the person is in its ask or in its result.
        _ if call.kind == ToolKind::Converse => tool,
        about if about.is_empty() => tool,
        about => format!("{tool}  {about}"),
    };
    match call.parent.and_then(|parent| view.call(parent)) {
        Some(parent) => format!("{named}  (for {})", short_name(&parent.tool, &parent.args)),
        None => named,
    }
}

/// A call by its tool, and by the agent where it hands work to one.
pub(crate) fn short_name(tool: &str, args: &Value) -> String {
    let tool = one_line(tool, MARK_CHARS);
    match args.get("agent_name").and_then(Value::as_str) {
        Some(agent) => format!("{tool} {}", one_line(agent, MARK_CHARS)),
        None => tool,
    }
}

/// The line that names a call. What another call had made stands under that one.
fn headline(view: &SeatView, id: CallId) -> String {
    let indent = if is_child(view, id) { INDENT } else { "" };
    format!("{indent}▸ {}", heading(view, id))
}

/// The margin of what a call prints.
fn margin(view: &SeatView, id: CallId) -> &'static str {
    if is_child(view, id) { DEEP_INDENT } else { INDENT }
}

fn is_child(view: &SeatView, id: CallId) -> bool {
    view.call(id).is_some_and(|call| call.parent.is_some())
}

/// The label of an option of a call's ask, on one line.
pub(crate) fn choice_name(view: &SeatView, id: CallId, choice: &str) -> String {
    let ask = view.call(id).and_then(|call| call.ask.as_ref());
    let option = ask.and_then(|ask| ask.options.iter().find(|option| option.id == choice));
    option.map_or_else(|| one_line(choice, usize::MAX), choice_label)
}

pub(super) fn started(page: &mut DrawList, view: &SeatView, id: CallId) {
    page.begin(StreamedBlock::Head(id)).put(TextStyle::Plain, headline(view, id));
}

pub(super) fn output(page: &mut DrawList, view: &SeatView, id: CallId, offset: u64, text: &str) {
    page.resume(StreamedBlock::Output(id), Some(StreamedBlock::Head(id)), headline(view, id));
    let printed = printed_bytes(view, id).unwrap_or(0);
    if offset > printed {
        page.begin(StreamedBlock::Output(id));
        page.put_in(margin(view, id), TextStyle::Dim, format!("… {} bytes not shown\n", offset - printed));
    }
    page.put_in(margin(view, id), TextStyle::Dim, plain(text).into_owned());
}

/// What was answered and by whom.
pub(super) struct GivenAnswer<'a> {
    pub(super) choice: &'a str,
    pub(super) edit: Option<&'a AnswerEdit>,
    pub(super) by: &'a EntryAuthor,
}

pub(super) fn answered(page: &mut DrawList, view: &SeatView, id: CallId, answer: &GivenAnswer<'_>, whose: EntryOrigin) {
    let chosen = choice_name(view, id, answer.choice);
    let mut sentence = match whose {
        EntryOrigin::Typed => return,
        EntryOrigin::Earlier => format!("answered: {chosen}"),
        EntryOrigin::Other => format!("decided by {}: {chosen}", client_name(answer.by, &view.me)),
    };
    if matches!(answer.edit, Some(AnswerEdit::Content { .. })) {
        sentence.push_str(", with changes");
    }
    if view.asking().count() > 1 {
        sentence.push_str(&format!("  ({})", heading(view, id)));
    }
    page.line(TextStyle::Accent, sentence);
    if let Some(AnswerEdit::Answers { answers }) = answer.edit {
        page.line_in(GUTTER, TextStyle::Plain, describe_answers(view, id, answers));
    }
}

pub(super) fn ended(page: &mut DrawList, view: &SeatView, id: CallId, outcome: &CallOutcome, at: UnixMillis) {
    let has_printed = printed_bytes(view, id).is_some();
    let head = headline(view, id);
    if has_printed {
        page.resume(StreamedBlock::Output(id), Some(StreamedBlock::Head(id)), head).fresh();
    } else if view.ran_for(id, at).is_some() {
        // The line that names it is still open when nothing came in between.
        page.reopen(StreamedBlock::Head(id), head).put(TextStyle::Plain, "  ");
    } else {
        page.fresh().put(TextStyle::Plain, head).put(TextStyle::Plain, "  ");
    }
    let (style, words) = describe_ending(outcome);
    let code = outcome.result().and_then(|result| result.exit_code);
    // The tool has done its work, but what it ran has failed, and that is what a person looks for.
    let style = if style == TextStyle::Good && code.is_some_and(|code| code != 0) { TextStyle::Bad } else { style };
    let mut facts = Vec::new();
    facts.extend(code.map(|code| format!("exit {code}")));
    facts.extend(view.ran_for(id, at).map(format_duration));
    let facts = facts.join(", ");
    let words = match (words.is_empty(), facts.is_empty()) {
        (true, _) => facts,
        (false, true) => words,
        (false, false) => format!("{words} ({facts})"),
    };
    let sign = ending_sign(style);
    page.put_in(margin(view, id), style, format!("{sign} {words}")).fresh();
    if let Some(result) = outcome.result() {
        draw_result(page, view, id, result, has_printed);
    }
}

/// The sign of an ending, the same wherever a call is shown.
pub(crate) fn ending_sign(style: TextStyle) -> &'static str {
    match style {
        TextStyle::Good => "✓",
        TextStyle::Bad => "✗",
        TextStyle::Plain | TextStyle::Bold | TextStyle::Dim | TextStyle::Accent | TextStyle::Warn => "-",
    }
}

/// How an ending looks, and the words for it; none when it went well.
pub(crate) fn describe_ending(outcome: &CallOutcome) -> (TextStyle, String) {
    match outcome {
        CallOutcome::Succeeded { .. } => (TextStyle::Good, String::new()),
        CallOutcome::Failed { error, .. } => (TextStyle::Bad, error.message.clone()),
        CallOutcome::Declined => (TextStyle::Warn, "declined".into()),
        CallOutcome::Denied { why } => (TextStyle::Bad, format!("denied: {why}")),
        CallOutcome::Cancelled => (TextStyle::Warn, "cancelled".into()),
        CallOutcome::Interrupted => (TextStyle::Bad, "interrupted: it was running when the process ended".into()),
        CallOutcome::Superseded => (TextStyle::Warn, "not done: the file changed after it was shown".into()),
    }
}

/// What a person is shown of a result, unless they have seen it: as live output, or in the ask.
fn draw_result(page: &mut DrawList, view: &SeatView, id: CallId, result: &CallResult, has_printed: bool) {
    let seen_in_ask = view.call(id).is_some_and(|call| call.ask.is_some() && call.edit.is_none());
    match &result.display {
        Some(ResultDisplay::Diff(change)) if !seen_in_ask => draw_diff(page, change),
        Some(ResultDisplay::Text { text }) if is_shown_answer(view, id, text) => {}
        Some(ResultDisplay::Text { text }) if !has_printed => {
            let lines: Vec<&str> = text.trim_end().lines().collect();
            let shown = lines.len().min(RESULT_LINES);
            page.line_in(margin(view, id), TextStyle::Dim, lines[..shown].join("\n"));
            if lines.len() > shown {
                page.line_in(margin(view, id), TextStyle::Dim, format!("… {} more lines", lines.len() - shown));
            }
        }
        Some(ResultDisplay::Diff(_) | ResultDisplay::Text { .. }) | None => {}
    }
}

/// Whether a result only repeats what somebody else answered: that was told when they did.
fn is_shown_answer(view: &SeatView, id: CallId, text: &str) -> bool {
    let Some(AnswerEdit::Answers { answers }) = view.call(id).and_then(|call| call.edit.as_ref()) else { return false };
    let decision = view.state.decisions.iter().rev().find(|decision| decision.call == id);
    let by = decision.and_then(|decision| decision.answer.as_ref()).map(|(_, by)| by);
    by.is_some_and(|by| *by != view.me) && describe_answers(view, id, answers) == text.trim()
}

/// Bytes a call has printed so far; `None` when it has printed nothing.
fn printed_bytes(view: &SeatView, id: CallId) -> Option<u64> {
    view.state.turn.as_ref()?.printed.get(&id).copied()
}

/// The plan that a call laid before the person, whole.
pub(crate) fn proposed_plan<'a>(tool: &str, args: &'a Value) -> Option<&'a str> {
    let is_plan = BuiltInTool::from_name(tool) == Some(BuiltInTool::ExitPlanMode);
    args.get("plan").filter(|_| is_plan)?.as_str()
}

/// What a call is about, on one line.
pub(crate) fn summary(args: &Value) -> String {
    if let Some(plan) = args.get("plan").and_then(Value::as_str) {
        let title = plan.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
        return one_line(title.unwrap_or_default(), SUMMARY_CHARS);
    }
    if let Some(todos) = args.get("todos").and_then(Value::as_array) {
        let done = todos.iter().filter(|todo| todo["status"] == "completed").count();
        return format!("{}, {done} done", plural(todos.len(), "item"));
    }
    let telling = SUMMARY_ARGUMENTS.iter().find_map(|key| args.get(key)?.as_str());
    match telling {
        Some(text) if runs_in_background(args) => format!("{} (in the background)", one_line(text, SUMMARY_CHARS)),
        Some(text) => one_line(text, SUMMARY_CHARS),
        None if args.as_object().is_some_and(serde_json::Map::is_empty) || args.is_null() => String::new(),
        None => one_line(&args.to_string(), SUMMARY_CHARS),
    }
}

/// Whether the call goes on after its end, with these arguments of `run_shell_command`.
pub(crate) fn runs_in_background(args: &Value) -> bool {
    args.get("is_background").and_then(Value::as_bool) == Some(true)
}
