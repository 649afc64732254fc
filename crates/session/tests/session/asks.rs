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
    let mut harness = SessionHarness::calling(calls);
    for label in calls {
        harness.ask(label);
    }
    harness.skip_ahead();
    harness
}

#[test]
fn an_approved_call_runs() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.ask("write a");
    harness.check(expect![[r#"
         7 agent call-6 asks under 0
        owed: nothing but answers
    "#]]);
    harness.answer("bob", "write a", "proceed_once");
    harness.check(expect![[r#"
         8 bob   call-6 answered proceed_once
        owed: run call-6
    "#]]);
    harness.perform("write a");
    harness.check(expect![[r#"
         9 agent call-6 starts
        10 agent call-6 succeeded
        owed: think 2
    "#]]);
}

#[test]
fn a_declined_call_ends_the_turn_without_asking_the_model() {
    let mut harness = asking(&["write a"]);
    harness.answer("bob", "write a", "cancel");
    harness.check(expect![[r#"
         8 bob   call-6 answered cancel
         9 bob   call-6 declined
        10 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_declined_call_lets_the_others_finish_first() {
    let mut harness = SessionHarness::calling(&["write a", "read b", "read c"]);
    harness.ask("write a");
    harness.allow("read b");
    harness.answer("bob", "write a", "cancel");
    harness.start("read b");
    harness.check(expect![[r#"
         9 agent call-6 asks under 0
        10 agent call-7 allowed
        11 bob   call-6 answered cancel
        12 bob   call-6 declined
        13 agent call-7 starts
        owed: run call-7, vet call-8 under 0
    "#]]);
    harness.deny("read c");
    harness.done("read b");
    harness.check(expect![[r#"
        14 agent call-8 denied
        15 agent call-7 succeeded
        16 agent turn rests
        owed: nothing
    "#]]);
}

/// A script that runs without a person should get as far as it can.
#[test]
fn an_ask_that_nobody_can_answer_is_denied_and_the_turn_goes_on() {
    let mut harness = asking(&["write a", "write b"]);
    harness.deny_ask("bob", "write a");
    harness.answer("bob", "write b", "proceed_once");
    harness.perform("write b");
    harness.deny_ask("bob", "write a");
    harness.check(expect![[r#"
        10 bob   call-6 denied
        11 bob   call-7 answered proceed_once
        12 agent call-7 starts
        13 agent call-7 succeeded
         - bob   refused: call-6 is no longer waiting for an answer: it was denied (nobody is there to allow it)
        owed: think 2
    "#]]);
}

#[test]
fn an_edit_travels_with_the_answer() {
    let mut harness = asking(&["write a"]);
    harness.answer_edited("bob", "write a", "proceed_once", "mine");
    harness.check(expect![[r#"
         8 bob   call-6 answered proceed_once, edited "mine"
        owed: run call-6
    "#]]);
    let call = &harness.state.turn.as_ref().unwrap().calls[&harness.call("write a")];
    assert_eq!(call.edit, Some(AnswerEdit::Content { new: "mine".into() }));
    assert_eq!(call.ask, Some(ask_about("write", "a")));
}

#[test]
fn only_an_allowed_file_change_can_be_edited() {
    let mut harness = asking(&["write a", "run ls", "other x"]);
    harness.answer_edited("bob", "write a", "cancel", "mine");
    harness.answer_edited("bob", "run ls", "proceed_once", "rm");
    harness.answer_edited("bob", "other x", "proceed_once", "y");
    harness.check(expect![[r#"
         - bob   refused: call-6 cannot be edited: the chosen option does not run it
         - bob   refused: call-7 cannot be edited: only file changes can be edited before they run
         - bob   refused: call-8 cannot be edited: only file changes can be edited before they run
        owed: nothing but answers
    "#]]);
}

#[test]
fn an_edit_of_a_patch_says_which_files_it_means() {
    let mut harness = asking(&["patch a", "write b"]);
    harness.answer_edited("bob", "patch a", "proceed_once", "mine");
    for paths in [&["/w/gone"][..], &["/w/other"], &["/w/a", "/w/a"]] {
        harness.answer_with_files("bob", "patch a", "proceed_once", paths);
    }
    harness.answer_with_files("bob", "patch a", "cancel", &["/w/a"]);
    harness.answer_with_files("bob", "write b", "proceed_once", &["/w/b"]);
    harness.answer_with_files("bob", "patch a", "proceed_once", &["/w/a"]);
    harness.check(expect![[r#"
         - bob   refused: call-6 cannot be edited: it changes several files, and one new content says not which; allow it as it was shown, or cancel it and say what to do instead
         - bob   refused: call-6 cannot be edited: it does not write `/w/gone`
         - bob   refused: call-6 cannot be edited: it does not write `/w/other`
         - bob   refused: call-6 cannot be edited: `/w/a` is there twice
         - bob   refused: call-6 cannot be edited: the chosen option does not run it
         - bob   refused: call-7 cannot be edited: only file changes can be edited before they run
        10 bob   call-6 answered proceed_once, edited /w/a
        owed: run call-6
    "#]]);
}

#[test]
fn answers_travel_with_the_answer() {
    let mut harness = asking(&["question colour"]);
    harness.answer_with("bob", "question colour", "proceed_once", json!({"colour": "red"}));
    harness.check(expect![[r#"
         8 bob   call-6 answered proceed_once, with {"colour":"red"}
        owed: run call-6
    "#]]);
    let call = &harness.state.turn.as_ref().unwrap().calls[&harness.call("question colour")];
    assert_eq!(call.edit, Some(AnswerEdit::Answers { answers: json!({"colour": "red"}) }));
    harness.wake("model-1");
    let call = &harness.state.turn.as_ref().unwrap().calls[&harness.call("question colour")];
    assert_eq!(call.edit, Some(AnswerEdit::Answers { answers: json!({"colour": "red"}) }));
}

#[test]
fn only_an_allowed_question_takes_answers() {
    let mut harness = asking(&["question colour", "other x", "write a", "run ls", "mcp docs"]);
    harness.answer_with("bob", "question colour", "cancel", json!({}));
    harness.answer_edited("bob", "question colour", "proceed_once", "red");
    for label in ["other x", "write a", "run ls", "mcp docs"] {
        harness.answer_with("bob", label, "proceed_once", json!({}));
    }
    harness.check(expect![[r#"
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
    let mut harness = asking(&["write a"]);
    harness.answer("bob", "write a", "proceed_never");
    harness.check(expect![[r#"
         - bob   refused: call-6 does not offer "proceed_never"; choose one of proceed_once, proceed_always, cancel
        owed: nothing but answers
    "#]]);
}

#[test]
fn asks_are_answered_in_either_order_and_take_effect_in_theirs() {
    for (first, second) in [("write a", "run ls"), ("run ls", "write a")] {
        let mut harness = asking(&["write a", "run ls"]);
        harness.answer("ann", first, "proceed_once");
        if first == "write a" {
            harness.perform("write a");
        }
        assert!(harness.state.only_asks_remain());
        harness.answer("bob", second, "proceed_once");
        if first == "run ls" {
            harness.perform("write a");
        }
        harness.perform("run ls");
        assert_eq!(harness.state.turn.as_ref().unwrap().step, 2);
    }
}

#[test]
fn the_first_answer_wins_and_the_loser_learns_who_won() {
    let mut harness = asking(&["write a"]);
    harness.answer("ann", "write a", "proceed_once");
    harness.answer("bob", "write a", "cancel");
    harness.start("write a");
    harness.answer("bob", "write a", "cancel");
    harness.done("write a");
    harness.step(&[]);
    harness.answer("bob", "write a", "cancel");
    harness.check(expect![[r#"
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
    let mut harness = asking(&["write a"]);
    harness.answer("ann", "write a", "proceed_once");
    harness.answer("bob", "write a", "proceed_always");
    assert_eq!((harness.state.grants.clone(), harness.state.policy), (vec![], 0));
}

#[test]
fn an_answer_to_a_call_that_never_asked_is_refused() {
    let mut harness = SessionHarness::calling(&["read a", "read b"]);
    harness.allow("read a");
    harness.answer("bob", "read a", "proceed_once");
    harness.answer("bob", "read b", "proceed_once");
    harness.check(expect![[r#"
         8 agent call-6 allowed
         - bob   refused: there is no call-6 that waits for an answer
         - bob   refused: there is no call-7 that waits for an answer
        owed: run call-6, vet call-7 under 0
    "#]]);
    let nowhere = Command::Answer { call: CallId(Seq(999)), option: "cancel".into(), edit: None };
    assert_eq!(harness.send("bob", nowhere), Err(Refusal::UnknownCall { call: CallId(Seq(999)) }));
}

#[test]
fn a_cancelled_ask_is_closed_without_a_winner() {
    let mut harness = asking(&["write a"]);
    harness.cancel("ann");
    harness.answer("bob", "write a", "proceed_once");
    harness.check(expect![[r#"
         8 ann   call-6 cancelled
         9 ann   turn cancelled
         - bob   refused: call-6 is no longer waiting for an answer: its call or its turn has ended
        owed: nothing
    "#]]);
}

/// The first yes leaves plan mode, say, so that nothing has to be asked about the second call of the same answer any more.
#[test]
fn a_yes_to_what_is_allowed_by_now_is_taken_and_other_answers_are_told_why_they_are_not() {
    let asking_two = || {
        let mut harness = asking(&["write a", "write b"]);
        harness.answer("ann", "write a", "proceed_once");
        harness.set_mode("ann", ApprovalMode::AutoEdit);
        harness
    };
    let mut harness = asking_two();
    harness.vet("write b", PolicyVerdict::allow("auto_edit mode allows changing files"));
    harness.skip_ahead();
    harness.answer("ann", "write b", "proceed_once");
    harness.answer("ann", "write b", "proceed_always");
    harness.answer("ann", "write b", "cancel");
    harness.check(expect![[r#"
         - ann   refused: call-7 is no longer waiting for an answer: it is allowed by now (auto_edit mode allows changing files)
         - ann   refused: call-7 is no longer waiting for an answer: it is allowed by now (auto_edit mode allows changing files)
        owed: run call-6
    "#]]);
    let mut harness = asking_two();
    harness.deny("write b");
    harness.skip_ahead();
    harness.answer("ann", "write b", "proceed_once");
    harness.check(expect![[r#"
         - ann   refused: call-7 is no longer waiting for an answer: it was denied (rule)
        owed: run call-6
    "#]]);
}

#[test]
fn the_same_answer_sent_again_gets_its_first_receipt() {
    let mut harness = asking(&["write a"]);
    let call = harness.call("write a");
    let answer = |option: &str| Command::Answer { call, option: option.into(), edit: None };
    let first = harness.send_as(somebody("ann"), "m", answer("proceed_once")).unwrap();
    assert_eq!(harness.send_as(somebody("ann"), "m", answer("proceed_once")), Ok(vec![]));
    harness.perform("write a");
    harness.step(&[]);
    assert_eq!(harness.send_as(somebody("ann"), "m", answer("proceed_once")), Ok(vec![]));
    let receipt = harness.state.receipt(&CommandFingerprint::of(&CommandId("m".into()), &answer("proceed_once")));
    let about = Some((crate::harness::task(0), harness.prompt_id("go")));
    assert_eq!(receipt, Some(CommandReceipt::new(first[0].seq, about)));
    let by = EntryAuthor::from(&somebody("ann"));
    let decided = Refusal::AlreadyDecided { call, choice: "proceed_once".into(), by };
    assert_eq!(harness.send_as(somebody("ann"), "m", answer("cancel")), Err(decided.clone()));
    assert_eq!(harness.send_as(somebody("ann"), "n", answer("proceed_once")), Err(decided));
}

#[test]
fn what_is_granted_when_a_session_is_opened_is_given_by_whoever_opens_it() {
    let grants = vec![
        Grant::Prefix { words: vec!["git".into(), "status".into()], options: Vec::new(), directory: None },
        Grant::Tool { tool: "glob".into() },
    ];
    let harness =
        SessionHarness::opened_with(SessionOverrides { grants: grants.clone(), ..SessionOverrides::default() });
    let ann = EntryAuthor::from(&somebody("ann"));
    assert_eq!(harness.state.grants, grants.into_iter().map(|grant| (grant, ann.clone())).collect::<Vec<_>>());
}

#[test]
fn a_grant_vets_the_open_asks_again() {
    let mut harness = asking(&["write a", "write b", "run ls"]);
    harness.answer("ann", "write a", "proceed_always");
    assert_eq!(harness.state.grants, [(Grant::Tool { tool: "write".into() }, EntryAuthor::from(&somebody("ann")))]);
    harness.check(expect![[r#"
        12 ann   call-6 answered proceed_always, granted
        owed: run call-6, vet call-7 under 1, vet call-8 under 1
    "#]]);
    harness.allow("write b");
    harness.ask("run ls");
    harness.answer("bob", "write b", "cancel");
    harness.check(expect![[r#"
        13 agent call-7 allowed
        14 agent call-8 still asks under 1
         - bob   refused: call-7 is no longer waiting for an answer: it is allowed by now (rule)
        owed: run call-6
    "#]]);
    harness.perform("write a");
    harness.perform("write b");
    harness.check(expect![[r#"
        15 agent call-6 starts
        16 agent call-6 succeeded
        17 agent call-7 starts
        18 agent call-7 succeeded
        owed: nothing but answers
    "#]]);
    harness.answer("bob", "run ls", "proceed_once");
    harness.perform("run ls");
    harness.step(&["write c"]);
    harness.check(expect![[r#"
        19 bob   call-8 answered proceed_once
        20 agent call-8 starts
        21 agent call-8 succeeded
        22 agent step ends STOP
        23 agent calls write c
        owed: vet call-23 under 1
    "#]]);
    harness.allow("write c");
    harness.check(expect![[r#"
        24 agent call-23 allowed
        owed: run call-23
    "#]]);
}

#[test]
fn an_ask_can_be_answered_while_it_is_vetted_again() {
    let mut harness = asking(&["write a", "run ls"]);
    harness.answer("ann", "write a", "proceed_always");
    harness.answer("bob", "run ls", "proceed_once");
    harness.ask("run ls");
    harness.check(expect![[r#"
        10 ann   call-6 answered proceed_always, granted
        11 bob   call-7 answered proceed_once
         - agent refused: this work is no longer owed
        owed: run call-6
    "#]]);
}

#[test]
fn an_ask_that_is_vetted_again_keeps_its_details() {
    let mut harness = asking(&["run ls"]);
    harness.set_mode("ann", ApprovalMode::AutoEdit);
    let call = harness.call("run ls");
    let other = Ask::new(AskDetails::generic("something else"), vec![]);
    let verdict = PolicyVerdict::Ask(other);
    harness
        .report(Effect::Vet { call, revision: 1, again: false }, Report::Vetted { kind: ToolKind::Read, verdict })
        .unwrap();
    let known = &harness.state.turn.as_ref().unwrap().calls[&call];
    assert_eq!((&known.ask, known.kind), (&Some(ask_about("run", "ls")), ToolKind::Execute));
    harness.set_mode("ann", ApprovalMode::Default);
    harness.unfit("run ls");
    harness.check(expect![[r#"
         8 ann   mode auto_edit
         9 agent call-6 still asks under 1
        10 ann   mode default
        11 agent call-6 still asks under 2
        owed: nothing but answers
    "#]]);
}

#[test]
fn a_change_of_mode_vets_again() {
    let mut harness = asking(&["write a", "run ls"]);
    let [] = harness.owed()[..] else { panic!("only asks remain") };
    harness.set_mode("ann", ApprovalMode::AutoEdit);
    harness.allow("write a");
    harness.ask("run ls");
    harness.check(expect![[r#"
        10 ann   mode auto_edit
        11 agent call-6 allowed
        12 agent call-7 still asks under 1
        owed: run call-6
    "#]]);
    harness.set_mode("ann", ApprovalMode::Plan);
    harness.deny("run ls");
    harness.answer("bob", "run ls", "proceed_once");
    harness.check(expect![[r#"
        13 ann   mode plan
        14 agent call-7 denied
         - bob   refused: call-7 is no longer waiting for an answer: it was denied (rule)
        owed: vet call-6 under 2
    "#]]);
}

#[test]
fn a_stricter_mode_stops_what_policy_allowed_and_not_what_a_person_did() {
    let mut harness = asking(&["run a", "run b"]);
    harness.answer("ann", "run a", "proceed_once");
    harness.set_mode("ann", ApprovalMode::Yolo);
    harness.allow("run b");
    harness.set_mode("ann", ApprovalMode::Plan);
    harness.check(expect![[r#"
        10 ann   call-6 answered proceed_once
        11 ann   mode yolo
        12 agent call-7 allowed
        13 ann   mode plan
        owed: run call-6, vet call-7 under 2
    "#]]);
    harness.deny("run b");
    harness.check(expect![[r#"
        14 agent call-7 denied
        owed: run call-6
    "#]]);
}

#[test]
fn a_verdict_under_an_old_policy_is_not_owed() {
    let mut harness = SessionHarness::calling(&["write a"]);
    let [old] = harness.owed()[..] else { panic!("one effect") };
    harness.set_mode("ann", ApprovalMode::Plan);
    let verdict = PolicyVerdict::allow("it was allowed");
    assert_eq!(harness.report(old, Report::Vetted { kind: ToolKind::Edit, verdict }), Err(Refusal::NotOwed));
    harness.deny("write a");
    harness.check(expect![[r#"
         7 ann   mode plan
         - agent refused: this work is no longer owed
         8 agent call-6 denied
        owed: think 2
    "#]]);
}

#[test]
fn only_the_newest_decisions_are_remembered() {
    let mut harness = asking(&["write 0"]);
    harness.answer("ann", "write 0", "proceed_once");
    harness.perform("write 0");
    for n in 1..=256 {
        let label = format!("write {n}");
        harness.step(&[]);
        harness.prompt("ann", "go");
        harness.step(&[&label]);
        harness.ask(&label);
        harness.answer("ann", &label, "proceed_once");
        harness.perform(&label);
    }
    assert_eq!(harness.state.decisions.len(), 256);
    harness.skip_ahead();
    harness.answer("bob", "write 0", "cancel");
    harness.answer("bob", "write 1", "cancel");
    harness.check(expect![[r#"
         - bob   refused: there is no call-6 that waits for an answer
         - bob   refused: call-16 was already decided: ann chose proceed_once
        owed: think 2
    "#]]);
}

#[test]
fn a_steps_fifty_first_asking_call_fails_and_the_model_is_told_why() {
    let labels: Vec<String> = (1..=52).map(|n| format!("write {n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut harness = SessionHarness::calling(&labels);
    labels[..50].iter().for_each(|label| harness.ask(label));
    // An answer makes no room: what counts is how often the step asks.
    harness.answer("bob", "write 1", "proceed_once");
    harness.perform("write 1");
    harness.skip_ahead();
    let last = harness.call("write 51");
    let effect = Effect::Vet { call: last, revision: harness.state.policy, again: false };
    let verdict = PolicyVerdict::Ask(ask_about("write", "51"));
    let entries = harness.report(effect, Report::Vetted { kind: ToolKind::Edit, verdict }).unwrap();
    let message = "the call was not made: 50 calls of this step ask for approval already, and no more may; wait for the \
                   answers, then make the rest in smaller steps";
    let error = CallError { kind: "too_many_asks".into(), message: message.into() };
    let outcome = CallOutcome::Failed { error, result: None };
    assert_eq!(entries[0].event, Event::CallEnded { call: last, outcome });
    // What needs no answer may run, in its turn.
    harness.skip_ahead();
    harness.allow("write 52");
    harness.check(expect![[r#"
        112 agent call-57 allowed
        owed: nothing but answers
    "#]]);
}

#[test]
fn a_call_that_is_asked_about_anew_is_not_counted_twice() {
    let labels: Vec<String> = (1..=50).map(|n| format!("write {n}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut harness = asking(&labels);
    harness.answer("bob", "write 1", "proceed_once");
    harness.run("write 1", Report::Stale);
    harness.skip_ahead();
    let anew = harness.state.turn.as_ref().and_then(|turn| turn.calls.keys().next_back().copied()).unwrap();
    let effect = Effect::Vet { call: anew, revision: harness.state.policy, again: false };
    let verdict = PolicyVerdict::Ask(ask_about("write", "1"));
    let entries = harness.report(effect, Report::Vetted { kind: ToolKind::Edit, verdict }).unwrap();
    assert!(matches!(entries[0].event, Event::Asked { call, .. } if call == anew), "{entries:?}");
}
