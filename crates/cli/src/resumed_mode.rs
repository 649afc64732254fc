//! The approval mode of a session that goes on: a flag's, else the one it was left in, but never a freer one than this
//! start has. Nothing runs unasked because somebody said so in an earlier start.

use crate::config::{Config, SettingOrigin};
use pollux_session::{ApprovalMode, SessionId, SessionState};
use pollux_store::{SessionStore, StoreError};

/// The most entries that are read at once.
const BATCH: usize = 256;
const MODE_KEY: &str = "general.defaultApprovalMode";

/// The mode that a resumed session goes on in, and a sentence if that is not the one it was left in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResumedMode {
    pub(crate) mode: ApprovalMode,
    pub(crate) note: Option<String>,
}

impl ResumedMode {
    /// By the settings of this start and the mode that the session was left in.
    pub(crate) fn choose(config: &Config, left_in: ApprovalMode) -> ResumedMode {
        let is_flag = matches!(config.origin(MODE_KEY), SettingOrigin::Flag(_));
        ResumedMode::between(left_in, config.preferences.mode, is_flag)
    }

    fn between(left_in: ApprovalMode, of_this_start: ApprovalMode, is_flag: bool) -> ResumedMode {
        if is_flag || freedom(left_in) == freedom(of_this_start) {
            return ResumedMode { mode: of_this_start, note: None };
        }
        if freedom(left_in) < freedom(of_this_start) {
            return ResumedMode { mode: left_in, note: None };
        }
        let (left, now) = (left_in.name(), of_this_start.name());
        let note = format!(
            "This session was left in {left} mode and resumes in {now} mode. To go back: /mode {left}, or start with \
             --approval-mode {left}."
        );
        ResumedMode { mode: of_this_start, note: Some(note) }
    }
}

/// The more a mode lets run unasked, the higher.
fn freedom(mode: ApprovalMode) -> u8 {
    match mode {
        ApprovalMode::Plan => 0,
        ApprovalMode::Default => 1,
        ApprovalMode::AutoEdit => 2,
        ApprovalMode::Yolo => 3,
    }
}

/// The state that a session was left in, read before anything wakes it.
pub(crate) async fn read_state(store: &SessionStore, session: SessionId) -> Result<SessionState, StoreError> {
    let mut state = SessionState::default();
    loop {
        let page = store.log.read(session, state.head, BATCH).await?;
        if page.is_empty() {
            return Ok(state);
        }
        for entry in page {
            state.apply(&entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_stricter_mode_holds_unless_a_flag_names_one() {
        use ApprovalMode::{AutoEdit, Default, Plan, Yolo};
        for (left_in, of_this_start, is_flag, expected) in [
            (Plan, Default, false, Plan),
            (Plan, Yolo, false, Plan),
            (Plan, AutoEdit, true, AutoEdit),
            (Yolo, Default, false, Default),
            (Yolo, Yolo, false, Yolo),
            (AutoEdit, Plan, false, Plan),
            (Default, AutoEdit, false, Default),
        ] {
            let resumed = ResumedMode::between(left_in, of_this_start, is_flag);
            assert_eq!(resumed.mode, expected, "{left_in:?}, {of_this_start:?}, {is_flag}");
            let is_dropped = !is_flag && freedom(left_in) > freedom(expected);
            assert_eq!(resumed.note.is_some(), is_dropped, "{left_in:?}, {of_this_start:?}, {is_flag}");
        }
    }
}
