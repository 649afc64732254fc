//! Programs that only look: `programs.toml` says which options of each are harmless and which of its words are paths.
//!
//! A command passes only if every word of it is accounted for. What it would read comes back as [`PlannedRead`]s, which
//! are checked against the disk before it runs.

mod find;
mod options;
mod own_builtins;

#[cfg(test)]
mod tests;

use options::{OptionKind, split_options};
use pollux_session::{PlannedRead, PlannedWord, ReadKind, WordPiece};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

static TABLES: LazyLock<Result<BTreeMap<String, ProgramTable>, String>> = LazyLock::new(|| {
    let rows: BTreeMap<String, ProgramRow> =
        toml_edit::de::from_str(include_str!("programs.toml")).map_err(|error| error.to_string())?;
    Ok(rows.into_iter().map(|(name, row)| (name, ProgramTable::from(row))).collect())
});

/// One program as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramRow {
    #[serde(default)]
    flags: String,
    #[serde(default)]
    texts: String,
    #[serde(default)]
    files: String,
    operands: Operands,
    most: Option<usize>,
    #[serde(default)]
    numbers: bool,
    #[serde(default)]
    recursive: String,
    #[serde(default)]
    patterned: String,
    #[serde(default)]
    content: String,
}

/// What a program may be told.
pub(crate) struct ProgramTable {
    options: HashMap<String, OptionKind>,
    operands: Operands,
    most: Option<usize>,
    numbers: bool,
    recursive: Vec<String>,
    patterned: Vec<String>,
    content: Vec<String>,
}

/// What the words of a program are that are no options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Operands {
    None,
    Text,
    Files,
    Entries,
    PatternFiles,
    PatternTrees,
    LinesOfFiles,
    Find,
    Revisions,
}

impl From<ProgramRow> for ProgramTable {
    fn from(row: ProgramRow) -> ProgramTable {
        let names = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let mut options = HashMap::new();
        for flag in names(&row.flags) {
            match flag.strip_suffix('=') {
                Some(name) => options.insert(name.to_owned(), OptionKind::AttachedText),
                None => options.insert(flag, OptionKind::Flag),
            };
        }
        // `--color` and `--color=`: with or without a value.
        for flag in names(&row.flags) {
            if let Some(name) = flag.strip_suffix('=')
                && names(&row.flags).iter().any(|other| other == name)
            {
                options.insert(name.to_owned(), OptionKind::MaybeText);
            }
        }
        options.extend(names(&row.texts).into_iter().map(|name| (name, OptionKind::Text)));
        options.extend(names(&row.files).into_iter().map(|name| (name, OptionKind::File)));
        // A flag that only makes the operands directories is a flag all the same.
        options.extend(names(&row.recursive).into_iter().map(|name| (name, OptionKind::Flag)));
        ProgramTable {
            options,
            operands: row.operands,
            most: row.most,
            numbers: row.numbers,
            recursive: names(&row.recursive),
            patterned: names(&row.patterned),
            content: names(&row.content),
        }
    }
}

/// What is wrong with the file: nothing, says a test. A file that could not be read would make everything ask.
#[cfg(test)]
pub(crate) fn problem() -> Option<&'static str> {
    TABLES.as_ref().err().map(String::as_str)
}

/// The name of the table for a command, and how many words that name has.
fn table_of(words: &[PlannedWord]) -> Option<(&'static str, &'static ProgramTable, usize)> {
    let tables = TABLES.as_ref().ok()?;
    let first = words.first()?.literal()?;
    let pair = words.get(1).and_then(PlannedWord::literal).map(|second| format!("{first} {second}"));
    let by_pair = pair.and_then(|pair| tables.get_key_value(&pair)).map(|(name, table)| (name.as_str(), table, 2));
    by_pair.or_else(|| tables.get_key_value(first).map(|(name, table)| (name.as_str(), table, 1)))
}

/// The name that rules know a command by: `ls`, `git status`, `echo`.
pub(crate) fn table_name(words: &[PlannedWord]) -> Option<&str> {
    let first = words.first()?.literal()?;
    if crate::silent::is_own_builtin(first) {
        return Some(first);
    }
    table_of(words).map(|(name, _, _)| name)
}

/// What a command that only looks would read, or why it does more than look. `None` when nothing is known of the program.
pub(crate) fn reads_of(words: &[PlannedWord]) -> Option<Result<Vec<PlannedRead>, String>> {
    let first = words.first()?.literal()?;
    if crate::silent::is_own_builtin(first) {
        return Some(own_builtins::reads_of(first, &words[1..]));
    }
    let (_, table, name_len) = table_of(words)?;
    Some(table.reads_of(first, words, name_len))
}

/// Whether the table of the program that `words` name has the option `name`, and with this `value` it reads no file and
/// runs nothing.
pub(crate) fn has_option(words: &[String], name: &str, value: Option<&str>) -> bool {
    let planned: Vec<PlannedWord> = words.iter().map(PlannedWord::text).collect();
    let Some((_, table, _)) = table_of(&planned) else { return false };
    let is_number = name.strip_prefix('-').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let is_listed = table.options.get(name).is_some_and(|kind| *kind != OptionKind::File);
    (is_listed || table.numbers && is_number) && !value.is_some_and(shows_signature)
}

