//! `run_shell_command`: a command in a shell, watched while it runs.

mod ending;
#[cfg(test)]
mod tests;

use crate::arguments::{parse, whole_number};
use crate::background::{Background, MAX_RUNNING};
use crate::error::{Doing, ToolError};
use crate::output::{AFTER_EXIT, Capture, Output, OutputKeeper, Screen};
use crate::plan::{self, Objection, PlanSurroundings};
use crate::process::{EnvironmentRules, RunnablePlan, Running, start_plan, start_shell};
use crate::tool::{Declaration, Preview, Ran, SUMMARY_CHARS, Tool, blocking, phrase};
use crate::workspace::{Place, Reach};
use ending::{Ending, Leftovers};
use pollux_session::{Call, CommandPlan, Details, Grant, Pending, SessionId, ToolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

const NAME: &str = "run_shell_command";
/// How much is read at once: what a pipe holds.
const READ_SIZE: usize = 64 * 1024;
/// How long a command in the background is watched before its call ends, unless the model says otherwise.
const DEFAULT_DELAY: usize = 200;
/// The longest such time, in milliseconds.
const MAX_DELAY: usize = 60_000;

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

/// What a command's output goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShellStreams {
    /// A terminal of its own: programs draw and colour as they do for people.
    #[default]
    Terminal,
    /// A pipe: programs print as they do into a file.
    Pipes,
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
    /// Whether the command goes on by itself, for servers and watchers. Then the call returns what it prints first.
    #[serde(default)]
    is_background: bool,
    /// How many milliseconds to wait for that first output, 200 if left out.
    #[serde(default, deserialize_with = "whole_number")]
    delay_ms: Option<usize>,
}

pub(crate) struct RunShellCommand {
    pub(crate) blobs: Arc<dyn OutputKeeper>,
    pub(crate) reach: Arc<Reach>,
    pub(crate) limits: ShellLimits,
    pub(crate) streams: ShellStreams,
    /// The most characters of output that the model is told.
    pub(crate) told_chars: usize,
    /// The variables commands are given besides the harmless ones.
    pub(crate) environment: Vec<String>,
    pub(crate) background: Arc<Background>,
}

/// What a call runs.
enum ShellWork {
    /// The command of its arguments, in bash.
    Command {
        directory: PathBuf,
        /// Where it finds no programs by their names alone.
        off_path: Vec<PathBuf>,
    },
    /// The programs of a plan, and no shell.
    Plan(RunnablePlan),
}

impl Tool for RunShellCommand {
    fn declaration(&self) -> Declaration {
        Declaration::of::<Arguments>(
            NAME,
            "Runs a command with `bash -c` and returns what it printed, standard output and standard error together, \
             and its exit code if that is not 0. There is no input, nobody can type: use flags that keep programs from \
             asking, and quiet flags for long logs. A command that prints nothing for five minutes is stopped, and \
             what it started ends with it. For a server or a watcher set is_background instead of writing `&`; \
             list_background_processes and read_background_output follow it up.",
        )
    }

    fn minds_length(&self) -> bool {
        true
    }

