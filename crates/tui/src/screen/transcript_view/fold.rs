//! What each event adds to the transcript or changes in it.

use super::block::{NoteStyle, THOUGHT, TextBlock, TranscriptBlock};
use super::call::CallProgress;
use super::turn_clock::TurnClock;
use super::{OpenThought, PendingRetry, TranscriptView};
use crate::sanitize::one_line;
use crate::seat_view::SeatView;
use pollux_session::{
    AnswerEdit, ApprovalMode, CallId, Entry, EntryContext, EntryOrigin, Event, EventNote, ItemKind, ModelUsage,
    NoteTone, PromptId, SessionSetting, ThoughtSubjects, UnixMillis, client_name, describe_answers, describe_entry,
    describe_turn_usage,
};
use std::sync::Arc;

mod answer;
mod calls;

impl TranscriptView {
    /// Take one more entry, seen from the view just before it.
    pub(super) fn fold(&mut self, view: &SeatView, entry: &Arc<Entry>, whose: EntryOrigin) {
        let context = view.context(entry, whose);
        match &entry.event {
            // A prompt is drawn where its answer begins; until then it is in the queue.
            Event::TaskOpened { .. } | Event::Prompted { .. } => {}
            Event::TurnStarted { prompt, .. } => self.turn_started(view, *prompt, entry.at),
            // The status line shows what the person has just set; a mode in which nothing asks is worth a line all the same.
            Event::Set { setting: SessionSetting::Mode(mode) }
                if ![*mode, view.state.mode].contains(&ApprovalMode::Yolo)
                    && view.state.turn.is_none()
                    && context.by_whom().is_empty() => {}
            Event::CompactWanted => {
                self.compacting_since = Some(entry.at);
                self.notes(&context);
            }
            Event::Compacted { summary, .. } => self.compacted(&context, summary),
            Event::Attached { .. } => {
                for EventNote { text, .. } in describe_entry(&context) {
                    self.add(TranscriptBlock::Note { sign: "  ", role: NoteStyle::Tone(NoteTone::Info), text });
                }
            }
            Event::Said { kind: ItemKind::Text, text, .. } => {
                self.retry = None;
                self.answer.clone_from(text);
                let mut block = TextBlock::default();
                block.push(text);
                self.text = Some(self.returned_blocks + self.blocks.len());
                self.add(TranscriptBlock::Text(Box::new(block)));
            }
            Event::Said { kind: ItemKind::Thought, text, .. } => {
                self.retry = None;
                let mut thought = OpenThought::default();
                self.think(&mut thought, text);
                self.thought = Some(thought);
            }
            Event::Piece { text, .. } => match self.thought.take() {
                Some(mut thought) => {
                    self.think(&mut thought, text);
                    self.thought = Some(thought);
                }
                None => {
                    self.answer.push_str(text);
                    if let Some(block) = self.open_text() {
                        block.push(text);
                    }
                }
            },
            Event::ItemEnded { cut, .. } => self.item_ended(*cut),
            Event::Retrying { attempt, wait_ms, .. } => {
                self.retry =
                    Some(PendingRetry { attempt: *attempt, at: UnixMillis(entry.at.0.saturating_add(*wait_ms)) });
                self.notes(&context);
            }
            Event::FellBack { .. } => {
                self.retry = None;
                self.notes(&context);
            }
            Event::Checkpointed(checkpoint) => self.checkpointed(&context, checkpoint.call),
            Event::StepEnded { usage, .. } => {
                self.retry = None;
                add_usage(&mut self.turn_usage, usage);
                self.notes(&context);
            }
            Event::Spent { usage, .. } => add_usage(&mut self.turn_usage, usage),
            Event::TurnEnded { .. } => self.turn_ended(&context),
            Event::Opened(_)
            | Event::Equipped(_)
            | Event::Set { .. }
            | Event::Unqueued { .. }
            | Event::Requeued { .. }
            | Event::Released
            | Event::Rewound { .. }
            | Event::Kept { .. }
            | Event::NotCompacted { .. }
            | Event::Uncompacted
            | Event::TaskClosed { .. } => self.notes(&context),
            Event::Commanded { .. } | Event::AskKept { .. } => {}
            Event::Called { .. }
            | Event::Allowed { .. }
            | Event::Asked { .. }
            | Event::Answered { .. }
            | Event::CallStarted { .. }
            | Event::Output { .. }
            | Event::CallEnded { .. } => self.fold_call(view, entry, whose),
        }
    }

