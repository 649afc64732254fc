//! What each event adds to the transcript or changes in it.

use super::block::{NoteStyle, THOUGHT, TextBlock, TranscriptBlock};
use super::call::CallProgress;
use super::turn_clock::TurnClock;
use super::{NoteTone, OpenThought, PendingRetry, TranscriptView};
use crate::render::{
    MARK_CHARS, by_whom, client_name, describe_answers, describe_compact_request, describe_declined,
    describe_early_stop, describe_held_queue, describe_kept_grant, describe_mode, describe_opening_grant,
    describe_reach, describe_rewind, describe_setting, format_duration, unread_words,
};
use crate::sanitize::one_line;
use crate::seat_view::{EntryOrigin, SeatView};
use crate::thought_subjects::ThoughtSubjects;
use pollux_session::{
    AnswerEdit, ApprovalMode, BuiltInCommand, CallId, Entry, EntryAuthor, Event, ItemKind, ModelUsage, PromptId,
    SHELL_ATTACHMENT, SessionSetting, TaskClosing, TurnOutcome, UnixMillis, WorkspaceCheckpoint,
};
use std::sync::Arc;

mod answer;
mod calls;

impl TranscriptView {
    /// Take one more entry, seen from the view just before it.
    pub(super) fn fold(&mut self, view: &SeatView, entry: &Arc<Entry>, whose: EntryOrigin) {
        let by = || by_whom(view, &entry.by, whose);
        match &entry.event {
            // A prompt is drawn where its answer begins; until then it is in the queue.
            Event::TaskOpened { .. } | Event::Prompted { .. } => {}
            Event::TurnStarted { prompt, .. } => self.turn_started(view, *prompt, entry.at),
            Event::Unqueued { prompt } => {
                let waiting = view.state.queue.iter().find(|waiting| waiting.id == *prompt);
                let text = one_line(waiting.map_or("", |waiting| &waiting.text), 200);
                self.note(NoteTone::Info, format!("taken out of the queue{}: {text}", by()));
            }
            Event::Requeued { text, .. } => {
                self.note(NoteTone::Info, format!("changed in the queue{}: {}", by(), one_line(text, 200)));
            }
            Event::Released => self.note(NoteTone::Info, format!("the queue goes on{}", by())),
            // The status line shows what the person has just set; a mode in which nothing asks is worth a line all the same.
            Event::Set { setting: SessionSetting::Mode(mode) }
                if ![*mode, view.state.mode].contains(&ApprovalMode::Yolo)
                    && view.state.turn.is_none()
                    && by().is_empty() => {}
            Event::Set { setting } => {
                let tone =
                    if *setting == SessionSetting::Mode(ApprovalMode::Yolo) { NoteTone::Warn } else { NoteTone::Info };
                self.note(tone, describe_setting(view, setting, &by()));
            }
            Event::Kept { grant, reach, failure } => {
                let tone = if failure.is_some() { NoteTone::Warn } else { NoteTone::Info };
                self.note(tone, describe_kept_grant(grant, *reach, failure.as_deref()));
            }
            Event::CompactWanted => {
                self.compacting_since = Some(entry.at);
                self.note(NoteTone::Info, describe_compact_request(view, &by()));
            }
            Event::Compacted { summary, usage, .. } => self.compacted(summary, usage),
            Event::NotCompacted { why } => self.note(NoteTone::Warn, format!("no summary was made: {why}")),
            Event::Uncompacted => {
                let words = "the newest summary was taken back";
                self.note(NoteTone::Info, format!("{words}{}: the model sees what it stood for", by()));
            }
            Event::Equipped(equipment) => {
                let before = &view.state.equipment.model;
                if !before.is_empty() && *before != equipment.model {
                    self.note(NoteTone::Info, format!("model: {}", one_line(&equipment.model, MARK_CHARS)));
                }
            }
            // What a command of the person's own printed is on the screen already.
            Event::Attached { name, .. } if name.starts_with(SHELL_ATTACHMENT) => {}
            Event::Attached { name, .. } => {
                let text = unread_words(name).unwrap_or_else(|| format!("{} was read", one_line(name, 200)));
                self.add(TranscriptBlock::Note { sign: "  ", role: NoteStyle::Tone(NoteTone::Info), text });
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
            Event::Retrying { reason, attempt, wait_ms } => {
                self.retry =
                    Some(PendingRetry { attempt: *attempt, at: UnixMillis(entry.at.0.saturating_add(*wait_ms)) });
                let wait = format_duration(*wait_ms);
                let words = format!("the model call failed: {reason}\ntrying again in {wait} (attempt {attempt})");
                self.note(NoteTone::Warn, words);
            }
            Event::FellBack { from, to, why } => {
                self.retry = None;
                let (from, to) = (one_line(from, MARK_CHARS), one_line(to, MARK_CHARS));
                self.note(NoteTone::Warn, format!("{why}\n{to} answers from now on; /model {from} goes back"));
            }
            Event::Rewound { to } => self.note(NoteTone::Info, describe_rewind(*to)),
            Event::Checkpointed(checkpoint) => self.checkpointed(view, checkpoint),
            Event::StepEnded { finish, usage, citations, .. } => {
                self.retry = None;
                add_usage(&mut self.turn_usage, usage);
                self.step_ended(finish, citations);
            }
            Event::Spent { usage, .. } => add_usage(&mut self.turn_usage, usage),
            Event::TurnEnded { outcome } => self.turn_ended(view, outcome, entry, whose),
            Event::TaskClosed { closing: TaskClosing::Cancelled, .. } => {
                self.note(NoteTone::Info, format!("task closed{}", by()));
            }
            Event::TaskClosed { closing: closing @ (TaskClosing::Completed | TaskClosing::Failed), .. } => {
                self.note(NoteTone::Info, format!("task closed: {}", closing.name()));
            }
            Event::Opened(opened) => {
                if opened.overrides.mode == Some(ApprovalMode::Yolo) {
                    self.note(NoteTone::Warn, describe_mode(ApprovalMode::Yolo, &by()));
                }
                for grant in &opened.overrides.grants {
                    self.note(NoteTone::Info, describe_opening_grant(grant, &by()));
                }
            }
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

    fn compacted(&mut self, summary: &str, usage: &ModelUsage) {
        self.compacting_since = None;
        let size = match (usage.prompt, usage.output) {
            (0, _) => String::new(),
            (before, after) => format!(" ({} tokens became {})", format_tokens(before), format_tokens(after)),
        };
        let text = format!("for the model, the conversation so far is this summary{size}:");
        self.add(TranscriptBlock::Note { sign: "≡ ", role: NoteStyle::Accent, text });
        self.add(TranscriptBlock::Summary(summary.to_owned()));
        self.note(NoteTone::Info, "/uncompress takes it back");
    }

    fn checkpointed(&mut self, view: &SeatView, checkpoint: &WorkspaceCheckpoint) {
        let name = one_line(&checkpoint.name, MARK_CHARS);
        let command = view.state.turn.as_ref().and_then(|turn| turn.command.as_deref());
        let remark = match &checkpoint.saved {
            // The person typed it themselves; `/restore` lists the checkpoint.
            Ok(_) if command == Some(BuiltInCommand::Shell.name()) => return,
            Ok(_) => (NoteTone::Info, format!("saved before it: /restore {name}")),
            Err(why) => (NoteTone::Warn, format!("no checkpoint {name} was made: {why}")),
        };
        match self.call(checkpoint.call) {
            Some(state) => state.remarks.push(remark),
            None => self.note(remark.0, remark.1),
        }
    }

    fn step_ended(&mut self, finish: &str, citations: &[String]) {
        if !citations.is_empty() {
            let sources: Vec<String> = citations.iter().map(|citation| one_line(citation, 500)).collect();
            self.note(NoteTone::Info, format!("sources:\n{}", sources.join("\n")));
        }
        if let Some(sentence) = describe_early_stop(finish) {
            self.note(NoteTone::Warn, sentence);
        }
    }

    fn turn_ended(&mut self, view: &SeatView, outcome: &TurnOutcome, entry: &Entry, whose: EntryOrigin) {
        // A log that was cut may leave these open; nothing goes on after the turn.
        if let Some(text) = self.open_text() {
            text.cut();
        }
        while let Some((id, _)) = self.calls.last_key_value() {
            let id = *id;
            self.call_ended(id, None);
        }
        (self.thought, self.retry, self.subject) = (None, None, None);
        match outcome {
            TurnOutcome::Rested if view.is_declined() => self.note(NoteTone::Info, describe_declined(view)),
            TurnOutcome::Rested => {}
            TurnOutcome::Cancelled => {
                self.note(NoteTone::Info, format!("cancelled{}", by_whom(view, &entry.by, whose)));
            }
            TurnOutcome::Failed { failure } => self.note(NoteTone::Bad, failure.message.clone()),
        }
        if let Some(held) = describe_held_queue(view, outcome) {
            self.note(NoteTone::Info, held);
        }
        let spent = std::mem::take(&mut self.turn_usage);
        let took = self.turn_clock.take().map(|clock| format_duration(clock.worked_ms(entry.at)));
        if spent != ModelUsage::default() {
            let cached = match spent.cached {
                0 => String::new(),
                cached => format!(" ({} cached)", format_tokens(cached)),
            };
            let (sent, received) = (format_tokens(spent.prompt), format_tokens(spent.output + spent.thoughts));
            let took = took.map(|took| format!(" · {took}")).unwrap_or_default();
            self.note(NoteTone::Info, format!("{sent} tokens sent{cached}, {received} received{took}"));
        }
    }
}

fn add_usage(sum: &mut ModelUsage, usage: &ModelUsage) {
    sum.prompt += usage.prompt;
    sum.cached += usage.cached;
    sum.output += usage.output;
    sum.thoughts += usage.thoughts;
}

/// `940`, `12.3k`, `1.2M`.
fn format_tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}
