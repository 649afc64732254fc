//! An entry as a person reads it. Pure: the same entry in the same view is always the same page.

mod answers;
mod ask;
mod call;
mod question;
mod session_changes;
mod stats;
mod tool_labels;
mod wording;

pub(crate) use answers::{describe_answers, describe_plan_mode, is_plan_schema};
pub(crate) use ask::{describe_run, render_ask, render_ask_reminder, render_next_question};
pub(crate) use call::{choice_name, describe_ending, ending_sign, heading, proposed_plan, short_name, summary};
pub(crate) use question::{accepted_answers, answer_sign};
pub(crate) use session_changes::{
    describe_compact_request, describe_kept_grant, describe_mode, describe_opening_grant, describe_reach,
    describe_setting,
};
pub(crate) use stats::{render_stats, stats_lines};
pub(crate) use tool_labels::{ask_heading, choice_label};
pub(crate) use wording::{MARK_CHARS, client_name, format_duration, plural};

use crate::draw_list::{DrawList, StreamedBlock, TextStyle};
use crate::sanitize::one_line;
use crate::seat_view::{EntryOrigin, SeatView};
use crate::thought_subjects::ThoughtSubjects;
use pollux_session::{
    ApprovalMode, CallOutcome, CallPhase, Entry, EntryAuthor, Event, ItemId, ItemKind, PromptId, Seq, SessionSetting,
    TaskClosing, TurnId, TurnOutcome, WorkspaceCheckpoint,
};

/// What to draw for `entry`, seen from the view just before it.
pub(crate) fn render(view: &SeatView, entry: &Entry, whose: EntryOrigin) -> DrawList {
    let mut page = DrawList::default();
    match &entry.event {
        Event::Prompted { text, media, .. } => {
            prompted(&mut page, view, &entry.by, text, whose);
            for media in media {
                page.line(TextStyle::Dim, format!("@{}", one_line(&media.name, 200)));
            }
        }
        Event::TurnStarted { prompt, .. } => turn_started(&mut page, view, TurnId(entry.seq), *prompt),
        Event::Unqueued { prompt } => {
            let text = waiting_prompt_text(view, *prompt);
            page.line(TextStyle::Dim, format!("taken out of the queue{}: {text}", by_whom(view, &entry.by, whose)));
        }
        Event::Requeued { text, .. } => {
            page.line(TextStyle::Dim, format!("changed in the queue{}: {text}", by_whom(view, &entry.by, whose)));
        }
        Event::Released => {
            page.line(TextStyle::Dim, "the queue goes on");
        }
        Event::Set { setting } => {
            let style =
                if *setting == SessionSetting::Mode(ApprovalMode::Yolo) { TextStyle::Warn } else { TextStyle::Dim };
            page.line(style, describe_setting(view, setting, &by_whom(view, &entry.by, whose)));
        }
        Event::Kept { grant, reach, failure } => {
            let style = if failure.is_some() { TextStyle::Warn } else { TextStyle::Dim };
            page.line(style, describe_kept_grant(grant, *reach, failure.as_deref()));
        }
        Event::CompactWanted => {
            page.line(TextStyle::Dim, describe_compact_request(view, &by_whom(view, &entry.by, whose)));
        }
        Event::Compacted { summary, usage, .. } => session_changes::compacted(&mut page, summary, usage),
        Event::NotCompacted { why } => {
            page.line(TextStyle::Warn, format!("no summary was made: {why}"));
        }
        Event::Uncompacted => {
            let by = by_whom(view, &entry.by, whose);
            page.line(
                TextStyle::Dim,
                format!("the newest summary was taken back{by}: the model sees what it stood for"),
            );
        }
        Event::Equipped(equipment) => {
            let before = &view.state.equipment.model;
            if !before.is_empty() && *before != equipment.model {
                page.line(TextStyle::Dim, format!("model: {}", one_line(&equipment.model, MARK_CHARS)));
            }
        }
        Event::Attached { name, .. } => {
            let words = match unread_words(name) {
                Some(words) => words,
                None => format!("read for the model: {}", one_line(name, 200)),
            };
            page.line(TextStyle::Dim, words);
        }
        Event::Said { kind: ItemKind::Text, text, .. } => {
            page.begin(StreamedBlock::Item(ItemId(entry.seq))).put(TextStyle::Plain, text);
        }
        Event::Said { kind: ItemKind::Thought, text, .. } => subjects(&mut page, ThoughtSubjects::default().add(text)),
        Event::Piece { item, text, .. } => match view.thought.clone() {
            Some(mut thought) => subjects(&mut page, thought.add(text)),
            None => {
                page.resume(StreamedBlock::Item(*item), None, String::new()).put(TextStyle::Plain, text);
            }
        },
        Event::ItemEnded { item, cut, .. } => item_ended(&mut page, view, *item, *cut),
        Event::Retrying { reason, attempt, wait_ms } => {
            let wait = format_duration(*wait_ms);
            page.line(
                TextStyle::Warn,
                format!("the model call failed: {reason}\ntrying again in {wait} (attempt {attempt})"),
            );
        }
        Event::FellBack { from, to, why } => {
            let (from, to) = (one_line(from, MARK_CHARS), one_line(to, MARK_CHARS));
            page.line(TextStyle::Warn, format!("{why}\n{to} answers from now on; /model {from} goes back"));
        }
        Event::Rewound { to } => {
            page.line(TextStyle::Dim, describe_rewind(*to));
        }
        Event::Checkpointed(WorkspaceCheckpoint { name, saved: Err(why), .. }) => {
            page.line(TextStyle::Warn, format!("no checkpoint {} was made: {why}", one_line(name, MARK_CHARS)));
        }
        Event::StepEnded { finish, citations, .. } => step_ended(&mut page, finish, citations),
        Event::Allowed { call, why, .. } if view.is_asking(*call) => {
            page.line(TextStyle::Dim, format!("no answer needed any more: {why}"));
        }
        Event::Answered { call, choice, edit, .. } => {
            let answer = call::GivenAnswer { choice, edit: edit.as_ref(), by: &entry.by };
            call::answered(&mut page, view, *call, &answer, whose);
        }
        Event::CallStarted { call } => call::started(&mut page, view, *call),
        Event::Output { call, offset, text } => call::output(&mut page, view, *call, *offset, text),
        Event::CallEnded { call, outcome } => call::ended(&mut page, view, *call, outcome, entry.at),
        Event::TurnEnded { outcome } => turn_ended(&mut page, view, outcome, &entry.by, whose),
        Event::TaskClosed { closing: TaskClosing::Cancelled, .. } => {
            page.line(TextStyle::Dim, format!("task closed{}", by_whom(view, &entry.by, whose)));
        }
        // A new call is drawn when it asks, starts or ends; an ask by the dialog.
        Event::Called { .. } | Event::Asked { .. } | Event::AskKept { .. } | Event::Allowed { .. } => {}
        Event::Opened(opened) => {
            if opened.overrides.mode == Some(ApprovalMode::Yolo) {
                page.line(TextStyle::Warn, describe_mode(ApprovalMode::Yolo, &by_whom(view, &entry.by, whose)));
            }
            for grant in &opened.overrides.grants {
                page.line(TextStyle::Dim, describe_opening_grant(grant, &by_whom(view, &entry.by, whose)));
            }
        }
        Event::Commanded { .. }
        | Event::Checkpointed(_)
        | Event::Spent { .. }
        | Event::TaskOpened { .. }
        | Event::TaskClosed { closing: TaskClosing::Completed | TaskClosing::Failed, .. } => {}
    }
    page
}

