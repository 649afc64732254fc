//! Reports: what came of owed work. One for work that is no longer owed is dropped.

use super::{Draft, abandon, cut_item, end_all, is_overtaken_by_no};
use crate::ask::{Ask, AskDetails};
use crate::call::{CallError, CallOutcome, CallPhase, CallState, ToolKind};
use crate::command::SessionSetting;
use crate::event::{ApprovalMode, Event, TurnOutcome, WorkspaceCheckpoint};
use crate::ids::{CallId, ItemId, Seq};
use crate::next::{Effect, next};
use crate::refusal::Refusal;
use crate::report::{ModelFragment, NewCall, PolicyVerdict, Report};
use crate::state::{PendingGrant, SessionState, TurnState};

pub(super) fn decide(state: &SessionState, effect: Effect, report: &Report) -> Result<Vec<Event>, Refusal> {
    if !next(state).contains(&effect) {
        return Err(Refusal::NotOwed);
    }
    match (effect, &state.turn) {
        (Effect::Compact { .. }, _) => of_compacting(state, report),
        (Effect::Keep { answer }, _) => of_keeping(state, answer, report),
        (Effect::Think { .. } | Effect::Vet { .. } | Effect::Run { .. }, Some(turn)) => {
            of_turn(state, turn, effect, report)
        }
        (Effect::Think { .. } | Effect::Vet { .. } | Effect::Run { .. }, None) => Err(Refusal::NotOwed),
    }
}

fn of_turn(state: &SessionState, turn: &TurnState, effect: Effect, report: &Report) -> Result<Vec<Event>, Refusal> {
    match (effect, report) {
        (Effect::Think { .. }, report) => of_thinking(state, turn, report),
        (
            Effect::Vet { call, .. },
            Report::Vetted { verdict: PolicyVerdict::Ask(_) | PolicyVerdict::Fail { .. }, .. },
        ) if has_asked_before(turn, call) => Ok(supersede(turn, turn.calls.get(&call).ok_or(Refusal::NotOwed)?)),
        (Effect::Vet { call, revision, .. }, Report::Vetted { kind, verdict }) => {
            of_vetting(turn, call, revision, *kind, verdict).map(|event| vec![event])
        }
        (Effect::Run { call }, report) => of_running(state, turn, call, report),
        (Effect::Vet { .. } | Effect::Compact { .. } | Effect::Keep { .. }, _) => Err(Refusal::NotOwed),
    }
}

/// Whether a call is vetted that has asked already: a mode let it through, or a grant, and does not any more. It asks no second
/// time; another one does in its place.
fn has_asked_before(turn: &TurnState, call: CallId) -> bool {
    turn.calls.get(&call).is_some_and(|call| call.ask.is_some() && call.phase == CallPhase::Vetting)
}

/// The end of a call that is not what it was any more, and the one that stands for it.
fn supersede(turn: &TurnState, call: &CallState) -> Vec<Event> {
    let anew = Event::Called {
        tool: call.tool.clone(),
        args: call.args.clone(),
        meta: serde_json::Value::Null,
        replaces: Some(call.id),
        parent: call.parent,
    };
    // The new call comes first, so that the step always has an open call and does not end in between.
    let ends = end_all(turn, |open| open.id == call.id, &CallOutcome::Superseded);
    std::iter::once(anew).chain(ends).collect()
}

fn of_vetting(
    turn: &TurnState,
    call: CallId,
    revision: u64,
    kind: ToolKind,
    verdict: &PolicyVerdict,
) -> Result<Event, Refusal> {
    let known = turn.calls.get(&call).ok_or(Refusal::NotOwed)?;
    let is_asking = matches!(known.phase, CallPhase::Asking { .. });
    Ok(match verdict {
        PolicyVerdict::Ask(_) | PolicyVerdict::Fail { .. } if is_asking => Event::AskKept { call, revision },
        PolicyVerdict::Deny { why } => ended(call, CallOutcome::Denied { why: why.clone() }),
        // Whether it is told now, deferred or asked depends on what they turn out to be.
        PolicyVerdict::Ask(_) | PolicyVerdict::Fail { .. }
            if turn.calls_before(known).any(|other| other.phase == CallPhase::Vetting) =>
        {
            return Err(Refusal::NotYet);
        }
        PolicyVerdict::Fail { .. } if turn.may_change_before(known) => Event::Deferred { call },
        PolicyVerdict::Fail { outcome } => ended(call, outcome.clone()),
        PolicyVerdict::Allow { why, plan } => Event::Allowed { call, kind, why: why.clone(), plan: plan.clone() },
        PolicyVerdict::Ask(_) if is_overtaken_by_no(turn, known, kind) => ended(call, CallOutcome::Cancelled),
        // It was previewed on what the calls before it were going to make of the file.
        PolicyVerdict::Ask(Ask { details: AskDetails::Edit(_) | AskDetails::Patch { .. }, .. })
            if known.phase == CallPhase::Vetting && has_failed_before(turn, known) =>
        {
            Event::Deferred { call }
        }
        PolicyVerdict::Ask(_) if has_asked_enough(turn, call) => ended(call, too_many_asks()),
        PolicyVerdict::Ask(ask) => Event::Asked { call, kind, ask: ask.clone(), revision },
    })
}

