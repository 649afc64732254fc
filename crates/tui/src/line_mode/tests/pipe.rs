//! Input that is no person's.

use crate::ansi_writer::ColourMode;
use crate::line_input::EchoSource;
use crate::line_mode::ExitReason;
use crate::line_mode::tests::succeeded;
use crate::testing::*;
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;

#[tokio::test(start_paused = true)]
async fn a_pipe_is_worked_off_line_by_line() {
    let session = FakeSession::open();
    let table = LineModeTester::start_with(&session, ColourMode::Never, EchoSource::Seat).await;
    table.types("test it").await;
    table.types("1").await;
    let call = session.asks_to_run("npm test");
    table.settle().await;
    session.runs(call, Report::Starting);
    session.ends_call(call, succeeded());
    session.rests();
    table.settle().await;
    let (screen, ended) = table.leaves().await;
    assert_eq!(ended, ExitReason::EndOfInput);
    expect![[r#"
        Pollux test
        model: demo (not an AI)

        > test it
        ? Run a command  npm test
          run in /ws:
          | npm test
          1. Allow once
          2. Allow `npm test` in this session
          3. Decline
        answer 1-3: 1
        ▸ run_shell_command  npm test  ✓ exit 0, 0 ms

        > 
    "#]]
    .assert_eq(&screen);
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_a_pipe_leaves_open_stays_open() {
    let session = FakeSession::open();
    let table = LineModeTester::start_with(&session, ColourMode::Never, EchoSource::Seat).await;
    table.types("test it").await;
    session.asks_to_run("npm test");
    let (screen, ended) = table.leaves().await;
    assert_eq!(ended, ExitReason::EndOfInput);
    assert!(screen.ends_with("the input has ended while an ask is open; it stays open in the session\n"), "{screen}");
}
