//! What the model should do instead of what it asks for: words that go with a no.

use crate::screen::overlay::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use crate::screen::overlay::text_area::{TextArea, TextAreaMode};
use crate::screen::overlay::unmodified_key;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;

/// How many lines of it are on the screen at once.
const ROWS: u16 = 4;

/// What a person writes, and has not sent yet.
#[derive(Debug)]
pub(super) struct InsteadField(TextArea);

/// What a key came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InsteadOutcome {
    /// The text has changed, or the key means nothing here.
    Stay,
    /// Back to the options; what was written is kept.
    Back,
    /// There is nothing to send.
    Empty,
    /// Decline, and tell the model this.
    Send(String),
}

impl Default for InsteadField {
    fn default() -> InsteadField {
        InsteadField(TextArea::new(TextAreaMode::MultiLine, ""))
    }
}

impl InsteadField {
    pub(super) fn written(&self) -> String {
        self.0.text().trim().to_owned()
    }

    pub(super) fn insert(&mut self, text: &str) {
        self.0.insert(text);
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> InsteadOutcome {
        let breaks = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc | KeyCode::Tab | KeyCode::BackTab => return InsteadOutcome::Back,
            KeyCode::Enter if !breaks => {
                let text = self.written();
                return if text.is_empty() { InsteadOutcome::Empty } else { InsteadOutcome::Send(text) };
            }
            KeyCode::Enter => self.0.insert("\n"),
            KeyCode::Char('j') if unmodified_key(key) != key.code => self.0.insert("\n"),
            _ => {
                self.0.key(key);
            }
        }
        InsteadOutcome::Stay
    }

    pub(super) fn hints() -> Vec<String> {
        ["Enter declines and sends it", "Esc back"].map(str::to_owned).to_vec()
    }

    /// Draw it below the options. Returns the cursor and the lines that it takes.
    pub(super) fn draw(&self, width: u16, foot: &mut LineBuilder<'_>) -> (Option<Position>, (usize, usize)) {
        let theme = foot.theme();
        foot.words_in(INDENT, INDENT, theme.text, "what the model should do instead:");
        let above = foot.len();
        let picture = self.0.render(GUTTER, GUTTER_ON, width, ROWS, theme);
        foot.add(picture.lines);
        let below = u16::try_from(above).unwrap_or(u16::MAX);
        let cursor = picture.cursor.map(|Position { x, y }| Position { x, y: y.saturating_add(below) });
        (cursor, (above, foot.len()))
    }
}
