//! Items of the view become blocks.

use super::TranscriptView;
use super::block::{NoteStyle, THOUGHT, TranscriptBlock};
use super::call::{CallAppearance, SettledCall};
use super::margin::DetailLevel;
use super::printed_output::{OutputRetention, PrintedOutput};
use crate::sanitize::one_line;
use pollux_session::{
    CallId, CallView, ItemContent, NoteTone, NoteTopic, SessionView, StreamedText, ViewChanges, ViewItem, ViewItemId,
};
use std::cmp::Reverse;
use std::sync::Arc;

/// How the note about prompts begins that do not start by themselves.
const HELD_PROMPTS: &str = "held in the queue";

/// A call that is not over.
#[derive(Debug)]
pub(super) struct OpenCall {
    /// Everything it printed, as far as it is kept here.
    pub(super) output: PrintedOutput,
    /// The number of its block. A call that had others made has none of its own.
    pub(super) block: Option<usize>,
}

/// A text or a thought of which more may come.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenItem {
    id: ViewItemId,
    /// The number of a text's block.
    block: usize,
    /// Bytes of a text, or subjects of a thought, that are in blocks.
    drawn: u64,
}

impl TranscriptView {
    /// Draw what has changed since the entry that was drawn last.
    pub(super) fn draw_changes(&mut self, view: &SessionView) {
        let seen = std::mem::replace(&mut self.drawn, view.state().head);
        let mut items = match view.changes_since(seen) {
            ViewChanges::Since { items, .. } => items,
            ViewChanges::Gap => view.items().filter(|item| item.revision > seen).cloned().collect(),
        };
        // Calls that end together end from the inside out: how a call ends is said below what it had made.
        let is_over = |item: &ViewItem| item.settled && item.content.as_call().is_some();
        items.sort_by_key(|item| if is_over(item) { (0, Reverse(item.id.seq.0)) } else { (1, Reverse(0)) });
        for item in &items {
            self.draw_item(view, item);
        }
    }

    fn draw_item(&mut self, view: &SessionView, item: &Arc<ViewItem>) {
        // Files and conversation go back one after the other, and each says so.
        match &item.content {
            ItemContent::Note { topic: NoteTopic::Context, text, .. } => {
                if self.newest_context_note.replace(text.clone()).as_ref() == Some(text) {
                    return;
                }
            }
            // As long as they are held, the lines above the composer say so, and what can be done.
            ItemContent::Note { topic: NoteTopic::NextStep, text, .. }
                if self.detail == DetailLevel::Collapsed
                    && text.starts_with(HELD_PROMPTS)
                    && view.state().held().next().is_some() =>
            {
                return;
            }
            ItemContent::Prompt { .. } | ItemContent::Text { .. } | ItemContent::Summary { .. } => {
                self.newest_context_note = None;
            }
            ItemContent::Thought { .. }
            | ItemContent::Call(_)
            | ItemContent::Note { .. }
            | ItemContent::Attachment { .. } => {}
        }
        match &item.content {
            ItemContent::Prompt { by, text, media, .. } => self.draw_prompt(by.as_deref(), text, media),
            ItemContent::Text { text, cut } => self.draw_text(item, text, *cut),
            ItemContent::Thought { text, subjects } => self.draw_thought(item, text, subjects),
            ItemContent::Call(call) => self.draw_call(view, item, call),
            ItemContent::Note { tone, text, .. } => self.note(*tone, text),
            ItemContent::Attachment { text } => self.aside(text.clone()),
            ItemContent::Summary { heading, text } => {
                let (sign, role) = ("≡ ", NoteStyle::Accent);
                self.add(TranscriptBlock::Note { sign, role, text: heading.clone() });
                self.add(TranscriptBlock::Summary(text.clone()));
                self.note(NoteTone::Info, "/uncompress takes it back");
            }
        }
    }

    fn draw_prompt(&mut self, by: Option<&str>, text: &str, media: &[String]) {
        // A command that the person runs themselves looks as it was typed.
        let (sign, text) = match text.strip_prefix("/shell ") {
            Some(command) => ("! ", command),
            None => ("> ", text),
        };
        let mark = by.map_or_else(|| sign.to_owned(), |name| format!("[{name}] {sign}"));
        self.add(TranscriptBlock::Prompt { mark, text: text.to_owned() });
        for name in media {
            self.aside(format!("@{}", one_line(name, 200)));
        }
    }

