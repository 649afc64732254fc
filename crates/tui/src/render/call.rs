//! A call: one line that names it, what it prints, how it ended.

use super::ask::draw_diff;
use crate::draw_list::{DEEP_INDENT, DrawList, GUTTER, INDENT, StreamedBlock, TextStyle};
use pollux_session::{
    AnswerEdit, AskDecision, CallId, CallOutcome, CallResult, EntryAuthor, EntryOrigin, NoteTone, ResultDisplay,
    SessionView, UnixMillis, choice_name, describe_aftermath, describe_answers, describe_decision, describe_ending,
    describe_heading, format_duration, plain,
};
use serde_json::Value;

/// The most lines of a result that are shown.
const RESULT_LINES: usize = 20;

/// The line that names a call. What another call had made stands under that one.
fn headline(view: &SessionView, id: CallId) -> String {
    let indent = if is_child(view, id) { INDENT } else { "" };
    format!("{indent}▸ {}", describe_heading(view.state(), id))
}

/// The margin of what a call prints.
fn margin(view: &SessionView, id: CallId) -> &'static str {
    if is_child(view, id) { DEEP_INDENT } else { INDENT }
}

fn is_child(view: &SessionView, id: CallId) -> bool {
    view.call(id).is_some_and(|call| call.parent.is_some())
}

pub(super) fn started(page: &mut DrawList, view: &SessionView, id: CallId) {
    page.begin(StreamedBlock::Head(id)).put(TextStyle::Plain, headline(view, id));
}

pub(super) fn output(page: &mut DrawList, view: &SessionView, id: CallId, offset: u64, text: &str) {
    page.resume(StreamedBlock::Output(id), Some(StreamedBlock::Head(id)), headline(view, id));
    let printed = printed_bytes(view, id).unwrap_or(0);
    if offset > printed {
        page.begin(StreamedBlock::Output(id));
        page.put_in(margin(view, id), TextStyle::Dim, format!("… {} bytes not shown\n", offset - printed));
    }
    page.put_in(margin(view, id), TextStyle::Dim, plain(text).into_owned());
}

/// An answer, and who gave it.
pub(super) struct GivenAnswer<'a> {
    pub(super) choice: &'a str,
    pub(super) edit: Option<&'a AnswerEdit>,
    pub(super) by: &'a EntryAuthor,
}

pub(super) fn answered(
    page: &mut DrawList,
    view: &SessionView,
    id: CallId,
    answer: &GivenAnswer<'_>,
    whose: EntryOrigin,
) {
    let mut sentence = match whose {
        EntryOrigin::Typed => return,
        EntryOrigin::Earlier => format!("answered: {}", choice_name(view.state(), id, answer.choice)),
        EntryOrigin::Other => describe_decision(view.state(), id, answer.choice, answer.by, view.reader()),
    };
    if matches!(answer.edit, Some(AnswerEdit::Content { .. } | AnswerEdit::Files { .. })) {
        sentence.push_str(", with changes");
    }
    if view.asking().count() > 1 {
        sentence.push_str(&format!("  ({})", describe_heading(view.state(), id)));
    }
    page.line(TextStyle::Accent, sentence);
    if let Some(AnswerEdit::Answers { answers }) = answer.edit {
        page.line_in(GUTTER, TextStyle::Plain, answers_text(view, id, answers));
    }
}

pub(super) fn ended(page: &mut DrawList, view: &SessionView, id: CallId, outcome: &CallOutcome, at: UnixMillis) {
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
    let (tone, words) = describe_ending(outcome);
    let code = outcome.result().and_then(|result| result.exit_code);
    // The tool has done its work, but what it ran has failed, and that is what a person looks for.
    let has_failed = tone == NoteTone::Good && outcome.result().is_some_and(CallResult::has_nonzero_exit);
    let tone = if has_failed { NoteTone::Bad } else { tone };
    let style = match tone {
        NoteTone::Good => TextStyle::Good,
        NoteTone::Warn | NoteTone::Info => TextStyle::Warn,
        NoteTone::Bad => TextStyle::Bad,
    };
    let mut facts = Vec::new();
    facts.extend(code.map(|code| format!("exit {code}")));
    facts.extend(view.ran_for(id, at).map(format_duration));
    let facts = facts.join(", ");
    let words = match (words.is_empty(), facts.is_empty()) {
        (true, _) => facts,
        (false, true) => words,
        (false, false) => format!("{words} ({facts})"),
    };
    let sign = ending_sign(tone);
    page.put_in(margin(view, id), style, format!("{sign} {words}")).fresh();
    if let Some(result) = outcome.result() {
        draw_result(page, view, id, result, has_printed);
    }
    if let Some(aftermath) = describe_aftermath(outcome) {
        page.line_in(margin(view, id), TextStyle::Dim, aftermath);
    }
}

/// The sign of an ending, the same wherever a call is shown.
pub(crate) fn ending_sign(tone: NoteTone) -> &'static str {
    match tone {
        NoteTone::Good => "✓",
        NoteTone::Bad => "✗",
        NoteTone::Warn | NoteTone::Info => "-",
    }
}

/// The part of a result that a person is shown, unless they have seen it: as live output, or in the ask.
fn draw_result(page: &mut DrawList, view: &SessionView, id: CallId, result: &CallResult, has_printed: bool) {
    let seen_in_ask = view.call(id).is_some_and(|call| call.ask.is_some() && call.edit.is_none());
    match &result.display {
        Some(ResultDisplay::Diff(change)) if !seen_in_ask => draw_diff(page, change),
        Some(ResultDisplay::Patch { files }) if !seen_in_ask => {
            for file in files {
                page.line_in(margin(view, id), TextStyle::Bold, file.title());
                if let Some(change) = file.changed_content() {
                    draw_diff(page, change);
                }
            }
        }
        Some(ResultDisplay::Text { text }) if is_shown_answer(view, id, text) => {}
        Some(ResultDisplay::Text { text }) if !has_printed => {
            let lines: Vec<&str> = text.trim_end().lines().collect();
            let shown = lines.len().min(RESULT_LINES);
            page.line_in(margin(view, id), TextStyle::Dim, lines[..shown].join("\n"));
            if lines.len() > shown {
                page.line_in(margin(view, id), TextStyle::Dim, format!("… {} more lines", lines.len() - shown));
            }
        }
        Some(ResultDisplay::Diff(_) | ResultDisplay::Patch { .. } | ResultDisplay::Text { .. }) | None => {}
    }
}

/// True if a result only repeats what somebody else answered: that was told when they did.
fn is_shown_answer(view: &SessionView, id: CallId, text: &str) -> bool {
    let Some(AnswerEdit::Answers { answers }) = view.call(id).and_then(|call| call.edit.as_ref()) else { return false };
    let by = view.state().ask_decision(id).and_then(AskDecision::answer).map(|(_, by)| by);
    by.is_some_and(|by| *by != *view.reader()) && answers_text(view, id, answers) == text.trim()
}

/// The answers to the questions of a call.
fn answers_text(view: &SessionView, id: CallId, answers: &Value) -> String {
    let ask = view.call(id).and_then(|call| call.ask.as_ref());
    describe_answers(ask.map(|ask| &ask.details), answers)
}

/// Bytes a call has printed so far; `None` when it has printed nothing.
fn printed_bytes(view: &SessionView, id: CallId) -> Option<u64> {
    view.state().turn.as_ref()?.printed.get(&id).copied()
}
