//! Conversations that are kept.

use crate::registry::stage::Stage;
use pretty_assertions::assert_eq;

#[tokio::test]
async fn a_kept_conversation_goes_on_in_another_session() {
    let mut stage = Stage::new().await;
    assert_eq!(stage.types("/chat save one").await.why_not(), "there is no conversation to keep yet");
    stage.types("my cat is called Tom").await;
    let said = "The conversation is kept as one. /chat resume one goes on from here.";
    assert_eq!(stage.types("/chat save one").await.by("chat save"), said);
    let taken = "a conversation is kept as one already; choose another tag, or /chat delete one";
    assert_eq!(stage.types("/chat save one").await.why_not(), taken);
    stage.move_on().await;
    assert_eq!(stage.types("/chat").await.by("chat list"), "- one");
    stage.types("forget this").await;
    stage.types("/chat resume one").await.by("chat resume");
    stage.types("how is it called?").await;
    let told = stage.last_told();
    assert!(told.contains("The person: my cat is called Tom\n\nYou: ok\n"), "{told}");
    assert!(!told.contains("forget this") && told.ends_with("how is it called?"), "{told}");
    assert_eq!(stage.types("/chat delete one").await.by("chat delete"), "The kept conversation one is gone.");
    let none = "No conversation is kept for this workspace. /chat save TAG keeps one.";
    assert_eq!(stage.types("/chat list").await.by("chat list"), none);
}

#[tokio::test]
async fn a_command_is_kept_as_what_it_stands_for() {
    let mut stage = Stage::new().await;
    stage.write("workspace/a.txt", "apples\n");
    stage.write("own/commands/look.toml", "prompt = \"Look at {{args}}.\"");
    stage.types("/look @a.txt").await;
    stage.types("/chat save one").await.by("chat save");
    stage.move_on().await;
    stage.types("/chat resume one").await.by("chat resume");
    stage.types("and?").await;
    let told = stage.last_told();
    assert!(told.contains("The person: Look at @a.txt.\n\nAttached was @a.txt:\n"), "{told}");
    assert!(told.contains("apples") && !told.contains("/look"), "{told}");
}

#[tokio::test]
async fn a_long_command_leaves_room_for_the_rest() {
    let mut stage = Stage::new().await;
    stage.write("own/commands/long.toml", "prompt = \"{{args}}{{args}}{{args}}{{args}}\"");
    stage.types("my cat is called Tom").await;
    stage.types(&format!("/long {}", "x".repeat(40 * 1024))).await;
    stage.types("/chat save one").await.by("chat save");
    stage.move_on().await;
    stage.types("/chat resume one").await.by("chat resume");
    stage.types("and?").await;
    let told = stage.last_told();
    assert!(told.contains("The person: my cat is called Tom\n") && told.contains("The person: xxx"), "{}", told.len());
    assert!(told.contains("x […]\n\nYou: ok"), "{}", told.len());
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let stage = Stage::new().await;
    let missing = "no conversation is kept as x; /chat list shows what is";
    assert_eq!(stage.types("/chat resume x").await.why_not(), missing);
    assert_eq!(stage.types("/chat delete x").await.why_not(), missing);
    stage.types("hello").await;
    assert!(stage.types("/chat save ../x").await.why_not().starts_with("`../x` is no tag"));
    assert!(stage.types("/chat save two words").await.why_not().starts_with("`two words` is no tag"));
    assert!(stage.types("/chat save").await.why_not().starts_with("/chat save needs tag; say "));
}
