//! Replies in words: an answer, a prompt, or a no with something to do instead, in one commit.

use crate::harness::{SessionHarness, somebody, task};
use expect_test::expect;
use pollux_session::{
    AnswerEdit, ApprovalMode, Ask, AskDetails, CallId, Command, Effect, PolicyVerdict, PromptTarget, Refusal,
    ReplyScope, Right, Rights, SessionSetting, TaskKind, Who, cancel_choice, once_choice,
};
use pretty_assertions::assert_eq;

fn reply(n: u128, text: &str) -> Command {
    reply_in(n, ReplyScope::Task, text)
}

fn reply_in(n: u128, scope: ReplyScope, text: &str) -> Command {
    let (media, parts) = (Vec::new(), Vec::new());
    Command::Reply { task: task(n), scope, text: text.into(), media, dialect: None, parts, shared_asks: Vec::new() }
}

fn with_shared_asks(mut reply: Command, calls: Vec<CallId>) -> Command {
    if let Command::Reply { shared_asks, .. } = &mut reply {
        *shared_asks = calls;
    }
    reply
}

/// A once task whose calls ask.
fn asking_once(calls: &[&str]) -> SessionHarness {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "go");
    harness.step(calls);
    calls.iter().for_each(|call| harness.ask(call));
    harness.skip_ahead();
    // Long enough for anybody to have read them.
    harness.clock.0 += 1_000;
    harness
}

