//! Everything a command prints, sent to its three places in bounded memory.

use super::escape_sequences::SequenceBuffer;
use super::live::{LiveOutputBuffer, PieceKind};
use super::output_file::{OutputFile, OutputFileKey, OutputFileWriter};
use super::renderer::{OutputRenderer, RenderedOutput};
use super::utf8::Utf8Decoder;
use super::whole::WholeOutput;
use super::{LOGGED_HEAD, OutputSpool, OutputStore, ToolCallContext};
use pollux_session::{BlobRef, CallId};
use std::sync::Arc;
use tokio::time::Instant;

/// Takes a command's output as it comes.
pub(crate) struct OutputCapture<'a> {
    out: &'a mut dyn ToolCallContext,
    decoder: Utf8Decoder,
    sequences: SequenceBuffer,
    live: LiveOutputBuffer,
    screen: OutputRenderer,
    whole: WholeOutput<Box<dyn OutputSpool>>,
    /// What `screen` has shown so far.
    shown: WholeOutput<OutputFileWriter>,
}

/// The output that is kept when the command is over.
pub(crate) struct CollectedOutput {
    /// The text for the model: what a terminal would show.
    pub(crate) text: String,
    /// True if it leaves something out.
    pub(crate) cut: bool,
    /// The file that leaves nothing out, then.
    pub(crate) file: Option<OutputFile>,
    /// All of it, when the log does not hold all of it.
    pub(crate) whole: Option<BlobRef>,
}

impl<'a> OutputCapture<'a> {
    /// A collector whose text for the model is what is shown on `screen`.
    pub(crate) fn new(
        out: &'a mut dyn ToolCallContext,
        store: Arc<dyn OutputStore>,
        call: CallId,
        screen: OutputRenderer,
    ) -> Self {
        let (decoder, sequences, live) =
            (Utf8Decoder::default(), SequenceBuffer::default(), LiveOutputBuffer::default());
        let key = OutputFileKey { session: out.session(), call };
        let blobs = Arc::clone(&store);
        let whole = WholeOutput::new(LOGGED_HEAD, move || blobs.spool());
        let shown = WholeOutput::new(LOGGED_HEAD, move || OutputFileWriter::create(store.as_ref(), key));
        OutputCapture { out, decoder, sequences, live, screen, whole, shown }
    }

    /// Take what was printed next.
    pub(crate) async fn take(&mut self, bytes: &[u8]) {
        self.whole.push(bytes).await;
        let text = self.sequences.push(self.decoder.push(bytes));
        self.screen.push(&text);
        self.shown.push(self.screen.take_shown().as_bytes()).await;
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
        self.send_piece(PieceKind::Next).await;
    }

    async fn send_piece(&mut self, piece: PieceKind) {
        if let Some((text, skipped)) = self.live.next_piece(piece) {
            let began = Instant::now();
            self.out.send(text, skipped).await;
            self.live.sent(began);
        }
    }

    /// The number of bytes printed so far.
    pub(crate) fn len(&self) -> u64 {
        self.whole.len()
    }

    /// Send what is left, and close.
    pub(crate) async fn finish(mut self) -> CollectedOutput {
        let rest = self.sequences.push(self.decoder.finish()) + &self.sequences.finish();
        self.screen.push(&rest);
        self.live.push(&rest);
        while self.due().is_some() {
            self.send_piece(PieceKind::Last).await;
        }
        // Bytes that are no text take more room in the log than they had, so even short output may not fit.
        if self.live.has_gaps() {
            self.whole.spool().await;
        }
        let RenderedOutput { text, cut, rest } = self.screen.finish(self.whole.len());
        self.shown.push(rest.as_bytes()).await;
        let file = match cut {
            true => {
                self.shown.spool().await;
                self.shown.finish(|file| Ok(file.finish())).await
            }
            false => None,
        };
        let whole = self.whole.finish(|spool| spool.finish("text/plain")).await;
        CollectedOutput { text, cut, file, whole }
    }
}
