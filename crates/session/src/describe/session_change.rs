//! Changes around the turns: settings, lasting grants, checkpoints, and the part of the conversation that the model
//! still sees.

use super::entry_context::{EventNote, NoteTone, NoteTopic};
use super::wording::{MARK_CHARS, format_tokens};
use crate::ask::{Grant, GrantScope};
use crate::built_in_tool::BuiltInTool;
use crate::call::CallState;
use crate::command::SessionSetting;
use crate::event::{ApprovalMode, ModelUsage, WorkspaceCheckpoint};
use crate::ids::Seq;
use crate::sanitize::one_line;
use crate::state::SessionState;

/// A changed setting. `by` says who did it, unless the reader did.
pub(super) fn describe_setting(state: &SessionState, setting: &SessionSetting, by: &str) -> EventNote {
    match setting {
        SessionSetting::Mode(mode) => describe_mode(*mode, by),
        SessionSetting::Model(model) => {
            let when = if state.turn.is_some() { ", from the next turn on" } else { "" };
            EventNote::info(NoteTopic::Settings, format!("model set{by}: {}{when}", one_line(model, MARK_CHARS)))
        }
        SessionSetting::EditsAsk => {
            let words = format!("file changes ask again{by}: what this session had allowed for them has ended");
            EventNote::info(NoteTopic::Grants, words)
        }
        SessionSetting::WithoutGrant(grant) => {
            let grant = one_line(&grant.to_string(), usize::MAX);
            EventNote::info(NoteTopic::Grants, format!("no longer allowed in this session{by}: {grant}"))
        }
    }
}

/// The mode, as it was set. A mode in which nothing asks is a warning.
pub(super) fn describe_mode(mode: ApprovalMode, by: &str) -> EventNote {
    let (tone, consequence) = match mode {
        ApprovalMode::Yolo => (NoteTone::Warn, " (nothing asks from now on)"),
        ApprovalMode::Default | ApprovalMode::AutoEdit | ApprovalMode::Plan => (NoteTone::Info, ""),
    };
    EventNote::new(NoteTopic::Settings, tone, format!("mode set{by}: {}{consequence}", mode.name()))
}

/// A grant that came with the opening of the session.
pub(super) fn describe_opening_grant(grant: &Grant, by: &str) -> EventNote {
    let (reach, grant) = (describe_reach(GrantScope::Session), one_line(&grant.to_string(), usize::MAX));
    EventNote::info(NoteTopic::Grants, format!("allowed {reach}{by}: {grant}"))
}

/// The result of keeping a grant. Its label quotes what it grants, so it is untrusted and never cut.
pub(super) fn describe_kept_grant(grant: &Grant, reach: GrantScope, failure: Option<&str>) -> EventNote {
    let grant = one_line(&grant.to_string(), usize::MAX);
    match failure {
        Some(failure) => {
            let why = one_line(failure, 1000);
            let words = format!("{grant} is allowed in this session only; it could not be kept: {why}");
            EventNote::new(NoteTopic::Grants, NoteTone::Warn, words)
        }
        None => EventNote::info(
            NoteTopic::Grants,
            format!("kept in your policy file: {grant} is allowed {}", describe_reach(reach)),
        ),
    }
}

/// The extent of a grant.
pub fn describe_reach(reach: GrantScope) -> &'static str {
    match reach {
        GrantScope::Session => "in this session",
        GrantScope::Workspace => "in this workspace from now on",
        GrantScope::Always => "everywhere from now on",
    }
}

/// A summary is wanted.
pub(super) fn describe_compact_request(state: &SessionState, by: &str) -> EventNote {
    let when = match state.turn {
        Some(_) => "it is made when this turn is over",
        None => "it is made now, and prompts wait until it is done",
    };
    EventNote::info(NoteTopic::Context, format!("summary of the conversation requested{by}: {when}"))
}

/// The heading of a summary.
pub(super) fn describe_summary(usage: &ModelUsage) -> EventNote {
    let size = match (usage.prompt, usage.output) {
        (0, _) => String::new(),
        (before, after) => format!(" ({} tokens became {})", format_tokens(before), format_tokens(after)),
    };
    EventNote::info(NoteTopic::Context, format!("for the model, the conversation so far is this summary{size}:"))
}

/// That there is a new summary, for those who are not shown it.
pub const UNSEEN_SUMMARY_SENTENCE: &str = "the model sees a summary of the older part of the conversation from now on";

/// The part of the conversation that the model no longer knows after it was taken back to `to`.
pub(super) fn describe_rewind(state: &SessionState, to: Seq) -> &'static str {
    match to {
        _ if undoes_restore(state) => "the model knows again what it knew before the restore",
        Seq::START => "the model no longer knows of the conversation so far",
        _ => "the model no longer knows of the newest part of the conversation",
    }
}

/// True if the running turn goes back to just before the conversation went back.
fn undoes_restore(state: &SessionState) -> bool {
    let Some(turn) = &state.turn else { return false };
    let named = |call: &CallState| Some(call.args.get("checkpoint")?.as_str()?.to_owned());
    let restores = turn.calls.values().filter(|call| call.tool == BuiltInTool::RestoreCheckpoint.name());
    restores
        .filter_map(named)
        .any(|name| state.checkpoints.iter().any(|kept| kept.checkpoint.name == name && kept.is_of_restore()))
}

/// The reason that there is no way back to before a call. That there is one is said once in a session, by [`describe_way_back`].
pub(super) fn describe_missing_checkpoint(checkpoint: &WorkspaceCheckpoint) -> Option<EventNote> {
    let why = checkpoint.saved.as_ref().err()?;
    let words = format!("no checkpoint {} was made: {why}", one_line(&checkpoint.name, MARK_CHARS));
    Some(EventNote::new(NoteTopic::Checkpoint, NoteTone::Warn, words))
}

/// The note at the end of the first turn that saved anything.
pub(crate) fn describe_way_back() -> EventNote {
    EventNote::info(NoteTopic::Checkpoint, "files were saved before each change: /restore goes back")
}
