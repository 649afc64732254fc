//! A prompt's life: accepted, waiting, answered; and what the model streams meanwhile.

use crate::harness::{SessionHarness, equipment, fragment, task};
use expect_test::expect;
use pollux_session::{
    ApprovalMode, Command, CommandEnvelope, CommandFingerprint, CommandId, CommandReceipt, Effect, ItemKind,
    PromptStatus, PromptTarget, Refusal, Report, RuntimeDescription, Seq, SessionOverrides, StepLimit, TaskKind,
    TaskStatus, TurnOutcome, UnixMillis,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[test]
fn one_prompt_to_rest() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "hello");
    let prompt = harness.prompt_id("hello");
    assert_eq!(harness.state.standing(prompt), PromptStatus::Busy);
    harness.text("Hi");
    harness.text(" there");
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "hello"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent says "Hi"
         6 agent item-5 at 2 " there"
         7 agent item-5 ends at 8
         8 agent step ends STOP
         9 agent turn rests
        owed: nothing
    "#]]);
    assert_eq!(harness.state.standing(prompt), PromptStatus::Over);
    assert_eq!(harness.state.task_status(task(0)), Some(TaskStatus::Resting(TurnOutcome::Rested)));
}

#[test]
fn a_thought_then_text_are_two_items() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "why");
    harness.thought("**Plan**");
    harness.thought(" look");
    harness.said(vec![
        fragment(ItemKind::Thought, " twice", None),
        fragment(ItemKind::Text, "Because", None),
        fragment(ItemKind::Text, ".", Some(json!({"signature": "s"}))),
        fragment(ItemKind::Text, "Also", None),
    ]);
    harness.step_saying(vec![fragment(ItemKind::Text, " so.", None)], &[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "why"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent thinks "**Plan**"
         6 agent item-5 at 8 " look"
         7 agent item-5 at 13 " twice"
         8 agent item-5 ends at 19
         9 agent says "Because"
        10 agent item-9 at 7 "."
        11 agent item-9 ends at 8 with {"signature":"s"}
        12 agent says "Also"
        13 agent item-12 at 4 " so."
        14 agent item-12 ends at 8
        15 agent step ends STOP
        16 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn an_empty_piece_adds_nothing_but_may_end_an_item() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "why");
    harness.text("Since");
    harness.said(vec![]);
    harness.said(vec![fragment(ItemKind::Text, "", None)]);
    harness.said(vec![fragment(ItemKind::Text, "", Some(json!("sig")))]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "why"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent says "Since"
         6 agent item-5 ends at 5 with "sig"
        owed: think 1
    "#]]);
}

#[test]
fn the_mode_given_at_opening_is_the_turns_mode() {
    let mut harness = SessionHarness::opened_with(SessionOverrides {
        mode: Some(ApprovalMode::Yolo),
        model: None,
        ..SessionOverrides::default()
    });
    harness.prompt("ann", "go");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "go"
         4 agent turn starts on prompt-3 with model-1, yolo
        owed: think 1
    "#]]);
}

#[test]
fn a_model_failure_fails_the_turn_and_the_queue_goes_on() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("bob", "two");
    harness.text("half");
    harness.fail("model_refused");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   prompted main (OpenEnded) "two"
         6 agent says "half"
         7 agent item-6 cut at 4
         8 agent turn failed: model_refused
         9 agent turn starts on prompt-5 with model-1, default
        owed: think 1
    "#]]);
    assert_eq!(harness.transcript.last_failure().map(|failure| failure.kind.as_str()), Some("model_refused"));
    harness.step(&[]);
    assert_eq!(harness.transcript.last_failure(), None);
}

#[test]
fn retrying_cuts_the_item_and_repeats_nothing() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.retrying(2);
    harness.text("half");
    harness.retrying(3);
    harness.text("whole");
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent retries "overloaded", attempt 2 in 500
         6 agent says "half"
         7 agent item-6 cut at 4
         8 agent retries "overloaded", attempt 3 in 500
         9 agent says "whole"
        10 agent item-9 ends at 5
        11 agent step ends STOP
        12 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_turn_stops_after_a_hundred_model_calls() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "loop");
    for _ in 0..100 {
        harness.step(&["read a"]);
        assert!(harness.state.turn.is_some());
        harness.deny("read a");
    }
    assert_eq!(harness.state.turn, None);
    let failure = harness.transcript.last_failure().unwrap();
    assert_eq!(
        (failure.kind.as_str(), failure.message.as_str()),
        ("step_limit", "stopped after 100 model calls in one turn; say \"go on\" to continue")
    );
}

