//! The traces of a panic in a real terminal.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::program::TestHome;
use pollux_testkit::tmux::TmuxWindow;

/// The example that this crate's tests are built with.
fn example() -> Result<String> {
    let this = std::env::current_exe()?;
    let built = this.parent().and_then(|deps| deps.parent()).context("a test is in a directory of its own")?;
    let example = built.join("examples/panicking_screen");
    ensure!(example.exists(), "cargo build -p pollux-tui --examples makes {}", example.display());
    Ok(example.to_str().context("the path is text")?.to_owned())
}

#[tokio::test]
async fn a_panic_gives_the_terminal_back_before_it_is_reported() -> Result<()> {
    let program = example()?;
    let home = TestHome::new(&program)?;
    // No shell with lines of its own to edit: it would mend what the program has left.
    let script = format!("printf '\\033]2;mine\\007'; '{program}'; echo after: $?; exec cat -v");
    let tmux = TmuxWindow::run(&home, "sh", &["-c", &script], 100, 24).await?;
    // Each line begins where lines begin: raw mode was over when the report was written.
    let whole = |screen: &str| {
        let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
        let report = ["the first line of the report", "the second line of the report"];
        lines.windows(2).any(|pair| pair == report) && lines.contains(&"after: 101")
    };
    let screen = tmux.wait_until("a report that can be read, and the exit code", whole).await?;
    ensure!(screen.contains("a screen that panics"), "what was printed before stays:\n{screen}");
    ensure!(!screen.contains("Type a prompt"), "the report is written over the composer:\n{screen}");
    let modes = "#{pane_title} #{alternate_on} #{cursor_flag} #{wrap_flag}";
    tmux.wait_for_format(modes, "mine 0 1 1").await.context("the title, the screen, the cursor and wrapping")?;
    tmux.paste("pasted plainly\n").await?;
    tmux.type_line("typed by hand").await?;
    // Once by the terminal and once by cat, which would draw brackets around a paste.
    let twice = |screen: &str| ["pasted plainly", "typed by hand"].iter().all(|text| screen.matches(text).count() == 2);
    let screen = tmux.wait_until("what is typed is shown again, and sent on", twice).await?;
    ensure!(!screen.contains("200~"), "pastes are still in brackets:\n{screen}");
    Ok(())
}
