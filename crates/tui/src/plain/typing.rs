//! The line a person is typing. It is drawn by this seat, so that it can be drawn again after others have printed.

use super::{Ended, Plain, Sign};
use crate::keys::{Key, erase_letter, erase_word};
use crate::page::Style;
use std::time::Duration;
use tokio::io::AsyncWrite;
use tokio::time::Instant;
use unicode_width::UnicodeWidthStr;

/// The longest line that can be typed, in bytes.
const LONGEST: usize = 64 * 1024;

/// What a turn prints waits for so long after the last key of a line that is typed meanwhile.
pub(super) const HOLD: Duration = Duration::from_secs(5);

/// The sign of a line that is typed while a turn runs.
const WHILE_RUNNING: &str = "> ";

impl<W: AsyncWrite + Unpin> Plain<W> {
    pub(super) async fn pressed(&mut self, bytes: &[u8]) -> Option<Ended> {
        for key in self.keys.read(bytes) {
            if let Some(ended) = self.press(key).await {
                return Some(ended);
            }
        }
        self.newest_key = Some(Instant::now());
        None
    }

    async fn press(&mut self, key: Key) -> Option<Ended> {
        match key {
            Key::Text(text) if self.typing.len() + text.len() > LONGEST => {
                self.say(Style::Warn, "that is too long for a line; put it in a file and name the file");
            }
            Key::Text(text) => {
                self.typing.push_str(&text);
                match self.sign {
                    Some(_) => self.pen.typed(&text),
                    None => self.draw_typing(),
                }
            }
            Key::Backspace => self.shorten(erase_letter),
            Key::EraseWord => self.shorten(erase_word),
            Key::EraseLine => self.shorten(String::clear),
            Key::Enter => return self.enter().await,
            Key::End if self.typing.is_empty() => return self.no_more_lines().await,
            Key::End => {}
        }
        None
    }

    async fn enter(&mut self) -> Option<Ended> {
        if self.sign.is_none() {
            if self.typing.is_empty() {
                return None;
            }
            self.draw_typing();
        }
        let line = std::mem::take(&mut self.typing);
        self.pen.entered();
        self.typed(line).await
    }

    /// Draw the line where there is no sign for it.
    fn draw_typing(&mut self) {
        self.pen.sign(WHILE_RUNNING);
        self.pen.typed(&self.typing);
        self.sign = Some(Sign::Typing);
    }

    fn shorten(&mut self, how: impl FnOnce(&mut String)) {
        let before = self.typing.width();
        how(&mut self.typing);
        let gone = before - self.typing.width();
        let Some(sign) = self.sign.filter(|_| gone > 0) else { return };
        if self.pen.erase(gone) {
            return;
        }
        // The terminal has broken the line, and the cursor does not go back up: it is drawn afresh.
        self.sign = None;
        if sign == Sign::Typing {
            self.draw_typing();
        }
    }

    /// An ask comes in the way: no key that was pressed before may answer it.
    pub(super) fn set_aside(&mut self) {
        if !self.typing.is_empty() {
            self.aside = std::mem::take(&mut self.typing);
        }
    }

    /// Until when what others do is not drawn: a line is being typed in the middle of it.
    pub(super) fn holding(&self) -> Option<Instant> {
        let typing = self.sign == Some(Sign::Typing) && !self.typing.is_empty();
        self.newest_key.filter(|_| typing).map(|then| then + HOLD)
    }
}
