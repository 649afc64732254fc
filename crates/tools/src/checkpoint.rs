//! Checkpoints: a workspace as it was before a call changed it, kept in a git repository of ours beside the person's own files.
//!
//! The workspace's own repository is neither needed nor touched: ours has its own directory, index, ignore rules and
//! settings, and of git only the plumbing is used, which wants no identity and runs no hooks. A checkpoint is a tree;
//! what keeps it is a reference that belongs to one session, so no other session can go back to it.

mod blob_reader;
mod error;
mod forget_session;
mod git_program;
mod index;
mod private_modes;
mod prune;
mod restore;
mod restore_scope;
mod saved_ignore_rules;
mod scan;
mod shadow_repository;
mod tree_change;
mod write_back;

pub use error::CheckpointError;
pub use forget_session::forget_session_checkpoints;
pub use restore::RestorePlan;
pub use restore_scope::{CheckpointedCall, RestoreScope};

use crate::process_environment::ProcessEnvironment;
use git_program::GitProgram;
use lru::LruCache;
use parking_lot::Mutex;
use pollux_session::SessionId;
use shadow_repository::{ShadowRepository, saved_paths};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The time limit of saving or comparing a workspace.
const USUAL_LIMIT: Duration = Duration::from_secs(20);
/// The time for which a workspace that took too long is left alone.
const PAUSE: Duration = Duration::from_secs(10 * 60);
/// The number of checkpoints between two times of tidying up.
const TIDY_EVERY: u32 = 64;
/// The most workspaces that are remembered. More than these are tidied up more often, and that is all.
const WORKSPACES_KNOWN: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// Where and how checkpoints are kept.
#[derive(Clone, Debug)]
pub struct CheckpointSettings {
    /// The directory of all repositories: an absolute path, the person's own.
    pub directory: PathBuf,
    /// The person's home: it is too much to be a workspace that is saved.
    pub home: Option<PathBuf>,
    /// Where git is looked for, in the form of `PATH`.
    pub search_path: Option<OsString>,
    /// The time limit of saving, before the call goes on without.
    pub limit: Duration,
}

impl CheckpointSettings {
    /// Checkpoints in `directory`, made with the git that `PATH` has.
    pub fn new(directory: PathBuf) -> CheckpointSettings {
        CheckpointSettings {
            directory,
            home: std::env::home_dir(),
            search_path: ProcessEnvironment::original().get_os("PATH").map(OsStr::to_owned),
            limit: USUAL_LIMIT,
        }
    }
}

/// Saves workspaces and goes back to what was saved.
pub struct Checkpoints {
    settings: CheckpointSettings,
    saves: Mutex<LruCache<PathBuf, WorkspaceSaves>>,
}

/// The saves of a workspace so far.
#[derive(Default)]
struct WorkspaceSaves {
    saved: u32,
    /// It took too long; it is left alone until then.
    paused: Option<Instant>,
}

/// The checkpoint that is wanted.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointRequest<'a> {
    /// The session it is for: no other one can go back to it.
    pub session: SessionId,
    pub workspace: &'a Path,
    /// Everything the session can still name. What else was kept for it may go.
    pub named: &'a [&'a str],
    /// The checkpoint that is about to be gone back to: whatever it holds is saved too, ignored by now or not.
    pub also: Option<&'a str>,
    /// The files that the call is known to change, relative to the workspace: they are saved even if ignore rules list them.
    pub changes: &'a [String],
}

impl Checkpoints {
    /// Nothing is looked for or made yet.
    pub fn new(settings: CheckpointSettings) -> Checkpoints {
        Checkpoints { settings, saves: Mutex::new(LruCache::sparse(WORKSPACES_KNOWN)) }
    }

