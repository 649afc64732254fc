//! Patches. What a command changes with one is written in a file, and no word of the command names it.

use super::names_inside::names_inside;
use super::operands::OperandUse;
use super::{PlanObjection, PlanResolver, base_name};
use pollux_files::read_text;
use pollux_session::{PlanAuthority, PlannedCommand, PlannedPipeline, PlannedRedirection, PlannedWord};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The longest patch that is read.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The words that stand before the name of a file in a patch.
const BEFORE_NAMES: [&str; 9] =
    ["+++ ", "--- ", "*** ", "Index: ", "copy from ", "copy to ", "diff --git ", "rename from ", "rename to "];
/// How a mail may hide what is in it.
const ENCODINGS: [&str; 2] = ["base64", "quoted-printable"];
/// What `git am` is told to go on with, or to leave, what it has read already.
const GOES_ON: [&str; 7] = ["--abort", "--continue", "--quit", "--resolved", "--show-current-patch", "--skip", "-r"];
/// Git's own options whose value is the next word.
const GIT_VALUED: [&str; 6] = ["-C", "--attr-source", "--git-dir", "--namespace", "--super-prefix", "--work-tree"];

impl PlanResolver<'_> {
    /// Whether the patches that programs of `pipeline` apply change no protected place.
    pub(super) fn check_patches(&self, pipeline: &PlannedPipeline) -> Result<(), PlanObjection> {
        let by_person = pipeline.commands.iter().enumerate().filter(|(_, run)| run.authority == PlanAuthority::Person);
        for (at, command) in by_person {
            if let Some(arguments) = arguments_of_patch(&command.words) {
                self.check_patch(command, arguments, at > 0)?;
            }
        }
        Ok(())
    }

    fn check_patch(
        &self,
        command: &PlannedCommand,
        arguments: &[PlannedWord],
        is_piped: bool,
    ) -> Result<(), PlanObjection> {
        let unknown = || PlanObjection::new("which files the patch changes is known only when it runs");
        let mut directories = vec![self.directory.clone()];
        directories.extend(self.directories_named(command)?);
        let mut names: Vec<OsString> = Vec::new();
        for word in arguments {
            for path in self.paths_of(word)? {
                let inside = path.to_str().filter(|text| text.starts_with('-')).and_then(names_inside);
                names.extend(inside.unwrap_or_default().into_iter().map(OsString::from).chain([path]));
            }
        }
        for redirection in &command.redirections {
            if let PlannedRedirection::InputFrom(path) = redirection {
                names.extend(self.paths_of(path)?);
            }
        }
        let mut patches = BTreeSet::new();
        for (directory, name) in directories.iter().flat_map(|place| names.iter().map(move |name| (place, name))) {
            self.lookups.spend(1)?;
            let path = directory.join(name);
            patches.extend(path.is_file().then_some(path));
        }
        let goes_on = arguments.iter().any(|word| GOES_ON.contains(&word.unquoted().as_str()));
        if is_piped || (patches.is_empty() && !goes_on) {
            return Err(unknown());
        }
        for patch in patches {
            let text = read_text(&patch, MAX_BYTES).map_err(|_| unknown())?;
            for name in names_in_patch(&text).ok_or_else(unknown)? {
                self.check_patched(&directories, Path::new(name))?;
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

/// The words behind `patch`, `git apply` or `git am`, if `words` are one of these.
fn arguments_of_patch(words: &[PlannedWord]) -> Option<&[PlannedWord]> {
    let (program, mut rest) = words.split_first()?;
    let is_program = |name: &str| program.literal().is_some_and(|program| base_name(program) == name);
    if is_program("patch") {
        return Some(rest);
    }
    while let Some((word, behind)) = rest.split_first().filter(|_| is_program("git")) {
        rest = match word.literal() {
            Some("apply" | "am") => return Some(behind),
            Some(option) if GIT_VALUED.contains(&option) => behind.get(1..)?,
            Some(option) if option.starts_with('-') => behind,
            _ => return None,
        };
    }
    None
}

/// The names of files in a patch; `None` if one may be written in a way that is not understood.
fn names_in_patch(text: &str) -> Option<BTreeSet<&str>> {
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let lower = line.to_ascii_lowercase();
        if lower.starts_with("content-transfer-encoding:") && ENCODINGS.iter().any(|encoding| lower.contains(encoding))
        {
            return None;
        }
        let Some(start) = BEFORE_NAMES.iter().find(|start| line.starts_with(**start)) else { continue };
        let rest = line[start.len()..].split('\t').next().unwrap_or_default().trim();
        if rest.contains('"') && rest.contains('\\') {
            return None;
        }
        let both = start.starts_with("diff").then(|| rest.split(' '));
        let found = both.into_iter().flatten().chain([rest].into_iter().filter(|_| !start.starts_with("diff")));
        names.extend(found.map(|name| name.trim_matches('"')).filter(|name| !name.is_empty() && *name != "/dev/null"));
    }
    Some(names)
}
