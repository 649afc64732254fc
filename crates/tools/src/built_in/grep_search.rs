//! `grep_search`: lines of files that match a regular expression.

mod files;
mod report;

use crate::arguments::{flag, parse, whole_number};
use crate::error::ToolError;
use crate::output::ToolCallContext;
use crate::tool::{CallPreview, Look, LookPermission, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::walk::{WalkDeadline, WalkFilter, describe_places, run_within, search_roots, walk};
use crate::workspace::{FileAccess, ProtectedFile, Workspace, WorkspacePath};
use files::{FileMatches, FileSearch, FileSearchOutcome, SecretFileHandling};
use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkState;
use parking_lot::Mutex;
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState, SessionId};
use report::FileCounts;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const NAME: &str = BuiltInTool::GrepSearch.name();
/// The number of matches in a result, unless the model says otherwise.
const DEFAULT_MATCHES: usize = 100;
/// The most matches that the model may ask for.
const MAX_MATCHES: usize = 1_000;
/// The most matches that are collected before a search ends: more than are shown, so that which are shown depends on
/// their path and not on the order threads happened to find them in.
const MAX_COLLECTED: usize = 50_000;
/// The most lines of context around a match.
const MAX_CONTEXT: usize = 50;
/// With at most so many matches, some lines around them are shown unasked.
const FEW: usize = 3;
const UNASKED_CONTEXT: usize = 3;
/// The time limit of a search.
const TIME: Duration = Duration::from_secs(30);

#[derive(Clone, Deserialize, JsonSchema)]
struct Arguments {
    /// The regular expression a line must match, such as `fn\s+main`.
    pattern: String,
    /// The directory or file to search; also a file that holds the long output of a call. The workspace if left out.
    #[serde(default)]
    dir_path: Option<String>,
    /// Only files whose path matches this glob, such as `*.rs` or `src/**/*.{ts,tsx}`.
    #[serde(default)]
    include_pattern: Option<String>,
    /// Leave out lines that match this regular expression.
    #[serde(default)]
    exclude_pattern: Option<String>,
    /// Return only the paths of the files that have a match.
    #[serde(default, deserialize_with = "flag")]
    names_only: bool,
    /// Whether upper and lower case differ. They do not if left out.
    #[serde(default, deserialize_with = "flag")]
    case_sensitive: bool,
    /// Take the pattern as plain text.
    #[serde(default, deserialize_with = "flag")]
    fixed_strings: bool,
    /// How many lines to show before and after each match.
    #[serde(default, deserialize_with = "whole_number")]
    context: Option<usize>,
    /// How many lines to show before each match.
    #[serde(default, deserialize_with = "whole_number")]
    before: Option<usize>,
    /// How many lines to show after each match.
    #[serde(default, deserialize_with = "whole_number")]
    after: Option<usize>,
    /// Search what .gitignore lists, too. What .geminiignore lists is left out all the same.
    #[serde(default, deserialize_with = "flag")]
    no_ignore: bool,
    /// The most matches to return from one file.
    #[serde(default, deserialize_with = "whole_number")]
    #[schemars(range(min = 1))]
    max_matches_per_file: Option<usize>,
    /// The most matches to return, 100 if left out.
    #[serde(default, deserialize_with = "whole_number")]
    #[schemars(range(min = 1))]
    total_max_matches: Option<usize>,
}

impl Arguments {
    fn total(&self) -> usize {
        self.total_max_matches.unwrap_or(DEFAULT_MATCHES).clamp(1, MAX_MATCHES)
    }

    /// The lines wanted before and after a match; `None` leaves it to us.
    fn context(&self) -> Option<(usize, usize)> {
        self.context.or(self.before).or(self.after)?;
        let side = |side: Option<usize>| side.or(self.context).unwrap_or(0).min(MAX_CONTEXT);
        Some((side(self.before), side(self.after)))
    }
}

/// The tool for the files it may reach.
pub(crate) struct GrepSearchTool(pub(crate) Arc<FileAccess>);

impl Tool for GrepSearchTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Searches the text of the files in the workspace, line by line, for a regular expression (Rust syntax) and \
             returns the lines that match with their numbers. What .gitignore and .geminiignore list is left out. Use \
             it to find where something is defined or used; to find files by name, use glob.",
        )
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (args, workspace): (Arguments, _) = (parse(args)?, workspace.to_owned());
            let reach = Arc::clone(&self.0);
            run_blocking(move || {
                let search = Search::new(&reach, &workspace, &args, None)?;
                Ok(CallPreview::looking(NAME, &search.look(&args)))
            })
            .await
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let (args, workspace): (Arguments, _) = (parse(&call.args)?, workspace.to_owned());
            let reach = Arc::clone(&self.0);
            let (permission, session) = (LookPermission::new(call, out), out.session());
            run_within(TIME, move |patience| {
                let search = Search::new(&reach, &workspace, &args, Some(session))?;
                let look = search.look(&args);
                if !permission.covers(&look) {
                    return Ok(ToolRunOutcome::Stale);
                }
                let secrets = match permission.reads_secrets() || look.secret.is_some() {
                    true => SecretFileHandling::Searched,
                    false => SecretFileHandling::LeftOut,
                };
                Ok(ToolRunOutcome::succeeded(search.run(&args, secrets, patience)))
            })
            .await
        })
    }
}

