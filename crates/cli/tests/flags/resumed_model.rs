//! Which model a resumed session asks: its own, whatever new sessions begin with.

use super::{POLLUX, contains_all, refused, text};
use anyhow::{Context as _, Result, ensure};
use pollux_testkit::anthropic::{FakeAnthropic, text_answer};
use pollux_testkit::gemini::FakeGemini;
use pollux_testkit::program::{TIMEOUT, TestHome};
use pollux_testkit::script;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::process::Output;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::time::timeout;

const OWN: &str = "anthropic:claude-sonnet-4-5";

/// A home where new sessions ask Google.
struct ResumedModelFixture {
    home: TestHome,
    google: FakeGemini,
}

impl ResumedModelFixture {
    async fn new() -> Result<ResumedModelFixture> {
        let mut line = script::text_answer("from Google");
        line["repeat"] = json!(true);
        let google = FakeGemini::start([line]).await?;
        Ok(ResumedModelFixture { home: TestHome::new(POLLUX)?, google })
    }

    /// The program, with a key of Anthropic's too where that is at `anthropic`.
    fn command(&self, anthropic: Option<&str>, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        command.env("GEMINI_API_KEY", "key").env("GOOGLE_GEMINI_BASE_URL", &self.google.base_url);
        if let Some(address) = anthropic {
            command.env("ANTHROPIC_API_KEY", "key").env("ANTHROPIC_BASE_URL", address);
        }
        command
    }

    async fn run(&self, anthropic: Option<&str>, args: &[&str]) -> Result<Output> {
        timeout(TIMEOUT, self.command(anthropic, args).output()).await?.context("the program runs")
    }

    /// Begin a session with a model of Anthropic's, and kill the program while that thinks.
    async fn kill_while_it_thinks(&self) -> Result<()> {
        let silent = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("http://{}", silent.local_addr()?);
        let mut child = self.command(Some(&address), &["-m", OWN, "-p", "begin"]).spawn()?;
        let asked = timeout(TIMEOUT, silent.accept()).await??;
        child.kill().await?;
        drop(asked);
        Ok(())
    }
}

#[tokio::test]
async fn a_resumed_session_asks_the_model_it_was_started_with() -> Result<()> {
    let scene = ResumedModelFixture::new().await?;
    let anthropic = FakeAnthropic::start(["first", "second"].map(text_answer)).await?;
    let at = Some(anthropic.base_url.as_str());
    assert_eq!(text(&scene.run(at, &["-m", OWN, "-p", "begin"]).await?.stdout), "first\n");
    let resumed = scene.run(at, &["--continue", "-p", "go on"]).await?;
    assert_eq!(text(&resumed.stdout), "second\n", "{}", text(&resumed.stderr));
    contains_all(&text(&resumed.stderr), &["goes on with claude-sonnet-4-5", "-m NAME"])?;
    assert_eq!(scene.google.requests().len(), 0);
    // A flag names another one, which it goes on with from then on.
    let flagged = scene.run(at, &["--continue", "-m", "gemini-2.5-pro", "-p", "go on"]).await?;
    assert_eq!(text(&flagged.stdout), "from Google\n", "{}", text(&flagged.stderr));
    assert_eq!(anthropic.requests().len(), 2);
    Ok(())
}

/// The turn that was cut off may have asked once more before it was cancelled, so both requests get the same answer.
#[tokio::test]
async fn a_turn_that_was_cut_off_is_cancelled_and_the_prompt_goes_to_its_own_model() -> Result<()> {
    let scene = ResumedModelFixture::new().await?;
    scene.kill_while_it_thinks().await?;
    let anthropic = FakeAnthropic::start(["done", "done"].map(text_answer)).await?;
    let resumed = scene.run(Some(&anthropic.base_url), &["--continue", "-p", "go on"]).await?;
    contains_all(&text(&resumed.stderr), &["the turn that was still running in this session was cancelled"])?;
    assert_eq!(text(&resumed.stdout), "done\n", "{}", text(&resumed.stderr));
    let newest = anthropic.requests().pop().context("the session's own model was asked")?;
    ensure!(newest.body.to_string().contains("go on"), "it was asked the new prompt");
    assert_eq!(scene.google.requests().len(), 0);
    Ok(())
}

#[tokio::test]
async fn unfinished_work_is_given_to_another_model_only_by_a_flag() -> Result<()> {
    let scene = ResumedModelFixture::new().await?;
    scene.kill_while_it_thinks().await?;
    let told = ["has work left for claude-sonnet-4-5", "ANTHROPIC_API_KEY", "nothing was sent", "-m NAME"];
    refused(&scene.run(None, &["--continue", "-p", "go on"]).await?, &told)?;
    assert_eq!(scene.google.requests().len(), 0);
    scene.run(None, &["--continue", "-m", "gemini-2.5-pro", "-p", "go on"]).await?;
    ensure!(!scene.google.requests().is_empty(), "the flag's model is asked");
    Ok(())
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_any_more_is_said_before_the_next_prompt() -> Result<()> {
    let scene = ResumedModelFixture::new().await?;
    let anthropic = FakeAnthropic::start([text_answer("first")]).await?;
    assert_eq!(text(&scene.run(Some(&anthropic.base_url), &["-m", OWN, "-p", "begin"]).await?.stdout), "first\n");
    let resumed = scene.run(None, &["--continue", "-p", "go on"]).await?;
    assert_eq!(text(&resumed.stdout), "from Google\n");
    let told = ["was left with claude-sonnet-4-5", "ANTHROPIC_API_KEY", "The next prompt goes to gemini-"];
    contains_all(&text(&resumed.stderr), &told)
}
