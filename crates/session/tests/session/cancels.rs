//! Cancel at every point of a turn's life, and what becomes of the queue.

use crate::harness::SessionHarness;
use expect_test::expect;
use pollux_session::{PromptStatus, TaskKind, TaskStatus, TurnOutcome};
use pretty_assertions::assert_eq;

#[test]
fn when_idle_there_is_nothing_to_cancel() {
    let mut harness = SessionHarness::new();
    harness.cancel("ann");
    harness.prompt("ann", "one");
    harness.step(&[]);
    harness.cancel("ann");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.cancel("bob");
    harness.text("late");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 bob   turn cancelled
         - agent refused: this work is no longer owed
        owed: nothing
    "#]]);
    assert_eq!(harness.state.session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
}

#[test]
fn while_streaming() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.text("half a sent");
    harness.cancel("bob");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["write a", "read b"]);
    harness.cancel("bob");
    harness.ask("write a");
    harness.allow("read b");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.ask("write a");
    harness.cancel("bob");
    harness.answer("ann", "write a", "proceed_once");
    harness.check(expect![[r#"
         7 agent call-6 asks under 0
         8 bob   call-6 cancelled
         9 bob   turn cancelled
         - ann   refused: call-6 is no longer waiting for an answer: its call or its turn has ended
        owed: nothing
    "#]]);
}

#[test]
fn while_ready() {
    let mut harness = SessionHarness::calling(&["write a"]);
    harness.allow("write a");
    harness.cancel("bob");
    harness.start("write a");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 bob   call-6 cancelled
         9 bob   turn cancelled
         - agent refused: this work is no longer owed
        owed: nothing
    "#]]);
}

#[test]
fn while_running_beside_an_ask_and_a_finished_call() {
    let mut harness = SessionHarness::calling(&["read b", "run ls", "write c"]);
    harness.allow("read b");
    harness.allow("run ls");
    harness.ask("write c");
    harness.perform("read b");
    harness.start("run ls");
    harness.output("run ls", "half", 0);
    harness.cancel("bob");
    harness.output("run ls", "late", 0);
    harness.done("run ls");
    harness.check(expect![[r#"
         9 agent call-6 allowed
        10 agent call-7 allowed
        11 agent call-8 asks under 0
        12 agent call-6 starts
        13 agent call-6 succeeded
        14 agent call-7 starts
        15 agent call-7 prints at 0 "half"
        16 bob   call-7 cancelled
        17 bob   call-8 cancelled
        18 bob   turn cancelled
         - agent refused: this work is no longer owed
         - agent refused: this work is no longer owed
        owed: nothing
    "#]]);
}

#[test]
fn between_steps() {
    let mut harness = SessionHarness::calling(&["read a"]);
    harness.allow("read a");
    harness.perform("read a");
    harness.cancel("bob");
    harness.check(expect![[r#"
         7 agent call-6 allowed
         8 agent call-6 starts
         9 agent call-6 succeeded
        10 bob   turn cancelled
        owed: nothing
    "#]]);
}

#[test]
fn the_queue_is_held_until_somebody_releases_it() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.cancel("bob");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 bob   turn cancelled
        owed: nothing while held
    "#]]);
    assert_eq!(harness.state.standing(harness.prompt_id("two")), PromptStatus::Waiting);
    assert_eq!(harness.state.session_status(), TaskStatus::Resting(TurnOutcome::Cancelled));
    harness.cancel("bob");
    harness.release("bob");
    harness.release("bob");
    harness.check(expect![[r#"
         - bob   refused: nothing is running that could be cancelled
         7 bob   released
         8 agent turn starts on prompt-5 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_command_of_ones_own_leaves_a_held_queue_held() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.cancel("ann");
    harness.prompt("ann", "/shell ls");
    harness.step(&[]);
    harness.check(expect![[r#"
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
    harness.prompt("ann", "three");
    assert_eq!(harness.state.held().count(), 0);
}

#[test]
fn commands_that_do_not_ask_the_model_leave_a_held_queue_held() {
    let commands = ["/about", "/restore 4", "/memory show", "/clear", "/chat list", "/compact", "/shell", "/auth"];
    for (text, held) in
        commands.map(|command| (command, 1)).into_iter().chain([("/init", 0), ("/mine x", 0), (" /about", 0)])
    {
        let mut harness = SessionHarness::new();
        harness.prompt("ann", "one");
        harness.prompt("ann", "two");
        harness.cancel("ann");
        harness.prompt("ann", text);
        assert_eq!(harness.state.held().count(), held, "{text}");
    }
}

#[test]
fn the_queue_is_held_until_somebody_prompts_and_that_goes_first() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.cancel("bob");
    harness.prompt("bob", "three");
    harness.check(expect![[r#"
         3 ann   prompted main (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 ann   prompted main (OpenEnded) "two"
         6 bob   turn cancelled
         7 bob   prompted main (OpenEnded) "three"
         8 agent turn starts on prompt-7 with model-1, default
        owed: think 1
    "#]]);
    harness.step(&[]);
    harness.check(expect![[r#"
         9 agent step ends STOP
        10 agent turn rests
        11 agent turn starts on prompt-5 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_no_holds_the_prompts_of_its_own_task() {
    let mut harness = SessionHarness::calling(&["run ls"]);
    harness.ask("run ls");
    harness.prompt("ann", "two");
    harness.answer("bob", "run ls", "cancel");
    harness.check(expect![[r#"
         7 agent call-6 asks under 0
         8 ann   prompted main (OpenEnded) "two"
         9 bob   call-6 answered cancel
        10 bob   call-6 declined
        11 agent turn rests
        owed: nothing while held
    "#]]);
    harness.release("ann");
    harness.check(expect![[r#"
        12 ann   released
        13 agent turn starts on prompt-8 with model-1, default
        owed: think 1
    "#]]);
}

#[test]
fn a_no_holds_no_prompt_of_another_task() {
    let mut harness = SessionHarness::calling(&["run ls"]);
    harness.ask("run ls");
    harness.prompt_new("zed", 1, TaskKind::Once, "other");
    harness.answer("bob", "run ls", "cancel");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["run ls", "write a"]);
    harness.ask("run ls");
    harness.ask("write a");
    harness.prompt("ann", "before");
    harness.prompt_new("zed", 1, TaskKind::Once, "other");
    harness.answer("bob", "run ls", "cancel");
    harness.answer("bob", "write a", "cancel");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["run ls", "write a"]);
    harness.ask("run ls");
    harness.ask("write a");
    harness.prompt("ann", "before");
    harness.answer("bob", "run ls", "cancel");
    harness.prompt("bob", "after");
    harness.answer("bob", "write a", "cancel");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.cancel("bob");
    harness.unqueue("bob", "two");
    harness.prompt("bob", "three");
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.cancel("bob");
    assert_eq!(harness.state.held().count(), 0);
}

#[test]
fn cancelling_a_task_closes_it_and_drops_only_its_prompts() {
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::OpenEnded, "one");
    harness.prompt_in("ann", 1, "two");
    harness.prompt("bob", "other");
    harness.text("half");
    harness.cancel_task("ann", 1);
    harness.check(expect![[r#"
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
    harness.cancel_task("ann", 1);
    harness.prompt_in("ann", 1, "three");
    harness.cancel_task("ann", 2);
    harness.check(expect![[r#"
         - ann   refused: task 00000000-0000-0000-0000-000000000001 is canceled and takes no more messages; start a new task
         - ann   refused: task 00000000-0000-0000-0000-000000000001 is canceled and takes no more messages; start a new task
         - ann   refused: no task 00000000-0000-0000-0000-000000000002 here; leave the task id out to start one
        owed: think 1
    "#]]);
}

#[test]
fn cancelling_a_waiting_task_leaves_the_running_turn_alone() {
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt_new("bob", 1, TaskKind::OpenEnded, "two");
    harness.prompt("ann", "three");
    harness.cancel_task("bob", 1);
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::new();
    harness.prompt("ann", "one");
    harness.prompt("ann", "two");
    harness.prompt_new("bob", 1, TaskKind::OpenEnded, "three");
    harness.cancel("ann");
    harness.cancel_task("bob", 1);
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::calling(&["run ls"]);
    harness.allow("run ls");
    harness.start("run ls");
    harness.cancel_task("ann", 0);
    harness.check(expect![[r#"
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
    let mut harness = SessionHarness::new();
    harness.prompt_new("ann", 1, TaskKind::OpenEnded, "one");
    harness.step(&[]);
    harness.cancel_task("ann", 1);
    harness.check(expect![[r#"
         3 ann   prompted task 1 (OpenEnded) "one"
         4 agent turn starts on prompt-3 with model-1, default
         5 agent step ends STOP
         6 agent turn rests
         7 ann   task 1 closed canceled
        owed: nothing
    "#]]);
}
