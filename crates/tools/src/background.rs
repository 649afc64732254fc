//! Commands that go on after their call: each belongs to a session, prints to a log file, and ends with the last toolbox
//! that knows of it.

use crate::error::{FileOperation, ToolError};
use crate::output::{AFTER_EXIT, MAX_OUTPUT_FILE, OutputFileKey};
use crate::process::RunningProcess;
use crate::tool::run_blocking;
use lru::LruCache;
use parking_lot::{Mutex, MutexGuard};
use pollux_session::{CallId, SessionId};
use regex::Regex;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

/// The most processes of one session that run at once.
pub(crate) const MAX_RUNNING: usize = 16;
/// The most ended ones of all sessions that are remembered.
const MAX_ENDED: usize = 100;
/// The most sessions of which the first call is known beside those with a process that is listed.
const MAX_FIRST_CALLS: NonZeroUsize = NonZeroUsize::new(4096).unwrap();
/// The longest log. What is printed beyond it is lost, and the process goes on.
const MAX_LOG: u64 = MAX_OUTPUT_FILE;
/// The most bytes that are read of the end of a log.
const MAX_TAIL: u64 = 64 * 1024;
/// The time between two looks for a line that is waited for.
const SEARCH_INTERVAL: Duration = Duration::from_millis(100);
/// The wait for the last output of a process that is gone.
const SETTLE_LIMIT: Duration = Duration::from_secs(2);
/// The time that a process has to read what is sent to it.
const INPUT_LIMIT: Duration = Duration::from_secs(10);
/// The most bytes that one read takes from a process: the size of a pipe.
const READ_SIZE: usize = 64 * 1024;

/// Commands in the background that one toolbox hands on to the next: they end when nobody knows of them any more.
#[derive(Clone, Default)]
pub struct BackgroundProcesses(pub(crate) Arc<BackgroundRegistry>);

/// A command that runs in the background now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundCommand {
    /// The number of its process and of its group.
    pub pid: u32,
    /// The command, as it was given.
    pub command: String,
    pub started_at: SystemTime,
}

/// All processes in the background. Dropped, it ends them.
pub(crate) struct BackgroundRegistry {
    processes: Mutex<VecDeque<BackgroundProcess>>,
    /// The first call of each session that has started one, also when the process is forgotten.
    first_calls: Mutex<LruCache<SessionId, CallId>>,
}

struct BackgroundProcess {
    session: SessionId,
    call: CallId,
    handle: BackgroundProcessHandle,
    /// Dropped, it ends the process and all it started.
    _following: AbortOnDropHandle<()>,
}

/// A process as others see it.
#[derive(Clone)]
pub(crate) struct BackgroundProcessHandle {
    /// The number of the process and of its group.
    pub(crate) pid: u32,
    pub(crate) command: String,
    started_at: SystemTime,
    /// The file that its output goes to, which the model can open.
    pub(crate) path: PathBuf,
    log: Arc<File>,
    /// Its standard input; `None` once that has been closed, or if it has none.
    input: Arc<tokio::sync::Mutex<Option<pipe::Sender>>>,
    state: watch::Receiver<BackgroundProcessState>,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackgroundProcessState {
    Running,
    /// With what, if it could be told.
    Ended(Option<ExitStatus>),
}

impl fmt::Display for BackgroundProcessState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackgroundProcessState::Running => f.write_str("running"),
            BackgroundProcessState::Ended(None) => f.write_str("ended"),
            BackgroundProcessState::Ended(Some(status)) => match (status.code(), status.signal()) {
                (Some(code), _) => write!(f, "ended with exit code {code}"),
                (None, Some(signal)) => write!(f, "ended by signal {signal}"),
                (None, None) => f.write_str("ended"),
            },
        }
    }
}

impl Default for BackgroundRegistry {
    fn default() -> BackgroundRegistry {
        BackgroundRegistry { processes: Mutex::default(), first_calls: Mutex::new(LruCache::new(MAX_FIRST_CALLS)) }
    }
}

impl BackgroundRegistry {
    /// True if `session` may start another one.
    pub(crate) fn has_room(&self, session: SessionId) -> bool {
        self.processes_of(session).iter().filter(|process| process.state() == BackgroundProcessState::Running).count()
            < MAX_RUNNING
    }