struct Search {
    workspace: Workspace,
    places: Vec<WorkspacePath>,
    rules: WalkFilter,
    include: Option<Include>,
    files: FileSearch,
}

impl Search {
    fn new(
        reach: &Arc<FileAccess>,
        workspace: &Path,
        args: &Arguments,
        session: Option<SessionId>,
    ) -> Result<Search, ToolError> {
        let mut workspace = reach.open(workspace)?;
        let places = search_roots(&mut workspace, args.dir_path.as_deref(), session)?;
        let usual = reach.walk_filter();
        let rules = WalkFilter { git: usual.git && !args.no_ignore, ..usual };
        let include = args.include_pattern.as_deref().map(Include::new).transpose()?;
        Ok(Search { files: FileSearch::new(args)?, workspace, places, rules, include })
    }

    fn look(&self, args: &Arguments) -> Look {
        let summary = format!("Search {} for \"{}\"", describe_places(&self.places), args.pattern);
        let outside = self.places.iter().find_map(|place| self.workspace.outside_directory(place));
        Look { summary, outside, secret: self.secret(args) }
    }

    /// The secret that the search begins at, if it does: the file itself, or a directory that holds nothing else.
    fn secret(&self, args: &Arguments) -> Option<ProtectedFile> {
        let asked = args.dir_path.as_deref().unwrap_or_default();
        self.places.iter().find_map(|place| self.workspace.secret_at(place, asked))
    }

    fn run(&self, args: &Arguments, secrets: SecretFileHandling, patience: &WalkDeadline) -> CallResult {
        let (left_out, included) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let collected: Mutex<(Vec<FileMatches>, usize)> = Mutex::default();
        for place in &self.places {
            walk(&self.workspace, place, self.rules, patience, |_, at| {
                if self.include.as_ref().is_some_and(|include| !include.matches(place, at)) {
                    return WalkState::Continue;
                }
                included.fetch_add(1, Ordering::Relaxed);
                let context = args.context().unwrap_or_default();
                let hits = match self.files.search(&self.workspace, at, secrets, context, patience) {
                    FileSearchOutcome::Matches(hits) => hits,
                    FileSearchOutcome::Nothing => return WalkState::Continue,
                    FileSearchOutcome::Secret => {
                        left_out.fetch_add(1, Ordering::Relaxed);
                        return WalkState::Continue;
                    }
                };
                let mut collected = collected.lock();
                collected.1 += hits.count;
                collected.0.push(hits);
                if collected.1 < MAX_COLLECTED { WalkState::Continue } else { WalkState::Quit }
            });
        }
        let (mut hits, total) = collected.into_inner();
        hits.sort_by(|one, other| one.path.absolute.cmp(&other.path.absolute));
        // One root may lie in another.
        hits.dedup_by(|one, other| one.path.absolute == other.path.absolute);
        if total <= FEW && args.context().is_none() && !args.names_only {
            let context = (UNASKED_CONTEXT, UNASKED_CONTEXT);
            hits = hits
                .into_iter()
                .map(|hits| match self.files.search(&self.workspace, &hits.path, secrets, context, patience) {
                    FileSearchOutcome::Matches(with_context) => with_context,
                    FileSearchOutcome::Nothing | FileSearchOutcome::Secret => hits,
                })
                .collect();
        }
        let counts = FileCounts { included: included.into_inner(), secrets: left_out.into_inner() };
        report::show(args, &self.places, &hits, counts, patience.timed_out())
    }
}

/// Which files are searched.
struct Include {
    matcher: GlobMatcher,
    /// A pattern without a slash is about names, wherever the file is.
    by_name: bool,
}

impl Include {
    fn new(pattern: &str) -> Result<Include, ToolError> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        let glob = glob.map_err(|error| ToolError::BadArguments(format!("argument `include_pattern`: {error}")))?;
        Ok(Include { matcher: glob.compile_matcher(), by_name: !pattern.contains('/') })
    }

    fn matches(&self, start: &WorkspacePath, at: &WorkspacePath) -> bool {
        if self.by_name {
            return at.relative().file_name().is_some_and(|name| self.matcher.is_match(name));
        }
        let from_start = at.absolute.strip_prefix(&start.absolute).is_ok_and(|path| self.matcher.is_match(path));
        from_start || self.matcher.is_match(at.relative())
    }
}
