//! Patches. What a command changes with one is written in a file, and no word of the command names it.

use super::input_names::runs_with_names;
use super::known_options::{KnownCall, KnownOptions};
use super::operands::OperandUse;
use super::patch_names::names_in_patch;
use super::{PlanObjection, PlanResolver, base_name};
use pollux_files::read_text;
use pollux_session::{PlanAuthority, PlannedCommand, PlannedPipeline, PlannedRedirection, PlannedWord};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The longest patch that is read.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// What `git am` is told to go on with, or to leave, what it has read already: nothing stands beside it.
const GOES_ON: [&str; 7] = ["--abort", "--continue", "--quit", "--resolved", "--show-current-patch", "--skip", "-r"];
/// Git's own options whose value is the next word.
const GIT_VALUED: [&str; 6] = ["-C", "--attr-source", "--git-dir", "--namespace", "--super-prefix", "--work-tree"];

#[rustfmt::skip]
const GIT_APPLY: KnownOptions = KnownOptions {
    letters: "3NRqv",
    valued_letters: "Cp",
    names: &[
        "3way", "cached", "check", "ignore-space-change", "ignore-whitespace", "index", "intent-to-add", "numstat", "quiet",
        "reject", "reverse", "stat", "summary", "unsafe-paths", "verbose",
    ],
    valued_names: &["exclude", "include", "whitespace"],
};
#[rustfmt::skip]
const GIT_AM: KnownOptions = KnownOptions {
    letters: "3kqs",
    valued_letters: "Cp",
    names: &[
        "3way", "committer-date-is-author-date", "ignore-date", "ignore-space-change", "ignore-whitespace", "keep",
        "keep-non-patch", "quiet", "reject", "signoff",
    ],
    valued_names: &["exclude", "include", "whitespace"],
};
/// None that makes a copy of a file under another name.
#[rustfmt::skip]
const PATCH: KnownOptions = KnownOptions {
    letters: "ENRflstu",
    valued_letters: "Fdip",
    names: &[
        "batch", "binary", "dry-run", "force", "forward", "ignore-whitespace", "quiet", "remove-empty-files", "reverse",
        "silent", "unified", "verbose",
    ],
    valued_names: &["directory", "fuzz", "input", "strip"],
};

/// A program that applies patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchProgram {
    GitApply,
    GitAm,
    Patch,
}

impl PatchProgram {
    fn options(self) -> &'static KnownOptions {
        match self {
            PatchProgram::GitApply => &GIT_APPLY,
            PatchProgram::GitAm => &GIT_AM,
            PatchProgram::Patch => &PATCH,
        }
    }
}

/// How the words of a command call one.
struct PatchCall<'w> {
    program: PatchProgram,
    /// Behind its name.
    words: &'w [PlannedWord],
}

