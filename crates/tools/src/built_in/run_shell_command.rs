//! `run_shell_command`: a command in a shell, watched while it runs.

mod ending;
#[cfg(test)]
mod tests;

use crate::arguments::{flag, parse, whole_number};
use crate::background::{BackgroundRegistry, MAX_RUNNING};
use crate::error::{FileOperation, ToolError};
use crate::output::{
    AFTER_EXIT, MAX_OUTPUT_FILE, OutputCapture, OutputFileKey, OutputRenderer, OutputStore, ToolCallContext,
};
use crate::plan::{self, PlanEnvironment, PlanObjection, ResolvedPlan};
use crate::process::{EnvironmentRules, RunningProcess, ShellInput, start_plan, start_shell};
use crate::tool::{CallPreview, SUMMARY_CHARS, Tool, ToolRunOutcome, ToolSpec, run_blocking, shorten_to_phrase};
use crate::workspace::{FileAccess, WorkspacePath};
use ending::{LeftoverProcesses, ShellCommandEnding};
use pollux_session::{AskDetails, BoxFuture, BuiltInTool, CallId, CallState, CommandPlan, Grant, ToolKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

const NAME: &str = BuiltInTool::RunShellCommand.name();
/// The most bytes that one read takes: the size of a pipe.
const READ_SIZE: usize = 64 * 1024;
/// The time that a command in the background is watched before its call ends, unless the model says otherwise.
const DEFAULT_DELAY: usize = 200;
/// The longest such time, in milliseconds.
const MAX_DELAY: usize = 60_000;

/// The most bytes that a plan may print. Nobody watches what runs without a question, and a program such as `seq` can print for ever.
const MAX_PLAN_OUTPUT: u64 = 64 * 1024 * 1024;

/// The limits of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShellLimits {
    /// The longest time without output.
    pub inactivity: Duration,
    /// The most bytes of output.
    pub output: u64,
}

impl Default for ShellLimits {
    fn default() -> ShellLimits {
        ShellLimits { inactivity: Duration::from_secs(300), output: 1024 * 1024 * 1024 }
    }
}

/// The destination of a command's output.
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
    #[serde(default, deserialize_with = "flag")]
    is_background: bool,
    /// Whether it has an input that write_background_input can write to. Only with is_background.
    #[serde(default, deserialize_with = "flag")]
    takes_input: bool,
    /// How many milliseconds to wait for that first output, 200 if left out.
    #[serde(default, deserialize_with = "whole_number")]
    delay_ms: Option<usize>,
}

pub(crate) struct RunShellCommandTool {
    pub(crate) output_store: Arc<dyn OutputStore>,
    pub(crate) access: Arc<FileAccess>,
    pub(crate) limits: ShellLimits,
    pub(crate) streams: ShellStreams,
    /// The most characters of output that the model is told.
    pub(crate) max_text_chars: usize,
    /// The variables commands are given besides the harmless ones.
    pub(crate) environment: Vec<String>,
    pub(crate) background: Arc<BackgroundRegistry>,
}

/// The work of a call.
enum ShellWork {
    /// The command of its arguments, in bash.
    Command {
        directory: PathBuf,
        /// Where it finds no programs by their names alone.
        off_path: Vec<PathBuf>,
    },
    /// The programs of a plan, and no shell.
    Plan(ResolvedPlan),
}

impl ShellWork {
    /// The most bytes that it may print.
    fn output_limit(&self, limits: &ShellLimits) -> u64 {
        match self {
            ShellWork::Command { .. } => limits.output,
            ShellWork::Plan(_) => limits.output.min(MAX_PLAN_OUTPUT),
        }
    }

    /// What its searches leave out, as a sentence for the model.
    fn left_out(&self) -> Option<String> {
        match self {
            ShellWork::Command { .. } => None,
            ShellWork::Plan(plan) => plan.left_out.clone(),
        }
    }
}

