//! A shell command that runs without a shell. Policy reads the command into a plan and judges the plan; the entry that
//! allows the call records it; the tools run exactly it. So no shell ever reads a text that nobody was asked about.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The steps of a command, pipeline by pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CommandPlan {
    /// The directory it runs in, as an absolute path without symbolic links.
    pub directory: String,
    /// True if the person trusted the workspace when it was judged: programs that the workspace brings are found only
    /// then.
    pub trusted: bool,
    /// Run in order.
    pub pipelines: Vec<PlannedPipeline>,
}

impl CommandPlan {
    /// True if every command of it comes with Pollux, and so can change nothing.
    pub fn only_reads(&self) -> bool {
        let mut commands = self.pipelines.iter().flat_map(|pipeline| &pipeline.commands);
        commands.all(|command| command.authority == PlanAuthority::BuiltIn)
    }
}

/// Commands that run at once, each reading what the one before it prints.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedPipeline {
    #[serde(default, skip_serializing_if = "RunCondition::is_always")]
    pub condition: RunCondition,
    /// At least one.
    pub commands: Vec<PlannedCommand>,
}

/// The condition on which a pipeline runs, given the exit code of the last one that ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunCondition {
    /// After `;`, a new line, or nothing.
    #[default]
    Always,
    /// After `&&`.
    AfterSuccess,
    /// After `||`.
    AfterFailure,
}

impl RunCondition {
    fn is_always(&self) -> bool {
        *self == RunCondition::Always
    }
}

/// One program, or one of the few builtins that Pollux runs itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedCommand {
    /// Environment variables for this command alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<(String, String)>,
    /// The time limit of a `timeout N` in front of the command, as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// The name of the program, then its arguments.
    pub words: Vec<PlannedWord>,
    /// In the order in which they take effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirections: Vec<PlannedRedirection>,
    /// Paths that it reads besides its input, as far as that was judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<PlannedRead>,
    /// Programs that it starts with some of its words, as `nice` does. Only of a command that a person allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<InnerCommand>,
    pub authority: PlanAuthority,
}

/// A program that another one starts: `git log` in `nice git log`. It is judged as it would be alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InnerCommand {
    /// Which word of the other command is the first of this one's.
    pub at: usize,
    pub command: PlannedCommand,
}

/// Something on disk that a command looks at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlannedRead {
    /// Its path, relative to the directory of the plan or absolute. A pattern stands for every name that matches it.
    pub path: PlannedWord,
    pub kind: ReadKind,
    /// Which of the command's words it is, if it is one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word: Option<usize>,
}

/// The way in which a command looks at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadKind {
    /// It prints the content of a regular file.
    File,
    /// It looks at names and metadata of a file or a directory, never at content.
    Entry,
    /// It searches the content of all files below a directory.
    Tree,
    /// It looks at names in the git repository that the directory of the plan belongs to. The path is a revision or one in
    /// the work tree.
    Repository,
    /// As [`ReadKind::Repository`], and it prints content of tracked files.
    RepositoryContent,
}

/// The reason why a command may run without a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAuthority {
    /// A rule that comes with Pollux. Its paths are checked and it runs confined to reading the workspace.
    BuiltIn,
    /// A person: by a grant, or by a rule of their own.
    Person,
}

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlannedWord {
    /// Joined without anything in between. No piece is an empty text, so the empty word has no pieces.
    pub pieces: Vec<WordPiece>,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordPiece {
    /// Stands for itself.
    Text(String),
    /// `*`: any characters of a file name, or none.
    AnyText,
    /// `?`: one character of a file name.
    AnyCharacter,
    /// `$?`: the exit code of the last pipeline.
    ExitCode,
}

impl PlannedWord {
    /// A word that is nothing but `text`.
    pub fn text(text: impl Into<String>) -> PlannedWord {
        let text = text.into();
        PlannedWord { pieces: if text.is_empty() { Vec::new() } else { vec![WordPiece::Text(text)] } }
    }

    /// The whole word, if nothing in it depends on files or exit codes.
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [WordPiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The word without any quotes. A quoted `*` looks like a pattern in it.
    pub fn unquoted(&self) -> String {
        let piece = |piece: &WordPiece| match piece {
            WordPiece::Text(text) => text.clone(),
            WordPiece::AnyText => "*".to_owned(),
            WordPiece::AnyCharacter => "?".to_owned(),
            WordPiece::ExitCode => "$?".to_owned(),
        };
        self.pieces.iter().map(piece).collect()
    }

    /// True if it stands for the names of files that match it.
    pub fn is_pattern(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, WordPiece::AnyText | WordPiece::AnyCharacter))
    }
}

/// Where a stream of a command goes to, or comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannedRedirection {
    /// `2>&1`.
    ErrorsToOutput,
    /// `1>&2`.
    OutputToErrors,
    /// `>/dev/null`.
    OutputToNull,
    /// `2>/dev/null`.
    ErrorsToNull,
    /// `&>/dev/null`.
    BothToNull,
    /// `<file`: never a pattern.
    InputFrom(PlannedWord),
}

/// A line for each pipeline, with every word quoted where a reader could take it for something else.
impl fmt::Display for CommandPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, PlannedPipeline { condition, commands }) in self.pipelines.iter().enumerate() {
            let joint = match condition {
                RunCondition::Always => "",
                RunCondition::AfterSuccess => "&& ",
                RunCondition::AfterFailure => "|| ",
            };
            let line_end = if at == 0 { "" } else { "\n" };
            write!(f, "{line_end}{joint}")?;
            for (at, command) in commands.iter().enumerate() {
                write!(f, "{}{command}", if at == 0 { "" } else { " | " })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for PlannedCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={value} ")?;
        }
        if let Some(limit) = &self.timeout {
            write!(f, "timeout {limit} ")?;
        }
        for (at, word) in self.words.iter().enumerate() {
            write!(f, "{}{word}", if at == 0 { "" } else { " " })?;
        }
        for redirection in &self.redirections {
            match redirection {
                PlannedRedirection::ErrorsToOutput => f.write_str(" 2>&1")?,
                PlannedRedirection::OutputToErrors => f.write_str(" 1>&2")?,
                PlannedRedirection::OutputToNull => f.write_str(" >/dev/null")?,
                PlannedRedirection::ErrorsToNull => f.write_str(" 2>/dev/null")?,
                PlannedRedirection::BothToNull => f.write_str(" &>/dev/null")?,
                PlannedRedirection::InputFrom(path) => write!(f, " <{path}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for PlannedWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain =
            |text: &str| text.chars().all(|char| char.is_ascii_alphanumeric() || "-_=+:,./@%^".contains(char));
        match self.literal() {
            Some("") => return f.write_str("''"),
            // The test command and its end; inside a word brackets are a pattern.
            Some(bracket @ ("[" | "]")) => return f.write_str(bracket),
            Some(_) | None => {}
        }
        for piece in &self.pieces {
            match piece {
                WordPiece::Text(text) if is_plain(text) => f.write_str(text)?,
                WordPiece::Text(text) => write!(f, "'{}'", text.replace('\'', r"'\''"))?,
                WordPiece::AnyText => f.write_str("*")?,
                WordPiece::AnyCharacter => f.write_str("?")?,
                WordPiece::ExitCode => f.write_str("$?")?,
            }
        }
        Ok(())
    }
}
