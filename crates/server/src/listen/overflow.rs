//! Connections that get no slot, or have lost theirs before they asked for anything: told so and closed, without ever holding
//! up the accept loop.

use crate::gate::GateDenial;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

const REJECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The most bytes of their request that are still read, so that closing does not reset the answer away.
const MAX_DISCARDED_BYTES: u64 = 64 * 1024;
/// The most bytes from clients that are not waited for any longer.
const LAST_BYTES: usize = 4 * 1024;

/// Turns connections away.
pub(super) struct OverflowResponder {
    /// Ends the waiting for the latest ones, the oldest first.
    leaving: Mutex<VecDeque<CancellationToken>>,
    most_leaving: usize,
    reply: Arc<str>,
}

impl OverflowResponder {
    /// So many may be on their way out at once; beyond it the one that has had the longest time is closed.
    pub(super) fn new(most_leaving: usize) -> OverflowResponder {
        OverflowResponder { leaving: Mutex::default(), most_leaving, reply: reply().into() }
    }

    /// Answers 503 and closes, in the background.
    pub(super) fn reject_connection(&self, stream: TcpStream) {
        let (reply, hurry) = (Arc::clone(&self.reply), self.join_leaving());
        tokio::spawn(async move {
            // A client that does not take its answer in time goes without.
            let _ = timeout(REJECT_TIMEOUT, reject(stream, &reply, hurry)).await;
        });
    }

    fn join_leaving(&self) -> CancellationToken {
        let hurry = CancellationToken::new();
        let mut leaving = self.leaving.lock();
        leaving.push_back(hurry.clone());
        if leaving.len() > self.most_leaving
            && let Some(oldest) = leaving.pop_front()
        {
            oldest.cancel();
        }
        hurry
    }
}

/// The reply fits into the empty buffer of a connection that has just come. Then the client may take its time to send a request
/// and to close, unless there is a hurry.
async fn reject(mut stream: TcpStream, reply: &str, hurry: CancellationToken) -> io::Result<()> {
    stream.write_all(reply.as_bytes()).await?;
    stream.shutdown().await?;
    let (mut discarded, mut sink) = ((&mut stream).take(MAX_DISCARDED_BYTES), tokio::io::sink());
    tokio::select! {
        biased;
        copied = tokio::io::copy(&mut discarded, &mut sink) => copied.map(drop),
        () = hurry.cancelled() => stream.try_read(&mut [0; LAST_BYTES]).map(drop),
    }
}

/// The whole response, written without a request having been read.
fn reply() -> String {
    let denied = GateDenial::Busy;
    let body = denied.body();
    let headers: String = denied
        .headers()
        .iter()
        .map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap_or_default()))
        .collect();
    format!("HTTP/1.1 {}\r\n{headers}content-length: {}\r\n\r\n{body}", denied.status(), body.len())
}