impl Tool for RunShellCommandTool {
    fn declaration(&self) -> ToolSpec {
        let silence = describe_silence(self.limits.inactivity);
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            &format!(
                "Runs a command with `bash -c` and returns what it printed, standard output and standard error together, \
                 and its exit code if that is not 0. Each call is a new shell: directories and variables do not carry over. \
                 There is no input, nobody can type: use flags that keep programs from asking. The middle of long output \
                 is left out and kept in a file.{silence} What it started ends with it. For a server or a watcher set \
                 is_background instead of writing `&`; read_background_output follows it up, and it ends with the session."
            ),
        )
    }

    fn limits_own_length(&self) -> bool {
        true
    }

    fn remarks(&self) -> &'static [&'static str] {
        &["description"]
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let args = parse_arguments(args)?;
            let place = self.find_directory(workspace, &args).await?;
            let directory = place.absolute.to_string_lossy().into_owned();
            let description = args.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
            let mut summary = match description {
                Some(description) if args.command.chars().count() > SUMMARY_CHARS => shorten_to_phrase(description),
                _ => shorten_to_phrase(&args.command),
            };
            if args.is_background {
                summary.push_str(" (in the background)");
            }
            Ok(CallPreview {
                kind: ToolKind::Execute,
                grant: Grant::Command { command: with_directory(&args.command, &place), directory: None },
                details: AskDetails::Execute { command: args.command, directory },
                summary,
                protected: None,
                outside: None,
                secret: None,
                options: None,
                agent: None,
                trusted: false,
                misfit: None,
            })
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let args = parse_arguments(&call.args)?;
            let place = self.find_directory(workspace, &args).await?;
            let directory = place.absolute.to_string_lossy().into_owned();
            let now = AskDetails::Execute { command: args.command.clone(), directory };
            if call.ask.as_ref().map(|ask| &ask.details).or(out.judged()).is_some_and(|allowed| *allowed != now) {
                return Ok(ToolRunOutcome::Stale);
            }
            let off_path = if out.trusts_workspace() { Vec::new() } else { self.roots(workspace).await? };
            let work = match &call.plan {
                None => ShellWork::Command { directory: place.absolute, off_path },
                // Only what was judged may run, and that was the plan: no shell gets to read the command.
                Some(plan) => match self.resolve(workspace, plan, &args).await? {
                    Ok(resolved) => ShellWork::Plan(resolved),
                    Err(PlanObjection { why, .. }) => {
                        tracing::debug!(%why, "a command may no longer run without a question");
                        return Ok(ToolRunOutcome::Stale);
                    }
                },
            };
            if args.takes_input && call.plan.is_some() {
                let problem = "argument `takes_input`: this command is allowed without a question, so it runs without a shell and has \
                     no input; give it its input with a here-string";
                return Err(ToolError::BadArguments(problem.into()));
            }
            self.run_work(work, call.id, &args, out).await
        })
    }
}

impl RunShellCommandTool {
    async fn find_directory(&self, workspace: &Path, args: &Arguments) -> Result<WorkspacePath, ToolError> {
        let (workspace, reach) = (workspace.to_owned(), Arc::clone(&self.access));
        let asked = args.dir_path.clone().unwrap_or_default();
        run_blocking(move || {
            let workspace = reach.open(&workspace)?;
            let place = workspace.find(&asked)?;
            workspace.directory(&place, FileOperation::Run)?;
            Ok(place)
        })
        .await
    }

    /// The programs of `plan`, looked up just before they run.
    async fn resolve(
        &self,
        workspace: &Path,
        plan: &CommandPlan,
        args: &Arguments,
    ) -> Result<Result<ResolvedPlan, PlanObjection>, ToolError> {
        let (workspace, reach, plan) = (workspace.to_owned(), Arc::clone(&self.access), plan.clone());
        let streams = if args.is_background { ShellStreams::Pipes } else { self.streams };
        let surroundings = PlanEnvironment { streams, passed: self.environment.clone() };
        run_blocking(move || Ok(plan::resolve(&reach.open(&workspace)?, &plan, &surroundings))).await
    }

    /// The workspace and the directories that were added to it.
    async fn roots(&self, workspace: &Path) -> Result<Vec<PathBuf>, ToolError> {
        let (workspace, reach) = (workspace.to_owned(), Arc::clone(&self.access));
        run_blocking(move || Ok(reach.open(&workspace)?.root_paths().map(Path::to_owned).collect())).await
    }

    /// Run what was allowed, in the foreground or in the background.
    async fn run_work(
        &self,
        work: ShellWork,
        call: CallId,
        args: &Arguments,
        out: &mut dyn ToolCallContext,
    ) -> Result<ToolRunOutcome, ToolError> {
        let broken = |source| ToolError::Io { path: args.command.clone(), doing: FileOperation::Run, source };
        if args.is_background {
            return self.start_in_background(work, args, OutputFileKey { session: out.session(), call }).await;
        }
        let (left_out, output_limit) = (work.left_out(), work.output_limit(&self.limits));
        let running = self.start(work, args, self.streams).await.map_err(broken)?;
        self.finish(running, output_limit, left_out, (call, out)).await.map_err(broken)
    }

