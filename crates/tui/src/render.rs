//! An entry as a person reads it. Pure: the same entry in the same view is always the same page.

mod ask;
mod call;
mod question;
mod stats;

pub(crate) use ask::{render_ask, render_ask_mention, render_ask_reminder, render_next_question};
pub(crate) use call::ending_sign;
pub(crate) use question::{accepted_answers, answer_sign};
pub(crate) use stats::{render_stats, stats_lines};

use crate::draw_list::{DrawList, GUTTER, StreamedBlock, TextStyle};
use crate::sanitize::one_line;
use pollux_session::{
    Entry, EntryAuthor, EntryOrigin, Event, EventNote, ItemId, ItemKind, NoteTone, PromptId, SessionView,
    ThoughtSubjects, TurnId, client_name, describe_entry, events_about, plural, resumes_chat,
};

/// The most lines of a summary that are shown.
const SUMMARY_LINES: usize = 20;

/// The lines to draw for `entry`, seen from the view just before it.
pub(crate) fn render(view: &SessionView, entry: &Entry, whose: EntryOrigin) -> DrawList {
    let mut page = DrawList::default();
    match &entry.event {
        Event::Prompted { text, media, .. } => {
            prompted(&mut page, view, &entry.by, text, whose);
            for media in media {
                page.line(TextStyle::Dim, format!("@{}", one_line(&media.name, 200)));
            }
        }
        Event::TurnStarted { prompt, .. } => turn_started(&mut page, view, TurnId(entry.seq), *prompt),
        Event::Said { kind: ItemKind::Text, text, .. } => {
            page.begin(StreamedBlock::Item(ItemId(entry.seq))).put(TextStyle::Plain, text);
        }
        Event::Said { kind: ItemKind::Thought, text, .. } => subjects(&mut page, ThoughtSubjects::default().add(text)),
        Event::Piece { item, text, .. } => match view.open_thought().cloned() {
            Some(mut thought) => subjects(&mut page, thought.add(text)),
            None => {
                page.resume(StreamedBlock::Item(*item), None, String::new()).put(TextStyle::Plain, text);
            }
        },
        Event::ItemEnded { item, cut, .. } => item_ended(&mut page, view, *item, *cut),
        Event::Answered { call, choice, edit, .. } => {
            let answer = call::GivenAnswer { choice, edit: edit.as_ref(), by: &entry.by };
            call::answered(&mut page, view, *call, &answer, whose);
        }
        Event::CallStarted { call } => call::started(&mut page, view, *call),
        Event::Output { call, offset, text } => call::output(&mut page, view, *call, *offset, text),
        Event::CallEnded { call, outcome } => call::ended(&mut page, view, *call, outcome, entry.at),
        Event::Compacted { summary, .. } if !resumes_chat(view.state()) => {
            for note in describe_entry(&view.context(entry, whose)) {
                page.line(TextStyle::Accent, note.text);
            }
            draw_summary(&mut page, summary);
        }
        Event::TurnEnded { .. } => {
            draw_notes(&mut page, &describe_entry(&view.context(entry, whose)));
            page.gap();
        }
        events_about!(session, tasks, model)
        | Event::Unqueued { .. }
        | Event::Requeued { .. }
        | Event::Released
        | Event::Commanded { .. }
        | Event::Rewound { .. }
        | Event::Checkpointed(_)
        | Event::Attached { .. }
        | Event::Allowed { .. }
        | Event::CompactWanted
        | Event::Compacted { .. }
        | Event::NotCompacted { .. }
        | Event::Uncompacted
        | Event::Spent { .. } => draw_notes(&mut page, &describe_entry(&view.context(entry, whose))),
        // A new call is drawn when it asks, starts or ends; an ask by the dialog.
        Event::Called { .. } | Event::Asked { .. } | Event::AskKept { .. } | Event::Deferred { .. } => {}
    }
    page
}

fn draw_notes(page: &mut DrawList, notes: &[EventNote]) {
    for note in notes {
        let (style, sign) = match note.tone {
            NoteTone::Info => (TextStyle::Dim, ""),
            NoteTone::Good => (TextStyle::Good, ""),
            NoteTone::Warn => (TextStyle::Warn, ""),
            NoteTone::Bad => (TextStyle::Bad, "✗ "),
        };
        page.line(style, format!("{sign}{}", note.text));
        for line in &note.details {
            page.line_in("  ", style, line);
        }
    }
}

fn draw_summary(page: &mut DrawList, summary: &str) {
    let lines: Vec<&str> = summary.trim().lines().collect();
    let shown = lines.len().min(SUMMARY_LINES);
    page.line_in(GUTTER, TextStyle::Dim, lines[..shown].join("\n"));
    if lines.len() > shown {
        page.line_in(GUTTER, TextStyle::Dim, format!("… {}", plural(lines.len() - shown, "more line")));
    }
    page.line(TextStyle::Dim, "/uncompress takes it back");
}

fn prompted(page: &mut DrawList, view: &SessionView, by: &EntryAuthor, text: &str, whose: EntryOrigin) {
    let state = &view.state();
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
fn turn_started(page: &mut DrawList, view: &SessionView, turn: TurnId, prompt: PromptId) {
    let began_at_once = turn.0 == prompt.0.next();
    if let Some(waited) = view.state().queue.iter().find(|waiting| waiting.id == prompt && !began_at_once) {
        let mark = if view.is_mine(prompt) { "> ".to_owned() } else { mark(view, &waited.by) };
        echo(page, &mark, &waited.text);
    }
}

fn echo(page: &mut DrawList, mark: &str, text: &str) {
    page.fresh().put(TextStyle::Accent, mark).put(TextStyle::Plain, text).fresh();
}

/// The mark before what somebody else typed.
fn mark(view: &SessionView, by: &EntryAuthor) -> String {
    format!("[{}] ", client_name(by, view.reader()))
}

fn subjects(page: &mut DrawList, subjects: Vec<String>) {
    for subject in subjects {
        page.line(TextStyle::Dim, format!("◦ {}", one_line(&subject, 200)));
    }
}

fn item_ended(page: &mut DrawList, view: &SessionView, item: ItemId, cut: bool) {
    match view.open_thought() {
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

#[cfg(test)]
mod tests;
