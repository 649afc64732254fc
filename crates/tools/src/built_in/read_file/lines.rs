//! Lines of a file, cut to what a model is given.

use crate::error::ToolError;
use crate::excerpt::split_at_char;
use crate::pluralize::pluralize;
use crate::text_encoding::{DecodedText, TextEncoding, without_stray_bytes};
use std::borrow::Cow;

/// The most lines one call returns.
const MAX_LINES: usize = 2000;
/// The most characters of one line.
const MAX_LINE_CHARS: usize = 2000;

/// Which lines of a file are wanted, and how.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineRange {
    /// The first, from 1; the beginning of the file if not given.
    pub(crate) start: Option<usize>,
    /// The last; as many as fit if not given.
    pub(crate) end: Option<usize>,
    /// The first character of each line, from 1; the beginning of the line if not given.
    pub(crate) column: Option<usize>,
    /// Whether each line has its number before it.
    pub(crate) numbered: bool,
    /// The most characters of all of them. At least one line is shown.
    pub(crate) chars: usize,
}

/// Lines of a file.
pub(crate) struct ShownLines {
    /// The text for the model.
    pub(crate) text: String,
    /// A description of it, in a few words.
    pub(crate) summary: String,
    /// Which lines it is, if not all: `lines 1-2000 of 5000`.
    pub(crate) part: Option<String>,
}

/// The lines asked for of the file called `name`, with a notice in front when they are not all of it, or not plain UTF-8.
pub(crate) fn show_lines(name: &str, file: &DecodedText<'_>, wanted: LineRange) -> Result<ShownLines, ToolError> {
    let LineRange { start, end, column, numbered, chars } = wanted;
    let skipped = column.unwrap_or(1) - 1;
    let has_strays = file.encoding == TextEncoding::Utf8WithStrayBytes;
    let text = if has_strays { Cow::Owned(without_stray_bytes(&file.text)) } else { Cow::Borrowed(&*file.text) };
    let total = text.lines().count();
    let first = start.unwrap_or(1);
    if total == 0 {
        return Ok(ShownLines { text: format!("[{name} is empty.]"), summary: format!("{name} is empty"), part: None });
    }
    if first > total {
        let problem = format!("argument `start_line`: {name} ends at line {total}");
        return Err(ToolError::BadArguments(problem));
    }
    let last = end.unwrap_or(total).min(total).min(first + MAX_LINES - 1);
    let mut room = chars;
    let fits = |line: &&str| {
        let (len, had) = (after_column(line, skipped).chars().count().min(MAX_LINE_CHARS), room);
        room = room.saturating_sub(len);
        len <= had || had == chars
    };
    let lines: Vec<&str> = text.split_inclusive('\n').skip(first - 1).take(last + 1 - first).take_while(fits).collect();
    let last = first + lines.len() - 1;
    let cut_lines = lines.iter().filter(|line| is_long(after_column(line, skipped))).count();

    let mut notices = Vec::new();
    if (first, last) != (1, total) {
        notices.push(format!("[Lines {first}-{last} of {total}.]"));
    }
    if last < total && end.is_none_or(|end| end > last) {
        notices.push(format!("[To read on, call read_file with start_line {}.]", last + 1));
    }
    if cut_lines > 0 {
        notices.push(format!(
            "[Lines cut after {MAX_LINE_CHARS} characters: {cut_lines}. To see more of them, call read_file with \
             start_column {}.]",
            skipped + MAX_LINE_CHARS + 1
        ));
    }
    match file.encoding {
        TextEncoding::Utf8 => {}
        TextEncoding::Utf8WithStrayBytes => {
            notices.push(
                "[Bytes that are not UTF-8 are shown as \u{fffd}. They stay when you change other lines.]".to_owned(),
            );
        }
        encoding if file.lossy => {
            notices.push(format!("[The file is {encoding}; bytes that are no text are shown as \u{fffd}.]"));
        }
        encoding => notices.push(format!("[The file is {encoding}, and stays so when you change it.]")),
    }
    let mut shown = if notices.is_empty() { String::new() } else { notices.join("\n") + "\n\n" };
    for (number, line) in (first..).zip(lines) {
        if numbered {
            shown.push_str(&format!("{number}: "));
        }
        let rest = after_column(line, skipped);
        if is_long(rest) {
            shown.push_str(split_at_char(rest, MAX_LINE_CHARS).0);
            shown.push_str(" [cut]\n");
        } else {
            shown.push_str(rest);
            // A line that ends before the column is an empty one.
            if rest.is_empty() && line.ends_with('\n') {
                shown.push('\n');
            }
        }
    }
    let part = ((first, last) != (1, total)).then(|| format!("lines {first}-{last} of {total}"));
    let summary = match &part {
        None => format!("{} of {name}", pluralize(total, "line", "lines")),
        Some(part) => format!("{part} of {name}"),
    };
    Ok(ShownLines { text: shown, summary, part })
}

/// The line without its first characters.
fn after_column(line: &str, skipped: usize) -> &str {
    split_at_char(line, skipped).1
}

fn is_long(line: &str) -> bool {
    // Cheap first: a line of few bytes has few characters.
    line.len() > MAX_LINE_CHARS && !split_at_char(line.trim_end_matches(['\r', '\n']), MAX_LINE_CHARS).1.is_empty()
}
