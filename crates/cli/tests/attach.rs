//! `pollux attach`: a second terminal at the same session, with the real program in real terminals.

use anyhow::{Context as _, Result, ensure};
use pollux_testkit::http;
use pollux_testkit::program::{TestHome, address_in};
use pollux_testkit::remote_session::FakeRemoteSession;
use pollux_testkit::terminal::{CTRL_C, CTRL_D, PtyTerminal};
use pretty_assertions::assert_eq;

const POLLUX: &str = env!("CARGO_BIN_EXE_pollux");

/// A session in a terminal that is shared on `port`, and its address.
fn shared(home: &TestHome, port: &str, args: &[&str]) -> Result<(PtyTerminal, String)> {
    let mut terminal = PtyTerminal::start(home, &[&["--a2a-port", port, "-m", "demo"], args].concat())?;
    terminal.wait_for("shared on ")?;
    let address = address_in(&terminal.rest_of_line()?).context("the terminal prints no address")?;
    terminal.wait_for("\n> ")?;
    Ok((terminal, address))
}

async fn session_at(address: &str) -> Result<String> {
    let answer = http::request(address, "POST", "/tasks", &[], &[]).await?.json().await?;
    Ok(answer["sessionId"].as_str().context("POST /tasks names the session")?.to_owned())
}

/// Standard error of a run that is refused.
async fn refused(home: &TestHome, args: &[&str]) -> Result<String> {
    let output = home.run(args).await?;
    assert_eq!(output.status.code(), Some(2));
    Ok(String::from_utf8(output.stderr)?)
}

#[tokio::test]
async fn two_terminals_share_a_session_and_the_attached_one_decides() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let (mut first, address) = shared(&home, "0", &[])?;
    first.type_line("help")?;
    first.wait_for("offline demo, not an AI")?;
    first.wait_for("\n> ")?;

    // The only one that runs needs no naming, and what was said before is there.
    let mut second = PtyTerminal::start(&home, &["attach"])?;
    second.wait_for(&format!("at {address}, in "))?;
    second.wait_for("help")?;
    second.wait_for("offline demo, not an AI")?;
    second.wait_for("\n> ")?;

    first.type_line("run echo near > near.txt")?;
    second.wait_for("[terminal] run echo near > near.txt")?;
    first.wait_for("answer 1-3: ")?;
    second.wait_for("answer 1-3: ")?;
    second.type_line("1")?;
    // Which one it was is said, by the name of its terminal.
    first.wait_for("decided by A2A terminal ")?;
    first.wait_for(": Allow once")?;
    first.wait_for("\n> ")?;
    second.wait_for("\n> ")?;
    assert_eq!(std::fs::read_to_string(home.workspace().join("near.txt"))?, "near\n");

    second.type_line("run echo far > far.txt")?;
    first.wait_for("[A2A terminal ")?;
    first.wait_for("] run echo far > far.txt")?;
    first.wait_for("answer 1-3: ")?;
    second.wait_for("answer 1-3: ")?;
    second.type_line("3")?;
    first.wait_for("decided by A2A terminal ")?;
    first.wait_for(": Decline")?;
    first.wait_for("\n> ")?;
    second.wait_for("\n> ")?;
    assert!(!home.workspace().join("far.txt").exists());

    // Whoever leaves does not end it.
    second.press(CTRL_D)?;
    assert_eq!(second.exit_code()?, 0);
    first.type_line("help")?;
    first.wait_for("Matched rule: help")?;
    Ok(())
}

