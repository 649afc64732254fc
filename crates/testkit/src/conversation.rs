//! A scripted conversation: one file that a person reads from top to bottom. `crates/cli/tests/corpus/README.md` says
//! what its sections mean; here they are only taken apart and put together again.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A conversation as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedConversation {
    /// The file's name without its ending: `files-read-a-range`.
    pub name: String,
    /// Where it was read from.
    pub path: PathBuf,
    /// Its purpose, from the lines above the first section.
    pub about: String,
    sections: Vec<Section>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    title: String,
    body: String,
}

impl ScriptedConversation {
    /// Every conversation below `dir`, by name.
    pub fn all(dir: &Path) -> Result<Vec<ScriptedConversation>> {
        let listing = std::fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
        let mut paths = listing.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "conv"));
        paths.sort();
        paths.iter().map(|path| ScriptedConversation::load(path)).collect()
    }

    /// The conversation in one file.
    pub fn load(path: &Path) -> Result<ScriptedConversation> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (about, sections) = parse_sections(&text).with_context(|| name.clone())?;
        Ok(ScriptedConversation { name, path: path.to_owned(), about, sections })
    }

    /// Write it back to its file.
    pub fn save(&self) -> Result<()> {
        Ok(std::fs::write(&self.path, self.text())?)
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.about);
        for Section { title, body } in &self.sections {
            text.push_str(&format!("\n--- {title} ---\n{body}"));
        }
        text
    }

    /// The text under a title.
    pub fn section(&self, title: &str) -> Option<&str> {
        self.sections.iter().find(|section| section.title == title).map(|section| section.body.as_str())
    }

    /// The lines under a title that say something; comments begin with `#`.
    pub fn lines(&self, title: &str) -> Vec<&str> {
        let lines = self.section(title).unwrap_or_default().lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
    }

    /// The section as JSON, one value a line.
    pub fn values(&self, title: &str) -> Result<Vec<Value>> {
        let read = |line: &str| {
            serde_json::from_str(line).with_context(|| format!("{}: not JSON in section {title}: {line}", self.name))
        };
        self.lines(title).into_iter().map(read).collect()
    }

    /// The files whose sections are called `KIND PATH`, or `KIND PATH (json)` and `(hex)` for odd contents.
    pub fn files(&self, kind: &str) -> Result<BTreeMap<String, Vec<u8>>> {
        let mut files = BTreeMap::new();
        for Section { title, body } in &self.sections {
            let Some(path) = title.strip_prefix(kind).and_then(|rest| rest.strip_prefix(' ')) else { continue };
            let read = || read_file(path, body);
            let (path, bytes) = read().with_context(|| format!("{}: section {title}", self.name))?;
            files.insert(path, bytes);
        }
        Ok(files)
    }

    /// Put `body` under a title: where it was, or at the end. Nothing to say takes the section away.
    pub fn put(&mut self, title: &str, body: &str) {
        let known = self.sections.iter().position(|section| section.title == title);
        match (known, body.is_empty()) {
            (Some(at), true) => drop(self.sections.remove(at)),
            (Some(at), false) => body.clone_into(&mut self.sections[at].body),
            (None, true) => {}
            (None, false) => self.sections.push(Section { title: title.to_owned(), body: body.to_owned() }),
        }
    }

    /// Put files under `KIND PATH`, instead of all that were there.
    pub fn put_files(&mut self, kind: &str, files: &BTreeMap<String, Vec<u8>>) {
        let prefix = format!("{kind} ");
        self.sections.retain(|section| !section.title.starts_with(&prefix));
        for (path, bytes) in files {
            let (form, body) = render_file(bytes);
            self.sections.push(Section { title: format!("{kind} {path}{form}"), body });
        }
    }
}

fn parse_sections(text: &str) -> Result<(String, Vec<Section>)> {
    let mut about = String::new();
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("--- ").and_then(|rest| rest.strip_suffix(" ---")) {
            if sections.iter().any(|section| section.title == title) {
                bail!("two sections are called {title}");
            }
            sections.push(Section { title: title.to_owned(), body: String::new() });
            continue;
        }
        let body = sections.last_mut().map_or(&mut about, |section| &mut section.body);
        body.push_str(&format!("{line}\n"));
    }
    // The empty line that stands before the next title belongs to neither.
    for section in &mut sections {
        if section.body == "\n" || section.body.ends_with("\n\n") {
            section.body.pop();
        }
    }
    Ok((about.trim_end().to_owned(), sections))
}

fn read_file(title: &str, body: &str) -> Result<(String, Vec<u8>)> {
    if let Some(path) = title.strip_suffix(" (json)") {
        let text: String = serde_json::from_str(body.trim())?;
        return Ok((path.to_owned(), text.into_bytes()));
    }
    if let Some(path) = title.strip_suffix(" (hex)") {
        let digits: Vec<char> = body.chars().filter(|c| !c.is_whitespace()).collect();
        let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16);
        return Ok((path.to_owned(), digits.chunks(2).map(byte).collect::<Result<_, _>>()?));
    }
    Ok((title.to_owned(), body.as_bytes().to_vec()))
}

/// The form of a file's bytes in a section: the remark behind its path, and the body.
fn render_file(bytes: &[u8]) -> (&'static str, String) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let line = |row: &[u8]| row.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
        return (" (hex)", bytes.chunks(40).map(line).collect());
    };
    let plain = text.ends_with('\n') && !text.ends_with("\n\n") && !text.contains(['\r', '\u{1b}']);
    if plain && !text.lines().any(|line| line.starts_with("--- ")) {
        return ("", text.to_owned());
    }
    (" (json)", format!("{}\n", Value::from(text)))
}

#[cfg(test)]
mod tests;
