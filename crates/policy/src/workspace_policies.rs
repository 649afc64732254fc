//! The policy of each workspace, read again when a file of it changes.

use crate::policy::Policy;
use crate::rule::RuleTier;
use crate::rule_origin::PolicyProblem;
use crate::tool_permissions::ToolPermissions;
use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

#[cfg(test)]
mod tests;

/// How many workspaces' policies are kept at hand.
const MAX_WORKSPACES: usize = 64;
/// How many problems are remembered as told.
const MAX_REPORTED: usize = 1024;
/// The largest file of rules that is read.
const MAX_BYTES: u64 = 1 << 20;
/// Where a workspace keeps rules of its own.
const IN_WORKSPACE: &str = ".gemini/policies";

/// Where rules come from besides the built-in ones. Every `*.toml` in a directory is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicySources {
    /// The machine's, for everybody.
    pub admin_dir: Option<PathBuf>,
    /// The person's own; [`crate::save_grant`] writes here.
    pub user_dir: Option<PathBuf>,
    /// Other directories of the person's own, which need not exist: Gemini CLI's.
    pub more_user_dirs: Vec<PathBuf>,
    /// Files and directories that the person names in their settings. One that cannot be read is a broken file.
    pub user_paths: Vec<PathBuf>,
    /// The same for rules that nothing overrules.
    pub admin_paths: Vec<PathBuf>,
    /// Directories whose rules can only ask or deny, as a workspace's: those of extensions.
    pub narrowing_dirs: Vec<PathBuf>,
    /// What flags and settings say.
    pub settings: ToolPermissions,
}

/// Hands out the policy of a workspace.
#[derive(Debug)]
pub struct WorkspacePolicies {
    sources: PolicySources,
    cache: Mutex<PolicyCache>,
}

#[derive(Debug, Default)]
struct PolicyCache {
    loaded: HashMap<(PathBuf, bool), (RuleFileStamps, Arc<Policy>)>,
    reported: HashSet<PolicyProblem>,
    unreported: Vec<PolicyProblem>,
}

/// Which files there are and when each changed: equal stamps, equal rules.
type RuleFileStamps = Vec<(PathBuf, RuleTier, Option<(SystemTime, u64)>)>;

impl WorkspacePolicies {
    /// Policies from `sources`.
    pub fn new(sources: PolicySources) -> WorkspacePolicies {
        WorkspacePolicies { sources, cache: Mutex::default() }
    }

    /// The policy for a workspace, by its canonical path. Its own rules are read only if the person trusts it: they
    /// can only narrow, but they speak to the model.
    pub fn for_workspace(&self, workspace: &Path, workspace_trusted: bool) -> Arc<Policy> {
        let stamp = self.stamp_files(workspace, workspace_trusted);
        let key = (workspace.to_owned(), workspace_trusted);
        let mut shelf = self.lock_cache();
        if let Some((known, policy)) = shelf.loaded.get(&key)
            && *known == stamp
        {
            return policy.clone();
        }
        let files: Vec<_> = stamp.iter().map(|(path, tier, meta)| (path.clone(), *tier, read(path, *meta))).collect();
        let policy = Arc::new(Policy::new(&files, Some(workspace), &self.sources.settings));
        for problem in policy.problems() {
            if shelf.reported.len() < MAX_REPORTED && shelf.reported.insert(problem.clone()) {
                shelf.unreported.push(problem.clone());
            }
        }
        if shelf.loaded.len() >= MAX_WORKSPACES {
            shelf.loaded.clear();
        }
        shelf.loaded.insert(key, (stamp, policy.clone()));
        policy
    }

    /// Problems that nobody has been told of yet. Each is told once.
    pub fn take_new_problems(&self) -> Vec<PolicyProblem> {
        std::mem::take(&mut self.lock_cache().unreported)
    }

    /// The person's own directory of rules.
    pub fn user_dir(&self) -> Option<&Path> {
        self.sources.user_dir.as_deref()
    }

    fn stamp_files(&self, workspace: &Path, trusted: bool) -> RuleFileStamps {
        let sources = &self.sources;
        let own = trusted.then(|| workspace.join(IN_WORKSPACE));
        let mut stamp = RuleFileStamps::new();
        for directory in own.iter().chain(&sources.narrowing_dirs) {
            stamp.extend(files_in(directory, RuleTier::Workspace));
        }
        for directory in sources.user_dir.iter().chain(&sources.more_user_dirs) {
            stamp.extend(files_in(directory, RuleTier::User));
        }
        stamp.extend(sources.user_paths.iter().flat_map(|path| files_at(path, RuleTier::User)));
        stamp.extend(sources.admin_dir.iter().flat_map(|directory| files_in(directory, RuleTier::Admin)));
        stamp.extend(sources.admin_paths.iter().flat_map(|path| files_at(path, RuleTier::Admin)));
        stamp
    }

    fn lock_cache(&self) -> MutexGuard<'_, PolicyCache> {
        self.cache.lock()
    }
}

/// The files of rules in `directory`, by name. One that cannot be listed stands for itself, and will be said to be
/// broken; one that is not there holds no rules.
fn files_in(directory: &Path, tier: RuleTier) -> RuleFileStamps {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(_) => return vec![(directory.to_owned(), tier, None)],
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), tier, read_stamp(&path))).collect()
}

/// The files of rules at a path that somebody named: a file, or those in a directory. One that is not there stands for
/// itself, and will be said to be broken: what it forbids is not known.
fn files_at(path: &Path, tier: RuleTier) -> RuleFileStamps {
    if path.is_absolute() && path.is_dir() {
        return files_in(path, tier);
    }
    vec![(path.to_owned(), tier, read_stamp(path))]
}

fn read_stamp(path: &Path) -> Option<(SystemTime, u64)> {
    fs::metadata(path).ok().and_then(|meta| Some((meta.modified().ok()?, meta.len())))
}

fn read(path: &Path, meta: Option<(SystemTime, u64)>) -> Result<String, String> {
    match meta {
        // What it is relative to may be a workspace, whose rules must not count as the person's.
        _ if !path.is_absolute() => Err("write the whole path, or begin it with ~/".to_owned()),
        Some((_, len)) if len > MAX_BYTES => Err(format!("it is longer than {MAX_BYTES} bytes")),
        Some(_) | None => pollux_files::read_text(path, MAX_BYTES).map_err(|error| error.to_string()),
    }
}
