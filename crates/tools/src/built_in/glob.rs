//! `glob`: files by name, the newest first.

use crate::arguments::{flag, parse};
use crate::error::{FileOperation, ToolError};
use crate::output::ToolCallContext;
use crate::pluralize::pluralize;
use crate::tool::{CallPreview, Look, LookPermission, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::walk::{FilteringArguments, WalkDeadline, WalkFilter, describe_places, run_within, search_roots, walk};
use crate::workspace::{FileAccess, Workspace, WorkspacePath};
use globset::{GlobBuilder, GlobMatcher};
use ignore::WalkState;
use parking_lot::Mutex;
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState, ResultDisplay, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

const NAME: &str = BuiltInTool::Glob.name();
/// The most files the model is told of.
const MAX_LISTED: usize = 500;
/// The most files that are found at all.
const MAX_FOUND: usize = 200_000;
/// The time limit of a search.
const TIME: Duration = Duration::from_secs(30);

#[derive(Clone, Deserialize, JsonSchema)]
struct Arguments {
    /// The pattern a path must match, such as `**/*.rs` or `docs/*.{md,txt}`. `*` stays within one directory.
    pattern: String,
    /// The directory to look in, which the pattern starts from. The workspace if left out.
    #[serde(default)]
    dir_path: Option<String>,
    /// Whether upper and lower case differ. They do not if left out.
    #[serde(default, deserialize_with = "flag")]
    case_sensitive: bool,
    #[serde(flatten)]
    filtering: FilteringArguments,
}

/// The tool for the files it may reach.
pub(crate) struct GlobTool(pub(crate) Arc<FileAccess>);

impl Tool for GlobTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Finds files in the workspace whose path matches a pattern and returns their absolute paths, the newest \
             first. Use it when you know what a file is called; to find what is in files, use grep_search.",
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
            let (reach, session) = (Arc::clone(&self.0), out.session());
            let permission = LookPermission::new(call, out);
            run_within(TIME, move |patience| {
                let search = Search::new(&reach, &workspace, &args, Some(session))?;
                if !permission.covers(&search.look(&args)) {
                    return Ok(ToolRunOutcome::Stale);
                }
                Ok(ToolRunOutcome::succeeded(search.run(&args, patience)))
            })
            .await
        })
    }
}

struct Search {
    workspace: Workspace,
    /// Where to look, and for what there.
    starts: Vec<(WorkspacePath, GlobMatcher)>,
    rules: WalkFilter,
}

impl Search {
    fn new(
        reach: &Arc<FileAccess>,
        workspace: &Path,
        args: &Arguments,
        session: Option<SessionId>,
    ) -> Result<Search, ToolError> {
        let mut workspace = reach.open(workspace)?;
        let mut places = Vec::new();
        for place in search_roots(&mut workspace, args.dir_path.as_deref(), session)? {
            if !workspace.read_metadata(&place, FileOperation::Search)?.is_dir() {
                let message = format!("`{}` is not a directory", place.name());
                return Err(ToolError::failed("search_path_not_a_directory", message));
            }
            let matcher = matcher(&args.pattern, &place, args.case_sensitive);
            places.push((place, matcher));
        }
        // A whole path that a pattern begins with leads into one root, and out of the others.
        let only = places.len() == 1 || places.iter().all(|(_, matcher)| matcher.is_err());
        let places = places.into_iter().filter(|(_, matcher)| only || matcher.is_ok());
        let starts = places.map(|(place, matcher)| Ok((place, matcher?))).collect::<Result<_, ToolError>>()?;
        Ok(Search { workspace, starts, rules: args.filtering.rules(reach.walk_filter()) })
    }

    fn look(&self, args: &Arguments) -> Look {
        let summary = format!("Find {} in {}", args.pattern, describe_places(&self.places()));
        let outside = self.starts.iter().find_map(|(place, _)| self.workspace.outside_directory(place));
        Look { summary, outside, secret: None }
    }

    fn places(&self) -> Vec<WorkspacePath> {
        self.starts.iter().map(|(place, _)| place.clone()).collect()
    }