impl ProgramTable {
    /// What `program` reads when it is told `words`, of which the first `name_len` name it.
    fn reads_of(&self, program: &str, words: &[PlannedWord], name_len: usize) -> Result<Vec<PlannedRead>, String> {
        if self.operands == Operands::Find {
            return find::reads_of(&words[name_len..]);
        }
        let split = split_options(&self.options, self.numbers, &words[name_len..])
            .map_err(|option| format!("`{program} {option}` is not among the options that run without a question"))?;
        let given = |names: &[String]| split.given.iter().any(|name| names.contains(name));
        if let Some(most) = self.most
            && (split.operands.len() > most || split.operands.iter().any(|(_, word)| word.is_pattern()))
        {
            return Err(format!("`{program}` may do something else with that many operands"));
        }
        if split.values.iter().any(|value| shows_signature(value)) {
            return Err("showing signatures runs another program".into());
        }
        // Git must not find an option where a value was meant.
        if self.operands == Operands::Revisions && split.has_dashed_value {
            return Err(format!("`{program}` could take a value for an option"));
        }
        let mut operands = split.operands.iter().copied();
        if matches!(self.operands, Operands::PatternFiles | Operands::PatternTrees) && !given(&self.patterned) {
            match operands.next() {
                Some((_, pattern)) if pattern.literal().is_some() => {}
                Some(_) => return Err("what it looks for is known only when it runs".into()),
                None => return Err(format!("`{program}` is told nothing to look for")),
            }
        }
        if self.operands == Operands::LinesOfFiles {
            let lines = operands.next().and_then(|(_, word)| word.literal());
            if !lines.is_some_and(is_line_range) || !split.given.iter().any(|name| name == "-n") {
                return Err("only `sed -n 5p` and `sed -n 5,9p` run without a question".into());
            }
        }
        let mut reads: Vec<PlannedRead> = split.files.iter().map(|word| read(word, ReadKind::File, None)).collect();
        let kind = match self.operands {
            Operands::None => match operands.next() {
                Some((_, word)) => {
                    return Err(format!("`{program}` is not told `{}` without a question", word.unquoted()));
                }
                None => return Ok(reads),
            },
            Operands::Text | Operands::Find => return Ok(reads),
            Operands::Files | Operands::LinesOfFiles => ReadKind::File,
            Operands::Entries => ReadKind::Entry,
            Operands::PatternFiles if given(&self.recursive) => ReadKind::Tree,
            Operands::PatternFiles => ReadKind::File,
            Operands::PatternTrees => ReadKind::Tree,
            Operands::Revisions => match self.content.iter().any(|name| name == "always") || given(&self.content) {
                true => ReadKind::RepositoryContent,
                false => ReadKind::Repository,
            },
        };
        let operands: Vec<(usize, &PlannedWord)> = operands.filter(|(_, word)| word.literal() != Some("-")).collect();
        for (_, word) in &operands {
            check_path(program, word, kind)?;
        }
        reads.extend(operands.iter().map(|(at, word)| read(word, kind, Some(name_len + at))));
        let is_implied = kind == ReadKind::Tree && operands.is_empty();
        if is_implied || matches!(kind, ReadKind::Repository | ReadKind::RepositoryContent) {
            reads.push(read(&PlannedWord::text("."), kind, None));
        }
        Ok(reads)
    }
}

fn read(path: &PlannedWord, kind: ReadKind, word: Option<usize>) -> PlannedRead {
    PlannedRead { path: path.clone(), kind, word }
}

/// What can be said of a path without looking at the disk.
fn check_path(program: &str, word: &PlannedWord, kind: ReadKind) -> Result<(), String> {
    if word.pieces.contains(&WordPiece::ExitCode) {
        return Err("which file it reads is known only when it runs".into());
    }
    let is_git = matches!(kind, ReadKind::Repository | ReadKind::RepositoryContent);
    if is_git {
        let text = word.unquoted();
        // Two paths outside the work tree are compared without a repository.
        if text.starts_with('/') || text.split(['/', ':']).any(|part| part == "..") {
            return Err(format!("`{program}` would look outside the repository"));
        }
        // A pattern of git's own: `:(top)x`, `:/x`, `:!x`.
        if text.starts_with(':') {
            return Err(format!("`{text}` is a pattern of git's own"));
        }
    }
    Ok(())
}

/// Whether a format or an order of git's needs a signature, for which it runs another program.
fn shows_signature(value: &str) -> bool {
    let mut after_percent = value.split('%').skip(1).map(|after| after.trim_start_matches(['+', '-', ' ']));
    value.to_ascii_lowercase().contains("signature") || after_percent.any(|after| after.starts_with('G'))
}

/// `5p` or `5,9p`.
fn is_line_range(script: &str) -> bool {
    let Some(range) = script.strip_suffix('p') else { return false };
    let digits = |part: &str| !part.is_empty() && part.chars().all(|char| char.is_ascii_digit());
    match range.split_once(',') {
        Some((from, to)) => digits(from) && digits(to),
        None => digits(range),
    }
}
