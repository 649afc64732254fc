//! The result of a search, in words.

use super::Arguments;
use super::files::FileMatches;
use crate::pluralize::pluralize;
use crate::walk::describe_places;
use crate::workspace::WorkspacePath;
use pollux_session::{CallResult, ResultDisplay};

/// The files that a search came by.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileCounts {
    /// Those that the search is about.
    pub(super) included: usize,
    /// Those of them that were left out for their names.
    pub(super) secrets: usize,
}

/// The result of a search. `hits` are sorted by path.
pub(super) fn show(
    args: &Arguments,
    starts: &[WorkspacePath],
    hits: &[FileMatches],
    counts: FileCounts,
    late: bool,
) -> CallResult {
    let (pattern, within) = (&args.pattern, describe_places(starts));
    let found: usize = hits.iter().map(|hits| hits.count).sum();
    let total = args.total();
    let count = pluralize(found.min(total), "match", "matches");
    let files = pluralize(hits.len(), "file", "files");
    let mut text = match (hits.is_empty(), args.names_only) {
        (true, _) => match args.include_pattern.as_deref() {
            None => format!("No line in {within} matches \"{pattern}\"."),
            Some(include) if counts.included == 0 => {
                format!("No file in {within} matches the include_pattern `{include}`, so nothing was searched.")
            }
            Some(include) => format!("No line in files of {within} that match `{include}` matches \"{pattern}\"."),
        },
        (false, true) => names(hits, total, &format!("{files} in {within} with a match for \"{pattern}\"")),
        (false, false) => matches(hits, total, &format!("{count} for \"{pattern}\" in {within}")),
    };
    if hits.is_empty() && !args.no_ignore {
        text.push_str(" What .gitignore and .geminiignore list was left out.");
    }
    let shown = if args.names_only { hits.len() } else { found };
    if shown > total {
        text.push_str(&format!("\n[There are more; only {total} are shown. A narrower search finds fewer.]"));
    }
    if counts.secrets > 0 {
        let files = pluralize(counts.secrets, "file with a protected name was", "files with protected names were");
        text.push_str(&format!(
            "\n[{files} not searched. To see what one holds, call read_file, and the person is asked.]"
        ));
    }
    if late {
        text.push_str("\n[The search took too long and was ended early; search a smaller directory.]");
    }
    let display = if args.names_only || hits.is_empty() { files } else { format!("{count} in {files}") };
    CallResult { text, display: Some(ResultDisplay::Text { text: display }), ..CallResult::default() }
}

fn names(hits: &[FileMatches], total: usize, head: &str) -> String {
    let lines = hits.iter().take(total).map(|hits| format!("\n{}", hits.path.name()));
    format!("{head}:{}", lines.collect::<String>())
}

fn matches(hits: &[FileMatches], total: usize, head: &str) -> String {
    let mut text = format!("{head}:\n---");
    let mut left = total;
    for hits in hits {
        if left == 0 {
            break;
        }
        text.push_str(&format!("\nFile: {}", hits.path.name()));
        let mut before: Option<u64> = None;
        for line in &hits.lines {
            if line.is_match {
                if left == 0 {
                    break;
                }
                left -= 1;
            }
            // Lines that do not follow one another are set apart.
            let sign = if line.is_match { ':' } else { '-' };
            if before.is_some_and(|before| before + 1 < line.number) && hits.lines.iter().any(|line| !line.is_match) {
                text.push_str("\n...");
            }
            text.push_str(&format!("\nL{}{sign} {}", line.number, line.text));
            before = Some(line.number);
        }
        text.push_str("\n---");
    }
    text
}
