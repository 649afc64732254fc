//! The README as a person follows it: its code blocks, read from the file itself so that it cannot drift.

use anyhow::{Context as _, Result, ensure};
use std::path::Path;

/// The port in every example. The tests put a free one in its place and change nothing else.
const PORT: &str = "41243";

/// A code block.
pub(crate) struct ReadmeBlock {
    /// The word behind its fence.
    pub(crate) language: String,
    pub(crate) text: String,
}

/// The code blocks of the README, in order.
pub(crate) fn blocks() -> Result<Vec<ReadmeBlock>> {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md"))?;
    let mut blocks = Vec::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(ReadmeBlock { language: language.to_owned(), text: inside.join("\n") });
        }
    }
    Ok(blocks)
}

/// The one command of the README that begins with `words`, on `port`.
pub(crate) fn command(words: &str, port: u16) -> Result<String> {
    let blocks = blocks()?;
    let shown = blocks.iter().filter(|block| block.language == "bash" && block.text.starts_with(words));
    // The shortest: others only add flags.
    let shown = shown.min_by_key(|block| block.text.len()).with_context(|| format!("no `{words}` in the README"))?;
    ensure!(shown.text.contains(PORT), "`{}` does not name port {PORT}", shown.text);
    Ok(shown.text.replace(PORT, &port.to_string()))
}

/// The one frame of the README that holds `member`, on one line as a person pastes it.
pub(crate) fn frame(member: &str) -> Result<String> {
    let blocks = blocks()?;
    let mut shown = blocks.iter().filter(|block| block.language == "json" && block.text.contains(member));
    let found = shown.next().with_context(|| format!("no frame with {member} in the README"))?;
    ensure!(shown.next().is_none(), "more than one frame with {member} in the README");
    Ok(found.text.lines().map(str::trim).collect())
}
