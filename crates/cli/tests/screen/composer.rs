//! Typing: several lines, completion, pastes, history, the queue.

use crate::screen::screen_session::{GATED, READY, home, open};
use anyhow::{Context as _, Result, bail};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

#[tokio::test]
async fn a_prompt_of_several_lines() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_text("create notes.txt with \"buy milk\"").await?;
    tmux.press(&["C-j"]).await?;
    tmux.type_text("read notes.txt").await?;
    tmux.wait_for("\n  read notes.txt").await?;
    tmux.press(&["Enter"]).await?;
    tmux.wait_for_all(&["Allow once", "> create notes.txt with \"buy milk\"\n  read notes.txt"]).await?;
    Ok(())
}

#[tokio::test]
async fn a_file_is_completed_and_told_to_the_model() -> Result<()> {
    let home = home()?;
    std::fs::create_dir(home.workspace().join("src"))?;
    std::fs::write(home.workspace().join("src/lighthouse.rs"), "fn shine() {}\n")?;
    let tmux = open(&home, &[]).await?;
    tmux.type_text("what is in @light").await?;
    tmux.wait_for("src/lighthouse.rs").await?;
    tmux.press(&["Tab"]).await?;
    tmux.wait_for("@src/lighthouse.rs").await?;
    Ok(())
}

#[tokio::test]
async fn a_command_is_completed() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_text("/abo").await?;
    tmux.wait_for("/about").await?;
    tmux.press(&["Tab"]).await?;
    tmux.press(&["Enter"]).await?;
    tmux.wait_for("sandbox: none").await?;
    Ok(())
}

#[tokio::test]
async fn a_command_is_completed_however_fast_it_is_typed() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    // All at once, before anybody could look up what there is.
    tmux.press(&["/", "a", "b", "o", "Enter"]).await?;
    tmux.wait_for("sandbox: none").await?;
    Ok(())
}

#[tokio::test]
async fn a_command_that_is_not_there_is_not_sent_and_the_line_is_kept() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("/nosuch thing to do").await?;
    tmux.wait_for_all(&["no command /nosuch; /help lists them", "> /nosuch thing to do"]).await?;
    // With a blank before the slash it is a prompt.
    tmux.press(&["Home", "Space", "Enter"]).await?;
    tmux.wait_for("tokens sent").await?;
    Ok(())
}

#[tokio::test]
async fn clear_clears_the_screen_and_keeps_the_scrollback() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("list the files").await?;
    tmux.wait_for_all(&["> list the files", "tokens sent"]).await?;
    tmux.type_line("/clear").await?;
    let screen = tmux.wait_for("The conversation begins anew").await?;
    assert!(!screen.contains("list the files"), "{screen}");
    assert!(tmux.screen_and_scrollback().await?.contains("> list the files"), "the scrollback has lost it");
    Ok(())
}

#[tokio::test]
async fn restore_shows_a_difference_as_one() -> Result<()> {
    let home = home()?;
    std::fs::write(home.workspace().join("notes.txt"), "one\ntwo\n")?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.type_line("read notes.txt").await?;
    tmux.wait_for("tokens sent").await?;
    tmux.type_line("create notes.txt with \"buy milk\"").await?;
    tmux.wait_for("files were saved before each change: /restore goes back").await?;
    tmux.press(&["C-y"]).await?;
    tmux.wait_for("default mode").await?;
    tmux.type_line("/restore").await?;
    let screen = tmux.wait_for("· just now · write_file notes.txt · +1 -2").await?;
    let line = screen.lines().find(|line| line.contains("· just now ·")).context("the list has a line")?;
    let number = line.trim_start_matches(['✦', '-', ' ']).split(' ').next().context("a number")?;
    // Checkpoints are completed, too.
    tmux.type_text("/restore write").await?;
    tmux.wait_for(&format!("› {number}")).await?;
    tmux.press(&["Tab", "Enter"]).await?;
    // Numbered lines, in the dialog and in what is said in the end.
    let screen = tmux.wait_for("Go back to just before write_file notes.txt").await?;
    assert!(screen.contains("1 + one") && screen.contains("1 - buy milk"), "{screen}");
    assert!(!screen.contains("```"), "{screen}");
    Ok(())
}

#[tokio::test]
async fn what_gemini_cli_has_and_we_lack_is_answered_here() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("/auth").await?;
    let screen = tmux.wait_for("There is no login here").await?;
    assert!(!screen.contains("I am the offline demo"), "the model was asked:\n{screen}");
    Ok(())
}

