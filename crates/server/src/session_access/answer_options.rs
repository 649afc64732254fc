//! Outcomes of Google's clients that an ask does not offer under that name.

use crate::errors::RequestError;
use pollux_session::{Ask, CallId, Command, Event, Grant, GrantScope, Seat};

/// The most entries that are read at once.
const PAGE: usize = 256;

/// `command`, with an outcome that means exactly one of the options offered replaced by that option. Any other stays as
/// it is: the session says what it offers.
pub(super) async fn replace_outcome(seat: &dyn Seat, command: Command) -> Result<Command, RequestError> {
    let Command::Answer { call, option, edit } = command else { return Ok(command) };
    let meant = match outcome_grant(&option) {
        Some(covers) => find_ask(seat, call).await?.and_then(|ask| matching_option(&ask, &option, covers)),
        None => None,
    };
    Ok(Command::Answer { call, option: meant.unwrap_or(option), edit })
}

/// The test of the grant for the session that an outcome asks for by its name alone.
fn outcome_grant(outcome: &str) -> Option<fn(&Grant) -> bool> {
    match outcome {
        "proceed_always_tool" => {
            Some(|grant| matches!(grant, Grant::Tool { .. } | Grant::McpTool { .. } | Grant::Agent { .. }))
        }
        "proceed_always_server" => Some(|grant| matches!(grant, Grant::Server { .. } | Grant::McpServer { .. })),
        _ => None,
    }
}

/// The only option that grants just that.
fn matching_option(ask: &Ask, outcome: &str, covers: fn(&Grant) -> bool) -> Option<String> {
    if ask.options.iter().any(|choice| choice.id == outcome) {
        return None;
    }
    let mut fitting = ask.options.iter().filter(|choice| {
        choice.allows && choice.reach == GrantScope::Session && choice.grant.as_ref().is_some_and(covers)
    });
    let only = fitting.next()?;
    fitting.next().is_none().then(|| only.id.clone())
}

/// The ask of a call, read from the log: a retry finds it long after it was answered.
async fn find_ask(seat: &dyn Seat, call: CallId) -> Result<Option<Ask>, RequestError> {
    let mut after = call.0;
    loop {
        let page = seat.read(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(None) };
        after = last.seq;
        for entry in &page {
            if let Event::Asked { call: asking, ask, .. } = &entry.event
                && *asking == call
            {
                return Ok(Some(ask.clone()));
            }
            // A call asks within its step or never.
            if let Event::StepEnded { .. } | Event::TurnEnded { .. } = &entry.event {
                return Ok(None);
            }
        }
    }
}
