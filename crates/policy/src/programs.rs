//! Programs that only look: `programs.toml` says which options of each are harmless and which of its words are paths.
//!
//! A command passes only if every word of it is accounted for. What it would read comes back as [`PlannedRead`]s, which
//! are checked against the disk before it runs.

mod find;
mod git_own_options;
mod options;
mod own_builtins;
mod scripts;

#[cfg(test)]
mod tests;

use git_own_options::GitOwnOptions;
use options::{OptionKind, OptionReading, ProgramOptions, SplitOptions};
use pollux_session::{PlannedRead, PlannedWord, ReadKind, WordPiece};
use scripts::ScriptLanguage;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// How many words may name a command behind its program: `git stash list`.
const MAX_SUBCOMMANDS: usize = 2;

static TABLES: LazyLock<Result<BTreeMap<String, ProgramTable>, String>> = LazyLock::new(|| {
    let rows: BTreeMap<String, TableRow> =
        toml_edit::de::from_str(include_str!("programs.toml")).map_err(|error| error.to_string())?;
    let table_of = |name: &String, row: &TableRow| {
        let row = match row {
            TableRow::Own(row) => row,
            TableRow::Like(LikeRow { like }) => match rows.get(like) {
                Some(TableRow::Own(row)) => row,
                Some(TableRow::Like(_)) | None => return Err(format!("{name} is like {like}, which is no table")),
            },
        };
        Ok((name.clone(), ProgramTable::new(name, row)))
    };
    rows.iter().map(|(name, row)| table_of(name, row)).collect()
});

/// What the file has under a program's name.
#[derive(Deserialize)]
#[serde(untagged)]
enum TableRow {
    Like(LikeRow),
    Own(Box<ProgramRow>),
}

/// A program that takes the same words as another one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LikeRow {
    like: String,
}

/// One program as the file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ProgramRow {
    #[serde(default)]
    flags: String,
    #[serde(default)]
    texts: String,
    #[serde(default)]
    files: String,
    #[serde(default)]
    pairs: String,
    #[serde(default)]
    named_files: String,
    operands: Operands,
    #[serde(default)]
    listed: String,
    #[serde(default)]
    least: usize,
    most: Option<usize>,
    #[serde(default)]
    numbers: bool,
    #[serde(default)]
    reading: OptionReading,
    #[serde(default)]
    at_files: bool,
    #[serde(default)]
    recursive: String,
    #[serde(default)]
    patterned: String,
    script: Option<ScriptLanguage>,
    #[serde(default)]
    required: String,
    #[serde(default)]
    listing: String,
    #[serde(default)]
    content: String,
    #[serde(default)]
    names_only: String,
}

/// What a program may be told.
pub(crate) struct ProgramTable {
    options: ProgramOptions,
    operands: Operands,
    listed: Vec<String>,
    least: usize,
    most: Option<usize>,
    at_files: bool,
    recursive: Vec<String>,
    patterned: Vec<String>,
    script: Option<ScriptLanguage>,
    required: Vec<String>,
    listing: Vec<String>,
    content: Vec<String>,
    names_only: Vec<String>,
    /// Whether it is a command of git's.
    is_git: bool,
}

/// What the words of a program are that are no options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Operands {
    None,
    Text,
    Format,
    Listed,
    Files,
    Entries,
    Trees,
    PatternFiles,
    PatternTrees,
    ScriptFiles,
    Find,
    Revisions,
    PatternRevisions,
}

