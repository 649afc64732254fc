//! An entry as a person reads it. Pure: the same entry in the same view is always the same page.

mod ask;
mod call;
mod context;
mod given;
mod name;
mod question;
mod stats;
mod tool_words;

pub(crate) use ask::{ask_again, ask_block, ask_on};
pub(crate) use call::{choice_name, ending, heading, short_name, summary};
pub(crate) use context::{compact_wanted_words, granted_words, kept_words, mode_words, reach_words, set_words};
pub(crate) use given::{after_approval, given, judges_a_plan};
pub(crate) use name::{MARK_CHARS, duration, name, plural};
pub(crate) use question::{accepted_answers, answer_sign};
pub(crate) use stats::{stats, stats_lines};
pub(crate) use tool_words::{ask_heading, choice_label};

use crate::page::{Page, Strand, Style};
use crate::sanitize::one_line;
use crate::thought::Thought;
use crate::view::{View, Whose};
use pollux_session::{
    By, Checkpoint, Closing, Entry, Event, ItemId, ItemKind, Mode, PromptId, Seq, Setting, TurnId, TurnOutcome,
};

/// What to draw for `entry`, seen from the view just before it.
pub(crate) fn render(view: &View, entry: &Entry, whose: Whose) -> Page {
    let mut page = Page::default();
    match &entry.event {
        Event::Prompted { text, media, .. } => {
            prompted(&mut page, view, &entry.by, text, whose);
            for media in media {
                page.line(Style::Dim, format!("@{}", one_line(&media.name, 200)));
            }
        }
        Event::TurnStarted { prompt, .. } => turn_started(&mut page, view, TurnId(entry.seq), *prompt),
        Event::Unqueued { prompt } => {
            let text = waiting(view, *prompt);
            page.line(Style::Dim, format!("taken out of the queue{}: {text}", by_whom(view, &entry.by, whose)));
        }
        Event::Requeued { text, .. } => {
            page.line(Style::Dim, format!("changed in the queue{}: {text}", by_whom(view, &entry.by, whose)));
        }
        Event::Released => {
            page.line(Style::Dim, "the queue goes on");
        }
        Event::Set { setting } => {
            let style = if *setting == Setting::Mode(Mode::Yolo) { Style::Warn } else { Style::Dim };
            page.line(style, set_words(view, setting, &by_whom(view, &entry.by, whose)));
        }
        Event::Kept { grant, reach, failure } => {
            let style = if failure.is_some() { Style::Warn } else { Style::Dim };
            page.line(style, kept_words(grant, *reach, failure.as_deref()));
        }
        Event::CompactWanted => {
            page.line(Style::Dim, compact_wanted_words(view, &by_whom(view, &entry.by, whose)));
        }
        Event::Compacted { summary, usage, .. } => context::compacted(&mut page, summary, usage),
        Event::NotCompacted { why } => {
            page.line(Style::Warn, format!("no summary was made: {why}"));
        }
        Event::Uncompacted => {
            let by = by_whom(view, &entry.by, whose);
            page.line(Style::Dim, format!("the newest summary was taken back{by}: the model sees what it stood for"));
        }
        Event::Equipped(equipment) => {
            let before = &view.state.equipment.model;
            if !before.is_empty() && *before != equipment.model {
                page.line(Style::Dim, format!("model: {}", one_line(&equipment.model, MARK_CHARS)));
            }
        }
        Event::Attached { name, .. } => {
            let words = match unread_words(name) {
                Some(words) => words,
                None => format!("read for the model: {}", one_line(name, 200)),
            };
            page.line(Style::Dim, words);
        }
        Event::Said { kind: ItemKind::Text, text, .. } => {
            page.begin(Strand::Item(ItemId(entry.seq))).put(Style::Plain, text);
        }
        Event::Said { kind: ItemKind::Thought, text, .. } => subjects(&mut page, Thought::default().add(text)),
        Event::Piece { item, text, .. } => match view.thought.clone() {
            Some(mut thought) => subjects(&mut page, thought.add(text)),
            None => {
                page.resume(Strand::Item(*item), None, String::new()).put(Style::Plain, text);
            }
        },
        Event::ItemEnded { item, cut, .. } => item_ended(&mut page, view, *item, *cut),
        Event::Retrying { reason, attempt, wait_ms } => {
            let wait = duration(*wait_ms);
            page.line(
                Style::Warn,
                format!("the model call failed: {reason}\ntrying again in {wait} (attempt {attempt})"),
            );
        }
        Event::FellBack { from, to, why } => {
            let (from, to) = (one_line(from, MARK_CHARS), one_line(to, MARK_CHARS));
            page.line(Style::Warn, format!("{why}\n{to} answers from now on; /model {from} goes back"));
        }
        Event::Rewound { to } => {
            page.line(Style::Dim, forgotten(*to));
        }
        Event::Checkpointed(Checkpoint { name, saved: Err(why), .. }) => {
            page.line(Style::Warn, format!("no checkpoint {} was made: {why}", one_line(name, MARK_CHARS)));
        }
        Event::StepEnded { finish, citations, .. } => step_ended(&mut page, finish, citations),
        Event::Allowed { call, why, .. } if view.is_asking(*call) => {
            page.line(Style::Dim, format!("no answer needed any more: {why}"));
        }
        Event::Answered { call, choice, edit, .. } => {
            let answer = call::Answer { choice, edit: edit.as_ref(), by: &entry.by };
            call::answered(&mut page, view, *call, &answer, whose);
        }
        Event::CallStarted { call } => call::started(&mut page, view, *call),
        Event::Output { call, offset, text } => call::output(&mut page, view, *call, *offset, text),
        Event::CallEnded { call, outcome } => call::ended(&mut page, view, *call, outcome, entry.at),
        Event::TurnEnded { outcome } => turn_ended(&mut page, view, outcome, &entry.by, whose),
        Event::TaskClosed { closing: Closing::Cancelled, .. } => {
            page.line(Style::Dim, format!("task closed{}", by_whom(view, &entry.by, whose)));
        }
        // A new call is drawn when it asks, starts or ends; an ask by the dialog.
        Event::Called { .. } | Event::Asked { .. } | Event::AskKept { .. } | Event::Allowed { .. } => {}
        Event::Opened(opened) => {
            if opened.overrides.mode == Some(Mode::Yolo) {
                page.line(Style::Warn, mode_words(Mode::Yolo, &by_whom(view, &entry.by, whose)));
            }
            for grant in &opened.overrides.grants {
                page.line(Style::Dim, granted_words(grant, &by_whom(view, &entry.by, whose)));
            }
        }
        Event::Commanded { .. }
        | Event::Checkpointed(_)
        | Event::Spent { .. }
        | Event::TaskOpened { .. }
        | Event::TaskClosed { closing: Closing::Completed | Closing::Failed, .. } => {}
    }
    page
}

