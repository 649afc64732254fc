//! Whether a task is solved: its checker runs in the project as the agent left it, and its exit code says it.

use super::bounded_process;
use super::task_folder::EvalTask;
use crate::process;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No checker takes nearly so long.
const LIMIT: Duration = Duration::from_secs(60);
/// How much of what a checker printed is shown.
const SHOWN_CHARS: usize = 600;

/// What a checker looks at.
pub(super) struct CheckedRun {
    pub(super) project: PathBuf,
    /// Where the agent's answer, its output and the model's requests are, and where the checker's output goes.
    pub(super) records: PathBuf,
}

/// What it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CheckerVerdict {
    Solved,
    /// With the end of what it printed.
    Unsolved(String),
}

impl CheckedRun {
    /// A place for the records of a run, with none in it yet.
    pub(super) fn create(project: PathBuf, records: PathBuf) -> Result<CheckedRun> {
        std::fs::create_dir_all(&records)?;
        let run = CheckedRun { project, records };
        for name in ["answer.txt", "events.jsonl", "requests.jsonl"] {
            std::fs::write(run.records.join(name), "")?;
        }
        Ok(run)
    }

    /// Run the checker of a task.
    pub(super) fn check(&self, task: &EvalTask) -> Result<CheckerVerdict> {
        let is_python = task.checker.extension().is_some_and(|extension| extension == "py");
        let mut command = process::command(if is_python { "python3" } else { "sh" }, &self.project);
        command.arg(&task.checker).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.records).env("LC_ALL", "C.UTF-8").env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("PYTHONPATH", &self.project).env("EVAL_TASK", &task.folder);
        for (variable, name) in
            [("EVAL_ANSWER", "answer.txt"), ("EVAL_EVENTS", "events.jsonl"), ("EVAL_REQUESTS", "requests.jsonl")]
        {
            command.env(variable, self.records.join(name));
        }
        let (output, errors) = (self.records.join("check.out"), self.records.join("check.err"));
        let end = bounded_process::run(&mut command, &output, &errors, LIMIT)?;
        if end.status.is_some_and(|status| status.success()) {
            return Ok(CheckerVerdict::Solved);
        }
        let mut printed = read_text(&output);
        printed.push_str(&read_text(&errors));
        if end.status.is_none() {
            printed.push_str("the checker took too long");
        }
        Ok(CheckerVerdict::Unsolved(last_chars(printed.trim(), SHOWN_CHARS)))
    }
}

/// A checker that is content before anything was done, with an answer that only says what was asked, would be content with
/// anything.
pub(super) fn refuse_before_work(task: &EvalTask, untouched: &CheckedRun) -> Result<()> {
    std::fs::write(untouched.records.join("answer.txt"), &task.settings.prompt)?;
    match untouched.check(task)? {
        CheckerVerdict::Unsolved(_) => Ok(()),
        CheckerVerdict::Solved => {
            bail!("task {}: {} passes before anything was done", task.name, task.checker.display())
        }
    }
}

pub(super) fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

fn last_chars(text: &str, count: usize) -> String {
    text.chars().skip(text.chars().count().saturating_sub(count)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::task_folder::tests::task;
    use super::*;

    fn verdict(name: &str, script: &str) -> (CheckerVerdict, Result<()>) {
        let place = tempfile::tempdir().unwrap();
        let mut task = task("about = 'a'\nprompt = 'seven'\n");
        task.checker = place.path().join(name);
        std::fs::write(&task.checker, script).unwrap();
        let run = CheckedRun::create(place.path().to_owned(), place.path().join("records")).unwrap();
        std::fs::write(run.records.join("answer.txt"), "seven").unwrap();
        (run.check(&task).unwrap(), refuse_before_work(&task, &run))
    }

    #[test]
    fn the_exit_code_of_the_checker_decides() {
        let (solved, refused) = verdict("check.sh", "test \"$(cat \"$EVAL_ANSWER\")\" = seven");
        assert_eq!(solved, CheckerVerdict::Solved);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.ends_with("check.sh passes before anything was done"), "{refused}");
        let (unsolved, accepted) = verdict("check.py", "import sys\nprint('no eight')\nsys.exit(1)");
        assert_eq!(unsolved, CheckerVerdict::Unsolved("no eight".into()));
        assert!(accepted.is_ok());
    }

    #[test]
    fn a_checker_that_breaks_is_no_solution() {
        let (broken, _) = verdict("check.py", "import no_such_module\n");
        assert!(matches!(broken, CheckerVerdict::Unsolved(why) if why.contains("no_such_module")));
    }
}