impl ProgramTable {
    fn new(name: &str, row: &ProgramRow) -> ProgramTable {
        let names = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let mut kinds = HashMap::new();
        for flag in names(&row.flags) {
            match flag.strip_suffix('=') {
                Some(name) => kinds.insert(name.to_owned(), OptionKind::AttachedText),
                None => kinds.insert(flag, OptionKind::Flag),
            };
        }
        // `--color` and `--color=`: with or without a value.
        for flag in names(&row.flags) {
            if let Some(name) = flag.strip_suffix('=')
                && names(&row.flags).iter().any(|other| other == name)
            {
                kinds.insert(name.to_owned(), OptionKind::MaybeText);
            }
        }
        // A flag that only makes the operands directories is a flag all the same.
        for (listed, kind) in [
            (&row.texts, OptionKind::Text),
            (&row.files, OptionKind::File),
            (&row.pairs, OptionKind::TwoTexts),
            (&row.named_files, OptionKind::NamedFile),
            (&row.recursive, OptionKind::Flag),
        ] {
            kinds.extend(names(listed).into_iter().map(|name| (name, kind)));
        }
        ProgramTable {
            options: ProgramOptions { kinds, numbers: row.numbers, reading: row.reading },
            operands: row.operands,
            listed: names(&row.listed),
            least: row.least,
            most: row.most,
            at_files: row.at_files,
            recursive: names(&row.recursive),
            patterned: names(&row.patterned),
            script: row.script,
            required: names(&row.required),
            listing: names(&row.listing),
            content: names(&row.content),
            names_only: names(&row.names_only),
            is_git: name.starts_with("git "),
        }
    }
}

/// What is wrong with the file: nothing, says a test. A file that could not be read would make everything ask.
#[cfg(test)]
pub(crate) fn problem() -> Option<&'static str> {
    TABLES.as_ref().err().map(String::as_str)
}

/// The table for a command, and where its words begin.
struct FoundTable<'a> {
    name: &'static str,
    table: &'static ProgramTable,
    /// How many words name the command, git's own options included.
    name_len: usize,
    /// Where git goes first.
    git_directory: Option<&'a str>,
}

fn find_table(words: &[PlannedWord]) -> Option<FoundTable<'_>> {
    let tables = TABLES.as_ref().ok()?;
    let first = words.first()?.literal()?;
    let own = if first == "git" { GitOwnOptions::read(&words[1..]) } else { GitOwnOptions::default() };
    let start = 1 + own.len;
    let behind: Vec<&str> = words[start..].iter().map_while(PlannedWord::literal).take(MAX_SUBCOMMANDS).collect();
    (0..=behind.len()).rev().find_map(|count| {
        let name = [&[first], &behind[..count]].concat().join(" ");
        let (name, table) = tables.get_key_value(&name)?;
        Some(FoundTable { name, table, name_len: start + count, git_directory: own.directory })
    })
}

/// The name that rules know a command by: `ls`, `git status`, `echo`.
pub(crate) fn table_name(words: &[PlannedWord]) -> Option<&str> {
    let first = words.first()?.literal()?;
    if crate::silent::is_own_builtin(first) {
        return Some(first);
    }
    find_table(words).map(|found| found.name)
}

/// What a command that only looks would read, or why it does more than look. `None` when nothing is known of the program.
pub(crate) fn reads_of(words: &[PlannedWord]) -> Option<Result<Vec<PlannedRead>, String>> {
    let first = words.first()?.literal()?;
    if crate::silent::is_own_builtin(first) {
        return Some(own_builtins::reads_of(first, &words[1..]));
    }
    let FoundTable { table, name_len, git_directory, .. } = find_table(words)?;
    Some(table.reads_of(first, words, name_len).map(|mut reads| {
        reads.extend(git_directory.map(|directory| read(&PlannedWord::text(directory), ReadKind::Entry, None)));
        reads
    }))
}

/// Whether the table of the program that `words` name has the option `name`, and with this `value` it reads no file and
/// runs nothing.
pub(crate) fn has_option(words: &[String], name: &str, value: Option<&str>) -> bool {
    let planned: Vec<PlannedWord> = words.iter().map(PlannedWord::text).collect();
    let Some(FoundTable { table, .. }) = find_table(&planned) else { return false };
    let is_number = name.strip_prefix('-').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let is_listed = table.options.kinds.get(name).is_some_and(|kind| kind.is_text());
    (is_listed || table.options.numbers && is_number) && !value.is_some_and(reveals_more)
}

