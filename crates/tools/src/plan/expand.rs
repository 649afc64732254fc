//! Names that a pattern stands for. As in a shell, but never through a link, never a hidden file, and never a name that a
//! program could take for anything but a file.

use super::lookups::PlanLookups;
use super::{PlanObjection, reads};
use crate::workspace::Workspace;
use pollux_session::WordPiece;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The most names that one pattern may stand for.
const MAX_NAMES: usize = 1000;
/// The most parts that a pattern may have between slashes.
const MAX_PARTS: usize = 256;

/// One part of a pattern between slashes.
type PatternPart = Vec<PatternToken>;

/// A character of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatternToken {
    Byte(u8),
    AnyText,
    AnyCharacter,
}

/// The names that match `pieces` in `directory`, in the order of their bytes; none when nothing matches.
pub(super) fn expand(
    workspace: &Workspace,
    directory: &Path,
    pieces: &[WordPiece],
    lookups: &PlanLookups,
) -> Result<Vec<OsString>, PlanObjection> {
    let glyphs = glyphs_of(pieces)?;
    let is_absolute = glyphs.first() == Some(&PatternToken::Byte(b'/'));
    let parts: Vec<PatternPart> =
        glyphs.split(|glyph| *glyph == PatternToken::Byte(b'/')).map(<[PatternToken]>::to_vec).collect();
    // Each is a call inside the call before it.
    if parts.len() > MAX_PARTS {
        return Err(PlanObjection::new(format!("a pattern has more than {MAX_PARTS} parts")));
    }
    let hidden = |part: &PatternPart| part.first() == Some(&PatternToken::Byte(b'.')) && literal(part).is_none();
    if parts.iter().any(hidden) {
        return Err(PlanObjection::new("a pattern for hidden files is left to a shell"));
    }
    if parts.iter().any(|part| literal(part).is_some_and(|text| text == b"..")) {
        return Err(PlanObjection::new("a pattern leads upwards"));
    }
    let base = if is_absolute { PathBuf::from("/") } else { directory.to_owned() };
    check_base(workspace, &base, &parts)?;
    let mut search = NameSearch { found: Vec::new(), lookups };
    search.descend(&base, &parts, &[])?;
    let mut names = search.found;
    names.sort();
    Ok(names.into_iter().map(OsString::from_vec).map(as_path).collect())
}

fn glyphs_of(pieces: &[WordPiece]) -> Result<Vec<PatternToken>, PlanObjection> {
    let mut glyphs = Vec::new();
    for piece in pieces {
        match piece {
            WordPiece::Text(text) => glyphs.extend(text.bytes().map(PatternToken::Byte)),
            WordPiece::AnyText => glyphs.push(PatternToken::AnyText),
            WordPiece::AnyCharacter => glyphs.push(PatternToken::AnyCharacter),
            WordPiece::ExitCode => return Err(PlanObjection::new("a pattern depends on an exit code")),
        }
    }
    Ok(glyphs)
}

/// Names are looked up only inside the workspace: the directory before the first pattern must be in it.
fn check_base(workspace: &Workspace, base: &Path, parts: &[PatternPart]) -> Result<(), PlanObjection> {
    let fixed = parts.iter().map_while(literal).take(parts.len().saturating_sub(1));
    let start = fixed.fold(base.to_owned(), |path, part| path.join(OsStr::from_bytes(&part)));
    reads::find(workspace, &start).map(drop)
}

struct NameSearch<'a> {
    found: Vec<Vec<u8>>,
    lookups: &'a PlanLookups,
}

impl NameSearch<'_> {
    /// Look for `parts` in `directory`; `written` is what led there, as it appears in the names.
    fn descend(&mut self, directory: &Path, parts: &[PatternPart], written: &[u8]) -> Result<(), PlanObjection> {
        let Some((part, rest)) = parts.split_first() else { return Ok(()) };
        let go_on = |search: &mut NameSearch<'_>, name: &[u8]| {
            let mut written = written.to_vec();
            written.extend_from_slice(name);
            let path = directory.join(OsStr::from_bytes(name));
            if rest.is_empty() {
                return search.keep(written);
            }
            written.push(b'/');
            // Not through a link: what is listed must lie where it seems to lie.
            match path.symlink_metadata() {
                Ok(metadata) if metadata.is_dir() => search.descend(&path, rest, &written),
                Ok(_) | Err(_) => Ok(()),
            }
        };
        match literal(part) {
            // The empty name in `a//b`, `/a` and `a/` is the directory itself.
            Some(name) => {
                self.lookups.spend(1)?;
                match directory.join(OsStr::from_bytes(&name)).symlink_metadata() {
                    Ok(_) => go_on(self, &name),
                    Err(_) => Ok(()),
                }
            }
            None => {
                for name in self.list(directory)? {
                    if !name.starts_with(b".") && matches(part, &name) {
                        go_on(self, &name)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// The names in a directory; none when it cannot be listed.
    fn list(&self, directory: &Path) -> Result<Vec<Vec<u8>>, PlanObjection> {
        let Ok(entries) = std::fs::read_dir(directory) else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            self.lookups.spend(1)?;
            names.push(entry.file_name().into_vec());
        }
        Ok(names)
    }

    fn keep(&mut self, name: Vec<u8>) -> Result<(), PlanObjection> {
        self.found.push(name);
        if self.found.len() > MAX_NAMES {
            return Err(PlanObjection::new(format!("a pattern stands for more than {MAX_NAMES} names")));
        }
        Ok(())
    }
}

/// A part without patterns, as text.
fn literal(part: &PatternPart) -> Option<Vec<u8>> {
    let byte = |glyph: &PatternToken| match glyph {
        PatternToken::Byte(byte) => Some(*byte),
        PatternToken::AnyText | PatternToken::AnyCharacter => None,
    };
    part.iter().map(byte).collect()
}

/// Whether `name` matches all of `part`.
fn matches(part: &[PatternToken], name: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    // Where to go on when the newest `*` has to stand for one more byte.
    let mut again: Option<(usize, usize)> = None;
    while from < name.len() {
        match part.get(at) {
            Some(PatternToken::AnyText) => {
                at += 1;
                again = Some((at, from));
            }
            Some(PatternToken::AnyCharacter) => {
                from += character_len(&name[from..]);
                at += 1;
            }
            Some(PatternToken::Byte(byte)) if *byte == name[from] => {
                from += 1;
                at += 1;
            }
            Some(PatternToken::Byte(_)) | None => match &mut again {
                Some((after, start)) => {
                    *start += 1;
                    (at, from) = (*after, *start);
                }
                None => return false,
            },
        }
    }
    part[at..].iter().all(|glyph| *glyph == PatternToken::AnyText)
}

/// The length of the first character, in bytes; of what is no UTF-8, one byte.
fn character_len(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(4);
    let first = (1..=longest).find(|len| std::str::from_utf8(&bytes[..*len]).is_ok());
    first.unwrap_or(1)
}

/// A name that a program could take for an option, a setting (`A=b`), a file of further words (`@x`), something of another machine
/// (`host:x`) or a command of its own (`+x`) is a file only behind a path.
fn as_path(name: OsString) -> OsString {
    let bytes = name.as_bytes();
    let first_part = bytes.split(|byte| *byte == b'/').next().unwrap_or_default();
    let begins_oddly = bytes.first().is_some_and(|first| first.is_ascii_punctuation() && !b"./_".contains(first));
    if !begins_oddly && !first_part.iter().any(|byte| b"=:".contains(byte)) {
        return name;
    }
    let mut path = OsString::from("./");
    path.push(name);
    path
}

#[cfg(test)]
mod tests;
