//! `apply_patch`: lines of several files, new files, files that move and files that go away, shown as one diff and changed all
//! together or not at all.

mod hunk_place;
mod parsed_patch;
mod patch_plan;
mod patch_publisher;
mod reader;
mod unified_reader;

use crate::arguments::parse;
use crate::error::ToolError;
use crate::excerpt::ExcerptBuilder;
use crate::file_change::{EditDescription, SHOWN_WHOLE};
use crate::output::ToolCallContext;
use crate::patch::unified_diff;
use crate::planned_files::{PlannedFile, PlannedFiles};
use crate::pluralize::pluralize;
use crate::text_file::{FileKnowledge, sha256};
use crate::tool::{CallMisfit, CallPreview, Tool, ToolRunOutcome, ToolSpec, run_blocking};
use crate::workspace::{FileAccess, PlannedPaths, ProtectedFile, Workspace};
use parsed_patch::FilePatch;
use patch_plan::{PatchMisfit, PlannedPatchFile, is_as_shown, plan, take_edits};
use patch_publisher::{PatchWriting, publish};
use pollux_session::{
    AnswerEdit, AskDetails, BoxFuture, BuiltInTool, CallResult, CallState, EditedFile, PatchedFile, PatchedFileChange,
    ResultDisplay, ToolKind, whole_diff,
};
use reader::read_patch;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const NAME: &str = BuiltInTool::ApplyPatch.name();
/// The longest patch.
const MAX_PATCH: usize = 4 * 1024 * 1024;
/// The most lines that are named where white space was forgiven.
const MAX_LINES: usize = 20;

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// The whole patch, from `*** Begin Patch` to `*** End Patch`. A unified diff is taken, too.
    patch: String,
}

/// The tool for the files it may reach.
pub(crate) struct ApplyPatchTool(pub(crate) Arc<FileAccess>);

impl Tool for ApplyPatchTool {
    fn declaration(&self) -> ToolSpec {
        ToolSpec::with_arguments::<Arguments>(
            NAME,
            "Changes several places or several files of the workspace at once: all of it, or nothing if a part does not fit. \
             For one place of one file replace is enough. The patch has one section for each file, and each file once:\n\
             *** Begin Patch\n\
             *** Update File: src/a.py\n\
             @@ def main():\n     x = 1\n-    y = 2\n+    y = 3\n\
             *** Update File: old.py\n\
             *** Move to: new.py\n\
             *** Add File: b.txt\n+first line\n\
             *** Delete File: c.txt\n\
             *** End Patch\n\
             In an update, a line begins with a space if it stays, `-` if it goes, `+` if it comes. Give about 3 lines that stay \
             before and after each change, as they are in the file; between places put `@@`, behind it a line that stands \
             before the place if its own lines occur more than once. A move may have changes below it or none. `*** End of File` \
             behind a hunk says that it is at the end. A file that you move or delete must be as you saw it last. The person may be \
             asked first and may change the result.",
        )
    }

    fn preview<'a>(&'a self, workspace: &'a Path, args: &'a Value) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move { self.preview_after(workspace, args, &PlannedFiles::default()).await })
    }

    fn preview_after<'a>(
        &'a self,
        workspace: &'a Path,
        args: &'a Value,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Result<CallPreview, ToolError>> {
        Box::pin(async move {
            let (access, root, planned) = (Arc::clone(&self.0), workspace.to_owned(), planned.clone());
            let files = parse_arguments(args)?;
            run_blocking(move || {
                let workspace = access.open(&root)?;
                Ok(match plan(&workspace, &files, &planned) {
                    Ok(files) => preview(&workspace, files),
                    Err(misfit) => preview_misfit(*misfit),
                })
            })
            .await
        })
    }

    fn plan_files<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        planned: &'a PlannedFiles,
    ) -> BoxFuture<'a, Vec<(PathBuf, PlannedFile)>> {
        Box::pin(async move {
            let (access, root, planned) = (Arc::clone(&self.0), workspace.to_owned(), planned.clone());
            let Ok(files) = parse_arguments(&call.args) else { return Vec::new() };
            let edits = edits(call).to_vec();
            let work = move || {
                let mut files = plan(&access.open(&root)?, &files, &planned)?;
                // What became of the calls after this one would tell whether it fits what the secret holds.
                if files.iter().any(|file| file.secret.is_some()) {
                    return Ok(Vec::new());
                }
                take_edits(&mut files, &edits)?;
                Ok(files.into_iter().flat_map(PlannedPatchFile::into_planned_files).collect())
            };
            run_blocking(work).await.unwrap_or_default()
        })
    }

    fn run<'a>(
        &'a self,
        workspace: &'a Path,
        call: &'a CallState,
        out: &'a mut dyn ToolCallContext,
    ) -> BoxFuture<'a, Result<ToolRunOutcome, ToolError>> {
        Box::pin(async move {
            let cancelled = CancellationToken::new();
            let _cancel_on_drop = cancelled.clone().drop_guard();
            let change = ApprovedPatch {
                access: Arc::clone(&self.0),
                root: workspace.to_owned(),
                files: parse_arguments(&call.args)?,
                shown: call.ask.as_ref().and_then(|ask| patched_files(&ask.details)).map(<[PatchedFile]>::to_vec),
                is_misfit_shown: call.ask.as_ref().is_some_and(|ask| patched_files(&ask.details).is_none()),
                judged: out.judged().and_then(patched_files).map(<[PatchedFile]>::to_vec),
                edits: edits(call).to_vec(),
                seen: PlannedFiles::new(out.seen_files()),
                cancelled,
            };
            run_blocking(move || change.apply()).await
        })
    }
}

