//! The way back: what would change, in words, and then the change.

use super::blob_reader::GitBlobReader;
use super::error::CheckpointError;
use super::private_modes::PrivateModes;
use super::restore_scope::{FilesInScope, RestoreScope};
use super::saved_ignore_rules::SavedIgnoreRules;
use super::scan::ignored_of;
use super::shadow_repository::{GitTreeFile, ShadowRepository, saved_paths};
use super::tree_change::{FileVersion, LINK, TreeChange, parse};
use super::write_back::{self, WholeVersion};
use crate::file_exchange::FileExchangeOutcome;
use crate::file_work::run_file_work;
use crate::patch::unified_diff;
use crate::pluralize::pluralize;
use pollux_session::{SessionId, code_span, one_line};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most files that are named one by one.
const MAX_LISTED: usize = 200;
/// The most characters of differences that are shown.
const MAX_PATCHES: usize = 20_000;
/// The longest file, in bytes, whose differences are shown.
const MAX_COMPARED: usize = 256 * 1024;
/// How many bytes of the fingerprint of what is not shown are told.
const FINGERPRINT_BYTES: usize = 8;

/// The changes that going back to a checkpoint makes.
pub struct RestorePlan {
    shadow: Arc<ShadowRepository>,
    changes: Vec<TreeChange>,
    description: String,
    leaves_own: bool,
    changed_later: Vec<String>,
}

impl RestorePlan {
    pub(super) async fn compare(
        shadow: Arc<ShadowRepository>,
        session: SessionId,
        saved: &str,
        scope: RestoreScope<'_>,
    ) -> Result<RestorePlan, CheckpointError> {
        let then = shadow.find(session, saved)?;
        let files = shadow.files_of(&then).await?;
        let named = scope.named_files();
        let now = shadow.save(saved_paths(&files).into_iter().chain(named.iter().cloned()).collect()).await?;
        let compare = &["diff-tree", "-r", "-z", "--raw", "--no-renames", &now, &then];
        let mut changes = parse(&shadow.run(("compare checkpoints", compare), Vec::new()).await?);
        let mut blobs = GitBlobReader::open(&shadow)?;
        let rules = SavedIgnoreRules::read(&files, &mut blobs).await?;
        let unsaved: Vec<PathBuf> =
            named.into_iter().filter(|path| !files.iter().any(|file| file.path == *path)).collect();
        let (mut ignored, others): (Vec<PathBuf>, Vec<PathBuf>) =
            unsaved.into_iter().partition(|path| rules.list(path));
        let workspace = shadow.workspace().to_owned();
        let looked = run_file_work(move || ignored_of(&workspace, others)).await;
        ignored.extend(looked.map_err(|broken| CheckpointError::Git { doing: "look", said: broken.to_string() })?);
        let is_ignored = |path: &PathBuf| rules.list(path) || ignored.contains(path);
        changes.retain(|change| change.then.is_some() || !is_ignored(&change.path));
        let (came_back, unknown) = changes_of_ignored(&shadow, session, scope, ignored, &now).await?;
        changes.extend(came_back);
        let (left, changes): (Vec<TreeChange>, Vec<TreeChange>) =
            changes.into_iter().partition(TreeChange::is_left_out);
        let in_scope = FilesInScope::find(&shadow, session, scope, &now).await?;
        let (changes, own): (Vec<TreeChange>, Vec<TreeChange>) =
            changes.into_iter().partition(|change| in_scope.has(&change.path));
        let leaves_own = !own.is_empty();
        let (doubtful, own): (Vec<TreeChange>, Vec<TreeChange>) =
            own.into_iter().partition(|change| in_scope.doubt(&change.path).is_some());
        let mut in_words = describe(&changes, &own, &doubts(&in_scope, doubtful), &left, &mut blobs).await?;
        if !unknown.is_empty() {
            let names: Vec<String> = unknown.iter().take(MAX_LISTED).map(|path| describe_path(path)).collect();
            in_words.push_str(&format!(
                "\n\nAn ignore file lists these, and no checkpoint has them from before, so left as they are: {}",
                names.join(", ")
            ));
        }
        let mixed = changes.iter().filter(|change| change.now.is_some() && in_scope.is_changed_later(&change.path));
        let changed_later = mixed.map(|change| change.path.display().to_string()).take(MAX_LISTED).collect();
        Ok(RestorePlan { shadow, changes, description: in_words, leaves_own, changed_later })
    }

    /// Every change, for people: how many, which files, and what changes in them.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// True if files stay as they are because the person changed them, not a call.
    pub fn leaves_own_changes(&self) -> bool {
        self.leaves_own
    }

    /// The files that go back although they were changed again after the agent's last call that may have changed them: that is
    /// the person's work.
    pub fn changed_later(&self) -> &[String] {
        &self.changed_later
    }

    /// The number of files that change.
    pub fn files(&self) -> usize {
        self.changes.len()
    }

