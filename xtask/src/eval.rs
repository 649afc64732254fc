//! `cargo xtask eval`: tasks in small projects, done by an agent and checked by running what it left. By default the model is
//! a script, so a run is offline and always the same; it shows what the agent makes of a model's answers, not how good a
//! model is. docs/EVALUATION.md has the figures and says how to add a task.

mod answer_script;
mod bounded_process;
mod checker;
mod eval_agent;
mod event_stream;
mod figures_page;
mod result_table;
mod scripted_model;
mod task_folder;
mod task_run;
mod terminal_person;

use crate::gemini_cli::{self, GeminiCli};
use crate::{process, repo, say};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use eval_agent::EvalAgent;
use result_table::ResultTable;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use task_folder::{EvalTask, TaskPerson};
use task_run::TaskOutcome;

/// Where the tasks are.
const TASKS: &str = "xtask/eval/tasks";

/// An agent that is known by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KnownAgent {
    /// The program of this checkout.
    Pollux,
    /// Gemini CLI 0.61 from npm.
    Gemini,
}

/// What to run, and with whom.
#[derive(Args, Default)]
pub(crate) struct EvalArgs {
    /// Run only these tasks, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// The agents, side by side, separated by commas [default: pollux]
    #[arg(long, value_enum, value_delimiter = ',')]
    agent: Vec<KnownAgent>,
    /// Another headless agent, as a command with {prompt}, and {port}, {model} and {mode} where it needs them
    #[arg(long, value_name = "CMD")]
    agent_command: Option<String>,
    /// Ask this real model instead of the script; keys come from the environment
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Use this binary of Pollux instead of building one
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// How many tasks run at once [default: one for each processor]
    #[arg(long)]
    jobs: Option<NonZero<usize>>,
    /// Keep the projects as the agents left them, and say where they are
    #[arg(long)]
    keep: bool,
    /// Write the figures to docs/EVALUATION.md
    #[arg(long)]
    save: bool,
}

/// Run the tasks and print what they took; fails if Pollux does not solve what it is known to solve with the script.
pub(crate) fn run(wish: &EvalArgs) -> Result<()> {
    if wish.save && !wish.only.is_empty() {
        bail!("--save keeps the figures of all tasks; leave out --only");
    }
    let root = repo::root()?;
    let tasks = wanted_tasks(&root, wish)?;
    let agents = agents(&root, wish)?;
    let scratch = tempfile::Builder::new().prefix("pollux-eval-").tempdir().context("no place for the projects")?;
    let jobs = wish.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
    let pairs = Vec::from_iter(tasks.iter().flat_map(|task| agents.iter().map(move |agent| (task, agent))));
    let outcomes = run_all(&pairs, jobs, |task, agent| {
        if !can_do(agent, task) {
            return Ok(None);
        }
        let prefix = format!("{}-{}-", task.name, agent.name().replace(' ', "-"));
        let mut place = tempfile::Builder::new().prefix(&prefix).tempdir_in(scratch.path())?;
        place.disable_cleanup(wish.keep);
        let outcome = task_run::run(task, agent, wish.model.as_deref(), place.path())?;
        Ok(Some(outcome))
    })?;

    let rows = tasks.iter().zip(outcomes.chunks(agents.len()));
    let rows = rows.map(|(task, outcomes)| (task.name.clone(), outcomes.to_vec())).collect();
    let table = ResultTable { agents: agents.iter().map(|agent| agent.name().to_owned()).collect(), rows };
    say(table.render());
    for ((task, agent), outcome) in pairs.iter().zip(&outcomes) {
        let Some(why) = outcome.as_ref().and_then(|outcome| outcome.unsolved.as_ref()) else { continue };
        let known = task.settings.unsolved.as_ref().filter(|_| matches!(agent, EvalAgent::Pollux { .. }));
        let known = known.map(|defect| format!(" (known: {defect})")).unwrap_or_default();
        say(format_args!("{}, {}: not solved{known}: {}", task.name, agent.name(), why.replace('\n', "\n  ")));
    }
    if wish.keep {
        say(format_args!("the projects are in {}", scratch.keep().display()));
    }
    if wish.save {
        figures_page::save(&root, &format!("{}\n{}", notes(wish, jobs), table.render_markdown()))?;
    }
    let surprises = Vec::from_iter(pairs.iter().zip(&outcomes).filter_map(|((task, agent), outcome)| {
        let is_pollux = wish.model.is_none() && matches!(agent, EvalAgent::Pollux { .. });
        surprise(task, outcome.as_ref().filter(|_| is_pollux)?)
    }));
    if !surprises.is_empty() {
        bail!("{}", surprises.join("; "));
    }
    Ok(())
}

/// What CI runs: every task, with the binary that was built for the tests.
pub(crate) fn check(binary: PathBuf) -> Result<()> {
    run(&EvalArgs { binary: Some(binary), ..EvalArgs::default() })
}

/// The tasks of this run.
fn wanted_tasks(root: &Path, wish: &EvalArgs) -> Result<Vec<EvalTask>> {
    let mut tasks = task_folder::load_tasks(&root.join(TASKS), &wish.only)?;
    if wish.model.is_some() {
        tasks.retain(|task| {
            let scripted = task.settings.scripted_only.as_ref();
            if let Some(why) = scripted {
                say(format_args!("{}: left out, it needs the script: {why}", task.name));
            }
            scripted.is_none()
        });
    }
    if tasks.is_empty() {
        bail!("there is no task to run");
    }
    Ok(tasks)
}

