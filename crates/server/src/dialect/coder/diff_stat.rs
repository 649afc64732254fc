//! The size of a call's change to a file, and the part of it that was a person's doing.

use pollux_session::FileDiff;
use pollux_wire::coder::DiffStat;
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// After this long two texts are compared in larger pieces: nobody waits for a number.
const DIFF_TIMEOUT: Duration = Duration::from_millis(20);

/// Of a change, of which the model may have `wanted` another.
pub(super) fn measure_diff(change: &FileDiff, wanted: Option<&FileDiff>) -> DiffStat {
    let wanted = wanted.unwrap_or(change);
    let model = DiffSize::of_patch(&wanted.patch);
    let user = DiffSize::between(&wanted.new, &change.new);
    DiffStat {
        model_added_lines: model.added.lines,
        model_removed_lines: model.removed.lines,
        model_added_chars: model.added.chars,
        model_removed_chars: model.removed.chars,
        user_added_lines: user.added.lines,
        user_removed_lines: user.removed.lines,
        user_added_chars: user.added.chars,
        user_removed_chars: user.removed.chars,
    }
}

/// Lines and characters that are added and removed.
#[derive(Default)]
pub(super) struct DiffSize {
    pub(super) added: TextSize,
    pub(super) removed: TextSize,
}

#[derive(Default)]
pub(super) struct TextSize {
    pub(super) lines: usize,
    /// The characters in them, without line ends.
    chars: usize,
}

impl TextSize {
    fn add(&mut self, line: &str) {
        self.lines += 1;
        self.chars += line.trim_end_matches(['\r', '\n']).chars().count();
    }
}

impl DiffSize {
    /// The size of a unified diff.
    pub(super) fn of_patch(patch: &str) -> DiffSize {
        let mut difference = DiffSize::default();
        let head = if patch.starts_with("--- ") { 2 } else { 0 };
        for line in patch.lines().skip(head) {
            match line.split_at_checked(1) {
                Some(("+", line)) => difference.added.add(line),
                Some(("-", line)) => difference.removed.add(line),
                _ => {}
            }
        }
        difference
    }

    fn between(old: &str, new: &str) -> DiffSize {
        let mut difference = DiffSize::default();
        // Most of the time nobody edits.
        if old == new {
            return difference;
        }
        for change in TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old, new).iter_all_changes() {
            match change.tag() {
                ChangeTag::Equal => {}
                ChangeTag::Insert => difference.added.add(change.value()),
                ChangeTag::Delete => difference.removed.add(change.value()),
            }
        }
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn change(new: &str, patch: &str) -> FileDiff {
        FileDiff { name: String::new(), path: String::new(), old: None, new: new.into(), patch: patch.into() }
    }

    /// The model's lines and characters that come and go, then the person's.
    fn numbers(change: &FileDiff, wanted: Option<&FileDiff>) -> [usize; 8] {
        let stat = measure_diff(change, wanted);
        let model =
            [stat.model_added_lines, stat.model_removed_lines, stat.model_added_chars, stat.model_removed_chars];
        let user = [stat.user_added_lines, stat.user_removed_lines, stat.user_added_chars, stat.user_removed_chars];
        std::array::from_fn(|at| if at < 4 { model[at] } else { user[at - 4] })
    }

    #[test]
    fn what_the_model_changes_is_the_models() {
        let made = change("hello world\n", "--- a\n+++ a\n@@ -0,0 +1 @@\n+hello world\n");
        assert_eq!(numbers(&made, None), [1, 0, 11, 0, 0, 0, 0, 0]);
        let signs = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\r\n--- two\r\n+++ zwei\r\n+\n\\ No newline at end of file\n";
        let changed = change("", signs);
        assert_eq!(numbers(&changed, None), [2, 1, 7, 6, 0, 0, 0, 0]);
        assert_eq!(numbers(&changed, Some(&changed)), [2, 1, 7, 6, 0, 0, 0, 0]);
    }

    #[test]
    fn what_a_person_makes_of_it_is_theirs() {
        let wanted = change("hello world\n", "+hello world\n");
        assert_eq!(
            numbers(&change("edited by user\n", "+edited by user\n"), Some(&wanted)),
            [1, 0, 11, 0, 1, 1, 14, 11]
        );
    }
}
