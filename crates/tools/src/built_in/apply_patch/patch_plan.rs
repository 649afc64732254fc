//! What a patch makes of the files: looked up, read, changed in memory, and compared with what was shown. Nothing is written here.

use super::hunk_place::{HunkProblem, PatchedText, apply_hunks};
use super::parsed_patch::{FilePatch, FilePatchChange};
use crate::error::{FileOperation, ToolError};
use crate::file_change::{edit_in_style_of, existing_secret, hide_content};
use crate::patch::{diff_header, diff_hunks, is_same_change};
use crate::planned_files::{PlannedContent, PlannedFile, PlannedFiles};
use crate::text_encoding::TextEncoding;
use crate::text_file::{FileKnowledge, TextFile, encode, read_current, read_planned};
use crate::text_match::MatchStrategy;
use crate::workspace::{PlannedPaths, ProtectedFile, Workspace, WorkspacePath};
use pollux_session::{EditedFile, FileDiff, PatchedFile, PatchedFileChange};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most files of a patch.
const MAX_FILES: usize = 100;
/// The most bytes of all its files, before and after: both are kept in the log.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// The most problems that are told in full.
const MAX_PROBLEMS: usize = 10;

/// A file of a patch with its place in the workspace.
pub(super) struct PlannedPatchFile {
    /// The file; its new path if it moves.
    pub(super) place: WorkspacePath,
    /// The path that it has now, if it moves.
    pub(super) from: Option<WorkspacePath>,
    pub(super) file: PatchedFile,
    /// The lines on which hunks begin that were found with other white space.
    pub(super) forgiven: Vec<(usize, MatchStrategy)>,
    /// The secret that it is.
    pub(super) secret: Option<ProtectedFile>,
    /// The content that was proposed, if a person wants another.
    pub(super) proposed: Option<String>,
    pub(super) encoding: TextEncoding,
    /// The digest of the file as it is.
    sha256: Option<String>,
    /// What the model will know of the file.
    pub(super) knowledge: FileKnowledge,
    /// What the model has to know if somebody else has changed the file.
    pub(super) foreign_change: Option<String>,
}

impl PlannedPatchFile {
    /// The protected places that it changes, together with the other files of the patch, `planned`.
    pub(super) fn protected_places(
        &self,
        workspace: &Workspace,
        planned: PlannedPaths<'_>,
    ) -> impl Iterator<Item = &'static str> {
        let places = self.from.iter().chain([&self.place]);
        places.filter_map(move |place| workspace.protected_place(place, planned))
    }

    /// Whether it leaves everything as it is.
    pub(super) fn changes_nothing(&self) -> bool {
        self.file.change == PatchedFileChange::Edit && self.file.diff.old.as_ref() == Some(&self.file.diff.new)
    }

    /// The files that change, as they will be.
    pub(super) fn into_planned_files(self) -> Vec<(PathBuf, PlannedFile)> {
        let gone = || PlannedFile { content: PlannedContent::Gone, knowledge: FileKnowledge::Nothing };
        let left = self.from.map(|from| (from.absolute, gone()));
        let new = match self.file.change {
            PatchedFileChange::Delete => gone(),
            PatchedFileChange::Add | PatchedFileChange::Edit | PatchedFileChange::Move { .. } => {
                PlannedFile { content: PlannedContent::Text(self.file.diff.new), knowledge: self.knowledge }
            }
        };
        left.into_iter().chain([(self.place.absolute, new)]).collect()
    }

    /// The bytes that the file will have.
    pub(super) fn new_bytes(&self) -> Result<Vec<u8>, ToolError> {
        encode(&self.place, self.encoding, &self.file.diff.new)
    }

    /// The bytes that it has.
    pub(super) fn old_bytes(&self) -> Result<Vec<u8>, ToolError> {
        encode(&self.place, self.encoding, self.file.diff.old.as_deref().unwrap_or_default())
    }

    /// Whether the disk is still what this was made of.
    pub(super) fn is_current(&self, workspace: &Workspace) -> Result<bool, ToolError> {
        let read = |place| read_current(workspace, place, &PlannedFiles::default(), MAX_BYTES as u64);
        let old = read(self.from.as_ref().unwrap_or(&self.place))?;
        let is_free = self.from.is_none() || read(&self.place)?.is_none();
        Ok(is_free && old.and_then(|old| old.sha256) == self.sha256)
    }
}

