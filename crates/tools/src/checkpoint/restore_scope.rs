//! Whose changes a restore takes back. A checkpoint knows what files were like, not who changed them since; what each
//! call may have changed, and until when, tells the files apart that the person has changed.

use super::error::CheckpointError;
use super::shadow_repository::ShadowRepository;
use super::tree_change::parse;
use crate::file_work::{FileWorkError, run_file_work};
use pollux_session::{SessionId, UnixMillis};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The milliseconds after the end of a call until which a file's time may say that the call changed it: file systems
/// know time less exactly than the log does.
const LATE_MS: u64 = 2_000;

/// Which files go back.
#[derive(Clone, Copy, Debug)]
pub enum RestoreScope<'a> {
    /// Every file, whoever changed it. These are the calls of the session since the checkpoint that is gone back to.
    Everything(&'a [CheckpointedCall<'a>]),
    /// Only files that one of these calls may have changed. They are all of the session's since the checkpoint that is gone
    /// back to, and the first is the one it was made for.
    ChangedBy(&'a [CheckpointedCall<'a>]),
}

impl<'a> RestoreScope<'a> {
    fn calls(self) -> &'a [CheckpointedCall<'a>] {
        let (RestoreScope::Everything(calls) | RestoreScope::ChangedBy(calls)) = self;
        calls
    }

    /// The files that calls are known to have changed, each once.
    pub(super) fn named_files(self) -> Vec<PathBuf> {
        let named: BTreeSet<&String> = self.calls().iter().filter_map(|call| call.files).flatten().collect();
        named.into_iter().map(PathBuf::from).collect()
    }

    /// The checkpoint of the first call that is known to have changed `path`, if that was saved.
    pub(super) fn first_checkpoint_of(self, path: &Path) -> Option<&'a str> {
        let changes = |call: &&CheckpointedCall<'_>| call.files.is_some() && call.may_change(path);
        self.calls().iter().find(changes)?.saved
    }
}

/// A call that a checkpoint was made for.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointedCall<'a> {
    /// The checkpoint of the workspace before it, if that was saved.
    pub saved: Option<&'a str>,
    /// The only files it may have changed; `None` if it may have changed any.
    pub files: Option<&'a [String]>,
    /// When its checkpoint was made: it changed nothing before.
    pub started: UnixMillis,
    /// Since when it changes nothing more; `None` if it may still do.
    pub ended: Option<UnixMillis>,
    /// What it is called, if it has left a command in the background. Such a command may run for days and change nothing, as a
    /// server does, so what changed meanwhile is as likely the person's.
    pub background: Option<&'a str>,
}

impl CheckpointedCall<'_> {
    fn is_over_by(&self, time: UnixMillis) -> bool {
        self.ended.is_some_and(|ended| ended <= time)
    }

    fn may_change(&self, path: &Path) -> bool {
        self.files.is_none_or(|files| files.iter().any(|file| Path::new(file) == path))
    }

    /// True if it may have made a change that a file system says was made then.
    fn may_change_until(&self, time: UnixMillis) -> bool {
        self.ended.is_none_or(|ended| time.0 <= ended.0.saturating_add(LATE_MS))
    }
}

