//! Several things said in one message: everything happens, in one commit, or nothing does.

use crate::harness::{SessionHarness, somebody, task};
use expect_test::expect;
use pollux_session::{
    Command, CommandFingerprint, CommandId, Event, PromptTarget, Refusal, Right, Rights, SessionSetting, TaskKind, Who,
};
use pretty_assertions::assert_eq;

/// A once task whose two calls ask, and another prompt that waits in it.
fn asking() -> SessionHarness {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::Once, "go");
    harness.step(&["write a", "run ls"]);
    harness.ask("write a");
    harness.ask("run ls");
    harness
}

fn answer(harness: &SessionHarness, label: &str, option: &str) -> Command {
    Command::Answer { call: harness.call(label), option: option.into(), edit: None }
}

fn prompt(text: &str) -> Command {
    Command::prompt(PromptTarget::Existing { task: task(1) }, text)
}

fn message(parts: Vec<Command>) -> Command {
    Command::Message { parts, releases: true }
}

#[test]
fn all_parts_are_one_commit_with_one_receipt() {
    let mut harness = asking();
    let model = Command::Set { setting: SessionSetting::Model("other".into()) };
    let parts =
        vec![model, answer(&harness, "write a", "cancel"), answer(&harness, "run ls", "cancel"), prompt("read it")];
    let id = CommandId("m".into());
    let entries = harness.send_as(somebody("bob"), "m", message(parts.clone())).unwrap();
    harness.check(expect![[r#"
         3 ann   prompted task 1 (Once) "go"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent step ends STOP
         6 agent calls write a
         7 agent calls run ls
         8 agent call-6 asks under 0
         9 agent call-7 asks under 0
        10 bob   model other
        11 bob   call-6 answered cancel
        12 bob   call-6 declined
        13 bob   call-7 answered cancel
        14 bob   call-7 declined
        15 bob   prompted task 1 (Once) "read it"
        16 agent turn rests
        17 agent turn starts on prompt-15 with other, default
        owed: think 1
    "#]]);
    let receipt = harness.state.receipt_of(&id, &message(parts.clone())).unwrap();
    let prompted = receipt.about.unwrap().1.0;
    assert_eq!((receipt.seq, receipt.settled()), (entries[1].seq, prompted));
    // The same again changes nothing.
    assert_eq!(harness.send_as(somebody("bob"), "m", message(parts)).unwrap(), []);
}

#[test]
fn a_part_that_is_refused_refuses_all() {
    let mut harness = asking();
    let head = harness.state.head;
    let (write, unheard) = (answer(&harness, "write a", "proceed_once"), answer(&harness, "run ls", "unheard of"));
    let yes = || write.clone();
    let cases = [
        (vec![yes(), unheard], "does not offer"),
        (vec![yes(), yes()], "already decided"),
        (vec![yes(), prompt(" ")], "empty"),
        (vec![yes(), message(vec![])], "none of them is a message"),
        (vec![prompt("x"); 65], "at most 64 parts"),
    ];
    for (parts, why) in cases {
        let refused = harness.send_as(somebody("bob"), "m", message(parts)).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
        assert_eq!(harness.state.head, head, "{why}");
    }
    let prompter = Who { rights: Rights::of([Right::Prompt]), ..somebody("eve") };
    let refused = harness.send_as(prompter, "n", message(vec![yes(), prompt("x")]));
    assert_eq!(refused, Err(Refusal::NotAllowed { right: Right::Approve }));
    assert_eq!(harness.state.head, head);
}

#[test]
fn a_message_that_an_earlier_release_took_in_parts_is_known() {
    let mut harness = asking();
    let (first, second) = (answer(&harness, "write a", "cancel"), answer(&harness, "run ls", "cancel"));
    harness.send_as(somebody("bob"), "m", first.clone()).unwrap();
    let both = message(vec![first.clone(), second.clone()]);
    // It was stopped in between: what is missing is taken now.
    let mut stopped = asking();
    stopped.send_as(somebody("bob"), "m", first).unwrap();
    let entries = stopped.send_as(somebody("bob"), "m", both.clone()).unwrap();
    assert!(matches!(&entries[0].event, Event::Answered { call, .. } if *call == stopped.call("run ls")));
    harness.send_as(somebody("bob"), "m/1", second.clone()).unwrap();
    let head = harness.state.head;
    assert_eq!(harness.send_as(somebody("bob"), "m", both.clone()).unwrap(), []);
    let receipt = harness.state.receipt_of(&CommandId("m".into()), &both).unwrap();
    let last = harness.state.receipt(&CommandFingerprint::of(&CommandId("m/1".into()), &second)).unwrap();
    assert_eq!((receipt.settled(), harness.state.head), (last.seq, head));
}
