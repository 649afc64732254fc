//! Which of git's commands a line runs.

use super::ShellWord;

/// Git's own options whose value is the next word.
const VALUED: [&str; 7] = ["-C", "-c", "--attr-source", "--config-env", "--git-dir", "--namespace", "--work-tree"];

/// The word that names the command among `words`, which stand behind `git`. `None` when there is none.
pub(crate) fn find_git_command(words: &[ShellWord]) -> Option<&ShellWord> {
    let mut words = words.iter();
    loop {
        let word = words.next()?;
        match word.literal() {
            Some(option) if VALUED.contains(&option) => drop(words.next()),
            Some(option) if option.starts_with('-') => {}
            Some(_) | None => return Some(word),
        }
    }
}
