//! The dialog: approve, reject, change first, more than one.

use crate::screen::screen_session::{READY, confirm, dialog, home, is_ask, model, open, socket};
use anyhow::{Context as _, Result};
use pollux_testkit::script;
use pollux_testkit::tmux::TmuxWindow;
use serde_json::json;

#[tokio::test]
async fn a_digit_approves() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    tmux.wait_for_all(&["notes.txt", "buy milk"]).await?;
    dialog(&tmux, "Allow once").await?;
    tmux.type_text("1").await?;
    tmux.wait_for("tokens sent").await?;
    assert_eq!(std::fs::read_to_string(home.workspace().join("notes.txt"))?.trim_end(), "buy milk");
    Ok(())
}

#[tokio::test]
async fn a_rejected_call_does_not_run_and_says_so() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("run touch made.txt").await?;
    dialog(&tmux, "Allow once").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for_all(&["declined", READY]).await?;
    assert!(!home.workspace().join("made.txt").exists());
    Ok(())
}

#[tokio::test]
async fn keys_that_were_meant_for_the_composer_answer_nothing() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("run touch made.txt").await?;
    tmux.wait_for("Allow once").await?;
    // As somebody types who does not look.
    tmux.type_line("fix 1").await?;
    dialog(&tmux, "Allow once").await?;
    // It is neither an answer nor lost.
    tmux.wait_for("> fix 1").await?;
    assert!(!home.workspace().join("made.txt").exists());
    tmux.press(&["Escape"]).await?;
    tmux.wait_gone("Allow once").await?;
    tmux.wait_for("> fix 1").await?;
    Ok(())
}

#[tokio::test]
async fn what_is_written_can_be_changed_before_it_is_approved() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    dialog(&tmux, "Allow once").await?;
    tmux.type_text("e").await?;
    tmux.wait_for("Ctrl+S").await?;
    tmux.type_text("do not ").await?;
    tmux.press(&["C-s"]).await?;
    tmux.wait_for("tokens sent").await?;
    assert_eq!(std::fs::read_to_string(home.workspace().join("notes.txt"))?.trim_end(), "do not buy milk");
    Ok(())
}

#[tokio::test]
async fn what_was_opened_for_a_change_and_not_changed_is_approved_as_it_was() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    dialog(&tmux, "Allow once").await?;
    tmux.type_text("e").await?;
    tmux.wait_for("Ctrl+S").await?;
    tmux.press(&["C-s"]).await?;
    tmux.wait_for_all(&["tokens sent", READY]).await?;
    let everything = tmux.screen_and_scrollback().await?;
    assert!(!everything.contains("with changes"), "{everything}");
    assert_eq!(std::fs::read_to_string(home.workspace().join("notes.txt"))?.trim_end(), "buy milk");
    Ok(())
}

#[tokio::test]
async fn what_was_being_written_is_not_lost_when_another_decides() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--a2a-port", "0"]).await?;
    let mut client = socket(&tmux).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    dialog(&tmux, "Allow once").await?;
    let pending = client.read_until(is_ask).await?.pop().context("the ask comes")?;
    tmux.type_text("e").await?;
    tmux.wait_for("Ctrl+S").await?;
    tmux.type_text("do not ").await?;
    tmux.wait_for("do not buy milk").await?;
    client.send(&confirm(&pending, "proceed_once")).await?;
    tmux.wait_for_all(&["while you were writing notes.txt", "tokens sent", READY]).await?;
    tmux.press(&["Up"]).await?;
    tmux.wait_for("> do not buy milk").await?;
    Ok(())
}

#[tokio::test]
async fn answers_are_told_once_and_in_words() -> Result<()> {
    let home = home()?;
    let option = |label: &str| json!({"label": label, "description": "a letter"});
    let question = json!({"questions": [{
        "question": "Which?", "header": "W", "type": "choice", "multiSelect": true,
        "options": [option("A"), option("B")],
    }]});
    let answers = [
        script::call_answer("ask_user", &question),
        script::text_answer("So be it."),
        script::call_answer("exit_plan_mode", &json!({"plan": "# First\n\nThe one, then the other."})),
        script::text_answer("So it is done."),
    ];
    let tmux = open(&home, &["--model", &model(&home, &answers)?]).await?;
    tmux.type_line("choose").await?;
    dialog(&tmux, "Which?").await?;
    tmux.press(&["Space", "Down", "Space", "Enter"]).await?;
    tmux.wait_for_all(&["So be it.", READY]).await?;
    let everything = tmux.screen_and_scrollback().await?;
    assert_eq!((everything.matches("W: A, B").count(), everything.matches("[\"A\"").count()), (1, 0), "{everything}");
    tmux.type_line("/mode plan").await?;
    tmux.wait_for("plan mode").await?;
    tmux.type_line("plan").await?;
    dialog(&tmux, "Approve the plan; each change of a file asks").await?;
    tmux.type_text("1").await?;
    tmux.wait_for_all(&["the plan is approved; each change of a file asks", "So it is done."]).await?;
    let everything = tmux.screen_and_scrollback().await?;
    assert!(!everything.contains("Approve: true") && !everything.contains("Then: "), "{everything}");
    assert_eq!(everything.matches("│ The one, then the other.").count(), 1, "the plan can be read: {everything}");
    Ok(())
}

