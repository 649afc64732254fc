//! Finds the places of a file that the hunks of a patch are for, by the text of their lines: as it is, or with other white space.
//! Spelling always counts. The lines that a hunk does not change stay byte for byte.

use super::parsed_patch::{FinalNewline, HunkLine, PatchHunk};
use crate::line_ends::{keep_line_ends_of_piece, usual_end};
use crate::text_match::{
    IndentStyle, IndentTranslation, MatchStrategy, TextLine, find_tokens, indent, lines, nearest_lines, places,
};
use std::ops::Range;

#[cfg(test)]
mod tests;

/// A file with its hunks applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PatchedText {
    pub(super) text: String,
    /// The lines, in the new text, on which hunks begin that were found with other white space.
    pub(super) forgiven: Vec<(usize, MatchStrategy)>,
}

/// Why a hunk has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HunkProblem {
    /// Which hunk of the file it is, from 1.
    pub(super) number: usize,
    /// The line of the patch that it begins on.
    pub(super) line: usize,
    pub(super) why: String,
}

/// A place that a hunk may be for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HunkMatch {
    /// The lines of the file, from 0.
    at: Range<usize>,
    /// Which lines of the hunk are there: all, or all but the empty ones at its ends.
    unpadded: bool,
    /// What to put there, where the lines do not correspond one by one.
    whole: Option<String>,
    strategy: MatchStrategy,
}

/// A file while places are looked for in it.
struct PatchedFileText<'a> {
    body: &'a str,
    lines: Vec<TextLine<'a>>,
}