#[test]
fn a_yes_answers_and_a_retry_is_the_same_yes() {
    let mut harness = asking_once(&["write a"]);
    harness.send_as(somebody("bob"), "m", reply(1, "Yes.")).unwrap();
    harness.check(expect![[r#"
         8 bob   call-6 answered proceed_once
        owed: run call-6
    "#]]);
    harness.perform("write a");
    harness.skip_ahead();
    harness.send_as(somebody("bob"), "m", reply(1, "Yes.")).unwrap();
    harness.check(expect![[r#"
        owed: think 2
    "#]]);
}

#[test]
fn a_no_with_words_is_a_no_and_the_next_prompt_of_a_task_that_stays_open() {
    let mut harness = asking_once(&["write a", "run b"]);
    harness.prompt_in("ann", 1, "later");
    harness.skip_ahead();
    harness.send("bob", reply(1, "no, read it instead")).unwrap();
    harness.check(expect![[r#"
        11 bob   call-6 answered cancel
        12 bob   call-6 declined
        13 bob   call-7 answered cancel
        14 bob   call-7 declined
        15 bob   prompted task 1 (Once) "no, read it instead"
        16 agent turn rests
        17 agent turn starts on prompt-15 with model-1, default
        owed: think 1
    "#]]);
}

/// At a terminal a no holds the queue. Whoever answers in words cannot see it and has no word to let it go.
#[test]
fn a_plain_no_in_words_lets_the_queue_of_its_task_go_on() {
    for text in ["no", "call no"] {
        let mut harness = asking_once(&["write a"]);
        let text = text.replace("call", &harness.call("write a").0.to_string());
        harness.prompt_in("ann", 1, "later");
        harness.skip_ahead();
        harness.send("bob", reply(1, &text)).unwrap();
        harness.check(expect![[r#"
             9 bob   call-6 answered cancel
            10 bob   call-6 declined
            11 bob   released
            12 agent turn rests
            13 agent turn starts on prompt-8 with model-1, default
            owed: think 1
        "#]]);
    }
    // Without the right to prompt it is not theirs to let go.
    let mut harness = asking_once(&["write a"]);
    harness.prompt_in("ann", 1, "later");
    let approver = Who { rights: Rights::of([Right::Approve]), ..somebody("eve") };
    harness.send_as(approver, "m", reply(1, "no")).unwrap();
    assert_eq!(harness.state.held().count(), 1);
}

#[test]
fn words_for_a_task_that_asks_nothing_are_a_prompt() {
    let mut harness = asking_once(&["write a"]);
    harness.prompt_new("ann", 2, TaskKind::OpenEnded, "wait");
    harness.skip_ahead();
    harness.send("bob", reply(2, "yes")).unwrap();
    harness.check(expect![[r#"
         9 bob   prompted task 2 (OpenEnded) "yes"
        owed: nothing but answers
    "#]]);
    let anywhere = reply_in(2, ReplyScope::Session, "yes");
    harness.send("bob", anywhere).unwrap();
    harness.check(expect![[r#"
        10 bob   call-6 answered proceed_once
        owed: run call-6
    "#]]);
}

#[test]
fn an_unclear_reply_decides_nothing_and_repeats_the_question() {
    let mut harness = asking_once(&["run ls"]);
    let refused = harness.send("bob", reply(1, "yes, and more")).unwrap_err();
    let Refusal::UnclearReply { question } = &refused else { panic!("{refused}") };
    assert!(question.contains("run a command in /w:\n    ls\n"), "{question}");
    assert!(refused.to_string().starts_with("the reply is no answer to what is asked, so nothing was decided. "));
}

/// A question takes any text, but not one that was meant for another ask.
#[test]
fn a_late_reply_with_the_number_of_a_closed_ask_answers_no_other() {
    let mut harness = asking_once(&["write a"]);
    let number = harness.call("write a").0;
    harness.send("bob", reply(1, &format!("{number} yes"))).unwrap();
    harness.perform("write a");
    harness.step(&["ask_user colour"]);
    let schema = Some(serde_json::json!({"properties": {"0": {"type": "string"}}}));
    let details = AskDetails::Generic { description: "Which colour?".into(), schema };
    harness.vet("ask_user colour", PolicyVerdict::Ask(Ask::new(details, vec![once_choice(), cancel_choice()])));
    harness.clock.0 += 5_000;
    let refused = harness.send("bob", reply(1, &format!("{number} yes"))).unwrap_err();
    let why = format!(
        "so nothing was decided. Ask {number} is closed: bob chose proceed_once; ask {} is open. Ask ",
        harness.call("ask_user colour").0
    );
    assert!(refused.to_string().contains(&why), "{refused}");
    harness.send("bob", reply(1, "3 apples")).unwrap();
}

#[test]
fn a_numbered_no_with_words_declines_its_ask_and_is_the_next_prompt() {
    let mut harness = asking_once(&["write a", "run b"]);
    let number = harness.call("run b").0;
    harness.send("bob", reply(1, &format!("{number} no, keep z.txt"))).unwrap();
    harness.check(expect![[r#"
        10 bob   call-7 answered cancel
        11 bob   call-7 declined
        12 bob   prompted task 1 (Once) "7 no, keep z.txt"
        owed: nothing but answers
    "#]]);
    harness.send("bob", reply(1, "no")).unwrap();
    harness.check(expect![[r#"
        13 bob   call-6 answered cancel
        14 bob   call-6 declined
        15 agent turn rests
        16 agent turn starts on prompt-12 with model-1, default
        owed: think 1
    "#]]);
}

/// What was allowed runs beside the asks that are still open.
#[test]
fn a_reply_with_a_number_is_heard_while_another_call_runs() {
    let mut harness = asking_once(&["write a", "run b", "run c"]);
    let number = |harness: &SessionHarness, call: &str| harness.call(call).0;
    let (first, second, third) = (number(&harness, "write a"), number(&harness, "run b"), number(&harness, "run c"));
    harness.send("bob", reply(1, &format!("{first} yes"))).unwrap();
    harness.send("bob", reply(1, &format!("{second} yes"))).unwrap();
    harness.check(expect![[r#"
        12 bob   call-6 answered proceed_once
        13 bob   call-7 answered proceed_once
        owed: run call-6
    "#]]);
    // Any other text is a prompt that waits, also what would be an answer if nothing ran.
    for text in ["yes", "no", "2", &format!("{first} yes")] {
        harness.send("bob", reply(1, text)).unwrap();
    }
    assert_eq!(harness.state.queue.len(), 4);
    harness.send("bob", reply(1, &format!("{third} yes, and more"))).unwrap_err();
    let prompter = Who { rights: Rights::of([Right::Prompt]), ..somebody("eve") };
    let refused = harness.send_as(prompter, "m", reply(1, &format!("{third} no")));
    assert_eq!(refused, Err(Refusal::NotAllowed { right: Right::Approve }));
}

/// A turn in which a plan waits.
fn proposing_a_plan() -> SessionHarness {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "go");
    harness.step(&["exit_plan_mode p"]);
    let schema = serde_json::json!({"properties": {
        "approved": {"type": "boolean"}, "approvalMode": {"enum": ["default", "autoEdit"]}, "feedback": {"type": "string"},
    }});
    let details = AskDetails::Generic { description: "Write it.".into(), schema: Some(schema) };
    harness.vet("exit_plan_mode p", PolicyVerdict::Ask(Ask::new(details, vec![once_choice(), cancel_choice()])));
    harness.skip_ahead();
    harness.clock.0 += 1_000;
    harness
}

#[test]
fn words_to_a_plan_send_it_back_and_are_no_prompt() {
    for text in ["no, smaller steps", "6 no, smaller steps", "smaller steps"] {
        let mut harness = proposing_a_plan();
        harness.send("bob", reply(1, text)).unwrap();
        assert_eq!(harness.state.queue.len(), 0, "{text}");
        let answers = serde_json::json!({"approved": false, "feedback": text.trim_start_matches("6 ")});
        let call = &harness.state.turn.as_ref().unwrap().calls[&harness.call("exit_plan_mode p")];
        assert_eq!(call.edit, Some(AnswerEdit::Answers { answers }), "{text}");
        assert_eq!(harness.owed(), [Effect::Run { call: call.id }], "{text}");
    }
    let mut harness = proposing_a_plan();
    harness.send("bob", reply(1, "no")).unwrap();
    harness.check(expect![[r#"
         8 bob   call-6 answered cancel
         9 bob   call-6 declined
        10 agent turn rests
        11 agent task 1 closed completed
        owed: nothing
    "#]]);
    // Whoever may not decide about it says something to the agent.
    let mut harness = proposing_a_plan();
    let prompter = Who { rights: Rights::of([Right::Prompt]), ..somebody("eve") };
    harness.send_as(prompter, "m", reply(1, "no, smaller steps")).unwrap();
    harness.check(expect![[r#"
         8 eve   prompted task 1 (Once) "no, smaller steps"
        owed: nothing but answers
    "#]]);
}

#[test]
fn only_who_may_approve_answers_in_words() {
    let prompter = Who { rights: Rights::of([Right::Prompt]), ..somebody("eve") };
    for text in ["yes", "no", "always", "1", "yes, and more"] {
        let mut harness = asking_once(&["write a"]);
        let refused = harness.send_as(prompter.clone(), "m", reply(1, text));
        assert_eq!(refused, Err(Refusal::NotAllowed { right: Right::Approve }), "{text}");
    }
    let mut harness = asking_once(&["write a"]);
    harness.send_as(prompter, "m", reply(1, "do something else")).unwrap();
    harness.check(expect![[r#"
         8 eve   prompted task 1 (Once) "do something else"
        owed: nothing but answers
    "#]]);
    let approver = Who { rights: Rights::of([Right::Approve]), ..somebody("eve") };
    let refused = harness.send_as(approver, "n", reply(1, "do something else"));
    assert_eq!(refused, Err(Refusal::NotAllowed { right: Right::Prompt }));
}

/// A doubled click, or a retry under a new id, and an ask that opens in between.
#[test]
fn a_reply_sent_twice_does_not_answer_the_next_ask() {
    for (second, passed, is_taken) in [
        ("yes", 150, false),
        ("2", 150, false),
        ("no", 150, true),
        ("yes", 1_100, false),
        ("1", 1_999, false),
        ("yes", 2_000, true),
    ] {
        let mut harness = asking_once(&["write a"]);
        harness.send("bob", reply(1, "yes")).unwrap();
        harness.perform("write a");
        harness.step(&["run ls"]);
        harness.ask("run ls");
        harness.clock.0 += passed;
        let twice = harness.send("bob", reply(1, second));
        assert_eq!(twice.is_ok(), is_taken, "{second} after {passed} ms: {twice:?}");
        if let Err(refused) = twice {
            let Refusal::UnclearReply { question } = &refused else { panic!("{refused}") };
            assert!(question.contains("run a command in /w:\n    ls\n"), "{question}");
        }
    }
}

/// Two clients of one name are shown the first ask. One answers it, and the other's yes comes when the next ask is open.
#[test]
fn a_late_yes_of_another_client_with_the_same_name_does_not_answer_the_next_ask() {
    for (second, passed, is_taken) in [
        ("yes", 1_100, false),
        ("yes", 2_500, false),
        ("2", 9_999, false),
        ("no", 2_500, true),
        ("number: yes", 2_500, true),
        ("yes", 10_000, true),
    ] {
        let mut harness = asking_once(&["write a"]);
        let first = harness.call("write a");
        harness.send("bob", reply(1, "yes")).unwrap();
        harness.perform("write a");
        harness.step(&["run ls"]);
        harness.ask("run ls");
        harness.clock.0 += passed;
        let text = second.replace("number", &harness.call("run ls").0.to_string());
        let late = harness.send("bob", with_shared_asks(reply(1, &text), vec![first]));
        assert_eq!(late.is_ok(), is_taken, "{second} after {passed} ms: {late:?}");
        if let Err(refused) = late {
            let Refusal::UnclearReply { question } = &refused else { panic!("{refused}") };
            assert!(
                question.starts_with("A question that was answered within the last ten seconds may have been"),
                "{question}"
            );
        }
    }
    // Nobody but the one who answered was shown the first.
    let mut harness = asking_once(&["write a"]);
    harness.send("bob", reply(1, "yes")).unwrap();
    harness.perform("write a");
    harness.step(&["run ls"]);
    harness.ask("run ls");
    harness.clock.0 += 2_500;
    let second = harness.call("run ls");
    harness.send("bob", with_shared_asks(reply(1, "yes"), vec![second])).unwrap();
}

/// What the edge knows of readers is no part of what was said.
#[test]
fn a_retry_is_the_same_reply_whoever_has_read_the_ask_meanwhile() {
    let mut harness = asking_once(&["write a"]);
    let first = harness.call("write a");
    harness.send_as(somebody("bob"), "m", reply(1, "yes")).unwrap();
    harness.perform("write a");
    harness.step(&["run ls"]);
    harness.ask("run ls");
    let again = with_shared_asks(reply(1, "yes"), vec![first]);
    assert_eq!(harness.send_as(somebody("bob"), "m", again), Ok(Vec::new()));
}

/// A prompt that waited goes on by itself, so the ask of the next turn is as unread as one of the same turn.
#[test]
fn a_reply_sent_twice_does_not_answer_the_next_turns_ask() {
    for (passed, is_taken) in [(500, false), (1_999, false), (2_000, true)] {
        let mut harness = asking_once(&["write a"]);
        harness.prompt_in("bob", 1, "and keep it short");
        harness.send("bob", reply(1, "yes")).unwrap();
        harness.perform("write a");
        harness.step(&[]);
        harness.step(&["run ls"]);
        harness.ask("run ls");
        harness.clock.0 += passed;
        let twice = harness.send("bob", reply(1, "yes"));
        assert_eq!(twice.is_ok(), is_taken, "after {passed} ms: {twice:?}");
    }
    // Another's prompt tells the sender nothing of the turn.
    let mut harness = asking_once(&["write a"]);
    harness.send("bob", reply(1, "yes")).unwrap();
    harness.perform("write a");
    let ann = Who { principal: "token".into(), ..somebody("ann") };
    let target = PromptTarget::Existing { task: task(1) };
    harness.send_as(ann, "m", Command::prompt(target, "more")).unwrap();
    harness.step(&[]);
    harness.step(&["run ls"]);
    harness.ask("run ls");
    harness.send("bob", reply(1, "yes")).unwrap_err();
}

#[test]
fn whoever_names_the_ask_or_has_not_just_answered_is_heard_at_once() {
    let next_ask = || {
        let mut harness = asking_once(&["write a"]);
        harness.send("bob", reply(1, "yes")).unwrap();
        harness.perform("write a");
        harness.step(&["run ls"]);
        harness.ask("run ls");
        let number = harness.call("run ls").0;
        (harness, number)
    };
    let (mut harness, number) = next_ask();
    harness.send("bob", reply(1, &format!("{number}: yes"))).unwrap();
    let (mut harness, _) = next_ask();
    harness.answer("bob", "run ls", "proceed_once");
    // An ask that was open before the last answer has been read.
    let mut harness = asking_once(&["write a", "run ls"]);
    harness.clock.0 += 5;
    harness.send("bob", reply(1, &format!("{}: yes", harness.call("write a").0))).unwrap();
    harness.perform("write a");
    harness.send("bob", reply(1, "yes")).unwrap();
}

/// The second of three may find its ask answered and the turn over, and then it is a prompt.
#[test]
fn a_reply_sent_three_times_does_not_answer_the_ask_of_the_turn_that_it_began() {
    for (passed, is_taken) in [(300, false), (1_999, false), (2_000, true)] {
        let mut harness = SessionHarness::new();
        harness.prompt_new("bob", 1, TaskKind::OpenEnded, "go");
        harness.step(&["write a"]);
        harness.ask("write a");
        harness.send("bob", reply(1, "yes")).unwrap();
        harness.perform("write a");
        harness.step(&[]);
        harness.send("bob", reply(1, "yes")).unwrap();
        harness.step(&["run ls"]);
        harness.ask("run ls");
        harness.clock.0 += passed;
        let number = harness.call("run ls").0;
        let again = harness.send("bob", reply(1, "yes"));
        assert_eq!(again.is_ok(), is_taken, "after {passed} ms: {again:?}");
        if !is_taken {
            harness.send("bob", reply(1, &format!("{number}: yes"))).unwrap();
        }
    }
}

/// Whoever was shown an ask that is gone by now may mean that one.
#[test]
fn a_bare_yes_does_not_answer_another_ask_than_the_sender_saw() {
    let eve = || Who { principal: "token".into(), ..somebody("eve") };
    // Somebody else answered the first.
    let mut harness = asking_once(&["write a"]);
    harness.send("bob", reply(1, "yes")).unwrap();
    harness.perform("write a");
    harness.step(&["run ls"]);
    harness.ask("run ls");
    harness.clock.0 += 60_000;
    let Err(Refusal::UnclearReply { question }) = harness.send_as(eve(), "m", reply(1, "yes")) else { panic!("taken") };
    assert!(question.contains("Another question was closed"), "{question}");
    harness.send_as(eve(), "n", reply(1, "no")).unwrap();
    let mut harness = asking_once(&["write a"]);
    harness.send("bob", reply(1, "yes")).unwrap();
    harness.perform("write a");
    harness.step(&["run ls"]);
    harness.ask("run ls");
    let number = harness.call("run ls").0;
    harness.send_as(eve(), "m", reply(1, &format!("{number}: yes"))).unwrap();
    // Nobody answered it: another mode needs no answer.
    let mut harness = asking_once(&["write a", "run ls"]);
    harness.clock.0 += 60_000;
    let mode = SessionSetting::Mode(ApprovalMode::AutoEdit);
    harness.send("ann", Command::Set { setting: mode }).unwrap();
    harness.allow("write a");
    harness.ask("run ls");
    harness.perform("write a");
    harness.send("bob", reply(1, "yes")).unwrap_err();
    let number = harness.call("run ls").0;
    harness.send("bob", reply(1, &format!("{number}: yes"))).unwrap();
}

/// Somebody else has declined what the sender was asked, and prompted anew: a late yes was never meant for what is asked now.
#[test]
fn a_late_yes_does_not_answer_an_ask_of_somebody_elses_turn() {
    let eve = || Who { principal: "token".into(), ..somebody("eve") };
    for (label, principal) in [("eve", "token"), ("eve", "local")] {
        let sender = || Who { principal: principal.into(), ..somebody(label) };
        let mut harness = SessionHarness::new();
        let target = PromptTarget::New { task: task(1), kind: TaskKind::OpenEnded, edge: serde_json::Value::Null };
        harness.send_as(sender(), "first", Command::prompt(target, "go")).unwrap();
        harness.step(&["write a"]);
        harness.ask("write a");
        harness.send("bob", reply(1, "no")).unwrap();
        harness.prompt_in("bob", 1, "something else");
        harness.step(&["run ls"]);
        harness.ask("run ls");
        harness.clock.0 += 60_000;
        let Err(Refusal::UnclearReply { question }) = harness.send_as(sender(), "late", reply(1, "yes")) else {
            panic!("taken")
        };
        assert!(question.contains("Another question was closed"), "{question}");
    }
    // In somebody else's turn nobody can have read what has just opened.
    for (passed, is_taken) in [(999, false), (1_000, true)] {
        let mut harness = SessionHarness::new();
        harness.prompt_new("ann", 1, TaskKind::OpenEnded, "go");
        harness.step(&["run ls"]);
        harness.ask("run ls");
        harness.clock.0 += passed;
        let replied = harness.send_as(eve(), "m", reply(1, "yes"));
        assert_eq!(replied.is_ok(), is_taken, "after {passed} ms: {replied:?}");
    }
}

/// A yes that finds its ask closed becomes a prompt, and the same yes again must not meet what that prompt asks.
#[test]
fn a_yes_sent_twice_does_not_answer_the_ask_of_the_turn_that_it_began() {
    for (passed, is_taken) in [(300, false), (9_999, false), (10_000, true)] {
        let mut harness = SessionHarness::new();
        harness.prompt_new("alice", 1, TaskKind::OpenEnded, "go");
        harness.step(&["write a"]);
        harness.ask("write a");
        harness.send("bob", reply(1, "no")).unwrap();
        harness.send("alice", reply(1, "yes")).unwrap();
        harness.step(&["run ls"]);
        harness.ask("run ls");
        harness.clock.0 += passed;
        let again = harness.send("alice", reply(1, "yes"));
        assert_eq!(again.is_ok(), is_taken, "after {passed} ms: {again:?}");
    }
}
