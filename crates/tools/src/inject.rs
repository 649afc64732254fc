//! Files and directories that a person names in a prompt (`@path`), as text for the model; pictures, documents and sounds
//! as what they are.

use crate::built_in::read_file::{LineRange, ShownLines, decode_file, read, show_lines};
use crate::error::{FileOperation, ToolError};
use crate::excerpt::split_at_char;
use crate::media::{media_kind, store_media};
use crate::output::OutputStore;
use crate::pluralize::pluralize;
use crate::text_file::sha256;
use crate::tool::run_blocking;
use crate::walk::{WalkDeadline, walk};
use crate::workspace::{FileAccess, Workspace, WorkspacePath};
use ignore::WalkState;
use parking_lot::Mutex;
use pollux_session::{MediaContent, SeenFile};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The most files that are put into a prompt.
const MAX_FILES: usize = 200;
/// The most characters of one file.
const MAX_FILE_CHARS: usize = 100_000;
/// The most characters altogether.
const MAX_CHARS: usize = 400_000;
/// The most bytes of all pictures, documents and sounds.
const MAX_MEDIA_BYTES: u64 = 40 * 1024 * 1024;
/// The most files of one directory that are looked at.
const MAX_WALKED: usize = 10_000;
/// The time limit of looking through one directory.
const TIME: Duration = Duration::from_secs(10);
/// The most notes about single files; the rest is counted.
const MAX_NOTES: usize = 20;

/// The content of the files that a prompt names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InjectedFiles {
    /// The files' text, framed, for the model; empty when there is none.
    pub text: String,
    /// The files that were read, relative to the workspace, in order.
    pub files: Vec<String>,
    /// Those of them that are no text.
    pub media: Vec<MediaContent>,
    /// Notes on files that were left out or cut, one sentence each, for the model and the person.
    pub notes: Vec<String>,
    /// Which versions of text files the model is shown.
    pub seen: Vec<SeenFile>,
}

/// Read what `paths` name: files as they are, directories with every text file in them that no ignore file lists.
/// Nothing out of reach is read, and whatever is not read has a note.
pub(crate) async fn inject(
    reach: Arc<FileAccess>,
    keeper: Arc<dyn OutputStore>,
    workspace: &Path,
    paths: &[String],
) -> InjectedFiles {
    let (workspace, paths) = (workspace.to_owned(), paths.to_vec());
    let cancelled = CancellationToken::new();
    let stop = cancelled.clone();
    let _cancel_on_drop = cancelled.drop_guard();
    let read = run_blocking(move || {
        let workspace = reach.open(&workspace)?;
        let mut injection = FileInjector::new(reach, keeper);
        for path in &paths {
            injection.inject_path(&workspace, path, &stop);
        }
        Ok(injection.finish())
    });
    read.await.unwrap_or_else(|error| InjectedFiles { notes: vec![error.to_string()], ..InjectedFiles::default() })
}

struct FileInjector {
    access: Arc<FileAccess>,
    output_store: Arc<dyn OutputStore>,
    text: String,
    chars: usize,
    files: Vec<String>,
    media: Vec<MediaContent>,
    notes: Vec<String>,
    seen: Vec<SeenFile>,
    /// Files that did not fit.
    left_out: usize,
}

/// The way in which a file came to be mentioned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MentionKind<'a> {
    /// The person named it, with these words.
    Itself(&'a str),
    /// They named a directory it is in.
    ByDirectory,
}

impl FileInjector {
    fn new(access: Arc<FileAccess>, output_store: Arc<dyn OutputStore>) -> FileInjector {
        let (files, media, notes, seen) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        FileInjector { access, output_store, text: String::new(), chars: 0, files, media, notes, seen, left_out: 0 }
    }

    fn inject_path(&mut self, workspace: &Workspace, path: &str, stop: &CancellationToken) {
        match find(workspace, path) {
            Err(error) => self.note(error.to_string()),
            Ok((place, true)) => self.inject_directory(workspace, &place, stop),
            Ok((place, false)) => {
                if let Err(error) = self.inject_file(workspace, &place, MentionKind::Itself(path)) {
                    self.note(error.to_string());
                }
            }
        }
    }

