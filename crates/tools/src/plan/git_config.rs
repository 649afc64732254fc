//! A git configuration file, read only to see whether it makes git run something. What is not known to be harmless in a
//! repository is objected to.

use super::Objection;
use pollux_files::read_whole;
use std::io;
use std::path::Path;

/// The longest configuration that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The repository's: it came with the workspace.
    Repository,
    /// The person's or the machine's: what runs programs behind git's back still asks.
    Person,
}

/// Sections of a repository's configuration that commands which only look never obey.
const HARMLESS_SECTIONS: [&str; 23] = [
    "advice",
    "alias",
    "branch",
    "color",
    "column",
    "commit",
    "credential",
    "fetch",
    "gc",
    "gui",
    "http",
    "i18n",
    "init",
    "lfs",
    "maintenance",
    "pack",
    "pull",
    "push",
    "rebase",
    "receive",
    "remote",
    "tag",
    "user",
];

/// Keys of `core` that name no program and no place outside the repository.
const HARMLESS_CORE: [&str; 24] = [
    "abbrev",
    "autocrlf",
    "bare",
    "checkstat",
    "commitgraph",
    "compression",
    "eol",
    "filemode",
    "hidedotfiles",
    "ignorecase",
    "logallrefupdates",
    "longpaths",
    "multipackindex",
    "precomposeunicode",
    "preloadindex",
    "protecthfs",
    "protectntfs",
    "quotepath",
    "repositoryformatversion",
    "safecrlf",
    "sharedrepository",
    "symlinks",
    "trustctime",
    "untrackedcache",
];

/// Keys of `extensions` that change only how objects are kept.
const HARMLESS_EXTENSIONS: [&str; 4] = ["noop", "partialclone", "preciousobjects", "worktreeconfig"];

/// A key with its section, in lower case, and its subsection.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GitKey {
    pub(super) section: String,
    pub(super) subsection: Option<String>,
    pub(super) name: String,
}

/// A configuration file.
pub(super) struct GitConfig;

impl GitConfig {
    /// Object to what `file` sets, if it is there.
    pub(super) fn check(file: &Path, scope: Scope) -> Result<(), Objection> {
        let object = |why: &str| Objection::new(format!("{}: {why}", file.display()));
        let bytes = match read_whole(file, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(object(&error.to_string())),
        };
        let text = String::from_utf8(bytes).map_err(|_| object("it is no text"))?;
        for key in keys_of(&text).map_err(|why| object(&why))? {
            let harmless = match scope {
                Scope::Repository => is_harmless(&key),
                Scope::Person => !runs_programs(&key),
            };
            if !harmless {
                let middle = key.subsection.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
                return Err(object(&format!("it sets {}.{middle}{}", key.section, key.name)));
            }
        }
        Ok(())
    }
}

fn is_harmless(key: &GitKey) -> bool {
    match (key.section.as_str(), &key.subsection) {
        ("core", None) => HARMLESS_CORE.contains(&key.name.as_str()),
        ("extensions", None) => HARMLESS_EXTENSIONS.contains(&key.name.as_str()),
        (section, _) => HARMLESS_SECTIONS.contains(&section),
    }
}

fn runs_programs(key: &GitKey) -> bool {
    match key.section.as_str() {
        "filter" | "include" | "includeif" => true,
        "diff" => matches!(key.name.as_str(), "textconv" | "command" | "external"),
        _ => false,
    }
}

/// Every key that `text` sets. Only the ordinary form is read; anything unusual is an error.
pub(super) fn keys_of(text: &str) -> Result<Vec<GitKey>, String> {
    let mut keys = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    for (number, line) in text.lines().enumerate() {
        let at = || format!("line {} is not understood", number + 1);
        let mut rest = line.trim();
        if let Some(header) = rest.strip_prefix('[') {
            let (found, after) = header_of(header).ok_or_else(at)?;
            section = Some(found);
            rest = after.trim();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        // A value that goes on in the next line could hide a key from this reading.
        if rest.ends_with('\\') {
            return Err(at());
        }
        let name: String = rest.chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '-').collect();
        let after = rest[name.len()..].trim_start();
        if name.is_empty() || !(after.is_empty() || after.starts_with(['=', '#', ';'])) {
            return Err(at());
        }
        let (section, subsection) = section.clone().ok_or_else(at)?;
        keys.push(GitKey { section, subsection, name: name.to_ascii_lowercase() });
    }
    Ok(keys)
}

/// The section that a header names, and what follows it on its line.
fn header_of(text: &str) -> Option<((String, Option<String>), &str)> {
    let (name, rest) = text.split_at(text.find([' ', '\t', '"', ']'])?);
    let is_plain = !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || "-.".contains(char));
    if !is_plain {
        return None;
    }
    let rest = rest.trim_start();
    // The old form `[branch.main]`.
    let (section, dotted) = match name.split_once('.') {
        Some((section, sub)) => (section, Some(sub.to_owned())),
        None => (name, None),
    };
    let section = section.to_ascii_lowercase();
    if let Some(after) = rest.strip_prefix(']') {
        return Some(((section, dotted), after));
    }
    let quoted = rest.strip_prefix('"')?;
    let mut subsection = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => subsection.push(chars.next()?.1),
            '"' => return quoted[at + 1..].strip_prefix(']').map(|after| ((section, Some(subsection)), after)),
            _ => subsection.push(char),
        }
    }
    None
}
