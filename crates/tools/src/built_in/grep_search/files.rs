//! Searches one file.

use super::Arguments;
use crate::error::{FileOperation, ToolError};
use crate::excerpt::split_at_char;
use crate::text_encoding::{TextEncoding, decode};
use crate::walk::WalkDeadline;
use crate::workspace::{Workspace, WorkspacePath};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use std::io::{self, Read};

/// The most characters of one line.
const MAX_LINE_CHARS: usize = 500;

/// Larger files are searched as they are, even where they are not UTF-8.
const MAX_DECODED: u64 = 4 * 1024 * 1024;

/// A search through the text of files.
pub(super) struct FileSearch {
    wanted: RegexMatcher,
    unwanted: Option<RegexMatcher>,
    /// The most matches that are of use from one file.
    per_file: usize,
}

/// The treatment of files with protected names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretFileHandling {
    /// They are not searched.
    LeftOut,
    /// They are searched like others: a person allowed it.
    Searched,
}

/// The result of searching one file.
pub(super) enum FileSearchOutcome {
    Matches(FileMatches),
    Nothing,
    /// Its name is protected, so it was not searched.
    Secret,
}

/// The matches in one file.
pub(super) struct FileMatches {
    pub(super) path: WorkspacePath,
    /// The matching lines and those around them, in order.
    pub(super) lines: Vec<SearchLine>,
    /// The number of lines among them that match.
    pub(super) count: usize,
}

/// A line of a file.
pub(super) struct SearchLine {
    pub(super) number: u64,
    pub(super) text: String,
    pub(super) is_match: bool,
}

impl FileSearch {
    pub(super) fn new(args: &Arguments) -> Result<FileSearch, ToolError> {
        let build = |argument: &str, pattern: &str, fixed: bool| {
            let mut builder = RegexMatcherBuilder::new();
            builder.case_insensitive(!args.case_sensitive).fixed_strings(fixed).line_terminator(Some(b'\n'));
            let built = builder.build(pattern);
            built.map_err(|error| ToolError::BadArguments(format!("argument `{argument}`: {error}")))
        };
        if args.pattern.is_empty() {
            return Err(ToolError::BadArguments("argument `pattern`: it is empty".into()));
        }
        let wanted = build("pattern", &args.pattern, args.fixed_strings)?;
        let unwanted = args.exclude_pattern.as_deref().filter(|pattern| !pattern.is_empty());
        let unwanted = unwanted.map(|pattern| build("exclude_pattern", pattern, false)).transpose()?;
        let asked = args.max_matches_per_file.unwrap_or(usize::MAX).max(1);
        // One more than is shown, to notice that there are more.
        let per_file = if args.names_only { 1 } else { asked.min(args.total() + 1) };
        Ok(FileSearch { wanted, unwanted, per_file })
    }

    /// The matches in the file at `place`, with lines before and after.
    pub(super) fn search(
        &self,
        workspace: &Workspace,
        place: &WorkspacePath,
        secrets: SecretFileHandling,
        (before, after): (usize, usize),
        patience: &WalkDeadline,
    ) -> FileSearchOutcome {
        // A file that cannot be opened has nothing to find in it.
        let Ok((file, _)) = workspace.open_file(place, FileOperation::Search) else {
            return FileSearchOutcome::Nothing;
        };
        if secrets == SecretFileHandling::LeftOut && workspace.secret_in(place, &file).is_some() {
            return FileSearchOutcome::Secret;
        }
        let mut searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(before)
            .after_context(after)
            .binary_detection(BinaryDetection::quit(b'\0'))
            .build();
        let mut collect = LineCollector { search: self, patience, lines: Vec::new(), count: 0, is_binary: false };
        let mut beginning = Vec::new();
        if (&file).take(MAX_DECODED).read_to_end(&mut beginning).is_err() {
            return FileSearchOutcome::Nothing;
        }
        let searched = match decode_whole(&beginning) {
            Some(text) => searcher.search_reader(&self.wanted, text.as_bytes(), &mut collect),
            None => searcher.search_reader(&self.wanted, beginning.as_slice().chain(&file), &mut collect),
        };
        let LineCollector { lines, count, is_binary, .. } = collect;
        if searched.is_err() || count == 0 || is_binary {
            return FileSearchOutcome::Nothing;
        }
        FileSearchOutcome::Matches(FileMatches { path: place.clone(), lines, count })
    }
}

/// The text of a whole file that is not UTF-8, and that the searcher would not decode.
fn decode_whole(bytes: &[u8]) -> Option<String> {
    if bytes.len() as u64 >= MAX_DECODED || std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let decoded = decode(bytes).filter(|decoded| decoded.encoding == TextEncoding::Windows1252)?;
    Some(decoded.text.into_owned())
}

struct LineCollector<'a> {
    search: &'a FileSearch,
    patience: &'a WalkDeadline,
    lines: Vec<SearchLine>,
    count: usize,
    is_binary: bool,
}

impl LineCollector<'_> {
    fn push(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_end_matches(['\r', '\n']);
        // What was searched for is shown, wherever it is in a long line. The matcher of a fixed pattern cannot fail.
        let found = self.search.wanted.find(text.as_bytes()).ok().flatten().filter(|_| is_match);
        let text = excerpt_around(text, found.map_or(0, |found| found.start()));
        self.lines.push(SearchLine { number: number.unwrap_or_default(), text, is_match });
    }
}

/// `text`, or the part of a long one around the byte `at`.
fn excerpt_around(text: &str, at: usize) -> String {
    let (_, rest) = split_at_char(text, MAX_LINE_CHARS);
    if rest.is_empty() {
        return text.to_owned();
    }
    let before = text.get(..at).unwrap_or_default().chars().count();
    let skipped = before.saturating_sub(MAX_LINE_CHARS / 5);
    let (left_out, from) = split_at_char(text, if before < MAX_LINE_CHARS { 0 } else { skipped });
    let (shown, rest) = split_at_char(from, MAX_LINE_CHARS);
    let head = if left_out.is_empty() { "" } else { "[cut] " };
    let tail = if rest.is_empty() { "" } else { " [cut]" };
    format!("{head}{shown}{tail}")
}

impl Sink for LineCollector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let excluded = self.search.unwanted.as_ref().is_some_and(|unwanted| {
            // The matcher of a fixed pattern cannot fail.
            unwanted.is_match(found.bytes()).unwrap_or(false)
        });
        if !excluded {
            if self.count == self.search.per_file {
                return Ok(false);
            }
            self.push(found.line_number(), found.bytes(), true);
            self.count += 1;
        }
        Ok(!self.patience.is_over())
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        self.push(around.line_number(), around.bytes(), false);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }
}
