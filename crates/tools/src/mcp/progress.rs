//! A server's news on the progress of a call, as live output of the call: not too often, not too much.

use super::plain_text::to_plain_line;
use crate::output::ToolCallContext;
use rmcp::model::ProgressNotificationParam;
use std::time::Duration;
use tokio::time::Instant;

#[cfg(test)]
mod tests;

/// The time between two pieces of live output, at least.
const PACE: Duration = Duration::from_millis(100);
/// The longest line, in characters.
const LINE_CHARS: usize = 500;
/// The most bytes that wait for the next piece; the oldest lines go first.
const WAITING_BYTES: usize = 8 * 1024;
/// The most bytes of one call's progress that go to the log.
const LOGGED_BYTES: usize = 256 * 1024;

/// The progress of one call.
#[derive(Default)]
pub(super) struct ProgressOutput {
    /// Lines that are not shown yet, each with how far the call was. Handlers of a connection run side by side, so they
    /// may come in another order than the server sent them.
    waiting: Vec<(f64, String)>,
    newest: String,
    /// Bytes that were left out since the last piece.
    skipped: u64,
    logged: usize,
    shown_at: Option<Instant>,
}

impl ProgressOutput {
    pub(super) fn push(&mut self, progress: &ProgressNotificationParam) {
        let line = describe_progress(progress);
        if line == self.newest {
            return;
        }
        self.newest.clone_from(&line);
        self.waiting.push((progress.progress, line + "\n"));
        while self.waiting.iter().map(|(_, line)| line.len()).sum::<usize>() > WAITING_BYTES {
            self.skipped += self.waiting.remove(0).1.len() as u64;
        }
    }

    /// Resolves when something is to be shown; never while there is nothing.
    pub(super) async fn due(&self) {
        match self.shown_at {
            _ if self.waiting.is_empty() => std::future::pending().await,
            Some(shown_at) => tokio::time::sleep_until(shown_at + PACE).await,
            None => {}
        }
    }

    /// Show what waits.
    pub(super) async fn flush(&mut self, out: &mut dyn ToolCallContext) {
        self.waiting.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let text: String = self.waiting.drain(..).map(|(_, line)| line).collect();
        if text.is_empty() {
            return;
        }
        self.shown_at = Some(Instant::now());
        if self.logged + text.len() > LOGGED_BYTES {
            self.skipped += text.len() as u64;
            return;
        }
        self.logged += text.len();
        out.send(text, std::mem::take(&mut self.skipped)).await;
    }
}

/// The progress of a call, in words.
fn describe_progress(progress: &ProgressNotificationParam) -> String {
    let message = to_plain_line(progress.message.as_deref().unwrap_or_default(), LINE_CHARS);
    match (progress.total, message.is_empty()) {
        (Some(total), true) => format!("{} of {total}", progress.progress),
        (Some(total), false) => format!("{} of {total}: {message}", progress.progress),
        (None, true) => format!("step {}", progress.progress),
        (None, false) => message,
    }
}