impl ProgramTable {
    /// What `program` reads when it is told `words`, of which the first `name_len` name it.
    fn reads_of(&self, program: &str, words: &[PlannedWord], name_len: usize) -> Result<Vec<PlannedRead>, String> {
        let behind = &words[name_len..];
        if self.is_about_itself(behind) {
            return Ok(Vec::new());
        }
        if self.operands == Operands::Find {
            return find::reads_of(behind);
        }
        if self.at_files && !behind.iter().all(is_no_at_file) {
            return Err(format!("`{program}` could read further words from a file"));
        }
        let split = self
            .options
            .split(behind)
            .map_err(|option| format!("`{program} {option}` is not among the options that run without a question"))?;
        self.check_options(program, &split)?;
        let mut reads: Vec<PlannedRead> = split.files.iter().map(|word| read(word, ReadKind::File, None)).collect();
        let operands = self.take_script(program, &split)?;
        let Some(kind) = self.operand_kind(program, &split, operands)? else { return Ok(reads) };
        let paths = || operands.iter().filter(|(_, word)| word.literal() != Some("-"));
        for (_, word) in paths() {
            check_path(program, word, kind)?;
        }
        reads.extend(paths().map(|(at, word)| read(word, kind, Some(name_len + at))));
        // Told of no path, it looks where it is.
        let is_implied = matches!(kind, ReadKind::Tree | ReadKind::Entry) && reads.iter().all(|read| read.kind != kind);
        if is_implied || self.is_git {
            reads.push(read(&PlannedWord::text("."), kind, None));
        }
        Ok(reads)
    }

    /// Whether `words` ask a program about itself alone. Git would run another program to answer.
    fn is_about_itself(&self, words: &[PlannedWord]) -> bool {
        matches!(words, [only] if matches!(only.literal(), Some("--help" | "--version"))) && !self.is_git
    }

    /// Whether these options and as many operands may stand together.
    fn check_options(&self, program: &str, split: &SplitOptions<'_>) -> Result<(), String> {
        let given = |names: &[String]| split.given.iter().any(|name| names.contains(name));
        let (count, has_pattern) = (split.operands.len(), split.operands.iter().any(|(_, word)| word.is_pattern()));
        if self.most.is_some_and(|most| count > most || has_pattern) {
            return Err(format!("`{program}` may do something else with that many operands"));
        }
        if split.operands.iter().filter(|(_, word)| word.literal() != Some("-")).count() < self.least {
            return Err(format!("`{program}` may do something else with so few operands"));
        }
        if !self.required.is_empty() && !given(&self.required) {
            return Err(format!("`{program}` runs without a question only to say which version it is"));
        }
        if !self.listing.is_empty() && count > 0 && !given(&self.listing) {
            return Err(format!("`{program}` is told names without a question only to list what matches them"));
        }
        if self.shows_content(split) && given(&self.names_only) {
            return Err(format!("`{program}` could show other content with these options together"));
        }
        if self.is_git && split.values.iter().any(|value| reveals_more(&value.text)) {
            return Err("it would run a program to check signatures, or show more than names".into());
        }
        // Git must not find an option where a value or a path was meant.
        let is_dashed = |(_, word): &(usize, &PlannedWord)| word.literal().is_some_and(|text| text.starts_with('-'));
        let could_be_option = self.options.reading == OptionReading::Posix && split.operands.iter().any(is_dashed);
        if self.is_git && (split.has_dashed_value || could_be_option) {
            return Err(format!("`{program}` could take a value for an option"));
        }
        Ok(())
    }

