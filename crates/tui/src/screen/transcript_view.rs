//! The transcript: entries become blocks, blocks become lines. What can never change again leaves through
//! [`TranscriptView::finished`], for the terminal's own scrollback; the rest is drawn anew in each frame.

mod block;
mod call;
mod diff;
mod draw_items;
mod margin;
mod printed_output;
mod record;
mod snapshot;

#[cfg(test)]
mod tests;

pub(crate) use snapshot::TranscriptSnapshot;

use super::theme::Theme;
use crate::sanitize::one_line;
use block::{BlockKind, TranscriptBlock};
use call::{CallAppearance, CallDrawing};
use draw_items::{OpenCall, OpenItem};
use jiff::tz::TimeZone;
use margin::DetailLevel;
use pollux_session::{
    CallId, CallProgress, CallView, Entry, EntryOrigin, NoteTone, Notice, NoticeLevel, Seq, SessionView, UnixMillis,
};
use ratatui::text::Line;
use record::{TranscriptRecord, TranscriptRecords};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Everything that happened, as a person reads it.
#[derive(Debug)]
pub(crate) struct TranscriptView {
    detail: DetailLevel,
    /// Where the person is: times are told in their time.
    zone: TimeZone,
    /// Blocks that were not returned yet, oldest first.
    blocks: VecDeque<TranscriptBlock>,
    /// How many blocks were returned.
    returned_blocks: usize,
    /// What was returned last.
    above: Option<BlockKind>,
    /// Calls that are not over.
    calls: BTreeMap<CallId, OpenCall>,
    /// True if a dialog shows the calls that ask, so that they have no lines here.
    asks_in_dialog: bool,
    /// The text that streams.
    text: Option<OpenItem>,
    /// The newest thought.
    thought: Option<OpenItem>,
    /// What was said about the model's knowledge since anybody said anything.
    newest_context_note: Option<String>,
    /// The newest entry of which everything is in blocks.
    drawn: Seq,
    records: TranscriptRecords,
}

impl TranscriptView {
    pub(crate) fn new() -> TranscriptView {
        TranscriptView::with_detail(DetailLevel::Collapsed, TimeZone::system())
    }

    /// Tell the time of this zone, wherever the person is.
    #[cfg(test)]
    pub(super) fn set_zone(&mut self, zone: TimeZone) {
        self.zone = zone;
    }

    fn with_detail(detail: DetailLevel, zone: TimeZone) -> TranscriptView {
        TranscriptView {
            detail,
            zone,
            blocks: VecDeque::new(),
            returned_blocks: 0,
            above: None,
            calls: BTreeMap::new(),
            asks_in_dialog: false,
            text: None,
            thought: None,
            newest_context_note: None,
            drawn: Seq::START,
            records: TranscriptRecords::default(),
        }
    }

    /// What the program says before anything happened.
    pub(crate) fn greet(&mut self, lines: Vec<String>) {
        self.records.keep(TranscriptRecord::Greeting(lines.clone()));
        self.blocks.push_back(TranscriptBlock::Greeting(lines));
    }

    /// Draw what one more entry has changed. Called after `view.apply(entry)`.
    pub(crate) fn apply(&mut self, view: &SessionView, entry: &Arc<Entry>, whose: EntryOrigin) {
        self.records.set_seat(view.reader());
        self.records.keep(TranscriptRecord::Entry(entry.clone(), whose));
        self.draw_changes(view);
    }

    /// Something on the console of whoever holds the session.
    pub(crate) fn notice(&mut self, notice: &Notice) {
        let tone = match notice.level {
            NoticeLevel::Debug | NoticeLevel::Info => NoteTone::Info,
            NoticeLevel::Warn => NoteTone::Warn,
            NoticeLevel::Error => NoteTone::Bad,
        };
        self.say(tone, one_line(&notice.text, 2_000));
    }

    /// Something this terminal says by itself.
    pub(crate) fn say(&mut self, tone: NoteTone, text: String) {
        self.records.keep(TranscriptRecord::Note(tone, text.clone()));
        self.blocks.push_back(TranscriptBlock::note(tone, text));
    }

