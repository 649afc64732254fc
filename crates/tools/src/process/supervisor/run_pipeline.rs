//! Runs a plan as a shell would have, without one: pipelines in order, the commands of each at once, exit codes as bash
//! has them. There is no input, and everything that is printed goes to one stream unless it is piped or redirected.

use super::WorkStreams;
use super::builtin::{self, BuiltinContext};
use super::reaper::Reaper;
use super::run_program::pid_of;
use super::wait_for_pipeline::{StartedCommand, StartedProgram, wait_for};
use crate::process::call_cgroup::CallCgroup;
use crate::process::confinement::{DataLimit, OwnData, confine_thread, start_limited};
use crate::process::runnable_plan::{
    RunCondition, RunnableAction, RunnableCommand, RunnablePipeline, RunnablePlan, RunnableProgram, RunnableRedirection,
};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::process::Pid;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use tokio::task::spawn_blocking;

const NOT_EXECUTABLE: u8 = 126;
const NOT_FOUND: u8 = 127;

/// Run `plan` and return its exit code: that of the last pipeline that ran.
pub(super) async fn run_plan(
    plan: &RunnablePlan,
    streams: &WorkStreams,
    group: Option<&CallCgroup>,
    reaper: &mut Reaper,
) -> u8 {
    let mut exit_code = 0;
    for pipeline in &plan.pipelines {
        let runs = match pipeline.condition {
            RunCondition::Always => true,
            RunCondition::AfterSuccess => exit_code == 0,
            RunCondition::AfterFailure => exit_code != 0,
        };
        if runs {
            let started = CallCgroup::start_inside(group, || start_pipeline(plan, pipeline, exit_code, streams));
            exit_code = match started {
                Ok(commands) => wait_for(commands, reaper).await,
                Err(error) => {
                    complain(&streams.errors, OsStr::new("pollux"), &error.to_string());
                    NOT_EXECUTABLE
                }
            };
        }
    }
    exit_code
}

/// Start the commands of a pipeline.
fn start_pipeline(
    plan: &RunnablePlan,
    pipeline: &RunnablePipeline,
    exit_code: u8,
    streams: &WorkStreams,
) -> io::Result<Vec<StartedCommand>> {
    let mut input = OwnedFd::from(File::open("/dev/null")?);
    let mut started = Vec::new();
    let data_limit = DataLimit::one_of(pipeline.commands.iter().filter(|command| is_confined(command)).count());
    for (index, command) in pipeline.commands.iter().enumerate() {
        let mut output = streams.output.try_clone()?;
        let mut next_input = None;
        if index + 1 < pipeline.commands.len() {
            let (reader, writer) = io::pipe()?;
            (output, next_input) = (writer.into(), Some(OwnedFd::from(reader)));
        }
        let given = CommandStreams { input, output, errors: streams.errors.try_clone()? };
        started.push(start_command(&plan.directory, command, exit_code, given, data_limit));
        input = match next_input {
            Some(next) => next,
            None => break,
        };
    }
    Ok(started)
}

fn is_confined(command: &RunnableCommand) -> bool {
    matches!(&command.action, RunnableAction::Program(program) if program.confined)
}

/// The streams of one command.
struct CommandStreams {
    input: OwnedFd,
    output: OwnedFd,
    errors: OwnedFd,
}

fn start_command(
    directory: &OsStr,
    command: &RunnableCommand,
    exit_code: u8,
    mut streams: CommandStreams,
    data_limit: DataLimit,
) -> StartedCommand {
    if let RunnableAction::Program(program) = &command.action {
        let (directory, errors) = (Path::new(directory), streams.errors.try_clone());
        let start = || start_program(program, &command.redirections, directory, exit_code, streams);
        let started = if program.confined { start_confined(program, data_limit, start, errors) } else { start() };
        return match started {
            Ok(pid) => StartedCommand::Program(StartedProgram::new(pid, program.time_limit)),
            Err(code) => StartedCommand::Ended(code),
        };
    }
    if let Err(code) = streams.redirect(&command.redirections) {
        return StartedCommand::Ended(code);
    }
    let context = BuiltinContext { directory: directory.to_owned(), exit_code };
    let action = command.action.clone();
    let (output, errors) = (File::from(streams.output), File::from(streams.errors));
    // What it prints may be more than a pipe holds, and its reader is not started yet.
    StartedCommand::Builtin(spawn_blocking(move || builtin::run(&action, &context, output, &errors)))
}

