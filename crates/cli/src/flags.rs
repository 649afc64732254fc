//! The command line as it was typed, before it means anything.

mod groups;
mod reading;

pub(crate) use groups::{
    A2aFlags, AgentFlags, DataFlags, DebugFlags, EndpointFlags, ModeFlag, ModelFlags, RuleFlags, TokenFlags,
    agent_name, sharing_flag,
};

use crate::interactive::SessionFlags;
use crate::program_environment::ProgramEnvironment;
use crate::subcommand::CliCommand;
use clap::{Parser, ValueEnum};
use pollux_tui::OutputFormat;
use std::ffi::OsString;
use std::process::ExitCode;

/// Shown below the program's help.
const EXAMPLES: &str = "\
Examples:
  pollux                                 work with the agent in this terminal
  pollux \"fix the failing test\"          the same, beginning with this prompt
  pollux -p \"explain src/main.rs\"        answer one prompt and exit
  git diff | pollux -p \"review this\"     the same, with the piped text before the prompt
  pollux --continue                      resume the newest session of this directory
  pollux --a2a-port 41243                let other clients join this session
  pollux -m ollama:qwen3                 use a local model

Set GEMINI_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY to use a real model; `pollux doctor` checks your setup.
`pollux COMMAND --help` explains a command.";

/// One coding-agent session that your terminal, your scripts and other agents share.
#[derive(Debug, Parser)]
#[command(name = "pollux", version, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(crate) struct CliFlags {
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
    #[command(flatten)]
    pub(crate) session: SessionFlags,
}

impl CliFlags {
    /// Do what they say. The result is the exit code of the program.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        match self.command {
            None => self.session.run(environment).await,
            Some(command) => command.run(environment).await,
        }
    }

    /// The most connections that may be open at once. Commands that have no endpoint make room for as many as others.
    pub(crate) fn max_connections(&self) -> usize {
        match &self.command {
            None => self.session.endpoint.max_connections,
            Some(CliCommand::Serve(flags)) => flags.endpoint.max_connections,
            Some(_) => EndpointFlags::default().max_connections,
        }
    }
}

/// Flags that mean the same wherever they are taken. Where a command does not take one, it is as if nobody gave it.
#[derive(Debug, Default)]
pub(crate) struct BasicFlags {
    pub(crate) agent: AgentFlags,
    pub(crate) data: DataFlags,
    pub(crate) endpoint: EndpointFlags,
    pub(crate) debug: DebugFlags,
    pub(crate) broken_settings: BrokenSettings,
}

impl From<DebugFlags> for BasicFlags {
    fn from(debug: DebugFlags) -> BasicFlags {
        BasicFlags { debug, ..BasicFlags::default() }
    }
}

/// The effect of a settings file of the person's that is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BrokenSettings {
    /// It stops the program: it may be what forbids things.
    #[default]
    Stop,
    /// It is left out and told of.
    LeaveOut,
}

/// How an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub(crate) enum FormatFlag {
    /// The answer alone
    Text,
    /// One JSON object at the end
    Json,
    /// One JSON object per event, as it happens
    StreamJson,
}

impl FormatFlag {
    /// The format that it stands for.
    pub(crate) fn format(self) -> OutputFormat {
        match self {
            FormatFlag::Text => OutputFormat::Text,
            FormatFlag::Json => OutputFormat::Json,
            FormatFlag::StreamJson => OutputFormat::StreamJson,
        }
    }

    /// The format that arguments name which are wrong elsewhere: whoever reads JSON is told in JSON.
    pub(crate) fn find_in_arguments(args: impl IntoIterator<Item = OsString>) -> OutputFormat {
        let args: Vec<String> = args.into_iter().filter_map(|arg| arg.into_string().ok()).collect();
        let named = args.iter().enumerate().find_map(|(at, arg)| match arg.as_str() {
            "-o" | "--output-format" => args.get(at + 1).map(String::as_str),
            arg => arg.strip_prefix("--output-format=").or_else(|| arg.strip_prefix("-o")),
        });
        named.and_then(|name| FormatFlag::from_str(name, false).ok()).map_or(OutputFormat::Text, FormatFlag::format)
    }
}

#[cfg(test)]
mod tests;
