//! What calls have changed, in order. There is a bound: the oldest go first.

use pollux_session::FileDiff;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many bytes are kept.
const MAX_KEPT_BYTES: usize = 32 * 1024 * 1024;

/// The newest changes.
#[derive(Debug, Default)]
pub(super) struct FileChanges {
    kept: VecDeque<Arc<FileDiff>>,
    bytes: usize,
}

impl FileChanges {
    pub(super) fn add(&mut self, change: FileDiff) {
        self.bytes += weight(&change);
        self.kept.push_back(Arc::new(change));
        while self.bytes > MAX_KEPT_BYTES && self.kept.len() > 1 {
            self.bytes -= self.kept.pop_front().map_or(0, |oldest| weight(&oldest));
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<FileDiff>> {
        self.kept.iter().cloned().collect()
    }
}

fn weight(change: &FileDiff) -> usize {
    change.old.as_ref().map_or(0, String::len) + change.new.len() + change.patch.len() + change.name.len() + 64
}

#[cfg(test)]
mod tests {
    use super::{FileChanges, MAX_KEPT_BYTES};
    use crate::testing::hello_change;
    use pollux_session::FileDiff;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_oldest_go_when_there_is_too_much() {
        let mut changes = FileChanges::default();
        for number in 0..5 {
            let new = "x".repeat(MAX_KEPT_BYTES / 3);
            changes.add(FileDiff { name: number.to_string(), new, ..hello_change() });
        }
        let names: Vec<String> = changes.all().iter().map(|change| change.name.clone()).collect();
        assert_eq!(names, ["3", "4"]);
        changes.add(FileDiff { name: "huge".into(), new: "x".repeat(2 * MAX_KEPT_BYTES), ..hello_change() });
        assert_eq!(changes.all().len(), 1);
    }
}