fn agents(root: &Path, wish: &EvalArgs) -> Result<Vec<EvalAgent>> {
    let mut known = wish.agent.clone();
    if known.is_empty() && wish.agent_command.is_none() {
        known.push(KnownAgent::Pollux);
    }
    let target = repo::target_dir(root)?;
    let mut agents = Vec::new();
    for agent in known {
        agents.push(match agent {
            KnownAgent::Pollux => EvalAgent::Pollux { binary: pollux(root, &target, wish)? },
            KnownAgent::Gemini => {
                let home = target.join("eval/gemini-home");
                let cli = GeminiCli::find(root, &target.join("peers"), home)?;
                EvalAgent::GeminiCli(cli.with_context(|| format!("{} cannot be run here", gemini_cli::NAME))?)
            }
        });
    }
    if let Some(command) = &wish.agent_command {
        agents.push(EvalAgent::other(command)?);
    }
    Ok(agents)
}

fn pollux(root: &Path, target: &Path, wish: &EvalArgs) -> Result<PathBuf> {
    if let Some(binary) = &wish.binary {
        return std::fs::canonicalize(binary).with_context(|| format!("no {}", binary.display()));
    }
    process::run(process::cargo(root).args(["build", "--package", "pollux-cli"]))?;
    Ok(target.join("debug/pollux"))
}

/// Only Pollux is known to ask at a terminal while it prints events.
fn can_do(agent: &EvalAgent, task: &EvalTask) -> bool {
    matches!(agent, EvalAgent::Pollux { .. }) || task.settings.person == TaskPerson::Nobody
}

/// Run everything, some at once; the results in the order of the pairs.
fn run_all(
    pairs: &[(&EvalTask, &EvalAgent)],
    jobs: usize,
    work: impl Fn(&EvalTask, &EvalAgent) -> Result<Option<TaskOutcome>> + Sync,
) -> Result<Vec<Option<TaskOutcome>>> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((task, agent)) = pairs.get(index) else { return done };
            done.push((index, work(task, agent)));
        }
    };
    let mut done = Vec::new();
    thread::scope(|scope| {
        let workers = Vec::from_iter((0..jobs).map(|_| scope.spawn(worker)));
        workers.into_iter().for_each(|worker| done.extend(worker.join().unwrap_or_default()));
    });
    if done.len() < pairs.len() {
        bail!("a task ended with a panic");
    }
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, outcome)| outcome).collect()
}

/// What is not as the task says, for Pollux with the script.
fn surprise(task: &EvalTask, outcome: &TaskOutcome) -> Option<String> {
    match (&outcome.unsolved, &task.settings.unsolved) {
        (None, None) | (Some(_), Some(_)) => None,
        (Some(_), None) => Some(format!("task {} is not solved", task.name)),
        (None, Some(_)) => Some(format!("task {} is solved now: remove `unsolved` from its task.toml", task.name)),
    }
}

/// What the figures were measured with.
fn notes(wish: &EvalArgs, jobs: usize) -> String {
    let model = wish.model.as_deref().unwrap_or("the script");
    let build = if wish.binary.is_some() { "the binary of `--binary`" } else { "a debug build" };
    let date = jiff::Zoned::now().date();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load =
        load.split(' ').next().map(|load| format!(" The machine's load was {load} at the end.")).unwrap_or_default();
    format!("{date}, model: {model}, Pollux: {build}, tasks at once: {jobs}.{load}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::task_folder::tests::task;
    use crate::eval::task_run::TaskFigures;

    fn outcome(unsolved: Option<&str>) -> TaskOutcome {
        TaskOutcome { unsolved: unsolved.map(str::to_owned), figures: TaskFigures::default() }
    }

    #[test]
    fn a_task_that_ends_otherwise_than_it_says_is_seen() {
        let solvable = task("about = 'a'\nprompt = 'p'\n");
        let known = task("about = 'a'\nprompt = 'p'\nunsolved = 'a defect'\n");
        assert_eq!(surprise(&solvable, &outcome(None)), None);
        assert_eq!(surprise(&known, &outcome(Some("why"))), None);
        assert_eq!(surprise(&solvable, &outcome(Some("why"))), Some("task one is not solved".into()));
        let solved = "task one is solved now: remove `unsolved` from its task.toml";
        assert_eq!(surprise(&known, &outcome(None)), Some(solved.into()));
    }

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let tasks =
            ["a", "b", "c", "d"].map(|name| EvalTask { name: name.into(), ..task("about = 'a'\nprompt = 'p'\n") });
        let agent = EvalAgent::other("x {prompt}").unwrap();
        let pairs = Vec::from_iter(tasks.iter().map(|task| (task, &agent)));
        let outcomes = run_all(&pairs, 3, |task, _| Ok(Some(outcome(Some(&task.name))))).unwrap();
        let names = outcomes.into_iter().map(|outcome| outcome.unwrap().unsolved.unwrap());
        assert_eq!(names.collect::<String>(), "abcd");
        let failed = run_all(&pairs, 2, |task, _| bail!("{} is bad", task.name));
        assert_eq!(failed.unwrap_err().to_string(), "a is bad");
    }

    /// The tasks of this checkout can be read, and there are as many as were promised.
    #[test]
    fn the_tasks_of_this_checkout_are_whole() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let tasks = task_folder::load_tasks(&root.join(TASKS), &[]).unwrap();
        assert!(tasks.len() >= 40, "{}", tasks.len());
    }
}
