//! Reports: what came of owed work. One for work that is no longer owed is dropped.

use super::{Draft, abandon, cut_item};
use crate::call::{CallOutcome, CallPhase};
use crate::event::{Event, TurnOutcome};
use crate::ids::{CallId, ItemId};
use crate::next::{Effect, next};
use crate::refusal::Refusal;
use crate::report::{Fragment, NewCall, Report, Verdict};
use crate::state::{State, Turn};

pub(super) fn decide(state: &State, effect: Effect, report: &Report) -> Result<Vec<Event>, Refusal> {
    let turn = state.turn.as_ref().filter(|_| next(state).contains(&effect)).ok_or(Refusal::NotOwed)?;
    match (effect, report) {
        (Effect::Think { .. }, report) => of_thinking(state, turn, report),
        (Effect::Vet { call, revision }, Report::Vetted { kind, verdict }) => {
            let asked_before = turn.calls.get(&call).is_some_and(|known| known.ask.is_some());
            Ok(vec![match verdict {
                Verdict::Allow { why } => Event::Allowed { call, kind: *kind, why: why.clone() },
                Verdict::Ask(_) | Verdict::Fail { .. } if asked_before => Event::AskKept { call, revision },
                Verdict::Ask(ask) => Event::Asked { call, kind: *kind, ask: ask.clone(), revision },
                Verdict::Deny { why } => ended(call, CallOutcome::Denied { why: why.clone() }),
                Verdict::Fail { outcome } => ended(call, outcome.clone()),
            }])
        }
        (Effect::Run { call }, report) => of_running(turn, call, report),
        (Effect::Vet { .. }, _) => Err(Refusal::NotOwed),
    }
}

fn of_thinking(state: &State, turn: &Turn, report: &Report) -> Result<Vec<Event>, Refusal> {
    let mut draft = Draft::new(state);
    match report {
        Report::Said { fragments } => {
            say(&mut draft, turn, fragments);
        }
        Report::Retrying { reason, attempt, wait_ms } => {
            draft.events.extend(cut_item(turn));
            draft.push(Event::Retrying { reason: reason.clone(), attempt: *attempt, wait_ms: *wait_ms });
        }
        Report::StepDone { fragments, calls, finish, usage, citations } => {
            if let Some((item, len)) = say(&mut draft, turn, fragments) {
                draft.end_item(item, len, serde_json::Value::Null);
            }
            draft.push(Event::StepEnded { finish: finish.clone(), usage: *usage, citations: citations.clone() });
            for NewCall { tool, args, meta } in calls {
                draft.push(Event::Called {
                    tool: tool.clone(),
                    args: args.clone(),
                    meta: meta.clone(),
                    replaces: None,
                });
            }
        }
        Report::StepFailed { failure } => {
            draft.events.extend(abandon(turn));
            draft.push(Event::TurnEnded { outcome: TurnOutcome::Failed { failure: failure.clone() } });
        }
        Report::Vetted { .. } | Report::Starting | Report::Output { .. } | Report::Done { .. } | Report::Stale => {
            return Err(Refusal::NotOwed);
        }
    }
    Ok(draft.events)
}

/// Append fragments to the open item or open new ones. Returns the item that is open afterwards and its length.
fn say(draft: &mut Draft<'_>, turn: &Turn, fragments: &[Fragment]) -> Option<(ItemId, u64)> {
    let mut open = turn.item;
    for Fragment { kind, text, end } in fragments {
        let (item, len) = match open {
            Some((item, open_kind, len)) if open_kind == *kind => {
                if !text.is_empty() {
                    draft.push(Event::Piece { item, offset: len, text: text.clone() });
                }
                (item, len + text.len() as u64)
            }
            other => {
                if let Some((item, _, len)) = other {
                    draft.end_item(item, len, serde_json::Value::Null);
                }
                let seq = draft.push(Event::Said { kind: *kind, text: text.clone() });
                (ItemId(seq), text.len() as u64)
            }
        };
        open = Some((item, *kind, len));
        if let Some(meta) = end {
            draft.end_item(item, len, meta.clone());
            open = None;
        }
    }
    open.map(|(item, _, len)| (item, len))
}

fn of_running(turn: &Turn, call: CallId, report: &Report) -> Result<Vec<Event>, Refusal> {
    let known = turn.calls.get(&call).ok_or(Refusal::NotOwed)?;
    let running = known.phase == CallPhase::Running;
    match report {
        Report::Starting if !running => Ok(vec![Event::CallStarted { call }]),
        Report::Output { text, skipped } if running => {
            let offset = turn.printed.get(&call).copied().unwrap_or(0) + skipped;
            Ok(vec![Event::Output { call, offset, text: text.clone() }])
        }
        Report::Done { outcome } => Ok(vec![ended(call, outcome.clone())]),
        Report::Stale => {
            let anew = Event::Called {
                tool: known.tool.clone(),
                args: known.args.clone(),
                meta: serde_json::Value::Null,
                replaces: Some(call),
            };
            // The new call comes first, so that the step always has an open call and does not end in between.
            Ok(vec![anew, ended(call, CallOutcome::Superseded)])
        }
        _ => Err(Refusal::NotOwed),
    }
}

fn ended(call: CallId, outcome: CallOutcome) -> Event {
    Event::CallEnded { call, outcome }
}
