//! Commands from TOML files, in Gemini CLI's format: `prompt` is told to the model, with the arguments, files and the
//! output of shell commands filled in.

mod files;
mod template;

use super::{Answer, Asked, Attachment, Command, Occasion, optional, taking};
use pollux_session::{CommandInfo, Pending};
use pollux_tools::{McpContent, run_file_work};
use serde_json::json;
use std::path::PathBuf;
use template::{Piece, Template};

/// The tool that `!{...}` runs with.
const SHELL: &str = "run_shell_command";

/// The directories command files lie in.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    /// The workspace's, if it is trusted.
    pub(super) workspace: Option<PathBuf>,
    /// The person's own.
    pub(super) own: Option<PathBuf>,
    /// Those of extensions, by the extension's name.
    pub(super) extensions: Vec<(String, PathBuf)>,
}

/// A command from a file.
pub(super) struct Custom {
    name: String,
    description: String,
    template: Template,
}

/// The command that `word` names, if a file has that name. An error says what is wrong with the file.
pub(super) async fn named(shelf: Shelf, word: String) -> Option<Result<Custom, String>> {
    let read = run_file_work(move || files::find(&shelf, &word));
    read.await.unwrap_or_else(|error| Some(Err(format!("command files cannot be read: {error}"))))
}

/// Every command that files hold. One that cannot be used says so in its description.
pub(super) async fn all(shelf: Shelf) -> Vec<CommandInfo> {
    let read = run_file_work(move || files::all(&shelf));
    read.await.unwrap_or_else(|error| {
        tracing::warn!("command files cannot be read: {error}");
        Vec::new()
    })
}

impl Command for Custom {
    fn info(&self) -> CommandInfo {
        taking(&self.name, &self.description, optional("args", "What the command's text is filled in with"))
    }

    /// They go into the text as they are.
    fn reads_its_own_arguments(&self) -> bool {
        true
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, asked: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            let commands = self.template.shell_commands(&asked.rest);
            let outcomes = occasion.calls();
            if outcomes.is_empty() && !commands.is_empty() {
                let why = |command: &str| format!("/{} runs this to fill in its text: {command}", self.name);
                let calls =
                    commands.iter().map(|command| (SHELL, json!({ "command": command, "description": why(command) })));
                return Ok(Answer::call(calls));
            }
            let mut outputs = Vec::new();
            for (command, outcome) in commands.iter().zip(outcomes) {
                outputs.push(outcome.map_err(|why| format!("/{} could not run `{command}`: {why}", self.name))?);
            }
            let content = self.fill_in(occasion, &asked.rest, outputs).await?;
            Ok(Answer::hand(Attachment { name: format!("/{}", self.name), content }))
        })
    }
}

impl Custom {
    /// The text for the model.
    async fn fill_in(&self, occasion: &Occasion<'_>, args: &str, outputs: Vec<String>) -> Result<McpContent, String> {
        let (mut content, mut outputs) = (McpContent { text: String::new(), media: Vec::new() }, outputs.into_iter());
        for piece in &self.template.pieces {
            match piece {
                Piece::Text(text) => content.text.push_str(text),
                Piece::Args => content.text.push_str(args),
                Piece::Shell(_) => content.text.push_str(&outputs.next().unwrap_or_default()),
                Piece::File(path) => {
                    let toolbox = &occasion.desk()?.toolbox;
                    let injected = toolbox.inject(occasion.workspace(), std::slice::from_ref(path)).await;
                    content.text.push_str(&injected.text);
                    content.text.extend(injected.notes.iter().map(|note| format!("[{note}]")));
                    content.media.extend(injected.media);
                }
            }
        }
        if !self.template.takes_args() && !args.is_empty() {
            content.text.push_str(&format!("\n\n{}", occasion.prompt.trim()));
        }
        Ok(content)
    }
}
