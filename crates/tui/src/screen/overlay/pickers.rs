//! The lists there are: models, sessions, prompts to go back to, themes, clients.

use super::list_picker::{ListPicker, OnEnter, OnMove, PickerRow};
use super::{RewindPoint, UiEffect};
use crate::model_offers::{IN_USE, ModelOffer};
use crate::sanitize::one_line;
use crate::screen::theme;
use crate::wall_clock::now;
use pollux_session::{
    ApprovalMode, Command, Entry, Event, PromptId, Seq, SessionId, SessionSetting, Transcript, TranscriptLine,
    UnixMillis, WorkspaceCheckpoint, format_age, plural,
};
use std::sync::Arc;

/// Of which folders sessions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFolders {
    /// The one that this session, or this program, works in.
    This,
    /// Every one.
    All,
}

/// A session that can be gone on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// What it is about: its first prompt, or a name.
    pub title: String,
    /// The folder it works in.
    pub workspace: String,
    /// When something last happened in it.
    pub changed: UnixMillis,
    /// What else there is to know (`open in pid 4711 on port 41242`); may be empty.
    pub note: String,
}

/// Somebody at the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRow {
    /// The number by which it can be asked to leave.
    pub id: u64,
    /// What it calls itself.
    pub label: String,
    /// Who it is, proven.
    pub principal: String,
    /// How it came in (`WebSocket`, `SSE`).
    pub how: String,
    /// What it may do, in words.
    pub rights: String,
    /// Since when it is here.
    pub since: UnixMillis,
}

impl ClientRow {
    /// Everything but its name, on one line.
    pub(super) fn describe(&self) -> String {
        let words = [&self.principal, &self.how, &self.rights].map(|word| one_line(word, usize::MAX));
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · ")
    }
}

/// The models a person may choose. The arrow points at the one in use.
pub(crate) fn models(offers: Vec<ModelOffer>, hint: Option<&str>) -> ListPicker {
    let current = offers.iter().find(|offer| offer.is_current).map(|offer| offer.name.clone());
    let row = |offer: ModelOffer| {
        let detail = offer.detail();
        PickerRow {
            effect: UiEffect::Send(Command::Set { setting: SessionSetting::Model(offer.name.clone()) }),
            text: offer.name,
            detail,
        }
    };
    let rows = offers.into_iter().map(row).collect();
    ListPicker::new("Which model?", "no model is known; /model NAME sets one by its name", rows)
        .pointing_at(|row| Some(&row.text) == current.as_ref())
        .noting(hint)
}

/// The sessions a person in `workspace` may go on with.
pub(crate) fn sessions(rows: Vec<SessionRow>, workspace: &str, folders: SessionFolders) -> ListPicker {
    sessions_at(rows, workspace, folders, now())
}

fn sessions_at(mut rows: Vec<SessionRow>, workspace: &str, folders: SessionFolders, now: UnixMillis) -> ListPicker {
    rows.sort_by_key(|row| std::cmp::Reverse(row.changed));
    let all = rows.len();
    if folders == SessionFolders::This {
        rows.retain(|row| row.workspace == workspace);
    }
    let elsewhere = match all - rows.len() {
        0 => String::new(),
        count => format!(" ({count} more in other folders: /resume all)"),
    };
    let row = |row: SessionRow| {
        let title = if row.title.trim().is_empty() { row.id.to_string() } else { row.title };
        // In a list of one folder it would stand in every row.
        let folder = if folders == SessionFolders::All { row.workspace } else { String::new() };
        let facts = [format_age(row.changed, now), row.note, folder];
        let detail = facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" · ");
        PickerRow { text: title, detail, effect: UiEffect::Resume(row.id) }
    };
    let rows = rows.into_iter().map(row).collect();
    let none = match folders {
        SessionFolders::This => "there is no other session in this folder yet",
        SessionFolders::All => "there is no other session yet",
    };
    ListPicker::new(&format!("Resume which session?{elsewhere}"), none, rows)
}

/// The prompts a person may go back to, newest first: those that the model was asked and still knows of.
pub(crate) fn rewind(entries: &[Arc<Entry>]) -> ListPicker {
    rewind_at(entries, now())
}

