//! Commands about files: memory, a new memory file, checkpoints.

use crate::registry::stage::Stage;
use pollux_session::Mode;
use pretty_assertions::assert_eq;

#[tokio::test]
async fn memory_is_shown_listed_and_read_again() {
    let stage = Stage::new().await;
    let none = "There is no memory: no GEMINI.md or AGENTS.md in the workspace, and none of your own. \
                /memory add TEXT begins one.";
    assert_eq!(stage.types("/memory").await.by("memory show"), none);
    assert_eq!(stage.types("/memory list").await.by("memory list"), "There are 0 memory files.");
    stage.write("workspace/GEMINI.md", "We use tabs.");
    let file = stage.dir.path().join("workspace/GEMINI.md").display().to_string();
    let shown = stage.types("/memory show").await.by("memory show");
    assert!(shown.starts_with("There is 1 memory file. ") && shown.contains("We use tabs."), "{shown}");
    assert_eq!(stage.types("/memory list").await.by("memory list"), format!("There is 1 memory file.\n- {file}"));
    assert!(stage.types("/memory refresh").await.by("memory refresh").starts_with("There is 1 memory file. "));
}

#[tokio::test]
async fn memory_is_added_to_after_an_ask() {
    let stage = Stage::new().await;
    stage.prompt("/memory add \"Tea, not coffee.\"").await;
    let (id, call) = stage.asks().await;
    assert_eq!((call.tool.as_str(), &call.args), ("save_memory", &serde_json::json!({ "fact": "Tea, not coffee." })));
    stage.answer(id, "proceed_once").await;
    let said = stage.rests().await.by("memory add");
    assert!(!said.is_empty());
    let memory = std::fs::read_to_string(stage.dir.path().join("own/GEMINI.md")).unwrap();
    assert!(memory.contains("Tea, not coffee."), "{memory}");
    assert_eq!(stage.told(), Vec::<String>::new());
}

#[tokio::test]
async fn a_declined_or_denied_memory_changes_nothing() {
    let stage = Stage::new().await;
    stage.prompt("/memory add never").await;
    let (id, _) = stage.asks().await;
    stage.answer(id, "cancel").await;
    assert_eq!(stage.rests().await.by("memory add"), "");
    let stage = Stage::in_mode(Mode::Plan).await;
    assert!(stage.types("/memory add never").await.why_not().starts_with("nothing was remembered: "));
    assert!(!stage.dir.path().join("own/GEMINI.md").exists());
}

#[tokio::test]
async fn init_is_the_models_work_unless_there_is_a_file() {
    let stage = Stage::new().await;
    let came = stage.types("/init").await;
    assert_eq!((came.command.as_deref(), came.said.as_str()), (Some("init"), "ok"));
    let told = stage.last_told();
    assert!(told.contains("write GEMINI.md at its top") && !told.contains("/init"), "{told}");
    stage.types("go on").await;
    let later = format!("{told}\nok\ngo on");
    assert_eq!(stage.last_told(), later, "a turn that was handed over is told later too");
    stage.write("workspace/GEMINI.md", "");
    let why = "GEMINI.md exists in this workspace already, so nothing was changed; edit it, or move it away";
    assert_eq!(stage.types("/init").await.why_not(), why);
}

#[tokio::test]
async fn restore_knows_the_checkpoints_of_its_session() {
    let stage = Stage::new().await;
    let none = "There are no checkpoints yet: one is made before each call that changes something.";
    assert_eq!(stage.types("/restore").await.by("restore list"), none);
    let why = "there is no checkpoint ../../etc; /restore list shows what there is";
    assert_eq!(stage.types("/restore ../../etc").await.why_not(), why);
    assert_eq!(stage.types("/restore restore ../../etc").await.why_not(), why);
}