    /// The operands behind the pattern or the script that is the first of them, which is checked.
    fn take_script<'s, 'w>(
        &self,
        program: &str,
        split: &'s SplitOptions<'w>,
    ) -> Result<&'s [(usize, &'w PlannedWord)], String> {
        let operands = split.operands.as_slice();
        let kinds = [Operands::PatternFiles, Operands::PatternTrees, Operands::PatternRevisions, Operands::ScriptFiles];
        if !kinds.contains(&self.operands) {
            return Ok(operands);
        }
        let check = |script: &str| match self.script {
            Some(language) => scripts::check(language, script),
            None => Ok(()),
        };
        if split.given.iter().any(|name| self.patterned.contains(name)) {
            let mut scripts = split.values.iter().filter(|value| self.patterned.contains(&value.option));
            scripts.try_for_each(|value| check(&value.text))?;
            return Ok(operands);
        }
        match operands.split_first() {
            Some(((_, script), rest)) => match script.literal() {
                Some(script) => check(script).map(|()| rest),
                None => Err("what it looks for is known only when it runs".into()),
            },
            None => Err(format!("`{program}` is told nothing to look for")),
        }
    }

    /// How the program looks at its operands; `None` where they are no paths.
    fn operand_kind(
        &self,
        program: &str,
        split: &SplitOptions<'_>,
        operands: &[(usize, &PlannedWord)],
    ) -> Result<Option<ReadKind>, String> {
        let refuse =
            |word: &PlannedWord| Err(format!("`{program}` is not told `{}` without a question", word.unquoted()));
        let all = |is_fine: &dyn Fn(&str) -> bool| {
            let other = operands.iter().find(|(_, word)| !word.literal().is_some_and(is_fine));
            other.map_or(Ok(()), |(_, word)| refuse(word))
        };
        Ok(match self.operands {
            Operands::None => all(&|_| false).map(|()| None)?,
            Operands::Format => all(&|text| text.starts_with('+')).map(|()| None)?,
            // They are no paths, but the answer is in the repository.
            Operands::Listed => {
                all(&|text| self.listed.iter().any(|listed| listed == text)).map(|()| Some(ReadKind::Repository))?
            }
            Operands::Text | Operands::Find => None,
            Operands::Files | Operands::ScriptFiles => Some(ReadKind::File),
            Operands::Entries => Some(ReadKind::Entry),
            Operands::PatternFiles if !split.given.iter().any(|name| self.recursive.contains(name)) => {
                Some(ReadKind::File)
            }
            Operands::Trees | Operands::PatternFiles | Operands::PatternTrees => Some(ReadKind::Tree),
            Operands::Revisions | Operands::PatternRevisions if self.shows_content(split) => {
                Some(ReadKind::RepositoryContent)
            }
            Operands::Revisions | Operands::PatternRevisions => Some(ReadKind::Repository),
        })
    }

    /// Whether git prints content of files.
    fn shows_content(&self, split: &SplitOptions<'_>) -> bool {
        self.content.iter().any(|name| name == "always" || split.given.contains(name))
    }
}

fn read(path: &PlannedWord, kind: ReadKind, word: Option<usize>) -> PlannedRead {
    PlannedRead { path: path.clone(), kind, word }
}

/// Whether a word, as it will be, cannot begin with `@`.
fn is_no_at_file(word: &PlannedWord) -> bool {
    match word.pieces.first() {
        None => true,
        Some(WordPiece::Text(text)) => !text.starts_with('@'),
        Some(WordPiece::AnyText | WordPiece::AnyCharacter | WordPiece::ExitCode) => false,
    }
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

/// Whether a format or an order of git's needs a signature, for which it runs another program, shows the content of whatever a
/// name stands for, or the address of a remote repository, which may hold a password.
fn reveals_more(value: &str) -> bool {
    let mut after_percent = value.split('%').skip(1).map(|after| after.trim_start_matches(['+', '-', ' ']));
    let lower = value.to_ascii_lowercase();
    ["signature", "(raw", "(*raw", "remotename"].iter().any(|part| lower.contains(part))
        || after_percent.any(|after| after.starts_with('G'))
}
