//! Everything the loop waits for, in order of urgency: the person comes first.

use super::Screen;
use super::errands::Done;
use super::outbox::Sent;
use crate::screen::input::Input;
use pollux_session::{Notice, Notices, ReadError, Seq};
use std::io;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// What the loop woke up for.
pub(super) enum Woken {
    Input(Option<io::Result<Input>>),
    Entries(Result<Seq, ReadError>),
    Sent(Box<Sent>),
    Done(Done),
    Notice(Option<Notice>),
    Console(Option<Notice>),
    Time,
    Look,
}

impl Screen {
    pub(super) async fn woken(&mut self, next: Instant, look: Instant) -> Woken {
        let waits_for_receipt = self.outbox.is_busy();
        tokio::select! {
            biased;
            input = self.keyboard.next() => Woken::Input(input),
            sent = self.outbox.next(), if waits_for_receipt => Woken::Sent(Box::new(sent)),
            Some(done) = self.done.recv() => Woken::Done(done),
            // Whose an entry is, its receipt tells; it comes first.
            changed = self.seat.changed(self.app.cursor()), if !waits_for_receipt => Woken::Entries(changed),
            notice = next_notice(&mut self.notices) => Woken::Notice(notice),
            notice = next_line(&mut self.console) => Woken::Console(notice),
            () = sleep_until(look) => Woken::Look,
            () = sleep_until(next) => Woken::Time,
        }
    }
}

async fn next_notice(notices: &mut Option<Box<dyn Notices>>) -> Option<Notice> {
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
