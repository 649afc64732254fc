//! The output of `/stats`: tokens and cost of the newest turn and of the session, and the session's tool calls.

use crate::draw_list::{DrawList, TextStyle};
use crate::sanitize::one_line;
use pollux_session::{ConversationStats, MARK_CHARS, ModelCallStats, plural};
use std::collections::BTreeMap;

/// The page for the newest turn and the whole session.
pub(crate) fn render_stats(turn: &ConversationStats, session: &ConversationStats) -> DrawList {
    let mut page = DrawList::default();
    for line in stats_lines(turn, session) {
        page.line(TextStyle::Plain, line);
    }
    page
}

/// The output, line by line.
pub(crate) fn stats_lines(turn: &ConversationStats, session: &ConversationStats) -> Vec<String> {
    let cut = if turn.is_cut { ", not counting the model call that was cancelled" } else { "" };
    let mut lines = vec![
        format!("newest turn: {}{cut}", describe_usage(&turn.total_model_calls())),
        format!("session: {}", describe_usage(&session.total_model_calls())),
    ];
    if session.models.len() > 1 {
        let each = session.models.iter();
        lines.extend(each.map(|(model, roles)| {
            format!("  {}: {}", one_line(model, MARK_CHARS), describe_usage(&total_calls(roles)))
        }));
    }
    let runs = session.total_tool_calls();
    let succeeded = runs.seen_to_succeed();
    let failed = runs.count - succeeded;
    lines.push(format!("tools: {}, {succeeded} succeeded, {failed} did not", count(runs.count, "call")));
    lines
}

fn total_calls<K>(roles: &BTreeMap<K, ModelCallStats>) -> ModelCallStats {
    roles.values().fold(ModelCallStats::default(), |mut sum, requests| {
        sum.add(requests);
        sum
    })
}

fn describe_usage(requests: &ModelCallStats) -> String {
    let tokens = &requests.tokens;
    let failed = match requests.failed() {
        0 => String::new(),
        failed => format!(" ({failed} failed)"),
    };
    let cost = match requests.cost() {
        Some(dollars) => format!(", ${dollars:.4}"),
        None if requests.unpriced > 0 => ", cost unknown".to_owned(),
        None => String::new(),
    };
    format!(
        "{}{failed}, {} sent ({} cached), {} received, {} for thoughts{cost}",
        count(requests.count, "model call"),
        count(tokens.prompt, "token"),
        tokens.cached,
        tokens.output,
        tokens.thoughts,
    )
}

fn count(number: u64, thing: &str) -> String {
    plural(usize::try_from(number).unwrap_or(usize::MAX), thing)
}

#[cfg(test)]
mod tests;