/// The paths that `patch` writes and that are none of `places`: links hide where they lead.
fn written_paths(patch: &FilePatch, places: &[&WorkspacePath]) -> Vec<String> {
    let is_named = |path: &str| places.iter().any(|place| place.absolute == Path::new(path) || place.name() == path);
    patch.paths().filter(|path| !is_named(path)).map(str::to_owned).collect()
}

/// A file of a patch that does not fit, or a hunk of one.
struct FileProblem {
    path: String,
    /// A sentence that names the file.
    sentence: String,
    /// The word that clients know it by.
    kind: &'static str,
}

impl FileProblem {
    fn new(path: &str, error: &ToolError) -> FileProblem {
        let sentence = match error {
            ToolError::Failed { message, .. } => format!("`{path}`: {message}"),
            named => named.to_string(),
        };
        FileProblem { path: path.to_owned(), sentence, kind: error.kind() }
    }

    /// The same for every change of a secret, whether it fits or not: a model that guesses what it holds learns nothing, not even
    /// by a patch of which something else does not fit.
    fn hidden(path: &str) -> FileProblem {
        let sentence = format!(
            "`{path}`: whether the change fits is not said, because its name is protected; call read_file first, and the \
             person is asked"
        );
        FileProblem { path: path.to_owned(), sentence, kind: "edit_preparation_failure" }
    }

    fn of_hunk(path: &str, hunk: &HunkProblem) -> FileProblem {
        let sentence = format!("`{path}`, hunk {} (line {} of the patch): {}", hunk.number, hunk.line, hunk.why);
        FileProblem { path: path.to_owned(), sentence, kind: "edit_no_occurrence_found" }
    }
}

/// A patch that does not fit, with what policy has to know of it all the same.
pub(super) struct PatchMisfit {
    pub(super) error: ToolError,
    /// Its files, as far as they can be found, without their content.
    pub(super) files: Vec<PatchedFile>,
    pub(super) secrets: Vec<ProtectedFile>,
    pub(super) protected: BTreeSet<&'static str>,
}

impl PatchMisfit {
    fn new(workspace: &Workspace, patches: &[FilePatch], planned: &PlannedFiles, error: ToolError) -> PatchMisfit {
        let mut misfit = PatchMisfit { error, files: Vec::new(), secrets: Vec::new(), protected: BTreeSet::new() };
        for patch in patches.iter().take(MAX_FILES) {
            misfit.add(workspace, patch, planned);
        }
        misfit
    }

    fn add(&mut self, workspace: &Workspace, patch: &FilePatch, planned: &PlannedFiles) {
        let Ok(place) = workspace.find(&patch.path) else { return };
        let planned_paths = PlannedPaths::default();
        self.protected.extend(workspace.protected_place(&place, planned_paths));
        let is_there = planned.will_exist(&place.absolute);
        let is_there = is_there.unwrap_or_else(|| workspace.read_metadata(&place, FileOperation::Write).is_ok());
        self.secrets.extend(is_there.then(|| workspace.secret_at(&place, &patch.path)).flatten());
        let target = match &patch.change {
            FilePatchChange::Update { move_to: Some(to), .. } => workspace.find(to).ok(),
            FilePatchChange::Update { move_to: None, .. } | FilePatchChange::Add(_) | FilePatchChange::Delete => None,
        };
        self.protected.extend(target.as_ref().and_then(|target| workspace.protected_place(target, planned_paths)));
        let change = match (&patch.change, &target) {
            (FilePatchChange::Add(_), _) => PatchedFileChange::Add,
            (FilePatchChange::Delete, _) => PatchedFileChange::Delete,
            (FilePatchChange::Update { .. }, None) => PatchedFileChange::Edit,
            (FilePatchChange::Update { .. }, Some(_)) => PatchedFileChange::Move {
                from_name: place.name(),
                from_path: place.absolute.to_string_lossy().into_owned(),
            },
        };
        let written = written_paths(patch, &Vec::from_iter(target.iter().chain([&place])));
        let named = target.unwrap_or(place);
        let path = named.absolute.to_string_lossy().into_owned();
        let diff = FileDiff { path, name: named.name(), old: None, new: String::new(), patch: String::new() };
        self.files.push(PatchedFile { change, diff, written });
    }
}

