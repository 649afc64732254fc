//! Everything so far, from the beginning, with every call opened: for a page that is read at any width.

use super::TranscriptView;
use super::block::TranscriptBlock;
use super::call::CallAppearance;
use super::margin::DetailLevel;
use super::record::{TranscriptRecord, TranscriptRecords};
use crate::screen::theme::Theme;
use jiff::tz::TimeZone;
use pollux_session::{NoteTone, SessionView};
use ratatui::text::Line;

/// Everything that happened up to a moment. What it holds is shared, not copied.
pub(crate) struct TranscriptSnapshot {
    pub(super) records: TranscriptRecords,
    pub(super) zone: TimeZone,
}

impl TranscriptSnapshot {
    /// All of it, from the beginning, with every call opened.
    pub(crate) fn expanded_lines(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut again = TranscriptView::with_detail(DetailLevel::Expanded, self.zone.clone());
        let mut view = SessionView::new(self.records.me().clone());
        if self.records.is_cut() {
            again.blocks.push_back(TranscriptBlock::note(
                NoteTone::Warn,
                "what was before this is too long ago to be kept here",
            ));
        }
        for record in self.records.iter() {
            match record {
                TranscriptRecord::Greeting(lines) => again.blocks.push_back(TranscriptBlock::Greeting(lines.clone())),
                TranscriptRecord::Note(tone, text) => {
                    again.blocks.push_back(TranscriptBlock::note(*tone, text.clone()));
                }
                TranscriptRecord::Entry(entry, whose) => {
                    view.apply(entry, *whose);
                    again.draw_changes(&view);
                }
            }
        }
        let mut lines = again.finished(width, theme);
        lines.extend(again.unfinished_lines(&view, width, usize::MAX, theme, CallAppearance::Ended));
        lines
    }
}
