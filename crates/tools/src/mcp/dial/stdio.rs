//! A server that is our child and speaks over its pipes.

use super::{Cause, Connection, Line, shake_hands};
use crate::mcp::client::Client;
use crate::mcp::failure::Failure;
use crate::mcp::meter::{Meter, MeteredLines};
use crate::mcp::plain::plain_line;
use crate::process::start_program;
use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// How much is kept of what a program prints to standard error.
const MAX_WORDS: usize = 2_000;
/// The most characters of it that are shown.
const SHOWN_WORDS: usize = 500;
/// How long the end of it is awaited: a process of the program's own may hold it open.
const PATIENCE: Duration = Duration::from_millis(500);

pub(super) async fn dial(line: &Line, command: &str, client: Client) -> Result<Connection, Failure> {
    let config = &line.config;
    let program = start_program(command, &config.args, &config.env, &directory_of(line), &line.untrusted)
        .await
        .map_err(|error| Failure::Start { command: command.to_owned(), why: error.to_string() })?;
    let meter = Meter::new(&line.limits);
    let cause = Cause { words: Some(LastWords::listen(program.errors)), ..Cause::new(meter.clone()) };
    let lines = MeteredLines::new(program.output, meter);
    // The meter ends the connection at a line that is too long, so the transport's own limit is never met.
    let transport = AsyncRwTransport::<RoleClient, _, _>::new(lines, program.input).with_max_line_length(usize::MAX);
    match shake_hands(client, transport).await {
        Ok(running) => Ok(Connection { running, cause, _processes: Some(program.group) }),
        Err(failure) => {
            drop(program.group);
            Err(cause.explain(failure).await)
        }
    }
}

/// Where the program runs. Many look for their own parts in the directory they are started in, so it is none that nobody
/// trusts.
fn directory_of(line: &Line) -> PathBuf {
    let is_untrusted = |directory: &Path| {
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        line.untrusted.iter().any(|untrusted| directory.starts_with(untrusted) || real.starts_with(untrusted))
    };
    let own = line.config.cwd.as_ref().map(|own| line.directory.join(own));
    own.filter(|own| !is_untrusted(own)).unwrap_or_else(|| line.directory.clone())
}

/// The end of what a program prints to standard error.
pub(super) struct LastWords(AbortOnDropHandle<Vec<u8>>);

impl LastWords {
    fn listen(mut errors: pipe::Receiver) -> LastWords {
        LastWords(AbortOnDropHandle::new(tokio::spawn(async move {
            let mut kept = Vec::new();
            let mut buffer = [0; 4096];
            while let Ok(len @ 1..) = errors.read(&mut buffer).await {
                kept.extend_from_slice(&buffer[..len]);
                kept.drain(..kept.len().saturating_sub(MAX_WORDS));
            }
            kept
        })))
    }

    /// Once the program is gone: what it said last, on one line.
    pub(super) async fn collected(self) -> String {
        let Ok(Ok(kept)) = timeout(PATIENCE, self.0).await else { return String::new() };
        let words = plain_line(&String::from_utf8_lossy(&kept), usize::MAX);
        let skipped = words.chars().count().saturating_sub(SHOWN_WORDS);
        words.chars().skip(skipped).collect()
    }
}
