//! The files that a patch changes. `git apply`, `git am` and `patch` each find a patch in other texts, and each by other marks: with blanks
//! before them, in a mail that is encoded, as a script of `ed`. So a patch is understood only if every line has one of a few plain
//! forms that mean the same to all three.

use std::collections::BTreeSet;

/// Lines of a header that name a file.
const BEFORE_NAME: [&str; 4] = ["copy from ", "copy to ", "rename from ", "rename to "];
/// Lines of a header that hold numbers.
const BEFORE_NUMBERS: [&str; 3] = ["dissimilarity index ", "index ", "similarity index "];
/// Lines of a header that say what kind of file it is.
const BEFORE_MODE: [&str; 4] = ["deleted file mode ", "new file mode ", "new mode ", "old mode "];
/// Regular files. Through a link another file would be written.
const MODES: [&str; 2] = ["100644", "100755"];
/// Words that mean something at the beginning of a line, which prose therefore may not have there.
const MARKS: [&str; 16] = [
    "binary",
    "content",
    "copy",
    "deleted",
    "diff",
    "dissimilarity",
    "git",
    "index",
    "literal",
    "delta",
    "mime",
    "new",
    "old",
    "prereq",
    "rename",
    "similarity",
];

/// The names of files in a patch; `None` if one of its lines is not plainly understood.
pub(super) fn names_in_patch(text: &str) -> Option<BTreeSet<&str>> {
    let mut names = BTreeSet::new();
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("--- ") {
            let next = lines.next()?.strip_prefix("+++ ")?;
            names.extend([file_name(name)?, file_name(next)?]);
            lines.peek().filter(|line| line.starts_with("@@ "))?;
        } else if let Some(header) = line.strip_prefix("@@ ") {
            skip_hunk(header, &mut lines)?;
        } else if let Some(both) = line.strip_prefix("diff --git ") {
            let (old, new) = both.split_once(' ')?;
            names.extend([plain_name(old)?, plain_name(new)?]);
        } else if let Some(name) = behind(line, &BEFORE_NAME) {
            names.insert(plain_name(name)?);
        } else if let Some(mode) = behind(line, &BEFORE_MODE) {
            MODES.contains(&mode).then_some(())?;
        } else if let Some(numbers) = behind(line, &BEFORE_NUMBERS) {
            is_numbers(numbers).then_some(())?;
        } else {
            (line.is_empty() || is_mark_alone(line) || is_statistic(line) || is_prose(line)).then_some(())?;
        }
    }
    names.remove("/dev/null");
    Some(names)
}

fn behind<'a>(line: &'a str, starts: &[&str]) -> Option<&'a str> {
    starts.iter().find_map(|start| line.strip_prefix(start))
}

/// The name in a line that may have a date behind it, which only a tab sets apart for certain.
fn file_name(text: &str) -> Option<&str> {
    let (name, date) = text.split_once('\t').unwrap_or((text, ""));
    let is_date = date.chars().all(|char| char.is_ascii_alphanumeric() || " :.+-()".contains(char));
    plain_name(name).filter(|_| is_date)
}

/// A name that nobody takes for another one: no blank ends it, and no quote changes what is in it.
fn plain_name(name: &str) -> Option<&str> {
    let is_plain = |char: char| char.is_alphanumeric() || "/._-+@%=~#,".contains(char);
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

/// Skip the lines of a hunk: as many as its header says, and no others.
fn skip_hunk<'a>(header: &str, lines: &mut impl Iterator<Item = &'a str>) -> Option<()> {
    let (ranges, _) = header.split_once(" @@")?;
    let (old, new) = ranges.split_once(' ')?;
    let count = |range: &str, sign: char| -> Option<usize> {
        let (start, count) = range.strip_prefix(sign)?.split_once(',').unwrap_or((&range[1..], "1"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(start) && is_number(count)).then(|| count.parse().ok())?
    };
    let (mut old, mut new) = (count(old, '-')?, count(new, '+')?);
    while old > 0 || new > 0 {
        match lines.next()?.bytes().next() {
            Some(b'-') => old = old.checked_sub(1)?,
            Some(b'+') => new = new.checked_sub(1)?,
            Some(b' ') => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
            Some(b'\\') => {}
            // Some take an empty line for one of the file's, and some do not.
            Some(_) | None => return None,
        }
    }
    Some(())
}

/// Numbers of objects, which a mode may follow, or how much is the same.
fn is_numbers(text: &str) -> bool {
    let (numbers, mode) = text.split_once(' ').unwrap_or((text, MODES[0]));
    numbers.chars().all(|char| char.is_ascii_hexdigit() || ".%".contains(char)) && MODES.contains(&mode)
}

/// Lines that only tell parts from each other: `---`, `-- ` with a version behind it, the end of a file without a line end.
fn is_mark_alone(line: &str) -> bool {
    let is_version = |line: &str| line.contains('.') && line.chars().all(|char| char.is_ascii_digit() || char == '.');
    ["---", "-- ", "\\ No newline at end of file"].contains(&line) || is_version(line)
}

/// What `git format-patch` says of a file: ` src/a.rs | 2 +-`, ` 1 file changed, 1 insertion(+)`, ` create mode 100644 x`.
fn is_statistic(line: &str) -> bool {
    let Some(text) = line.strip_prefix(' ').map(str::trim_start) else { return false };
    let is_name = |name: &str| !name.starts_with(['X', '-', '+', '@']) && plain_name(name).is_some();
    let is_count = |count: &str| {
        let signs = count.trim_start().trim_start_matches(|char: char| char.is_ascii_digit()).trim_start();
        count.len() < 200 && signs.chars().all(|char| "+-".contains(char))
    };
    let of_file = text.split_once(" | ").is_some_and(|(name, count)| is_name(name.trim_end()) && is_count(count));
    let of_all = text.split_once(" file").is_some_and(|(count, rest)| {
        count.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with([' ', 's'])
            && rest.chars().all(|char| char.is_ascii_alphanumeric() || " ,()+-".contains(char))
    });
    let of_mode = behind(text, &["create mode ", "delete mode "])
        .and_then(|rest| rest.split_once(' '))
        .is_some_and(|(mode, name)| MODES.contains(&mode) && plain_name(name).is_some());
    of_file || of_all || of_mode
}

/// A line of a message, which begins with a word that means nothing there. Blanks before it mean nothing to some, and neither does
/// an `X`.
fn is_prose(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    let is_word = !word.is_empty() && !word.starts_with('x') && !MARKS.contains(&word.as_str());
    is_word && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests;
