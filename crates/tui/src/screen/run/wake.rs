//! Everything the loop waits for, in order of urgency: the person comes first.

use super::Screen;
use super::effects::EffectResult;
use super::outbox::SentCommand;
use crate::screen::input::TerminalInput;
use pollux_session::{Notice, NoticeFeed, ReadError, Seq};
use std::io;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// What the loop woke up for.
pub(super) enum WakeReason {
    Input(Option<io::Result<TerminalInput>>),
    Entries(Result<Seq, ReadError>),
    Sent(Box<SentCommand>),
    EffectResult(EffectResult),
    Notice(Option<Notice>),
    Console(Option<Notice>),
    FrameDue,
    StatusDue,
}

impl Screen {
    pub(super) async fn next_wake(&mut self, next: Instant, look: Instant) -> WakeReason {
        let waits_for_receipt = self.outbox.is_busy();
        tokio::select! {
            biased;
            input = self.keyboard.next() => WakeReason::Input(input),
            sent = self.outbox.next(), if waits_for_receipt => WakeReason::Sent(Box::new(sent)),
            Some(done) = self.effect_results.recv() => WakeReason::EffectResult(done),
            // Whose an entry is, its receipt tells; it comes first.
            changed = self.seat.changed(self.app.cursor()), if !waits_for_receipt => WakeReason::Entries(changed),
            notice = next_notice(&mut self.notices) => WakeReason::Notice(notice),
            notice = next_line(&mut self.console) => WakeReason::Console(notice),
            () = sleep_until(look) => WakeReason::StatusDue,
            () = sleep_until(next) => WakeReason::FrameDue,
        }
    }
}

async fn next_notice(notices: &mut Option<Box<dyn NoticeFeed>>) -> Option<Notice> {
    match notices {
        Some(notices) => notices.next().await,
        None => std::future::pending().await,
    }
}

async fn next_line(console: &mut Option<mpsc::Receiver<Notice>>) -> Option<Notice> {
    match console {
        Some(console) => console.recv().await,
        None => std::future::pending().await,
    }
}