    fn remarks(&self) -> &'static [&'static str] {
        &["description"]
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> Pending<'a, Result<Preview, ToolError>> {
        Box::pin(async move {
            let args = parse_arguments(args)?;
            let place = self.find_directory(workspace, &args).await?;
            let directory = place.absolute.to_string_lossy().into_owned();
            let description = args.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
            let mut summary = match description {
                Some(description) if args.command.chars().count() > SUMMARY_CHARS => phrase(description),
                _ => phrase(&args.command),
            };
            if args.is_background {
                summary.push_str(" (in the background)");
            }
            Ok(Preview {
                kind: ToolKind::Execute,
                grant: Grant::Command { command: with_directory(&args.command, &place), directory: None },
                details: Details::Execute { command: args.command, directory },
                summary,
                protected: None,
                secret: None,
                options: None,
                agent: None,
                trusted: false,
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
            let place = self.find_directory(workspace, &args).await?;
            let directory = place.absolute.to_string_lossy().into_owned();
            let now = Details::Execute { command: args.command.clone(), directory };
            if call.ask.as_ref().is_some_and(|ask| ask.details != now) {
                return Ok(Ran::Stale);
            }
            let off_path = if out.trusts_workspace() { Vec::new() } else { self.roots(workspace).await? };
            let work = match &call.plan {
                None => ShellWork::Command { directory: place.absolute, off_path },
                // Only what was judged may run, and that was the plan: no shell gets to read the command.
                Some(plan) => match self.resolve(workspace, plan, &args).await? {
                    Ok(runnable) => ShellWork::Plan(runnable),
                    Err(Objection { why, .. }) => {
                        tracing::debug!(%why, "a command may no longer run without a question");
                        return Ok(Ran::Stale);
                    }
                },
            };
            self.run_work(work, &args, out).await
        })
    }
}

impl RunShellCommand {
    async fn find_directory(&self, workspace: &Path, args: &Arguments) -> Result<Place, ToolError> {
        let (workspace, reach) = (workspace.to_owned(), Arc::clone(&self.reach));
        let asked = args.dir_path.clone().unwrap_or_default();
        blocking(move || {
            let workspace = reach.open(&workspace)?;
            let place = workspace.find(&asked)?;
            workspace.directory(&place, Doing::Run)?;
            Ok(place)
        })
        .await
    }

    /// What `plan` runs, looked up just before it does.
    async fn resolve(
        &self,
        workspace: &Path,
        plan: &CommandPlan,
        args: &Arguments,
    ) -> Result<Result<RunnablePlan, Objection>, ToolError> {
        let (workspace, reach, plan) = (workspace.to_owned(), Arc::clone(&self.reach), plan.clone());
        let streams = if args.is_background { ShellStreams::Pipes } else { self.streams };
        let surroundings = PlanSurroundings { streams, passed: self.environment.clone() };
        blocking(move || Ok(plan::resolve(&reach.open(&workspace)?, &plan, &surroundings))).await
    }

    /// The workspace and the directories that were added to it.
    async fn roots(&self, workspace: &Path) -> Result<Vec<PathBuf>, ToolError> {
        let (workspace, reach) = (workspace.to_owned(), Arc::clone(&self.reach));
        blocking(move || Ok(reach.open(&workspace)?.root_paths().map(Path::to_owned).collect())).await
    }

    /// Run what was allowed, in the foreground or in the background.
    async fn run_work(&self, work: ShellWork, args: &Arguments, out: &mut dyn Output) -> Result<Ran, ToolError> {
        let broken = |source| ToolError::Io { path: args.command.clone(), doing: Doing::Run, source };
        if args.is_background {
            return self.start_in_background(work, args, out.session()).await;
        }
        let running = self.start(work, args, self.streams).await.map_err(broken)?;
        self.finish(running, out).await.map_err(broken)
    }

    async fn start(&self, work: ShellWork, args: &Arguments, streams: ShellStreams) -> io::Result<Running> {
        match work {
            ShellWork::Command { directory, off_path } => {
                let rules = EnvironmentRules { passed: &self.environment, off_path: &off_path };
                start_shell(&args.command, &directory, rules, streams).await
            }
            ShellWork::Plan(plan) => start_plan(plan, streams).await,
        }
    }

    /// Start a command that goes on after the call.
    async fn start_in_background(
        &self,
        work: ShellWork,
        args: &Arguments,
        session: SessionId,
    ) -> Result<Ran, ToolError> {
        let broken = |source| ToolError::Io { path: args.command.clone(), doing: Doing::Run, source };
        if !self.background.has_room(session) {
            let message = format!("{MAX_RUNNING} processes run in the background already; end one with `kill -- -PID`");
            return Err(ToolError::failed("shell_execute_error", message));
        }
        let running = self.start(work, args, ShellStreams::Pipes).await.map_err(broken)?;
        let mut process = self.background.adopt(session, &args.command, running).map_err(broken)?;
        let delay = args.delay_ms.unwrap_or(DEFAULT_DELAY).min(MAX_DELAY);
        process.ended_within(Duration::from_millis(delay as u64)).await;
        Ok(Ran::said(ending::in_background(&process).map_err(broken)?))
    }

    /// Follow a command until it ends, and tell how.
    async fn finish(&self, mut running: Running, out: &mut dyn Output) -> io::Result<Ran> {
        let screen = Screen::new(self.told_chars);
        let mut capture = Capture::new(out, Arc::clone(&self.blobs), screen);
        let ending = self.follow(&mut running, &mut capture).await?;
        Ok(Ran::Done(ending.outcome(capture.finish().await)))
    }

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
                    let stopped = running.group.stop_leftovers().await;
                    let leftovers = if stopped { Leftovers::Stopped } else { Leftovers::None };
                    return Ok(Ending::Exited(status, leftovers));
                }
                Some(_) => {}
                None if deadline <= Instant::now() => {
                    running.group.stop().await;
                    return Ok(Ending::Silent(self.limits.inactivity));
                }
                None if capture.len() > self.limits.output => {
                    running.group.stop().await;
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

/// The command as it would be typed in the workspace: a grant for `rm *` in one directory must not cover another.
fn with_directory(command: &str, place: &Place) -> String {
    if place.is_workspace() {
        return command.to_owned();
    }
    format!("cd '{}' && {command}", place.name().replace('\'', r"'\''"))
}
