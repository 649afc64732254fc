//! A server that is our child and speaks over its pipes.

use super::{DisconnectCause, EntryConnector, McpConnection, initialize};
use crate::mcp::client_handler::McpClientHandler;
use crate::mcp::connection_error::McpConnectionError;
use crate::mcp::meter::{MeteredLines, TrafficMeter};
use crate::mcp::plain_text::to_plain_line;
use crate::process::start_program;
use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// The most that is kept of a program's standard error.
const MAX_WORDS: usize = 2_000;
/// The most characters of it that are shown.
const SHOWN_WORDS: usize = 500;
/// The wait for its end: a process of the program's own may hold it open.
const STDERR_TIMEOUT: Duration = Duration::from_millis(500);

pub(super) async fn connect(
    line: &EntryConnector,
    command: &str,
    client: McpClientHandler,
) -> Result<McpConnection, McpConnectionError> {
    let config = &line.config;
    let program = start_program(command, &config.args, &config.env, &directory_of(line), &line.untrusted)
        .await
        .map_err(|error| McpConnectionError::Start { command: command.to_owned(), why: error.to_string() })?;
    let meter = TrafficMeter::new(&line.limits);
    let cause =
        DisconnectCause { stderr: Some(StderrTail::listen(program.errors)), ..DisconnectCause::new(meter.clone()) };
    let lines = MeteredLines::new(program.output, meter);
    // The meter ends the connection at a line that is too long, so the transport's own limit is never met.
    let transport = AsyncRwTransport::<RoleClient, _, _>::new(lines, program.input).with_max_line_length(usize::MAX);
    match initialize(client, transport).await {
        Ok(running) => Ok(McpConnection { running, cause, _processes: Some(program.group) }),
        Err(failure) => {
            drop(program.group);
            Err(cause.explain(failure).await)
        }
    }
}

/// Where the program runs. Many look for their own parts in the directory they are started in, so it is none that nobody
/// trusts.
fn directory_of(line: &EntryConnector) -> PathBuf {
    let is_untrusted = |directory: &Path| {
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        line.untrusted.iter().any(|untrusted| directory.starts_with(untrusted) || real.starts_with(untrusted))
    };
    let own = line.config.cwd.as_ref().map(|own| line.directory.join(own));
    own.filter(|own| !is_untrusted(own)).unwrap_or_else(|| line.directory.clone())
}

/// The end of what a program prints to standard error.
pub(super) struct StderrTail(AbortOnDropHandle<Vec<u8>>);

impl StderrTail {
    fn listen(mut errors: pipe::Receiver) -> StderrTail {
        StderrTail(AbortOnDropHandle::new(tokio::spawn(async move {
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
        let Ok(Ok(kept)) = timeout(STDERR_TIMEOUT, self.0).await else { return String::new() };
        let words = to_plain_line(&String::from_utf8_lossy(&kept), usize::MAX);
        let skipped = words.chars().count().saturating_sub(SHOWN_WORDS);
        words.chars().skip(skipped).collect()
    }
}