#[tokio::test]
async fn a_megabyte_is_pasted_folded_and_sent_whole() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    // No two lines are the same, so that nothing can be missing or out of its place.
    let lines = (0..31_000).map(|number| format!("line {number} of a paste that is long\n"));
    let pasted: String = lines.collect();
    assert!(pasted.len() > 1024 * 1024, "{} bytes", pasted.len());
    tmux.type_text("count this: ").await?;
    tmux.paste(&pasted).await?;
    let screen = tmux.wait_for("[Pasted text: ").await?;
    assert!(!screen.contains("of a paste"), "{screen}");
    tmux.press(&["Enter"]).await?;
    tmux.wait_for_all(&["tokens sent", READY]).await?;
    // The log has every byte of it, as one prompt.
    tmux.type_line("/export all.json").await?;
    let exported = home.workspace().join("all.json");
    let written = || std::fs::read_to_string(&exported).ok();
    let entries = || written().and_then(|text| serde_json::from_str::<Vec<Value>>(&text).ok());
    tmux.wait_until("the export", |_| entries().is_some()).await?;
    let entries = entries().context("the export is whole")?;
    let prompts: Vec<&str> = entries.iter().filter_map(|entry| entry["event"]["text"].as_str()).collect();
    let sent = prompts.iter().find(|text| text.starts_with("count this: ")).context("the prompt is on the log")?;
    assert!(*sent == format!("count this: {}", pasted.trim_end()), "{} of {} bytes", sent.len(), pasted.len());
    Ok(())
}

#[tokio::test]
async fn earlier_prompts_come_back_in_later_sessions() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_line("help").await?;
    tmux.wait_for("tokens sent").await?;
    tmux.press(&["C-d"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    drop(tmux);
    let tmux = open(&home, &[]).await?;
    tmux.press(&["Up"]).await?;
    tmux.wait_for("> help").await?;
    Ok(())
}

#[tokio::test]
async fn a_prompt_waits_is_changed_and_is_not_fired_by_cancelling() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.type_line(GATED).await?;
    tmux.wait_for("at the gate").await?;
    tmux.type_line("create one.txt with \"1\"").await?;
    tmux.wait_for("1 prompt waiting").await?;
    tmux.press(&["Up"]).await?;
    tmux.wait_gone("1 prompt waiting").await?;
    tmux.press(&["C-u"]).await?;
    tmux.type_line("create two.txt with \"2\"").await?;
    tmux.wait_for("1 prompt waiting").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_for("/queue go").await?;
    assert!(!home.workspace().join("two.txt").exists());
    tmux.type_line("/queue go").await?;
    tmux.wait_gone("1 prompt waiting").await?;
    tmux.wait_until("the file is there", |_| home.workspace().join("two.txt").exists()).await?;
    assert!(!home.workspace().join("one.txt").exists());
    Ok(())
}

#[tokio::test]
async fn enter_runs_the_command_that_is_meant() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &[]).await?;
    tmux.type_text("/hel").await?;
    tmux.wait_for("Show commands and keys").await?;
    tmux.press(&["Enter"]).await?;
    // The suggestion has the words of the page's title; another command is only on the page.
    tmux.wait_for_all(&["commands and keys", "/about"]).await?;
    Ok(())
}

/// The smallest picture there is: one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\
                       \x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\xaeB`\x82";

#[tokio::test]
async fn a_picture_from_the_clipboard_goes_with_the_prompt() -> Result<()> {
    for clipboard in ["wl-paste", "xclip"] {
        let mut home = home()?;
        let programs = home.path("programs");
        std::fs::create_dir_all(&programs)?;
        std::fs::write(home.path("picture.png"), PIXEL)?;
        // The other one is there too, and has no picture.
        for name in ["wl-paste", "xclip"] {
            let does = match name == clipboard {
                true => format!("exec cat '{}'", home.path("picture.png").display()),
                false => "exit 1".to_owned(),
            };
            let program = programs.join(name);
            std::fs::write(&program, format!("#!/bin/sh\n{does}\n"))?;
            std::fs::set_permissions(&program, Permissions::from_mode(0o755))?;
        }
        home.put_on_path(programs);
        let tmux = open(&home, &[]).await?;
        tmux.press(&["C-v"]).await?;
        tmux.wait_for("@.gemini/pasted/picture-").await?;
        tmux.type_line("help").await?;
        tmux.wait_for_all(&["help", "tokens sent", READY]).await?;
        let kept: Vec<_> = std::fs::read_dir(home.workspace().join(".gemini/pasted"))?.collect::<Result<_, _>>()?;
        let [kept] = kept.as_slice() else { bail!("{kept:?}") };
        assert_eq!(std::fs::read(kept.path())?, PIXEL);
        // The prompt carries it, as the log tells.
        let exported = home.workspace().join("all.json");
        tmux.type_line("/export all.json").await?;
        tmux.wait_until("the export", |_| exported.exists()).await?;
        let log = tmux.wait_until("all of it", |_| {
            std::fs::read_to_string(&exported).is_ok_and(|text| text.contains("image/png"))
        });
        log.await.context("the prompt has a picture")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_clipboard_without_a_picture_says_so() -> Result<()> {
    let mut home = home()?;
    let programs = home.path("programs");
    std::fs::create_dir_all(&programs)?;
    for name in ["wl-paste", "xclip"] {
        std::fs::write(programs.join(name), "#!/bin/sh\necho no picture\n")?;
        std::fs::set_permissions(programs.join(name), Permissions::from_mode(0o755))?;
    }
    home.put_on_path(programs);
    let tmux = open(&home, &[]).await?;
    tmux.press(&["C-v"]).await?;
    tmux.wait_for("there is no picture in the clipboard").await?;
    Ok(())
}