#[tokio::test]
async fn a_lost_connection_shows_comes_back_and_misses_nothing() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let (first, address) = shared(&home, "0", &[])?;
    let session = session_at(&address).await?;
    let mut second = PtyTerminal::start(&home, &["attach", &format!("http://{address}")])?;
    second.wait_for("\n> ")?;
    first.kill()?;
    second.wait_for(&format!("the connection to {address} is lost"))?;
    let port = address.rsplit(':').next().context("an address ends in a port")?;
    let (mut first, _) = shared(&home, port, &["--resume", &session])?;
    second.wait_for(&format!("connected to {address} again"))?;
    second.wait_for("\n> ")?;
    second.type_line("list the files")?;
    first.wait_for("[A2A terminal ")?;
    first.wait_for("] list the files")?;
    second.wait_for("list_directory")?;
    second.wait_for("\n> ")?;
    // Nothing that was typed is lost in silence by whoever does not wait for it to come back.
    first.kill()?;
    second.wait_for(&format!("the connection to {address} is lost"))?;
    second.type_line("are you there?")?;
    second.wait_for("are you there?")?;
    second.press(CTRL_C)?;
    second.wait_for("not confirmed as sent: are you there?")?;
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_joined_is_said_with_the_way_out() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let said = refused(&home, &["attach"]).await?;
    ensure!(said.contains("no session runs here; `pollux --a2a-port 0` starts one"), "{said}");
    let said = refused(&home, &["attach", "https://example.org"]).await?;
    ensure!(said.contains("is behind TLS"), "{said}");

    // A session that listens on no port.
    let mut alone = PtyTerminal::start(&home, &["-m", "demo"])?;
    alone.wait_for("\n> ")?;
    let pid = alone.pid()?.to_string();
    for args in [&["attach"][..], &["attach", &pid]] {
        let said = refused(&home, args).await?;
        ensure!(said.contains("type /a2a open in its terminal, or start it with --a2a-port"), "{said}");
    }

    // Two that do.
    let (first, second) = (home.share(&["-m", "demo"]).await?, home.share(&["-m", "demo", "--ephemeral"]).await?);
    let output = home.run(&["attach"]).await?;
    let listed = String::from_utf8(output.stdout)?;
    assert_eq!(output.status.code(), Some(2));
    for (server, state) in [(&first, "(nothing said yet)"), (&second, "(not stored)")] {
        let port = server.address.rsplit(':').next().context("the address has a port")?;
        ensure!(listed.contains(&format!("pollux attach {port:<13}  {state}\n")), "{listed}");
        ensure!(listed.contains(&format!(" · pid {}\n", server.pid())), "{listed}");
    }
    // Each by its process; the input is empty, so it leaves at once.
    for server in [&first, &second] {
        let output = home.run(&["attach", &server.pid().to_string()]).await?;
        ensure!(output.status.code() == Some(0), "{output:?}");
        ensure!(String::from_utf8_lossy(&output.stdout).contains(&session_at(&server.address).await?));
    }
    let session = session_at(&first.address).await?;
    let said = refused(&home, &["-p", "x", "-m", "demo", "--resume", &session]).await?;
    ensure!(said.contains(&format!("`pollux attach {session}`")), "{said}");
    // What it advises works, by the id too.
    let output = home.run(&["attach", &session]).await?;
    ensure!(output.status.code() == Some(0), "{output:?}");
    assert_eq!((first.stop().await?, second.stop().await?), (Some(0), Some(0)));
    Ok(())
}

#[tokio::test]
async fn a_token_is_asked_for_and_taken_from_the_address_or_a_file() -> Result<()> {
    let (home, elsewhere) = (TestHome::new(POLLUX)?, TestHome::new(POLLUX)?);
    let token = "0123456789abcdef0123456789abcdef";
    for home in [&home, &elsewhere] {
        private(&home.path("token"), token)?;
    }
    let file = home.path("token").display().to_string();
    let server = home.share(&["-m", "demo", "--token-file", &file]).await?;
    let url = format!("http://{}", server.address);
    // Somebody who cannot read where the session keeps its token.
    let said = refused(&elsewhere, &["attach", &url]).await?;
    ensure!(said.contains("HTTP status 401") && said.contains("give --token-file FILE"), "{said}");
    let theirs = elsewhere.path("token").display().to_string();
    for args in [&["attach", &format!("{url}#token={token}")][..], &["attach", &url, "--token-file", &theirs]] {
        let output = elsewhere.run(args).await?;
        ensure!(output.status.code() == Some(0), "{output:?}");
        ensure!(!String::from_utf8_lossy(&output.stdout).contains(token), "the token is printed");
    }
    assert_eq!(server.stop().await?, Some(0));
    Ok(())
}

/// A file that only its owner can read.
fn private(path: &std::path::Path, text: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text)?;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain_lines_can_be_left_while_a_session_says_nothing() -> Result<()> {
    let home = TestHome::new(POLLUX)?;
    let far = FakeRemoteSession::start(7, |_| None).await?;
    for keys in [CTRL_C, CTRL_D, b"hello\r/quit\r"] {
        let mut terminal = PtyTerminal::start(&home, &["attach", &format!("http://{}", far.address)])?;
        terminal.wait_for("session 0199f3a0")?;
        terminal.press(keys)?;
        assert_eq!(terminal.exit_code()?, 0);
    }
    Ok(())
}
