//! Programs that a person allowed and that run another one with names from their input: these are checked nowhere, so they must
//! come straight from a `find` that prints nothing but names of the workspace, none of which may be protected from reading or
//! from changes, and be taken as they are.

use super::{PlanObjection, PlanResolver, base_name, reads};
use ignore::WalkBuilder;
use pollux_session::{PlanAuthority, PlannedCommand, PlannedPipeline, PlannedWord};
use std::ffi::OsStr;
use std::path::Path;

/// Programs that run another one with the names that they read.
const RUNS_WITH_NAMES: [&str; 2] = ["parallel", "xargs"];
/// Options of `xargs` after which it takes names as they are.
const XARGS_FLAGS: [&str; 4] = ["-r", "--no-run-if-empty", "-t", "--verbose"];
/// Parts of an expression by which `find` prints.
const PRINTS: [&str; 4] = ["-ls", "-print", "-print0", "-printf"];
/// Parts of an expression that begin with a dash and have no value.
#[rustfmt::skip]
const ALONE: [&str; 18] = [
    "-P", "-a", "-and", "-daystart", "-depth", "-empty", "-executable", "-false", "-mount", "-nogroup", "-not", "-nouser", "-o", "-or",
    "-readable", "-true", "-writable", "-xdev",
];

/// What tells one name from the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameSeparator {
    Nul,
    /// Quotes and backslashes mean something there, too.
    Blank,
}

impl PlanResolver<'_> {
    /// Whether the names that programs of `pipeline` read from their input may be read.
    pub(super) fn check_input_names(&self, pipeline: &PlannedPipeline) -> Result<(), PlanObjection> {
        let mut commands = pipeline.commands.iter().enumerate().filter(|(_, command)| runs_with_names(command));
        commands.try_for_each(|(at, command)| self.check_names_from(&pipeline.commands[..at], command))
    }

    /// The same of one that reads what `before` prints.
    fn check_names_from(&self, before: &[PlannedCommand], command: &PlannedCommand) -> Result<(), PlanObjection> {
        let separator = match before {
            _ if has_input(command) => None,
            // Nothing is there to be read.
            [] => return Ok(()),
            [list] => separator_of(command).filter(|separator| is_list(list, *separator)),
            _ => None,
        };
        let (Some(separator), Some(list)) = (separator, before.first()) else {
            let why = "the names that it reads from its input are known only when it runs; without a question they come straight \
                       from `find`, as in `find src -print0 | xargs -0 grep x`";
            return Err(PlanObjection::of_secret(why));
        };
        list.reads.iter().try_for_each(|read| self.check_listed(&read.path, separator))
    }

    /// What `find` lists may be opened and changed, wherever it lies below `root`: what git keeps, too, which a search would
    /// leave out.
    fn check_listed(&self, root: &PlannedWord, separator: NameSeparator) -> Result<(), PlanObjection> {
        for path in self.paths_of(root)? {
            separator.check(&path)?;
            let path = self.directory.join(path);
            let place = reads::find(self.workspace, &path)?;
            check_no_link(&path)?;
            for entry in WalkBuilder::new(place.absolute).standard_filters(false).build() {
                self.lookups.spend(1)?;
                let Ok(entry) = entry else { continue };
                separator.check(entry.file_name())?;
                check_no_link(entry.path())?;
                reads::check_name(entry.path())?;
                reads::check_protected(self.workspace, entry.path())?;
            }
        }
        Ok(())
    }
}

impl NameSeparator {
    /// Whether a name, so told from the next, is taken for what it is.
    fn check(self, name: &OsStr) -> Result<(), PlanObjection> {
        let is_odd = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_control() || b"'\"\\".contains(byte);
        if self == NameSeparator::Nul || !name.as_encoded_bytes().iter().any(is_odd) {
            return Ok(());
        }
        let name = name.to_string_lossy();
        Err(PlanObjection::new(format!(
            "xargs would take `{name}` for something else, unless by `find … -print0 | xargs -0`"
        )))
    }
}

fn check_no_link(path: &Path) -> Result<(), PlanObjection> {
    if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Ok(());
    }
    Err(PlanObjection::new(format!("{} is a link, and what it leads to would be opened, too", path.display())))
}

/// Another program may start such a one.
pub(super) fn runs_with_names(command: &PlannedCommand) -> bool {
    command.authority == PlanAuthority::Person && command.words.iter().any(|word| is_named(word, &RUNS_WITH_NAMES))
}

fn is_named(word: &PlannedWord, names: &[&str]) -> bool {
    word.literal().is_some_and(|text| names.contains(&base_name(text)))
}

/// Whether it may read names from a file: by a redirection, by `-a`, which may stand in a cluster, or behind `::::`.
fn has_input(command: &PlannedCommand) -> bool {
    let names_file = |word: &PlannedWord| {
        let text = word.unquoted();
        let is_letters = text.starts_with('-') && !text.starts_with("--");
        (is_letters && text.contains('a')) || text.starts_with("--a") || text.starts_with("::::")
    };
    !command.redirections.is_empty() || command.words.iter().any(names_file)
}

/// What tells names apart for `xargs`; `None` for other programs, and where it makes something else of names.
fn separator_of(command: &PlannedCommand) -> Option<NameSeparator> {
    let at = command.words.iter().position(|word| is_named(word, &["xargs"]))?;
    let mut words = command.words[at + 1..].iter().map(PlannedWord::unquoted);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut separator = NameSeparator::Blank;
    while let Some(option) = words.next().filter(|word| word.starts_with('-')) {
        match option.as_str() {
            "-0" | "--null" => separator = NameSeparator::Nul,
            "-n" | "-P" if words.next().is_some_and(|number| is_number(&number)) => {}
            flag if XARGS_FLAGS.contains(&flag) => {}
            text if text.strip_prefix("-n").or(text.strip_prefix("-P")).is_some_and(is_number) => {}
            _ => return None,
        }
    }
    Some(separator)
}

/// Whether it prints names, each followed by `separator`, and nothing else. Only one that was found to do nothing but look: every
/// word of it is known.
fn is_list(command: &PlannedCommand, separator: NameSeparator) -> bool {
    let is_find = command.words.first().is_some_and(|word| is_named(word, &["find"]));
    let is_plain = command.authority == PlanAuthority::BuiltIn && command.redirections.is_empty();
    let words: Vec<String> = command.words.iter().map(PlannedWord::unquoted).collect();
    // The last word may be the value of the one before it: `-name -print0` prints a line for each name.
    let printing = words.iter().filter(|word| PRINTS.contains(&word.as_str())).count();
    let ends_with = |action: &str| {
        let [.., before, last] = words.as_slice() else { return false };
        last == action && (!before.starts_with('-') || ALONE.contains(&before.as_str()))
    };
    let prints_once = match (separator, printing) {
        (NameSeparator::Blank, 0) => true,
        (NameSeparator::Blank, 1) => ends_with("-print"),
        (NameSeparator::Nul, 1) => ends_with("-print0"),
        _ => false,
    };
    is_find && is_plain && prints_once
}
