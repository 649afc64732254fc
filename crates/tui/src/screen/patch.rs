//! A change of a file, line by line, with the numbers the lines have in it.

use pollux_session::FileDiff;

/// One line of a change, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffRow<'a> {
    Same(usize, &'a str),
    Added(usize, &'a str),
    Removed(usize, &'a str),
    /// Where the lines that follow are: `@@ -1,3 +1,4 @@`.
    HunkHeader(&'a str),
    /// What the diff says about itself.
    Remark(&'a str),
}

impl<'a> DiffRow<'a> {
    /// What it says.
    pub(crate) fn text(&self) -> &'a str {
        match self {
            DiffRow::Same(_, text)
            | DiffRow::Added(_, text)
            | DiffRow::Removed(_, text)
            | DiffRow::HunkHeader(text)
            | DiffRow::Remark(text) => text,
        }
    }

    /// The number of a line of the file.
    pub(crate) fn number(&self) -> Option<usize> {
        match self {
            DiffRow::Same(number, _) | DiffRow::Added(number, _) | DiffRow::Removed(number, _) => Some(*number),
            DiffRow::HunkHeader(_) | DiffRow::Remark(_) => None,
        }
    }
}

/// How wide the numbers of `rows` are.
pub(crate) fn number_width(rows: &[DiffRow<'_>]) -> usize {
    rows.iter().filter_map(DiffRow::number).max().unwrap_or(0).to_string().len()
}

/// The lines of a change; none when nothing changes. Without a patch the whole new content stands for it.
pub(crate) fn diff_rows(change: &FileDiff) -> Vec<DiffRow<'_>> {
    if !change.patch.is_empty() {
        return rows_from_patch(&change.patch);
    }
    if change.old.as_ref() == Some(&change.new) {
        return Vec::new();
    }
    let new = change.new.trim_end_matches('\n').split('\n').enumerate();
    new.map(|(at, text)| DiffRow::Added(at + 1, text)).collect()
}

/// The lines of a unified diff.
pub(crate) fn rows_from_patch(patch: &str) -> Vec<DiffRow<'_>> {
    // Lines left in the place tell a removed `-- x` from the head of a file.
    let (mut old, mut new) = (HunkSide::default(), HunkSide::default());
    let mut rows = Vec::new();
    // Not `lines`: a carriage return at the end of a line is part of what is shown.
    for line in patch.trim_end_matches('\n').split('\n') {
        match (line.as_bytes().first(), parse_hunk_header(line)) {
            (Some(b'+'), _) if new.left > 0 => rows.push(DiffRow::Added(new.take(), &line[1..])),
            (Some(b'-'), _) if old.left > 0 => rows.push(DiffRow::Removed(old.take(), &line[1..])),
            (Some(b' ') | None, _) if old.left > 0 && new.left > 0 => {
                old.take();
                rows.push(DiffRow::Same(new.take(), line.get(1..).unwrap_or_default()));
            }
            (_, Some(sides)) => {
                (old, new) = sides;
                rows.push(DiffRow::HunkHeader(line));
            }
            // The names of the two files: whoever draws this has said the name.
            _ if old.left == 0 && new.left == 0 && (line.starts_with("--- ") || line.starts_with("+++ ")) => {}
            _ => rows.push(DiffRow::Remark(line)),
        }
    }
    rows
}

/// One side of a place: the number of its next line and how many are left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HunkSide {
    next: usize,
    left: usize,
}

impl HunkSide {
    fn take(&mut self) -> usize {
        let number = self.next;
        self.next += 1;
        self.left = self.left.saturating_sub(1);
        number
    }
}

/// Read `@@ -1,3 +1,4 @@`.
fn parse_hunk_header(line: &str) -> Option<(HunkSide, HunkSide)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let side = |range: &str| {
        let (next, left) = range.split_once(',').unwrap_or((range, "1"));
        Some(HunkSide { next: next.parse().ok()?, left: left.parse().ok()? })
    };
    Some((side(old)?, side(new)?))
}
