//! A change of a file, line by line, with the numbers the lines have in it.

use pollux_session::FileDiff;

/// One line of a change, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row<'a> {
    Same(usize, &'a str),
    Added(usize, &'a str),
    Removed(usize, &'a str),
    /// Where the lines that follow are: `@@ -1,3 +1,4 @@`.
    Place(&'a str),
    /// What the diff says about itself.
    Remark(&'a str),
}

impl<'a> Row<'a> {
    /// What it says.
    pub(crate) fn text(&self) -> &'a str {
        match self {
            Row::Same(_, text) | Row::Added(_, text) | Row::Removed(_, text) | Row::Place(text) | Row::Remark(text) => {
                text
            }
        }
    }

    /// The number of a line of the file.
    pub(crate) fn number(&self) -> Option<usize> {
        match self {
            Row::Same(number, _) | Row::Added(number, _) | Row::Removed(number, _) => Some(*number),
            Row::Place(_) | Row::Remark(_) => None,
        }
    }
}

/// How wide the numbers of `rows` are.
pub(crate) fn digits(rows: &[Row<'_>]) -> usize {
    rows.iter().filter_map(Row::number).max().unwrap_or(0).to_string().len()
}

/// The lines of a change; none when nothing changes. Without a patch the whole new content stands for it.
pub(crate) fn rows(change: &FileDiff) -> Vec<Row<'_>> {
    if !change.patch.is_empty() {
        return of_patch(&change.patch);
    }
    if change.old.as_ref() == Some(&change.new) {
        return Vec::new();
    }
    let new = change.new.trim_end_matches('\n').split('\n').enumerate();
    new.map(|(at, text)| Row::Added(at + 1, text)).collect()
}

/// The lines of a unified diff.
pub(crate) fn of_patch(patch: &str) -> Vec<Row<'_>> {
    // Lines left in the place tell a removed `-- x` from the head of a file.
    let (mut old, mut new) = (Side::default(), Side::default());
    let mut rows = Vec::new();
    // Not `lines`: a carriage return at the end of a line is part of what is shown.
    for line in patch.trim_end_matches('\n').split('\n') {
        match (line.as_bytes().first(), place(line)) {
            (Some(b'+'), _) if new.left > 0 => rows.push(Row::Added(new.take(), &line[1..])),
            (Some(b'-'), _) if old.left > 0 => rows.push(Row::Removed(old.take(), &line[1..])),
            (Some(b' ') | None, _) if old.left > 0 && new.left > 0 => {
                old.take();
                rows.push(Row::Same(new.take(), line.get(1..).unwrap_or_default()));
            }
            (_, Some(sides)) => {
                (old, new) = sides;
                rows.push(Row::Place(line));
            }
            // The names of the two files: whoever draws this has said the name.
            _ if old.left == 0 && new.left == 0 && (line.starts_with("--- ") || line.starts_with("+++ ")) => {}
            _ => rows.push(Row::Remark(line)),
        }
    }
    rows
}

/// One side of a place: the number of its next line and how many are left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Side {
    next: usize,
    left: usize,
}

impl Side {
    fn take(&mut self) -> usize {
        let number = self.next;
        self.next += 1;
        self.left = self.left.saturating_sub(1);
        number
    }
}

/// Read `@@ -1,3 +1,4 @@`.
fn place(line: &str) -> Option<(Side, Side)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let side = |range: &str| {
        let (next, left) = range.split_once(',').unwrap_or((range, "1"));
        Some(Side { next: next.parse().ok()?, left: left.parse().ok()? })
    };
    Some((side(old)?, side(new)?))
}