#[tokio::test]
async fn the_persons_own_editor_can_change_it_too() -> Result<()> {
    let mut home = home()?;
    let bin = home.path("bin");
    std::fs::create_dir(&bin)?;
    let editor = bin.join("vi");
    std::fs::write(&editor, "#!/bin/sh\nprintf 'from the editor\\n' > \"$1\"\n")?;
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    home.put_on_path(&bin);
    let tmux = open(&home, &[]).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    dialog(&tmux, "Allow once").await?;
    tmux.press(&["C-g"]).await?;
    tmux.wait_for("tokens sent").await?;
    assert_eq!(std::fs::read_to_string(home.workspace().join("notes.txt"))?, "from the editor\n");
    Ok(())
}

#[tokio::test]
async fn leaving_the_editor_without_a_change_is_no_yes() -> Result<()> {
    let mut home = home()?;
    let bin = home.path("bin");
    std::fs::create_dir(&bin)?;
    std::os::unix::fs::symlink("/bin/true", bin.join("vi"))?;
    home.put_on_path(&bin);
    let tmux = open(&home, &[]).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    dialog(&tmux, "Allow once").await?;
    tmux.press(&["C-g"]).await?;
    tmux.wait_for("the ask is still open").await?;
    assert!(!home.workspace().join("notes.txt").exists());
    Ok(())
}

#[tokio::test]
async fn several_asks_are_counted_and_answered_one_by_one() -> Result<()> {
    let home = home()?;
    let call = |name: &str| json!({"functionCall": {"name": "write_file", "args": {"file_path": name, "content": format!("{name}\n")}}});
    let answers = [script::answer(&json!([call("one.txt"), call("two.txt")])), script::text_answer("Both are there.")];
    let tmux = open(&home, &["--model", &model(&home, &answers)?]).await?;
    tmux.type_line("write two files").await?;
    dialog(&tmux, "of 2 open asks").await?;
    tmux.type_text("1").await?;
    tmux.wait_gone("of 2 open asks").await?;
    dialog(&tmux, "Allow once").await?;
    tmux.type_text("1").await?;
    tmux.wait_for("Both are there.").await?;
    for name in ["one.txt", "two.txt"] {
        assert_eq!(std::fs::read_to_string(home.workspace().join(name))?, format!("{name}\n"));
    }
    Ok(())
}

#[tokio::test]
async fn a_question_of_the_agent_is_answered_in_the_dialog() -> Result<()> {
    let home = home()?;
    let question = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "type": "choice",
        "options": [{"label": "Red", "description": "like tomatoes"}, {"label": "Blue", "description": "like the sea"}],
    }]});
    let answers = [script::call_answer("ask_user", &question), script::text_answer("So be it.")];
    let tmux = open(&home, &["--model", &model(&home, &answers)?]).await?;
    tmux.type_line("paint it").await?;
    dialog(&tmux, "Which colour?").await?;
    tmux.type_text("2").await?;
    tmux.wait_for_all(&["So be it.", "Blue"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_no_starts_nothing_that_waits() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("run rm -rf build").await?;
    dialog(&tmux, "rm -rf build").await?;
    tmux.press(&["M-a"]).await?;
    tmux.wait_for(READY).await?;
    tmux.type_line("run touch waited").await?;
    tmux.wait_for("1 prompt waiting").await?;
    tmux.press(&["M-a"]).await?;
    dialog(&tmux, "2. Decline").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for("1 prompt held").await?;
    tmux.type_line("/queue go").await?;
    dialog(&tmux, "? Run a command  touch waited").await?;
    Ok(())
}

#[tokio::test]
async fn what_is_typed_after_the_mark_runs_in_the_line_mode_too() -> Result<()> {
    let home = home()?;
    let tmux = TmuxWindow::start(&home, &["--plain"], 80, 24).await?;
    tmux.wait_for("/mode MODE changes that").await?;
    tmux.type_line("!touch made && echo it is made").await?;
    tmux.wait_for("✓ exit 0").await?;
    assert!(home.workspace().join("made").exists());
    tmux.type_line("/shell touch other").await?;
    tmux.wait_for("answer 1-3:").await?;
    assert!(!home.workspace().join("other").exists());
    Ok(())
}
