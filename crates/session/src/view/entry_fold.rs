//! The changes that each entry makes to the items.

use super::item::{ItemContent, StreamedText, ViewItemId};
use super::turn_progress::{PendingRetry, WayBack};
use super::{SessionView, ThoughtSubjects};
use crate::built_in_command::BuiltInCommand;
use crate::command::SessionSetting;
use crate::describe::{
    EntryOrigin, EventNote, NoteTone, NoteTopic, client_name, describe_entry, describe_turn_usage, describe_way_back,
    resumes_chat,
};
use crate::event::{ApprovalMode, Entry, Event, ItemKind, WorkspaceCheckpoint};
use crate::ids::{PromptId, Seq, UnixMillis};
use crate::sanitize::one_line;

/// The most subjects of one thought that are told.
const MOST_SUBJECTS: usize = 1_000;

/// Numbers the items that one entry begins.
pub(super) struct EntryItems {
    seq: Seq,
    at: UnixMillis,
    part: u16,
}

impl EntryItems {
    fn next_id(&mut self) -> ViewItemId {
        let id = ViewItemId { seq: self.seq, part: self.part };
        self.part = self.part.saturating_add(1);
        id
    }
}

impl SessionView {
    /// Take one more entry, with the state just before it.
    pub(super) fn fold_entry(&mut self, entry: &Entry, origin: EntryOrigin) {
        let notes = describe_entry(&self.context(entry, origin));
        let new = &mut EntryItems { seq: entry.seq, at: entry.at, part: 0 };
        match &entry.event {
            // A prompt is seen where its answer begins; until then it is in the queue.
            Event::Prompted { .. } => {
                if origin != EntryOrigin::Other {
                    self.own_prompts.insert(PromptId(entry.seq));
                }
            }
            Event::Unqueued { prompt } => {
                self.own_prompts.remove(prompt);
                self.add_notes(new, notes);
            }
            Event::TurnStarted { prompt, .. } => self.begin_turn(new, *prompt),
            Event::Set { setting } => {
                if !self.is_seen_anyway(entry, origin, setting) {
                    self.add_notes(new, notes);
                }
            }
            Event::CompactWanted => {
                self.turn.compacting_since = Some(entry.at);
                self.add_notes(new, notes);
            }
            Event::Compacted { summary, usage, .. } => {
                self.turn.compacting_since = None;
                self.context_tokens = usage.output;
                if resumes_chat(&self.state) {
                    return self.add_notes(new, notes);
                }
                let heading = notes.into_iter().map(|note| note.text).collect();
                self.add(new, ItemContent::Summary { heading, text: summary.clone() });
            }
            Event::Rewound { to } => {
                if *to == Seq::START {
                    self.context_tokens = 0;
                }
                self.add_notes(new, notes);
            }
            Event::Attached { .. } => {
                for EventNote { text, .. } in notes {
                    self.add(new, ItemContent::Attachment { text });
                }
            }
            Event::Said { kind, text, .. } => self.begin_item(new, *kind, text),
            Event::Piece { text, .. } => self.continue_item(entry, text),
            Event::ItemEnded { cut, .. } => self.end_item(entry.seq, *cut),
            Event::Retrying { attempt, wait_ms, .. } => {
                let at = UnixMillis(entry.at.0.saturating_add(*wait_ms));
                self.turn.retry = Some(PendingRetry { attempt: *attempt, at });
                self.add_notes(new, notes);
            }
            Event::FellBack { .. } => {
                self.turn.retry = None;
                self.add_notes(new, notes);
            }
            Event::Checkpointed(checkpoint) => self.add_checkpoint(new, checkpoint, notes),
            Event::StepEnded { usage, .. } => {
                self.turn.retry = None;
                self.turn.add_usage(usage);
                // A command's step asks no model: what the next call is told is what it was.
                if !self.stats.is_command_turn() {
                    self.context_tokens = usage.prompt + usage.output + usage.thoughts;
                }
                self.add_notes(new, notes);
            }
            Event::Spent { usage, .. } => self.turn.add_usage(usage),
            Event::TurnEnded { .. } => self.end_turn(new, entry, notes),
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Requeued { .. }
            | Event::Released
            | Event::Kept { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::TaskClosed { .. } => self.add_notes(new, notes),
            Event::TaskOpened { .. } | Event::Commanded { .. } | Event::AskKept { .. } | Event::Deferred { .. } => {}
            Event::Called { .. }
            | Event::Allowed { .. }
            | Event::Asked { .. }
            | Event::Answered { .. }
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::CallEnded { .. } => self.fold_call(entry, origin, notes),
        }
    }

    fn add(&mut self, new: &mut EntryItems, content: ItemContent) {
        self.tail.push(new.next_id(), new.at, true, content);
    }

    fn add_notes(&mut self, new: &mut EntryItems, notes: Vec<EventNote>) {
        for note in notes {
            self.add(new, ItemContent::Note { topic: note.topic, tone: note.tone, text: note.lines() });
        }
    }

    /// True if the reader has just set a mode while nothing runs: whatever shows the mode shows that. A mode in which
    /// nothing asks is worth a line all the same.
    fn is_seen_anyway(&self, entry: &Entry, origin: EntryOrigin, setting: &SessionSetting) -> bool {
        let SessionSetting::Mode(mode) = setting else { return false };
        ![*mode, self.state.mode].contains(&ApprovalMode::Yolo)
            && self.state.turn.is_none()
            && self.context(entry, origin).other_name().is_none()
    }

    fn begin_turn(&mut self, new: &mut EntryItems, prompt: PromptId) {
        self.turn.begin(new.at);
        let is_mine = self.own_prompts.remove(&prompt);
        if let Some(asked) = self.state.queue.iter().find(|waiting| waiting.id == prompt) {
            let content = ItemContent::Prompt {
                prompt,
                by: (!is_mine).then(|| client_name(&asked.by, &self.reader)),
                author: asked.by.clone(),
                text: asked.text.clone(),
                media: asked.media.iter().map(|file| file.name.clone()).collect(),
            };
            self.add(new, content);
        }
    }

    fn begin_item(&mut self, new: &mut EntryItems, kind: ItemKind, text: &str) {
        // A log that was cut may leave one open.
        self.end_item(new.seq, true);
        self.turn.retry = None;
        let id = new.next_id();
        let mut begun = StreamedText::default();
        begun.push(text, self.limits.text_bytes);
        match kind {
            ItemKind::Text => {
                self.open_text = Some(id);
                self.tail.push(id, new.at, false, ItemContent::Text { text: begun, cut: false });
            }
            ItemKind::Thought => {
                self.tail.push(id, new.at, false, ItemContent::Thought { text: begun, subjects: Vec::new() });
                self.open_thought = Some((id, ThoughtSubjects::default()));
                self.add_subjects(new.seq, text);
            }
        }
    }

    fn continue_item(&mut self, entry: &Entry, piece: &str) {
        let most = self.limits.text_bytes;
        if let Some((id, _)) = self.open_thought {
            self.tail.change(id, entry.seq, |item| {
                if let ItemContent::Thought { text, .. } = &mut item.content {
                    text.push(piece, most);
                }
            });
            self.add_subjects(entry.seq, piece);
        } else if let Some(id) = self.open_text {
            self.tail.change(id, entry.seq, |item| {
                if let ItemContent::Text { text, .. } = &mut item.content {
                    text.push(piece, most);
                }
            });
        }
    }

    fn add_subjects(&mut self, seq: Seq, piece: &str) {
        let Some((id, open)) = &mut self.open_thought else { return };
        let found: Vec<String> = open.add(piece).iter().map(|subject| one_line(subject, 200)).collect();
        if found.is_empty() {
            return;
        }
        self.tail.change(*id, seq, |item| {
            if let ItemContent::Thought { subjects, .. } = &mut item.content {
                let room = MOST_SUBJECTS.saturating_sub(subjects.len());
                subjects.extend(found.into_iter().take(room));
            }
        });
    }

    /// The text or thought that streams is over.
    fn end_item(&mut self, seq: Seq, is_cut: bool) {
        if let Some((id, open)) = self.open_thought.take() {
            let first = open.end().map(|first| one_line(first, 200));
            let is_blank = self.tail.get(id).is_none_or(
                |item| matches!(&item.content, ItemContent::Thought { text, .. } if text.text.trim().is_empty()),
            );
            if is_blank {
                return self.tail.remove(id, seq);
            }
            self.tail.change(id, seq, |item| {
                item.settled = true;
                if let ItemContent::Thought { subjects, .. } = &mut item.content {
                    subjects.extend(first);
                }
            });
        }
        if let Some(id) = self.open_text.take() {
            self.tail.change(id, seq, |item| {
                item.settled = true;
                if let ItemContent::Text { cut, .. } = &mut item.content {
                    *cut = is_cut;
                }
            });
        }
    }

    fn add_checkpoint(&mut self, new: &mut EntryItems, checkpoint: &WorkspaceCheckpoint, notes: Vec<EventNote>) {
        let command = self.state.turn.as_ref().and_then(|turn| turn.command.as_deref());
        // A command that the person typed is their own change.
        let is_own = command == Some(BuiltInCommand::Shell.name());
        if checkpoint.saved.is_ok() && !is_own && self.turn.way_back == WayBack::Nothing {
            self.turn.way_back = WayBack::Owed;
        }
        if !self.open_calls.contains(&checkpoint.call) {
            return self.add_notes(new, notes);
        }
        for EventNote { tone, text, .. } in notes {
            self.remark_on_call(checkpoint.call, new.seq, tone, text, None);
        }
        self.change_call(checkpoint.call, new.seq, |call| call.is_saved_before = checkpoint.saved.is_ok());
    }

    fn end_turn(&mut self, new: &mut EntryItems, entry: &Entry, notes: Vec<EventNote>) {
        // A log that was cut may leave these open; nothing goes on after the turn.
        self.end_item(entry.seq, true);
        while let Some(call) = self.open_calls.last().copied() {
            self.end_call(call, entry, None);
        }
        self.add_notes(new, notes);
        if self.turn.way_back == WayBack::Owed {
            self.turn.way_back = WayBack::Told;
            self.add_notes(new, vec![describe_way_back()]);
        }
        self.todos = None;
        let (usage, worked_ms) = self.turn.end(entry.at);
        if let Some(text) = describe_turn_usage(&usage, worked_ms) {
            self.add(new, ItemContent::Note { topic: NoteTopic::Usage, tone: NoteTone::Info, text });
        }
    }
}
