use crate::testing::{FakeSession, hello_change};
use pollux_session::*;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::collections::BTreeMap;

const USAGE: ModelUsage = ModelUsage { prompt: 100, cached: 40, output: 20, thoughts: 5 };

fn step(usage: ModelUsage, calls: Vec<NewCall>) -> Report {
    Report::StepDone { fragments: vec![], calls, finish: "STOP".into(), usage, citations: vec![], response: None }
}

fn fold(session: &FakeSession, prices: Option<PriceLookup>) -> ConversationStats {
    let mut tally = ConversationStats::new(prices);
    session.entries().iter().for_each(|entry| tally.apply(entry));
    tally
}

#[test]
fn requests_and_calls_are_counted() {
    let session = FakeSession::open();
    session.seat("me").prompts("go");
    session.advance_clock(10);
    session.thinks(Report::Retrying { reason: "503".into(), attempt: 2, wait_ms: 100 });
    session.advance_clock(130);
    let call = |tool: &str| NewCall { tool: tool.into(), args: json!({}), meta: json!(null) };
    session.thinks(step(USAGE, vec![call("write_file"), call("read_file")]));
    let calls: Vec<CallId> = session.state().turn.unwrap().calls.keys().copied().collect();
    let ask = Ask::new(AskDetails::Edit(hello_change()), vec![once_choice(), cancel_choice()]);
    session.vets(calls[0], ToolKind::Edit, PolicyVerdict::Ask(ask));
    session.vets(calls[1], ToolKind::Read, PolicyVerdict::allow("reading"));
    session.seat("me").answers(calls[0], "proceed_once").unwrap();
    session.runs(calls[0], Report::Starting);
    session.advance_clock(7);
    session.ends_call(
        calls[0],
        CallResult { display: Some(ResultDisplay::Diff(hello_change())), ..CallResult::default() },
    );
    let error = CallError { kind: "file_not_found".into(), message: "no".into() };
    session.runs(calls[1], Report::Done { outcome: CallOutcome::Failed { error, result: None } });
    session.advance_clock(50);
    session.thinks(step(USAGE, vec![]));
    session.seat("me").does("c", Command::Compact).unwrap();
    session.compacts(Report::Compacted { before: Seq(3), summary: "so far".into(), usage: USAGE });

    let tally = fold(&session, Some(PriceLookup::new(|model, usage| (model == "demo").then_some(usage.prompt as f64))));
    let answering = ModelCallStats {
        count: 3,
        errors: BTreeMap::from([("503".into(), 1)]),
        latency_ms: 10 + 30 + 50,
        tokens: ModelUsage { prompt: 200, cached: 80, output: 40, thoughts: 10 },
        dollars: 200.0,
        unpriced: 0,
    };
    let compacting = ModelCallStats { count: 1, tokens: USAGE, dollars: 100.0, ..ModelCallStats::default() };
    let roles = BTreeMap::from([(ModelCallPurpose::Answering, answering), (ModelCallPurpose::Compacting, compacting)]);
    assert_eq!(tally.models, BTreeMap::from([("demo".into(), roles)]));
    assert_eq!(tally.total_model_calls().cost(), Some(300.0));
    let wrote = ToolCallStats { count: 1, succeeded: 1, duration_ms: 7, accepted: 1, ..ToolCallStats::default() };
    let read = ToolCallStats { count: 1, unasked: 1, ..ToolCallStats::default() };
    assert_eq!(tally.tools, BTreeMap::from([("write_file".into(), wrote), ("read_file".into(), read)]));
    assert_eq!((tally.lines_added, tally.lines_removed), (1, 1));
}

#[test]
fn a_cost_is_known_whole_or_not_at_all() {
    let session = FakeSession::open();
    session.seat("me").prompts("go");
    session.thinks(step(USAGE, vec![]));
    assert_eq!(fold(&session, None).total_model_calls().cost(), None);
    session.seat("me").prompts("again");
    session.thinks(step(ModelUsage { prompt: 7, ..USAGE }, vec![]));
    let prices = PriceLookup::new(|_, usage| (usage.prompt > 10).then_some(1.0));
    let total = fold(&session, Some(prices)).total_model_calls();
    assert_eq!((total.dollars, total.unpriced, total.cost()), (1.0, 1, None));
}

