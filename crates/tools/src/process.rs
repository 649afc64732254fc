//! The only place that starts child processes: each with a stated directory, a built-up environment and a process
//! group of its own that ends with the call.

mod environment;
mod foreground;
mod program;
mod terminal;

pub use foreground::{clipboard_picture, edit_file};
pub(crate) use program::{Program, start_program};

use crate::process_environment::ProcessEnvironment;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use terminal::Terminal;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

/// How long a group has to end by itself after SIGTERM.
const GRACE: Duration = Duration::from_millis(200);

/// Where bash is looked for. Not on PATH, which may lead into the workspace.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// A command that runs.
pub(crate) struct Running {
    /// What it prints: standard output and standard error in the order they were written.
    pub(crate) output: Printed,
    /// Its processes.
    pub(crate) group: Group,
}

/// What a command prints, as it comes.
pub(crate) enum Printed {
    Pipe(pipe::Receiver),
    Terminal(Terminal),
}

impl Printed {
    /// The next bytes; none when everybody has closed it.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Printed::Pipe(pipe) => pipe.read(buffer).await,
            Printed::Terminal(terminal) => terminal.read(buffer).await,
        }
    }
}

/// Start `command` in a shell in a terminal of its own, or with pipes where there is none to be had.
pub(crate) fn start_in_terminal(command: &str, directory: &Path, passed: &[String]) -> io::Result<Running> {
    match Terminal::open() {
        Ok(open) => open.start(shell(), command, directory, passed),
        Err(error) => {
            tracing::debug!(%error, "there is no terminal for a command; it gets pipes");
            start_shell(command, directory, passed)
        }
    }
}

fn shell() -> &'static str {
    SHELLS.into_iter().find(|path| Path::new(path).exists()).unwrap_or("/bin/sh")
}

/// Start `command` in a shell. `passed` names the variables of our environment it is given besides the harmless ones.
#[expect(clippy::disallowed_methods, reason = "this is the one place that starts child processes")]
pub(crate) fn start_shell(command: &str, directory: &Path, passed: &[String]) -> io::Result<Running> {
    let (reader, writer) = io::pipe()?;
    let child = Command::new(shell())
        // `--` because a command may begin with a dash.
        .args(["-c", "--", command])
        .current_dir(directory)
        .env_clear()
        .envs(environment::build(ProcessEnvironment::original().variables(), passed))
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    let output = Printed::Pipe(pipe::Receiver::from_owned_fd(reader.into())?);
    Ok(Running { output, group: Group::of(child)? })
}

/// A process group. Dropping it ends every process in it: SIGTERM, then SIGKILL after [`GRACE`], without blocking.
pub(crate) struct Group {
    leader: Pid,
    /// Taken only by `drop`.
    child: Option<Child>,
}

impl Group {
    /// The group that `child` leads.
    fn of(child: Child) -> io::Result<Group> {
        let leader = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let leader = leader.ok_or_else(|| io::Error::other("the process has no id"))?;
        Ok(Group { leader, child: Some(child) })
    }

    /// The number of the group, which is that of the shell.
    pub(crate) fn pid(&self) -> u32 {
        self.leader.as_raw_nonzero().get().unsigned_abs()
    }

    /// Wait for the shell to end. Processes it left behind may go on.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.child {
            Some(child) => child.wait().await,
            None => Err(io::Error::other("the process is already being ended")),
        }
    }

    /// End every process and wait for the shell.
    pub(crate) async fn stop(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::TERM);
        let ended = timeout(GRACE, self.wait()).await;
        self.signal(Signal::KILL);
        match ended {
            Ok(status) => status,
            Err(_) => self.wait().await,
        }
    }

    /// Whether any process of the group is left.
    pub(crate) fn is_alive(&self) -> bool {
        test_kill_process_group(self.leader).is_ok()
    }

    fn signal(&self, signal: Signal) {
        // The only failure is that nobody is left to hear it.
        let _ = kill_process_group(self.leader, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_alive() {
            return;
        }
        self.signal(Signal::TERM);
        let end = FinalKill { leader: self.leader, _child: self.child.take() };
        // Without a runtime, or when it shuts down before the time is over, `end` is dropped at once and kills.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                sleep(GRACE).await;
                drop(end);
            });
        }
    }
}

/// Kills what is left of a group when dropped.
struct FinalKill {
    leader: Pid,
    /// Not waited for until then, so that the group's number cannot be given to strangers.
    _child: Option<Child>,
}

impl Drop for FinalKill {
    fn drop(&mut self) {
        let _ = kill_process_group(self.leader, Signal::KILL);
    }
}
