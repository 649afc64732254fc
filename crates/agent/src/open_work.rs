//! What is open behind a summary: the to-do list and the plan that is being carried out. The calls that made them are gone with
//! what the summary stands for, and their words matter, so the model is told them again.

use crate::history::verbatim_lines;
use pollux_session::{BuiltInTool, OPEN_WORK_ATTACHMENT, Report, Transcript, TranscriptLine, TurnOutcome};
use serde_json::Value;

/// The most bytes of a to-do list, and of a plan.
const MAX_BYTES: usize = 8 * 1024;

/// The report of what is open and only a summary may tell of.
pub(crate) fn describe_open_work(transcript: &Transcript) -> Option<Report> {
    transcript.summary()?;
    let is_note = |line: &&TranscriptLine| matches!(line, TranscriptLine::Attachment { name, .. } if name == OPEN_WORK_ATTACHMENT);
    if verbatim_lines(transcript).iter().any(is_note) {
        return None;
    }
    let told = transcript.told();
    let parts: Vec<String> = [find_plan(&told), find_todos(&told)]
        .into_iter()
        .flatten()
        .filter(|work| !verbatim_lines(transcript).iter().any(|line| line.seq() == work.line.seq()))
        .map(|work| work.text)
        .collect();
    if parts.is_empty() {
        return None;
    }
    let text =
        format!("[This was open when our conversation was shortened. It is no new request.\n\n{}]", parts.join("\n\n"));
    Some(Report::Attached { name: OPEN_WORK_ATTACHMENT.to_owned(), text, media: Vec::new(), seen: Vec::new() })
}

/// Something open, and the call that it comes from.
struct OpenWork<'a> {
    line: &'a TranscriptLine,
    text: String,
}

/// The newest to-do list, while something on it is to be done.
fn find_todos<'a>(told: &[&'a TranscriptLine]) -> Option<OpenWork<'a>> {
    let (line, args, result) = newest_call(told, BuiltInTool::WriteTodos)?;
    let is_open = |todo: &Value| !matches!(todo["status"].as_str(), Some("completed" | "cancelled"));
    let is_any_open = args["todos"].as_array()?.iter().any(is_open);
    is_any_open.then(|| OpenWork { line, text: cut(result) })
}

/// The newest plan, with what the person said of it, unless its turn came to rest.
fn find_plan<'a>(told: &[&'a TranscriptLine]) -> Option<OpenWork<'a>> {
    let (line, args, result) = newest_call(told, BuiltInTool::ExitPlanMode)?;
    let after = told.iter().skip_while(|other| !std::ptr::eq(**other, line));
    let mut ends = after.filter_map(|line| match line {
        TranscriptLine::End { outcome, .. } => Some(outcome),
        _ => None,
    });
    if ends.next() == Some(&TurnOutcome::Rested) {
        return None;
    }
    let plan = cut(args["plan"].as_str()?);
    Some(OpenWork {
        line,
        text: format!("The plan that you showed the person:\n{plan}\nWhat came of it: {}", cut(result)),
    })
}

/// The newest call of `tool` that the model made itself and that succeeded: its line, arguments and result.
fn newest_call<'a>(told: &[&'a TranscriptLine], tool: BuiltInTool) -> Option<(&'a TranscriptLine, &'a Value, &'a str)> {
    told.iter().rev().find_map(|line| match line {
        TranscriptLine::Call { parent: None, tool: name, args, outcome: Some(outcome), .. } if name == tool.name() => {
            Some((*line, args, outcome.result()?.text.as_str()))
        }
        _ => None,
    })
}

fn cut(text: &str) -> String {
    match text.floor_char_boundary(MAX_BYTES) {
        end if end < text.len() => format!("{}\n[The rest is left out.]", &text[..end]),
        _ => text.to_owned(),
    }
}