/// True if a file that is different since the first of `calls` may be so by a call, if it was changed last at `at`. A
/// program can give a file an older time than its own, as `tar` does. A later call may have written the same once more.
fn is_change_of(calls: &[CheckpointedCall<'_>], at: UnixMillis) -> bool {
    let [first, later @ ..] = calls else { return false };
    let is_during = |call: &CheckpointedCall<'_>| call.started <= at && call.may_change_until(at);
    first.may_change_until(at) || later.iter().any(|call| call.files.is_none() && is_during(call))
}

/// The files that go back.
pub(super) enum FilesInScope {
    All,
    Only {
        files: BTreeSet<PathBuf>,
        /// Those of them that changed again after the last call that may have changed them.
        changed_later: BTreeSet<PathBuf>,
        /// Those that stay although a command in the background may have changed them, each with what that is called.
        doubtful: BTreeMap<PathBuf, String>,
    },
}

impl FilesInScope {
    /// Those of `scope`, where the workspace is the tree `now`.
    pub(super) async fn find(
        shadow: &ShadowRepository,
        session: SessionId,
        scope: RestoreScope<'_>,
        now: &str,
    ) -> Result<FilesInScope, CheckpointError> {
        let RestoreScope::ChangedBy(calls) = scope else { return Ok(FilesInScope::All) };
        let mut files: BTreeSet<PathBuf> =
            calls.iter().filter_map(|call| call.files).flatten().map(PathBuf::from).collect();
        let tree = |call: &CheckpointedCall<'_>| call.saved.and_then(|saved| shadow.find(session, saved).ok());
        let trees: Vec<Option<String>> = calls.iter().map(tree).collect();
        let mut doubtful: BTreeMap<PathBuf, String> = BTreeMap::new();
        let is_foreground = |call: &&CheckpointedCall<'_>| call.background.is_none();
        let foreground: Vec<CheckpointedCall<'_>> = calls.iter().filter(is_foreground).copied().collect();
        for (place, call) in calls.iter().enumerate().filter(|(_, call)| call.files.is_none()) {
            // Where nothing was saved before a call, its changes are among all those since an older checkpoint.
            let Some(before) = trees[..=place].iter().rev().flatten().next() else { return Ok(FilesInScope::All) };
            let mut later = calls.iter().zip(&trees).skip(place + 1);
            let after = later.find_map(|(next, tree)| tree.as_deref().filter(|_| call.is_over_by(next.started)));
            let mut changed = changed_files(shadow, before, after.unwrap_or(now)).await?;
            changed.retain(|path| !files.contains(path));
            let changed = read_change_times(shadow.workspace(), changed).await?;
            if let Some(title) = call.background {
                doubtful.extend(changed.into_iter().map(|(_, path)| (path, title.to_owned())));
                continue;
            }
            let since = &foreground[foreground.len() - calls[place..].iter().filter(is_foreground).count()..];
            let may_be_its = |at: Option<UnixMillis>| at.is_none_or(|at| is_change_of(since, at));
            files.extend(changed.into_iter().filter(|(at, _)| may_be_its(*at)).map(|(_, path)| path));
        }
        doubtful.retain(|path, _| !files.contains(path));
        let times = read_change_times(shadow.workspace(), files.iter().cloned().collect()).await?;
        let is_later = |at: UnixMillis, path: &Path| {
            !foreground.iter().any(|call| call.may_change(path) && call.may_change_until(at))
        };
        let changed_later = times.into_iter().filter(|(at, path)| at.is_some_and(|at| is_later(at, path)));
        let changed_later = changed_later.map(|(_, path)| path).collect();
        Ok(FilesInScope::Only { files, changed_later, doubtful })
    }

    /// True if a file goes back that somebody else has changed since the agent did.
    pub(super) fn is_changed_later(&self, path: &Path) -> bool {
        match self {
            FilesInScope::All => false,
            FilesInScope::Only { changed_later, .. } => changed_later.contains(path),
        }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        match self {
            FilesInScope::All => true,
            FilesInScope::Only { files, .. } => files.contains(path),
        }
    }

    /// The command in the background that may have changed a file which stays, by its name.
    pub(super) fn doubt(&self, path: &Path) -> Option<&str> {
        match self {
            FilesInScope::All => None,
            FilesInScope::Only { doubtful, .. } => doubtful.get(path).map(String::as_str),
        }
    }
}

async fn changed_files(shadow: &ShadowRepository, before: &str, after: &str) -> Result<Vec<PathBuf>, CheckpointError> {
    // Most commands change nothing, and git need not be asked about those.
    if before == after {
        return Ok(Vec::new());
    }
    let compare = &["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after];
    let changes = parse(&shadow.run(("compare checkpoints", compare), Vec::new()).await?);
    Ok(changes.into_iter().map(|change| change.path).collect())
}

/// When each of these files was changed last, if it is there.
async fn read_change_times(
    workspace: &Path,
    files: Vec<PathBuf>,
) -> Result<Vec<(Option<UnixMillis>, PathBuf)>, CheckpointError> {
    let workspace = workspace.to_owned();
    let with_time = move |path: PathBuf| (change_time(&workspace.join(&path)), path);
    let times = run_file_work(move || files.into_iter().map(with_time).collect()).await;
    times.map_err(|error: FileWorkError| CheckpointError::Git { doing: "look", said: error.to_string() })
}

/// A link's own time, not that of what it leads to.
fn change_time(path: &Path) -> Option<UnixMillis> {
    let changed = path.symlink_metadata().and_then(|metadata| metadata.modified()).ok()?;
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}
