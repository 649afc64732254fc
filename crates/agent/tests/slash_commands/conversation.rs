//! Commands that change what the model knows.

use crate::slash_commands::command_session::{CommandTestSession, is_resting};
use pollux_session::{ApprovalMode, CancelScope, Command, TurnOutcome};
use pretty_assertions::assert_eq;

#[tokio::test]
async fn the_model_is_told_nothing_of_a_command() {
    let stage = CommandTestSession::new().await;
    stage.run_prompt("one").await;
    stage.run_prompt("/about").await.expect_command("about");
    stage.run_prompt("two").await;
    assert_eq!(stage.last_model_input(), "one\nok\ntwo");
}

#[tokio::test]
async fn clear_begins_anew() {
    let stage = CommandTestSession::new().await;
    stage.run_prompt("one").await;
    stage.run_prompt("/clear").await.expect_command("clear");
    stage.run_prompt("two").await;
    assert_eq!(stage.model_inputs(), ["one", "two"]);
}

#[tokio::test]
async fn compress_makes_a_summary_or_says_why_not() {
    let stage = CommandTestSession::new().await;
    stage.run_prompt("short").await;
    let why = "nothing was compressed: the conversation is still short (16 of at least 4096 bytes), so the model goes on \
               knowing all of it word for word";
    assert_eq!(stage.run_prompt("/compress").await.expect_failure(), why);
    stage.run_prompt("first, at length").await;
    stage.run_prompt("second").await;
    let said = stage.run_prompt("/compress").await.expect_command("compress");
    assert_eq!(said, "For the model, a summary of 2 characters stands for the older part of the conversation.");
    stage.run_prompt("third").await;
    let told = stage.last_model_input();
    assert!(told.starts_with("[This summary stands for our conversation so far.]\nok\n"), "{told}");
    assert!(!told.contains("first") && told.ends_with("third"), "{told}");
}

#[tokio::test]
async fn commands_wait_their_turn_and_can_be_cancelled() {
    let stage = CommandTestSession::new().await;
    stage.prompt("/memory add tea is best").await;
    let (_, call) = stage.wait_for_ask().await;
    assert_eq!(call.tool, "save_memory");
    stage.prompt("/about").await;
    stage.send(Command::Cancel { scope: CancelScope::Turn }).await;
    stage.send(Command::Release).await;
    let came = stage.wait_for_rest().await;
    assert_eq!((came.command.as_deref(), came.outcome), (Some("about"), TurnOutcome::Rested));
    assert!(is_resting(&stage.state()));
    assert!(!stage.dir.path().join("own/GEMINI.md").exists());
}

#[tokio::test]
async fn rewind_forgets_a_prompt_and_what_came_after() {
    let stage = CommandTestSession::new().await;
    stage.run_prompt("one").await;
    stage.run_prompt("two").await;
    stage.run_prompt("/shell pwd").await;
    stage.run_prompt("three").await;
    let listed = stage.run_prompt("/rewind").await.expect_command("rewind");
    let numbers: Vec<&str> =
        listed.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": ").map(|(number, _)| number)).collect();
    assert_eq!(numbers.len(), 3, "{listed}");
    let said = stage.run_prompt(&format!("/rewind {}", numbers[1])).await.expect_command("rewind");
    assert!(said.ends_with("\nFiles stay as they are; /restore puts them back."), "{said}");
    stage.run_prompt("four").await;
    assert_eq!(stage.last_model_input(), "one\nok\nfour");
}

#[tokio::test]
async fn rewind_with_a_checkpoint_that_is_not_there_goes_nowhere() {
    let stage = CommandTestSession::new().await;
    stage.run_prompt("one").await;
    let listed = stage.run_prompt("/rewind").await.expect_command("rewind");
    let number = listed.lines().find_map(|line| Some(line.strip_prefix("- ")?.split_once(": ")?.0)).unwrap();
    let why = stage.run_prompt(&format!("/rewind {number} what-was-saved")).await.expect_failure();
    assert_eq!(why, "there is no checkpoint what-was-saved; /restore list shows what there is");
    stage.run_prompt("two").await;
    assert_eq!(stage.last_model_input(), "one\nok\ntwo");
}

#[tokio::test]
async fn rewind_goes_to_no_other_entry() {
    let stage = CommandTestSession::new().await;
    assert_eq!(stage.run_prompt("/rewind").await.expect_command("rewind"), "There is no prompt to go back to.");
    stage.run_prompt("one").await;
    for wrong in ["1", "x", "99999"] {
        let why = stage.run_prompt(&format!("/rewind {wrong}")).await.expect_failure();
        assert_eq!(why, format!("there is no prompt {wrong} to go back to; /rewind lists them"));
    }
}

#[tokio::test]
async fn the_model_knows_of_a_command_that_the_person_ran() {
    let stage = CommandTestSession::new().await;
    // Policy knows that this only prints.
    stage.run_prompt("/shell echo \"a  b\"").await.expect_command("shell");
    assert_eq!(stage.model_inputs(), Vec::<String>::new(), "no model was asked");
    stage.run_prompt("what did it print?").await;
    let told = stage.last_model_input();
    assert!(told.contains("I ran this command myself:\necho \"a  b\"") && told.contains("a  b\n"), "{told}");
}

#[tokio::test]
async fn a_change_of_directory_says_that_it_does_not_last() {
    let stage = CommandTestSession::in_mode(ApprovalMode::Yolo).await;
    let said = stage.run_prompt("/shell cd ..").await.expect_command("shell");
    assert!(said.starts_with("This has no effect on later commands"), "{said}");
    assert_eq!(stage.run_prompt("/shell cd .. && pwd").await.expect_command("shell"), "");
}

#[tokio::test]
async fn a_command_that_is_declined_or_missing_is_not_run() {
    let stage = CommandTestSession::new().await;
    assert_eq!(stage.run_prompt("/shell").await.expect_failure(), "/shell needs a command; say /shell COMMAND");
    stage.prompt("/shell touch made").await;
    let (call, _) = stage.wait_for_ask().await;
    stage.answer(call, "cancel").await;
    stage.wait_for_rest().await;
    assert!(!stage.dir.path().join("made").exists());
}