fn prompted(page: &mut DrawList, view: &SeatView, by: &EntryAuthor, text: &str, whose: EntryOrigin) {
    let state = &view.state;
    let waits = !state.queue.is_empty() || state.turn.is_some() || state.compact_wanted.is_some();
    match (whose, waits) {
        (EntryOrigin::Typed, false) => {}
        (EntryOrigin::Earlier, false) => echo(page, "> ", text),
        (EntryOrigin::Other, false) => echo(page, &mark(view, by), text),
        (EntryOrigin::Typed | EntryOrigin::Earlier, true) => {
            page.line(TextStyle::Dim, format!("queued: {text}"));
        }
        (EntryOrigin::Other, true) => {
            page.fresh()
                .put(TextStyle::Accent, mark(view, by))
                .put(TextStyle::Plain, text)
                .put(TextStyle::Dim, "  (queued)")
                .fresh();
        }
    }
}

/// A prompt that had to wait is drawn again where its answer begins.
fn turn_started(page: &mut DrawList, view: &SeatView, turn: TurnId, prompt: PromptId) {
    let began_at_once = turn.0 == prompt.0.next();
    if let Some(waited) = view.state.queue.iter().find(|waiting| waiting.id == prompt && !began_at_once) {
        let mark = if view.is_mine(prompt) { "> ".to_owned() } else { mark(view, &waited.by) };
        echo(page, &mark, &waited.text);
    }
}

fn echo(page: &mut DrawList, mark: &str, text: &str) {
    page.fresh().put(TextStyle::Accent, mark).put(TextStyle::Plain, text).fresh();
}

/// The mark before what somebody else typed.
fn mark(view: &SeatView, by: &EntryAuthor) -> String {
    format!("[{}] ", client_name(by, &view.me))
}

/// ` by NAME`, unless it was done here.
pub(crate) fn by_whom(view: &SeatView, by: &EntryAuthor, whose: EntryOrigin) -> String {
    match (whose, by) {
        (EntryOrigin::Other, EntryAuthor::Client { .. }) => format!(" by {}", client_name(by, &view.me)),
        (EntryOrigin::Other, EntryAuthor::Agent) | (EntryOrigin::Typed | EntryOrigin::Earlier, _) => String::new(),
    }
}

fn waiting_prompt_text(view: &SeatView, prompt: PromptId) -> &str {
    view.state.queue.iter().find(|waiting| waiting.id == prompt).map_or("", |waiting| &waiting.text)
}

