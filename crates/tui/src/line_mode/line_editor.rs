//! The line a person is typing. It is drawn by this seat, so that it can be drawn again after others have printed.

use super::{ExitReason, InputSign, LineMode};
use crate::draw_list::TextStyle;
use crate::key_decoder::{LineKey, erase_letter, erase_word};
use std::time::Duration;
use tokio::io::AsyncWrite;
use tokio::time::Instant;
use unicode_width::UnicodeWidthStr;

/// The longest line that can be typed, in bytes.
const MAX_LINE: usize = 64 * 1024;

/// The time that a turn's output waits after the last key of a line that is typed meanwhile.
pub(super) const OUTPUT_HOLD: Duration = Duration::from_secs(5);

/// The sign of a line that is typed while a turn runs.
const RUNNING_SIGN: &str = "> ";

impl<W: AsyncWrite + Unpin> LineMode<W> {
    pub(super) async fn take_key_bytes(&mut self, bytes: &[u8]) -> Option<ExitReason> {
        for key in self.key_decoder.decode(bytes) {
            if let Some(ended) = self.take_key(key).await {
                return Some(ended);
            }
        }
        self.last_key_at = Some(Instant::now());
        None
    }

    async fn take_key(&mut self, key: LineKey) -> Option<ExitReason> {
        match key {
            LineKey::Text(text) if self.typed_line.len() + text.len() > MAX_LINE => {
                self.say(TextStyle::Warn, "that is too long for a line; put it in a file and name the file");
            }
            LineKey::Text(text) => {
                self.typed_line.push_str(&text);
                match self.sign {
                    Some(_) => self.writer.draw_typed(&text),
                    None => self.draw_typing(),
                }
            }
            LineKey::Backspace => self.shorten(erase_letter),
            LineKey::EraseWord => self.shorten(erase_word),
            LineKey::EraseLine => self.shorten(String::clear),
            LineKey::Enter => return self.enter().await,
            LineKey::End if self.typed_line.is_empty() => return self.end_input().await,
            LineKey::End => {}
        }
        None
    }

    async fn enter(&mut self) -> Option<ExitReason> {
        if self.sign.is_none() {
            if self.typed_line.is_empty() {
                return None;
            }
            self.draw_typing();
        }
        let line = std::mem::take(&mut self.typed_line);
        self.writer.end_typed_line();
        self.take_line(line).await
    }

    /// Draw the line where there is no sign for it.
    fn draw_typing(&mut self) {
        self.writer.draw_sign(RUNNING_SIGN);
        self.writer.draw_typed(&self.typed_line);
        self.sign = Some(InputSign::Typing);
    }

    fn shorten(&mut self, how: impl FnOnce(&mut String)) {
        let before = self.typed_line.width();
        how(&mut self.typed_line);
        let gone = before - self.typed_line.width();
        let Some(sign) = self.sign.filter(|_| gone > 0) else { return };
        if self.writer.erase(gone) {
            return;
        }
        // The terminal has broken the line, and the cursor does not go back up: it is drawn afresh.
        self.sign = None;
        if sign == InputSign::Typing {
            self.draw_typing();
        }
    }

    /// An ask comes in the way: no key that was pressed before may answer it.
    pub(super) fn set_line_aside(&mut self) {
        if !self.typed_line.is_empty() {
            self.interrupted_line = std::mem::take(&mut self.typed_line);
        }
    }

    /// Until when what others do is not drawn: a line is being typed in the middle of it.
    pub(super) fn hold_until(&self) -> Option<Instant> {
        let typing = self.sign == Some(InputSign::Typing) && !self.typed_line.is_empty();
        self.last_key_at.filter(|_| typing).map(|then| then + OUTPUT_HOLD)
    }
}
