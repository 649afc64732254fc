//! Connections beyond the cap: told so and closed, without ever holding up the accept loop.

use crate::gate::GateDenial;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// How many may be on their way out at once; the rest are told so and closed at once.
const MAX_REJECTING: usize = 64;
const REJECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How much of what they still send is read, so that closing does not reset the answer away.
const MAX_DISCARDED_BYTES: u64 = 64 * 1024;
/// The same for those who are not waited for.
const FIRST_BYTES: usize = 4 * 1024;

/// Turns connections away.
pub(super) struct OverflowResponder {
    slots: Arc<Semaphore>,
    reply: Arc<str>,
}

impl OverflowResponder {
    pub(super) fn new() -> OverflowResponder {
        OverflowResponder { slots: Arc::new(Semaphore::new(MAX_REJECTING)), reply: reply().into() }
    }

    /// Answers 503 and closes, in the background.
    pub(super) fn reject_connection(&self, stream: TcpStream) {
        let Ok(place) = Arc::clone(&self.slots).try_acquire_owned() else {
            // One whose request is not here yet may miss it; nobody can be waited for.
            let _ = reject_without_waiting(stream, &self.reply);
            return;
        };
        let reply = Arc::clone(&self.reply);
        tokio::spawn(async move {
            // A client that does not take its answer in time goes without.
            let _ = timeout(REJECT_TIMEOUT, reject(stream, &reply)).await;
            drop(place);
        });
    }
}

async fn reject(mut stream: TcpStream, reply: &str) -> io::Result<()> {
    stream.write_all(reply.as_bytes()).await?;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(MAX_DISCARDED_BYTES), &mut tokio::io::sink()).await?;
    Ok(())
}

/// Answers as far as that needs no wait: the reply fits into the empty buffer of a connection that has just come.
fn reject_without_waiting(stream: TcpStream, reply: &str) -> io::Result<()> {
    let mut stream = stream.into_std()?;
    stream.write_all(reply.as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
    // What has arrived is read, so that closing does not reset the answer away.
    stream.read(&mut [0; FIRST_BYTES]).map(drop)
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