fn parse_arguments(args: &Value) -> Result<Vec<FilePatch>, ToolError> {
    let Arguments { patch } = parse(args)?;
    if patch.len() > MAX_PATCH {
        let message =
            format!("the patch has {} bytes, and at most {MAX_PATCH} are taken; make several of it", patch.len());
        return Err(ToolError::BadArguments(message));
    }
    read_patch(&patch)
}

fn patched_files(details: &AskDetails) -> Option<&[PatchedFile]> {
    match details {
        AskDetails::Patch { files } => Some(files),
        AskDetails::Edit(_) | AskDetails::Execute { .. } | AskDetails::Generic { .. } | AskDetails::Mcp { .. } => None,
    }
}

/// What a person made of files before they allowed `call`.
fn edits(call: &CallState) -> &[EditedFile] {
    match &call.edit {
        Some(AnswerEdit::Files { files }) => files,
        Some(AnswerEdit::Content { .. } | AnswerEdit::Answers { .. }) | None => &[],
    }
}

fn preview(workspace: &Workspace, files: Vec<PlannedPatchFile>) -> CallPreview {
    let paths: Vec<PathBuf> = files.iter().map(|file| file.place.absolute.clone()).collect();
    let planned = PlannedPaths(&paths);
    let protected = files.iter().flat_map(|file| file.protected_places(workspace, planned)).collect();
    let secrets: Vec<ProtectedFile> = files.iter().filter_map(|file| file.secret.clone()).collect();
    preview_of(files.into_iter().map(|file| file.file).collect(), &secrets, protected)
}

fn preview_misfit(misfit: PatchMisfit) -> CallPreview {
    let PatchMisfit { error, files, secrets, protected } = misfit;
    let preview = preview_of(files, &secrets, protected);
    let misfit = Some(CallMisfit::new(&preview.summary, preview.secret.as_deref(), error));
    CallPreview { misfit, ..preview }
}

fn preview_of(files: Vec<PatchedFile>, secrets: &[ProtectedFile], protected: BTreeSet<&str>) -> CallPreview {
    let names: Vec<&str> = files.iter().map(|file| file.diff.name.as_str()).collect();
    let summary = format!("Change {}", names.join(", "));
    let join = |texts: Vec<String>, between: &str| (!texts.is_empty()).then(|| texts.join(between));
    let protected = join(protected.into_iter().map(str::to_owned).collect(), ", ");
    let secret = join(secrets.iter().map(ProtectedFile::to_string).collect(), "; ");
    CallPreview { protected, secret, ..CallPreview::new(NAME, ToolKind::Edit, summary, AskDetails::Patch { files }) }
}

/// A patch on its way to the disk.
struct ApprovedPatch {
    access: Arc<FileAccess>,
    root: PathBuf,
    files: Vec<FilePatch>,
    /// What a person was shown, if it asked.
    shown: Option<Vec<PatchedFile>>,
    /// True if a person was shown that the patch does not fit, and no change.
    is_misfit_shown: bool,
    /// What policy allowed without a question, where it did.
    judged: Option<Vec<PatchedFile>>,
    edits: Vec<EditedFile>,
    /// What the model has seen.
    seen: PlannedFiles,
    /// Set when nobody waits for the outcome any more: then everything is left as it is.
    cancelled: CancellationToken,
}

