//! Walks through a directory of the workspace, past what is ignored, until it is done, too late or called off.

use crate::error::{FileOperation, ToolError};
use crate::pluralize::pluralize;
use crate::tool::run_blocking;
use crate::workspace::{Workspace, WorkspacePath, is_draft};
use ignore::{DirEntry, WalkBuilder, WalkState};
use pollux_files::{IgnoreFiles, IgnoreRules};
use pollux_session::SessionId;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashSet;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// More threads than this are kept waiting by the disk.
const MAX_THREADS: usize = 8;

/// The files that are left out of a walk. Version control's own directory always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalkFilter {
    /// Leave out what `.gitignore` lists.
    pub(crate) git: bool,
    /// Leave out what `.geminiignore` and the ignore files that settings name list.
    pub(crate) gemini: bool,
}

/// Which ignore files count, as a call says it.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(inline)]
pub(crate) struct FilteringArguments {
    /// Whether to leave out what .gitignore lists. Yes if left out.
    respect_git_ignore: Option<bool>,
    /// Whether to leave out what .geminiignore lists. Yes if left out.
    respect_gemini_ignore: Option<bool>,
}

impl FilteringArguments {
    /// The rules of a walk: the call's, else those of the person's settings.
    pub(crate) fn rules(self, usual: WalkFilter) -> WalkFilter {
        let (git, gemini) = (self.respect_git_ignore, self.respect_gemini_ignore);
        WalkFilter { git: git.unwrap_or(usual.git), gemini: gemini.unwrap_or(usual.gemini) }
    }
}

/// Do what walks, for at most `limit`. Dropping the future stops it.
pub(crate) async fn run_within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce(&WalkDeadline) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let cancelled = CancellationToken::new();
    let patience = WalkDeadline::new(limit, cancelled.clone());
    let _cancel_on_drop = cancelled.drop_guard();
    run_blocking(move || work(&patience)).await
}

/// When to stop early.
pub(crate) struct WalkDeadline {
    deadline: Instant,
    cancelled: CancellationToken,
    late: AtomicBool,
}

impl WalkDeadline {
    /// Until `limit` is over or `cancelled` is.
    pub(crate) fn new(limit: Duration, cancelled: CancellationToken) -> WalkDeadline {
        WalkDeadline { deadline: Instant::now() + limit, cancelled, late: AtomicBool::new(false) }
    }

    /// True if it is over.
    pub(crate) fn is_over(&self) -> bool {
        if Instant::now() >= self.deadline {
            self.late.store(true, Ordering::Relaxed);
        }
        self.timed_out() || self.cancelled.is_cancelled()
    }

    /// True if time ran out before the walk was done.
    pub(crate) fn timed_out(&self) -> bool {
        self.late.load(Ordering::Relaxed)
    }
}

/// Show `visit` every regular file in `place` (or `place` itself, if it is a file), on several threads in any order.
/// Links are not followed. `visit` says whether to go on.
pub(crate) fn walk(
    workspace: &Workspace,
    place: &WorkspacePath,
    rules: WalkFilter,
    patience: &WalkDeadline,
    visit: impl Fn(&DirEntry, &WorkspacePath) -> WalkState + Sync,
) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let mut builder = builder(workspace, place, rules);
    builder.threads(threads);
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            if patience.is_over() {
                return WalkState::Quit;
            }
            // What cannot be read, or is gone again, is not there for the model either.
            let Ok(entry) = entry else { return WalkState::Continue };
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                return WalkState::Continue;
            }
            match workspace.place_of(place, entry.path()) {
                Some(found) if found.absolute.starts_with(&place.absolute) => visit(&entry, &found),
                _ => WalkState::Continue,
            }
        })
    });
}

/// The names directly in the directory `place` that the rules do not leave out.
pub(crate) fn visible_names(workspace: &Workspace, place: &WorkspacePath, rules: WalkFilter) -> HashSet<OsString> {
    let depth = place.relative().components().count() + 1;
    let entries = builder(workspace, place, rules).max_depth(Some(depth)).build().filter_map(Result::ok);
    entries.filter(|entry| entry.depth() == depth).map(|entry| entry.file_name().to_owned()).collect()
}

/// A walk from the root of `place` down, so that its rules are known; but only on the way to `place` and in it. A draft that a killed
/// process left may be that of a secret, and its name does not say so.
fn builder(workspace: &Workspace, place: &WorkspacePath, rules: WalkFilter) -> WalkBuilder {
    let target = place.absolute.clone();
    let root = workspace.root_of(place).to_owned();
    let custom = if rules.gemini { workspace.custom_rules_below(place) } else { Vec::new() };
    let parents = workspace.is_outside(place);
    let files = IgnoreFiles { git: rules.git, gemini: rules.gemini, parents, ..IgnoreFiles::default() };
    let all_is_listed = rules.gemini && workspace.is_in_ignored_outside(place);
    let ignore_rules = IgnoreRules::new(&root, files);
    let own = workspace.own_places_for(place);
    let mut builder = WalkBuilder::new(&root);
    builder
        // Only the rules in the workspace count: not those above it, nor the person's own for git. Outside, those above count too.
        .standard_filters(false)
        .filter_entry(move |entry| {
            let path = entry.path();
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            let listed = || {
                // Rules say nothing of what is not below their own directory.
                let mut by_settings = custom
                    .iter()
                    .filter(|rules| path.starts_with(rules.path()))
                    .map(|rules| rules.matched(path, is_directory));
                let by_settings = by_settings.find(|found| !found.is_none());
                all_is_listed
                    || by_settings.is_some_and(|found| found.is_ignore())
                    || ignore_rules.is_ignored(path, is_directory)
            };
            let is_ours = entry.file_name() == ".git" || entry.file_name().to_str().is_some_and(is_draft);
            (path.starts_with(&target) || target.starts_with(path)) && !is_ours && !own.hold(path) && !listed()
        });
    builder
}

/// Where a search begins: in the directory that was asked for, or in every root when none was.
pub(crate) fn search_roots(
    workspace: &mut Workspace,
    asked: Option<&str>,
    session: Option<SessionId>,
) -> Result<Vec<WorkspacePath>, ToolError> {
    let Some(asked) = asked.filter(|asked| !asked.is_empty()) else { return Ok(workspace.root_places()) };
    let place = workspace.find_to_read(asked, session)?;
    match workspace.read_metadata(&place, FileOperation::Search) {
        Ok(_) => Ok(vec![place]),
        Err(ToolError::NotFound { path }) => {
            let message = format!("`{path}` does not exist in the workspace; list_directory shows what does");
            Err(ToolError::failed("search_path_not_found", message))
        }
        Err(error) => Err(error),
    }
}

/// Where a search is made, in words.
pub(crate) fn describe_places(places: &[WorkspacePath]) -> String {
    match places {
        [only] if !only.is_workspace() => format!("`{}`", only.name()),
        [_] | [] => "the workspace".to_owned(),
        [_, added @ ..] => {
            format!("the workspace and {}", pluralize(added.len(), "added directory", "added directories"))
        }
    }
}
