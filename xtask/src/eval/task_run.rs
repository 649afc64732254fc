//! One task done by one agent: a fresh copy of the project, the agent in it, then the checker.

use super::bounded_process;
use super::checker::{CheckedRun, CheckerVerdict, read_text, refuse_before_work};
use super::eval_agent::{EvalAgent, EvalModel};
use super::event_stream::{AgentReport, read_report};
use super::scripted_model::ScriptedModel;
use super::task_folder::{EvalTask, TaskPerson};
use super::terminal_person;
use crate::{fake_gemini, process};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The figures of one task with one agent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TaskFigures {
    pub(super) model_calls: u64,
    /// Of those, requests beside the conversation.
    pub(super) side_calls: u64,
    pub(super) tool_calls: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    /// Calls for which a person was needed: asked at the terminal, or denied because nobody was there.
    pub(super) approvals: u64,
    pub(super) time: Duration,
}

/// The result of one task with one agent.
#[derive(Clone, Debug)]
pub(super) struct TaskOutcome {
    /// Why it is not solved.
    pub(super) unsolved: Option<String>,
    pub(super) figures: TaskFigures,
}

/// Do `task` with `agent` in `scratch`, which is empty; `real` is the model behind it instead of the script.
pub(super) fn run(task: &EvalTask, agent: &EvalAgent, real: Option<&str>, scratch: &Path) -> Result<TaskOutcome> {
    let in_task = || format!("task {}", task.name);
    let (untouched, project, home) = (scratch.join("untouched"), scratch.join("project"), scratch.join("home"));
    prepare(task, &untouched).with_context(in_task)?;
    refuse_before_work(task, &CheckedRun::create(untouched, scratch.join("before"))?)?;
    prepare(task, &project).with_context(in_task)?;
    let temporary = scratch.join("tmp");
    fs::create_dir_all(&home)?;
    fs::create_dir_all(&temporary)?;

    let script = Arc::new(ScriptedModel::new(task.answers.clone(), project.clone()));
    let model = match real {
        Some(name) => EvalModel::Real { name: name.to_owned() },
        None => {
            let script = Arc::clone(&script);
            EvalModel::Scripted { port: fake_gemini::start_with(move |asked| script.answer(asked))? }
        }
    };
    let mut command = agent.command(task, &model, &project, &home)?;
    command.env("TMPDIR", &temporary);
    let run = CheckedRun::create(project, scratch.join("records"))?;
    let (output, errors) = (run.records.join("events.jsonl"), run.records.join("errors.txt"));
    let limit = Duration::from_secs(task.settings.seconds);
    let (end, asked) = match task.settings.person {
        TaskPerson::Nobody => (bounded_process::run(&mut command, &output, &errors, limit)?, 0),
        TaskPerson::Allows => terminal_person::run(&command, &output, limit)?,
    };
    let report = read_report(&read_text(&output));
    fs::write(run.records.join("answer.txt"), &report.answer)?;

    let mut figures = TaskFigures {
        model_calls: report.model_calls,
        tool_calls: report.tool_calls,
        tokens_in: report.tokens_in,
        tokens_out: report.tokens_out,
        approvals: asked + report.denied,
        time: end.time,
        side_calls: 0,
    };
    let mut fault = None;
    if real.is_none() {
        let record = script.take_record();
        fs::write(run.records.join("requests.jsonl"), &record.requests)?;
        // Counted by the model, which counts every agent in the same way.
        figures.model_calls = record.usage.calls + record.usage.side_calls;
        figures.side_calls = record.usage.side_calls;
        figures.tool_calls = record.usage.tool_calls;
        figures.tokens_in = record.usage.tokens_in;
        figures.tokens_out = record.usage.tokens_out;
        fault = record.fault;
    }
    let verdict = run.check(task)?;
    let unsolved = match (verdict, end.status, fault) {
        (CheckerVerdict::Unsolved(why), _, fault) => Some(explain(&why, fault, &report, &errors)),
        (CheckerVerdict::Solved, None, _) => Some(format!("it was stopped after {} s", limit.as_secs())),
        (CheckerVerdict::Solved, Some(_), Some(fault)) => Some(explain("", Some(fault), &report, &errors)),
        (CheckerVerdict::Solved, Some(_), None) => too_many_approvals(task, figures.approvals),
    };
    Ok(TaskOutcome { unsolved, figures })
}

fn too_many_approvals(task: &EvalTask, needed: u64) -> Option<String> {
    let most = task.settings.most_approvals.filter(|most| needed > *most)?;
    Some(format!("it needed {needed} approvals, and {most} are enough"))
}

/// The first reasons that there are, in a line each.
fn explain(why: &str, fault: Option<String>, report: &AgentReport, errors: &Path) -> String {
    let mut reasons = Vec::from_iter(fault);
    reasons.extend((!why.is_empty()).then(|| format!("the checker says: {why}")));
    reasons.extend(report.error.as_ref().map(|error| format!("the agent says: {error}")));
    if report.model_calls == 0 {
        reasons.extend(Some(read_text(errors).trim().to_owned()).filter(|text| !text.is_empty()));
    }
    if reasons.is_empty() {
        reasons.push("the checker fails and says nothing".to_owned());
    }
    reasons.join("\n")
}

