//! A server that is our child and speaks over its pipes.

use super::{DisconnectCause, EntryConnector, McpConnection, StartDeadline, initialize};
use crate::mcp::client_handler::McpClientHandler;
use crate::mcp::connection_error::McpConnectionError;
use crate::mcp::meter::{MeteredLines, TrafficMeter};
use crate::mcp::plain_text::to_plain_line;
use crate::process::start_program;
use parking_lot::Mutex;
use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    deadline: StartDeadline,
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
    match deadline.limit(initialize(client, transport)).await {
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
pub(super) struct StderrTail {
    kept: Arc<Mutex<Vec<u8>>>,
    reading: AbortOnDropHandle<()>,
}

impl StderrTail {
    fn listen(mut errors: pipe::Receiver) -> StderrTail {
        let kept = Arc::<Mutex<Vec<u8>>>::default();
        let filled = Arc::clone(&kept);
        let reading = AbortOnDropHandle::new(tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(len @ 1..) = errors.read(&mut buffer).await {
                let mut kept = filled.lock();
                kept.extend_from_slice(&buffer[..len]);
                let excess = kept.len().saturating_sub(MAX_WORDS);
                kept.drain(..excess);
            }
        }));
        StderrTail { kept, reading }
    }

    /// Once the program is gone: the last lines that it printed, as one.
    pub(super) async fn collected(self) -> String {
        // Whatever came by then is shown.
        let _ = timeout(STDERR_TIMEOUT, self.reading).await;
        last_lines(&self.kept.lock())
    }
}

/// The last whole lines of `printed` that fit, without sequences for a terminal. Of a last line that is too long, its end.
fn last_lines(printed: &[u8]) -> String {
    let text = String::from_utf8_lossy(printed);
    let text = pollux_session::plain(&text);
    let lines = text.lines().map(|line| to_plain_line(line, usize::MAX)).filter(|line| !line.is_empty());
    let mut shown = String::new();
    for line in lines.collect::<Vec<_>>().into_iter().rev() {
        let more = if shown.is_empty() { line } else { format!("{line} ⏎ {shown}") };
        match more.chars().count().checked_sub(SHOWN_WORDS) {
            None | Some(0) => shown = more,
            Some(excess) if shown.is_empty() => return more.chars().skip(excess).collect(),
            Some(_) => break,
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{SHOWN_WORDS, last_lines};
    use pretty_assertions::assert_eq;

    #[test]
    fn whole_lines_are_shown_without_what_acts_on_a_terminal() {
        assert_eq!(
            last_lines(b"Traceback:\n  File \"a.py\"\n\x1b[31mError\x1b[0m: no\x07\n\n"),
            "Traceback: ⏎ File \"a.py\" ⏎ Error: no"
        );
        let trace: String = (0..100).map(|at| format!("line {at} of a trace\n")).collect();
        let shown = last_lines(trace.as_bytes());
        assert!(shown.starts_with("line ") && shown.ends_with("line 99 of a trace"), "{shown}");
        assert!(shown.chars().count() <= SHOWN_WORDS, "{shown}");
        assert_eq!(last_lines("é".repeat(SHOWN_WORDS + 9).as_bytes()), "é".repeat(SHOWN_WORDS));
        assert_eq!(last_lines(b" \n"), "");
    }
}