    /// Make the changes. Files that cannot be changed do not keep the others from it.
    pub async fn apply(self) -> Result<(), CheckpointError> {
        let RestorePlan { shadow, changes, .. } = self;
        let mut blobs = GitBlobReader::open(&shadow)?;
        let mut failures = Vec::new();
        // What goes makes room for what comes: a file may take the place of a directory.
        let (gone, rest): (Vec<TreeChange>, Vec<TreeChange>) =
            changes.into_iter().partition(|change| change.then.is_none());
        let private = PrivateModes::read(shadow.directory());
        for TreeChange { path, now, then } in gone.into_iter().chain(rest) {
            let name = describe_path(&path);
            let now = read_version(&mut blobs, now).await?;
            let then = read_version(&mut blobs, then).await?;
            let private = private.of(&path);
            match restore_file(shadow.workspace().to_owned(), path, now, then, private).await {
                Ok(FileExchangeOutcome::Done) => {}
                Ok(FileExchangeOutcome::Changed { kept: None }) => failures.push(format!("{name}: {SAVED_MEANWHILE}")),
                Ok(FileExchangeOutcome::Changed { kept: Some(kept) }) => {
                    failures
                        .push(format!("{name}: {SAVED_MEANWHILE}, and an older save is kept beside it as `{kept}`"));
                }
                Err(why) => failures.push(format!("{name}: {why}")),
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(CheckpointError::Incomplete(failures.join("; "))) }
    }
}

/// The changes of files that ignore rules list, and those of these files of which nobody knows what they were like. A checkpoint has
/// those that its own call changed and no others, so what such a file was like is in the checkpoint of the first call that changed it.
/// One that is missing there may have been missing, or was not saved.
async fn changes_of_ignored(
    shadow: &ShadowRepository,
    session: SessionId,
    scope: RestoreScope<'_>,
    ignored: Vec<PathBuf>,
    now: &str,
) -> Result<(Vec<TreeChange>, Vec<PathBuf>), CheckpointError> {
    let (mut changes, mut unknown) = (Vec::new(), Vec::new());
    if ignored.is_empty() {
        return Ok((changes, unknown));
    }
    let present = shadow.files_of(now).await?;
    for path in ignored {
        let saved = scope.first_checkpoint_of(&path).and_then(|saved| shadow.find(session, saved).ok());
        let before = match saved {
            Some(saved) => shadow.files_of(&saved).await?,
            None => Vec::new(),
        };
        let version = |files: &[GitTreeFile]| {
            let file = files.iter().find(|file| file.path == path)?;
            Some(FileVersion { mode: file.mode.clone(), id: file.id.clone() })
        };
        match (version(&present), version(&before)) {
            (now, then) if now == then => {}
            (Some(_), None) => unknown.push(path),
            (now, then) => changes.push(TreeChange { path, now, then }),
        }
    }
    Ok((changes, unknown))
}

/// What is said of a file that somebody saved after it was compared.
const SAVED_MEANWHILE: &str = "it was changed meanwhile, so it stays as it is now";

async fn read_version(
    blobs: &mut GitBlobReader,
    version: Option<FileVersion>,
) -> Result<Option<WholeVersion>, CheckpointError> {
    Ok(match version {
        Some(FileVersion { mode, id }) => Some(WholeVersion { mode, bytes: blobs.read(&id).await? }),
        None => None,
    })
}

/// Change one file, off the async threads.
async fn restore_file(
    workspace: PathBuf,
    path: PathBuf,
    now: Option<WholeVersion>,
    then: Option<WholeVersion>,
    private: Option<u32>,
) -> Result<FileExchangeOutcome, String> {
    let put = move || match (now, then) {
        (now, Some(then)) => write_back::write(&workspace, &path, now.as_ref(), &then, private),
        (Some(now), None) => write_back::remove(&workspace, &path, &now),
        (None, None) => Ok(FileExchangeOutcome::Done),
    };
    match run_file_work(put).await {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(broken) => Err(broken.to_string()),
    }
}

/// A path as people are shown it: one line, whatever its name is.
fn describe_path(path: &Path) -> String {
    code_span(&one_line(&path.display().to_string(), usize::MAX))
}

/// The files of which nobody can tell who changed them, by the command in the background that may have.
fn doubts(in_scope: &FilesInScope, doubtful: Vec<TreeChange>) -> BTreeMap<String, Vec<TreeChange>> {
    let mut by_command: BTreeMap<String, Vec<TreeChange>> = BTreeMap::new();
    for change in doubtful {
        let command = in_scope.doubt(&change.path).unwrap_or_default().to_owned();
        by_command.entry(command).or_default().push(change);
    }
    by_command
}

async fn describe(
    changes: &[TreeChange],
    own: &[TreeChange],
    doubtful: &BTreeMap<String, Vec<TreeChange>>,
    left: &[TreeChange],
    blobs: &mut GitBlobReader,
) -> Result<String, CheckpointError> {
    let count = |is: fn(&TreeChange) -> bool| changes.iter().filter(|change| is(change)).count();
    let kinds = [
        (count(|change| change.now.is_none()), "comes back", "come back"),
        (count(|change| change.then.is_none()), "is removed", "are removed"),
        (count(|change| change.now.is_some() && change.then.is_some()), "is changed", "are changed"),
    ];
    let kinds: Vec<String> = kinds
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| pluralize(number, &format!("file {one}"), &format!("files {many}")))
        .collect();
    let mut text = if kinds.is_empty() { "No file changes.".to_owned() } else { format!("{}:", kinds.join(", ")) };
    for change in changes.iter().take(MAX_LISTED) {
        // Words, not signs: clients draw this as Markdown, where `+` and `-` are the same bullet.
        let what = match (&change.now, &change.then) {
            (None, _) => "comes back",
            (_, None) => "is removed",
            (Some(_), Some(_)) => "is changed",
        };
        text.push_str(&format!("\n- {} {what}", describe_path(&change.path)));
    }
    if let Some(more @ 1..) = changes.len().checked_sub(MAX_LISTED) {
        text.push_str(&format!("\n- and {}", pluralize(more, "more file", "more files")));
    }
    if !own.is_empty() {
        let why = "These were changed after the agent's calls, or by none of them, so they are left as they are";
        text.push_str(&format!("\n\n{why}: {}", list_names(own)));
    }
    for (command, files) in doubtful {
        let command = code_span(command);
        let why = format!("Perhaps yours, so left as they are: they changed after {command} began");
        text.push_str(&format!("\n\n{why}, and no other call can have changed them: {}", list_names(files)));
    }
    if !left.is_empty() {
        text.push_str(&format!("\n\nToo large to be saved, so left as it is: {}", list_names(left)));
    }
    let mut shown = 0;
    let mut hidden = Vec::new();
    for change in changes {
        if shown > MAX_PATCHES {
            hidden.push(change);
            continue;
        }
        let PatchText { patch, is_whole } = describe_patch(change, blobs).await?;
        shown += patch.len();
        if !patch.is_empty() {
            text.push_str(&format!(
                "\n\n{}:\n{}",
                one_line(&change.path.display().to_string(), usize::MAX),
                fenced(&patch)
            ));
        }
        if !is_whole {
            hidden.push(change);
        }
    }
    text.extend(describe_hidden(&hidden));
    Ok(text)
}