fn prompted(page: &mut Page, view: &View, by: &By, text: &str, whose: Whose) {
    let state = &view.state;
    let waits = !state.queue.is_empty() || state.turn.is_some() || state.compact_wanted.is_some();
    match (whose, waits) {
        (Whose::Typed, false) => {}
        (Whose::Earlier, false) => echo(page, "> ", text),
        (Whose::Other, false) => echo(page, &mark(view, by), text),
        (Whose::Typed | Whose::Earlier, true) => {
            page.line(Style::Dim, format!("queued: {text}"));
        }
        (Whose::Other, true) => {
            page.fresh()
                .put(Style::Accent, mark(view, by))
                .put(Style::Plain, text)
                .put(Style::Dim, "  (queued)")
                .fresh();
        }
    }
}

/// A prompt that had to wait is drawn again where its answer begins.
fn turn_started(page: &mut Page, view: &View, turn: TurnId, prompt: PromptId) {
    let began_at_once = turn.0 == prompt.0.next();
    if let Some(waited) = view.state.queue.iter().find(|waiting| waiting.id == prompt && !began_at_once) {
        let mark = if view.is_mine(prompt) { "> ".to_owned() } else { mark(view, &waited.by) };
        echo(page, &mark, &waited.text);
    }
}

fn echo(page: &mut Page, mark: &str, text: &str) {
    page.fresh().put(Style::Accent, mark).put(Style::Plain, text).fresh();
}

/// The mark before what somebody else typed.
fn mark(view: &View, by: &By) -> String {
    format!("[{}] ", name(by, &view.me))
}