impl PlanResolver<'_> {
    /// Whether the patches that programs of `pipeline` apply change no protected place.
    pub(super) fn check_patches(&self, pipeline: &PlannedPipeline) -> Result<(), PlanObjection> {
        let mut commands: Vec<(bool, &PlannedCommand)> =
            pipeline.commands.iter().enumerate().map(|(at, run)| (at > 0, run)).collect();
        while let Some((is_piped, command)) = commands.pop() {
            commands.extend(command.runs.iter().map(|inner| (is_piped, &inner.command)));
            if command.authority != PlanAuthority::Person {
                continue;
            }
            match PatchCall::find(&command.words) {
                Some(call) => self.check_patch(command, &call, is_piped)?,
                None if self.may_start_patch(command) => return Err(unknown()),
                None => {}
            }
        }
        Ok(())
    }

    /// Whether `command` may be a program that Pollux does not know and that starts one that applies patches: with which names and
    /// input is not known.
    fn may_start_patch(&self, command: &PlannedCommand) -> bool {
        let program = command.words.first().and_then(PlannedWord::literal).map(base_name);
        // What these run was found, and is judged by itself; git's own words may say anything.
        if !command.runs.is_empty() || program == Some("git") {
            return false;
        }
        let runs_any = runs_with_names(command);
        let mut words = Vec::new();
        for word in &command.words[1..] {
            let text = word.unquoted();
            // A shell takes it apart.
            let parts = text.split(|char: char| runs_any && (char.is_whitespace() || "'\";&|()".contains(char)));
            words.extend(parts.filter(|part| !part.is_empty()).map(PlannedWord::text));
        }
        // A word alone may be anything: `npm version patch`.
        let is_told_more = |behind: &[PlannedWord]| {
            behind.first().and_then(PlannedWord::literal).is_some_and(|next| {
                (next.starts_with('-') && next != "--") || self.directory.join(next).symlink_metadata().is_ok()
            })
        };
        (0..words.len())
            .any(|at| PatchCall::find(&words[at..]).is_some_and(|call| runs_any || is_told_more(call.words)))
    }

    /// Every word is known for what it is, and so is every line of every patch that they name.
    fn check_patch(&self, command: &PlannedCommand, call: &PatchCall<'_>, is_piped: bool) -> Result<(), PlanObjection> {
        let mut words = Vec::new();
        for word in call.words {
            for path in self.paths_of(word)? {
                words.push(path.into_string().map_err(|_| unknown())?);
            }
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if call.goes_on(&words) {
            return Ok(());
        }
        let read = call.program.options().read(&words).ok_or_else(unknown)?;
        let mut inputs: Vec<String> = call.inputs(&read).ok_or_else(unknown)?.into_iter().map(str::to_owned).collect();
        for redirection in &command.redirections {
            if let PlannedRedirection::InputFrom(path) = redirection {
                inputs.extend(path.literal().map(str::to_owned));
            }
        }
        if is_piped || inputs.is_empty() || inputs.iter().any(|input| input == "-") {
            return Err(unknown());
        }
        let mut directories = vec![self.directory.clone()];
        directories.extend(self.directories_named(&command.words[1..])?);
        for input in inputs {
            self.lookups.spend(directories.len())?;
            let found: Vec<PathBuf> =
                directories.iter().map(|place| place.join(&input)).filter(|path| path.exists()).collect();
            if found.is_empty() {
                return Err(unknown());
            }
            for patch in found {
                let text = read_text(&patch, MAX_BYTES).map_err(|_| unknown())?;
                let names: BTreeSet<&str> = names_in_patch(&text).ok_or_else(unknown)?;
                names.into_iter().try_for_each(|name| self.check_patched(&directories, Path::new(name)))?;
            }
        }
        Ok(())
    }

    /// The same of one file that a patch names. How many directories of its name are left away is an option's to say.
    fn check_patched(&self, directories: &[PathBuf], name: &Path) -> Result<(), PlanObjection> {
        if !name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(PlanObjection::new(format!("the patch changes {}, outside the workspace", name.display())));
        }
        let mut rest = name.components();
        while !rest.as_path().as_os_str().is_empty() {
            for directory in directories {
                self.check_operand_in(directory, rest.as_path().as_os_str(), OperandUse::MayWrite)?;
            }
            rest.next();
        }
        Ok(())
    }
}

fn unknown() -> PlanObjection {
    PlanObjection::new("which files the patch changes is known only when it runs")
}

impl<'w> PatchCall<'w> {
    /// `patch`, `git apply` or `git am`, if `words` are one of these.
    fn find(words: &'w [PlannedWord]) -> Option<PatchCall<'w>> {
        let (program, mut rest) = words.split_first()?;
        let is_program = |name: &str| program.literal().is_some_and(|program| base_name(program) == name);
        if is_program("patch") {
            return Some(PatchCall { program: PatchProgram::Patch, words: rest });
        }
        while let Some((word, behind)) = rest.split_first().filter(|_| is_program("git")) {
            rest = match word.literal() {
                Some("apply") => return Some(PatchCall { program: PatchProgram::GitApply, words: behind }),
                Some("am") => return Some(PatchCall { program: PatchProgram::GitAm, words: behind }),
                Some(option) if GIT_VALUED.contains(&option) => behind.get(1..)?,
                Some(option) if option.starts_with('-') => behind,
                _ => return None,
            };
        }
        None
    }

    fn goes_on(&self, words: &[&str]) -> bool {
        self.program == PatchProgram::GitAm && matches!(words, [only] if GOES_ON.contains(only))
    }

    /// The patches that it is told of. `None` if it is told of more files than are understood.
    fn inputs<'a>(&self, call: &KnownCall<'a>) -> Option<Vec<&'a str>> {
        if self.program != PatchProgram::Patch {
            return Some(call.operands.clone());
        }
        let given =
            call.options.iter().filter(|(name, _)| ["i", "input"].contains(name)).filter_map(|(_, value)| *value);
        // The first is what is patched.
        let operands = call.operands.get(1..).unwrap_or_default();
        (operands.len() <= 1).then(|| given.chain(operands.iter().copied()).collect())
    }
}
