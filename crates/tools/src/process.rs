//! The only place that starts child processes: each with a stated directory and a built-up environment. What a call
//! starts is below a supervisor of its own (`supervisor.rs`), which ends all of it with the call or with Pollux.

mod call_cgroup;
mod confinement;
mod environment;
mod executable_file;
mod foreground;
mod job;
mod launch;
mod leftovers;
mod process_list;
mod program;
mod registry;
mod runnable_plan;
mod supervised_processes;
mod supervisor;
mod terminal;

pub(crate) use confinement::confinement_available;
pub(crate) use environment::{EnvironmentRules, search_directories};
pub use foreground::{clipboard_picture, edit_file};
pub use leftovers::end_leftover_processes;
pub(crate) use program::{OwnGroup, OwnProgram, start_own_program, start_program};
pub use registry::{any_process_started, is_supervisor};
#[cfg(test)]
pub(crate) use runnable_plan::plan_of_program;
pub(crate) use runnable_plan::{
    FoundProgramAnswer, ReadablePaths, RunnableAction, RunnableCommand, RunnablePiece, RunnablePipeline, RunnablePlan,
    RunnableProgram, RunnableRedirection, RunnableWord, UnaryTest,
};
pub(crate) use supervised_processes::SupervisedProcesses;
pub use supervisor::{SUPERVISOR_ARGUMENT, run_supervisor_if_asked};

use crate::built_in::run_shell_command::ShellStreams;
use crate::process_environment::ProcessEnvironment;
use job::{JobStreams, ProgramWork, SupervisedJob, SupervisedWork};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;
use terminal::CommandTerminal;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

/// The time that processes have to end by themselves after SIGTERM.
const GRACE: Duration = Duration::from_millis(200);

/// Where bash is looked for. Not on PATH, which may lead into the workspace.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

/// A command that runs.
pub(crate) struct RunningProcess {
    /// Standard output and standard error in the order they were written.
    pub(crate) output: ProcessOutput,
    /// Its standard input, if it was to have one.
    pub(crate) input: Option<pipe::Sender>,
    pub(crate) group: SupervisedProcesses,
}

/// The standard input of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShellInput {
    /// Its end.
    Nothing,
    /// What somebody sends while it runs.
    Pipe,
}

/// The output of a command, as it comes.
pub(crate) enum ProcessOutput {
    Pipe(pipe::Receiver),
    Terminal(CommandTerminal),
}

impl ProcessOutput {
    /// The next bytes; none when everybody has closed it.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            ProcessOutput::Pipe(pipe) => pipe.read(buffer).await,
            ProcessOutput::Terminal(terminal) => terminal.read(buffer).await,
        }
    }
}

/// Start `command` in a shell.
pub(crate) async fn start_shell(
    command: &str,
    directory: &Path,
    rules: EnvironmentRules<'_>,
    (streams, input): (ShellStreams, ShellInput),
) -> io::Result<RunningProcess> {
    start_work(streams, input, |streams| {
        let environment = child_environment(streams, rules);
        let shell = SHELLS.into_iter().find(|path| Path::new(path).exists()).unwrap_or("/bin/sh");
        SupervisedWork::Program(ProgramWork {
            program: shell.into(),
            // `--` because a command may begin with a dash.
            args: ["-c", "--", command].map(OsString::from).into(),
            environment: environment.into_iter().collect(),
            directory: directory.into(),
        })
    })
    .await
}

/// The environment of a child with such streams.
pub(crate) fn child_environment(streams: ShellStreams, rules: EnvironmentRules<'_>) -> BTreeMap<OsString, OsString> {
    let ours = ProcessEnvironment::original().variables();
    match streams {
        ShellStreams::Terminal => environment::build_for_terminal(ours, rules),
        ShellStreams::Pipes => environment::build(ours, rules),
    }
}

/// Start a plan, without a shell.
pub(crate) async fn start_plan(plan: RunnablePlan, streams: ShellStreams) -> io::Result<RunningProcess> {
    start_work(streams, ShellInput::Nothing, |_| SupervisedWork::Plan(plan)).await
}

/// Start what `work` says for the streams it gets: a terminal of its own, if it is wanted and to be had.
async fn start_work(
    wanted: ShellStreams,
    input: ShellInput,
    work: impl FnOnce(ShellStreams) -> SupervisedWork,
) -> io::Result<RunningProcess> {
    if wanted == ShellStreams::Terminal {
        match CommandTerminal::open() {
            Ok((terminal, theirs)) => {
                let job = SupervisedJob { work: work(ShellStreams::Terminal), streams: JobStreams::Terminal };
                let group = launch::launch(&job, vec![theirs]).await?;
                return Ok(RunningProcess { output: ProcessOutput::Terminal(terminal), input: None, group });
            }
            Err(error) => tracing::debug!(%error, "there is no terminal for a command; it gets pipes"),
        }
    }
    let (reader, writer) = io::pipe()?;
    let output = ProcessOutput::Pipe(pipe::Receiver::from_owned_fd(reader.into())?);
    let (input, streams, descriptors) = match input {
        ShellInput::Nothing => (None, JobStreams::Output, vec![writer.into()]),
        ShellInput::Pipe => {
            let (theirs, ours) = io::pipe()?;
            let descriptors = vec![theirs.into(), writer.try_clone()?.into(), writer.into()];
            (Some(pipe::Sender::from_owned_fd(ours.into())?), JobStreams::Three, descriptors)
        }
    };
    let group = launch::launch(&SupervisedJob { work: work(ShellStreams::Pipes), streams }, descriptors).await?;
    Ok(RunningProcess { output, input, group })
}