    /// A line without a sign, below what it belongs to.
    fn aside(&mut self, text: String) {
        self.add(TranscriptBlock::Note { sign: "  ", role: NoteStyle::Tone(NoteTone::Info), text });
    }

    fn draw_text(&mut self, item: &ViewItem, text: &StreamedText, is_cut: bool) {
        let mut open = match self.text.filter(|open| open.id == item.id) {
            Some(open) => open,
            None => {
                let block = self.next_block();
                self.add(TranscriptBlock::Text(Box::default()));
                OpenItem { id: item.id, block, drawn: 0 }
            }
        };
        if let Some(at) = open.block.checked_sub(self.returned_blocks)
            && let Some(TranscriptBlock::Text(block)) = self.blocks.get_mut(at)
        {
            block.push(text.after(open.drawn));
            match (item.settled, is_cut) {
                (false, _) => {}
                (true, true) => block.cut(),
                (true, false) => block.end(),
            }
        }
        open.drawn = text.end();
        self.text = Some(open).filter(|_| !item.settled);
    }

    fn draw_thought(&mut self, item: &ViewItem, text: &StreamedText, subjects: &[String]) {
        match self.detail {
            DetailLevel::Collapsed => {
                let open = self.thought.filter(|open| open.id == item.id);
                let drawn = open.map_or(0, |open| open.drawn);
                for subject in subjects.iter().skip(usize::try_from(drawn).unwrap_or(usize::MAX)) {
                    let (sign, role) = (THOUGHT, NoteStyle::Tone(NoteTone::Info));
                    self.add(TranscriptBlock::Note { sign, role, text: subject.clone() });
                }
                self.thought = Some(OpenItem { id: item.id, block: 0, drawn: subjects.len() as u64 });
            }
            DetailLevel::Expanded if !item.settled => {}
            DetailLevel::Expanded => self.add(TranscriptBlock::Thought(text.text.trim().to_owned())),
        }
    }

    fn draw_call(&mut self, view: &SessionView, item: &Arc<ViewItem>, call: &CallView) {
        if !self.calls.contains_key(&call.call) {
            if let Some(parent) = call.parent {
                self.split_call(view, parent);
            }
            let retention = match self.detail {
                DetailLevel::Collapsed => OutputRetention::Tail,
                DetailLevel::Expanded => OutputRetention::All,
            };
            let block = Some(self.next_block());
            self.calls.insert(call.call, OpenCall { output: PrintedOutput::new(retention), block });
            self.add(TranscriptBlock::Call(call.call));
        }
        if let Some(open) = self.calls.get_mut(&call.call) {
            open.output.follow(&call.output);
        }
        if item.settled {
            self.end_call(item, call.call);
        }
    }

    /// A call has another one made: its line so far is settled, and how it ends is said below what it had made.
    fn split_call(&mut self, view: &SessionView, id: CallId) {
        let Some(number) = self.calls.get_mut(&id).and_then(|open| open.block.take()) else { return };
        let block = number.checked_sub(self.returned_blocks).and_then(|at| self.blocks.get_mut(at));
        if let Some((block, item)) = block.zip(view.call_item(id)) {
            let output = PrintedOutput::new(OutputRetention::Tail);
            let call = SettledCall { item: item.clone(), output, zone: self.zone.clone() };
            *block = TranscriptBlock::EndedCall { call: Box::new(call), appearance: CallAppearance::Started };
        }
    }

    fn end_call(&mut self, item: &Arc<ViewItem>, id: CallId) {
        let Some(OpenCall { mut output, block }) = self.calls.remove(&id) else { return };
        output.end();
        let call = Box::new(SettledCall { item: item.clone(), output, zone: self.zone.clone() });
        let done = TranscriptBlock::EndedCall { call, appearance: CallAppearance::Ended };
        match block.and_then(|number| self.blocks.get_mut(number.checked_sub(self.returned_blocks)?)) {
            Some(block) => *block = done,
            None => self.add(done),
        }
    }

    fn next_block(&self) -> usize {
        self.returned_blocks + self.blocks.len()
    }
}