    fn inject_directory(&mut self, workspace: &Workspace, place: &WorkspacePath, stop: &CancellationToken) {
        let patience = WalkDeadline::new(TIME, stop.clone());
        let places: Mutex<Vec<WorkspacePath>> = Mutex::default();
        walk(workspace, place, self.access.walk_filter(), &patience, |_, at| {
            let mut places = places.lock();
            places.push(at.clone());
            if places.len() < MAX_WALKED { WalkState::Continue } else { WalkState::Quit }
        });
        let mut places = places.into_inner();
        places.sort_unstable_by(|one, other| one.relative().cmp(other.relative()));
        if places.len() >= MAX_WALKED || patience.timed_out() {
            self.note(format!("`{}` holds more files than can be looked at; name the ones you mean", place.name()));
        }
        if places.is_empty() {
            self.note(format!("`{}` holds no files, or only ignored ones", place.name()));
        }
        for place in places {
            if let Err(error) = self.inject_file(workspace, &place, MentionKind::ByDirectory) {
                self.note(error.to_string());
            }
        }
    }

    fn inject_file(
        &mut self,
        workspace: &Workspace,
        place: &WorkspacePath,
        named: MentionKind<'_>,
    ) -> Result<(), ToolError> {
        let name = place.name();
        if self.files.contains(&name) {
            return Ok(());
        }
        if self.files.len() >= MAX_FILES || self.chars >= MAX_CHARS {
            self.left_out += 1;
            return Ok(());
        }
        let (bytes, secret) = read(workspace, place)?;
        let secret = secret.or_else(|| match named {
            MentionKind::Itself(asked) => workspace.secret_named(place, asked),
            MentionKind::ByDirectory => None,
        });
        if secret.is_some() {
            return Err(ToolError::Protected { path: name });
        }
        if let Some(kind) = media_kind(&name, &bytes) {
            let used: u64 = self.media.iter().map(|media| media.blob.len).sum();
            if named == MentionKind::ByDirectory {
                self.note(format!("`{name}` is {} and was left out; name it to show it", kind.what));
            } else if used + bytes.len() as u64 > MAX_MEDIA_BYTES {
                self.left_out += 1;
            } else {
                self.media.push(store_media(self.output_store.as_ref(), place, kind, &bytes)?);
                self.text.push_str(&format!("\n--- {name} ---\n\n[{}, shown with this]\n", kind.what));
                self.files.push(name);
            }
            return Ok(());
        }
        let file = decode_file(&name, &bytes)?;
        let ShownLines { text, part, .. } =
            show_lines(&name, &file, LineRange { chars: usize::MAX, ..LineRange::default() })?;
        self.seen.push(workspace.note_seen(place, &sha256(&bytes), &file.text, false));
        let room = MAX_FILE_CHARS.min(MAX_CHARS - self.chars);
        let (kept, cut) = split_at_char(&text, room);
        self.chars += kept.chars().count();
        self.text.push_str(&format!("\n--- {name} ---\n\n{kept}\n"));
        if let Some(part) = part {
            self.note(format!("`{name}`: only {part}; read_file shows the rest"));
        }
        if !cut.is_empty() {
            self.note(format!("`{name}` was cut after {room} characters; read_file shows the rest"));
        }
        self.files.push(name);
        Ok(())
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn finish(mut self) -> InjectedFiles {
        if self.notes.len() > MAX_NOTES {
            let more = self.notes.len() - MAX_NOTES;
            self.notes.truncate(MAX_NOTES);
            self.notes.push(format!("{more} more notes like these"));
        }
        if self.left_out > 0 {
            let files = pluralize(self.left_out, "file was", "files were");
            self.notes.push(format!("{files} left out: the prompt is full; name only what is needed"));
        }
        let text = match self.text.as_str() {
            "" => String::new(),
            text => format!("--- Content from referenced files ---\n{text}\n--- End of content ---\n"),
        };
        InjectedFiles { text, files: self.files, media: self.media, notes: self.notes, seen: self.seen }
    }
}

/// The place that `path` names, and whether it is a directory. What is not in the workspace may be in a directory that was
/// added to it.
fn find(workspace: &Workspace, path: &str) -> Result<(WorkspacePath, bool), ToolError> {
    let look = |path: &str| {
        let place = workspace.find(path)?;
        let is_directory = workspace.read_metadata(&place, FileOperation::Read)?.is_dir();
        Ok((place, is_directory))
    };
    let found = look(path);
    if !matches!(found, Err(ToolError::NotFound { .. } | ToolError::NotDirectory { .. })) {
        return found;
    }
    let added = workspace.root_places().into_iter().skip(1);
    let elsewhere = added.map(|root| root.absolute.join(path)).find_map(|path| look(&path.to_string_lossy()).ok());
    elsewhere.map_or(found, Ok)
}
