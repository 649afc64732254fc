//! Everything a command prints, sent to its three places in bounded memory.

use super::live::{Live, Piece};
use super::screen::{Rendered, Screen};
use super::sequences::Sequences;
use super::utf8::Decoder;
use super::whole::Whole;
use super::{Output, OutputKeeper};
use pollux_session::BlobRef;
use std::sync::Arc;
use tokio::time::Instant;

/// Takes a command's output as it comes.
pub(crate) struct Capture<'a> {
    out: &'a mut dyn Output,
    decoder: Decoder,
    sequences: Sequences,
    live: Live,
    screen: Screen,
    whole: Whole,
}

/// What is left of the output when the command is over.
pub(crate) struct Captured {
    /// What the model is told of it: what a terminal would show.
    pub(crate) text: String,
    /// Whether that leaves something out.
    pub(crate) cut: bool,
    /// All of it, when the log does not hold all of it.
    pub(crate) whole: Option<BlobRef>,
}

impl<'a> Capture<'a> {
    /// What is shown on `screen` is what the model is told.
    pub(crate) fn new(out: &'a mut dyn Output, keeper: Arc<dyn OutputKeeper>, screen: Screen) -> Self {
        let (decoder, sequences, live) = (Decoder::default(), Sequences::default(), Live::default());
        Capture { out, decoder, sequences, live, screen, whole: Whole::new(keeper) }
    }

    /// Take what was printed next.
    pub(crate) async fn take(&mut self, bytes: &[u8]) {
        self.whole.push(bytes).await;
        let text = self.sequences.push(self.decoder.push(bytes));
        self.screen.push(&text);
        self.live.push(&text);
        if self.due().is_some_and(|due| due <= Instant::now()) {
            self.send().await;
        }
    }

    /// When the next piece may be sent; `None` while there is none.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.live.due()
    }

    /// Send the next piece.
    pub(crate) async fn send(&mut self) {
        self.send_piece(Piece::Next).await;
    }

    async fn send_piece(&mut self, piece: Piece) {
        if let Some((text, skipped)) = self.live.next_piece(piece) {
            let began = Instant::now();
            self.out.send(text, skipped).await;
            self.live.sent(began);
        }
    }

    /// How many bytes were printed so far.
    pub(crate) fn len(&self) -> u64 {
        self.whole.len()
    }

    /// Send what is left, and close.
    pub(crate) async fn finish(mut self) -> Captured {
        let rest = self.sequences.push(self.decoder.finish()) + &self.sequences.finish();
        self.screen.push(&rest);
        self.live.push(&rest);
        while self.due().is_some() {
            self.send_piece(Piece::Last).await;
        }
        // Bytes that are no text take more room in the log than they had, so even short output may not fit.
        if self.live.has_gaps() {
            self.whole.spool().await;
        }
        let Rendered { text, cut } = self.screen.finish(self.whole.len());
        Captured { text, cut, whole: self.whole.finish().await }
    }
}
