//! Leaving, coming back, and being stopped.

use crate::screen::screen_session::{READY, dialog, home, open};
use anyhow::{Context as _, Result};
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::program::{TestHome, send_signal};
use pollux_testkit::script;
use pollux_testkit::tmux::TmuxWindow;

#[tokio::test]
async fn a_resumed_session_looks_as_it_did() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.type_line("create notes.txt with \"buy milk\" and list the files").await?;
    tmux.wait_for_all(&["tokens sent", READY]).await?;
    let before = transcript(&tmux.screen_and_scrollback().await?);
    tmux.press(&["C-d"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    let left = tmux.wait_until_printed("a hint", |text| text.contains("Resume this session: pollux ")).await?;
    let hint =
        left.lines().find_map(|line| line.split_once("Resume this session: pollux ")).context("a hint is left")?.1;
    let mut args: Vec<&str> = hint.split_whitespace().collect();
    args.push("--yolo");
    let resumed = open(&home, &args).await?;
    resumed.wait_until_printed("as it was", |text| transcript(text) == before).await?;
    Ok(())
}

#[tokio::test]
async fn what_ran_without_asking_asks_again_after_the_next_start() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    tmux.wait_for_all(&["tokens sent", "yolo mode"]).await?;
    tmux.press(&["C-d"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    drop(tmux);
    let resumed = open(&home, &["--continue"]).await?;
    resumed.wait_for_all(&["was left in yolo mode and resumes in default mode", "\ndefault mode ·"]).await?;
    resumed.type_line("run touch unasked").await?;
    dialog(&resumed, "touch unasked").await?;
    assert!(!home.workspace().join("unasked").exists());
    Ok(())
}

#[tokio::test]
async fn a_session_that_is_open_elsewhere_is_not_left_for() -> Result<()> {
    let home = home()?;
    let elsewhere = open(&home, &[]).await?;
    elsewhere.type_line("help me elsewhere").await?;
    elsewhere.wait_for_all(&["tokens sent", READY]).await?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("help").await?;
    tmux.wait_for_all(&["tokens sent", READY]).await?;
    tmux.type_line("/resume").await?;
    tmux.wait_for("help me elsewhere").await?;
    tmux.press(&["Enter"]).await?;
    tmux.wait_for("is open elsewhere").await?;
    // It goes on where it was.
    tmux.type_line("list the files").await?;
    tmux.wait_for_all(&["list the files", READY]).await?;
    Ok(())
}

#[tokio::test]
async fn plan_mode_is_kept_until_a_flag_says_otherwise() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--approval-mode", "plan"]).await?;
    tmux.type_line("help").await?;
    tmux.wait_for_all(&["tokens sent", "plan mode"]).await?;
    tmux.press(&["C-d"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    drop(tmux);
    let resumed = open(&home, &["--continue"]).await?;
    resumed.wait_for("plan mode").await?;
    resumed.press(&["C-d"]).await?;
    assert_eq!(resumed.exit_code().await?, 0);
    drop(resumed);
    let chosen = open(&home, &["--continue", "--approval-mode", "auto_edit"]).await?;
    let is_chosen = |screen: &str| screen.contains("auto_edit") && !screen.contains("plan mode");
    chosen.wait_until("the mode of the flag", is_chosen).await?;
    Ok(())
}

#[tokio::test]
async fn the_model_is_kept_when_another_one_becomes_usual() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["-m", "demo"]).await?;
    tmux.type_line("help").await?;
    tmux.wait_for_all(&["tokens sent", READY]).await?;
    tmux.press(&["C-d"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    drop(tmux);
    let google = FakeGemini::start([script::text_answer("from Google")]).await?;
    let variables = format!("GEMINI_API_KEY=key\nGOOGLE_GEMINI_BASE_URL={}\n", google.base_url);
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/.env"), variables)?;
    let resumed = open(&home, &["--continue"]).await?;
    resumed.wait_for("This session goes on with demo-offline-not-an-ai").await?;
    resumed.type_line("list the files").await?;
    resumed.wait_for_all(&["> list the files", "tokens sent", READY]).await?;
    assert!(google.requests().is_empty(), "the usual model was asked");
    Ok(())
}

/// The conversation, from the first prompt to the composer.
fn transcript(everything: &str) -> Vec<String> {
    let lines = everything.lines().map(|line| line.trim_end().to_owned());
    lines.skip_while(|line| !line.starts_with("> create")).take_while(|line| !line.starts_with('─')).collect()
}

#[tokio::test]
async fn a_mode_that_settings_forbid_is_not_shown_as_if_it_held() -> Result<()> {
    let home = home()?;
    std::fs::create_dir_all(home.path(".gemini"))?;
    std::fs::write(home.path(".gemini/settings.json"), r#"{"security": {"disableYoloMode": true}}"#)?;
    let tmux = open(&home, &[]).await?;
    tmux.press(&["C-y"]).await?;
    dialog(&tmux, "nothing asks from now on").await?;
    tmux.press(&["y"]).await?;
    tmux.wait_for("disabled by the setting security.disableYoloMode").await?;
    assert!(!tmux.screen().await?.contains("yolo mode ·"));
    Ok(())
}

#[tokio::test]
async fn another_session_is_chosen_from_a_list() -> Result<()> {
    let home = home()?;
    let first = open(&home, &[]).await?;
    first.type_line("help").await?;
    first.wait_for("tokens sent").await?;
    first.press(&["C-d"]).await?;
    first.exit_code().await?;
    drop(first);
    let tmux = open(&home, &[]).await?;
    tmux.type_line("/resume").await?;
    tmux.wait_for("help").await?;
    tmux.press(&["Enter"]).await?;
    tmux.wait_for("> help").await?;
    tmux.wait_for(READY).await?;
    Ok(())
}

#[tokio::test]
async fn ctrl_c_explains_itself_before_it_leaves() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_text("half a prompt").await?;
    tmux.press(&["C-c"]).await?;
    tmux.wait_for(READY).await?;
    tmux.press(&["C-c"]).await?;
    tmux.wait_for("press Ctrl+C again").await?;
    tmux.press(&["C-c"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_signal_leaves_the_terminal_as_it_was() -> Result<()> {
    let home = home()?;
    let tmux = in_shell(&home).await?;
    let pid = std::fs::read_to_string(home.path("pid"))?.trim().parse()?;
    send_signal(pid, "TERM")?;
    // The line that was typed has these words too, but no code behind them.
    let code = |line: &str| line.strip_prefix("after: ").is_some_and(|code| code.trim().parse::<u8>().is_ok());
    tmux.wait_until("the exit code", |screen| screen.lines().any(code)).await?;
    tmux.type_line("echo $((40 + 2)) is shown").await?;
    tmux.wait_for_all(&["echo $((40 + 2))", "42 is shown"]).await.context("what is typed is shown again")?;
    Ok(())
}

#[tokio::test]
async fn ctrl_z_gives_the_shell_back_and_fg_the_screen() -> Result<()> {
    let home = home()?;
    let tmux = in_shell(&home).await?;
    tmux.press(&["C-z"]).await?;
    tmux.wait_gone(READY).await?;
    tmux.type_line("echo $((40 + 2)) in the shell").await?;
    tmux.wait_for("42 in the shell").await?;
    tmux.type_line("fg").await?;
    tmux.wait_for(READY).await?;
    tmux.type_line("help").await?;
    tmux.wait_for("offline demo, not an AI").await?;
    Ok(())
}

#[tokio::test]
async fn a_stop_from_elsewhere_gives_the_shell_back_and_fg_the_screen() -> Result<()> {
    let home = home()?;
    let tmux = in_shell(&home).await?;
    tmux.type_text("half a prompt").await?;
    tmux.wait_for("> half a prompt").await?;
    let pid = std::fs::read_to_string(home.path("pid"))?.trim().parse()?;
    send_signal(pid, "TSTP")?;
    tmux.wait_gone("> half a prompt").await?;
    tmux.wait_for_format("#{pane_title} #{cursor_flag}", "mine 1").await?;
    tmux.type_line("echo $((40 + 2)) in the shell").await?;
    tmux.wait_for_all(&["echo $((40 + 2))", "42 in the shell"]).await.context("what is typed is shown")?;
    tmux.type_line("fg").await?;
    tmux.wait_for("> half a prompt").await?;
    tmux.wait_for_format("#{pane_title}", "◇ pollux workspace").await?;
    Ok(())
}

#[tokio::test]
async fn the_title_is_as_it_was_before() -> Result<()> {
    for leave in ["Ctrl+D", "SIGTERM"] {
        let home = home()?;
        let tmux = in_shell(&home).await?;
        tmux.wait_for_format("#{pane_title}", "◇ pollux workspace").await?;
        match leave {
            "Ctrl+D" => tmux.press(&["C-d"]).await?,
            _ => send_signal(std::fs::read_to_string(home.path("pid"))?.trim().parse()?, "TERM")?,
        }
        tmux.wait_for_format("#{pane_title}", "mine").await.context(leave)?;
    }
    Ok(())
}

/// The screen as a job of an interactive shell.
async fn in_shell(home: &TestHome) -> Result<TmuxWindow<'_>> {
    let tmux = TmuxWindow::run(home, "bash", &["--noprofile", "--norc", "-i"], 80, 24).await?;
    tmux.wait_for("bash-").await?;
    tmux.type_line("printf '\\033]2;mine\\007'").await?;
    tmux.wait_for_format("#{pane_title}", "mine").await?;
    let (program, pid) = (home.program().display(), home.path("pid"));
    tmux.type_line(&format!("sh -c 'echo $$ > {}; exec {program}'; echo after: $?", pid.display())).await?;
    tmux.wait_for(READY).await?;
    Ok(tmux)
}