/// Copy the project of a task and set it up.
fn prepare(task: &EvalTask, project: &Path) -> Result<()> {
    fs::create_dir_all(project)?;
    let files = task.folder.join("project");
    if files.is_dir() {
        copy_tree(&files, project)?;
    }
    let setup = task.folder.join("setup.sh");
    if !setup.is_file() {
        return Ok(());
    }
    let mut command = process::command("sh", project);
    command.arg(&setup).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", project).env("LC_ALL", "C.UTF-8");
    let output = command.output().context("sh could not be started")?;
    if !output.status.success() {
        bail!("setup.sh ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, source, target) = (entry.file_type()?, entry.path(), to.join(entry.file_name()));
        if kind.is_dir() {
            copy_tree(&source, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target).with_context(|| format!("{} cannot be copied", source.display()))?;
        } else {
            bail!("{} is neither a file nor a directory; let setup.sh make it", source.display());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::task_folder::load_tasks;

    /// A task in a place of its own: write "done" into `note.txt`, which says "open".
    struct TestTask {
        place: tempfile::TempDir,
        task: EvalTask,
    }

    impl TestTask {
        fn new(check: &str) -> TestTask {
            let place = tempfile::tempdir().unwrap();
            let folder = place.path().join("tasks/note");
            fs::create_dir_all(folder.join("project/notes")).unwrap();
            fs::write(folder.join("task.toml"), "about = 'a'\nprompt = 'finish it'\nseconds = 2\n").unwrap();
            fs::write(folder.join("answers.toml"), "[[answer]]\ntext = 'x'\n").unwrap();
            fs::write(folder.join("check.sh"), check).unwrap();
            fs::write(folder.join("setup.sh"), "echo open > notes/note.txt\n").unwrap();
            fs::write(folder.join("project/notes/other.txt"), "kept\n").unwrap();
            let task = load_tasks(&place.path().join("tasks"), &[]).unwrap().remove(0);
            TestTask { place, task }
        }

        /// Let a shell script be the agent, with a real model that it never asks.
        fn run(&self, script: &str) -> Result<TaskOutcome> {
            let words = ["sh", "-c", script, "{prompt}"].map(str::to_owned).into();
            run(&self.task, &EvalAgent::Other { words }, Some("none"), &self.place.path().join("scratch"))
        }
    }

    const CHECK: &str = "grep -q done notes/note.txt || { echo 'not done'; exit 1; }\ngrep -q kept notes/other.txt\n";

    #[test]
    fn an_agent_that_does_the_task_solves_it() {
        let outcome = TestTask::new(CHECK).run("echo done > notes/note.txt").unwrap();
        assert_eq!(outcome.unsolved, None);
        assert!(!outcome.figures.time.is_zero());
    }

    #[test]
    fn one_that_does_nothing_does_not() {
        let outcome = TestTask::new(CHECK).run("echo finished").unwrap();
        assert_eq!(outcome.unsolved.as_deref(), Some("the checker says: not done"));
    }

    #[test]
    fn nor_one_that_never_ends() {
        let outcome = TestTask::new(CHECK).run("echo done > notes/note.txt; sleep 60").unwrap();
        assert_eq!(outcome.unsolved.as_deref(), Some("it was stopped after 2 s"));
    }

    #[test]
    fn nor_one_that_does_it_without_the_model() {
        let test = TestTask::new(CHECK);
        let words = ["sh", "-c", "echo done > notes/note.txt", "{prompt}"].map(str::to_owned).into();
        let outcome = run(&test.task, &EvalAgent::Other { words }, None, &test.place.path().join("scratch")).unwrap();
        assert_eq!(outcome.unsolved.as_deref(), Some("the agent stopped before the model was done"));
    }

    #[test]
    fn a_checker_that_cannot_fail_is_a_bad_task() {
        let error = TestTask::new("exit 0\n").run("true").err().unwrap().to_string();
        assert!(error.starts_with("task note: ") && error.ends_with("passes before anything was done"), "{error}");
    }

    #[test]
    fn more_approvals_than_the_task_grants_are_a_failure() {
        let mut test = TestTask::new(CHECK);
        test.task.settings.most_approvals = Some(1);
        let denied = r#"{"type":"tool_result","error":{"type":"denied"}}"#;
        let script = |count| format!("echo done > notes/note.txt; for n in {count}; do echo '{denied}'; done");
        let outcome = test.run(&script("1 2")).unwrap();
        assert_eq!(outcome.unsolved.as_deref(), Some("it needed 2 approvals, and 1 are enough"));
        fs::remove_dir_all(test.place.path().join("scratch")).unwrap();
        assert_eq!(test.run(&script("1")).unwrap().unsolved, None);
    }

    #[test]
    fn a_setup_that_fails_is_a_bad_task() {
        let test = TestTask::new(CHECK);
        fs::write(test.task.folder.join("setup.sh"), "echo no such tool >&2; exit 4\n").unwrap();
        let error = format!("{:#}", test.run("true").err().unwrap());
        assert_eq!(error, "task note: setup.sh ended with exit status: 4: no such tool");
    }
}
