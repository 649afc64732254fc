//! `/memory`: what the person wants the model to know.

use super::{Answer, Asked, Command, Occasion, group, needed, plain, taking};
use crate::memory;
use pollux_session::{CommandInfo, Pending};
use pollux_tools::run_file_work;
use serde_json::json;
use std::path::PathBuf;

/// The command.
pub(super) struct Memory;

/// The tool that remembers.
const TOOL: &str = "save_memory";

impl Command for Memory {
    fn info(&self) -> CommandInfo {
        let subcommands = vec![
            plain("show", "What the memory files say"),
            taking("add", "Remember something, in every session", needed("text", "What to remember, in a sentence")),
            plain("refresh", "Read the memory files again"),
            plain("list", "The memory files that are read"),
        ];
        group("memory", "What you want the model to know", subcommands)
    }

    fn otherwise(&self, _: &str) -> Option<&'static str> {
        Some("show")
    }

    fn step<'a>(&'a self, occasion: &'a Occasion<'a>, asked: &'a Asked) -> Pending<'a, Result<Answer, String>> {
        Box::pin(async move {
            match asked.sub.as_str() {
                "add" => add(occasion, asked),
                sub => {
                    let (files, text) = read(occasion).await?;
                    Ok(Answer::say(match sub {
                        "list" => listed(&files),
                        // Memory is read anew for every model call; this only says what is there now.
                        "refresh" => format!("{} It is read again for every model call.", summed_up(&files, &text)),
                        _ if text.is_empty() => nothing(occasion),
                        _ => format!("{}\n\n{text}", summed_up(&files, &text)),
                    }))
                }
            }
        })
    }
}

fn add(occasion: &Occasion<'_>, asked: &Asked) -> Result<Answer, String> {
    match occasion.calls().pop() {
        Some(Ok(text)) => Ok(Answer::say(text)),
        Some(Err(why)) => Err(format!("nothing was remembered: {why}")),
        None if occasion.desk()?.toolbox.names().iter().any(|name| name == TOOL) => {
            Ok(Answer::call([(TOOL, json!({ "fact": asked.argument() }))]))
        }
        None => Err(format!("nothing was remembered: this session does not have the tool {TOOL}")),
    }
}

/// The files and what the model is told of them.
async fn read(occasion: &Occasion<'_>) -> Result<(Vec<PathBuf>, String), String> {
    let (workspace, settings) = (occasion.workspace().to_owned(), occasion.agent.settings.clone());
    let added = occasion.desk().map(|desk| desk.toolbox.include_directories().to_vec()).unwrap_or_default();
    let read = run_file_work(move || {
        let files = memory::paths(&workspace, &added, &settings.memory);
        (files, memory::load(&workspace, &added, &settings.memory))
    });
    read.await.map_err(|error| format!("the memory files could not be read: {error}"))
}

fn listed(files: &[PathBuf]) -> String {
    let lines = files.iter().map(|file| format!("- {}", file.display()));
    std::iter::once(counted(files)).chain(lines).collect::<Vec<_>>().join("\n")
}

fn summed_up(files: &[PathBuf], text: &str) -> String {
    format!("{} {} characters are told to the model.", counted(files), text.chars().count())
}

fn counted(files: &[PathBuf]) -> String {
    match files.len() {
        1 => "There is 1 memory file.".to_owned(),
        count => format!("There are {count} memory files."),
    }
}

fn nothing(occasion: &Occasion<'_>) -> String {
    let names = occasion.agent.settings.memory.names.join(" or ");
    format!("There is no memory: no {names} in the workspace, and none of your own. /memory add TEXT begins one.")
}
