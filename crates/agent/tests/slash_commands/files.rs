//! Commands about files: memory, a new memory file, checkpoints.

use crate::slash_commands::command_session::CommandTestSession;
use pollux_session::ApprovalMode;
use pretty_assertions::assert_eq;

#[tokio::test]
async fn memory_is_shown_listed_and_read_again() {
    let stage = CommandTestSession::new().await;
    let none = "There is no memory: no GEMINI.md or AGENTS.md in the workspace, and none of your own. \
                /memory add TEXT begins one.";
    assert_eq!(stage.run_prompt("/memory").await.expect_command("memory show"), none);
    assert_eq!(stage.run_prompt("/memory list").await.expect_command("memory list"), "There are 0 memory files.");
    stage.write("workspace/GEMINI.md", "We use tabs.");
    let file = stage.dir.path().join("workspace/GEMINI.md").display().to_string();
    let shown = stage.run_prompt("/memory show").await.expect_command("memory show");
    assert!(shown.starts_with("There is 1 memory file. ") && shown.contains("We use tabs."), "{shown}");
    assert_eq!(
        stage.run_prompt("/memory list").await.expect_command("memory list"),
        format!("There is 1 memory file.\n- `{file}`")
    );
    assert!(
        stage
            .run_prompt("/memory refresh")
            .await
            .expect_command("memory refresh")
            .starts_with("There is 1 memory file. ")
    );
}

#[tokio::test]
async fn memory_imports_nothing_that_is_kept_from_the_model() {
    let stage = CommandTestSession::new().await;
    stage.write("workspace/.geminiignore", "private/\n");
    stage.write("workspace/private/notes.md", "launch codes");
    stage.write("workspace/open.md", "open");
    stage.write("workspace/GEMINI.md", "@./private/notes.md\n@./open.md\n");
    let shown = stage.run_prompt("/memory show").await.expect_command("memory show");
    assert!(shown.contains("/private/notes.md is left out: an ignore file keeps it from you.]\nopen\n"), "{shown}");
    assert!(!shown.contains("launch codes"), "{shown}");
}

#[tokio::test]
async fn memory_is_added_to_after_an_ask() {
    let stage = CommandTestSession::new().await;
    stage.prompt("/memory add \"Tea, not coffee.\"").await;
    let (id, call) = stage.wait_for_ask().await;
    assert_eq!((call.tool.as_str(), &call.args), ("save_memory", &serde_json::json!({ "fact": "Tea, not coffee." })));
    stage.answer(id, "proceed_once").await;
    let said = stage.wait_for_rest().await.expect_command("memory add");
    assert!(!said.is_empty());
    let memory = std::fs::read_to_string(stage.dir.path().join("own/GEMINI.md")).unwrap();
    assert!(memory.contains("Tea, not coffee."), "{memory}");
    assert_eq!(stage.model_inputs(), Vec::<String>::new());
}

#[tokio::test]
async fn a_declined_or_denied_memory_changes_nothing() {
    let stage = CommandTestSession::new().await;
    stage.prompt("/memory add never").await;
    let (id, _) = stage.wait_for_ask().await;
    stage.answer(id, "cancel").await;
    assert_eq!(stage.wait_for_rest().await.expect_command("memory add"), "");
    let stage = CommandTestSession::in_mode(ApprovalMode::Plan).await;
    assert!(stage.run_prompt("/memory add never").await.expect_failure().starts_with("nothing was remembered: "));
    assert!(!stage.dir.path().join("own/GEMINI.md").exists());
}

#[tokio::test]
async fn init_is_the_models_work_unless_there_is_a_file() {
    let stage = CommandTestSession::new().await;
    let came = stage.run_prompt("/init").await;
    assert_eq!((came.command.as_deref(), came.text.as_str()), (Some("init"), "ok"));
    let told = stage.last_model_input();
    assert!(told.contains("write GEMINI.md at its top") && !told.contains("/init"), "{told}");
    stage.run_prompt("go on").await;
    let later = format!("{told}\nok\ngo on");
    assert_eq!(stage.last_model_input(), later, "a turn that was handed over is told later too");
    stage.write("workspace/GEMINI.md", "");
    let why = "GEMINI.md exists in this workspace already, so nothing was changed; edit it, or move it away";
    assert_eq!(stage.run_prompt("/init").await.expect_failure(), why);
}

#[tokio::test]
async fn restore_knows_the_checkpoints_of_its_session() {
    let stage = CommandTestSession::new().await;
    let none = "There are no checkpoints yet: one is made before each call that changes something.";
    assert_eq!(stage.run_prompt("/restore").await.expect_command("restore list"), none);
    let why = "there is no checkpoint ../../etc; /restore list shows what there is";
    assert_eq!(stage.run_prompt("/restore ../../etc").await.expect_failure(), why);
    assert_eq!(stage.run_prompt("/restore restore ../../etc").await.expect_failure(), why);
}

#[tokio::test]
async fn a_file_with_blanks_in_its_name_is_read_however_it_is_spelled() {
    for prompt in ["see @\"my notes.md\" please", "see @'my notes.md' please", "see @my\\ notes.md please"] {
        let stage = CommandTestSession::new().await;
        stage.write("workspace/my notes.md", "apples\n");
        stage.run_prompt(prompt).await;
        let told = stage.last_model_input();
        assert!(told.contains("my notes.md") && told.contains("apples"), "{prompt}: {told}");
    }
    let stage = CommandTestSession::new().await;
    stage.run_prompt("see @\"no notes.md\" please").await;
    let told = stage.last_model_input();
    assert!(told.contains("`no notes.md` does not exist in the workspace"), "{told}");
}
