//! How much of the disk one plan may have looked at, and what was found there already.
//!
//! Whoever writes a command and the files around it decides how much there is to look at, so a limit for each pattern or
//! search is none: a plan has many. One budget is for the whole of it, and what occurs again costs nothing to look up.

use super::PlanObjection;
use super::left_out::LeftOutNames;
use pollux_session::{PlannedWord, ReadKind};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The most names that are looked at for one plan: about a second's work.
pub(super) const MAX_LOOKS: usize = 100_000;

pub(super) struct PlanLookups {
    limit: usize,
    spent: Cell<usize>,
    /// The names that patterns stand for.
    names: RefCell<HashMap<PlannedWord, Vec<OsString>>>,
    /// Paths, as they were asked for, that may be read so.
    readable: RefCell<HashSet<(PathBuf, ReadKind)>>,
    /// Directories that may be searched, real paths, and what is to be left out there.
    searchable: RefCell<HashMap<PathBuf, LeftOutNames>>,
    /// Repositories that git may read.
    repositories: RefCell<HashSet<PathBuf>>,
}

impl PlanLookups {
    pub(super) fn new(limit: usize) -> PlanLookups {
        PlanLookups {
            limit,
            spent: Cell::new(0),
            names: RefCell::default(),
            readable: RefCell::default(),
            searchable: RefCell::default(),
            repositories: RefCell::default(),
        }
    }

    /// Take `looks` from the budget.
    pub(super) fn spend(&self, looks: usize) -> Result<(), PlanObjection> {
        let spent = self.spent.get().saturating_add(looks);
        self.spent.set(spent);
        if spent > self.limit {
            return Err(PlanObjection::new(format!("the command looks through more than {} names", self.limit)));
        }
        Ok(())
    }

    /// The names that the pattern `word` stands for, which `expand` finds. Each is an operand and costs one look, also
    /// when the pattern occurs again.
    pub(super) fn names_of(
        &self,
        word: &PlannedWord,
        expand: impl FnOnce() -> Result<Vec<OsString>, PlanObjection>,
    ) -> Result<Vec<OsString>, PlanObjection> {
        let known = self.names.borrow().get(word).cloned();
        let names = match known {
            Some(names) => names,
            None => {
                let names = expand()?;
                self.names.borrow_mut().insert(word.clone(), names.clone());
                names
            }
        };
        self.spend(names.len())?;
        Ok(names)
    }

    /// Check whether `path` may be read, unless that is known.
    pub(super) fn check_once(
        &self,
        path: &Path,
        kind: ReadKind,
        check: impl FnOnce() -> Result<(), PlanObjection>,
    ) -> Result<(), PlanObjection> {
        let read = (path.to_owned(), kind);
        if !self.readable.borrow().contains(&read) {
            self.spend(1)?;
            check()?;
            self.readable.borrow_mut().insert(read);
        }
        Ok(())
    }

    /// Check whether git may read the repository in `directory`, unless that is known.
    pub(super) fn check_repository_once(
        &self,
        directory: &Path,
        check: impl FnOnce() -> Result<(), PlanObjection>,
    ) -> Result<(), PlanObjection> {
        if !self.repositories.borrow().contains(directory) {
            check()?;
            self.repositories.borrow_mut().insert(directory.to_owned());
        }
        Ok(())
    }

    /// Check whether `directory`, a real path, may be searched, and what is to be left out, unless that is known: of itself, or
    /// of one above it.
    pub(super) fn check_tree_once(
        &self,
        directory: &Path,
        check: impl FnOnce() -> Result<LeftOutNames, PlanObjection>,
    ) -> Result<LeftOutNames, PlanObjection> {
        let known = directory.ancestors().find_map(|above| self.searchable.borrow().get(above).cloned());
        if let Some(names) = known {
            return Ok(names);
        }
        let names = check()?;
        self.searchable.borrow_mut().insert(directory.to_owned(), names.clone());
        Ok(names)
    }
}