fn subjects(page: &mut DrawList, subjects: Vec<String>) {
    for subject in subjects {
        page.line(TextStyle::Dim, format!("◦ {}", one_line(&subject, 200)));
    }
}

fn item_ended(page: &mut DrawList, view: &SeatView, item: ItemId, cut: bool) {
    match &view.thought {
        Some(thought) => {
            if let Some(first) = thought.end() {
                page.line(TextStyle::Dim, format!("◦ {}", one_line(first, 200)));
            }
        }
        None => {
            if cut {
                page.resume(StreamedBlock::Item(item), None, String::new()).put(TextStyle::Dim, " … (cut short)");
            }
            page.fresh();
        }
    }
}

fn step_ended(page: &mut DrawList, finish: &str, citations: &[String]) {
    if !citations.is_empty() {
        page.line(TextStyle::Dim, "sources:");
        for citation in citations {
            page.line_in("  ", TextStyle::Dim, one_line(citation, 500));
        }
    }
    if let Some(sentence) = describe_early_stop(finish) {
        page.line(TextStyle::Warn, sentence);
    }
}

/// What the model no longer knows after it was taken back to `to`.
pub(crate) fn describe_rewind(to: Seq) -> &'static str {
    match to {
        Seq::START => "the model no longer knows of the conversation so far",
        _ => "the model no longer knows of the newest part of the conversation",
    }
}

/// A sentence about a model that did not stop because it had nothing more to say.
pub(crate) fn describe_early_stop(finish: &str) -> Option<String> {
    let usual = ["", "stop", "end_turn", "tool_use", "tool_calls", "function_call", "stop_sequence"];
    let is_usual = usual.contains(&finish.to_ascii_lowercase().as_str());
    (!is_usual).then(|| format!("the model stopped early: {}", one_line(finish, MARK_CHARS)))
}

/// What the agent says of a mentioned file that is not there.
const MISSING: &str = " does not exist in the workspace";

/// What is said of mentioned files when not all of them were read. The log has `nothing (a.rs does not exist in the workspace)`.
pub(crate) fn unread_words(attached: &str) -> Option<String> {
    let (read, why) = attached.strip_suffix(')')?.split_once(" (")?;
    if read.starts_with('@') && why.contains(MISSING) {
        let read = read.trim_start_matches('@').replace(" @", ", ");
        let verb = if read.contains(", ") { "were" } else { "was" };
        let why = why.replace(MISSING, " is not in the workspace");
        return Some(format!("{} {verb} read; {}", one_line(&read, 200), one_line(&why, 200)));
    }
    if read != "nothing" {
        return None;
    }
    let missing = why.strip_suffix(MISSING).filter(|file| !file.contains("; "));
    Some(match missing {
        Some(file) => format!("@{} was not read: it does not exist in the workspace", one_line(file, 200)),
        None => format!("nothing was read: {}", one_line(why, 200)),
    })
}

/// How a turn ends in which a person said no, with what they said it to.
pub(crate) fn describe_declined(view: &SeatView) -> String {
    let calls = view.state.turn.iter().flat_map(|turn| turn.calls.values());
    let declined = calls.filter(|call| matches!(call.phase, CallPhase::Ended(CallOutcome::Declined)));
    let titles: Vec<String> = declined
        .map(|call| {
            one_line(format!("{} {}", short_name(&call.tool, &call.args), summary(&call.args)).trim(), MARK_CHARS)
        })
        .collect();
    match titles.as_slice() {
        [title] => format!("Stopped: {title} was declined. Say what to do instead."),
        _ => format!("Stopped: {} were declined. Say what to do instead.", plural(titles.len(), "call")),
    }
}

fn turn_ended(page: &mut DrawList, view: &SeatView, outcome: &TurnOutcome, by: &EntryAuthor, whose: EntryOrigin) {
    match outcome {
        TurnOutcome::Rested if view.is_declined() => {
            page.line(TextStyle::Dim, describe_declined(view));
        }
        TurnOutcome::Rested => {}
        TurnOutcome::Cancelled => {
            page.line(TextStyle::Warn, format!("cancelled{}", by_whom(view, by, whose)));
        }
        TurnOutcome::Failed { failure } => {
            page.line(TextStyle::Bad, format!("✗ {}", failure.message));
        }
    }
    if let Some(held) = describe_held_queue(view, outcome) {
        page.line(TextStyle::Dim, held);
    }
    page.gap();
}

/// What does not start by itself when the running turn ends so, and what to do about it.
pub(crate) fn describe_held_queue(view: &SeatView, outcome: &TurnOutcome) -> Option<String> {
    let held = match outcome {
        TurnOutcome::Cancelled => view.state.queue.len(),
        TurnOutcome::Rested | TurnOutcome::Failed { .. } => view.state.held().count(),
    };
    let prompts = plural(held, "prompt");
    (held > 0).then(|| format!("held in the queue: {prompts}; /queue go sends on, /queue drop N takes one out"))
}

#[cfg(test)]
mod tests;