/// ` by NAME`, unless it was done here.
pub(crate) fn by_whom(view: &View, by: &By, whose: Whose) -> String {
    match (whose, by) {
        (Whose::Other, By::Client { .. }) => format!(" by {}", name(by, &view.me)),
        (Whose::Other, By::Agent) | (Whose::Typed | Whose::Earlier, _) => String::new(),
    }
}

fn waiting(view: &View, prompt: PromptId) -> &str {
    view.state.queue.iter().find(|waiting| waiting.id == prompt).map_or("", |waiting| &waiting.text)
}

fn subjects(page: &mut Page, subjects: Vec<String>) {
    for subject in subjects {
        page.line(Style::Dim, format!("✦ {}", one_line(&subject, 200)));
    }
}

fn item_ended(page: &mut Page, view: &View, item: ItemId, cut: bool) {
    match &view.thought {
        Some(thought) => {
            if let Some(first) = thought.end() {
                page.line(Style::Dim, format!("✦ {}", one_line(first, 200)));
            }
        }
        None => {
            if cut {
                page.resume(Strand::Item(item), None, String::new()).put(Style::Dim, " … (cut short)");
            }
            page.fresh();
        }
    }
}

fn step_ended(page: &mut Page, finish: &str, citations: &[String]) {
    if !citations.is_empty() {
        page.line(Style::Dim, "sources:");
        for citation in citations {
            page.line_in("  ", Style::Dim, one_line(citation, 500));
        }
    }
    if let Some(sentence) = stopped_early(finish) {
        page.line(Style::Warn, sentence);
    }
}

/// What the model no longer knows after it was taken back to `to`.
pub(crate) fn forgotten(to: Seq) -> &'static str {
    match to {
        Seq::START => "the model no longer knows of the conversation so far",
        _ => "the model no longer knows of the newest part of the conversation",
    }
}

/// A sentence about a model that did not stop because it had nothing more to say.
pub(crate) fn stopped_early(finish: &str) -> Option<String> {
    let usual = ["", "stop", "end_turn", "tool_use", "tool_calls", "function_call", "stop_sequence"];
    let is_usual = usual.contains(&finish.to_ascii_lowercase().as_str());
    (!is_usual).then(|| format!("the model stopped early: {}", one_line(finish, MARK_CHARS)))
}

/// What is said of mentioned files when none of them was read. The log has `nothing (a.rs does not exist in the workspace)`.
pub(crate) fn unread_words(attached: &str) -> Option<String> {
    let why = attached.strip_prefix("nothing (")?.strip_suffix(')')?;
    let missing = why.strip_suffix(" does not exist in the workspace").filter(|file| !file.contains("; "));
    Some(match missing {
        Some(file) => format!("@{} was not read: it does not exist in the workspace", one_line(file, 200)),
        None => format!("nothing was read: {}", one_line(why, 200)),
    })
}

/// How a turn ends in which a person said no.
pub(crate) const DECLINED: &str = "Stopped: the call was declined. Say what to do instead.";

fn turn_ended(page: &mut Page, view: &View, outcome: &TurnOutcome, by: &By, whose: Whose) {
    match outcome {
        TurnOutcome::Rested if view.is_declined() => {
            page.line(Style::Dim, DECLINED);
        }
        TurnOutcome::Rested => {}
        TurnOutcome::Cancelled => {
            page.line(Style::Warn, format!("cancelled{}", by_whom(view, by, whose)));
        }
        TurnOutcome::Failed { failure } => {
            page.line(Style::Bad, format!("✗ {}", failure.message));
        }
    }
    if let Some(held) = held_after(view, outcome) {
        page.line(Style::Dim, held);
    }
    page.gap();
}

/// What does not start by itself when the running turn ends so, and what to do about it.
pub(crate) fn held_after(view: &View, outcome: &TurnOutcome) -> Option<String> {
    let held = match outcome {
        TurnOutcome::Cancelled => view.state.queue.len(),
        TurnOutcome::Rested | TurnOutcome::Failed { .. } => view.state.held().count(),
    };
    let prompts = plural(held, "prompt");
    (held > 0).then(|| format!("held in the queue: {prompts}; /queue go sends on, /queue drop N takes one out"))
}

#[cfg(test)]
mod tests;
