//! Commands that change what the model knows.

use crate::registry::stage::{Stage, is_resting};
use pollux_session::{CancelScope, Command, TurnOutcome};
use pretty_assertions::assert_eq;

#[tokio::test]
async fn the_model_is_told_nothing_of_a_command() {
    let stage = Stage::new().await;
    stage.types("one").await;
    stage.types("/about").await.by("about");
    stage.types("two").await;
    assert_eq!(stage.last_told(), "one\nok\ntwo");
}

#[tokio::test]
async fn clear_begins_anew() {
    let stage = Stage::new().await;
    stage.types("one").await;
    stage.types("/clear").await.by("clear");
    stage.types("two").await;
    assert_eq!(stage.told(), ["one", "two"]);
}

#[tokio::test]
async fn compress_makes_a_summary_or_says_why_not() {
    let stage = Stage::new().await;
    stage.types("short").await;
    let why = "nothing was compressed: the conversation is too short to be worth a summary";
    assert_eq!(stage.types("/compress").await.why_not(), why);
    stage.types("first, at length").await;
    stage.types("second").await;
    let said = stage.types("/compress").await.by("compress");
    assert_eq!(said, "For the model, a summary of 2 characters stands for the older part of the conversation.");
    stage.types("third").await;
    let told = stage.last_told();
    assert!(told.starts_with("[This summary stands for our conversation so far.]\nok\n"), "{told}");
    assert!(!told.contains("first") && told.ends_with("third"), "{told}");
}

#[tokio::test]
async fn commands_wait_their_turn_and_can_be_cancelled() {
    let stage = Stage::new().await;
    stage.prompt("/memory add tea is best").await;
    let (_, call) = stage.asks().await;
    assert_eq!(call.tool, "save_memory");
    stage.prompt("/about").await;
    stage.send(Command::Cancel { scope: CancelScope::Turn }).await;
    stage.send(Command::Release).await;
    let came = stage.rests().await;
    assert_eq!((came.command.as_deref(), came.outcome), (Some("about"), TurnOutcome::Rested));
    assert!(is_resting(&stage.state()));
    assert!(!stage.dir.path().join("own/GEMINI.md").exists());
}

#[tokio::test]
async fn rewind_forgets_a_prompt_and_what_came_after() {
    let stage = Stage::new().await;
    stage.types("one").await;
    stage.types("two").await;
    stage.types("three").await;
    let listed = stage.types("/rewind").await.by("rewind");
    let numbers: Vec<&str> =
        listed.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": ").map(|(number, _)| number)).collect();
    assert_eq!(numbers.len(), 3, "{listed}");
    let said = stage.types(&format!("/rewind {}", numbers[1])).await.by("rewind");
    assert!(said.ends_with("\nFiles stay as they are; /restore puts them back."), "{said}");
    stage.types("four").await;
    assert_eq!(stage.last_told(), "one\nok\nfour");
}

#[tokio::test]
async fn rewind_after_a_restore_says_nothing_of_files() {
    let stage = Stage::new().await;
    stage.types("one").await;
    let listed = stage.types("/rewind").await.by("rewind");
    let number = listed.lines().find_map(|line| Some(line.strip_prefix("- ")?.split_once(": ")?.0)).unwrap();
    stage.types("/restore what-was-saved").await;
    let said = stage.types(&format!("/rewind {number}")).await.by("rewind");
    assert_eq!(said, "The conversation goes on just before this prompt: one");
}

#[tokio::test]
async fn rewind_goes_to_no_other_entry() {
    let stage = Stage::new().await;
    assert_eq!(stage.types("/rewind").await.by("rewind"), "There is no prompt to go back to.");
    stage.types("one").await;
    for wrong in ["1", "x", "99999"] {
        let why = stage.types(&format!("/rewind {wrong}")).await.why_not();
        assert_eq!(why, format!("there is no prompt {wrong} to go back to; /rewind lists them"));
    }
}

#[tokio::test]
async fn the_model_knows_of_a_command_that_the_person_ran() {
    let stage = Stage::new().await;
    // Policy knows that this only prints.
    stage.types("/shell echo \"a  b\"").await.by("shell");
    assert_eq!(stage.told(), Vec::<String>::new(), "no model was asked");
    stage.types("what did it print?").await;
    let told = stage.last_told();
    assert!(told.contains("I ran this command myself:\necho \"a  b\"") && told.contains("a  b\n"), "{told}");
}

#[tokio::test]
async fn a_command_that_is_declined_or_missing_is_not_run() {
    let stage = Stage::new().await;
    assert_eq!(stage.types("/shell").await.why_not(), "/shell needs a command; say /shell COMMAND");
    stage.prompt("/shell touch made").await;
    let (call, _) = stage.asks().await;
    stage.answer(call, "cancel").await;
    stage.rests().await;
    assert!(!stage.dir.path().join("made").exists());
}