    /// Let a command that the call of `key` has started go on by itself. What it prints goes to `log`.
    pub(crate) fn adopt(
        &self,
        OutputFileKey { session, call }: OutputFileKey,
        command: &str,
        mut running: RunningProcess,
        (log, path): (File, PathBuf),
    ) -> BackgroundProcessHandle {
        let pid = running.group.pid();
        let log = Arc::new(log);
        let input = Arc::new(tokio::sync::Mutex::new(running.input.take()));
        let (ended, state) = watch::channel(BackgroundProcessState::Running);
        let following = tokio::spawn(follow(running, Arc::clone(&log), ended));
        let seen = BackgroundProcessHandle {
            pid,
            command: command.to_owned(),
            started_at: SystemTime::now(),
            path,
            log,
            input,
            state,
        };
        let _following = AbortOnDropHandle::new(following);
        self.first_calls.lock().get_or_insert(session, || call);
        let mut processes = self.lock();
        processes.push_back(BackgroundProcess { session, call, handle: seen.clone(), _following });
        forget_oldest(&mut processes);
        seen
    }

    /// The processes of `session`, the oldest first.
    pub(crate) fn processes_of(&self, session: SessionId) -> Vec<BackgroundProcessHandle> {
        let processes = self.lock();
        processes.iter().filter(|process| process.session == session).map(|process| process.handle.clone()).collect()
    }

    /// The commands of `session` that run, the oldest first.
    pub(crate) fn running(&self, session: SessionId) -> Vec<BackgroundCommand> {
        let processes = self.processes_of(session).into_iter();
        let running = processes.filter(|process| process.state() == BackgroundProcessState::Running);
        running
            .map(|BackgroundProcessHandle { pid, command, started_at, .. }| BackgroundCommand {
                pid,
                command,
                started_at,
            })
            .collect()
    }

    /// Ask a command of `session` that runs, and all it has started, to end. Its end is told as if it had come by itself.
    pub(crate) fn stop(&self, session: SessionId, pid: u32) -> Option<BackgroundCommand> {
        let command = self.running(session).into_iter().find(|command| command.pid == pid)?;
        // It is not waited for before its state says so, and until then its number is nobody else's.
        let group = Pid::from_raw(pid.cast_signed())?;
        kill_process_group(group, Signal::TERM).ok()?;
        Some(command)
    }

    /// The first call of `session` that has started one here.
    pub(crate) fn first_call(&self, session: SessionId) -> Option<CallId> {
        let remembered = self.first_calls.lock().get(&session).copied();
        let processes = self.lock();
        let listed = processes.iter().filter(|process| process.session == session).map(|process| process.call);
        listed.chain(remembered).min()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<BackgroundProcess>> {
        // Nothing is done under the lock that could leave it half done.
        self.processes.lock()
    }
}

/// Forget the ended processes that are too many, the oldest first. Their logs stay.
fn forget_oldest(processes: &mut VecDeque<BackgroundProcess>) {
    let is_ended = |process: &BackgroundProcess| process.handle.state() != BackgroundProcessState::Running;
    let mut surplus = processes.iter().filter(|process| is_ended(process)).count().saturating_sub(MAX_ENDED);
    processes.retain(|process| {
        let forgotten = surplus > 0 && is_ended(process);
        surplus -= usize::from(forgotten);
        !forgotten
    });
}

impl BackgroundProcessHandle {
    pub(crate) fn state(&self) -> BackgroundProcessState {
        *self.state.borrow()
    }

    /// Notice an end that has just come: what it printed last is still being read then.
    pub(crate) async fn settle(&mut self) {
        let pid = Pid::from_raw(self.pid.cast_signed());
        let is_gone = pid.is_some_and(|pid| test_kill_process_group(pid) == Err(Errno::SRCH));
        if is_gone {
            self.wait_for_end(SETTLE_LIMIT).await;
        }
    }

    /// Send `text` to its standard input, and close that then if `closes`.
    pub(crate) async fn send_input(&self, text: &str, closes: bool) -> Result<(), SendInputError> {
        let mut input = self.input.lock().await;
        let Some(pipe) = input.as_mut() else { return Err(SendInputError::NoInput) };
        let sent = timeout(INPUT_LIMIT, pipe.write_all(text.as_bytes())).await;
        if closes || matches!(sent, Ok(Err(_))) {
            *input = None;
        }
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(SendInputError::Closed),
            Err(_) => Err(SendInputError::NotRead),
        }
    }

    /// Wait for its end, but not longer than `limit`.
    pub(crate) async fn wait_for_end(&mut self, limit: Duration) {
        // Over the limit, or the end was missed: either way the state says how it is.
        let _ = timeout(limit, self.state.wait_for(|state| *state != BackgroundProcessState::Running)).await;
    }

