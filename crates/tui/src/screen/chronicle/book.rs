//! Everything so far, from the beginning, with every call opened: for a page that is read at any width.

use super::Chronicle;
use super::block::Block;
use super::call::Look;
use super::paint::{Detail, Tone};
use super::record::{Record, Records};
use crate::screen::theme::Theme;
use crate::view::View;
use jiff::tz::TimeZone;
use ratatui::text::Line;

/// Everything that happened up to a moment. What it holds is shared, not copied.
pub(crate) struct Book {
    pub(super) records: Records,
    pub(super) zone: TimeZone,
}

impl Book {
    /// All of it, from the beginning, with every call opened.
    pub(crate) fn opened(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut again = Chronicle::with(Detail::Opened, self.zone.clone());
        let mut view = View::new(self.records.me().clone());
        if self.records.is_cut() {
            again.blocks.push_back(Block::note(Tone::Warn, "what was before this is too long ago to be kept here"));
        }
        for record in self.records.iter() {
            match record {
                Record::Greeting(lines) => again.blocks.push_back(Block::Greeting(lines.clone())),
                Record::Said(tone, text) => again.blocks.push_back(Block::note(*tone, text.clone())),
                Record::Entry(entry, whose) => {
                    again.fold(&view, entry, *whose);
                    view.apply(entry, *whose);
                }
            }
        }
        let mut lines = again.finished(width, theme);
        lines.extend(again.open_lines(width, usize::MAX, theme, Look::Over));
        lines
    }
}
