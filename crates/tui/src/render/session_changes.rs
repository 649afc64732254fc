//! What changes around the turns: settings, lasting grants, and what the model still sees of the conversation.

use super::wording::{MARK_CHARS, plural};
use crate::draw_list::{DrawList, GUTTER, TextStyle};
use crate::sanitize::one_line;
use crate::seat_view::SeatView;
use pollux_session::{ApprovalMode, Grant, GrantScope, ModelUsage, SessionSetting};

/// How many lines of a summary are shown.
const SUMMARY_LINES: usize = 20;

/// A changed setting. `by` says who did it, unless it was done here.
pub(crate) fn describe_setting(view: &SeatView, setting: &SessionSetting, by: &str) -> String {
    match setting {
        SessionSetting::Mode(mode) => describe_mode(*mode, by),
        SessionSetting::Model(model) => {
            let when = if view.state.turn.is_some() { ", from the next turn on" } else { "" };
            format!("model set{by}: {}{when}", one_line(model, MARK_CHARS))
        }
    }
}

/// The mode, as it was set. `by` says who did it, unless it was done here.
pub(crate) fn describe_mode(mode: ApprovalMode, by: &str) -> String {
    let consequence = if mode == ApprovalMode::Yolo { " (nothing asks from now on)" } else { "" };
    format!("mode set{by}: {}{consequence}", mode.name())
}

/// What whoever opened the session allowed with it. `by` says who that was, unless it was done here.
pub(crate) fn describe_opening_grant(grant: &Grant, by: &str) -> String {
    format!("allowed {}{by}: {}", describe_reach(GrantScope::Session), one_line(&grant.to_string(), usize::MAX))
}

/// What came of keeping a grant. Its label quotes what it grants, so it is untrusted and never cut.
pub(crate) fn describe_kept_grant(grant: &Grant, reach: GrantScope, failure: Option<&str>) -> String {
    let grant = one_line(&grant.to_string(), usize::MAX);
    match failure {
        Some(failure) => {
            format!("{grant} is allowed in this session only; it could not be kept: {}", one_line(failure, 1000))
        }
        None => format!("kept in your policy file: {grant} is allowed {}", describe_reach(reach)),
    }
}

/// How far a grant goes.
pub(crate) fn describe_reach(reach: GrantScope) -> &'static str {
    match reach {
        GrantScope::Session => "in this session",
        GrantScope::Workspace => "in this workspace from now on",
        GrantScope::Always => "everywhere from now on",
    }
}

/// A summary is wanted. `by` says who wants it, unless it was wanted here.
pub(crate) fn describe_compact_request(view: &SeatView, by: &str) -> String {
    let when = match view.state.turn {
        Some(_) => "it is made when this turn is over",
        None => "it is made now, and prompts wait until it is done",
    };
    format!("summary of the conversation requested{by}: {when}")
}

pub(super) fn compacted(page: &mut DrawList, summary: &str, usage: &ModelUsage) {
    let sent = usage.prompt;
    page.line(
        TextStyle::Accent,
        format!("for the model, the conversation so far is this summary (made from {sent} tokens):"),
    );
    let lines: Vec<&str> = summary.trim().lines().collect();
    let shown = lines.len().min(SUMMARY_LINES);
    page.line_in(GUTTER, TextStyle::Dim, lines[..shown].join("\n"));
    if lines.len() > shown {
        page.line_in(GUTTER, TextStyle::Dim, format!("… {}", plural(lines.len() - shown, "more line")));
    }
    page.line(TextStyle::Dim, "/uncompress takes it back");
}