impl From<Box<PatchMisfit>> for ToolError {
    fn from(misfit: Box<PatchMisfit>) -> ToolError {
        misfit.error
    }
}

/// Plan all of `files` on what the calls before will have made of the workspace.
pub(super) fn plan(
    workspace: &Workspace,
    files: &[FilePatch],
    planned: &PlannedFiles,
) -> Result<Vec<PlannedPatchFile>, Box<PatchMisfit>> {
    plan_all(workspace, files, planned).map_err(|error| Box::new(PatchMisfit::new(workspace, files, planned, error)))
}

fn plan_all(
    workspace: &Workspace,
    files: &[FilePatch],
    planned: &PlannedFiles,
) -> Result<Vec<PlannedPatchFile>, ToolError> {
    if files.len() > MAX_FILES {
        let message = format!("the patch names {} files, and at most {MAX_FILES} can be changed at once", files.len());
        return Err(ToolError::BadArguments(message));
    }
    let (mut done, mut problems): (Vec<PlannedPatchFile>, Vec<FileProblem>) = (Vec::new(), Vec::new());
    let (mut hidden, mut hides_problem): (Vec<FileProblem>, bool) = (Vec::new(), false);
    let mut known: Vec<PathBuf> = Vec::new();
    let mut bytes = 0;
    for patch in files {
        match plan_file(workspace, patch, planned, &mut known) {
            Ok(mut file) => {
                file.file.written = written_paths(patch, &Vec::from_iter(file.from.iter().chain([&file.place])));
                bytes += file.file.diff.old.as_ref().map_or(0, String::len) + file.file.diff.new.len();
                let is_guess = file.secret.is_some() && matches!(patch.change, FilePatchChange::Update { .. });
                hidden.extend(is_guess.then(|| FileProblem::hidden(&patch.path)));
                done.push(file);
            }
            Err(PlanFailure::Hidden) => {
                hidden.push(FileProblem::hidden(&patch.path));
                hides_problem = true;
            }
            Err(PlanFailure::Problems(found)) => problems.extend(found),
        }
        if bytes > MAX_BYTES {
            let message = format!(
                "the files of the patch have more than {MAX_BYTES} bytes before and after it; change fewer at once, or use \
                 replace for the largest"
            );
            return Err(ToolError::failed("file_too_large", message));
        }
    }
    if problems.is_empty() && !hides_problem {
        return Ok(done);
    }
    problems.extend(hidden);
    Err(describe_problems(&problems))
}

/// Why a file cannot be planned.
enum PlanFailure {
    Problems(Vec<FileProblem>),
    /// It is a secret, and what does not fit would tell what it holds.
    Hidden,
}

