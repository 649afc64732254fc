//! A stream written as an `async` block: no task is spawned, so dropping the stream drops the work.

use crate::error::ModelError;
use crate::model::ModelChunk;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use std::future::Future;
use tokio::sync::mpsc;

/// The most chunks that may wait for a slow reader before the work pauses.
const AHEAD: usize = 16;

/// Where the work puts its chunks.
pub(crate) struct ChunkSender(mpsc::Sender<Result<ModelChunk, ModelError>>);

impl ChunkSender {
    /// Hand over one chunk, waiting while the reader is behind.
    pub(crate) async fn chunk(&self, chunk: ModelChunk) {
        // The receiver lives in the same stream as this work: it cannot be gone while the work runs.
        let _ = self.0.send(Ok(chunk)).await;
    }
}

/// The chunks `work` emits; its error, if any, is the last item.
pub(crate) fn stream<F, W>(work: F) -> BoxStream<'static, Result<ModelChunk, ModelError>>
where
    F: FnOnce(ChunkSender) -> W,
    W: Future<Output = Result<(), ModelError>> + Send + 'static,
{
    let (sender, mut receiver) = mpsc::channel(AHEAD);
    let work = work(ChunkSender(sender.clone()));
    let driver = async move {
        if let Err(error) = work.await {
            let _ = sender.send(Err(error)).await;
        }
    };
    let silent = driver.into_stream().filter_map(|()| std::future::ready(None));
    let chunks = stream::poll_fn(move |context| receiver.poll_recv(context));
    stream::select(chunks, silent).boxed()
}
