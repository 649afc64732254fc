//! `@./other.md` in a memory file stands for that file's content.

use super::FILE_BYTES;
use pollux_tools::{KeptFiles, find_secret};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The deepest nesting of imports.
const MAX_DEPTH: usize = 5;

/// The content of `file` with its imports in place; `None` when it cannot be read. Nothing outside `boundary` is
/// reached, no file is imported within itself, has a protected name or is one of the `kept` ones, and code blocks are left alone.
pub(super) fn read_with_imports(file: &Path, boundary: &Path, kept: &KeptFiles) -> Option<String> {
    let mut reader = ImportReader { boundary: boundary.canonicalize().ok()?, kept, open: HashSet::new() };
    reader.expand(file, 0).map(cut)
}

struct ImportReader<'a> {
    boundary: PathBuf,
    kept: &'a KeptFiles,
    /// Files within which this one is imported.
    open: HashSet<PathBuf>,
}

impl ImportReader<'_> {
    /// The content of the file that `asked` leads to.
    fn expand(&mut self, asked: &Path, depth: usize) -> Option<String> {
        let file = asked.canonicalize().ok()?;
        if !file.starts_with(&self.boundary) || depth > MAX_DEPTH || self.open.contains(&file) {
            return None;
        }
        if self.kept.contains(asked) {
            return Some(format!("[{} is left out: an ignore file keeps it from you.]", file.display()));
        }
        if find_secret(&file).is_some() {
            return Some(format!(
                "[{} is left out: its name is protected. To see it, call read_file, and the person is asked.]",
                file.display()
            ));
        }
        self.open.insert(file.clone());
        let mut text = String::new();
        let mut in_code = false;
        for line in read(&file)?.lines() {
            in_code ^= line.trim_start().starts_with("```");
            let import = import_in(line).filter(|_| !in_code);
            match import.and_then(|name| self.expand(&file.parent()?.join(name), depth + 1)) {
                Some(content) => text.push_str(&content),
                // What cannot be imported stays visible as it was written.
                None => text.push_str(line),
            }
            text.push('\n');
            if text.len() > FILE_BYTES {
                break;
            }
        }
        self.open.remove(&file);
        Some(text)
    }
}

/// The path a line imports: the line is `@path` and nothing else.
fn import_in(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('@')?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

fn read(file: &Path) -> Option<String> {
    let bytes = pollux_files::read_beginning(file, FILE_BYTES as u64 + 1).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn cut(mut text: String) -> String {
    if text.len() > FILE_BYTES {
        let end = (0..=FILE_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n[The rest of this file is left out: it is too long.]");
    }
    text
}