/// Apply `hunks` to `text`, or say of every one that has no place why.
pub(super) fn apply_hunks(text: &str, hunks: &[PatchHunk]) -> Result<PatchedText, Vec<HunkProblem>> {
    let file = PatchedFileText { body: text, lines: lines(text) };
    let (mut found, mut problems): (Vec<(usize, HunkMatch)>, Vec<HunkProblem>) = (Vec::new(), Vec::new());
    for (at, hunk) in hunks.iter().enumerate() {
        match file.find(hunk, found.last().map(|(before, place)| (&hunks[*before], place))) {
            Ok(place) => found.push((at, place)),
            Err(why) => problems.push(HunkProblem { number: at + 1, line: hunk.line, why }),
        }
    }
    // Stable, so that what comes at one place comes in the order of the patch.
    let core = |(at, place): &(usize, HunkMatch)| place.core(&hunks[*at]).0;
    found.sort_by_key(|found| (core(found).start, core(found).end));
    for pair in found.windows(2) {
        if let [before @ (one, _), after @ (other, _)] = pair
            && core(before).end > core(after).start
        {
            let (first, second) = (*one.min(other), *one.max(other));
            let why = format!("it changes lines that hunk {} changes, too; make one hunk of both", first + 1);
            problems.push(HunkProblem { number: second + 1, line: hunks[second].line, why });
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let places: Vec<(&PatchHunk, HunkMatch)> = found.into_iter().map(|(at, place)| (&hunks[at], place)).collect();
    Ok(file.write(&places))
}

impl PatchedFileText<'_> {
    /// The place of a hunk. `before` is the hunk before it, and its place.
    fn find(&self, hunk: &PatchHunk, before: Option<(&PatchHunk, &HunkMatch)>) -> Result<HunkMatch, String> {
        let after_anchor = self.anchored_lines(&hunk.anchors);
        if !hunk.lines.iter().any(|line| line.before().is_some()) {
            return self.find_insertion(hunk, &after_anchor, before.map(|(_, place)| place));
        }
        let mut found = self.matches(hunk);
        if found.is_empty() {
            return Err(self.describe_miss(hunk));
        }
        if !after_anchor.is_empty() {
            let mut anchored: Vec<HunkMatch> = Vec::new();
            for line in &after_anchor {
                // The line that it is named after may be its first.
                if let Some(first) = found.iter().find(|place| place.at.end >= *line)
                    && !anchored.contains(first)
                {
                    anchored.push(first.clone());
                }
            }
            let is_named_exactly = |line: &usize| {
                let anchor = hunk.anchors.last().map_or("", |anchor| anchor.trim());
                self.lines.get(line - 1).is_some_and(|line| line.text.trim() == anchor)
            };
            if anchored.is_empty() && after_anchor.iter().any(is_named_exactly) {
                let near = self.places(&found);
                let anchor = hunk.anchors.join(" / ");
                return Err(format!("its lines occur only before `{anchor}`:\n{near}"));
            }
            if !anchored.is_empty() {
                found = anchored;
            }
        }
        if hunk.is_at_end {
            keep_if_any(&mut found, |place| place.at.end == self.lines.len());
        }
        if found.len() > 1
            && let Some(at) = hunk.at
        {
            // What the model counted wrong before it has counted wrong here.
            let shift = before.and_then(|(earlier, place)| Some(place.at.start + 1).zip(earlier.at)).unwrap_or((0, 0));
            let wanted = (at + shift.0).saturating_sub(shift.1 + 1);
            let distance = |place: &HunkMatch| place.at.start.abs_diff(wanted);
            let nearest = found.iter().map(distance).min();
            found.retain(|place| Some(distance(place)) == nearest);
        }
        if found.len() > 1
            && let Some(heading) = &hunk.heading
        {
            let lines = self.anchored_lines(std::slice::from_ref(heading));
            if let [line] = lines.as_slice()
                && let Some(first) = found.iter().find(|place| place.at.end >= *line)
            {
                found = vec![first.clone()];
            }
        }
        if found.len() > 1
            && let Some((_, before)) = before
        {
            let mut later = found.iter().filter(|place| place.at.start >= before.at.end);
            if let (Some(only), None) = (later.next(), later.next()) {
                found = vec![only.clone()];
            }
        }
        match found.as_slice() {
            [only] => Ok(only.clone()),
            several => Err(format!(
                "its lines occur {} times; give more of the lines around the right place, or name a line before it \
                 behind `@@`. They occur here:\n{}",
                several.len(),
                self.places(several)
            )),
        }
    }

    /// The place of a hunk that only adds lines.
    fn find_insertion(
        &self,
        hunk: &PatchHunk,
        after_anchor: &[usize],
        before: Option<&HunkMatch>,
    ) -> Result<HunkMatch, String> {
        let place = |line: usize| HunkMatch {
            at: line..line,
            unpadded: false,
            whole: None,
            strategy: MatchStrategy::default(),
        };
        if self.lines.is_empty() || hunk.is_at_end {
            return Ok(place(self.lines.len()));
        }
        match after_anchor {
            [only] => return Ok(place(*only)),
            [] => {}
            several => {
                let mut later = several.iter().filter(|line| before.is_some_and(|before| **line >= before.at.end));
                if let (Some(only), None) = (later.next(), later.next()) {
                    return Ok(place(*only));
                }
                let starts: Vec<usize> = several.iter().map(|line| self.lines[line - 1].start).collect();
                let anchor = hunk.anchors.join(" / ");
                return Err(format!("`{anchor}` occurs more than once:\n{}", places(self.body, &starts)));
            }
        }
        let anchor = match hunk.anchors.as_slice() {
            [] => String::new(),
            anchors => format!("`{}` does not occur in the file. ", anchors.join(" / ")),
        };
        Err(format!(
            "{anchor}It only adds lines, so nothing says where; give the lines around them with a space before each, or \
             put `*** End of File` behind it to add at the end"
        ))
    }

    /// The numbers of the lines behind the ones that `anchors` name, one within the other.
    fn anchored_lines(&self, anchors: &[String]) -> Vec<usize> {
        let mut behind: Option<Vec<usize>> = None;
        for anchor in anchors {
            let named = self.lines_like(anchor);
            behind = Some(match behind {
                None => named,
                Some(outer) => {
                    let inner = outer.iter().filter_map(|line| named.iter().find(|at| *at >= line).copied());
                    let mut inner: Vec<usize> = inner.collect();
                    inner.dedup();
                    inner
                }
            });
        }
        behind.unwrap_or_default()
    }

    /// The numbers of the lines behind those that are `anchor`, or begin so, or have it in them: the strictest that there are.
    fn lines_like(&self, anchor: &str) -> Vec<usize> {
        let tests: [fn(&str, &str) -> bool; 3] = [
            |line, anchor| line == anchor,
            |line, anchor| line.starts_with(anchor),
            |line, anchor| line.contains(anchor),
        ];
        let found = tests.iter().map(|is_like| {
            let like = self.lines.iter().enumerate().filter(|(_, line)| is_like(line.text.trim(), anchor.trim()));
            like.map(|(at, _)| at + 1).collect::<Vec<usize>>()
        });
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Every place that has the lines of a hunk, by the strictest strategy that finds any.
    fn matches(&self, hunk: &PatchHunk) -> Vec<HunkMatch> {
        let exact: fn(&str, &str) -> bool = |line, old| line == old;
        let flexible: fn(&str, &str) -> bool = |line, old| line.trim() == old.trim();
        for (is_like, strategy) in [(exact, MatchStrategy::Exact), (flexible, MatchStrategy::Flexible)] {
            for (lines, unpadded) in [(Some(hunk.lines.as_slice()), false), (hunk.unpadded(), true)] {
                let old: Vec<&str> = lines.into_iter().flatten().filter_map(HunkLine::before).collect();
                // Empty lines are everywhere.
                let is_blank = old.iter().all(|line| line.trim().is_empty());
                if old.is_empty() || (is_blank && (unpadded || strategy != MatchStrategy::Exact)) {
                    continue;
                }
                let starts = self.starts(&old, is_like);
                if !starts.is_empty() {
                    let place = |start| HunkMatch { at: start..start + old.len(), unpadded, whole: None, strategy };
                    return starts.into_iter().map(place).collect();
                }
            }
        }
        self.token_matches(hunk)
    }

    /// The lines from which on all lines are like `old`.
    fn starts(&self, old: &[&str], is_like: fn(&str, &str) -> bool) -> Vec<usize> {
        let windows = self.lines.windows(old.len()).enumerate();
        let like = windows.filter(|(_, window)| window.iter().zip(old).all(|(line, old)| is_like(line.text, old)));
        like.map(|(at, _)| at).collect()
    }

    /// The places of whole lines that have the words and signs of a hunk, whatever white space is between them.
    fn token_matches(&self, hunk: &PatchHunk) -> Vec<HunkMatch> {
        let joined = |side: fn(&HunkLine) -> Option<&str>| {
            hunk.lines.iter().filter_map(side).flat_map(|line| [line, "\n"]).collect::<String>()
        };
        let found = find_tokens(self.body, &joined(HunkLine::before), &joined(HunkLine::after));
        let whole_lines = found.into_iter().filter_map(|edit| {
            let first = self.lines.partition_point(|line| line.next <= edit.span.start);
            let end = self.lines.partition_point(|line| line.start < edit.span.end);
            let (start, last) = (self.lines.get(first)?, self.lines.get(end.checked_sub(1)?)?);
            let is_whole = self.body[start.start..edit.span.start].trim().is_empty()
                && self.body[edit.span.end..last.next].trim().is_empty();
            let strategy = MatchStrategy::Tokens;
            is_whole.then_some(HunkMatch { at: first..end, unpadded: false, whole: Some(edit.with), strategy })
        });
        whole_lines.collect()
    }

    fn places(&self, found: &[HunkMatch]) -> String {
        let starts: Vec<usize> = found.iter().filter_map(|place| Some(self.lines.get(place.at.start)?.start)).collect();
        places(self.body, &starts)
    }

    fn describe_miss(&self, hunk: &PatchHunk) -> String {
        let new: Vec<&str> = hunk.lines.iter().filter_map(HunkLine::after).collect();
        if new.iter().any(|line| !line.trim().is_empty()) && self.starts(&new, |line, new| line == new).len() == 1 {
            return "its lines do not occur in the file, which holds already what it makes of them".to_owned();
        }
        let old: String = hunk.lines.iter().filter_map(HunkLine::before).flat_map(|line| [line, "\n"]).collect();
        match nearest_lines(self.body, &old) {
            Some(lines) => {
                format!("its lines do not occur in the file; these lines of the file are most like them:\n{lines}")
            }
            None => "its lines do not occur in the file, and no line is like them; look at the file with read_file"
                .to_owned(),
        }
    }

    /// The text with `places` changed, which are in order and apart.
    fn write(&self, places: &[(&PatchHunk, HunkMatch)]) -> PatchedText {
        let usual = usual_end(self.body);
        let mut out = TextWriter { text: String::with_capacity(self.body.len()), end: usual, line: 1 };
        let mut forgiven = Vec::new();
        let mut next = 0;
        for (hunk, place) in places {
            let (at, lines) = place.core(hunk);
            out.keep(&self.body[self.offset(next)..self.offset(at.start)]);
            if place.strategy != MatchStrategy::Exact {
                forgiven.push((out.line, place.strategy));
            }
            out.end = at.start.checked_sub(1).and_then(|before| self.end_of(before)).unwrap_or(usual);
            match &place.whole {
                Some(whole) => {
                    let whole: String = whole.lines().flat_map(|line| [line, "\n"]).collect();
                    let old = &self.body[self.offset(at.start)..self.offset(at.end)];
                    out.keep(&keep_line_ends_of_piece(self.body, old, &whole));
                }
                None => self.write_lines(&mut out, lines, at.clone(), self.translation(hunk, place).as_ref()),
            }
            next = at.end;
        }
        out.keep(&self.body[self.offset(next)..]);
        let has_newline = self.body.is_empty() || self.body.ends_with('\n');
        let at_end = places.iter().filter(|(_, place)| place.at.end == self.lines.len());
        let said = at_end.map(|(hunk, _)| hunk.final_newline).find(|said| *said != FinalNewline::Kept);
        let wanted = match said {
            Some(FinalNewline::Present) => true,
            Some(FinalNewline::Absent) => false,
            Some(FinalNewline::Kept) | None => has_newline,
        };
        PatchedText { text: out.finish(wanted), forgiven }
    }

    /// How a line ends; `None` for one that does not.
    fn end_of(&self, line: usize) -> Option<&str> {
        let line = self.lines.get(line)?;
        Some(&self.body[line.start + line.text.len()..line.next]).filter(|end| !end.is_empty())
    }

    /// Where a line begins; the end of the text behind the last one.
    fn offset(&self, line: usize) -> usize {
        self.lines.get(line).map_or(self.body.len(), |line| line.start)
    }

    /// What the indentation of a hunk is in the file, where it is another one.
    fn translation(&self, hunk: &PatchHunk, place: &HunkMatch) -> Option<IndentTranslation> {
        if place.strategy != MatchStrategy::Flexible {
            return None;
        }
        let old = place.lines(hunk).iter().filter_map(HunkLine::before);
        let both = old.zip(&self.lines[place.at.clone()]).filter(|(old, _)| !old.trim().is_empty());
        let pairs: Vec<(&str, &str)> = both.map(|(old, line)| (indent(old), indent(line.text))).collect();
        let all = hunk.lines.iter().filter_map(|line| line.before().or(line.after()));
        Some(IndentTranslation::new(pairs, IndentStyle::of(all), IndentStyle::of([self.body])))
    }

    fn write_lines<'a>(
        &'a self,
        out: &mut TextWriter<'a>,
        lines: &[HunkLine],
        at: Range<usize>,
        translation: Option<&IndentTranslation>,
    ) {
        let mut window = at;
        for line in lines {
            if !matches!(line, HunkLine::Added(_))
                && let Some(at) = window.next()
            {
                if matches!(line, HunkLine::Same(_)) {
                    out.keep(&self.body[self.offset(at)..self.offset(at + 1)]);
                }
                // A line that comes ends like the one before it, whether that stays or goes.
                out.end = self.end_of(at).unwrap_or(out.end);
            }
            match line {
                HunkLine::Same(_) | HunkLine::Removed(_) => {}
                HunkLine::Added(text) => match translation {
                    Some(translation) => out.add(&translation.apply(text)),
                    None => out.add(text),
                },
            }
        }
    }
}

impl HunkMatch {
    /// The lines of the hunk that are at the place.
    fn lines<'h>(&self, hunk: &'h PatchHunk) -> &'h [HunkLine] {
        if self.unpadded { hunk.unpadded().unwrap_or_default() } else { &hunk.lines }
    }

    /// The lines of the file from the first to the last that changes, and what the hunk says of them. Neighbours may share the
    /// lines around them.
    fn core<'h>(&self, hunk: &'h PatchHunk) -> (Range<usize>, &'h [HunkLine]) {
        let lines = self.lines(hunk);
        let is_same = |line: &&HunkLine| matches!(line, HunkLine::Same(_));
        let start = lines.iter().take_while(is_same).count();
        let end = lines.iter().rev().take_while(is_same).count();
        match lines.get(start..lines.len().saturating_sub(end)) {
            Some(changed) if self.whole.is_none() => (self.at.start + start..self.at.end - end, changed),
            Some(_) | None => (self.at.clone(), lines),
        }
    }
}

