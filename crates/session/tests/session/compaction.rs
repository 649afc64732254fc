//! Compaction: wanted by a person it waits for the turn and holds the next; the model may do it within a step; either
//! can be taken back.

use crate::harness::{SessionHarness, made};
use expect_test::expect;
use pollux_session::{Effect, ModelUsage, Refusal, Report, Seq, TaskStatus, TranscriptLine, TurnOutcome};
use pretty_assertions::assert_eq;

fn summaries(harness: &SessionHarness) -> Vec<(u64, &str, bool)> {
    let found = harness.transcript.lines().filter_map(|line| match line {
        TranscriptLine::Summary { before, text, undone } => Some((before.0, text.as_str(), *undone)),
        _ => None,
    });
    found.collect()
}

#[test]
fn an_idle_session_is_compacted_at_once() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.step(&[]);
    harness.skip_ahead();
    harness.compact("bob");
    harness.check(expect![[r#"
         7 bob   wants it compacted
        owed: compact for 7
    "#]]);
    // The session rests as its last turn left it: nobody's task is working.
    assert_eq!(harness.state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    harness.compacted(5, "They said one.");
    harness.check(expect![[r#"
         8 agent compacted before 5: "They said one."
        owed: nothing
    "#]]);
    assert_eq!(summaries(&harness), [(5, "They said one.", false)]);
}

#[test]
fn it_waits_for_the_turn_and_holds_the_next() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.compact("bob");
    harness.prompt("ann", "two");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   wants it compacted
         6 ann   prompted main (OpenEnded) "two"
        owed: think 1
    "#]]);
    harness.compacted(3, "too early");
    harness.step(&[]);
    harness.check(expect![[r#"
         - agent refused: this work is no longer owed
         7 agent step ends STOP
         8 agent turn rests
        owed: compact for 5
    "#]]);
    harness.prompt("ann", "three");
    harness.compacted(6, "one");
    harness.check(expect![[r#"
         9 ann   prompted main (OpenEnded) "three"
        10 agent compacted before 6: "one"
        11 agent turn starts on prompt-6 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn an_open_ask_is_never_compacted_away() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.ask("write a");
    harness.compact("bob");
    harness.check(expect![[r#"
         7 agent call-6 asks under 0
         8 bob   wants it compacted
        owed: nothing but answers
    "#]]);
    harness.answer("ann", "write a", "cancel");
    harness.check(expect![[r#"
         9 ann   call-6 answered cancel
        10 ann   call-6 declined
        11 agent turn rests
        owed: compact for 8
    "#]]);
}

#[test]
fn wanting_it_twice_is_wanting_it_once() {
    let mut harness = SessionHarness::new();
    harness.compact("ann");
    harness.compact("bob");
    harness.check(expect![[r#"
         3 ann   wants it compacted
        owed: compact for 3
    "#]]);
    harness.compacting(Report::NotCompacted { why: "there is nothing to compact".into() });
    harness.compact("bob");
    harness.check(expect![[r#"
         4 agent not compacted: there is nothing to compact
         5 bob   wants it compacted
        owed: compact for 5
    "#]]);
    // The first wish is over; what is said about it now is late.
    let late = harness.report(Effect::Compact { wanted: Seq(3) }, made(2, "late"));
    assert_eq!(late, Err(Refusal::NotOwed));
}

#[test]
fn a_cancel_without_a_turn_ends_it_and_the_queue_goes_on() {
    let mut harness = SessionHarness::new();
    harness.compact("ann");
    harness.prompt("ann", "one");
    harness.cancel("bob");
    harness.compacted(2, "late");
    harness.check(expect![[r#"
         3 ann   wants it compacted
         4 ann   prompted main (OpenEnded) "one"
         5 bob   not compacted: cancelled
         6 agent turn starts on prompt-4 with model-1, default
         - agent refused: this work is no longer owed
        owed: think 1
    "#]]);
}

#[test]
fn a_cancelled_turn_makes_room_for_it() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.compact("ann");
    harness.cancel("bob");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 ann   wants it compacted
         7 bob   turn cancelled
        owed: compact for 6
    "#]]);
    // The queue was held by the cancel before and is held after.
    harness.compacted(5, "one");
    harness.cancel("bob");
    harness.check(expect![[r#"
         8 agent compacted before 5: "one"
         - bob   refused: nothing is running that could be cancelled
        owed: nothing while held
    "#]]);
}

#[test]
fn the_model_compacts_within_its_own_step() {
    let mut harness = SessionHarness::calling(&["read a"]);
    harness.compacted_while_thinking(3, "while a call is open");
    harness.deny("read a");
    harness.compacted_while_thinking(6, "one");
    harness.text("On");
    harness.step(&[]);
    harness.check(expect![[r#"
         - agent refused: this work is no longer owed
         7 agent call-6 denied
         8 agent compacted before 6: "one"
         9 agent says "On"
        10 agent item-9 ends at 2
        11 agent step ends STOP
        12 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn what_the_model_compacted_fulfils_a_waiting_wish() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.compact("ann");
    harness.compacted_while_thinking(3, "one");
    harness.step(&[]);
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   wants it compacted
         6 agent compacted before 3: "one"
         7 agent step ends STOP
         8 agent turn rests
        owed: nothing
    "#]]);
}

#[test]
fn a_step_says_that_it_could_not_compact_and_goes_on() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    let [think] = harness.owed()[..] else { panic!("one effect") };
    let _ = harness.report(think, Report::NotCompacted { why: "no".into() });
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent not compacted: no
        owed: think 1
    "#]]);
}

#[test]
fn summaries_are_taken_back_newest_first() {
    let mut harness = SessionHarness::new();
    for (before, summary) in [(2, "a"), (3, "a and b")] {
        harness.compact("ann");
        harness.compacted(before, summary);
    }
    harness.skip_ahead();
    harness.uncompact("bob");
    assert_eq!(summaries(&harness), [(2, "a", false), (3, "a and b", true)]);
    harness.uncompact("bob");
    harness.uncompact("bob");
    harness.check(expect![[r#"
         7 bob   uncompacted
         8 bob   uncompacted
         - bob   refused: there is no summary to take back
        owed: nothing
    "#]]);
    assert_eq!(summaries(&harness), [(2, "a", true), (3, "a and b", true)]);
    harness.compact("ann");
    harness.compacted(4, "anew");
    harness.uncompact("bob");
    assert_eq!(summaries(&harness), [(2, "a", true), (3, "a and b", true), (4, "anew", true)]);
}

/// What the state counts is what the model is told, however often the conversation went back and forth.
#[test]
fn only_a_summary_that_is_told_now_is_taken_back() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.step(&[]);
    let rewind = |harness: &mut SessionHarness, to: Seq| {
        harness.prompt("ann", "/rewind");
        harness.think(Report::Commanded { name: "rewind".into() });
        harness.think(Report::Rewound { to });
        harness.step(&[]);
    };
    let head = harness.state.head;
    harness.compact("ann");
    harness.compacted(3, "a");
    harness.prompt("ann", "two");
    harness.step(&[]);
    let after = harness.state.head;
    assert_eq!(harness.state.summaries.count(), 1);
    rewind(&mut harness, Seq::START);
    assert_eq!((harness.state.summaries.count(), harness.transcript.summary()), (0, None));
    harness.skip_ahead();
    harness.uncompact("ann");
    harness.check(expect![[r#"
         - ann   refused: there is no summary to take back
        owed: nothing
    "#]]);
    rewind(&mut harness, after);
    assert_eq!((harness.state.summaries.count(), harness.transcript.summary().is_some()), (1, true));
    rewind(&mut harness, head);
    assert_eq!(harness.state.summaries.count(), usize::from(harness.transcript.summary().is_some()));
    rewind(&mut harness, after);
    harness.uncompact("ann");
    assert_eq!((harness.state.summaries.count(), harness.transcript.summary()), (0, None));
    rewind(&mut harness, after);
    assert_eq!((harness.state.summaries.count(), harness.transcript.summary()), (0, None));
}

#[test]
fn a_conversation_that_was_saved_is_no_summary() {
    let mut harness = SessionHarness::new();
    harness.compact("ann");
    harness.compacted(2, "a");
    harness.prompt("ann", "/chat resume t1");
    harness.think(Report::Commanded { name: "chat resume".into() });
    let before = harness.state.head;
    harness.think(Report::Compacted { before, summary: "the saved one".into(), usage: ModelUsage::default() });
    harness.step(&[]);
    harness.skip_ahead();
    harness.uncompact("ann");
    harness.check(expect![[r#"
         - ann   refused: there is no summary to take back
        owed: nothing
    "#]]);
    harness.compact("ann");
    harness.compacted(2, "both");
    harness.uncompact("ann");
    assert_eq!(harness.transcript.summary().map(|(_, text)| text), Some("the saved one"));
}

#[test]
fn a_restart_owes_it_again() {
    let mut harness = SessionHarness::new();
    harness.compact("ann");
    harness.prompt("ann", "one");
    harness.wake("model-1");
    harness.check(expect![[r#"
         3 ann   wants it compacted
         4 ann   prompted main (OpenEnded) "one"
        owed: compact for 3
    "#]]);
    harness.compacted(2, "nothing much");
    harness.wake("model-1");
    harness.check(expect![[r#"
         5 agent compacted before 2: "nothing much"
         6 agent turn starts on prompt-4 with model-1, default
        owed: think 1
    "#]]);
    assert_eq!(harness.state.summaries.count(), 1);
}

#[test]
fn a_report_of_another_shape_is_not_owed() {
    let mut harness = SessionHarness::new();
    harness.compact("ann");
    for report in [Report::Kept { failure: None }, Report::Starting, Report::Said { fragments: vec![], response: None }]
    {
        assert_eq!(harness.report(Effect::Compact { wanted: Seq(3) }, report), Err(Refusal::NotOwed));
    }
    // The wish is named by its entry: another number is another wish.
    assert_eq!(harness.report(Effect::Compact { wanted: Seq(2) }, made(2, "so far")), Err(Refusal::NotOwed));
}
