//! What `/permissions` says: what a person has allowed for the session, and by whom.

use crate::sanitize::one_line;
use pollux_session::{EntryAuthor, Grant, SessionView, client_name};

/// What is allowed for the rest of the session, each with the number that `/permissions drop` takes.
pub(crate) fn session_permission_lines(view: &SessionView) -> Vec<String> {
    let grants = &view.state().grants;
    if grants.is_empty() {
        return vec!["nothing was allowed for the rest of this session".to_owned()];
    }
    let line = |(at, (grant, by)): (usize, &(Grant, EntryAuthor))| {
        let whose = if by == view.reader() { "you".to_owned() } else { client_name(by, view.reader()) };
        // It quotes a command, so it is untrusted and never cut.
        format!("  {}. {} (by {whose})", at + 1, one_line(&grant.to_string(), usize::MAX))
    };
    let rows = grants.iter().enumerate().map(line);
    let heading = "allowed in this session, also when it is resumed:".to_owned();
    let hint = "/permissions drop NUMBER takes one back".to_owned();
    std::iter::once(heading).chain(rows).chain([hint]).collect()
}

/// The grant with this number, from 1, as the list shows it.
pub(crate) fn listed_grant(view: &SessionView, number: usize) -> Option<Grant> {
    let (grant, _) = view.state().grants.get(number.checked_sub(1)?)?;
    Some(grant.clone())
}

/// How many there are, for `/status`.
pub(crate) fn permission_count(view: &SessionView) -> String {
    match view.state().grants.len() {
        0 => "allowed in this session: nothing".to_owned(),
        count => format!("allowed in this session: {count} (/permissions lists them)"),
    }
}