/// Whether a call before this one in its answer has ended without having done its work. Nobody knows whether that was before
/// this one was previewed or after.
fn has_failed_before(turn: &TurnState, call: &CallState) -> bool {
    let has_failed = |other: &CallState| match other.phase {
        CallPhase::Ended(CallOutcome::Succeeded { .. } | CallOutcome::Superseded) => false,
        CallPhase::Ended(_) => true,
        CallPhase::Vetting | CallPhase::Deferred | CallPhase::Asking { .. } | CallPhase::Ready | CallPhase::Running => {
            false
        }
    };
    let mut before = turn.calls.values().filter(|other| other.parent.is_none() && other.place < call.place);
    call.parent.is_none() && before.any(has_failed)
}

/// How many calls of one step may ask.
const ASK_LIMIT: usize = 50;

/// Whether no further call of the step may ask: nobody reads more than so many dialogs with care. A call that works long
/// and makes calls of its own, a sub-agent's, may have so many open at a time.
fn has_asked_enough(turn: &TurnState, call: CallId) -> bool {
    let parent = turn.calls.get(&call).and_then(|call| call.parent);
    let counts = |other: &&CallState| {
        let is_open = matches!(other.phase, CallPhase::Asking { .. });
        // The call that stands for a superseded one asks in its place.
        let has_asked = other.ask.is_some() && other.phase != CallPhase::Ended(CallOutcome::Superseded);
        other.parent == parent && if parent.is_some() { is_open } else { has_asked }
    };
    turn.calls.values().filter(counts).count() >= ASK_LIMIT
}

fn too_many_asks() -> CallOutcome {
    let message = format!(
        "the call was not made: {ASK_LIMIT} calls of this step ask for approval already, and no more may; wait for the \
         answers, then make the rest in smaller steps"
    );
    CallOutcome::Failed { error: CallError { kind: "too_many_asks".into(), message }, result: None }
}

fn of_thinking(state: &SessionState, turn: &TurnState, report: &Report) -> Result<Vec<Event>, Refusal> {
    let mut draft = Draft::new(state);
    match report {
        Report::Attached { name, text, media, seen } => {
            let (name, text, media, seen) = (name.clone(), text.clone(), media.clone(), seen.clone());
            draft.push(Event::Attached { name, text, media, seen });
        }
        Report::Said { fragments, response } => {
            say(&mut draft, turn, fragments, response.as_ref());
        }
        Report::Retrying { reason, attempt, wait_ms } => {
            draft.events.extend(cut_item(turn));
            draft.push(Event::Retrying { reason: reason.clone(), attempt: *attempt, wait_ms: *wait_ms });
        }
        Report::FellBack { from, to, why } => {
            draft.events.extend(cut_item(turn));
            draft.push(Event::FellBack { from: from.clone(), to: to.clone(), why: why.clone() });
        }
        Report::StepDone { fragments, calls, finish, usage, citations, response } => {
            if let Some((item, len)) = say(&mut draft, turn, fragments, response.as_ref()) {
                draft.end_item(item, len, serde_json::Value::Null);
            }
            let (finish, citations, response) = (finish.clone(), citations.clone(), response.clone());
            draft.push(Event::StepEnded { finish, usage: *usage, citations, response });
            draft.events.extend(calls.iter().map(|call| called(call, None)));
        }
        Report::StepFailed { failure } => {
            draft.events.extend(abandon(turn));
            draft.push(Event::TurnEnded { outcome: TurnOutcome::Failed { failure: failure.clone() } });
        }
        Report::Compacted { .. } | Report::NotCompacted { .. } => return of_compacting(state, report),
        Report::Commanded { name } if turn.step == 1 && turn.command.is_none() => {
            draft.push(Event::Commanded { name: name.clone() });
        }
        // Whoever may prompt may run a command; the mode takes the right to approve.
        Report::Set { setting: setting @ SessionSetting::Model(_) } if turn.command.is_some() => {
            draft.push(Event::Set { setting: setting.clone() });
        }
        Report::Rewound { to } if turn.command.is_some() => return rewound(state, *to),
        Report::Commanded { .. }
        | Report::Rewound { .. }
        | Report::Checkpointed { .. }
        | Report::Vetted { .. }
        | Report::Starting
        | Report::Output { .. }
        | Report::Calls { .. }
        | Report::Withdrawn { .. }
        | Report::Spent { .. }
        | Report::Done { .. }
        | Report::Stale
        | Report::Set { .. }
        | Report::Kept { .. } => return Err(Refusal::NotOwed),
    }
    Ok(draft.events)
}