fn plan_file(
    workspace: &Workspace,
    patch: &FilePatch,
    planned: &PlannedFiles,
    known: &mut Vec<PathBuf>,
) -> Result<PlannedPatchFile, PlanFailure> {
    let path = patch.path.as_str();
    let problem = |error: ToolError| PlanFailure::Problems(vec![FileProblem::new(path, &error)]);
    let place = find_once(workspace, path, known).map_err(problem)?;
    let old = read_planned(workspace, &place, planned, MAX_BYTES as u64).map_err(problem)?;
    let secret = existing_secret(workspace, &place, path, old.as_ref());
    let existing = |old: Option<TextFile>| old.ok_or_else(|| problem(ToolError::NotFound { path: path.to_owned() }));
    let check_known = |old: &TextFile| old.check_known(workspace, &place, secret.is_some()).map_err(problem);
    let not_link = || match workspace.is_link(path) {
        true => Err(problem(failed("it is a symbolic link; name the file that it leads to"))),
        false => Ok(()),
    };
    let plain = |place, change, diff, secret| PlannedPatchFile {
        place,
        from: None,
        file: PatchedFile { change, diff, written: Vec::new() },
        forgiven: Vec::new(),
        secret,
        proposed: None,
        encoding: TextEncoding::Utf8,
        sha256: None,
        knowledge: FileKnowledge::Current,
        foreign_change: None,
    };
    match &patch.change {
        FilePatchChange::Add(content) => {
            if old.is_some() {
                let why = "it exists already; change it under `*** Update File`, or delete it first in another call";
                return Err(problem(ToolError::failed("attempt_to_create_existing_file", why)));
            }
            let diff = diff_of(&place, &PatchedFileChange::Add, None, content.clone());
            Ok(plain(place, PatchedFileChange::Add, diff, secret))
        }
        FilePatchChange::Delete => {
            not_link()?;
            let old = existing(old)?;
            check_known(&old)?;
            let TextFile { text, encoding, sha256, .. } = old;
            let diff = diff_of(&place, &PatchedFileChange::Delete, Some(text), String::new());
            Ok(PlannedPatchFile { encoding, sha256, ..plain(place, PatchedFileChange::Delete, diff, secret) })
        }
        FilePatchChange::Update { move_to, hunks } => {
            let old = existing(old)?;
            if move_to.is_some() {
                check_known(&old)?;
            }
            let foreign_change = old.foreign_change_note(&place.name());
            let TextFile { text: old, encoding, sha256, knowledge } = old;
            let patched = apply_hunks(&old, hunks);
            let PatchedText { text, forgiven } = match patched {
                Ok(patched) => patched,
                Err(_) if secret.is_some() => return Err(PlanFailure::Hidden),
                Err(found) => {
                    let problems = found.iter().map(|hunk| FileProblem::of_hunk(path, hunk)).collect();
                    return Err(PlanFailure::Problems(problems));
                }
            };
            match encode(&place, encoding, &text) {
                Ok(_) => {}
                Err(_) if secret.is_some() => return Err(PlanFailure::Hidden),
                Err(error) => return Err(problem(error)),
            }
            let Some(to) = move_to else {
                if text == old {
                    if secret.is_some() {
                        return Err(PlanFailure::Hidden);
                    }
                    let error = failed("its hunks would change nothing: the lines that come are those that go");
                    return Err(problem(error));
                }
                let diff = diff_of(&place, &PatchedFileChange::Edit, Some(old), text);
                let plain = plain(place, PatchedFileChange::Edit, diff, secret);
                return Ok(PlannedPatchFile { forgiven, encoding, sha256, knowledge, foreign_change, ..plain });
            };
            not_link()?;
            let problem = |error: ToolError| PlanFailure::Problems(vec![FileProblem::new(to, &error)]);
            let target = find_once(workspace, to, known).map_err(problem)?;
            let there = read_planned(workspace, &target, planned, MAX_BYTES as u64).map_err(problem)?;
            if there.is_some() {
                let why = "it exists already, so nothing can be moved there";
                return Err(problem(ToolError::failed("attempt_to_create_existing_file", why)));
            }
            let from_path = place.absolute.to_string_lossy().into_owned();
            let change = PatchedFileChange::Move { from_name: place.name(), from_path };
            let diff = diff_of(&target, &change, Some(old), text);
            let from = Some(place);
            Ok(PlannedPatchFile { from, forgiven, encoding, sha256, ..plain(target, change, diff, secret) })
        }
    }
}

/// Find a path that no other file of the patch has.
fn find_once(workspace: &Workspace, path: &str, known: &mut Vec<PathBuf>) -> Result<WorkspacePath, ToolError> {
    let place = workspace.find(path)?;
    if place.is_workspace() {
        return Err(ToolError::IsDirectory { path: path.to_owned() });
    }
    if known.contains(&place.absolute) {
        return Err(failed("the patch names it twice; put all that happens to it under one heading"));
    }
    known.push(place.absolute.clone());
    Ok(place)
}

