//! `pollux attach` at a session elsewhere that is broken, or wants to be.

use crate::screen::screen_session::home;
use anyhow::Result;
use pollux_testkit::program::TestHome;
use pollux_testkit::remote_session::FakeRemoteSession;
use pollux_testkit::tmux::TmuxWindow;
use pretty_assertions::assert_eq;

async fn attach<'a>(home: &'a TestHome, far: &FakeRemoteSession) -> Result<TmuxWindow<'a>> {
    TmuxWindow::start(home, &["attach", &format!("http://{}", far.address)], 80, 24).await
}

#[tokio::test]
async fn whoever_waits_for_a_session_that_says_nothing_can_leave() -> Result<()> {
    let home = home()?;
    let (silent, empty) = (FakeRemoteSession::start(7, |_| None).await?, FakeRemoteSession::start(0, |_| None).await?);
    for (far, key) in [(&silent, "C-c"), (&silent, "C-d"), (&empty, "C-c"), (&empty, "C-d")] {
        let tmux = attach(&home, far).await?;
        tmux.wait_for("session 0199f3a0").await?;
        tmux.press(&[key]).await?;
        assert_eq!(tmux.exit_code().await?, 0, "{key}");
    }
    Ok(())
}

#[tokio::test]
async fn whoever_waits_for_a_session_that_is_gone_is_told_so() -> Result<()> {
    let home = home()?;
    let silent = FakeRemoteSession::start(7, |_| None).await?;
    let tmux = attach(&home, &silent).await?;
    tmux.wait_for("session 0199f3a0").await?;
    drop(silent);
    tmux.wait_for_all(&["! not connected: ", "trying again", "Ctrl+D leaves"]).await?;
    tmux.press(&["C-d"]).await?;
    assert_eq!(tmux.exit_code().await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_session_without_an_end_is_shown_as_it_comes_and_can_be_left() -> Result<()> {
    let home = home()?;
    let next = |after: u64| Some((after + 1..=after + 256).map(FakeRemoteSession::entry).collect());
    let far = FakeRemoteSession::start(u64::MAX, next).await?;
    for key in ["C-c", "C-d"] {
        let tmux = attach(&home, &far).await?;
        tmux.wait_for("reading what was said so far").await?;
        tmux.press(&[key]).await?;
        assert_eq!(tmux.exit_code().await?, 0, "{key}");
    }
    Ok(())
}

#[tokio::test]
async fn a_page_that_cannot_be_is_refused_in_words() -> Result<()> {
    let home = home()?;
    let nothing = FakeRemoteSession::start(7, |_| Some(Vec::new())).await?;
    let again =
        FakeRemoteSession::start(7, |_| Some(vec![FakeRemoteSession::entry(1), FakeRemoteSession::entry(1)])).await?;
    let more = FakeRemoteSession::start(7, |_| Some((1..=2000).map(FakeRemoteSession::entry).collect())).await?;
    for (far, what) in [
        (nothing, "nothing after entry 0, and says that there are 7"),
        (again, "entry 1 after entry 1"),
        (more, "2000 entries where 256 were asked for"),
    ] {
        let tmux = attach(&home, &far).await?;
        tmux.wait_until_printed(what, |text| text.contains(what)).await?;
        assert_eq!(tmux.exit_code().await?, 1, "{what}");
    }
    Ok(())
}
