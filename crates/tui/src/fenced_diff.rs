//! Differences of files inside a text, as code blocks of markdown with the language `diff`: a description of what a call
//! will do may hold them, and they are drawn as differences.

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DescriptionPart<'a> {
    /// Words.
    Words(&'a str),
    /// A unified diff.
    Diff(&'a str),
}

/// The parts of `text`, in order. A block that is never closed is words.
pub(crate) fn split_diffs(text: &str) -> Vec<DescriptionPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((words, diff, after)) = next_diff(rest) {
        parts.extend(Some(words).filter(|words| !words.is_empty()).map(DescriptionPart::Words));
        parts.push(DescriptionPart::Diff(diff));
        rest = after;
    }
    parts.extend(Some(rest).filter(|rest| !rest.is_empty()).map(DescriptionPart::Words));
    parts
}

/// The text before the first block, inside it and after it, without the line ends between them.
fn next_diff(text: &str) -> Option<(&str, &str, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let opening = line.trim_end();
        let fence =
            opening.strip_suffix("diff").filter(|fence| fence.len() >= 3 && fence.bytes().all(|byte| byte == b'`'));
        let inside = at + line.len();
        if let Some(fence) = fence
            && let Some((diff, after)) = until_fence(&text[inside..], fence)
        {
            return Some((text[..at].trim_end_matches('\n'), diff, after));
        }
        at = inside;
    }
    None
}

/// The text before a line that is just `fence`, and the text after it.
fn until_fence<'a>(text: &'a str, fence: &str) -> Option<(&'a str, &'a str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == fence {
            return Some((text[..at].trim_end_matches('\n'), &text[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::DescriptionPart::{Diff, Words};
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn blocks_are_found_between_words() {
        let text = "Go back.\n\na.txt:\n```diff\n--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n```\n\nb:\n````diff\n+```\n````";
        let expected =
            [Words("Go back.\n\na.txt:"), Diff("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y"), Words("\nb:"), Diff("+```")];
        assert_eq!(split_diffs(text), expected);
    }

    #[test]
    fn what_is_no_block_is_words() {
        for text in ["plain", "```diff\nnever closed", "``diff\n``", "say ```diff\n```", "```\ncode\n```"] {
            assert_eq!(split_diffs(text), [Words(text)], "{text}");
        }
        assert_eq!(split_diffs(""), []);
    }
}