/// Keep only what `is_wanted`, unless nothing is.
fn keep_if_any(found: &mut Vec<HunkMatch>, is_wanted: impl Fn(&HunkMatch) -> bool) {
    if found.iter().any(&is_wanted) {
        found.retain(is_wanted);
    }
}

/// The new text on its way.
struct TextWriter<'a> {
    text: String,
    /// How its lines end.
    end: &'a str,
    /// The number of the line that comes next.
    line: usize,
}

impl TextWriter<'_> {
    /// Add what the file has.
    fn keep(&mut self, text: &str) {
        if !text.is_empty() {
            self.end_line();
            self.text.push_str(text);
            self.line += text.matches('\n').count();
        }
    }

    /// Add a line that the file has not.
    fn add(&mut self, line: &str) {
        self.end_line();
        self.text.push_str(line);
        self.text.push_str(self.end);
        self.line += 1;
    }

    /// The last line of a file may lack its end.
    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push_str(self.end);
            self.line += 1;
        }
    }

    fn finish(mut self, newline: bool) -> String {
        if newline {
            self.end_line();
        } else if let Some(text) = self.text.strip_suffix('\n') {
            let len = text.strip_suffix('\r').unwrap_or(text).len();
            self.text.truncate(len);
        }
        self.text
    }
}