/// Append fragments to the open item or open new ones. Returns the item that is open afterwards and its length.
fn say(
    draft: &mut Draft<'_>,
    turn: &TurnState,
    fragments: &[ModelFragment],
    response: Option<&String>,
) -> Option<(ItemId, u64)> {
    let mut open = turn.item;
    for ModelFragment { kind, text, end } in fragments {
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
                let seq = draft.push(Event::Said { kind: *kind, text: text.clone(), response: response.cloned() });
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

fn of_running(state: &SessionState, turn: &TurnState, call: CallId, report: &Report) -> Result<Vec<Event>, Refusal> {
    let known = turn.calls.get(&call).ok_or(Refusal::NotOwed)?;
    let running = known.phase == CallPhase::Running;
    match report {
        Report::Starting if !running => Ok(vec![Event::CallStarted { call }]),
        Report::Checkpointed { name, saved, files } if !running => {
            let (name, saved) = (name.clone(), saved.clone());
            // Older releases know the one file.
            let (file, files) = match files.as_slice() {
                [only] => (Some(only.clone()), Vec::new()),
                several => (None, several.to_vec()),
            };
            Ok(vec![Event::Checkpointed(WorkspaceCheckpoint { call, name, saved, file, files })])
        }
        Report::Rewound { to } if running => rewound(state, *to),
        Report::Output { text, skipped } if running => {
            let offset = turn.printed.get(&call).copied().unwrap_or(0) + skipped;
            Ok(vec![Event::Output { call, offset, text: text.clone() }])
        }
        // A tool may narrow the mode, or widen it as an answer says; that nothing asks any more only a person decides.
        Report::Set { setting } if running && *setting != SessionSetting::Mode(ApprovalMode::Yolo) => {
            Ok(super::command::set(state, setting))
        }
        Report::Calls { call: wanted } if running => Ok(vec![called(wanted, Some(call))]),
        Report::Withdrawn { call: child } if running => {
            let is_meant = |open: &CallState| open.id == *child && open.parent == Some(call);
            Ok(end_all(turn, is_meant, &CallOutcome::Cancelled))
        }
        Report::Spent { model, usage } if running => {
            Ok(vec![Event::Spent { call, model: model.clone(), usage: *usage }])
        }
        Report::Done { outcome } => Ok(end_all(turn, |open| open.id == call, outcome)),
        Report::Stale => Ok(supersede(turn, known)),
        _ => Err(Refusal::NotOwed),
    }
}

fn rewound(state: &SessionState, to: Seq) -> Result<Vec<Event>, Refusal> {
    if to <= state.head { Ok(vec![Event::Rewound { to }]) } else { Err(Refusal::NotOwed) }
}

fn of_compacting(state: &SessionState, report: &Report) -> Result<Vec<Event>, Refusal> {
    match report {
        Report::Compacted { before, summary, usage } if *before <= state.head => {
            Ok(vec![Event::Compacted { before: *before, summary: summary.clone(), usage: *usage }])
        }
        Report::NotCompacted { why } => Ok(vec![Event::NotCompacted { why: why.clone() }]),
        _ => Err(Refusal::NotOwed),
    }
}

fn of_keeping(state: &SessionState, answer: Seq, report: &Report) -> Result<Vec<Event>, Refusal> {
    let keeping = state.keeping.iter().find(|keeping| keeping.answer == answer).ok_or(Refusal::NotOwed)?;
    match report {
        Report::Kept { failure } => {
            let PendingGrant { grant, reach, .. } = keeping.clone();
            Ok(vec![Event::Kept { grant, reach, failure: failure.clone() }])
        }
        _ => Err(Refusal::NotOwed),
    }
}

fn called(NewCall { tool, args, meta }: &NewCall, parent: Option<CallId>) -> Event {
    Event::Called { tool: tool.clone(), args: args.clone(), meta: meta.clone(), replaces: None, parent }
}

fn ended(call: CallId, outcome: CallOutcome) -> Event {
    Event::CallEnded { call, outcome }
}