    /// Wait until a line of its output matches `pattern`, or until its end, but not longer than `limit`.
    pub(crate) async fn wait_for_line(&mut self, pattern: &Regex, limit: Duration) -> Result<(), ToolError> {
        let deadline = Instant::now() + limit;
        let mut searched = 0;
        loop {
            // Looked at first, so that what was printed just before the end is not missed.
            let has_ended = self.state() != BackgroundProcessState::Running;
            let (log, wanted) = (Arc::clone(&self.log), pattern.clone());
            let unread =
                |source| ToolError::Io { path: self.path.display().to_string(), doing: FileOperation::Read, source };
            let found = run_blocking(move || Ok(search_next_lines(&log, &wanted, searched))).await?.map_err(unread)?;
            let left = deadline.saturating_duration_since(Instant::now());
            match found {
                LineSearch::Found => return Ok(()),
                _ if left.is_zero() => return Ok(()),
                LineSearch::More(from) => {
                    searched = from;
                    continue;
                }
                LineSearch::End if has_ended => return Ok(()),
                LineSearch::End => {}
            }
            self.wait_for_end(left.min(SEARCH_INTERVAL)).await;
        }
    }

    /// The last `lines` lines of its output, and whether there is more.
    pub(crate) fn tail(&self, lines: usize) -> io::Result<(String, bool)> {
        let len = self.log.metadata()?.len();
        let start = len.saturating_sub(MAX_TAIL);
        let mut bytes = vec![0; usize::try_from(len - start).unwrap_or(0)];
        self.log.read_exact_at(&mut bytes, start)?;
        let text = String::from_utf8_lossy(&bytes);
        // The first line may be cut.
        let text = if start > 0 { text.split_once('\n').map_or(&*text, |(_, rest)| rest) } else { &text };
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        let first = all.len().saturating_sub(lines);
        Ok((all[first..].concat(), start > 0 || first > 0))
    }
}

/// Why text did not reach a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SendInputError {
    /// It was started without input, or its input has been closed.
    NoInput,
    /// It has closed its input or ended.
    Closed,
    /// It did not read in time.
    NotRead,
}

/// What came of a look at a part of a log.
enum LineSearch {
    /// A line matches.
    Found,
    /// None does so far; there is more from this byte on.
    More(u64),
    /// None does, and there is no more.
    End,
}

/// Look for a line that matches in the next part of a log, from the byte `from`. A part is small, so that the search can be given up.
fn search_next_lines(log: &File, pattern: &Regex, from: u64) -> io::Result<LineSearch> {
    let len = usize::try_from(log.metadata()?.len().saturating_sub(from).min(MAX_TAIL)).unwrap_or(0);
    let mut bytes = vec![0; len];
    log.read_exact_at(&mut bytes, from)?;
    let text = String::from_utf8_lossy(&bytes);
    // The last line may still grow, and a prompt has no end: it is searched now and once more when it has one.
    if text.lines().any(|line| pattern.is_match(line)) {
        return Ok(LineSearch::Found);
    }
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    // A line that is longer than what is read at once is taken in pieces.
    let done = if complete == 0 && bytes.len() as u64 == MAX_TAIL { bytes.len() } else { complete };
    Ok(if done == 0 { LineSearch::End } else { LineSearch::More(from + done as u64) })
}

/// Write what a process prints to its log until it ends.
async fn follow(mut running: RunningProcess, log: Arc<File>, ended: watch::Sender<BackgroundProcessState>) {
    let mut buffer = vec![0; READ_SIZE];
    let mut written = 0;
    let status = loop {
        tokio::select! {
            read = running.output.read(&mut buffer) => match read {
                Ok(len) if len > 0 => append_to_log(&log, &buffer[..len], &mut written).await,
                // It closed its output and may go on without.
                Ok(_) | Err(_) => break running.group.wait().await.ok(),
            },
            status = running.group.wait() => break status.ok(),
        }
    };
    // What it printed last; but processes that outlive it do not get to print for ever.
    let rest = async {
        while let Ok(len @ 1..) = running.output.read(&mut buffer).await {
            append_to_log(&log, &buffer[..len], &mut written).await;
        }
    };
    let _ = timeout(AFTER_EXIT, rest).await;
    ended.send_replace(BackgroundProcessState::Ended(status));
}

/// Add to a log that is not full.
async fn append_to_log(log: &Arc<File>, bytes: &[u8], written: &mut u64) {
    if *written >= MAX_LOG {
        return;
    }
    *written += bytes.len() as u64;
    let (log, mut bytes) = (Arc::clone(log), bytes.to_vec());
    if *written >= MAX_LOG {
        bytes.extend_from_slice(format!("\n[The log is full: {MAX_LOG} bytes. The rest is not kept.]\n").as_bytes());
    }
    let write = tokio::task::spawn_blocking(move || (&*log).write_all(&bytes));
    if let Ok(Err(error)) = write.await {
        tracing::warn!(%error, "the output of a background process could not be kept");
    }
}
