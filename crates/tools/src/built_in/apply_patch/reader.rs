//! Reads a patch in the form that models know best: a heading for each file between `*** Begin Patch` and `*** End Patch`. A
//! unified diff is read by `unified_reader`. Both forgive what models leave out or put around a patch, as long as it is plain what
//! is meant.

use super::parsed_patch::{FilePatch, FilePatchChange, FinalNewline, HunkLine, LineCounts, PatchHunk};
use super::unified_reader;
use crate::error::ToolError;

#[cfg(test)]
mod tests;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const UPDATE: &str = "*** Update File:";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";
/// The beginning of the line of a unified diff that says there is no newline before it.
const NO_NEWLINE: &str = "\\ No newline";

/// The most characters of a line that an error repeats.
const QUOTED_CHARS: usize = 80;

/// Read a patch. It names at least one file.
pub(super) fn read_patch(text: &str) -> Result<Vec<FilePatch>, ToolError> {
    let mut lines = PatchLines { lines: text.lines().collect(), at: 0 };
    let Some(start) = (0..lines.lines.len()).find(|at| is_heading(lines.lines[*at]) || lines.starts_unified(*at))
    else {
        return Err(unreadable(
            "it names no file; begin each file with a line `*** Update File: PATH`, `*** Add File: PATH` or \
             `*** Delete File: PATH`",
        ));
    };
    lines.at = start;
    let files =
        if is_heading(lines.lines[start]) { read_envelope(&mut lines)? } else { unified_reader::read(&mut lines)? };
    if files.is_empty() { Err(unreadable("it is empty")) } else { Ok(files) }
}

/// Whether a line begins or ends what is said of a file.
pub(super) fn is_heading(line: &str) -> bool {
    [BEGIN, END, UPDATE, ADD, DELETE].iter().any(|heading| line.starts_with(heading))
}

pub(super) fn unreadable(why: &str) -> ToolError {
    ToolError::BadArguments(format!("the patch cannot be read: {why}"))
}

/// The lines of a patch, and the one that is read next.
pub(super) struct PatchLines<'a> {
    pub(super) lines: Vec<&'a str>,
    pub(super) at: usize,
}

impl<'a> PatchLines<'a> {
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<&'a str> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    /// Whether a unified diff of a file begins at a line. A removed `-- x` before an added `++ y` looks nearly like one.
    pub(super) fn starts_unified(&self, at: usize) -> bool {
        let line = |at: usize| self.lines.get(at).copied().unwrap_or_default();
        line(at).starts_with("diff --git ")
            || (line(at).starts_with("--- ") && line(at + 1).starts_with("+++ ") && line(at + 2).starts_with("@@"))
    }

    /// An error about the line that was read last.
    pub(super) fn error(&self, why: &str) -> ToolError {
        let line = self.lines.get(self.at.saturating_sub(1)).copied().unwrap_or_default();
        let quoted: String = line.chars().take(QUOTED_CHARS).collect();
        unreadable(&format!("line {} (`{quoted}`) {why}", self.at))
    }
}

fn read_envelope(lines: &mut PatchLines<'_>) -> Result<Vec<FilePatch>, ToolError> {
    let mut files = Vec::new();
    let mut is_inside = true;
    while let Some(line) = lines.next() {
        if line.starts_with(BEGIN) {
            is_inside = true;
        } else if line.starts_with(END) {
            is_inside = false;
        } else if !is_inside || line.trim().is_empty() || line.starts_with("```") {
            // What stands around a patch is not part of it.
        } else if let Some(path) = path_behind(lines, line, UPDATE)? {
            files.push(FilePatch { path, change: read_update(lines)? });
        } else if let Some(path) = path_behind(lines, line, ADD)? {
            files.push(FilePatch { path, change: FilePatchChange::Add(read_content(lines)?) });
        } else if let Some(path) = path_behind(lines, line, DELETE)? {
            while lines.peek().is_some_and(|line| line.trim().is_empty() || line.starts_with('-')) {
                lines.at += 1;
            }
            files.push(FilePatch { path, change: FilePatchChange::Delete });
        } else {
            return Err(lines.error(
                "is no heading; begin each file with `*** Update File: PATH`, `*** Add File: PATH` or \
                 `*** Delete File: PATH`",
            ));
        }
    }
    Ok(files)
}

/// The path that a heading names, if the line is that heading.
fn path_behind(lines: &PatchLines<'_>, line: &str, heading: &str) -> Result<Option<String>, ToolError> {
    match line.strip_prefix(heading).map(str::trim) {
        Some("") => Err(lines.error("names no file")),
        named => Ok(named.map(str::to_owned)),
    }
}

fn read_update(lines: &mut PatchLines<'_>) -> Result<FilePatchChange, ToolError> {
    let mut move_to = None;
    if let Some(line) = lines.peek().filter(|line| line.starts_with(MOVE)) {
        lines.at += 1;
        move_to = path_behind(lines, line, MOVE)?;
    }
    // Some models put the names of a unified diff below the heading.
    while lines.peek().is_some_and(str::is_empty) {
        lines.at += 1;
    }
    if lines.starts_unified(lines.at) {
        lines.at += 2;
    }
    let hunks = read_hunks(lines, |lines, _| lines.peek().is_some_and(is_heading))?;
    if hunks.is_empty() && move_to.is_none() {
        return Err(
            lines.error("ends a file of which nothing changes; give the lines to remove with `-` and to add with `+`")
        );
    }
    Ok(FilePatchChange::Update { move_to, hunks })
}