    async fn start(&self, work: ShellWork, args: &Arguments, streams: ShellStreams) -> io::Result<RunningProcess> {
        match work {
            ShellWork::Command { directory, off_path } => {
                let rules = EnvironmentRules { passed: &self.environment, off_path: &off_path };
                let input = if args.takes_input { ShellInput::Pipe } else { ShellInput::Nothing };
                start_shell(&args.command, &directory, rules, (streams, input)).await
            }
            ShellWork::Plan(plan) => start_plan(plan.runnable, streams).await,
        }
    }

    /// Start a command that goes on after the call.
    async fn start_in_background(
        &self,
        work: ShellWork,
        args: &Arguments,
        key: OutputFileKey,
    ) -> Result<ToolRunOutcome, ToolError> {
        let broken = |source| ToolError::Io { path: args.command.clone(), doing: FileOperation::Run, source };
        if !self.background.has_room(key.session) {
            let message = format!("{MAX_RUNNING} processes run in the background already; end one with `kill -- -PID`");
            return Err(ToolError::failed("shell_execute_error", message));
        }
        let left_out = work.left_out();
        let store = Arc::clone(&self.output_store);
        let create = move || Ok(store.create_file(key.session, &format!("{}.txt", key.call), MAX_OUTPUT_FILE));
        let log = run_blocking(create).await?.map_err(broken)?;
        let running = self.start(work, args, ShellStreams::Pipes).await.map_err(broken)?;
        let mut process = self.background.adopt(key, &args.command, running, log);
        let delay = args.delay_ms.unwrap_or(DEFAULT_DELAY).min(MAX_DELAY);
        process.wait_for_end(Duration::from_millis(delay as u64)).await;
        let mut result = ending::background_result(&process).map_err(broken)?;
        result.text.extend(left_out.map(|left_out| format!("{left_out}\n")));
        Ok(ToolRunOutcome::succeeded(result))
    }

    /// Follow a command until it ends, and tell how.
    async fn finish(
        &self,
        mut running: RunningProcess,
        output_limit: u64,
        left_out: Option<String>,
        (call, out): (CallId, &mut dyn ToolCallContext),
    ) -> io::Result<ToolRunOutcome> {
        let screen = OutputRenderer::new(self.max_text_chars);
        let mut capture = OutputCapture::new(out, Arc::clone(&self.output_store), call, screen);
        let ending = self.follow(&mut running, output_limit, &mut capture).await?;
        Ok(ToolRunOutcome::Done(ending.outcome(capture.finish().await, left_out)))
    }

    /// Take what the command prints until it ends or has to be ended.
    async fn follow(
        &self,
        running: &mut RunningProcess,
        output_limit: u64,
        capture: &mut OutputCapture<'_>,
    ) -> io::Result<ShellCommandEnding> {
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
                    let leftovers = if stopped { LeftoverProcesses::Stopped } else { LeftoverProcesses::None };
                    return Ok(ShellCommandEnding::Exited(status, leftovers));
                }
                Some(_) => {}
                None if deadline <= Instant::now() => {
                    running.group.stop().await;
                    return Ok(ShellCommandEnding::Silent(self.limits.inactivity));
                }
                None if capture.len() > output_limit => {
                    running.group.stop().await;
                    return Ok(ShellCommandEnding::Flooding(output_limit));
                }
                None => {}
            }
        }
    }
}

/// The sentence about commands that print nothing; none where they may be silent for more than a day.
fn describe_silence(limit: Duration) -> String {
    match limit.as_secs() {
        seconds @ ..=86_400 => format!(" A command that prints nothing for {seconds} seconds is stopped."),
        _ => String::new(),
    }
}

fn parse_arguments(args: &Value) -> Result<Arguments, ToolError> {
    let args: Arguments = parse(args)?;
    if args.command.trim().is_empty() {
        return Err(ToolError::BadArguments("argument `command`: it is empty".into()));
    }
    if args.takes_input && !args.is_background {
        let problem =
            "argument `takes_input`: only a command in the background can be sent input; set is_background, too";
        return Err(ToolError::BadArguments(problem.into()));
    }
    if args.command.contains('\0') {
        return Err(ToolError::BadArguments("argument `command`: it cannot contain a NUL character".into()));
    }
    Ok(args)
}

/// The command as it would be typed in the workspace: a grant for `rm *` in one directory must not cover another.
fn with_directory(command: &str, place: &WorkspacePath) -> String {
    if place.is_workspace() {
        return command.to_owned();
    }
    format!("cd '{}' && {command}", place.name().replace('\'', r"'\''"))
}
