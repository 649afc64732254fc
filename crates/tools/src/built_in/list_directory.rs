//! `list_directory`: what is in one directory.

use crate::arguments::parse;
use crate::error::{FileOperation, ToolError};
use crate::output::ToolCallContext;
use crate::pluralize::pluralize;
use crate::tool::{CallPreview, Look, LookPermission, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::walk::{FilteringArguments, visible_names};
use crate::workspace::{FileAccess, Workspace, WorkspacePath};
use cap_std::fs::Dir;
use globset::{Glob, GlobSet, GlobSetBuilder};
use pollux_session::{BoxFuture, BuiltInTool, CallResult, CallState, ResultDisplay, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

const NAME: &str = BuiltInTool::ListDirectory.name();
/// The most entries the model is told of.
const MAX_LISTED: usize = 1_000;
/// The most entries that are read and counted at all.
const MAX_READ: usize = 100_000;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The directory to list: relative to the workspace, or absolute and inside it. The workspace itself if left out.
    #[serde(default = "workspace")]
    dir_path: String,
    /// Globs of names to leave out, such as `*.log`.
    #[serde(default)]
    ignore: Vec<String>,
    /// Which ignore files count.
    #[serde(default)]
    file_filtering_options: FilteringArguments,
}

fn workspace() -> String {
    ".".to_owned()
}

/// The tool for the files it may reach.
pub(crate) struct ListDirectoryTool(pub(crate) Arc<FileAccess>);

impl Tool for ListDirectoryTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Lists the files and directories directly inside one directory of the workspace, directories \
                          first, with the size of each file. Subdirectories are named, not entered.",
        )
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (args, workspace): (Arguments, _) = (parse(args)?, workspace.to_owned());
            let reach = Arc::clone(&self.0);
            run_blocking(move || {
                let (workspace, place, _) = open(&reach, &workspace, &args, None)?;
                build_ignore_set(&args.ignore)?;
                Ok(CallPreview::looking(NAME, &look_at(&workspace, &place)))
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
            run_blocking(move || {
                let (workspace, place, directory) = open(&reach, &workspace, &args, Some(session))?;
                if !permission.covers(&look_at(&workspace, &place)) {
                    return Ok(ToolRunOutcome::Stale);
                }
                let shown = ListingFilter {
                    visible: visible_names(&workspace, &place, args.file_filtering_options.rules(reach.walk_filter())),
                    unwanted: build_ignore_set(&args.ignore)?,
                };
                let listing = Listing::read(&directory, &shown).map_err(|source| ToolError::Io {
                    path: place.name(),
                    doing: FileOperation::List,
                    source,
                })?;
                Ok(ToolRunOutcome::succeeded(listing.show(&place)))
            })
            .await
        })
    }
}

/// The names at the top of a workspace, as a listing with the person's own filters has them: directories first, with a `/`.
pub(crate) fn list_top_names(access: &Arc<FileAccess>, workspace: &Path) -> Result<Vec<String>, ToolError> {
    let top = Arguments {
        dir_path: self::workspace(),
        ignore: Vec::new(),
        file_filtering_options: FilteringArguments::default(),
    };
    let (workspace, place, directory) = open(access, workspace, &top, None)?;
    let shown =
        ListingFilter { visible: visible_names(&workspace, &place, access.walk_filter()), unwanted: GlobSet::empty() };
    let listing = Listing::read(&directory, &shown).map_err(|source| ToolError::Io {
        path: place.name(),
        doing: FileOperation::List,
        source,
    })?;
    let directories = listing.directories.into_iter().map(|name| name + "/");
    Ok(directories.chain(listing.others.into_iter().map(|(name, _)| name)).collect())
}

fn open(
    reach: &Arc<FileAccess>,
    workspace: &Path,
    args: &Arguments,
    session: Option<SessionId>,
) -> Result<(Workspace, WorkspacePath, Dir), ToolError> {
    let mut workspace = reach.open(workspace)?;
    let place = workspace.find_to_read(&args.dir_path, session)?;
    let directory = workspace.directory(&place, FileOperation::List)?;
    Ok((workspace, place, directory))
}