fn failed(why: &str) -> ToolError {
    ToolError::failed("edit_preparation_failure", why)
}

/// The change of a file, whose unified diff says what else happens to it.
fn diff_of(place: &WorkspacePath, change: &PatchedFileChange, old: Option<String>, new: String) -> FileDiff {
    let name = place.name();
    let (old_name, new_name) = match change {
        PatchedFileChange::Edit => (name.as_str(), name.as_str()),
        PatchedFileChange::Add => ("/dev/null", name.as_str()),
        PatchedFileChange::Delete => (name.as_str(), "/dev/null"),
        PatchedFileChange::Move { from_name, .. } => (from_name.as_str(), name.as_str()),
    };
    let patch = match old.as_ref() == Some(&new) && old_name != "/dev/null" && new_name != "/dev/null" {
        true => String::new(),
        false => {
            format!("{}{}", diff_header(old_name, new_name), diff_hunks(old.as_deref().unwrap_or_default(), &new))
        }
    };
    FileDiff { path: place.absolute.to_string_lossy().into_owned(), name, old, new, patch }
}

/// One sentence for all that does not fit.
fn describe_problems(problems: &[FileProblem]) -> ToolError {
    let count = match problems.len() {
        1 => "one part of the patch does not fit".to_owned(),
        many => format!("{many} parts of the patch do not fit"),
    };
    let mut message = format!("nothing was changed, because {count}:");
    for problem in problems.iter().take(MAX_PROBLEMS) {
        message.push_str("\n\n");
        message.push_str(&problem.sentence);
    }
    let more: Vec<String> = problems.iter().skip(MAX_PROBLEMS).map(|problem| format!("`{}`", problem.path)).collect();
    if !more.is_empty() {
        message.push_str(&format!("\n\nAnd {} more, in {}", more.len(), more.join(", ")));
    }
    ToolError::failed(problems.first().map_or("edit_preparation_failure", |problem| problem.kind), message)
}

/// Put what a person wants in the place of what was proposed.
pub(super) fn take_edits(files: &mut [PlannedPatchFile], edits: &[EditedFile]) -> Result<(), ToolError> {
    for planned in files {
        let diff = &planned.file.diff;
        let Some(edit) = edits.iter().find(|edit| edit.path == diff.path) else { continue };
        let new = edit_in_style_of(diff.old.as_deref(), &edit.new).into_owned();
        let edited = diff_of(&planned.place, &planned.file.change, diff.old.clone(), new);
        planned.proposed = Some(std::mem::replace(&mut planned.file.diff, edited).new);
        planned.new_bytes().map_err(|error| hide_content(error, &planned.place, planned.secret.as_ref()))?;
    }
    Ok(())
}

/// Whether what was planned is what was `shown`. Of a file that is only edited, lines that were not shown may have changed
/// meanwhile; `edits` are what a person made of the files that they saw.
pub(super) fn is_as_shown(files: &[PlannedPatchFile], shown: &[PatchedFile], edits: &[EditedFile]) -> bool {
    files.len() == shown.len() && files.iter().zip(shown).all(|(now, shown)| is_file_as_shown(&now.file, shown, edits))
}

fn is_file_as_shown(now: &PatchedFile, shown: &PatchedFile, edits: &[EditedFile]) -> bool {
    if now.change != shown.change || now.diff.path != shown.diff.path {
        return false;
    }
    if now.diff.old == shown.diff.old {
        return now.diff.new == shown.diff.new;
    }
    let is_edited = edits.iter().any(|edit| edit.path == shown.diff.path);
    match (&shown.diff.old, &now.diff.old) {
        (Some(before), Some(old)) if now.change == PatchedFileChange::Edit && !is_edited => {
            is_same_change(before, &shown.diff.patch, old, &now.diff.patch)
        }
        _ => false,
    }
}
