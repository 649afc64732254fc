//! The agents that can be put before the tasks, and the command with which each does one.

use super::task_folder::EvalTask;
use crate::gemini_cli::{self, GeminiCli};
use crate::process;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An agent.
pub(super) enum EvalAgent {
    Pollux {
        binary: PathBuf,
    },
    GeminiCli(GeminiCli),
    /// Any other headless program: the words of its command line.
    Other {
        words: Vec<String>,
    },
}

/// The model behind it.
#[derive(Clone, Debug)]
pub(super) enum EvalModel {
    /// The task's script, at this port.
    Scripted { port: u16 },
    /// A real one by its name; keys come from the environment.
    Real { name: String },
}

impl EvalAgent {
    /// Read `CMD {prompt}`, as the flag has it.
    pub(super) fn other(command: &str) -> Result<EvalAgent> {
        let words = Vec::from_iter(command.split_whitespace().map(str::to_owned));
        if !words.iter().any(|word| word.contains("{prompt}")) {
            bail!("--agent-command {command:?} has no {{prompt}}: say where the agent takes the task");
        }
        Ok(EvalAgent::Other { words })
    }

    /// Its name in the table.
    pub(super) fn name(&self) -> &str {
        match self {
            EvalAgent::Pollux { .. } => "pollux",
            EvalAgent::GeminiCli(_) => gemini_cli::NAME,
            EvalAgent::Other { words } => words
                .first()
                .and_then(|word| Path::new(word).file_name())
                .and_then(|name| name.to_str())
                .unwrap_or("agent"),
        }
    }

    /// The command that does `task` in `project`, with a `home` of its own.
    pub(super) fn command(&self, task: &EvalTask, model: &EvalModel, project: &Path, home: &Path) -> Result<Command> {
        let mut command = match self {
            EvalAgent::Pollux { binary } => process::command(binary, project),
            EvalAgent::GeminiCli(cli) => cli.with_home(home.to_owned())?.program(project),
            EvalAgent::Other { words } => return other_command(words, task, model, project),
        };
        give_environment(&mut command, model);
        command.env("HOME", home);
        let name = match model {
            EvalModel::Scripted { .. } => gemini_cli::MODEL,
            EvalModel::Real { name } => name,
        };
        command.args(["-m", name, "-o", "stream-json", "--approval-mode", task.settings.mode.flag()]);
        if !task.settings.allowed_tools.is_empty() {
            command.arg("--allowed-tools").arg(task.settings.allowed_tools.join(","));
        }
        command.args(["-p", &task.settings.prompt]);
        Ok(command)
    }
}

fn other_command(words: &[String], task: &EvalTask, model: &EvalModel, project: &Path) -> Result<Command> {
    let port = match model {
        EvalModel::Scripted { port } => port.to_string(),
        EvalModel::Real { .. } => String::new(),
    };
    let name = match model {
        EvalModel::Scripted { .. } => gemini_cli::MODEL,
        EvalModel::Real { name } => name,
    };
    let fill = |word: &String| {
        let word = word.replace("{port}", &port).replace("{model}", name).replace("{mode}", task.settings.mode.flag());
        word.replace("{prompt}", &task.settings.prompt)
    };
    let (program, arguments) = words.split_first().context("the agent's command is empty")?;
    let mut command = process::command(fill(program), project);
    command.args(arguments.iter().map(fill));
    give_environment(&mut command, model);
    if let Some(home) = std::env::var_os("HOME") {
        command.env("HOME", home);
    }
    Ok(command)
}

/// The script's address and nothing of ours, or all of ours for a real model: the keys are there.
fn give_environment(command: &mut Command, model: &EvalModel) {
    if let EvalModel::Scripted { port } = model {
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("GEMINI_API_KEY", "x").env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"));
    }
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true").env("NO_COLOR", "1");
}

#[cfg(test)]
mod tests {
    use super::super::task_folder::tests::task;
    use super::*;

    fn line(agent: &EvalAgent, model: &EvalModel) -> String {
        let mut task =
            task("about = 'a'\nprompt = 'fix it'\nmode = 'auto_edit'\nallowed_tools = ['glob', 'grep_search']\n");
        task.name = "t".into();
        process::describe(&agent.command(&task, model, Path::new("p"), Path::new("h")).unwrap())
    }

    #[test]
    fn an_agent_is_told_the_task_and_its_mode() {
        let pollux = EvalAgent::Pollux { binary: "x/pollux".into() };
        assert_eq!(
            line(&pollux, &EvalModel::Real { name: "ollama:qwen3".into() }),
            "pollux -m ollama:qwen3 -o stream-json --approval-mode auto_edit --allowed-tools glob,grep_search -p fix it"
        );
        let other = EvalAgent::other("bin/agent --port {port} --mode={mode} {prompt}").unwrap();
        assert_eq!(other.name(), "agent");
        assert_eq!(line(&other, &EvalModel::Scripted { port: 7 }), "agent --port 7 --mode=auto_edit fix it");
    }

    #[test]
    fn a_command_without_a_place_for_the_task_is_refused() {
        let fault = EvalAgent::other("agent --yes").err().unwrap().to_string();
        assert_eq!(fault, "--agent-command \"agent --yes\" has no {prompt}: say where the agent takes the task");
    }
}