fn look_at(workspace: &Workspace, place: &WorkspacePath) -> Look {
    let outside = workspace.outside_directory(place);
    Look { summary: format!("List {}", place.name()), outside, secret: None }
}

/// Matches the names to leave out.
fn build_ignore_set(globs: &[String]) -> Result<GlobSet, ToolError> {
    let bad = |error: globset::Error| ToolError::BadArguments(format!("argument `ignore`: {error}"));
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob).map_err(bad)?);
    }
    set.build().map_err(bad)
}

/// The rules by which entries are listed.
struct ListingFilter {
    visible: HashSet<OsString>,
    unwanted: GlobSet,
}

impl ListingFilter {
    fn holds(&self, name: &OsStr) -> bool {
        self.visible.contains(name) && !self.unwanted.is_match(name)
    }
}

/// The entries of a directory, one line each, directories first.
struct Listing {
    directories: Vec<String>,
    others: Vec<(String, String)>,
    /// The number of entries that were left out.
    ignored: usize,
    /// True if there were more than [`MAX_READ`].
    endless: bool,
}

impl Listing {
    fn read(directory: &Dir, shown: &ListingFilter) -> io::Result<Listing> {
        let mut listing = Listing { directories: Vec::new(), others: Vec::new(), ignored: 0, endless: false };
        for (count, entry) in directory.entries()?.enumerate() {
            if count == MAX_READ {
                listing.endless = true;
                break;
            }
            let entry = entry?;
            let name = entry.file_name();
            // No option brings it back, so it is not among those that were left out.
            if name == ".git" {
                continue;
            }
            if !shown.holds(&name) {
                listing.ignored += 1;
                continue;
            }
            let name = printable(&name.to_string_lossy());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                listing.directories.push(name);
            } else if kind.is_symlink() {
                listing.others.push((name, "symbolic link".into()));
            } else if !kind.is_file() {
                listing.others.push((name, "special file".into()));
            } else if let Ok(metadata) = entry.metadata() {
                listing.others.push((name, format!("{} bytes", metadata.len())));
            }
            // Else it was removed while we looked, and there is nothing to list.
        }
        listing.directories.sort_unstable();
        listing.others.sort_unstable();
        Ok(listing)
    }

    fn show(&self, place: &WorkspacePath) -> CallResult {
        let (directories, others) = (self.directories.len(), self.others.len());
        let total = directories + others;
        let name = place.name();
        let directories = pluralize(directories, "directory", "directories");
        let others = pluralize(others, "file", "files");
        let mut text = format!("{}: {directories}, {others}", place.absolute.display());
        let lines = self.directories.iter().map(|name| format!("\n[DIR] {name}"));
        let lines = lines.chain(self.others.iter().map(|(name, about)| format!("\n{name} ({about})")));
        text.extend(lines.take(MAX_LISTED));
        if self.endless {
            text.push_str(&format!("\n[Only {MAX_LISTED} of more than {MAX_READ} entries are listed.]"));
        } else if total > MAX_LISTED {
            text.push_str(&format!("\n[Only {MAX_LISTED} of {total} entries are listed.]"));
        }
        if self.ignored > 0 {
            let ignored = pluralize(self.ignored, "entry is", "entries are");
            let them = if self.ignored == 1 { "it" } else { "them" };
            text.push_str(&format!("\n[{ignored} ignored; file_filtering_options can bring {them} back.]"));
        }
        let display = Some(ResultDisplay::Text { text: format!("{} in {name}", pluralize(total, "entry", "entries")) });
        CallResult { text, display, ..CallResult::default() }
    }
}

/// A name that cannot pass for two: line breaks and other control characters are escaped.
fn printable(name: &str) -> String {
    if name.chars().any(char::is_control) { name.escape_debug().to_string() } else { name.to_owned() }
}