#[test]
fn the_newest_turn_is_one_that_asked_a_model() {
    let session = FakeSession::open();
    session.seat("me").prompts("go");
    session.thinks(step(USAGE, vec![]));
    session.seat("me").prompts("/about");
    session.thinks(Report::Commanded { name: "about".into() });
    session.thinks(step(ModelUsage::default(), vec![]));
    let mut newest = TurnStats::new(None);
    session.entries().iter().for_each(|entry| newest.apply(entry));
    assert_eq!((newest.newest().total_model_calls().count, newest.newest().total_model_calls().tokens), (1, USAGE));
    assert_eq!(fold(&session, None).total_model_calls().tokens, USAGE, "a command costs nothing");
}

/// `!pwd` makes a call and tells the model what it printed, but not now.
#[test]
fn a_shell_command_of_the_persons_own_asks_no_model() {
    let session = FakeSession::open();
    session.seat("me").prompts("/shell pwd");
    session.thinks(Report::Commanded { name: "shell".into() });
    let call = NewCall { tool: "run_shell_command".into(), args: json!({"command": "pwd"}), meta: json!(null) };
    session.thinks(step(ModelUsage::default(), vec![call]));
    let call = *session.state().turn.unwrap().calls.keys().next().unwrap();
    session.vets(call, ToolKind::Execute, PolicyVerdict::allow("reading"));
    session.runs(call, Report::Starting);
    session.ends_call(call, CallResult::default());
    session.thinks(Report::Attached { name: "! pwd".into(), text: "/ws".into(), media: vec![], seen: Vec::new() });
    session.thinks(step(ModelUsage::default(), vec![]));
    let tally = fold(&session, None);
    assert_eq!((tally.total_model_calls().count, tally.total_tool_calls().count), (0, 1));
    assert!(tally.is_command_turn(), "so what is left of the context stays as it is");

    session.seat("me").prompts("/greet");
    session.thinks(Report::Commanded { name: "greet".into() });
    session.thinks(Report::Attached {
        name: "/greet".into(),
        text: "Say hello.".into(),
        media: vec![],
        seen: Vec::new(),
    });
    session.thinks(step(USAGE, vec![]));
    assert_eq!(fold(&session, None).total_model_calls().tokens, USAGE, "this one was handed to the model");
}

#[test]
fn a_failed_turn_is_a_failed_request() {
    let session = FakeSession::open();
    session.seat("me").prompts("go");
    session.advance_clock(5);
    session.thinks(Report::StepFailed { failure: TurnFailure { kind: "quota".into(), message: "no more".into() } });
    let failed = ModelCallStats {
        count: 1,
        errors: BTreeMap::from([("quota".into(), 1)]),
        latency_ms: 5,
        ..ModelCallStats::default()
    };
    assert_eq!(fold(&session, None).total_model_calls(), failed);
}

#[test]
fn a_cancelled_turn_is_the_newest_one_although_nobody_knows_what_it_took() {
    let session = FakeSession::open();
    session.seat("me").prompts("first");
    session.thinks(step(USAGE, vec![]));
    session.seat("me").prompts("second");
    session.seat("me").does("c", Command::Cancel { scope: CancelScope::Turn }).unwrap();
    session.seat("me").prompts("/stats");
    session.thinks(Report::Commanded { name: "stats".into() });
    let mut turns = TurnStats::new(None);
    session.entries().iter().for_each(|entry| turns.apply(entry));
    assert!(turns.newest().is_cut && turns.newest().models.is_empty());
}

#[test]
fn cancelling_a_tool_call_cuts_no_model_call_short() {
    let session = FakeSession::open();
    session.seat("me").prompts("run it");
    let call = session.calls(&[("run_shell_command", serde_json::json!({ "command": "sleep 30" }))])[0];
    session.vets(call, ToolKind::Execute, PolicyVerdict::allow("yes"));
    session.runs(call, Report::Starting);
    session.seat("me").does("c", Command::Cancel { scope: CancelScope::Turn }).unwrap();
    let mut turns = TurnStats::new(None);
    session.entries().iter().for_each(|entry| turns.apply(entry));
    assert!(!turns.newest().is_cut && turns.newest().total_model_calls().count == 1, "{turns:?}");
}
