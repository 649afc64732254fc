//! A task as a folder of data: what is asked, the project it is asked in, the scripted model's answers and a checker. A new
//! task is a copy of such a folder, so everything that is wrong with one is said with the file it is in.

use super::answer_script::{TaskAnswer, read_answers};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The settings of a task, as `task.toml` has them.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskSettings {
    /// What is hard about it, in a line.
    pub(super) about: String,
    /// What the agent is asked.
    pub(super) prompt: String,
    #[serde(default)]
    pub(super) mode: TaskMode,
    /// Tools that run without asking, as `--allowed-tools` takes them.
    #[serde(default)]
    pub(super) allowed_tools: Vec<String>,
    #[serde(default)]
    pub(super) person: TaskPerson,
    /// More approvals than these are a failure.
    pub(super) most_approvals: Option<u64>,
    /// Why it means nothing without the script: something happens between two of its answers.
    pub(super) scripted_only: Option<String>,
    /// The defect because of which Pollux is known not to solve it. Solving it is a failure, so that the line goes.
    pub(super) unsolved: Option<String>,
    /// How long an agent may take.
    #[serde(default = "usual_seconds")]
    pub(super) seconds: u64,
}

/// What an agent may do without asking.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum TaskMode {
    Default,
    AutoEdit,
    Plan,
    #[default]
    Yolo,
}

impl TaskMode {
    /// The word that `--approval-mode` takes.
    pub(super) fn flag(self) -> &'static str {
        match self {
            TaskMode::Default => "default",
            TaskMode::AutoEdit => "auto_edit",
            TaskMode::Plan => "plan",
            TaskMode::Yolo => "yolo",
        }
    }
}

/// Who is there to be asked.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum TaskPerson {
    #[default]
    Nobody,
    /// Somebody at a terminal who allows whatever is asked.
    Allows,
}

/// A task that can be run.
#[derive(Clone, Debug)]
pub(super) struct EvalTask {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) settings: TaskSettings,
    pub(super) answers: Vec<TaskAnswer>,
    /// `check.sh` or `check.py`.
    pub(super) checker: PathBuf,
}

fn usual_seconds() -> u64 {
    60
}

/// All tasks of a directory by name, or those of them that are wished for.
pub(super) fn load_tasks(directory: &Path, only: &[String]) -> Result<Vec<EvalTask>> {
    let entries = fs::read_dir(directory).with_context(|| format!("no tasks in {}", directory.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    if let Some(unknown) = only.iter().find(|wish| !names.contains(wish)) {
        bail!("there is no task {unknown}; the tasks are {}", names.join(", "));
    }
    names.retain(|name| only.is_empty() || only.contains(name));
    names.into_iter().map(|name| load_task(&directory.join(&name), name)).collect()
}

fn load_task(folder: &Path, name: String) -> Result<EvalTask> {
    let file = |name: &str| -> Result<String> {
        let path = folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
    };
    let in_file = |file: &str| format!("in {}", folder.join(file).display());
    let settings: TaskSettings = toml_edit::de::from_str(&file("task.toml")?).with_context(|| in_file("task.toml"))?;
    for (key, text) in [("about", &settings.about), ("prompt", &settings.prompt)] {
        if text.trim().is_empty() {
            bail!("`{key}` is empty {}", in_file("task.toml"));
        }
    }
    let answers = read_answers(&file("answers.toml")?).with_context(|| in_file("answers.toml"))?;
    let checkers = ["check.sh", "check.py"].map(|name| folder.join(name));
    let checker = match checkers.each_ref().map(|path| path.is_file()) {
        [true, false] => checkers[0].clone(),
        [false, true] => checkers[1].clone(),
        _ => bail!("{} needs a check.sh or a check.py, and not both", folder.display()),
    };
    if !folder.join("project").is_dir() && !folder.join("setup.sh").is_file() {
        bail!("{} has neither the files of a project/ nor a setup.sh that makes them", folder.display());
    }
    Ok(EvalTask { name, folder: folder.to_owned(), settings, answers, checker })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A task with these settings and nothing else.
    pub(in super::super) fn task(settings: &str) -> EvalTask {
        EvalTask {
            name: "one".into(),
            folder: PathBuf::new(),
            settings: toml_edit::de::from_str(settings).unwrap(),
            answers: Vec::new(),
            checker: PathBuf::new(),
        }
    }

    /// A directory of one task called `one`, with these files.
    fn tasks(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("one");
        fs::create_dir_all(folder.join("project")).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
        directory
    }

    const TASK: (&str, &str) = ("task.toml", "about = 'a'\nprompt = 'p'\n");
    const ANSWERS: (&str, &str) = ("answers.toml", "[[answer]]\ntext = 'done'\n");
    const CHECK: (&str, &str) = ("check.sh", "exit 0\n");

    fn fault(files: &[(&str, &str)]) -> String {
        let directory = tasks(files);
        let error = load_tasks(directory.path(), &[]).err().unwrap();
        format!("{error:#}").replace(&directory.path().display().to_string(), "")
    }

    #[test]
    fn a_task_is_its_files() {
        let directory = tasks(&[TASK, ANSWERS, CHECK]);
        let tasks = load_tasks(directory.path(), &[]).unwrap();
        assert_eq!((tasks.len(), tasks[0].name.as_str(), tasks[0].answers.len()), (1, "one", 1));
        let settings = &tasks[0].settings;
        assert_eq!((settings.mode, settings.person, settings.seconds), (TaskMode::Yolo, TaskPerson::Nobody, 60));
        assert!(load_tasks(directory.path(), &["one".into()]).is_ok());
        let error = load_tasks(directory.path(), &["two".into()]).err().unwrap();
        assert_eq!(error.to_string(), "there is no task two; the tasks are one");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_file() {
        assert!(fault(&[ANSWERS, CHECK]).starts_with("/one/task.toml cannot be read"));
        let unknown = fault(&[("task.toml", "about = 'a'\nprompt = 'p'\nmod = 'yolo'\n"), ANSWERS, CHECK]);
        assert!(unknown.starts_with("in /one/task.toml: ") && unknown.contains("unknown field `mod`"), "{unknown}");
        let mode = fault(&[("task.toml", "about = 'a'\nprompt = 'p'\nmode = 'fast'\n"), ANSWERS, CHECK]);
        assert!(mode.contains("line 3") && mode.contains("unknown variant `fast`"), "{mode}");
        let empty = fault(&[("task.toml", "about = 'a'\nprompt = ' '\n"), ANSWERS, CHECK]);
        assert_eq!(empty, "`prompt` is empty in /one/task.toml");
        let answers = fault(&[TASK, ("answers.toml", ""), CHECK]);
        assert!(answers.starts_with("in /one/answers.toml: "), "{answers}");
        assert_eq!(fault(&[TASK, ANSWERS]), "/one needs a check.sh or a check.py, and not both");
        assert_eq!(
            fault(&[TASK, ANSWERS, CHECK, ("check.py", "")]),
            "/one needs a check.sh or a check.py, and not both"
        );
    }
}