    fn turn_started(&mut self, view: &SeatView, prompt: PromptId, at: UnixMillis) {
        self.turn_clock = Some(TurnClock::start(at));
        self.subject = None;
        self.turn_usage = ModelUsage::default();
        if let Some(asked) = view.state.queue.iter().find(|waiting| waiting.id == prompt) {
            // A command that the person runs themselves looks as it was typed.
            let (sign, text) = match asked.text.strip_prefix("/shell ") {
                Some(command) => ("! ", command),
                None => ("> ", asked.text.as_str()),
            };
            let mark = if view.is_mine(prompt) {
                sign.into()
            } else {
                format!("[{}] {sign}", client_name(&asked.by, &view.me))
            };
            self.add(TranscriptBlock::Prompt { mark, text: text.to_owned() });
            for file in &asked.media {
                let text = format!("@{}", one_line(&file.name, 200));
                self.add(TranscriptBlock::Note { sign: "  ", role: NoteStyle::Tone(NoteTone::Info), text });
            }
        }
    }

    fn think(&mut self, thought: &mut OpenThought, piece: &str) {
        let subjects = thought.subjects.add(piece);
        if let Some(newest) = subjects.last() {
            self.subject = Some(newest.clone());
        }
        match self.detail {
            super::DetailLevel::Collapsed => {
                subjects.iter().for_each(|subject| self.thought_line(&one_line(subject, 200)));
            }
            super::DetailLevel::Expanded => thought.text.push_str(piece),
        }
    }

    fn thought_line(&mut self, text: &str) {
        self.add(TranscriptBlock::Note { sign: THOUGHT, role: NoteStyle::Tone(NoteTone::Info), text: text.to_owned() });
    }

    fn item_ended(&mut self, cut: bool) {
        if let Some(thought) = self.thought.take() {
            match self.detail {
                super::DetailLevel::Collapsed => {
                    if let Some(line) = ThoughtSubjects::end(&thought.subjects).map(|first| one_line(first, 200)) {
                        self.subject.get_or_insert_with(|| line.clone());
                        self.thought_line(&line);
                    }
                }
                super::DetailLevel::Expanded if thought.text.trim().is_empty() => {}
                super::DetailLevel::Expanded => self.add(TranscriptBlock::Thought(thought.text.trim().to_owned())),
            }
        } else if let Some(block) = self.open_text() {
            if cut { block.cut() } else { block.end() }
        }
    }

    fn open_text(&mut self) -> Option<&mut TextBlock> {
        let at = self.text?.checked_sub(self.returned_blocks)?;
        match self.blocks.get_mut(at) {
            Some(TranscriptBlock::Text(text)) if text.is_streaming() => Some(text),
            _ => None,
        }
    }

    /// What is said about an entry.
    fn notes(&mut self, context: &EntryContext<'_>) {
        for note in describe_entry(context) {
            self.note(note.tone, note.lines());
        }
    }

    fn compacted(&mut self, context: &EntryContext<'_>, summary: &str) {
        self.compacting_since = None;
        for EventNote { text, .. } in describe_entry(context) {
            self.add(TranscriptBlock::Note { sign: "≡ ", role: NoteStyle::Accent, text });
        }
        self.add(TranscriptBlock::Summary(summary.to_owned()));
        self.note(NoteTone::Info, "/uncompress takes it back");
    }

    fn checkpointed(&mut self, context: &EntryContext<'_>, call: CallId) {
        for EventNote { tone, text, .. } in describe_entry(context) {
            match self.call(call) {
                Some(state) => state.remarks.push((tone, text)),
                None => self.note(tone, text),
            }
        }
    }

    fn turn_ended(&mut self, context: &EntryContext<'_>) {
        // A log that was cut may leave these open; nothing goes on after the turn.
        if let Some(text) = self.open_text() {
            text.cut();
        }
        while let Some((id, _)) = self.calls.last_key_value() {
            let id = *id;
            self.call_ended(id, None);
        }
        (self.thought, self.retry, self.subject) = (None, None, None);
        self.notes(context);
        let spent = std::mem::take(&mut self.turn_usage);
        let worked = self.turn_clock.take().map(|clock| clock.worked_ms(context.entry.at));
        if let Some(words) = describe_turn_usage(&spent, worked) {
            self.note(NoteTone::Info, words);
        }
    }
}

fn add_usage(sum: &mut ModelUsage, usage: &ModelUsage) {
    sum.prompt += usage.prompt;
    sum.cached += usage.cached;
    sum.output += usage.output;
    sum.thoughts += usage.thoughts;
}
