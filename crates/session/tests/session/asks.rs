//! Asks and answers: first answer wins, grants and modes vet again, what was shown is what runs.

use crate::harness::{SessionHarness, ask_about, somebody};
use expect_test::expect;
use pollux_session::{
    AnswerEdit, ApprovalMode, Ask, AskDetails, CallError, CallId, CallOutcome, Command, CommandFingerprint, CommandId,
    CommandReceipt, Effect, EntryAuthor, Event, Grant, PolicyVerdict, Refusal, Report, Seq, SessionOverrides, ToolKind,
};
use pretty_assertions::assert_eq;
use serde_json::json;

fn asking(calls: &[&str]) -> SessionHarness {
    let mut stage = SessionHarness::calling(calls);
    for label in calls {
        stage.ask(label);
    }
    stage.skip_ahead();
    stage
}

#[test]
fn an_approved_call_runs() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.ask("write a");
    stage.check(expect![[r#"
         7 agent call-6 asks under 0
        owed: nothing but answers
    "#]]);
    stage.answer("bob", "write a", "proceed_once");
    stage.check(expect![[r#"
         8 bob   call-6 answered proceed_once
        owed: run call-6
    "#]]);
    stage.perform("write a");
    stage.check(expect![[r#"
         9 agent call-6 starts
        10 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn a_declined_call_ends_the_turn_without_asking_the_model() {
    let mut stage = asking(&["write a"]);
    stage.answer("bob", "write a", "cancel");
    stage.check(expect![[r#"
         8 bob   call-6 answered cancel
         9 bob   call-6 declined
        10 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_declined_call_lets_the_others_finish_first() {
    let mut stage = SessionHarness::calling(&["write a", "read b", "read c"]);
    stage.ask("write a");
    stage.allow("read b");
    stage.start("read b");
    stage.answer("bob", "write a", "cancel");
    stage.check(expect![[r#"
         9 agent call-6 asks under 0
        10 agent call-7 allowed
        11 agent call-7 starts
        12 bob   call-6 answered cancel
        13 bob   call-6 declined
        owed: run call-7, vet call-8 under 0
    "#]]);
    stage.deny("read c");
    stage.done("read b");
    stage.check(expect![[r#"
        14 agent call-8 denied
        15 agent call-7 succeeded
        16 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn an_edit_travels_with_the_answer() {
    let mut stage = asking(&["write a"]);
    stage.answer_edited("bob", "write a", "proceed_once", "mine");
    stage.check(expect![[r#"
         8 bob   call-6 answered proceed_once, edited "mine"
        owed: run call-6
    "#]]);
    let call = &stage.state.turn.as_ref().unwrap().calls[&stage.call("write a")];
    assert_eq!(call.edit, Some(AnswerEdit::Content { new: "mine".into() }));
    assert_eq!(call.ask, Some(ask_about("write", "a")));
}

#[test]
fn only_an_allowed_file_change_can_be_edited() {
    let mut stage = asking(&["write a", "run ls", "other x"]);
    stage.answer_edited("bob", "write a", "cancel", "mine");
    stage.answer_edited("bob", "run ls", "proceed_once", "rm");
    stage.answer_edited("bob", "other x", "proceed_once", "y");
    stage.check(expect![[r#"
         - bob   refused: call-6 cannot be edited: the chosen option does not run it
         - bob   refused: call-7 cannot be edited: only file changes can be edited before they run
         - bob   refused: call-8 cannot be edited: only file changes can be edited before they run
        owed: nothing but answers
    "#]]);
}

#[test]
fn answers_travel_with_the_answer() {
    let mut stage = asking(&["question colour"]);
    stage.answer_with("bob", "question colour", "proceed_once", json!({"colour": "red"}));
    stage.check(expect![[r#"
         8 bob   call-6 answered proceed_once, with {"colour":"red"}
        owed: run call-6
    "#]]);
    let call = &stage.state.turn.as_ref().unwrap().calls[&stage.call("question colour")];
    assert_eq!(call.edit, Some(AnswerEdit::Answers { answers: json!({"colour": "red"}) }));
    stage.wake("model-1");
    let call = &stage.state.turn.as_ref().unwrap().calls[&stage.call("question colour")];
    assert_eq!(call.edit, Some(AnswerEdit::Answers { answers: json!({"colour": "red"}) }));
}

#[test]
fn only_an_allowed_question_takes_answers() {
    let mut stage = asking(&["question colour", "other x", "write a", "run ls", "mcp docs"]);
    stage.answer_with("bob", "question colour", "cancel", json!({}));
    stage.answer_edited("bob", "question colour", "proceed_once", "red");
    for label in ["other x", "write a", "run ls", "mcp docs"] {
        stage.answer_with("bob", label, "proceed_once", json!({}));
    }
    stage.check(expect![[r#"
         - bob   refused: call-6 cannot be edited: the chosen option does not run it
         - bob   refused: call-6 cannot be edited: only file changes can be edited before they run
         - bob   refused: call-7 cannot be edited: it does not ask for answers
         - bob   refused: call-8 cannot be edited: it does not ask for answers
         - bob   refused: call-9 cannot be edited: it does not ask for answers
         - bob   refused: call-10 cannot be edited: it does not ask for answers
        owed: nothing but answers
    "#]]);
}

#[test]
fn an_option_that_is_not_offered_is_refused() {
    let mut stage = asking(&["write a"]);
    stage.answer("bob", "write a", "proceed_never");
    stage.check(expect![[r#"
         - bob   refused: call-6 does not offer "proceed_never"; choose one of proceed_once, proceed_always, cancel
        owed: nothing but answers
    "#]]);
}

#[test]
fn asks_are_answered_in_either_order() {
    for (first, second) in [("write a", "run ls"), ("run ls", "write a")] {
        let mut stage = asking(&["write a", "run ls"]);
        stage.answer("ann", first, "proceed_once");
        stage.perform(first);
        assert!(stage.state.only_asks_remain());
        stage.answer("bob", second, "proceed_once");
        stage.perform(second);
        assert_eq!(stage.state.turn.as_ref().unwrap().step, 2);
    }
}

#[test]
fn the_first_answer_wins_and_the_loser_learns_who_won() {
    let mut stage = asking(&["write a"]);
    stage.answer("ann", "write a", "proceed_once");
    stage.answer("bob", "write a", "cancel");
    stage.start("write a");
    stage.answer("bob", "write a", "cancel");
    stage.done("write a");
    stage.step(&[]);
    stage.answer("bob", "write a", "cancel");
    stage.check(expect![[r#"
         8 ann   call-6 answered proceed_once
         - bob   refused: call-6 was already decided: ann chose proceed_once
         9 agent call-6 starts
         - bob   refused: call-6 was already decided: ann chose proceed_once
        10 agent call-6 succeeded
        11 agent step ends STOP
        12 agent turn rests
         - bob   refused: call-6 was already decided: ann chose proceed_once
        owed: nothing
    "#]]);
}

#[test]
fn a_losing_grant_leaves_nothing_behind() {
    let mut stage = asking(&["write a"]);
    stage.answer("ann", "write a", "proceed_once");
    stage.answer("bob", "write a", "proceed_always");
    assert_eq!((stage.state.grants.clone(), stage.state.policy), (vec![], 0));
}

#[test]
fn an_answer_to_a_call_that_never_asked_is_refused() {
    let mut stage = SessionHarness::calling(&["read a", "read b"]);
    stage.allow("read a");
    stage.answer("bob", "read a", "proceed_once");
    stage.answer("bob", "read b", "proceed_once");
    stage.check(expect![[r#"
         8 agent call-6 allowed
         - bob   refused: there is no call-6 that waits for an answer
         - bob   refused: there is no call-7 that waits for an answer
        owed: run call-6, vet call-7 under 0
    "#]]);
    let nowhere = Command::Answer { call: CallId(Seq(999)), option: "cancel".into(), edit: None };
    assert_eq!(stage.send("bob", nowhere), Err(Refusal::UnknownCall { call: CallId(Seq(999)) }));
}

#[test]
fn a_cancelled_ask_is_closed_without_a_winner() {
    let mut stage = asking(&["write a"]);
    stage.cancel("ann");
    stage.answer("bob", "write a", "proceed_once");
    stage.check(expect![[r#"
         8 ann   call-6 cancelled
         9 ann   turn cancelled
         - bob   refused: call-6 is no longer waiting for an answer
        owed: nothing
    "#]]);
}

#[test]
fn the_same_answer_sent_again_gets_its_first_receipt() {
    let mut stage = asking(&["write a"]);
    let call = stage.call("write a");
    let answer = |option: &str| Command::Answer { call, option: option.into(), edit: None };
    let first = stage.send_as(somebody("ann"), "m", answer("proceed_once")).unwrap();
    assert_eq!(stage.send_as(somebody("ann"), "m", answer("proceed_once")), Ok(vec![]));
    stage.perform("write a");
    stage.step(&[]);
    assert_eq!(stage.send_as(somebody("ann"), "m", answer("proceed_once")), Ok(vec![]));
    let receipt = stage.state.receipt(&CommandFingerprint::of(&CommandId("m".into()), &answer("proceed_once")));
    let about = Some((crate::harness::task(0), stage.prompt_id("go")));
    assert_eq!(receipt, Some(CommandReceipt { seq: first[0].seq, about }));
    let by = EntryAuthor::from(&somebody("ann"));
    let decided = Refusal::AlreadyDecided { call, choice: "proceed_once".into(), by };
    assert_eq!(stage.send_as(somebody("ann"), "m", answer("cancel")), Err(decided.clone()));
    assert_eq!(stage.send_as(somebody("ann"), "n", answer("proceed_once")), Err(decided));
}

#[test]
fn what_is_granted_when_a_session_is_opened_is_given_by_whoever_opens_it() {
    let grants = vec![
        Grant::Prefix { words: vec!["git".into(), "status".into()], options: Vec::new(), directory: None },
        Grant::Tool { tool: "glob".into() },
    ];
    let stage = SessionHarness::opened_with(SessionOverrides { grants: grants.clone(), ..SessionOverrides::default() });
    let ann = EntryAuthor::from(&somebody("ann"));
    assert_eq!(stage.state.grants, grants.into_iter().map(|grant| (grant, ann.clone())).collect::<Vec<_>>());
}

#[test]
fn a_grant_vets_the_open_asks_again() {
    let mut stage = asking(&["write a", "write b", "run ls"]);
    stage.answer("ann", "write a", "proceed_always");
    assert_eq!(stage.state.grants, [(Grant::Tool { tool: "write".into() }, EntryAuthor::from(&somebody("ann")))]);
    stage.check(expect![[r#"
        12 ann   call-6 answered proceed_always, granted
        owed: run call-6, vet call-7 under 1, vet call-8 under 1
    "#]]);
    stage.allow("write b");
    stage.ask("run ls");
    stage.answer("bob", "write b", "cancel");
    stage.check(expect![[r#"
        13 agent call-7 allowed
        14 agent call-8 still asks under 1
         - bob   refused: call-7 is no longer waiting for an answer
        owed: run call-6
    "#]]);
    stage.perform("write a");
    stage.perform("write b");
    stage.check(expect![[r#"
        15 agent call-6 starts
        16 agent call-6 succeeded
        17 agent call-7 starts
        18 agent call-7 succeeded
        owed: nothing but answers
    "#]]);
    stage.answer("bob", "run ls", "proceed_once");
    stage.perform("run ls");
    stage.step(&["write c"]);
    stage.check(expect![[r#"
        19 bob   call-8 answered proceed_once
        20 agent call-8 starts
        21 agent call-8 succeeded
        22 agent step ends STOP
        23 agent calls write c
        owed: vet call-23 under 1
    "#]]);
    stage.allow("write c");
    stage.check(expect![[r#"
        24 agent call-23 allowed
        owed: run call-23
    "#]]);
}

#[test]
fn an_ask_can_be_answered_while_it_is_vetted_again() {
    let mut stage = asking(&["write a", "run ls"]);
    stage.answer("ann", "write a", "proceed_always");
    stage.answer("bob", "run ls", "proceed_once");
    stage.ask("run ls");
    stage.check(expect![[r#"
        10 ann   call-6 answered proceed_always, granted
        11 bob   call-7 answered proceed_once
         - agent refused: this work is no longer owed
        owed: run call-6
    "#]]);
}

#[test]
fn an_ask_that_is_vetted_again_keeps_its_details() {
    let mut stage = asking(&["run ls"]);
    stage.set_mode("ann", ApprovalMode::AutoEdit);
    let call = stage.call("run ls");
    let other = Ask::new(AskDetails::generic("something else"), vec![]);
    let verdict = PolicyVerdict::Ask(other);
    stage.report(Effect::Vet { call, revision: 1 }, Report::Vetted { kind: ToolKind::Read, verdict }).unwrap();
    let known = &stage.state.turn.as_ref().unwrap().calls[&call];
    assert_eq!((&known.ask, known.kind), (&Some(ask_about("run", "ls")), ToolKind::Execute));
    stage.set_mode("ann", ApprovalMode::Default);
    stage.unfit("run ls");
    stage.check(expect![[r#"
         8 ann   mode auto_edit
         9 agent call-6 still asks under 1
        10 ann   mode default
        11 agent call-6 still asks under 2
        owed: nothing but answers
    "#]]);
}

#[test]
fn a_change_of_mode_vets_again() {
    let mut stage = asking(&["write a", "run ls"]);
    let [] = stage.owed()[..] else { panic!("only asks remain") };
    stage.set_mode("ann", ApprovalMode::AutoEdit);
    stage.allow("write a");
    stage.ask("run ls");
    stage.check(expect![[r#"
        10 ann   mode auto_edit
        11 agent call-6 allowed
        12 agent call-7 still asks under 1
        owed: run call-6
    "#]]);
    stage.set_mode("ann", ApprovalMode::Plan);
    stage.deny("run ls");
    stage.answer("bob", "run ls", "proceed_once");
    stage.check(expect![[r#"
        13 ann   mode plan
        14 agent call-7 denied
         - bob   refused: call-7 is no longer waiting for an answer
        owed: vet call-6 under 2
    "#]]);
}

#[test]
fn a_stricter_mode_stops_what_policy_allowed_and_not_what_a_person_did() {
    let mut stage = asking(&["run a", "run b"]);
    stage.answer("ann", "run a", "proceed_once");
    stage.set_mode("ann", ApprovalMode::Yolo);
    stage.allow("run b");
    stage.set_mode("ann", ApprovalMode::Plan);
    stage.check(expect![[r#"
        10 ann   call-6 answered proceed_once
        11 ann   mode yolo
        12 agent call-7 allowed
        13 ann   mode plan
        owed: run call-6, vet call-7 under 2
    "#]]);
    stage.deny("run b");
    stage.check(expect![[r#"
        14 agent call-7 denied
        owed: run call-6
    "#]]);
}

#[test]
fn a_verdict_under_an_old_policy_is_not_owed() {
    let mut stage = SessionHarness::calling(&["write a"]);
    let [old] = stage.owed()[..] else { panic!("one effect") };
    stage.set_mode("ann", ApprovalMode::Plan);
    let verdict = PolicyVerdict::allow("it was allowed");
    assert_eq!(stage.report(old, Report::Vetted { kind: ToolKind::Edit, verdict }), Err(Refusal::NotOwed));
    stage.deny("write a");
    stage.check(expect![[r#"
         7 ann   mode plan
         - agent refused: this work is no longer owed
         8 agent call-6 denied
        owed: think 2
    "#]]);
}

#[test]
fn only_the_newest_decisions_are_remembered() {
    let mut stage = asking(&["write 0"]);
    stage.answer("ann", "write 0", "proceed_once");
    stage.perform("write 0");
    for n in 1..=256 {
        let label = format!("write {n}");
        stage.step(&[]);
        stage.prompt("ann", "go");
        stage.step(&[&label]);
        stage.ask(&label);
        stage.answer("ann", &label, "proceed_once");
        stage.perform(&label);
    }
    assert_eq!(stage.state.decisions.len(), 256);
    stage.skip_ahead();
    stage.answer("bob", "write 0", "cancel");
    stage.answer("bob", "write 1", "cancel");
    stage.check(expect![[r#"
         - bob   refused: there is no call-6 that waits for an answer
         - bob   refused: call-16 was already decided: ann chose proceed_once
        owed: think 2
    "#]]);
}

#[test]
fn a_steps_fifty_first_asking_call_fails_and_the_model_is_told_why() {
    let labels: Vec<String> = (1..=52).map(|n| format!("write {n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut stage = SessionHarness::calling(&labels);
    labels[..50].iter().for_each(|label| stage.ask(label));
    // An answer makes no room: what counts is how often the step asks.
    stage.answer("bob", "write 1", "proceed_once");
    stage.perform("write 1");
    stage.skip_ahead();
    let last = stage.call("write 51");
    let effect = Effect::Vet { call: last, revision: stage.state.policy };
    let verdict = PolicyVerdict::Ask(ask_about("write", "51"));
    let entries = stage.report(effect, Report::Vetted { kind: ToolKind::Edit, verdict }).unwrap();
    let message = "the call was not made: 50 calls of this step ask for approval already, and no more may; wait for the \
                   answers, then make the rest in smaller steps";
    let error = CallError { kind: "too_many_asks".into(), message: message.into() };
    let outcome = CallOutcome::Failed { error, result: None };
    assert_eq!(entries[0].event, Event::CallEnded { call: last, outcome });
    // What needs no answer still runs.
    stage.skip_ahead();
    stage.allow("write 52");
    stage.check(expect![[r#"
        112 agent call-57 allowed
        owed: run call-57
    "#]]);
}

#[test]
fn a_call_that_is_asked_about_anew_is_not_counted_twice() {
    let labels: Vec<String> = (1..=50).map(|n| format!("write {n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut stage = asking(&labels);
    stage.answer("bob", "write 1", "proceed_once");
    stage.run("write 1", Report::Stale);
    stage.skip_ahead();
    let anew = stage.state.turn.as_ref().and_then(|turn| turn.calls.keys().next_back().copied()).unwrap();
    let effect = Effect::Vet { call: anew, revision: stage.state.policy };
    let verdict = PolicyVerdict::Ask(ask_about("write", "1"));
    let entries = stage.report(effect, Report::Vetted { kind: ToolKind::Edit, verdict }).unwrap();
    assert!(matches!(entries[0].event, Event::Asked { call, .. } if call == anew), "{entries:?}");
}