    /// Lines that will never change, in order. Each is returned once.
    pub(crate) fn finished(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        while let Some(block) = self.blocks.front_mut() {
            let (kind, is_settled, has_begun) = (block.kind(), block.is_settled(), block.has_begun());
            let drawn = block.take_finished(self.detail, width, theme);
            if !drawn.is_empty() {
                if !has_begun && kind.has_gap_below(self.above) {
                    lines.push(Line::default());
                }
                self.above = Some(kind);
                lines.extend(drawn);
            }
            if !is_settled {
                break;
            }
            self.blocks.pop_front();
            self.returned_blocks += 1;
        }
        lines
    }

    /// What may still change: running and waiting calls, the text that streams. At most `height` lines, the newest. Calls
    /// share the room, and the first line of each stays in sight as long as any other line can go.
    pub(crate) fn live(
        &self,
        view: &SessionView,
        width: u16,
        height: u16,
        theme: &Theme,
        now: UnixMillis,
    ) -> Vec<Line<'static>> {
        let height = usize::from(height);
        let rows = height / self.calls.len().max(1);
        self.unfinished_lines(view, width, height, theme, CallAppearance::Live { now, rows })
    }

    /// Set whether a dialog shows the calls that ask.
    pub(crate) fn set_asks_in_dialog(&mut self, are_in_dialog: bool) {
        self.asks_in_dialog = are_in_dialog;
    }

    /// Everything so far, to be read at any width.
    pub(crate) fn snapshot(&self) -> TranscriptSnapshot {
        TranscriptSnapshot { records: self.records.clone(), zone: self.zone.clone() }
    }

    /// The newest lines of what was not returned, at most `most`. Of what is older, only calls are looked at.
    fn unfinished_lines(
        &self,
        view: &SessionView,
        width: u16,
        most: usize,
        theme: &Theme,
        look: CallAppearance,
    ) -> Vec<Line<'static>> {
        let call_lines = |id: &CallId| {
            let is_told_elsewhere = |call: &CallView| self.asks_in_dialog && call.progress == CallProgress::Asking;
            let drawing = self.calls.get(id).zip(view.call_view(*id).filter(|call| !is_told_elsewhere(call)));
            drawing.map_or_else(Vec::new, |(OpenCall { output, .. }, call)| {
                CallDrawing { call, output, zone: &self.zone }.lines(look, self.detail, width, theme)
            })
        };
        // Each line, and whether it is the first one of a call; the newest first.
        let mut lines: Vec<(Line<'static>, bool)> = Vec::new();
        let call_group = |id: &CallId| call_lines(id).into_iter().enumerate().map(|(at, line)| (line, at == 0));
        // Calls that had others made stand below everything else until they are over.
        let parted = self.calls.iter().rev().filter(|(_, open)| open.block.is_none());
        for (id, _) in parted {
            lines.extend(call_group(id).rev());
        }
        for (at, block) in self.blocks.iter().enumerate().rev() {
            let mut group: Vec<(Line<'static>, bool)> = match block {
                TranscriptBlock::Call(id) => call_group(id).collect(),
                _ if lines.len() >= most => continue,
                other => other.lines(self.detail, width, theme).into_iter().map(|line| (line, false)).collect(),
            };
            let above = at.checked_sub(1).map_or(self.above, |above| self.blocks.get(above).map(TranscriptBlock::kind));
            if !group.is_empty() && !block.has_begun() && block.kind().has_gap_below(above) {
                group.insert(0, (Line::default(), false));
            }
            lines.extend(group.into_iter().rev());
        }
        // The oldest lines go, first those that are not the only one to say what runs.
        let mut surplus = lines.len().saturating_sub(most);
        let mut kept: Vec<Line<'static>> = Vec::new();
        let heads = lines.iter().filter(|(_, is_head)| *is_head).count();
        let mut surplus_heads = heads.saturating_sub(most);
        for (line, is_head) in lines.into_iter().rev() {
            let left_out = if is_head { &mut surplus_heads } else { &mut surplus };
            match left_out.checked_sub(1) {
                Some(fewer) => *left_out = fewer,
                None => kept.push(line),
            }
        }
        kept
    }

    fn add(&mut self, block: TranscriptBlock) {
        self.blocks.push_back(block);
    }

    fn note(&mut self, tone: NoteTone, text: impl Into<String>) {
        self.add(TranscriptBlock::note(tone, text));
    }
}
