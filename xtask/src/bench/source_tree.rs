//! A tree of many small source files, the same on every machine.

use anyhow::Result;
use std::fmt::Write;
use std::path::Path;

/// Files in one directory.
const IN_ONE: usize = 100;
/// One file in this many holds the word that is searched for.
pub(super) const RARE: usize = 1_000;
/// The pattern to search for.
pub(super) const PATTERN: &str = "needle_[0-9]+";
/// A name that one file in a hundred has.
pub(super) const GLOB: &str = "**/part_7*.md";

const WORDS: [&str; 16] = [
    "session", "entry", "let", "return", "match", "async", "value", "error", "config", "reader", "writer", "state",
    "channel", "buffer", "index", "result",
];

/// Plant `files` files below `root`.
pub(super) fn create_files(root: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        let directory =
            root.join(format!("crate_{:02}", number / IN_ONE % 40)).join(format!("module_{}", number / IN_ONE));
        if number.is_multiple_of(IN_ONE) {
            std::fs::create_dir_all(&directory)?;
        }
        let ending = ["rs", "ts", "md", "txt"][number % 4];
        let name = format!("part_{}.{ending}", number % IN_ONE);
        std::fs::write(directory.join(name), text(number))?;
    }
    Ok(())
}

/// About 1,600 bytes of words, other ones for every number.
pub(super) fn text(number: usize) -> String {
    let mut text = String::new();
    let mut dice = number as u64 + 1;
    for line in 0..30 {
        for _ in 0..8 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let _ = write!(text, "{} ", WORDS[(dice >> 60) as usize]);
        }
        if line == 20 && number.is_multiple_of(RARE) {
            let _ = write!(text, "needle_{number}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_in_a_thousand_has_the_needle() {
        assert!(text(0).contains("needle_0\n") && text(RARE).contains("needle_1000\n"));
        assert!(!text(1).contains("needle"));
        assert_eq!(text(5), text(5));
        assert_ne!(text(5), text(6));
    }
}
