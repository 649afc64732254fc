//! Programs that a person allowed and that take names of files from their input: the names are checked nowhere, so they must come
//! from a list of what lies in the workspace, and none of that may be protected.

use super::{PlanObjection, PlanResolver, base_name, reads};
use pollux_session::{PlanAuthority, PlannedCommand, PlannedPipeline, PlannedWord};
use reads::FollowedLinks;

/// Programs that run another one with the names that they read.
const RUNS_WITH_NAMES: [&str; 2] = ["parallel", "xargs"];
/// Programs that print names of what lies in directories, told nothing else.
const LISTS: [&str; 2] = ["find", "ls"];
/// Programs that pass on some of the lines that they read.
const FILTERS: [&str; 5] = ["grep", "head", "nl", "tail", "uniq"];

impl PlanResolver<'_> {
    /// Whether the names that a program of `pipeline` reads from its input may be read.
    pub(super) fn check_input_names(&self, pipeline: &PlannedPipeline) -> Result<(), PlanObjection> {
        let Some(at) = pipeline.commands.iter().position(runs_with_names) else { return Ok(()) };
        let unclear = || PlanObjection {
            why: "the names that it reads from its input are known only when it runs".into(),
            is_secret: true,
        };
        let has_other_input = has_input(&pipeline.commands[at]);
        match pipeline.commands[..at].split_first() {
            _ if has_other_input => Err(unclear()),
            // Nothing is there to be read.
            None => Ok(()),
            Some((list, filters)) if is_list(list) && filters.iter().all(is_filter) => {
                // What is listed may be opened, wherever it lies in there and wherever it leads.
                list.reads.iter().try_for_each(|read| self.check_listed(&read.path))
            }
            Some(_) => Err(unclear()),
        }
    }

    fn check_listed(&self, root: &PlannedWord) -> Result<(), PlanObjection> {
        for path in self.paths_of(root)? {
            let path = self.directory.join(path);
            reads::find(self.workspace, &path)?;
            match path.canonicalize() {
                Ok(real) if real.is_dir() => {
                    reads::check_tree(&real, FollowedLinks::All, &self.lookups)?.object()?;
                }
                Ok(real) => reads::check_name(&real)?,
                Err(_) => {}
            }
        }
        Ok(())
    }
}

fn name_of(command: &PlannedCommand) -> &str {
    base_name(command.words.first().and_then(PlannedWord::literal).unwrap_or_default())
}

/// Another program may start such a one.
fn runs_with_names(command: &PlannedCommand) -> bool {
    let is_one = |word: &PlannedWord| word.literal().is_some_and(|text| RUNS_WITH_NAMES.contains(&base_name(text)));
    command.authority == PlanAuthority::Person && command.words.iter().any(is_one)
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

/// Only those that were found to do nothing but look: every word of them is known.
fn is_list(command: &PlannedCommand) -> bool {
    command.authority == PlanAuthority::BuiltIn && LISTS.contains(&name_of(command)) && command.redirections.is_empty()
}

fn is_filter(command: &PlannedCommand) -> bool {
    let reads_input = command.reads.is_empty() && command.redirections.is_empty();
    command.authority == PlanAuthority::BuiltIn && FILTERS.contains(&name_of(command)) && reads_input
}
