//! Programs that are talked to over their standard input and output: MCP servers, each below a supervisor, and our own
//! git, which is ours to wait for.

use super::GRACE;
use super::environment::{self, EnvironmentRules};
use super::job::{JobStreams, ProgramWork, SupervisedJob, SupervisedWork};
use super::launch::launch;
use super::registry::record_start;
use super::supervised_processes::SupervisedProcesses;
use crate::process_environment::ProcessEnvironment;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::time::sleep;

/// A program that runs.
pub(crate) struct SupervisedProgram {
    pub(crate) input: pipe::Sender,
    pub(crate) output: pipe::Receiver,
    pub(crate) errors: pipe::Receiver,
    pub(crate) group: SupervisedProcesses,
}

/// Start `program`. It inherits what every child does; `given` comes on top. Programs inside of `off_path` are not found.
pub(crate) async fn start_program(
    program: &str,
    args: &[String],
    given: &BTreeMap<String, String>,
    directory: &Path,
    off_path: &[PathBuf],
) -> io::Result<SupervisedProgram> {
    let mut environment = environment::build(ProcessEnvironment::original().variables(), EnvironmentRules::default());
    environment.extend(given.iter().map(|(name, value)| (name.into(), value.into())));
    environment::clean_path(&mut environment, off_path);
    let work = SupervisedWork::Program(ProgramWork {
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        environment: environment.into_iter().collect(),
        directory: directory.into(),
    });
    let (their_input, input) = io::pipe()?;
    let (output, their_output) = io::pipe()?;
    let (errors, their_errors) = io::pipe()?;
    let input = pipe::Sender::from_owned_fd(input.into())?;
    let output = pipe::Receiver::from_owned_fd(output.into())?;
    let errors = pipe::Receiver::from_owned_fd(errors.into())?;
    let streams = vec![their_input.into(), their_output.into(), their_errors.into()];
    let group = launch(&SupervisedJob { work, streams: JobStreams::Three }, streams).await?;
    Ok(SupervisedProgram { input, output, errors, group })
}

/// A program of our own choice: it does one thing and starts nothing that could outlive it.
pub(crate) struct OwnProgram {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
    pub(crate) errors: ChildStderr,
    /// Its processes.
    pub(crate) group: OwnGroup,
}

/// Start a program of our own choice, as our child.
#[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
pub(crate) fn start_own_program(
    program: &str,
    args: &[String],
    given: &BTreeMap<String, String>,
    directory: &Path,
) -> io::Result<OwnProgram> {
    record_start();
    let mut child = Command::new(program)
        .args(args)
        .current_dir(directory)
        .env_clear()
        .envs(environment::build(ProcessEnvironment::original().variables(), EnvironmentRules::default()))
        .envs(given)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let group = OwnGroup::from_child(child)?;
    match pipes {
        (Some(input), Some(output), Some(errors)) => Ok(OwnProgram { input, output, errors, group }),
        _ => Err(io::Error::other("the process has no pipes")),
    }
}

/// The process group of a program of ours. Dropping it ends every process in it: SIGTERM, then SIGKILL after [`GRACE`],
/// without blocking.
pub(crate) struct OwnGroup {
    leader: Pid,
    /// Taken only by `drop`.
    child: Option<Child>,
}

impl OwnGroup {
    /// The group that `child` leads.
    fn from_child(child: Child) -> io::Result<OwnGroup> {
        let leader = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let leader = leader.ok_or_else(|| io::Error::other("the process has no id"))?;
        Ok(OwnGroup { leader, child: Some(child) })
    }

    /// Wait for the program to end.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.child {
            Some(child) => child.wait().await,
            None => Err(io::Error::other("the process is already being ended")),
        }
    }
}

impl Drop for OwnGroup {
    fn drop(&mut self) {
        if test_kill_process_group(self.leader).is_err() {
            return;
        }
        let _ = kill_process_group(self.leader, Signal::TERM);
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

#[cfg(test)]
mod tests {
    use super::start_own_program;
    use crate::process::any_process_started;
    use std::collections::BTreeMap;
    use std::path::Path;

    #[tokio::test]
    async fn a_program_of_our_own_counts_as_a_started_process() {
        let mut program = start_own_program("true", &[], &BTreeMap::new(), Path::new("/")).unwrap();
        program.group.wait().await.unwrap();
        assert!(any_process_started());
    }
}
