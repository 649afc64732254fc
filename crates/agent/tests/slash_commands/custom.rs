//! Commands from files.

use crate::slash_commands::command_session::CommandTestSession;
use pollux_session::{ApprovalMode, AskDetails, TurnOutcome};
use pretty_assertions::assert_eq;

#[tokio::test]
async fn arguments_and_files_are_filled_in() {
    let stage = CommandTestSession::new().await;
    stage.write("workspace/a.txt", "apples\n");
    stage.write(
        "own/commands/git/commit.toml",
        "description = \"d\"\nprompt = \"\"\"Write about {{args}}:\n@{a.txt}\"\"\"",
    );
    stage.write("own/commands/plain.toml", "prompt = \"Be plain.\"");
    let came = stage.run_prompt("/git:commit the \"fruit\"").await;
    assert_eq!((came.command.as_deref(), came.text.as_str()), (Some("git:commit"), "ok"));
    let told = stage.last_model_input();
    assert!(told.starts_with("Write about the \"fruit\":\n") && told.contains("apples"), "{told}");
    stage.run_prompt("/plain and short").await;
    assert!(stage.last_model_input().ends_with("Be plain.\n\n/plain and short"), "{}", stage.last_model_input());
}

#[tokio::test]
async fn the_model_is_told_what_a_command_stands_for_and_not_its_name() {
    let stage = CommandTestSession::new().await;
    stage.write("own/commands/readit.toml", "prompt = \"read a.txt\"");
    stage.run_prompt("/readit").await;
    assert_eq!(stage.last_model_input(), "read a.txt");
    stage.run_prompt("/readit").await;
    assert_eq!(stage.last_model_input(), "read a.txt\nok\nread a.txt");
}

#[tokio::test]
async fn what_the_arguments_mention_is_attached_behind_the_text() {
    let stage = CommandTestSession::new().await;
    stage.write("workspace/a.txt", "apples\n");
    stage.write("own/commands/look.toml", "prompt = \"Look at {{args}}.\"");
    stage.run_prompt("/look @a.txt").await;
    let told = stage.last_model_input();
    assert!(told.starts_with("Look at @a.txt.\n[Attached to the prompt: @a.txt]\n"), "{told}");
    assert!(told.contains("apples"), "{told}");
}

#[tokio::test]
async fn a_shell_command_asks_before_it_runs() {
    let stage = CommandTestSession::new().await;
    stage.write("own/commands/say.toml", "prompt = \"It says: !{printf %s {{args}} > out; cat out}\"");
    stage.prompt("/say it's here").await;
    let (id, call) = stage.wait_for_ask().await;
    let AskDetails::Execute { command, .. } = &call.ask.as_ref().unwrap().details else { panic!("{call:?}") };
    assert_eq!(command, r"printf %s 'it'\''s here' > out; cat out");
    stage.answer(id, "proceed_once").await;
    let came = stage.wait_for_rest().await;
    assert_eq!((came.command.as_deref(), came.text.as_str(), came.outcome), (Some("say"), "ok", TurnOutcome::Rested));
    let told = stage.last_model_input();
    assert!(told.starts_with("It says: ") && told.contains("it's here"), "{told}");
    stage.run_prompt("next").await;
    assert_eq!(stage.last_model_input(), format!("{told}\nok\nnext"));
}

#[tokio::test]
async fn what_may_not_run_ends_the_command() {
    let stage = CommandTestSession::new().await;
    stage.write("own/commands/say.toml", "prompt = \"!{touch made}\"");
    stage.prompt("/say").await;
    let (id, _) = stage.wait_for_ask().await;
    stage.answer(id, "cancel").await;
    assert_eq!(stage.wait_for_rest().await.expect_command("say"), "");
    let stage = CommandTestSession::in_mode(ApprovalMode::Plan).await;
    stage.write("own/commands/say.toml", "prompt = \"!{touch made}\"");
    let why = stage.run_prompt("/say").await.expect_failure();
    assert!(why.starts_with("/say could not run `touch made`: "), "{why}");
    assert!(!stage.dir.path().join("workspace/made").exists());
    assert_eq!(stage.model_inputs(), Vec::<String>::new());
}

#[tokio::test]
async fn a_workspace_has_commands_when_it_is_trusted() {
    let stage = CommandTestSession::new().await;
    stage.write("workspace/.gemini/commands/local.toml", "prompt = \"Be local.\"");
    assert_eq!(stage.run_prompt("/local").await.command, None);
    stage.trust_workspace();
    assert_eq!(stage.run_prompt("/local").await.command.as_deref(), Some("local"));
    assert!(stage.last_model_input().ends_with("Be local."));
    assert!(stage.run_prompt("/help").await.expect_command("help").contains("/local [ARGS]: Your own command, from "));
}

#[tokio::test]
async fn extensions_bring_commands_and_a_built_in_one_stays() {
    let stage = CommandTestSession::new().await;
    stage.write("extension/commands/deploy.toml", "prompt = \"Deploy.\"");
    stage.write("own/commands/about.toml", "prompt = \"Not this.\"");
    assert_eq!(stage.run_prompt("/deploy").await.command.as_deref(), Some("deploy"));
    assert!(stage.run_prompt("/about").await.expect_command("about").starts_with("pollux 9.9.9"));
}

#[tokio::test]
async fn a_broken_file_is_named() {
    let stage = CommandTestSession::new().await;
    stage.write("own/commands/bad.toml", "prompt = \"!{ls\"");
    let why = stage.run_prompt("/bad").await.expect_failure();
    assert!(why.contains("bad.toml: a `!{` in it is never closed"), "{why}");
}
