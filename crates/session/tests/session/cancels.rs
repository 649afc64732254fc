//! Cancel at every point of a turn's life, and what becomes of the queue.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{PromptStatus, TaskKind, TaskStatus, TurnOutcome};
use pretty_assertions::assert_eq;

#[test]
fn when_idle_there_is_nothing_to_cancel() {
    let mut stage = SessionHarness::new();
    stage.cancel("ann");
    stage.prompt("ann", "one");
    stage.step(&[]);
    stage.cancel("ann");
    stage.check(expect![[r#"
         - ann   refused: nothing is running that could be cancelled
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent step ends STOP
         6 agent turn rests
         - ann   refused: nothing is running that could be cancelled
        owed: nothing
    "#]]);
}

#[test]
fn while_thinking() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.cancel("bob");
    stage.text("late");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   turn cancelled
         - agent refused: this work is no longer owed
        owed: nothing
    "#]]);
    assert_eq!(stage.state.session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
}

#[test]
fn while_streaming() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.text("half a sent");
    stage.cancel("bob");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent says "half a sent"
         6 bob   item-5 cut at 11
         7 bob   turn cancelled
        owed: nothing
    "#]]);
}

#[test]
fn while_vetting() {
    let mut stage = SessionHarness::calling(&["write a", "read b"]);
    stage.cancel("bob");
    stage.ask("write a");
    stage.allow("read b");
    stage.check(expect![[r#"
         8 bob   call-6 cancelled
         9 bob   call-7 cancelled
        10 bob   turn cancelled
         - agent refused: this work is no longer owed
         - agent refused: this work is no longer owed
        owed: nothing
    "#]]);
}

#[test]
fn while_asking() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.ask("write a");
    stage.cancel("bob");
    stage.answer("ann", "write a", "proceed_once");
    stage.check(expect![[r#"
         7 agent call-6 asks under 0
         8 bob   call-6 cancelled
         9 bob   turn cancelled
         - ann   refused: call-6 is no longer waiting for an answer
        owed: nothing
    "#]]);
}

#[test]
fn while_ready() {
    let mut stage = SessionHarness::calling(&["write a"]);
    stage.allow("write a");
    stage.cancel("bob");
    stage.start("write a");
    stage.check(expect![[r#"
         7 agent call-6 allowed
         8 bob   call-6 cancelled
         9 bob   turn cancelled
         - agent refused: this work is no longer owed
        owed: nothing
    "#]]);
}

#[test]
fn while_running_beside_an_ask_and_a_finished_call() {
    let mut stage = SessionHarness::calling(&["run ls", "read b", "write c"]);
    stage.allow("run ls");
    stage.allow("read b");
    stage.ask("write c");
    stage.perform("read b");
    stage.start("run ls");
    stage.output("run ls", "half", 0);
    stage.cancel("bob");
    stage.output("run ls", "late", 0);
    stage.done("run ls");
    stage.check(expect![[r#"
         9 agent call-6 allowed
        10 agent call-7 allowed
        11 agent call-8 asks under 0
        12 agent call-7 starts
        13 agent call-7 succeeded
        14 agent call-6 starts
        15 agent call-6 prints at 0 "half"
        16 bob   call-6 cancelled
        17 bob   call-8 cancelled
        18 bob   turn cancelled
         - agent refused: this work is no longer owed
         - agent refused: this work is no longer owed
        owed: nothing
    "#]]);
}

#[test]
fn between_steps() {
    let mut stage = SessionHarness::calling(&["read a"]);
    stage.allow("read a");
    stage.perform("read a");
    stage.cancel("bob");
    stage.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent call-6 succeeded
        10 bob   turn cancelled
        owed: nothing
    "#]]);
}

#[test]
fn the_queue_is_held_until_somebody_releases_it() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt("ann", "two");
    stage.cancel("bob");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 bob   turn cancelled
        owed: nothing while held
    "#]]);
    assert_eq!(stage.state.standing(stage.prompt_id("two")), PromptStatus::Waiting);
    assert_eq!(stage.state.session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
    stage.cancel("bob");
    stage.release("bob");
    stage.release("bob");
    stage.check(expect![[r#"
         - bob   refused: nothing is running that could be cancelled
         7 bob   released
         8 agent turn starts on prompt-5 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_command_of_ones_own_leaves_a_held_queue_held() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt("ann", "two");
    stage.cancel("ann");
    stage.prompt("ann", "/shell ls");
    stage.step(&[]);
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 ann   turn cancelled
         7 ann   prompted main (OpenEnded) "/shell ls"
         8 agent turn starts on prompt-7 with model-1, default
         9 agent step ends STOP
        10 agent turn rests
        owed: nothing while held
    "#]]);
    // Any other prompt lets the rest follow.
    stage.prompt("ann", "three");
    assert_eq!(stage.state.held().count(), 0);
}

#[test]
fn the_queue_is_held_until_somebody_prompts_and_that_goes_first() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt("ann", "two");
    stage.cancel("bob");
    stage.prompt("bob", "three");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 bob   turn cancelled
         7 bob   prompted main (OpenEnded) "three"
         8 agent turn starts on prompt-7 with model-1, default
        owed: think 1
    "#]]);
    stage.step(&[]);
    stage.check(expect![[r#"
         9 agent step ends STOP
        10 agent turn rests
        11 agent turn starts on prompt-5 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_no_holds_the_prompts_of_its_own_task() {
    let mut stage = SessionHarness::calling(&["run ls"]);
    stage.ask("run ls");
    stage.prompt("ann", "two");
    stage.answer("bob", "run ls", "cancel");
    stage.check(expect![[r#"
         7 agent call-6 asks under 0
         8 ann   prompted main (OpenEnded) "two"
         9 bob   call-6 answered cancel
        10 bob   call-6 declined
        11 agent turn rests
        owed: nothing while held
    "#]]);
    stage.release("ann");
    stage.check(expect![[r#"
        12 ann   released
        13 agent turn starts on prompt-8 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_no_holds_no_prompt_of_another_task() {
    let mut stage = SessionHarness::calling(&["run ls"]);
    stage.ask("run ls");
    stage.prompt_new("zed", 1, TaskKind::Once, "other");
    stage.answer("bob", "run ls", "cancel");
    stage.check(expect![[r#"
         7 agent call-6 asks under 0
         8 zed   prompted task 1 (Once) "other"
         9 bob   call-6 answered cancel
        10 bob   call-6 declined
        11 agent turn rests
        12 agent turn starts on prompt-8 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_no_holds_what_was_said_before_it_even_if_the_turn_goes_on() {
    let mut stage = SessionHarness::calling(&["run ls", "write a"]);
    stage.ask("run ls");
    stage.ask("write a");
    stage.prompt("ann", "before");
    stage.prompt_new("zed", 1, TaskKind::Once, "other");
    stage.answer("bob", "run ls", "cancel");
    stage.answer("bob", "write a", "cancel");
    stage.check(expect![[r#"
         8 agent call-6 asks under 0
         9 agent call-7 asks under 0
        10 ann   prompted main (OpenEnded) "before"
        11 zed   prompted task 1 (Once) "other"
        12 bob   call-6 answered cancel
        13 bob   call-6 declined
        14 bob   call-7 answered cancel
        15 bob   call-7 declined
        16 agent turn rests
        17 agent turn starts on prompt-11 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn what_is_said_after_a_no_goes_on_when_the_turn_ends() {
    let mut stage = SessionHarness::calling(&["run ls", "write a"]);
    stage.ask("run ls");
    stage.ask("write a");
    stage.prompt("ann", "before");
    stage.answer("bob", "run ls", "cancel");
    stage.prompt("bob", "after");
    stage.answer("bob", "write a", "cancel");
    stage.check(expect![[r#"
         8 agent call-6 asks under 0
         9 agent call-7 asks under 0
        10 ann   prompted main (OpenEnded) "before"
        11 bob   call-6 answered cancel
        12 bob   call-6 declined
        13 bob   prompted main (OpenEnded) "after"
        14 bob   call-7 answered cancel
        15 bob   call-7 declined
        16 agent turn rests
        17 agent turn starts on prompt-13 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_held_prompt_can_be_taken_out() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt("ann", "two");
    stage.cancel("bob");
    stage.unqueue("bob", "two");
    stage.prompt("bob", "three");
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 bob   turn cancelled
         7 bob   unqueued prompt-5
         8 bob   prompted main (OpenEnded) "three"
         9 agent turn starts on prompt-8 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn an_empty_queue_is_not_held() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.cancel("bob");
    assert_eq!(stage.state.held().count(), 0);
}

#[test]
fn cancelling_a_task_closes_it_and_drops_only_its_prompts() {
    let mut stage = SessionHarness::new();
    stage.prompt_new("ann", 1, TaskKind::OpenEnded, "one");
    stage.prompt_in("ann", 1, "two");
    stage.prompt("bob", "other");
    stage.text("half");
    stage.cancel_task("ann", 1);
    stage.check(expect![[r#"
         3 ann   prompted task 1 (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted task 1 (OpenEnded) "two"
         6 bob   prompted main (OpenEnded) "other"
         7 agent says "half"
         8 ann   unqueued prompt-5
         9 ann   item-7 cut at 4
        10 ann   turn cancelled
        11 ann   released
        12 ann   task 1 closed canceled
        13 agent turn starts on prompt-6 with model-1, default
        owed: think 1
    "#]]);
    stage.cancel_task("ann", 1);
    stage.prompt_in("ann", 1, "three");
    stage.cancel_task("ann", 2);
    stage.check(expect![[r#"
         - ann   refused: task 00000000-0000-0000-0000-000000000001 is canceled and takes no more messages; start a new task
         - ann   refused: task 00000000-0000-0000-0000-000000000001 is canceled and takes no more messages; start a new task
         - ann   refused: no task 00000000-0000-0000-0000-000000000002 here; leave the task id out to start one
        owed: think 1
    "#]]);
}

#[test]
fn cancelling_a_waiting_task_leaves_the_running_turn_alone() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt_new("bob", 1, TaskKind::OpenEnded, "two");
    stage.prompt("ann", "three");
    stage.cancel_task("bob", 1);
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   prompted task 1 (OpenEnded) "two"
         6 ann   prompted main (OpenEnded) "three"
         7 bob   unqueued prompt-5
         8 bob   task 1 closed canceled
        owed: think 1
    "#]]);
}

#[test]
fn cancelling_a_task_while_the_queue_is_held_leaves_it_held() {
    let mut stage = SessionHarness::new();
    stage.prompt("ann", "one");
    stage.prompt("ann", "two");
    stage.prompt_new("bob", 1, TaskKind::OpenEnded, "three");
    stage.cancel("ann");
    stage.cancel_task("bob", 1);
    stage.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 bob   prompted task 1 (OpenEnded) "three"
         7 ann   turn cancelled
         8 bob   unqueued prompt-6
         9 bob   task 1 closed canceled
        owed: nothing while held
    "#]]);
}

#[test]
fn cancelling_a_task_that_runs_alone_holds_nothing() {
    let mut stage = SessionHarness::calling(&["run ls"]);
    stage.allow("run ls");
    stage.start("run ls");
    stage.cancel_task("ann", 0);
    stage.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 ann   call-6 cancelled
        10 ann   turn cancelled
        11 ann   main closed canceled
        owed: nothing
    "#]]);
}

#[test]
fn cancelling_a_resting_task_closes_it() {
    let mut stage = SessionHarness::new();
    stage.prompt_new("ann", 1, TaskKind::OpenEnded, "one");
    stage.step(&[]);
    stage.cancel_task("ann", 1);
    stage.check(expect![[r#"
         3 ann   prompted task 1 (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent step ends STOP
         6 agent turn rests
         7 ann   task 1 closed canceled
        owed: nothing
    "#]]);
}