    /// Save the workspace as it is now. What is returned finds it again, in this session.
    pub async fn save(&self, wanted: CheckpointRequest<'_>) -> Result<String, CheckpointError> {
        let shadow = self.shadow(wanted.workspace)?;
        self.check_pause(&shadow)?;
        let also = async {
            let mut also: Vec<PathBuf> = wanted.changes.iter().map(PathBuf::from).collect();
            if let Some(saved) = wanted.also {
                also.extend(saved_paths(&shadow.files_of(&shadow.find(wanted.session, saved)?).await?));
            }
            Ok(also)
        };
        let save = async {
            shadow.create().await?;
            let tree = shadow.save(also.await?).await?;
            shadow.keep(wanted.session, &tree).await?;
            Ok(tree)
        };
        let tree = self.run_in_time(&shadow, save).await?;
        if self.is_time_to_prune(&shadow) {
            let named = wanted.named.iter().chain([&tree.as_str()]).map(|saved| (*saved).to_owned()).collect();
            tokio::spawn(prune::prune_checkpoints(shadow, wanted.session, named));
        }
        Ok(tree)
    }

    /// Check that there is a way back to `saved`; an error says why not: a checkpoint that a session saved on another
    /// machine is not here.
    pub fn find(&self, session: SessionId, workspace: &Path, saved: &str) -> Result<(), CheckpointError> {
        self.shadow(workspace)?.find(session, saved).map(drop)
    }

    /// The changes that going back to `saved` would make, within `scope`. Nothing in the workspace is changed yet.
    pub async fn compare(
        &self,
        session: SessionId,
        workspace: &Path,
        saved: &str,
        scope: RestoreScope<'_>,
    ) -> Result<RestorePlan, CheckpointError> {
        let shadow = self.shadow(workspace)?;
        let compare = RestorePlan::compare(Arc::clone(&shadow), session, saved, scope);
        self.run_in_time(&shadow, compare).await
    }

    fn shadow(&self, workspace: &Path) -> Result<Arc<ShadowRepository>, CheckpointError> {
        let gone = |error: std::io::Error| CheckpointError::workspace(workspace, &error);
        let workspace = workspace.canonicalize().map_err(gone)?;
        if self.settings.home.as_ref().is_some_and(|home| contains_path(&workspace, home)) {
            return Err(CheckpointError::TooMuch("it holds the home directory"));
        }
        if workspace.parent().is_none() || contains_path(&workspace, &self.settings.directory) {
            return Err(CheckpointError::TooMuch("it holds the checkpoints themselves"));
        }
        let git = GitProgram::find(self.settings.search_path.as_deref(), &workspace).ok_or(CheckpointError::NoGit)?;
        Ok(Arc::new(ShadowRepository::new(&self.settings.directory, workspace, git)))
    }

    /// Do `work`, or say that it takes too long.
    async fn run_in_time<T>(
        &self,
        shadow: &ShadowRepository,
        work: impl Future<Output = Result<T, CheckpointError>>,
    ) -> Result<T, CheckpointError> {
        let done = timeout(self.settings.limit, work).await;
        let done = done.unwrap_or(Err(CheckpointError::TooSlow(self.settings.limit)));
        if matches!(done, Err(CheckpointError::TooSlow(_) | CheckpointError::TooMany(_))) {
            self.with_saves(shadow, |known| known.paused = Some(Instant::now() + PAUSE));
        }
        done
    }

    fn check_pause(&self, shadow: &ShadowRepository) -> Result<(), CheckpointError> {
        let left = self.with_saves(shadow, |known| known.paused?.checked_duration_since(Instant::now()));
        left.map_or(Ok(()), |left| Err(CheckpointError::Paused(left)))
    }

    fn is_time_to_prune(&self, shadow: &ShadowRepository) -> bool {
        self.with_saves(shadow, |known| {
            known.saved += 1;
            known.saved % TIDY_EVERY == 1
        })
    }

    fn with_saves<T>(&self, shadow: &ShadowRepository, act: impl FnOnce(&mut WorkspaceSaves) -> T) -> T {
        let mut known = self.saves.lock();
        act(known.get_or_insert_mut_ref(shadow.workspace(), WorkspaceSaves::default))
    }
}

/// True if `inner` is `outer` or lies in it.
fn contains_path(outer: &Path, inner: &Path) -> bool {
    inner.canonicalize().unwrap_or_else(|_| inner.to_owned()).starts_with(outer)
}