/// What is said of changes whose difference is not shown in full. The text is what a person agrees to, and it is compared when
/// they have: so their content is in it as a fingerprint.
fn describe_hidden(hidden: &[&TreeChange]) -> Option<String> {
    let first = hidden.first()?;
    let names = match hidden.len() - 1 {
        0 => describe_path(&first.path),
        more => format!("{} and {}", describe_path(&first.path), pluralize(more, "other", "others")),
    };
    let mut content = Sha256::new();
    for change in hidden {
        for version in [&change.now, &change.then] {
            let id = version.as_ref().map_or("-", |version| version.id.as_str());
            content.update(format!("{}\0{id}\0", change.path.display()));
        }
    }
    let fingerprint: String =
        content.finalize().iter().take(FINGERPRINT_BYTES).map(|byte| format!("{byte:02x}")).collect();
    Some(format!(
        "\n\nThe difference is not shown in full, because it is long or no text: {names} (fingerprint {fingerprint})"
    ))
}

fn list_names(changes: &[TreeChange]) -> String {
    let names = changes.iter().take(MAX_LISTED).map(|change| one_line(&change.path.display().to_string(), usize::MAX));
    let more = changes.len().checked_sub(MAX_LISTED).filter(|more| *more > 0);
    names.chain(more.map(|more| format!("and {more} more"))).collect::<Vec<_>>().join(", ")
}

/// A difference as a code block of markdown, which clients draw as what it is. Its fence is longer than any inside it.
fn fenced(patch: &str) -> String {
    let longest = patch.split(|ch| ch != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}diff\n{}\n{fence}", patch.trim_end_matches('\n'))
}

/// The difference of one file, as far as it is shown.
struct PatchText {
    patch: String,
    is_whole: bool,
}

/// The difference of one file, if it is text and short.
async fn describe_patch(change: &TreeChange, blobs: &mut GitBlobReader) -> Result<PatchText, CheckpointError> {
    let is_same = |(now, then): (&FileVersion, &FileVersion)| now.id == then.id;
    let is_whole = change.now.as_ref().zip(change.then.as_ref()).is_some_and(is_same);
    let unshown = PatchText { patch: String::new(), is_whole };
    let mut sides = Vec::new();
    for version in [&change.now, &change.then] {
        let bytes = match version {
            Some(version) => blobs.read(&version.id).await?,
            None => Vec::new(),
        };
        match String::from_utf8(bytes) {
            Ok(text) if text.len() <= MAX_COMPARED && !text.contains('\0') => sides.push(text),
            Ok(_) | Err(_) => return Ok(unshown),
        }
    }
    let [now, then] = sides.as_slice() else { return Ok(unshown) };
    let name = change.path.display().to_string();
    let link = change.then.as_ref().is_some_and(|version| version.mode == LINK);
    let name = if link { format!("{name} (a symbolic link)") } else { name };
    let patch = unified_diff(&name, now, then);
    let (shown, cut) = crate::excerpt::split_at_char(&patch, MAX_PATCHES);
    Ok(match cut.is_empty() {
        true => PatchText { patch, is_whole: true },
        false => PatchText { patch: format!("{shown}\n…\n"), is_whole: false },
    })
}
