//! The files: `git/commit.toml` is the command `git:commit`. They are read when they are asked for.

use super::template::PromptTemplate;
use super::{CommandDirectories, CustomCommand};
use crate::commands::SlashCommand;
use pollux_files::read_text;
use pollux_session::CommandInfo;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest file.
const MAX_BYTES: u64 = 64 * 1024;
/// The most files of one directory, and how deep it is looked into.
const MAX_FILES: usize = 500;
const MAX_DEPTH: usize = 6;

/// What a file says.
#[derive(Deserialize)]
struct CommandFile {
    prompt: String,
    #[serde(default)]
    description: Option<String>,
}

/// The command `word`, from the first file that has its name.
pub(super) fn find_command(shelf: &CommandDirectories, word: &str) -> Option<Result<CustomCommand, String>> {
    let (name, file) = list_files(shelf).into_iter().find(|(name, _)| name == word)?;
    Some(read(name, &file))
}

/// Every command, each name once.
pub(super) fn list_commands(shelf: &CommandDirectories) -> Vec<CommandInfo> {
    let infos = list_files(shelf).into_iter().map(|(name, file)| match read(name.clone(), &file) {
        Ok(command) => command.info(),
        Err(why) => CommandInfo { name, description: format!("cannot be used: {why}"), ..CommandInfo::default() },
    });
    infos.collect()
}

/// The files by the names of their commands: the workspace's before the person's own before those of extensions. One
/// of an extension whose name is taken is called `EXTENSION.NAME`.
fn list_files(shelf: &CommandDirectories) -> Vec<(String, PathBuf)> {
    let mut known: Vec<(String, PathBuf)> = Vec::new();
    for directory in shelf.workspace.iter().chain(&shelf.own) {
        for (name, file) in files_in(directory) {
            if known.iter().all(|(taken, _)| *taken != name) {
                known.push((name, file));
            }
        }
    }
    for (extension, directory) in &shelf.extensions {
        for (name, file) in files_in(directory) {
            let taken = known.iter().any(|(taken, _)| *taken == name);
            known.push((if taken { format!("{extension}.{name}") } else { name }, file));
        }
    }
    known
}

fn files_in(directory: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut waiting = vec![(directory.to_owned(), String::new(), 0)];
    while let Some((directory, prefix, depth)) = waiting.pop() {
        // A directory that is not there or not ours to read has no commands.
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Some(name) = name.to_str() else { continue };
            if path.is_dir() && depth < MAX_DEPTH && waiting.len() < MAX_FILES {
                waiting.push((path, format!("{prefix}{}:", tidy(name)), depth + 1));
            } else if let Some(stem) = name.strip_suffix(".toml")
                && found.len() < MAX_FILES
            {
                found.push((format!("{prefix}{}", tidy(stem)), path));
            }
        }
    }
    found.sort();
    found
}

/// A file's name as a word that can be typed: a colon stands between directories, and a blank would end it.
fn tidy(name: &str) -> String {
    let plain = |letter: char| !letter.is_whitespace() && !letter.is_control() && !matches!(letter, ':' | '/');
    name.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect()
}

fn read(name: String, file: &Path) -> Result<CustomCommand, String> {
    let wrong = |why: String| format!("the command file {}: {why}", file.display());
    let text = read_text(file, MAX_BYTES).map_err(|error| wrong(error.to_string()))?;
    let written: CommandFile = toml_edit::de::from_str(&text).map_err(|error| wrong(error.message().to_owned()))?;
    let template = PromptTemplate::parse(&written.prompt).map_err(wrong)?;
    let description = written.description.filter(|words| !words.trim().is_empty());
    let description = description.unwrap_or_else(|| format!("Your own command, from {}", file.display()));
    Ok(CustomCommand { name, description, template })
}

#[cfg(test)]
mod tests;