#[test]
fn the_number_of_model_calls_is_the_equipments() {
    let mut harness = SessionHarness::new();
    harness.wake_with(RuntimeDescription { step_limit: StepLimit(Some(2)), ..equipment("model-1") });
    harness.prompt("ann", "loop");
    for _ in 0..2 {
        harness.step(&["read a"]);
        assert!(harness.state.turn.is_some());
        harness.deny("read a");
    }
    assert_eq!(harness.transcript.last_failure().unwrap().kind, "step_limit");
    harness.wake_with(RuntimeDescription { step_limit: StepLimit(None), ..equipment("model-1") });
    harness.prompt("ann", "on and on");
    for _ in 0..500 {
        harness.step(&["read a"]);
        harness.deny("read a");
    }
    assert!(harness.state.turn.is_some());
}

#[test]
fn a_log_without_a_limit_has_the_usual_one_and_no_limit_is_written_down() {
    let usual = equipment("model-1");
    let written = serde_json::to_value(&usual).unwrap();
    assert_eq!(written.get("step_limit"), None);
    assert_eq!(serde_json::from_value::<RuntimeDescription>(written).unwrap(), usual);
    let unlimited = RuntimeDescription { step_limit: StepLimit(None), ..usual };
    let written = serde_json::to_value(&unlimited).unwrap();
    assert_eq!(written["step_limit"], serde_json::Value::Null);
    assert_eq!(serde_json::from_value::<RuntimeDescription>(written).unwrap(), unlimited);
}

