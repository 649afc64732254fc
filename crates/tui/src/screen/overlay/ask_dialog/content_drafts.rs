//! The files of an ask that a person may change before they allow it, and what they have made of them.

use crate::sanitize::one_line;
use crate::screen::overlay::option_list::OptionList;
use crate::screen::overlay::text_area::{TextArea, TextAreaMode};
use pollux_session::{AnswerEdit, Ask, AskDetails, EditedFile, FileDiff};
use std::collections::BTreeMap;

/// The drafts of one ask.
#[derive(Debug)]
pub(super) struct ContentDrafts {
    /// The changes that may be edited.
    changes: Vec<FileDiff>,
    /// True if an answer has to say which file it means.
    names_files: bool,
    /// The files by name, where there are several.
    pub(super) picker: OptionList,
    /// What was written so far, by the place of its file.
    drafts: BTreeMap<usize, TextArea>,
    picked: usize,
}

impl ContentDrafts {
    pub(super) fn from_ask(ask: &Ask) -> ContentDrafts {
        let (changes, names_files) = match &ask.details {
            AskDetails::Edit(change) => (vec![change.clone()], false),
            AskDetails::Patch { files } => {
                (files.iter().filter(|file| file.is_editable()).map(|file| file.diff.clone()).collect(), true)
            }
            AskDetails::Execute { .. } | AskDetails::Generic { .. } | AskDetails::Mcp { .. } => (Vec::new(), false),
        };
        let picker = OptionList::new(changes.iter().map(|change| one_line(&change.name, usize::MAX)));
        ContentDrafts { changes, names_files, picker, drafts: BTreeMap::new(), picked: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// The change that is edited now.
    pub(super) fn change(&self) -> Option<&FileDiff> {
        self.changes.get(self.picked)
    }

    pub(super) fn draft(&self) -> Option<&TextArea> {
        self.drafts.get(&self.picked)
    }

    pub(super) fn draft_mut(&mut self) -> Option<&mut TextArea> {
        self.drafts.get_mut(&self.picked)
    }

    /// Edit this one of the changes.
    pub(super) fn pick(&mut self, at: usize) {
        self.picked = at;
    }

    /// Begin to write, or go on.
    pub(super) fn open_draft(&mut self) {
        if let Some(change) = self.changes.get(self.picked) {
            let new = || TextArea::new(TextAreaMode::MultiLine, &change.new).at_line(first_changed_line(change));
            self.drafts.entry(self.picked).or_insert_with(new);
        }
    }

    /// What was written of the change that is edited now, or was asked for.
    pub(super) fn text(&self) -> String {
        self.draft().map_or_else(|| self.change().map(|change| change.new.clone()).unwrap_or_default(), TextArea::text)
    }

    /// The path of the change that is edited now, where an answer has to name it.
    pub(super) fn path(&self) -> Option<String> {
        self.change().filter(|_| self.names_files).map(|change| change.path.clone())
    }

    /// The drafts that differ from what was asked for, those of the change that is edited now aside.
    pub(super) fn others(&self) -> Vec<EditedFile> {
        self.changed().filter(|(at, ..)| *at != self.picked).map(|(_, change, new)| edited(change, new)).collect()
    }

    /// What the drafts change; nothing when they are what was asked for.
    pub(super) fn edit(&self) -> Option<AnswerEdit> {
        let mut changed = self.changed();
        if !self.names_files {
            return changed.next().map(|(_, _, new)| AnswerEdit::Content { new });
        }
        let files: Vec<EditedFile> = changed.map(|(_, change, new)| edited(change, new)).collect();
        (!files.is_empty()).then_some(AnswerEdit::Files { files })
    }

    /// What the person has written so far, and the names of the files that it is for.
    pub(super) fn written(&self) -> Option<(String, String)> {
        let (names, texts): (Vec<String>, Vec<String>) =
            self.changed().map(|(_, change, new)| (one_line(&change.name, usize::MAX), new)).unzip();
        (!names.is_empty()).then(|| (names.join(", "), texts.join("\n")))
    }

    fn changed(&self) -> impl Iterator<Item = (usize, &FileDiff, String)> {
        let drafts = self.drafts.iter().filter_map(|(at, draft)| Some((*at, self.changes.get(*at)?, draft.text())));
        drafts.filter(|(_, change, new)| *new != change.new)
    }
}

/// The first line of the new content that is not as it was, from 0.
fn first_changed_line(change: &FileDiff) -> usize {
    let old = change.old.as_deref().unwrap_or_default();
    old.split('\n').zip(change.new.split('\n')).take_while(|(old, new)| old == new).count()
}

fn edited(change: &FileDiff, new: String) -> EditedFile {
    EditedFile { path: change.path.clone(), new }
}
