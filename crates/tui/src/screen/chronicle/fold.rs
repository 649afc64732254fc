//! What each event adds to the transcript or changes in it.

use super::block::{Block, Role, THOUGHT, TextBlock};
use super::call::Phase;
use super::{Chronicle, OpenThought, Retry, Tone};
use crate::render::{
    DECLINED, MARK_CHARS, by_whom, compact_wanted_words, duration, forgotten, given, granted_words, held_after,
    kept_words, mode_words, name, reach_words, set_words, stopped_early, unread_words,
};
use crate::sanitize::one_line;
use crate::thought::Thought;
use crate::view::{View, Whose};
use pollux_session::{
    At, By, CallId, Checkpoint, Closing, Edit, Entry, Event, ItemKind, Mode, PromptId, Setting, TurnOutcome, Usage,
};
use std::sync::Arc;

mod answer;
mod calls;

impl Chronicle {
    /// Take one more entry, seen from the view just before it.
    pub(super) fn fold(&mut self, view: &View, entry: &Arc<Entry>, whose: Whose) {
        let by = || by_whom(view, &entry.by, whose);
        match &entry.event {
            // A prompt is drawn where its answer begins; until then it is in the queue.
            Event::TaskOpened { .. } | Event::Prompted { .. } => {}
            Event::TurnStarted { prompt, .. } => self.turn_started(view, *prompt, entry.at),
            Event::Unqueued { prompt } => {
                let waiting = view.state.queue.iter().find(|waiting| waiting.id == *prompt);
                let text = one_line(waiting.map_or("", |waiting| &waiting.text), 200);
                self.note(Tone::Info, format!("taken out of the queue{}: {text}", by()));
            }
            Event::Requeued { text, .. } => {
                self.note(Tone::Info, format!("changed in the queue{}: {}", by(), one_line(text, 200)));
            }
            Event::Released => self.note(Tone::Info, format!("the queue goes on{}", by())),
            // The status line shows what the person has just set; a mode in which nothing asks is worth a line all the same.
            Event::Set { setting: Setting::Mode(mode) }
                if *mode != Mode::Yolo && view.state.turn.is_none() && by().is_empty() => {}
            Event::Set { setting } => {
                let tone = if *setting == Setting::Mode(Mode::Yolo) { Tone::Warn } else { Tone::Info };
                self.note(tone, set_words(view, setting, &by()));
            }
            Event::Kept { grant, reach, failure } => {
                let tone = if failure.is_some() { Tone::Warn } else { Tone::Info };
                self.note(tone, kept_words(grant, *reach, failure.as_deref()));
            }
            Event::CompactWanted => {
                self.compacting_since = Some(entry.at);
                self.note(Tone::Info, compact_wanted_words(view, &by()));
            }
            Event::Compacted { summary, usage, .. } => self.compacted(summary, usage),
            Event::NotCompacted { why } => self.note(Tone::Warn, format!("no summary was made: {why}")),
            Event::Uncompacted => {
                let words = "the newest summary was taken back";
                self.note(Tone::Info, format!("{words}{}: the model sees what it stood for", by()));
            }
            Event::Equipped(equipment) => {
                let before = &view.state.equipment.model;
                if !before.is_empty() && *before != equipment.model {
                    self.note(Tone::Info, format!("model: {}", one_line(&equipment.model, MARK_CHARS)));
                }
            }
            // What a command of the person's own printed is on the screen already.
            Event::Attached { name, .. } if name.starts_with("! ") => {}
            Event::Attached { name, .. } => {
                let text = unread_words(name).unwrap_or_else(|| format!("{} was read", one_line(name, 200)));
                self.add(Block::Note { sign: "  ", role: Role::Tone(Tone::Info), text });
            }
            Event::Said { kind: ItemKind::Text, text, .. } => {
                self.retry = None;
                self.answer.clone_from(text);
                let mut block = TextBlock::default();
                block.push(text);
                self.text = Some(self.returned + self.blocks.len());
                self.add(Block::Text(Box::new(block)));
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
                self.retry = Some(Retry { attempt: *attempt, at: At(entry.at.0.saturating_add(*wait_ms)) });
                let wait = duration(*wait_ms);
                let words = format!("the model call failed: {reason}\ntrying again in {wait} (attempt {attempt})");
                self.note(Tone::Warn, words);
            }
            Event::FellBack { from, to, why } => {
                self.retry = None;
                let (from, to) = (one_line(from, MARK_CHARS), one_line(to, MARK_CHARS));
                self.note(Tone::Warn, format!("{why}\n{to} answers from now on; /model {from} goes back"));
            }
            Event::Rewound { to } => self.note(Tone::Info, forgotten(*to)),
            Event::Checkpointed(checkpoint) => self.checkpointed(checkpoint),
            Event::StepEnded { finish, usage, citations, .. } => {
                self.retry = None;
                add(&mut self.spent, usage);
                self.step_ended(finish, citations);
            }
            Event::Spent { usage, .. } => add(&mut self.spent, usage),
            Event::TurnEnded { outcome } => self.turn_ended(view, outcome, entry, whose),
            Event::TaskClosed { closing: Closing::Cancelled, .. } => {
                self.note(Tone::Info, format!("task closed{}", by()));
            }
            Event::TaskClosed { closing: closing @ (Closing::Completed | Closing::Failed), .. } => {
                self.note(Tone::Info, format!("task closed: {}", closing.name()));
            }
            Event::Opened(opened) => {
                if opened.overrides.mode == Some(Mode::Yolo) {
                    self.note(Tone::Warn, mode_words(Mode::Yolo, &by()));
                }
                for grant in &opened.overrides.grants {
                    self.note(Tone::Info, granted_words(grant, &by()));
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

    fn turn_started(&mut self, view: &View, prompt: PromptId, at: At) {
        self.turn_began = Some(at);
        self.subject = None;
        self.spent = Usage::default();
        if let Some(asked) = view.state.queue.iter().find(|waiting| waiting.id == prompt) {
            // A command that the person runs themselves looks as it was typed.
            let (sign, text) = match asked.text.strip_prefix("/shell ") {
                Some(command) => ("! ", command),
                None => ("> ", asked.text.as_str()),
            };
            let mark =
                if view.is_mine(prompt) { sign.into() } else { format!("[{}] {sign}", name(&asked.by, &view.me)) };
            self.add(Block::Prompt { mark, text: text.to_owned() });
            for file in &asked.media {
                let text = format!("@{}", one_line(&file.name, 200));
                self.add(Block::Note { sign: "  ", role: Role::Tone(Tone::Info), text });
            }
        }
    }

    fn think(&mut self, thought: &mut OpenThought, piece: &str) {
        let subjects = thought.subjects.add(piece);
        if let Some(newest) = subjects.last() {
            self.subject = Some(newest.clone());
        }
        match self.detail {
            super::Detail::Closed => subjects.iter().for_each(|subject| self.thought_line(&one_line(subject, 200))),
            super::Detail::Opened => thought.text.push_str(piece),
        }
    }

    fn thought_line(&mut self, text: &str) {
        self.add(Block::Note { sign: THOUGHT, role: Role::Tone(Tone::Info), text: text.to_owned() });
    }

    fn item_ended(&mut self, cut: bool) {
        if let Some(thought) = self.thought.take() {
            match self.detail {
                super::Detail::Closed => {
                    if let Some(line) = Thought::end(&thought.subjects).map(|first| one_line(first, 200)) {
                        self.subject.get_or_insert_with(|| line.clone());
                        self.thought_line(&line);
                    }
                }
                super::Detail::Opened if thought.text.trim().is_empty() => {}
                super::Detail::Opened => self.add(Block::Thought(thought.text.trim().to_owned())),
            }
        } else if let Some(block) = self.open_text() {
            if cut { block.cut() } else { block.end() }
        }
    }

    fn open_text(&mut self) -> Option<&mut TextBlock> {
        let at = self.text?.checked_sub(self.returned)?;
        match self.blocks.get_mut(at) {
            Some(Block::Text(text)) if text.is_streaming() => Some(text),
            _ => None,
        }
    }

    fn compacted(&mut self, summary: &str, usage: &Usage) {
        self.compacting_since = None;
        let size = match (usage.prompt, usage.output) {
            (0, _) => String::new(),
            (before, after) => format!(" ({} tokens became {})", tokens(before), tokens(after)),
        };
        let text = format!("for the model, the conversation so far is this summary{size}:");
        self.add(Block::Note { sign: "≡ ", role: Role::Accent, text });
        self.add(Block::Summary(summary.to_owned()));
        self.note(Tone::Info, "/uncompress takes it back");
    }

    fn checkpointed(&mut self, checkpoint: &Checkpoint) {
        let name = one_line(&checkpoint.name, MARK_CHARS);
        let remark = match &checkpoint.saved {
            Ok(_) => (Tone::Info, format!("saved before it: /restore {name}")),
            Err(why) => (Tone::Warn, format!("no checkpoint {name} was made: {why}")),
        };
        match self.call(checkpoint.call) {
            Some(state) => state.remarks.push(remark),
            None => self.note(remark.0, remark.1),
        }
    }

    fn step_ended(&mut self, finish: &str, citations: &[String]) {
        if !citations.is_empty() {
            let sources: Vec<String> = citations.iter().map(|citation| one_line(citation, 500)).collect();
            self.note(Tone::Info, format!("sources:\n{}", sources.join("\n")));
        }
        if let Some(sentence) = stopped_early(finish) {
            self.note(Tone::Warn, sentence);
        }
    }

    fn turn_ended(&mut self, view: &View, outcome: &TurnOutcome, entry: &Entry, whose: Whose) {
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
            TurnOutcome::Rested if view.is_declined() => self.note(Tone::Info, DECLINED),
            TurnOutcome::Rested => {}
            TurnOutcome::Cancelled => {
                self.note(Tone::Info, format!("cancelled{}", by_whom(view, &entry.by, whose)));
            }
            TurnOutcome::Failed { failure } => self.note(Tone::Bad, failure.message.clone()),
        }
        if let Some(held) = held_after(view, outcome) {
            self.note(Tone::Info, held);
        }
        let spent = std::mem::take(&mut self.spent);
        let took = self.turn_began.take().map(|began| duration(entry.at.0.saturating_sub(began.0)));
        if spent != Usage::default() {
            let cached = match spent.cached {
                0 => String::new(),
                cached => format!(" ({} cached)", tokens(cached)),
            };
            let (sent, received) = (tokens(spent.prompt), tokens(spent.output + spent.thoughts));
            let took = took.map(|took| format!(" · {took}")).unwrap_or_default();
            self.note(Tone::Info, format!("{sent} tokens sent{cached}, {received} received{took}"));
        }
    }
}

fn add(sum: &mut Usage, usage: &Usage) {
    sum.prompt += usage.prompt;
    sum.cached += usage.cached;
    sum.output += usage.output;
    sum.thoughts += usage.thoughts;
}

/// `940`, `12.3k`, `1.2M`.
fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}.{}k", count / 1_000, count % 1_000 / 100),
        _ => format!("{}.{}M", count / 1_000_000, count % 1_000_000 / 100_000),
    }
}
