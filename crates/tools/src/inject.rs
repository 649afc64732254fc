//! Files and directories that a person names in a prompt (`@path`), as text for the model.

use crate::counted::counted;
use crate::error::{Doing, ToolError};
use crate::excerpt::split_at_char;
use crate::read_file::{MAX_BYTES, Shown, show};
use crate::tool::blocking;
use crate::walk::{Patience, Rules, walk};
use crate::workspace::{Place, Workspace};
use ignore::WalkState;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The most files that are put into a prompt.
const MAX_FILES: usize = 200;
/// The most characters of one file.
const MAX_FILE_CHARS: usize = 100_000;
/// The most characters altogether.
const MAX_CHARS: usize = 400_000;
/// The most files of one directory that are looked at.
const MAX_WALKED: usize = 10_000;
/// How long looking through one directory may take.
const TIME: Duration = Duration::from_secs(10);
/// The most notes about single files; the rest is counted.
const MAX_NOTES: usize = 20;

/// What a prompt is given of the files it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Injected {
    /// The files' text, framed, for the model; empty when there is none.
    pub text: String,
    /// The files whose text is in it, relative to the workspace, in order.
    pub files: Vec<String>,
    /// What was left out or cut, and why: one sentence each, for the model and the person.
    pub notes: Vec<String>,
}

/// Read what `paths` name: files as they are, directories with every text file in them that no ignore file lists.
/// Nothing outside the workspace is read, and whatever is not read has a note.
pub async fn inject(workspace: &Path, paths: &[String]) -> Injected {
    let (workspace, paths) = (workspace.to_owned(), paths.to_vec());
    let cancelled = CancellationToken::new();
    let stop = cancelled.clone();
    let _cancel_on_drop = cancelled.drop_guard();
    let read = blocking(move || {
        let workspace = Workspace::open(&workspace)?;
        let mut injection = Injection::default();
        for path in &paths {
            injection.take(&workspace, path, &stop);
        }
        Ok(injection.finish())
    });
    read.await.unwrap_or_else(|error| Injected { notes: vec![error.to_string()], ..Injected::default() })
}

#[derive(Default)]
struct Injection {
    text: String,
    chars: usize,
    files: Vec<String>,
    notes: Vec<String>,
    /// Files that did not fit.
    left_out: usize,
}

impl Injection {
    fn take(&mut self, workspace: &Workspace, path: &str, stop: &CancellationToken) {
        let found = workspace.find(path).and_then(|place| {
            let is_directory = workspace.look(&place, Doing::Read)?.is_dir();
            Ok((place, is_directory))
        });
        match found {
            Err(error) => self.note(error.to_string()),
            Ok((place, true)) => self.take_directory(workspace, &place, stop),
            Ok((place, false)) => {
                if let Err(error) = self.take_file(workspace, &place) {
                    self.note(error.to_string());
                }
            }
        }
    }

    fn take_directory(&mut self, workspace: &Workspace, place: &Place, stop: &CancellationToken) {
        let patience = Patience::new(TIME, stop.clone());
        let places: Mutex<Vec<Place>> = Mutex::default();
        walk(workspace, place, Rules::default(), &patience, |_, at| {
            let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
            places.push(at.clone());
            if places.len() < MAX_WALKED { WalkState::Continue } else { WalkState::Quit }
        });
        let mut places = places.into_inner().unwrap_or_else(PoisonError::into_inner);
        places.sort_unstable_by(|one, other| one.relative().cmp(other.relative()));
        if places.len() >= MAX_WALKED || patience.was_late() {
            self.note(format!("`{}` holds more files than can be looked at; name the ones you mean", place.name()));
        }
        if places.is_empty() {
            self.note(format!("`{}` holds no file that is not ignored", place.name()));
        }
        for place in places {
            if let Err(error) = self.take_file(workspace, &place) {
                self.note(error.to_string());
            }
        }
    }

    fn take_file(&mut self, workspace: &Workspace, place: &Place) -> Result<(), ToolError> {
        let name = place.name();
        if self.files.contains(&name) {
            return Ok(());
        }
        if self.files.len() >= MAX_FILES || self.chars >= MAX_CHARS {
            self.left_out += 1;
            return Ok(());
        }
        workspace.check_ignored(place)?;
        let bytes = workspace.read(place, MAX_BYTES, Doing::Read)?;
        let Shown { text, .. } = show(place, &bytes, None, None)?;
        let room = MAX_FILE_CHARS.min(MAX_CHARS - self.chars);
        let (kept, cut) = split_at_char(&text, room);
        self.chars += kept.chars().count();
        self.text.push_str(&format!("\n--- {name} ---\n\n{kept}\n"));
        if !cut.is_empty() {
            self.note(format!("`{name}` was cut after {room} characters; read_file shows the rest"));
        }
        self.files.push(name);
        Ok(())
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn finish(mut self) -> Injected {
        if self.notes.len() > MAX_NOTES {
            let more = self.notes.len() - MAX_NOTES;
            self.notes.truncate(MAX_NOTES);
            self.notes.push(format!("{more} more notes like these"));
        }
        if self.left_out > 0 {
            let files = counted(self.left_out, "file was", "files were");
            self.notes.push(format!("{files} left out: the prompt is full; name only what is needed"));
        }
        let text = match self.text.as_str() {
            "" => String::new(),
            text => format!("--- Content from referenced files ---\n{text}\n--- End of content ---\n"),
        };
        Injected { text, files: self.files, notes: self.notes }
    }
}