    fn run(&self, args: &Arguments, patience: &WalkDeadline) -> CallResult {
        let found: Mutex<Vec<(SystemTime, PathBuf)>> = Mutex::default();
        let deeper = AtomicUsize::new(0);
        for (place, matcher) in &self.starts {
            walk(&self.workspace, place, self.rules, patience, |entry, at| {
                let Ok(relative) = at.absolute.strip_prefix(&place.absolute) else { return WalkState::Continue };
                if !matcher.is_match(relative) {
                    // A pattern without a slash is often meant for names wherever the file is.
                    let is_deeper = relative.file_name().is_some_and(|name| matcher.is_match(name));
                    deeper.fetch_add(usize::from(is_deeper), Ordering::Relaxed);
                    return WalkState::Continue;
                }
                let changed = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
                let mut found = found.lock();
                found.push((changed.unwrap_or(SystemTime::UNIX_EPOCH), at.absolute.clone()));
                if found.len() < MAX_FOUND { WalkState::Continue } else { WalkState::Quit }
            });
        }
        let mut found = found.into_inner();
        found.sort_unstable_by(|(at, path), (other_at, other)| other_at.cmp(at).then_with(|| path.cmp(other)));
        // One root may lie in another.
        found.dedup_by(|one, other| one.1 == other.1);
        self.show(args, &found, deeper.into_inner(), patience.timed_out())
    }

    /// `deeper` files match by their name alone, in directories below.
    fn show(&self, args: &Arguments, found: &[(SystemTime, PathBuf)], deeper: usize, late: bool) -> CallResult {
        let (pattern, within) = (&args.pattern, describe_places(&self.places()));
        let count = pluralize(found.len(), "file", "files");
        let mut text = match found.len() {
            0 => format!("No file in {within} matches \"{pattern}\"."),
            1 => format!("1 file in {within} matches \"{pattern}\":"),
            _ => format!("{count} in {within} match \"{pattern}\", the newest first:"),
        };
        if found.is_empty() && deeper > 0 {
            let files = pluralize(deeper, "file", "files");
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            text.push_str(&format!(
                " `*` stays in one directory, and {files} deeper down would match: use `**/{pattern}`."
            ));
        }
        if found.is_empty() && (self.rules.git || self.rules.gemini) {
            text.push_str(" What .gitignore and .geminiignore list was left out.");
        }
        for (_, path) in found.iter().take(MAX_LISTED) {
            text.push_str(&format!("\n{}", path.display()));
        }
        if found.len() > MAX_LISTED {
            text.push_str(&format!("\n[Only the newest {MAX_LISTED} are listed; a narrower pattern finds fewer.]"));
        }
        if late {
            text.push_str("\n[The search took too long and was ended early; look in a smaller directory.]");
        }
        let display = Some(ResultDisplay::Text { text: format!("{count} found") });
        CallResult { text, display, ..CallResult::default() }
    }
}

/// Matches paths relative to `place`.
fn matcher(pattern: &str, place: &WorkspacePath, case_sensitive: bool) -> Result<GlobMatcher, ToolError> {
    let bad = |problem: String| ToolError::BadArguments(format!("argument `pattern`: {problem}"));
    if pattern.trim().is_empty() {
        return Err(bad("it is empty".into()));
    }
    // A name may hold what would be a pattern: `[id].tsx` is a file before it is a choice of letters.
    let literal = place.absolute.join(pattern).is_file();
    let beginning = format!("{}/", place.absolute.display());
    let pattern = pattern.strip_prefix(&beginning).or_else(|| pattern.strip_prefix("./")).unwrap_or(pattern);
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Err(bad(format!("`{pattern}` leads out of the directory; write it relative to dir_path")));
    }
    let pattern = if literal { globset::escape(pattern) } else { pattern.to_owned() };
    let glob = GlobBuilder::new(&pattern).literal_separator(true).case_insensitive(!case_sensitive).build();
    Ok(glob.map_err(|error| bad(error.to_string()))?.compile_matcher())
}
