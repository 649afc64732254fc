//! A patch as it was read, before anybody has looked at the files.

/// What a patch says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePatch {
    /// The file, as the model named it.
    pub(super) path: String,
    pub(super) change: FilePatchChange,
}

impl FilePatch {
    /// Every path in it, as the model wrote it.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let to = match &self.change {
            FilePatchChange::Update { move_to, .. } => move_to.as_deref(),
            FilePatchChange::Add(_) | FilePatchChange::Delete => None,
        };
        [self.path.as_str()].into_iter().chain(to)
    }
}

/// What happens to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilePatchChange {
    /// It is new, and this is all that it holds.
    Add(String),
    Delete,
    Update {
        move_to: Option<String>,
        hunks: Vec<PatchHunk>,
    },
}

/// Some lines of a file, as they are and as they shall be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PatchHunk {
    /// The line of the patch that it begins on, from 1.
    pub(super) line: usize,
    /// Lines that stand before it in the file, the outermost first.
    pub(super) anchors: Vec<String>,
    /// What a unified diff names as the function that it is in: often a line that stands before it.
    pub(super) heading: Option<String>,
    /// The line of the file that it begins on, from 1, as far as the model knows.
    pub(super) at: Option<usize>,
    /// How many lines it has, as far as the model has counted them.
    pub(super) announced: Option<LineCounts>,
    pub(super) lines: Vec<HunkLine>,
    /// True if it is said to be at the end of the file.
    pub(super) is_at_end: bool,
    pub(super) final_newline: FinalNewline,
}

/// How many lines a hunk has, before the change and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineCounts {
    pub(super) before: usize,
    pub(super) after: usize,
}

/// What a hunk says about the end of the file's last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FinalNewline {
    /// Nothing: it stays as it is.
    #[default]
    Kept,
    /// There is one afterwards.
    Present,
    /// There is none afterwards.
    Absent,
}

/// A line of a hunk, without its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HunkLine {
    Same(String),
    Removed(String),
    Added(String),
}

impl HunkLine {
    /// The line in the file as it is.
    pub(super) fn before(&self) -> Option<&str> {
        match self {
            HunkLine::Same(text) | HunkLine::Removed(text) => Some(text),
            HunkLine::Added(_) => None,
        }
    }

    /// The line in the file as it shall be.
    pub(super) fn after(&self) -> Option<&str> {
        match self {
            HunkLine::Same(text) | HunkLine::Added(text) => Some(text),
            HunkLine::Removed(_) => None,
        }
    }

    /// True if it is an empty line around a change: models put those between hunks.
    fn is_padding(&self) -> bool {
        matches!(self, HunkLine::Same(text) if text.trim().is_empty())
    }
}

impl PatchHunk {
    pub(super) fn changes_nothing(&self) -> bool {
        self.lines.iter().all(|line| matches!(line, HunkLine::Same(_))) && self.final_newline == FinalNewline::Kept
    }

    /// True if, of the lines that its head announces, one to remove and one to add are still missing.
    pub(super) fn announces_one_replaced_line(&self) -> bool {
        let before = self.lines.iter().filter(|line| line.before().is_some()).count();
        let after = self.lines.iter().filter(|line| line.after().is_some()).count();
        self.announced == Some(LineCounts { before: before + 1, after: after + 1 })
    }

    /// The lines without the empty ones at both ends, if there are any.
    pub(super) fn unpadded(&self) -> Option<&[HunkLine]> {
        let start = self.lines.iter().take_while(|line| line.is_padding()).count();
        let end = self.lines.iter().rev().take_while(|line| line.is_padding()).count();
        let inner = self.lines.get(start..self.lines.len().saturating_sub(end))?;
        (inner.len() < self.lines.len()).then_some(inner)
    }
}
