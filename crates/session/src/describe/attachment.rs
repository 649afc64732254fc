//! Sentences about files that were read for the model, and about those that were not.

use super::entry_context::{EventNote, NoteTone, NoteTopic};
use crate::attachment_names::{
    ENDED_ATTACHMENT, KEPT_ATTACHMENT, LOOP_ATTACHMENT, OPEN_WORK_ATTACHMENT, REFUSED_ATTACHMENT, RULES_ATTACHMENT,
    SHELL_ATTACHMENT, SITUATION_ATTACHMENT,
};
use crate::mention::find_mentions;
use crate::sanitize::one_line;

/// The agent's note on a mentioned file that is missing.
const MISSING: &str = " does not exist in the workspace";
/// What its notes on mentioned files say that are missing, or of which only a part was read.
const NOTED: [&str; 3] = [MISSING, ": only lines ", " was cut after "];

/// The sentence about something that was read. What the person knows gets none: output of their own command, where they
/// work, and what is open.
pub(super) fn describe_attachment(name: &str) -> Option<EventNote> {
    if name.starts_with(SHELL_ATTACHMENT) || [OPEN_WORK_ATTACHMENT, SITUATION_ATTACHMENT].contains(&name) {
        return None;
    }
    if let Some(commands) = name.strip_prefix(ENDED_ATTACHMENT) {
        let words = format!("what ran in the background ended when Pollux was restarted: {}", one_line(commands, 200));
        return Some(EventNote::info(NoteTopic::Context, words));
    }
    if let Some(tool) = name.strip_prefix(LOOP_ATTACHMENT) {
        let words = format!("the model was told that it makes the same calls over and over ({})", one_line(tool, 200));
        return Some(EventNote::info(NoteTopic::Context, words));
    }
    if let Some(media) = name.strip_prefix(REFUSED_ATTACHMENT) {
        let words = format!("the provider refused the request, so the model is not shown {}", one_line(media, 200));
        return Some(EventNote::new(NoteTopic::Context, NoteTone::Warn, words));
    }
    if let Some(file) = name.strip_prefix(RULES_ATTACHMENT) {
        return Some(EventNote::info(NoteTopic::Context, format!("rules were read: {}", one_line(file, 200))));
    }
    if let Some(calls) = name.strip_prefix(KEPT_ATTACHMENT) {
        let words = format!("the model is told what is still done: {}", one_line(calls, 200));
        return Some(EventNote::info(NoteTopic::Context, words));
    }
    let words = unread_words(name).unwrap_or_else(|| {
        let verb = if find_mentions(name).len() > 1 { "were" } else { "was" };
        format!("{} {verb} read", one_line(name, 200))
    });
    Some(EventNote::info(NoteTopic::Context, words))
}

/// The sentence about mentioned files of which some were not read. The log has `nothing (a.rs does not exist in the
/// workspace)`.
fn unread_words(attached: &str) -> Option<String> {
    let (read, why) = attached.strip_suffix(')')?.split_once(" (")?;
    if read.starts_with('@') && NOTED.iter().any(|note| why.contains(note)) {
        let read = read.trim_start_matches('@').replace(" @", ", ");
        let verb = if read.contains(", ") { "were" } else { "was" };
        let why = why.replace(MISSING, " is not in the workspace");
        return Some(format!("{} {verb} read; {}", one_line(&read, 200), one_line(&why, 200)));
    }
    if read != "nothing" {
        return None;
    }
    let missing = why.strip_suffix(MISSING).filter(|file| !file.contains("; "));
    Some(match missing {
        Some(file) => format!("@{} was not read: it does not exist in the workspace", one_line(file, 200)),
        None => format!("nothing was read: {}", one_line(why, 200)),
    })
}

#[cfg(test)]
mod tests {
    use super::{OPEN_WORK_ATTACHMENT, SITUATION_ATTACHMENT, describe_attachment, unread_words};
    use pretty_assertions::assert_eq;

    #[test]
    fn mentions_that_were_not_read_are_told_in_words() {
        let one = unread_words("nothing (nosuch.txt does not exist in the workspace)");
        assert_eq!(one.as_deref(), Some("@nosuch.txt was not read: it does not exist in the workspace"));
        let two = unread_words("nothing (a does not exist in the workspace; b does not exist in the workspace)");
        assert_eq!(
            two.as_deref(),
            Some("nothing was read: a does not exist in the workspace; b does not exist in the workspace")
        );
        assert_eq!(unread_words("@a.rs"), None);
        assert_eq!(unread_words("@a (1)"), None);
        let some = unread_words("@calc.py (nope.txt does not exist in the workspace)");
        assert_eq!(some.as_deref(), Some("calc.py was read; nope.txt is not in the workspace"));
        let part = unread_words("@huge.txt (huge.txt: only lines 1-2000 of 600000)");
        assert_eq!(part.as_deref(), Some("huge.txt was read; huge.txt: only lines 1-2000 of 600000"));
        let more = unread_words("@a @b (c does not exist in the workspace; d is too large)");
        assert_eq!(more.as_deref(), Some("a, b were read; c is not in the workspace; d is too large"));
    }

    #[test]
    fn what_a_command_printed_is_not_told_twice() {
        assert_eq!(describe_attachment("! ls"), None);
        assert_eq!(describe_attachment(SITUATION_ATTACHMENT), None);
        assert_eq!(describe_attachment(OPEN_WORK_ATTACHMENT), None);
        let ended = describe_attachment("& npm run dev, make watch").unwrap().text;
        assert_eq!(ended, "what ran in the background ended when Pollux was restarted: npm run dev, make watch");
        let looping = describe_attachment("~ read_file").unwrap().text;
        assert_eq!(looping, "the model was told that it makes the same calls over and over (read_file)");
        let kept = describe_attachment("< replace a.rs").unwrap().text;
        assert_eq!(kept, "the model is told what is still done: replace a.rs");
        assert_eq!(describe_attachment("@a.rs").map(|note| note.text).as_deref(), Some("@a.rs was read"));
        let two = describe_attachment("@a.rs @\"my notes.md\"").map(|note| note.text);
        assert_eq!(two.as_deref(), Some("@a.rs @\"my notes.md\" were read"));
        assert_eq!(
            describe_attachment("@\"my notes.md\"").map(|note| note.text).as_deref(),
            Some("@\"my notes.md\" was read")
        );
    }
}