/// All that a new file holds.
fn read_content(lines: &mut PatchLines<'_>) -> Result<String, ToolError> {
    let (mut content, mut empty) = (String::new(), 0);
    while lines.peek().is_some_and(|line| !is_heading(line)) {
        let line = lines.next().unwrap_or_default();
        if let Some(text) = line.strip_prefix('+') {
            // An empty line without its sign, if more follows.
            content.push_str(&"\n".repeat(empty));
            empty = 0;
            if content.is_empty() && (text.starts_with("++ b/") || text.starts_with("++ /")) {
                continue;
            }
            content.push_str(text);
            content.push('\n');
        } else if line.is_empty() {
            empty += 1;
        } else if line.starts_with(NO_NEWLINE) {
            content.truncate(content.trim_end_matches('\n').len());
        } else if line.starts_with("```")
            || (content.is_empty() && (line.starts_with("@@") || line.starts_with("--- ")))
        {
            // The head of a unified diff.
        } else if line.trim_end() != END_OF_FILE {
            return Err(lines.error("is in a new file, whose lines all begin with `+`"));
        }
    }
    Ok(content)
}

/// The hunks of a file, up to a line at which `ends`, which is told the hunk that is being read.
pub(super) fn read_hunks(
    lines: &mut PatchLines<'_>,
    ends: impl Fn(&PatchLines<'_>, Option<&PatchHunk>) -> bool,
) -> Result<Vec<PatchHunk>, ToolError> {
    let mut hunks: Vec<PatchHunk> = Vec::new();
    let mut is_open = false;
    while !ends(lines, hunks.last().filter(|_| is_open)) {
        let Some(line) = lines.next() else { break };
        if line.starts_with("@@") {
            let head = read_head(line, lines.at);
            match hunks.last_mut().filter(|hunk| is_open && hunk.lines.is_empty()) {
                // One line within another: a class, then a method of it.
                Some(outer) => {
                    outer.anchors.extend(head.anchors);
                    outer.at = head.at.or(outer.at);
                    outer.announced = head.announced.or(outer.announced);
                }
                None => hunks.push(head),
            }
            is_open = true;
            continue;
        }
        if line.starts_with("```") {
            continue;
        }
        if !is_open {
            if line.trim().is_empty() {
                continue;
            }
            hunks.push(PatchHunk { line: lines.at, ..PatchHunk::default() });
            is_open = true;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        if line.trim_end() == END_OF_FILE {
            hunk.is_at_end = true;
            is_open = false;
        } else if line.starts_with(NO_NEWLINE) {
            hunk.final_newline = match hunk.lines.last() {
                Some(HunkLine::Removed(_)) => FinalNewline::Present,
                Some(HunkLine::Added(_)) => FinalNewline::Absent,
                Some(HunkLine::Same(_)) | None => FinalNewline::Kept,
            };
        } else {
            let read = read_line(line).ok_or_else(|| {
                lines.error(
                    "begins with none of the signs ` ` (stays), `-` (goes) and `+` (comes); put one before each line of a hunk",
                )
            })?;
            hunk.lines.push(read);
        }
    }
    hunks.retain(|hunk| !hunk.changes_nothing());
    Ok(hunks)
}

fn read_line(line: &str) -> Option<HunkLine> {
    let mut rest = line.chars();
    match rest.next() {
        None => Some(HunkLine::Same(String::new())),
        Some(' ') => Some(HunkLine::Same(rest.as_str().to_owned())),
        Some('-') => Some(HunkLine::Removed(rest.as_str().to_owned())),
        Some('+') => Some(HunkLine::Added(rest.as_str().to_owned())),
        // An indented line that has lost its sign.
        Some('\t') => Some(HunkLine::Same(line.to_owned())),
        Some(_) => None,
    }
}

/// `@@`, `@@ a line before it`, or `@@ -1,3 +1,4 @@ function`.
fn read_head(line: &str, number: usize) -> PatchHunk {
    let hunk = PatchHunk { line: number, ..PatchHunk::default() };
    let rest = line.trim_start_matches('@').trim();
    if let Some((ranges, heading)) = rest.split_once("@@").or(Some((rest, "")))
        && let Some((at, announced)) = read_ranges(ranges.trim())
    {
        let heading = Some(heading.trim()).filter(|heading| !heading.is_empty()).map(str::to_owned);
        return PatchHunk { at, heading, announced: Some(announced), ..hunk };
    }
    let anchor = rest.strip_suffix("@@").unwrap_or(rest).trim();
    let anchors = if anchor.is_empty() { Vec::new() } else { vec![anchor.to_owned()] };
    PatchHunk { anchors, ..hunk }
}

/// What `-1,3 +1,4` says: the first line, if it is one of the file, and how many lines there are before and after. `None` for
/// something else.
fn read_ranges(ranges: &str) -> Option<(Option<usize>, LineCounts)> {
    let (old, new) = ranges.strip_prefix('-')?.split_once(" +")?;
    let read = |range: &str| -> Option<(usize, usize)> {
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((first.trim().parse().ok()?, count.trim().parse().ok()?))
    };
    let ((first, before), (_, after)) = (read(old)?, read(new)?);
    Some((Some(first).filter(|first| *first > 0), LineCounts { before, after }))
}
