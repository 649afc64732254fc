//! Which extensions are on where, in the file that Gemini CLI keeps: per extension a list of folders, `!` before one
//! where it is off, `*` behind one that means everything in it too. The last that fits counts; without any it is on.

use crate::config::error::ConfigWarning;
use crate::config::text_file;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

/// The file's name, in the person's folder of extensions.
pub(crate) const FILE: &str = "extension-enablement.json";

/// The extensions that are on, by folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExtensionEnablement {
    rules: BTreeMap<String, Vec<EnablementRule>>,
    /// The file could not be read: it may be what switches something off, so nothing is on.
    unreadable: bool,
}

/// Which way to switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtensionSwitch {
    On,
    Off,
}

/// A folder, everything in it or not, on or off.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EnablementRule {
    /// Begins and ends with a slash.
    folder: String,
    inside: bool,
    on: bool,
}

/// One extension in the file. What we do not know of is kept.
#[derive(Default, Deserialize, Serialize)]
struct EnablementEntry {
    #[serde(default)]
    overrides: Vec<String>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl ExtensionEnablement {
    /// The switches in `path`; a file that is not there has none.
    pub(crate) fn load(path: &Path) -> Result<ExtensionEnablement, ConfigWarning> {
        let entries = read(path).map_err(|why| {
            let text = format!("{}: {why}; no extension is on until that is corrected", path.display());
            ConfigWarning { subject: path.display().to_string(), text }
        })?;
        let rules = |entry: EnablementEntry| entry.overrides.iter().map(|text| EnablementRule::parse(text)).collect();
        let rules = entries.into_iter().map(|(name, entry)| (name, rules(entry))).collect();
        Ok(ExtensionEnablement { rules, unreadable: false })
    }

    /// Everything is off.
    pub(crate) fn all_disabled() -> ExtensionEnablement {
        ExtensionEnablement { rules: BTreeMap::new(), unreadable: true }
    }

    /// True if the person switched `extension` on in `folder`, false if off; `None` when they said nothing.
    pub(crate) fn is_enabled(&self, extension: &str, folder: &Path) -> Option<bool> {
        if self.unreadable {
            return Some(false);
        }
        let folder = slashed(&folder.display().to_string());
        self.rules.get(extension)?.iter().rev().find(|rule| rule.fits(&folder)).map(|rule| rule.on)
    }
}

/// Switch `extension` on or off in `folder` and everything in it, in the file `path`. An error is a sentence.
pub(crate) fn switch(path: &Path, extension: &str, folder: &Path, to: ExtensionSwitch) -> Result<(), String> {
    let said = |why: String| format!("{}: {why}", path.display());
    let mut entries = read(path).map_err(said)?;
    let new =
        EnablementRule { folder: slashed(&folder.display().to_string()), inside: true, on: to == ExtensionSwitch::On };
    let entry = entries.entry(extension.to_owned()).or_default();
    // What is said of the same folder, or of one in it, has been overtaken.
    entry.overrides.retain(|text| !EnablementRule::parse(text).folder.starts_with(&new.folder));
    entry.overrides.push(new.to_string());
    write(path, &entries).map_err(|error| said(error.to_string()))
}

fn read(path: &Path) -> Result<BTreeMap<String, EnablementEntry>, String> {
    match text_file::read(path)? {
        None => Ok(BTreeMap::new()),
        Some(text) if text.trim().is_empty() => Ok(BTreeMap::new()),
        Some(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
    }
}

/// Whole or not at all: half a file would be one that cannot be read.
fn write(path: &Path, entries: &BTreeMap<String, EnablementEntry>) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(format!("{:#}\n", serde_json::to_value(entries)?).as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

impl EnablementRule {
    fn parse(text: &str) -> EnablementRule {
        let (on, text) = match text.strip_prefix('!') {
            Some(rest) => (false, rest),
            None => (true, text),
        };
        let (inside, text) = match text.strip_suffix('*') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        EnablementRule { folder: slashed(text), inside, on }
    }

    fn fits(&self, folder: &str) -> bool {
        if self.inside { folder.starts_with(&self.folder) } else { folder == self.folder }
    }
}

impl std::fmt::Display for EnablementRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let EnablementRule { folder, inside, on } = self;
        write!(f, "{}{folder}{}", if *on { "" } else { "!" }, if *inside { "*" } else { "" })
    }
}

fn slashed(folder: &str) -> String {
    let inner = folder.trim_matches('/');
    if inner.is_empty() { "/".to_owned() } else { format!("/{inner}/") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn is_enabled_by(overrides: &[&str], folder: &str) -> Option<bool> {
        let rules = overrides.iter().map(|text| EnablementRule::parse(text)).collect();
        let enablement = ExtensionEnablement { rules: [("x".to_owned(), rules)].into(), unreadable: false };
        enablement.is_enabled("x", Path::new(folder))
    }

    #[test]
    fn the_last_folder_that_fits_counts() {
        let cases: [(&[&str], &str, Option<bool>); 8] = [
            (&[], "/a", None),
            (&["!/a/*"], "/a", Some(false)),
            (&["!/a/*"], "/a/b/c", Some(false)),
            (&["!/a/*"], "/ab", None),
            (&["!/a/"], "/a/b", None),
            (&["!/a/*", "/a/b/*"], "/a/b", Some(true)),
            (&["/a/b/*", "!/a/*"], "/a/b", Some(false)),
            (&["!*"], "/a", Some(false)),
        ];
        for (overrides, folder, wanted) in cases {
            assert_eq!(is_enabled_by(overrides, folder), wanted, "{overrides:?} {folder}");
        }
        assert_eq!(ExtensionEnablement::all_disabled().is_enabled("x", Path::new("/a")), Some(false));
    }

    #[test]
    fn a_change_overtakes_what_was_said_inside_and_keeps_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("extensions").join(FILE);
        switch(&file, "x", Path::new("/a/b"), ExtensionSwitch::Off).unwrap();
        switch(&file, "x", Path::new("/c"), ExtensionSwitch::Off).unwrap();
        switch(&file, "x", Path::new("/a"), ExtensionSwitch::On).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            serde_json::json!({"x": {"overrides": ["!/c/*", "/a/*"]}})
        );
        std::fs::write(&file, r#"{"x": {"overrides": [], "more": 1}, "y": {}}"#).unwrap();
        switch(&file, "x", Path::new("/"), ExtensionSwitch::Off).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&text).unwrap(),
            serde_json::json!({"x": {"overrides": ["!/*"], "more": 1}, "y": {"overrides": []}})
        );
    }

    #[test]
    fn a_file_that_cannot_be_read_is_neither_believed_nor_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(FILE);
        std::fs::write(&file, "{").unwrap();
        let told = ExtensionEnablement::load(&file).unwrap_err().text;
        assert!(told.contains(FILE) && told.contains("no extension is on until"), "{told}");
        assert!(switch(&file, "x", Path::new("/a"), ExtensionSwitch::On).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{");
    }
}
