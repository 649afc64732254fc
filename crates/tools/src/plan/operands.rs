//! Words of a command that a person allowed, taken for names of files.

use super::names_inside::names_inside;
use super::{MAX_PATH, PlanObjection, PlanResolver, reads};
use pollux_session::PlannedWord;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Commands of git's that write to no file whose name they are told.
#[rustfmt::skip]
const GIT_READS: [&str; 23] = [
    "add", "annotate", "blame", "cat-file", "check-attr", "check-ignore", "commit", "diff", "diff-files", "diff-index",
    "diff-tree", "grep", "hash-object", "log", "ls-files", "ls-tree", "reset", "restore", "rev-list", "shortlog", "show",
    "stage", "status",
];

/// What a program may do with the files that its words name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandUse {
    Reads,
    MayWrite,
}

impl OperandUse {
    pub(super) fn of(program: &str, words: &[PlannedWord]) -> OperandUse {
        let verb = words.first().and_then(PlannedWord::literal);
        let only_reads = program == "git" && verb.is_some_and(|verb| GIT_READS.contains(&verb));
        if only_reads { OperandUse::Reads } else { OperandUse::MayWrite }
    }
}

impl PlanResolver<'_> {
    /// Whether a word of a command that a person allowed may be the name of a file: it is no secret, no protected place that the
    /// command may write to, and no link leads from it out of the workspace.
    pub(super) fn check_operand(&self, operand: &OsStr, use_of_operands: OperandUse) -> Result<(), PlanObjection> {
        self.check_operand_in(&self.directory, operand, use_of_operands)
    }

    /// The same of an operand that the program may open in `directory`.
    pub(super) fn check_operand_in(
        &self,
        directory: &Path,
        operand: &OsStr,
        use_of_operands: OperandUse,
    ) -> Result<(), PlanObjection> {
        let depth = operand.as_encoded_bytes().iter().filter(|byte| **byte == b'/').count();
        self.lookups.spend(depth + 1)?;
        let path = directory.join(operand);
        // A word that is no file and does not look like one is none: the name of a test, for example. Unless a part before may make it.
        let looks_like_file = operand.as_encoded_bytes().iter().any(|byte| b"./".contains(byte));
        if looks_like_file || self.may_have_changed.get() || path.symlink_metadata().is_ok() {
            reads::check_name(&path)?;
        }
        let cleaned = Some(reads::without_dots(&path)).filter(|cleaned| cleaned.as_os_str() != path.as_os_str());
        let mut places = vec![path.clone()];
        if path.as_os_str().len() <= MAX_PATH {
            places.push(reads::follow_links(self.workspace, &path)?);
        } else if looks_like_file && operand.len() < MAX_PATH {
            // The program may open it from where it runs, although it is too long to be followed from the root.
            return Err(PlanObjection::new("a path in it is too long to be checked"));
        }
        // That this one leads out is no objection: it may not be the one that the program opens.
        if let Some(cleaned) = cleaned.filter(|cleaned| cleaned.as_os_str().len() <= MAX_PATH) {
            places.extend(reads::follow_links(self.workspace, &cleaned).ok());
        }
        for place in &places {
            if *place != path {
                reads::check_name(place)?;
            }
            if use_of_operands == OperandUse::MayWrite {
                reads::check_protected(self.workspace, place)?;
            }
        }
        Ok(())
    }

    /// The same for what may be the name of a file inside a word.
    pub(super) fn check_names_inside(
        &self,
        word: &str,
        elsewhere: &[PathBuf],
        use_of_operands: OperandUse,
    ) -> Result<(), PlanObjection> {
        let names = names_inside(word)
            .ok_or_else(|| PlanObjection::new("which part of a word is the name of a file cannot be told"))?;
        names.iter().map(OsStr::new).try_for_each(|name| {
            self.check_operand(name, use_of_operands)?;
            self.check_elsewhere(elsewhere, name, use_of_operands)
        })
    }
}