fn rewind_at(entries: &[Arc<Entry>], now: UnixMillis) -> ListPicker {
    let transcript = Transcript::fold(entries.iter().map(Arc::as_ref));
    let told = transcript.told();
    // A command of the person's own is told to the model, but it is no prompt.
    let asked = |wanted: PromptId| {
        told.iter().any(|line| match line {
            TranscriptLine::Turn { prompt, command, .. } => *prompt == wanted && command.as_deref() != Some("shell"),
            _ => false,
        })
    };
    let row = |line: &&TranscriptLine| match line {
        TranscriptLine::Prompt { id, at, text, .. } if asked(*id) => {
            let more = text.trim().lines().count().saturating_sub(1);
            let more = if more > 0 { format!("{} · ", plural(more, "more line")) } else { String::new() };
            let ui_effect = match first_checkpoint(entries, id.0) {
                Some(checkpoint) => UiEffect::AskRewindScope(RewindPoint { seq: id.0, text: text.clone(), checkpoint }),
                None => UiEffect::Rewind(id.0, text.clone()),
            };
            // The number that `/rewind` takes.
            let text = format!("{}. {}", id.0, text.trim().lines().next().unwrap_or_default());
            Some(PickerRow { text, detail: format!("{more}{}", format_age(*at, now)), effect: ui_effect })
        }
        _ => None,
    };
    let rows = told.iter().rev().filter_map(row).collect();
    let is_cleared = entries.iter().any(|entry| matches!(entry.event, Event::Rewound { to: Seq::START }));
    let none = if is_cleared { "no prompt since /clear" } else { "no prompt has been answered yet" };
    ListPicker::new("Go back to before which prompt?", none, rows)
}

/// What the files were like before anything that came after `prompt` changed them, if something did.
fn first_checkpoint(entries: &[Arc<Entry>], prompt: Seq) -> Option<String> {
    entries.iter().filter(|entry| entry.seq > prompt).find_map(|entry| {
        let Event::Checkpointed(WorkspaceCheckpoint { call, saved: Ok(_), .. }) = &entry.event else { return None };
        // The number that `/restore` shows; the name is for programs.
        Some(call.0.0.to_string())
    })
}

/// Whether files go back with the conversation. Short enough for 80 columns: what is lost must not be cut off.
pub(crate) fn rewind_scope(point: RewindPoint, mode: ApprovalMode) -> ListPicker {
    let with_files = match mode {
        ApprovalMode::Yolo => "those the agent changed; yolo mode does not ask",
        ApprovalMode::Default | ApprovalMode::AutoEdit | ApprovalMode::Plan => "those the agent changed; shown first",
    };
    let row = |text: &str, detail: &str, ui_effect| PickerRow {
        text: text.to_owned(),
        detail: detail.to_owned(),
        effect: ui_effect,
    };
    let rows = vec![
        row("The conversation", "files stay as they are", UiEffect::Rewind(point.seq, point.text.clone())),
        row("The conversation and the files", with_files, UiEffect::RewindFiles(point)),
    ];
    ListPicker::new("What goes back?", "nothing can go back", rows)
}

/// The clients at the session. Enter asks, then removes.
pub(crate) fn clients(clients: Vec<ClientRow>) -> ListPicker {
    clients_at(clients, now())
}

fn clients_at(clients: Vec<ClientRow>, now: UnixMillis) -> ListPicker {
    let row = |client: &ClientRow| PickerRow {
        text: client.label.clone(),
        detail: format!("{} · came {}", client.describe(), format_age(client.since, now)),
        effect: UiEffect::RemoveClient(client.id),
    };
    let rows = clients.iter().map(row).collect();
    ListPicker::new("Who is here", "nobody else is here; /a2a shows how to join", rows)
        .on_enter(OnEnter::Remove(clients))
}

/// The themes, each one shown as soon as the arrow points at it. Leaving brings the `chosen` one back; `current` is what
/// came of it.
pub(crate) fn themes(chosen: &str, current: &str) -> ListPicker {
    let row = |name: &str| {
        let about = if name == theme::AUTO { "follows the terminal's background" } else { "" };
        let in_use = match (name == chosen, name == theme::AUTO) {
            (true, true) => format!("in use: {current}"),
            (true, false) => IN_USE.to_owned(),
            (false, _) => String::new(),
        };
        let facts = [about, &in_use].into_iter().filter(|fact| !fact.is_empty());
        let detail = facts.collect::<Vec<_>>().join(" · ");
        PickerRow { text: name.to_owned(), detail, effect: UiEffect::UseTheme(name.to_owned()) }
    };
    let rows = theme::NAMES.map(row).into();
    let before = UiEffect::UseTheme(chosen.to_owned());
    let same = before.clone();
    ListPicker::new("Which theme?", "there is no theme", rows)
        .on_move(OnMove::Preview(before))
        .pointing_at(|row| row.effect == same)
}

#[cfg(test)]
mod tests;
