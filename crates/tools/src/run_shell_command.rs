//! `run_shell_command`: a command in a shell, watched while it runs.

mod ending;

use crate::arguments::parse;
use crate::error::{Doing, ToolError};
use crate::output::{Capture, Output, OutputKeeper};
use crate::process::{Running, start_shell};
use crate::tool::{Declaration, Preview, Ran, Tool, blocking};
use crate::workspace::{Place, Workspace};
use ending::{Ending, Leftovers};
use pollux_session::{Call, Details, Grant, Pending, ToolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::time::{Instant, sleep_until};

const NAME: &str = "run_shell_command";
/// How much is read at once: what a pipe holds.
const READ_SIZE: usize = 64 * 1024;
/// How long output is awaited from processes that outlive the shell.
const AFTER_EXIT: Duration = Duration::from_millis(200);
/// The longest command that stands for itself in a summary.
const SUMMARY_CHARS: usize = 150;

/// What a command may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellLimits {
    /// How long it may print nothing.
    pub inactivity: Duration,
    /// How many bytes it may print.
    pub output: u64,
}

impl Default for ShellLimits {
    fn default() -> ShellLimits {
        ShellLimits { inactivity: Duration::from_secs(300), output: 1024 * 1024 * 1024 }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The command, as one would type it into bash.
    command: String,
    /// What the command is for, in one short sentence for the person.
    #[serde(default)]
    description: Option<String>,
    /// The directory to run it in: relative to the workspace, or absolute and inside it. The workspace if left out.
    #[serde(default)]
    dir_path: Option<String>,
}

pub(crate) struct RunShellCommand {
    blobs: Arc<dyn OutputKeeper>,
    limits: ShellLimits,
}

impl RunShellCommand {
    pub(crate) fn new(blobs: Arc<dyn OutputKeeper>, limits: ShellLimits) -> Self {
        RunShellCommand { blobs, limits }
    }
}

impl Tool for RunShellCommand {
    fn declaration(&self) -> Declaration {
        Declaration::of::<Arguments>(
            NAME,
            "Runs a command with `bash -c` and returns what it printed, standard output and standard error \
                          together, and its exit code if that is not 0. There is no terminal and no input: use flags \
                          that keep programs from asking, and quiet flags for long logs. A command that prints nothing \
                          for five minutes is stopped. Background processes end with the command.",
        )
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let args = parse_arguments(args)?;
            let place = find_directory(workspace, &args).await?;
            let directory = place.absolute.to_string_lossy().into_owned();
            let description = args.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
            let summary = match description {
                Some(description) if args.command.chars().count() > SUMMARY_CHARS => description.to_owned(),
                _ => args.command.clone(),
            };
            Ok(Preview {
                kind: ToolKind::Execute,
                grant: Grant::Command { command: with_directory(&args.command, &place) },
                details: Details::Execute { command: args.command, directory },
                summary,
                protected: None,
                options: None,
            })
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a Call,
        out: &'a mut dyn Output,
    ) -> Pending<'a, Result<Ran, ToolError>> {
        Box::pin(async move {
            let args = parse_arguments(&call.args)?;
            let place = find_directory(workspace, &args).await?;
            let directory = place.absolute.to_string_lossy().into_owned();
            let now = Details::Execute { command: args.command.clone(), directory };
            if call.ask.as_ref().is_some_and(|ask| ask.details != now) {
                return Ok(Ran::Stale);
            }
            let broken = |source| ToolError::Io { path: args.command.clone(), doing: Doing::Run, source };
            let mut running = start_shell(&args.command, &place.absolute).map_err(broken)?;
            let mut capture = Capture::new(out, Arc::clone(&self.blobs));
            let ending = self.follow(&mut running, &mut capture).await.map_err(broken)?;
            Ok(Ran::Done(ending.outcome(capture.finish().await)))
        })
    }
}

impl RunShellCommand {
    /// Take what the command prints until it ends or has to be ended.
    async fn follow(&self, running: &mut Running, capture: &mut Capture<'_>) -> io::Result<Ending> {
        let mut buffer = vec![0; READ_SIZE];
        let mut exited = None;
        let mut open = true;
        let mut deadline = Instant::now() + self.limits.inactivity;
        loop {
            let due = capture.due();
            tokio::select! {
                read = running.output.read(&mut buffer), if open => {
                    let len = read?;
                    open = len > 0;
                    capture.take(&buffer[..len]).await;
                    // Only silence counts, and not the time the log took.
                    if exited.is_none() {
                        deadline = Instant::now() + self.limits.inactivity;
                    }
                }
                status = running.group.wait(), if exited.is_none() => {
                    exited = Some(status?);
                    deadline = Instant::now() + AFTER_EXIT;
                }
                () = sleep_until(due.unwrap_or(deadline)), if due.is_some() => {
                    let began = Instant::now();
                    capture.send().await;
                    deadline += began.elapsed();
                }
                () = sleep_until(deadline) => {}
            }
            match exited {
                Some(status) if !open || deadline <= Instant::now() => {
                    let leftovers = if running.group.is_alive() { Leftovers::Stopped } else { Leftovers::None };
                    return Ok(Ending::Exited(status, leftovers));
                }
                Some(_) => {}
                None if deadline <= Instant::now() => {
                    running.group.stop().await?;
                    return Ok(Ending::Silent(self.limits.inactivity));
                }
                None if capture.len() > self.limits.output => {
                    running.group.stop().await?;
                    return Ok(Ending::Flooding(self.limits.output));
                }
                None => {}
            }
        }
    }
}

fn parse_arguments(args: &Value) -> Result<Arguments, ToolError> {
    let args: Arguments = parse(args)?;
    if args.command.trim().is_empty() {
        return Err(ToolError::BadArguments("argument `command`: it is empty".into()));
    }
    if args.command.contains('\0') {
        return Err(ToolError::BadArguments("argument `command`: it cannot contain a NUL character".into()));
    }
    Ok(args)
}

async fn find_directory(workspace: &Path, args: &Arguments) -> Result<Place, ToolError> {
    let (workspace, asked) = (workspace.to_owned(), args.dir_path.clone().unwrap_or_default());
    blocking(move || {
        let workspace = Workspace::open(&workspace)?;
        let place = workspace.find(&asked)?;
        workspace.directory(&place, Doing::Run)?;
        Ok(place)
    })
    .await
}

/// The command as it would be typed in the workspace: a grant for `rm *` in one directory must not cover another.
fn with_directory(command: &str, place: &Place) -> String {
    if place.relative().as_os_str().is_empty() {
        return command.to_owned();
    }
    format!("cd '{}' && {command}", place.name().replace('\'', r"'\''"))
}
