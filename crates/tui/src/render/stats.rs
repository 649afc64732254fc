//! What `/stats` says: tokens and cost of the newest turn and of the session, and the session's tool calls.

use super::name::{MARK_CHARS, plural};
use crate::page::{Page, Style};
use crate::sanitize::one_line;
use crate::tally::{Requests, Tally};
use std::collections::BTreeMap;

/// The page for the newest turn and the whole session.
pub(crate) fn stats(turn: &Tally, session: &Tally) -> Page {
    let mut page = Page::default();
    for line in stats_lines(turn, session) {
        page.line(Style::Plain, line);
    }
    page
}

/// What it says, line by line.
pub(crate) fn stats_lines(turn: &Tally, session: &Tally) -> Vec<String> {
    let mut lines =
        vec![format!("newest turn: {}", spent(&turn.total())), format!("session: {}", spent(&session.total()))];
    if session.models.len() > 1 {
        let each = session.models.iter();
        lines.extend(
            each.map(|(model, roles)| format!("  {}: {}", one_line(model, MARK_CHARS), spent(&together(roles)))),
        );
    }
    let runs = session.all_runs();
    let failed = runs.count - runs.succeeded;
    lines.push(format!("tools: {}, {} succeeded, {failed} did not", count(runs.count, "call"), runs.succeeded));
    lines
}

fn together<K>(roles: &BTreeMap<K, Requests>) -> Requests {
    roles.values().fold(Requests::default(), |mut sum, requests| {
        sum.add(requests);
        sum
    })
}

fn spent(requests: &Requests) -> String {
    let tokens = &requests.tokens;
    let failed = match requests.failed() {
        0 => String::new(),
        failed => format!(" ({failed} failed)"),
    };
    let cost = requests.cost().map(|dollars| format!(", ${dollars:.4}")).unwrap_or_default();
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
