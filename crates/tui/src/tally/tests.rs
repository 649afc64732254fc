use super::{Requests, Role, Runs, Tally, TurnTally};
use crate::prices::Prices;
use crate::testing::{Session, hello_change};
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::collections::BTreeMap;

const USAGE: Usage = Usage { prompt: 100, cached: 40, output: 20, thoughts: 5 };

fn step(usage: Usage, calls: Vec<NewCall>) -> Report {
    Report::StepDone { fragments: vec![], calls, finish: "STOP".into(), usage, citations: vec![], response: None }
}

fn fold(session: &Session, prices: Option<Prices>) -> Tally {
    let mut tally = Tally::new(prices);
    session.entries().iter().for_each(|entry| tally.apply(entry));
    tally
}

#[test]
fn requests_and_calls_are_counted() {
    let session = Session::open();
    session.seat("me").prompts("go");
    session.passes(10);
    session.thinks(Report::Retrying { reason: "503".into(), attempt: 2, wait_ms: 100 });
    session.passes(130);
    let call = |tool: &str| NewCall { tool: tool.into(), args: json!({}), meta: json!(null) };
    session.thinks(step(USAGE, vec![call("write_file"), call("read_file")]));
    let calls: Vec<CallId> = session.state().turn.unwrap().calls.keys().copied().collect();
    let ask = Ask::new(Details::Edit(hello_change()), vec![once_choice(), cancel_choice()]);
    session.vets(calls[0], ToolKind::Edit, Verdict::Ask(ask));
    session.vets(calls[1], ToolKind::Read, Verdict::allow("reading"));
    session.seat("me").answers(calls[0], "proceed_once").unwrap();
    session.runs(calls[0], Report::Starting);
    session.passes(7);
    session.done(calls[0], CallResult { display: Some(Display::Diff(hello_change())), ..CallResult::default() });
    let error = CallError { kind: "file_not_found".into(), message: "no".into() };
    session.runs(calls[1], Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    session.passes(50);
    session.thinks(step(USAGE, vec![]));
    session.seat("me").does("c", Command::Compact).unwrap();
    session.compacts(Report::Compacted { before: Seq(3), summary: "so far".into(), usage: USAGE });

    let tally = fold(&session, Some(Prices::new(|model, usage| (model == "demo").then_some(usage.prompt as f64))));
    let answering = Requests {
        count: 3,
        errors: BTreeMap::from([("503".into(), 1)]),
        latency_ms: 10 + 30 + 50,
        tokens: Usage { prompt: 200, cached: 80, output: 40, thoughts: 10 },
        dollars: 200.0,
        unpriced: 0,
    };
    let compacting = Requests { count: 1, tokens: USAGE, dollars: 100.0, ..Requests::default() };
    let roles = BTreeMap::from([(Role::Answering, answering), (Role::Compacting, compacting)]);
    assert_eq!(tally.models, BTreeMap::from([("demo".into(), roles)]));
    assert_eq!(tally.total().cost(), Some(300.0));
    let wrote = Runs { count: 1, succeeded: 1, duration_ms: 7, accepted: 1, ..Runs::default() };
    let read = Runs { count: 1, unasked: 1, ..Runs::default() };
    assert_eq!(tally.tools, BTreeMap::from([("write_file".into(), wrote), ("read_file".into(), read)]));
    assert_eq!((tally.lines_added, tally.lines_removed), (1, 1));
}

#[test]
fn a_cost_is_known_whole_or_not_at_all() {
    let session = Session::open();
    session.seat("me").prompts("go");
    session.thinks(step(USAGE, vec![]));
    assert_eq!(fold(&session, None).total().cost(), None);
    session.seat("me").prompts("again");
    session.thinks(step(Usage { prompt: 7, ..USAGE }, vec![]));
    let prices = Prices::new(|_, usage| (usage.prompt > 10).then_some(1.0));
    let total = fold(&session, Some(prices)).total();
    assert_eq!((total.dollars, total.unpriced, total.cost()), (1.0, 1, None));
}

#[test]
fn the_newest_turn_is_one_that_asked_a_model() {
    let session = Session::open();
    session.seat("me").prompts("go");
    session.thinks(step(USAGE, vec![]));
    session.seat("me").prompts("/about");
    session.thinks(Report::Commanded { name: "about".into() });
    session.thinks(step(Usage::default(), vec![]));
    let mut newest = TurnTally::new(None);
    session.entries().iter().for_each(|entry| newest.apply(entry));
    assert_eq!((newest.newest().total().count, newest.newest().total().tokens), (1, USAGE));
    assert_eq!(fold(&session, None).total().tokens, USAGE, "a command costs nothing");
}

#[test]
fn a_failed_turn_is_a_failed_request() {
    let session = Session::open();
    session.seat("me").prompts("go");
    session.passes(5);
    session.thinks(Report::StepFailed { failure: Failure { kind: "quota".into(), message: "no more".into() } });
    let failed =
        Requests { count: 1, errors: BTreeMap::from([("quota".into(), 1)]), latency_ms: 5, ..Requests::default() };
    assert_eq!(fold(&session, None).total(), failed);
}