/// Start a program from a thread that may read only what the program may, with limits for its memory: children have the
/// restrictions of the thread that starts them. If the thread cannot be confined, nothing runs.
fn start_confined(
    program: &RunnableProgram,
    data_limit: DataLimit,
    start: impl FnOnce() -> Result<Pid, u8> + Send,
    errors: io::Result<OwnedFd>,
) -> Result<Pid, u8> {
    let own_data = OwnData::read();
    let confined = || {
        confine_thread(&program.readable, Path::new(&program.file), program.starts_others)?;
        start_limited(own_data, data_limit, start)
    };
    let started = std::thread::scope(|scope| scope.spawn(confined).join());
    started.unwrap_or_else(|_| Err("its thread failed".to_owned())).unwrap_or_else(|why| {
        if let Ok(errors) = errors {
            complain(&errors, &program.file, &format!("not run, because it could not be confined: {why}"));
        }
        Err(NOT_EXECUTABLE)
    })
}

/// Start `program`, or say why it cannot be and return the exit code a shell has for that.
#[expect(clippy::disallowed_methods, reason = "this module is the one place that starts child processes")]
fn start_program(
    program: &RunnableProgram,
    redirections: &[RunnableRedirection],
    directory: &Path,
    exit_code: u8,
    mut streams: CommandStreams,
) -> Result<Pid, u8> {
    streams.redirect(redirections)?;
    let CommandStreams { input, output, errors } = streams;
    let mut words = program.words.iter().map(|word| word.fill(exit_code));
    let name = words.next().unwrap_or_else(|| program.file.clone());
    let failed = |error: io::Error| {
        let is_missing = error.kind() == io::ErrorKind::NotFound;
        let is_name = !name.as_bytes().contains(&b'/');
        let why = if is_missing && is_name { "command not found".to_owned() } else { describe(&error) };
        complain(&errors, &name, &why);
        if is_missing { NOT_FOUND } else { NOT_EXECUTABLE }
    };
    check_executable(Path::new(&program.file)).map_err(failed)?;
    let streams = output.try_clone().and_then(|output| Ok((output, errors.try_clone()?))).map_err(failed)?;
    let mut command = Command::new(&program.file);
    command
        .arg0(&name)
        .args(words)
        .current_dir(directory)
        .env_clear()
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .stdin(input)
        .stdout(streams.0)
        .stderr(streams.1);
    if program.time_limit.is_some() {
        // What it starts has to end with it.
        command.process_group(0);
    }
    let started = command.spawn().and_then(|child| pid_of(&child));
    started.map_err(failed)
}

/// Only what the kernel itself can execute: for other files the C library would start a shell.
fn check_executable(file: &Path) -> io::Result<()> {
    accessat(CWD, file, Access::EXEC_OK, AtFlags::EACCESS)?;
    let mut file = open_file(file)?;
    let mut head = [0; 4];
    let len = file.read(&mut head)?;
    if head == *b"\x7fELF" || head[..len].starts_with(b"#!") {
        return Ok(());
    }
    Err(io::Error::from_raw_os_error(libc::ENOEXEC))
}

/// Open a regular file, or say as a shell does why not.
fn open_file(path: &Path) -> io::Result<File> {
    pollux_files::open_regular(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput if path.is_dir() => io::Error::from_raw_os_error(libc::EISDIR),
        io::ErrorKind::InvalidInput => io::Error::other("not a regular file"),
        _ => error,
    })
}

impl CommandStreams {
    /// Apply `redirections` in order, or say what is wrong and return the exit code.
    fn redirect(&mut self, redirections: &[RunnableRedirection]) -> Result<(), u8> {
        for redirection in redirections {
            let mut place = OsStr::new("/dev/null");
            let redirected = match redirection {
                RunnableRedirection::ErrorsToOutput => self.output.try_clone().map(|output| self.errors = output),
                RunnableRedirection::OutputToErrors => self.errors.try_clone().map(|errors| self.output = errors),
                RunnableRedirection::OutputToNull => open_null().map(|null| self.output = null),
                RunnableRedirection::ErrorsToNull => open_null().map(|null| self.errors = null),
                RunnableRedirection::BothToNull => open_null().and_then(|null| {
                    self.output = null.try_clone()?;
                    self.errors = null;
                    Ok(())
                }),
                RunnableRedirection::InputFromNull => open_null().map(|null| self.input = null),
                RunnableRedirection::InputFrom { path } => {
                    place = path;
                    open_file(Path::new(path)).map(|file| self.input = file.into())
                }
            };
            if let Err(error) = redirected {
                complain(&self.errors, place, &describe(&error));
                return Err(1);
            }
        }
        Ok(())
    }
}

fn open_null() -> io::Result<OwnedFd> {
    Ok(File::options().read(true).write(true).open("/dev/null")?.into())
}

/// The words of the operating system alone, as a shell prints them.
fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Print one line about `subject`.
fn complain(errors: &OwnedFd, subject: &OsStr, why: &str) {
    let line = [subject.as_bytes(), b": ", why.as_bytes(), b"\n"].concat();
    // Nobody reads it then.
    let _ = errors.try_clone().and_then(|errors| File::from(errors).write_all(&line));
}