#[test]
fn prompts_wait_in_order() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("bob", "two");
    harness.prompt("ann", "three");
    assert_eq!(harness.state.standing(harness.prompt_id("three")), PromptStatus::Waiting);
    harness.step(&[]);
    harness.step(&[]);
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   prompted main (OpenEnded) "two"
         6 ann   prompted main (OpenEnded) "three"
         7 agent step ends STOP
         8 agent turn rests
         9 agent turn starts on prompt-5 with model-1, default
        10 agent step ends STOP
        11 agent turn rests
        12 agent turn starts on prompt-6 with model-1, default
        13 agent step ends STOP
        14 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_waiting_prompt_is_taken_out_or_changed_by_anyone() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.prompt("ann", "three");
    harness.unqueue("bob", "two");
    harness.requeue("bob", "three", "3");
    harness.requeue("bob", "three", " \n");
    harness.unqueue("bob", "two");
    harness.unqueue("bob", "one");
    harness.requeue("bob", "one", "1");
    assert_eq!(harness.state.standing(harness.prompt_id("two")), PromptStatus::Over);
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 ann   prompted main (OpenEnded) "three"
         7 bob   unqueued prompt-5
         8 bob   requeued prompt-6 "3"
         - bob   refused: the prompt is empty; send some text
         - bob   refused: there is no prompt-5 waiting in the queue
         - bob   refused: there is no prompt-3 waiting in the queue
         - bob   refused: there is no prompt-3 waiting in the queue
         9 agent step ends STOP
        10 agent turn rests
        11 agent turn starts on prompt-6 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn an_empty_prompt_is_refused() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "");
    harness.prompt("ann", " \t\n");
    harness.check(expect![[r#"
         - ann   refused: the prompt is empty; send some text
         - ann   refused: the prompt is empty; send some text
        owed: nothing
    "#]]);
}

#[test]
fn a_full_queue_takes_no_more() {
    let mut harness = SessionHarness::new();
    for n in 0..=64 {
        harness.prompt("ann", &format!("prompt {n}"));
    }
    assert_eq!(harness.state.queue.len(), 64);
    let target = PromptTarget::Existing { task: task(0) };
    let refused = harness.send("bob", Command::prompt(target.clone(), "one more"));
    assert_eq!(refused, Err(Refusal::QueueFull { limit: 64 }));
    harness.step(&[]);
    let accepted = harness.send("bob", Command::prompt(target, "one more"));
    assert_eq!(accepted.map(|entries| entries.len()), Ok(1));
}

#[test]
fn a_prompt_for_a_task_that_is_not_here_is_refused() {
    let mut harness = SessionHarness::new();
    harness.prompt_in("ann", 7, "hello");
    harness.check(expect![[r#"
         - ann   refused: no task 00000000-0000-0000-0000-000000000007 here; leave the task id out to start one
        owed: nothing
    "#]]);
}

#[test]
fn the_same_prompt_sent_again_gets_its_first_receipt() {
    let mut harness = SessionHarness::new();
    let ann = crate::harness::somebody("ann");
    let say = |new: u128, text: &str| {
        let target = PromptTarget::New { task: task(new), kind: TaskKind::OpenEnded, edge: Value::Null };
        Command::prompt(target, text)
    };
    let first = harness.send_as(ann.clone(), "m", say(1, "hello")).unwrap();
    // The edge makes another task id for a retry; it is the same message all the same.
    assert_eq!(harness.send_as(ann.clone(), "m", say(2, "hello")), Ok(vec![]));
    let fingerprint = CommandFingerprint::of(&CommandId("m".into()), &say(3, "hello"));
    let about = Some((task(1), harness.prompt_id("hello")));
    assert_eq!(harness.state.receipt(&fingerprint), Some(CommandReceipt::new(first[0].seq, about)));
    // Another text, another id or another kind of task is another prompt.
    harness.send_as(ann.clone(), "m", say(4, "hello!")).unwrap();
    harness.send_as(ann.clone(), "n", say(5, "hello")).unwrap();
    let once = PromptTarget::New { task: task(6), kind: TaskKind::Once, edge: Value::Null };
    harness.send_as(ann.clone(), "m", Command::prompt(once, "hello")).unwrap();
    let main = PromptTarget::Existing { task: task(0) };
    harness.send_as(ann, "m", Command::prompt(main, "hello")).unwrap();
    harness.check(expect![[r#"
         3 ann   prompted task 1 (OpenEnded) "hello"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted task 4 (OpenEnded) "hello!"
         6 ann   prompted task 5 (OpenEnded) "hello"
         7 ann   prompted task 6 (Once) "hello"
         8 ann   prompted main (OpenEnded) "hello"
        owed: think 1
    "#]]);
}

#[test]
fn a_receipt_is_kept_for_a_day() {
    let mut harness = SessionHarness::new();
    let send = |harness: &mut SessionHarness, id: &str| {
        let target = PromptTarget::Existing { task: task(0) };
        let command = Command::prompt(target, "hello");
        harness.send_as(crate::harness::somebody("ann"), id, command).map(|entries| entries.len())
    };
    const DAY: u64 = 24 * 60 * 60 * 1000;
    assert_eq!(send(&mut harness, "early"), Ok(2));
    harness.clock.0 += DAY;
    assert_eq!(send(&mut harness, "later"), Ok(1));
    assert_eq!(send(&mut harness, "early"), Ok(0));
    harness.clock.0 += 1;
    assert_eq!(send(&mut harness, "latest"), Ok(1));
    assert_eq!(send(&mut harness, "early"), Ok(1));
    assert_eq!(send(&mut harness, "later"), Ok(0));
}

#[test]
fn time_never_goes_back() {
    let mut harness = SessionHarness::new();
    harness.clock = UnixMillis(5_000);
    harness.prompt("ann", "one");
    harness.clock = UnixMillis(3_000);
    harness.text("slow clock");
    harness.clock = UnixMillis(6_000);
    harness.step(&[]);
    let times: Vec<u64> = harness.log.iter().map(|entry| entry.at.0).collect();
    assert_eq!(times, [1_000, 1_000, 5_000, 5_000, 5_000, 6_000, 6_000, 6_000]);
}

#[test]
fn a_late_report_of_the_model_is_not_owed() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    let [think] = harness.owed()[..] else { panic!("one effect") };
    harness.step(&["read a"]);
    let late = Report::Said { fragments: vec![fragment(ItemKind::Text, "late", None)], response: None };
    assert_eq!(harness.report(think, late.clone()), Err(Refusal::NotOwed));
    harness.deny("read a");
    // The second step is owed, the first is not.
    assert_eq!(harness.report(think, late.clone()), Err(Refusal::NotOwed));
    harness.step(&[]);
    assert_eq!(harness.report(think, late), Err(Refusal::NotOwed));
}

#[test]
fn a_report_of_the_wrong_shape_is_not_owed() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    let [think @ Effect::Think { .. }] = harness.owed()[..] else { panic!("one effect") };
    assert_eq!(harness.report(think, Report::Starting), Err(Refusal::NotOwed));
    harness.step(&["read a"]);
    let [vet @ Effect::Vet { .. }] = harness.owed()[..] else { panic!("one effect") };
    assert_eq!(harness.report(vet, Report::Starting), Err(Refusal::NotOwed));
    harness.allow("read a");
    let [run @ Effect::Run { .. }] = harness.owed()[..] else { panic!("one effect") };
    let output = Report::Output { text: "early".into(), skipped: 0 };
    assert_eq!(harness.report(run, output), Err(Refusal::NotOwed));
    assert_eq!(harness.report(run, Report::Said { fragments: vec![], response: None }), Err(Refusal::NotOwed));
    harness.start("read a");
    assert_eq!(harness.report(run, Report::Starting), Err(Refusal::NotOwed));
}

#[test]
fn a_command_does_not_depend_on_its_envelopes_clock() {
    let envelope = |at| CommandEnvelope {
        id: CommandId("m".into()),
        who: crate::harness::somebody("ann"),
        at,
        command: Command::Release,
    };
    let mut harness = SessionHarness::new();
    assert_eq!(harness.input(&pollux_session::SessionInput::Command(envelope(UnixMillis(0)))), Ok(vec![]));
    assert_eq!(harness.input(&pollux_session::SessionInput::Command(envelope(UnixMillis(u64::MAX)))), Ok(vec![]));
    assert_eq!(harness.state.head, Seq(2));
}
