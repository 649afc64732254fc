//! `find`: its options are an expression, and they begin with a single dash.

use pollux_session::{PlannedRead, PlannedWord, ReadKind};

/// Parts of an expression that stand alone.
const ALONE: [&str; 25] = [
    "!",
    "(",
    ")",
    "-P",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-ls",
    "-mount",
    "-nogroup",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];

/// Those with a value that is text.
const VALUED: [&str; 30] = [
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-gid",
    "-group",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newermt",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];

/// Those with a value that is a path whose metadata they look at.
const COMPARED: [&str; 4] = ["-anewer", "-cnewer", "-newer", "-samefile"];

/// What `find` with `words` looks at.
pub(super) fn reads_of(words: &[PlannedWord]) -> Result<Vec<PlannedRead>, String> {
    let mut reads = Vec::new();
    let mut words = words.iter();
    let (mut in_expression, mut has_root) = (false, false);
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            return Err(format!("`{}` could be a part of what find is to do; quote it", word.unquoted()));
        };
        if text.starts_with('-') || ["!", "(", ")", ","].contains(&text) {
            in_expression = text != "-P" || in_expression;
            if ALONE.contains(&text) {
                continue;
            }
            let value = words.next().and_then(PlannedWord::literal);
            match value {
                Some(_) if VALUED.contains(&text) => {}
                Some(value) if COMPARED.contains(&text) => reads.push(entry(value)),
                _ => return Err(format!("`find {text}` is not among the tests that run without a question")),
            }
        } else if in_expression || text.is_empty() {
            return Err(format!("`{text}` is not understood where it stands"));
        } else {
            reads.push(entry(text));
            has_root = true;
        }
    }
    if !has_root {
        reads.push(entry("."));
    }
    Ok(reads)
}

fn entry(path: &str) -> PlannedRead {
    PlannedRead { path: PlannedWord::text(path), kind: ReadKind::Entry, word: None }
}
