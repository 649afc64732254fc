//! Conversations that are kept.

use crate::slash_commands::command_session::CommandTestSession;
use pollux_session::{Command, CommandId, Refusal, SendError};
use pretty_assertions::assert_eq;

#[tokio::test]
async fn a_kept_conversation_goes_on_in_another_session() {
    let mut stage = CommandTestSession::new().await;
    assert_eq!(stage.run_prompt("/chat save one").await.expect_failure(), "there is no conversation to save yet");
    stage.run_prompt("my cat is called Tom").await;
    let said = "Saved as `one`. Resume it with `/chat resume one`.";
    assert_eq!(stage.run_prompt("/chat save one").await.expect_command("chat save"), said);
    let taken = "a conversation is saved as one already; choose another tag, or /chat delete one";
    assert_eq!(stage.run_prompt("/chat save one").await.expect_failure(), taken);
    stage.open_next_session().await;
    let listed = stage.run_prompt("/chat").await.expect_command("chat list").to_owned();
    assert!(listed.starts_with("- `one` (20") && listed.ends_with(')'), "{listed}");
    stage.run_prompt("forget this").await;
    let shown = stage.run_prompt("/chat resume one").await.expect_command("chat resume").to_owned();
    let conversation = "> my cat is called Tom\n\nok\n\n---\n\nThis is the conversation that was saved as `one`, with ";
    assert!(shown.starts_with(conversation), "the person sees what the model knows: {shown}");
    stage.run_prompt("how is it called?").await;
    let told = stage.last_model_input();
    assert!(told.contains("The person: my cat is called Tom\n\nYou: ok\n"), "{told}");
    assert!(!told.contains("forget this") && told.ends_with("how is it called?"), "{told}");
    // It stands there as a summary does, but is none that could be taken back. The conversation before it can be gone back to.
    let refused = stage.seat.send(CommandId("uncompress".into()), Command::Uncompact).await;
    assert!(matches!(refused, Err(SendError::Refused(Refusal::NothingToUncompact))), "{refused:?}");
    let listed = stage.run_prompt("/rewind").await.expect_command("rewind").to_owned();
    let number = listed.lines().find_map(|line| line.strip_suffix(": `forget this`")?.strip_prefix("- ")).unwrap();
    stage.run_prompt(&format!("/rewind {number}")).await.expect_command("rewind");
    stage.run_prompt("what was it?").await;
    assert_eq!(stage.last_model_input(), "what was it?");
    assert_eq!(
        stage.run_prompt("/chat delete one").await.expect_command("chat delete"),
        "Deleted the saved conversation `one`."
    );
    let none = "No conversation is saved for this workspace. /chat save TAG saves one.";
    assert_eq!(stage.run_prompt("/chat list").await.expect_command("chat list"), none);
}

#[tokio::test]
async fn a_command_is_kept_as_what_it_stands_for() {
    let mut stage = CommandTestSession::new().await;
    stage.write("workspace/a.txt", "apples\n");
    stage.write("own/commands/look.toml", "prompt = \"Look at {{args}}.\"");
    stage.run_prompt("/look @a.txt").await;
    stage.run_prompt("/chat save one").await.expect_command("chat save");
    stage.open_next_session().await;
    stage.run_prompt("/chat resume one").await.expect_command("chat resume");
    stage.run_prompt("and?").await;
    let told = stage.last_model_input();
    assert!(told.contains("The person: Look at @a.txt.\n\nAttached was @a.txt:\n"), "{told}");
    assert!(told.contains("apples") && !told.contains("/look"), "{told}");
}

#[tokio::test]
async fn a_long_command_leaves_room_for_the_rest() {
    let mut stage = CommandTestSession::new().await;
    stage.write("own/commands/long.toml", "prompt = \"{{args}}{{args}}{{args}}{{args}}\"");
    stage.run_prompt("my cat is called Tom").await;
    stage.run_prompt(&format!("/long {}", "x".repeat(40 * 1024))).await;
    stage.run_prompt("/chat save one").await.expect_command("chat save");
    stage.open_next_session().await;
    stage.run_prompt("/chat resume one").await.expect_command("chat resume");
    stage.run_prompt("and?").await;
    let told = stage.last_model_input();
    assert!(told.contains("The person: my cat is called Tom\n") && told.contains("The person: xxx"), "{}", told.len());
    assert!(told.contains("x […]\n\nYou: ok"), "{}", told.len());
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let stage = CommandTestSession::new().await;
    let missing = "no conversation is saved as x; /chat list shows what is";
    assert_eq!(stage.run_prompt("/chat resume x").await.expect_failure(), missing);
    assert_eq!(stage.run_prompt("/chat delete x").await.expect_failure(), missing);
    stage.run_prompt("hello").await;
    assert!(stage.run_prompt("/chat save ../x").await.expect_failure().starts_with("`../x` is no tag"));
    assert!(stage.run_prompt("/chat save two words").await.expect_failure().starts_with("`two words` is no tag"));
    assert!(stage.run_prompt("/chat save").await.expect_failure().starts_with("/chat save needs tag; say "));
}
