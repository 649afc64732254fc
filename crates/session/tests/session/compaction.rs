//! Compaction: wanted by a person it waits for the turn and holds the next; the model may do it within a step; either
//! can be taken back.

use crate::harness::{SessionHarness, made};
use expect_test::expect;
use pollux_session::{Effect, Refusal, Report, Seq, TaskStatus, TranscriptLine, TurnOutcome};
use pretty_assertions::assert_eq;

fn summaries(stage: &SessionHarness) -> Vec<(u64, &str, bool)> {
    let found = stage.transcript.lines().filter_map(|line| match line {
        TranscriptLine::Summary { before, text, undone } => Some((before.0, text.as_str(), *undone)),
        _ => None,
    });
    found.collect()
}

#[test]
fn an_idle_session_is_compacted_at_once() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.step(&[]);
    stage.skip_ahead();
    stage.compact("bob");
    stage.check(expect![[r#"
         7 bob   wants it compacted
        owed: compact for 7
    "#]]);
    // The session rests as its last turn left it: nobody's task is working.
    assert_eq!(stage.state.session_status(), TaskStatus::Resting(TurnOutcome::Rested));
    stage.compacted(5, "They said one.");
    stage.check(expect![[r#"
         8 agent compacted before 5: "They said one."
        owed: nothing
    "#]]);
    assert_eq!(summaries(&stage), [(5, "They said one.", false)]);
}

#[test]
fn it_waits_for_the_turn_and_holds_the_next() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.compact("bob");
    stage.prompt("ann", "two");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   wants it compacted
         6 ann   prompted main (OpenEnded) "two"
        owed: think 1
    "#]]);
    stage.compacted(3, "too early");
    stage.step(&[]);
    stage.check(expect![[r#"
         - agent refused: this work is no longer owed
         7 agent step ends STOP
         8 agent turn rests
        owed: compact for 5
    "#]]);
    stage.prompt("ann", "three");
    stage.compacted(6, "one");
    stage.check(expect![[r#"
         9 ann   prompted main (OpenEnded) "three"
        10 agent compacted before 6: "one"
        11 agent turn starts on prompt-6 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn an_open_ask_is_never_compacted_away() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.ask("write a");
    stage.compact("bob");
    stage.check(expect![[r#"
         7 agent call-6 asks under 0
         8 bob   wants it compacted
        owed: nothing but answers
    "#]]);
    stage.answer("ann", "write a", "cancel");
    stage.check(expect![[r#"
         9 ann   call-6 answered cancel
        10 ann   call-6 declined
        11 agent turn rests
        owed: compact for 8
    "#]]);
}

#[test]
fn wanting_it_twice_is_wanting_it_once() {
    let mut stage = SessionHarness::new();
    stage.compact("ann");
    stage.compact("bob");
    stage.check(expect![[r#"
         3 ann   wants it compacted
        owed: compact for 3
    "#]]);
    stage.compacting(Report::NotCompacted { why: "there is nothing to compact".into() });
    stage.compact("bob");
    stage.check(expect![[r#"
         4 agent not compacted: there is nothing to compact
         5 bob   wants it compacted
        owed: compact for 5
    "#]]);
    // The first wish is over; what is said about it now is late.
    let late = stage.report(Effect::Compact { wanted: Seq(3) }, made(2, "late"));
    assert_eq!(late, Err(Refusal::NotOwed));
}

#[test]
fn a_cancel_without_a_turn_ends_it_and_the_queue_goes_on() {
    let mut stage = SessionHarness::new();
    stage.compact("ann");
    stage.prompt("ann", "one");
    stage.cancel("bob");
    stage.compacted(2, "late");
    stage.check(expect![[r#"
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
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt("ann", "two");
    stage.compact("ann");
    stage.cancel("bob");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 ann   wants it compacted
         7 bob   turn cancelled
        owed: compact for 6
    "#]]);
    // The queue was held by the cancel before and is held after.
    stage.compacted(5, "one");
    stage.cancel("bob");
    stage.check(expect![[r#"
         8 agent compacted before 5: "one"
         - bob   refused: nothing is running that could be cancelled
        owed: nothing while held
    "#]]);
}

#[test]
fn the_model_compacts_within_its_own_step() {
    let mut stage = SessionHarness::calling(&["read a"]);
    stage.compacted_while_thinking(3, "while a call is open");
    stage.deny("read a");
    stage.compacted_while_thinking(6, "one");
    stage.text("On");
    stage.step(&[]);
    stage.check(expect![[r#"
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
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.compact("ann");
    stage.compacted_while_thinking(3, "one");
    stage.step(&[]);
    stage.check(expect![[r#"
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
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    let [think] = stage.owed()[..] else { panic!("one effect") };
    let _ = stage.report(think, Report::NotCompacted { why: "no".into() });
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent not compacted: no
        owed: think 1
    "#]]);
}

#[test]
fn summaries_are_taken_back_newest_first() {
    let mut stage = SessionHarness::new();
    for (before, summary) in [(2, "a"), (3, "a and b")] {
        stage.compact("ann");
        stage.compacted(before, summary);
    }
    stage.skip_ahead();
    stage.uncompact("bob");
    assert_eq!(summaries(&stage), [(2, "a", false), (3, "a and b", true)]);
    stage.uncompact("bob");
    stage.uncompact("bob");
    stage.check(expect![[r#"
         7 bob   uncompacted
         8 bob   uncompacted
         - bob   refused: there is no summary to take back
        owed: nothing
    "#]]);
    assert_eq!(summaries(&stage), [(2, "a", true), (3, "a and b", true)]);
    stage.compact("ann");
    stage.compacted(4, "anew");
    stage.uncompact("bob");
    assert_eq!(summaries(&stage), [(2, "a", true), (3, "a and b", true), (4, "anew", true)]);
}

#[test]
fn a_restart_owes_it_again() {
    let mut stage = SessionHarness::new();
    stage.compact("ann");
    stage.prompt("ann", "one");
    stage.wake("model-1");
    stage.check(expect![[r#"
         3 ann   wants it compacted
         4 ann   prompted main (OpenEnded) "one"
        owed: compact for 3
    "#]]);
    stage.compacted(2, "nothing much");
    stage.wake("model-1");
    stage.check(expect![[r#"
         5 agent compacted before 2: "nothing much"
         6 agent turn starts on prompt-4 with model-1, default
        owed: think 1
    "#]]);
    assert_eq!(stage.state.summaries, 1);
}

#[test]
fn a_report_of_another_shape_is_not_owed() {
    let mut stage = SessionHarness::new();
    stage.compact("ann");
    for report in [Report::Kept { failure: None }, Report::Starting, Report::Said { fragments: vec![], response: None }]
    {
        assert_eq!(stage.report(Effect::Compact { wanted: Seq(3) }, report), Err(Refusal::NotOwed));
    }
    // The wish is named by its entry: another number is another wish.
    assert_eq!(stage.report(Effect::Compact { wanted: Seq(2) }, made(2, "so far")), Err(Refusal::NotOwed));
}