impl ApprovedPatch {
    fn apply(self) -> Result<ToolRunOutcome, ToolError> {
        let workspace = self.access.open(&self.root)?;
        let mut files = match plan(&workspace, &self.files, &self.seen) {
            Ok(files) => files,
            // What was shown fitted, so the files have changed. The next preview says what is wrong, or shows what is right.
            Err(_) if self.shown.is_some() => return Ok(ToolRunOutcome::Stale),
            Err(misfit) => return Err(misfit.error),
        };
        if self.is_misfit_shown {
            return Ok(ToolRunOutcome::Stale);
        }
        if self.shown.as_ref().is_some_and(|shown| !is_as_shown(&files, shown, &self.edits)) || !self.is_judged(&files)
        {
            return Ok(ToolRunOutcome::Stale);
        }
        take_edits(&mut files, &self.edits)?;
        match publish(&workspace, &files, &self.cancelled)? {
            PatchWriting::Stale => Ok(ToolRunOutcome::Stale),
            PatchWriting::Done => Ok(ToolRunOutcome::succeeded(result(&workspace, files)?)),
        }
    }

    /// Whether the same happens to the same files as policy has judged.
    fn is_judged(&self, files: &[PlannedPatchFile]) -> bool {
        let Some(judged) = &self.judged else { return true };
        let is_same = |(now, judged): (&PlannedPatchFile, &PatchedFile)| {
            now.file.change == judged.change && now.file.diff.path == judged.diff.path
        };
        files.len() == judged.len() && files.iter().zip(judged).all(is_same)
    }
}

fn result(workspace: &Workspace, files: Vec<PlannedPatchFile>) -> Result<CallResult, ToolError> {
    let mut text = format!("Changed {}:\n", pluralize(files.len(), "file", "files"));
    for file in &files {
        text.push_str(&format!("- {}\n", describe_file(&file.file)));
    }
    for file in files.iter().filter(|file| file.secret.is_none()) {
        let strategy = file.forgiven.iter().map(|(_, strategy)| *strategy).max().unwrap_or_default();
        if let Some(note) = strategy.note("lines were") {
            let lines: Vec<String> = file.forgiven.iter().take(MAX_LINES).map(|(line, _)| line.to_string()).collect();
            let (name, lines) = (&file.file.diff.name, lines.join(", "));
            text.push_str(&format!("\nIn {name}, {note} (line {lines}): check that it is what you meant.\n"));
            text.push_str(&file.file.diff.patch);
        }
    }
    let mut seen = Vec::new();
    for file in &files {
        let diff = &file.file.diff;
        let mut is_told = true;
        if let Some(proposed) = &file.proposed {
            let edit = match file.secret {
                Some(_) => {
                    let text = "its content is not shown, because its name is protected\n".to_owned();
                    EditDescription { text, is_cut: true }
                }
                None => EditDescription::new(&unified_diff(&diff.name, proposed, &diff.new)),
            };
            let (name, edit, is_cut) = (&diff.name, edit.text, edit.is_cut);
            is_told = !is_cut;
            text.push_str(&format!(
                "\nThe person changed {name} first, from what you proposed to what was written:\n{edit}"
            ));
        }
        if is_told && file.knowledge == FileKnowledge::Current && file.file.change != PatchedFileChange::Delete {
            let digest = sha256(&file.new_bytes()?);
            seen.push(workspace.note_seen(&file.place, &digest, &diff.new, file.secret.is_some()));
        }
    }
    for note in files.iter().filter_map(|file| file.foreign_change.as_ref()) {
        text.push_str(&format!("\n{note}\n"));
    }
    let files: Vec<PatchedFile> = files.into_iter().map(|file| file.file).collect();
    let display = if files.iter().map(|file| file.diff.weight()).sum::<usize>() <= 2 * SHOWN_WHOLE {
        ResultDisplay::Patch { files }
    } else {
        ResultDisplay::Text { text: ExcerptBuilder::excerpt_of(&whole_diff(&files)) }
    };
    Ok(CallResult { text, display: Some(display), seen, ..CallResult::default() })
}

/// What happened to a file, with how many lines came and went.
fn describe_file(file: &PatchedFile) -> String {
    let name = &file.diff.name;
    let (added, removed) = file.diff.changed_lines();
    let counts = format!("+{added} -{removed}");
    match &file.change {
        PatchedFileChange::Add => format!("{name}: created ({counts})"),
        PatchedFileChange::Edit => format!("{name}: changed ({counts})"),
        PatchedFileChange::Move { from_name, .. } if file.diff.old.as_ref() == Some(&file.diff.new) => {
            format!("{name}: moved from {from_name}")
        }
        PatchedFileChange::Move { from_name, .. } => format!("{name}: moved from {from_name} and changed ({counts})"),
        PatchedFileChange::Delete => format!("{name}: deleted"),
    }
}
