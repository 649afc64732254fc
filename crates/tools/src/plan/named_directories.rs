//! Directories that words of a command name. A program may be told to go there first (`env -C DIR`, `tar -C DIR`, `make -C DIR`), and
//! then its other words are files that lie there: whichever option says so, the file is found.

use super::names_inside::names_inside;
use super::operands::OperandUse;
use super::{PlanObjection, PlanResolver};
use pollux_session::PlannedWord;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The most directories that one command may name besides its own.
const MAX_DIRECTORIES: usize = 64;

impl PlanResolver<'_> {
    /// The directories that `words` name, each also as seen from those named before it. Of the names that a pattern stands
    /// for only the first can be the value of an option.
    pub(super) fn directories_named(&self, words: &[PlannedWord]) -> Result<Vec<PathBuf>, PlanObjection> {
        let mut found = Vec::new();
        for word in words {
            let Some(first) = self.paths_of(word)?.into_iter().next() else { continue };
            let inside = first.to_str().filter(|text| text.starts_with('-')).and_then(names_inside).unwrap_or_default();
            for name in inside.into_iter().map(OsString::from).chain([first]) {
                self.add_directories(&mut found, &name)?;
            }
        }
        Ok(found)
    }

    fn add_directories(&self, found: &mut Vec<PathBuf>, name: &OsStr) -> Result<(), PlanObjection> {
        for at in 0..=found.len() {
            self.lookups.spend(1)?;
            let base = at.checked_sub(1).map_or(&self.directory, |at| &found[at]);
            let Ok(directory) = base.join(name).canonicalize() else { continue };
            if !directory.is_dir() || directory == self.directory || found.contains(&directory) {
                continue;
            }
            if found.len() >= MAX_DIRECTORIES {
                return Err(PlanObjection::new(format!("it names more than {MAX_DIRECTORIES} directories")));
            }
            found.push(directory);
        }
        Ok(())
    }

    /// What speaks against `operand` as the name of a file in one of `directories`, if there is one.
    pub(super) fn check_elsewhere(
        &self,
        directories: &[PathBuf],
        operand: &OsStr,
        use_of_operands: OperandUse,
    ) -> Result<(), PlanObjection> {
        if Path::new(operand).is_absolute() {
            return Ok(());
        }
        for directory in directories {
            self.lookups.spend(1)?;
            if directory.join(operand).symlink_metadata().is_ok() {
                self.check_operand_in(directory, operand, use_of_operands)?;
            }
        }
        Ok(())
    }
}
