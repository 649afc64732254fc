//! Lines typed key by key: what is half typed is there again after others have printed.

use crate::line_mode::line_editor::OUTPUT_HOLD;
use crate::line_mode::tests::check;
use crate::testing::*;
use expect_test::expect;
use pollux_session::*;
use pretty_assertions::assert_eq;

fn prompts(session: &FakeSession) -> Vec<String> {
    let texts = session.by_clients().into_iter().filter_map(|event| match event {
        Event::Prompted { text, .. } => Some(text),
        _ => None,
    });
    texts.collect()
}

#[tokio::test(start_paused = true)]
async fn a_line_is_shown_as_it_is_typed_and_corrected() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.presses("helo").await;
    table.presses("\u{7f}lo wörld\u{17}there").await;
    table.presses("\u{1b}[D").await;
    let screen = table.sees().await;
    assert!(
        screen.ends_with("> helo\u{8} \u{8}lo wörld\u{8}\u{8}\u{8}\u{8}\u{8}     \u{8}\u{8}\u{8}\u{8}\u{8}there"),
        "{screen:?}"
    );
    table.presses("\r").await;
    assert_eq!(prompts(&session), ["hello there"]);
}

#[tokio::test(start_paused = true)]
async fn half_typed_text_comes_back_after_others_have_printed() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.presses("what abou").await;
    session.notices(NoticeLevel::Warn, "a server has stopped");
    table.settle().await;
    session.seat("A2A zed").prompts("me first");
    session.says(ItemKind::Text, "Sure.");
    session.rests();
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > what abou
            a server has stopped
            > what abou
            [A2A zed] me first
            Sure.

            > what abou"#]],
    )
    .await;
    table.presses("t it?\n").await;
    assert_eq!(prompts(&session), ["me first", "what about it?"]);
}

#[tokio::test(start_paused = true)]
async fn a_line_typed_while_a_turn_runs_stays_whole() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.presses("go\n").await;
    session.says(ItemKind::Text, "One ");
    table.settle().await;
    table.presses("and th").await;
    session.says(ItemKind::Text, "two ");
    table.presses("en?").await;
    session.says(ItemKind::Text, "three.");
    let held = table.sees().await;
    assert!(held.ends_with("One \n> and then?"), "{held:?}");
    table.presses("\n").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > go
            One 
            > and then?
            two three.
            queued: and then?
        "#]],
    )
    .await;
    assert_eq!(prompts(&session), ["go", "and then?"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_typing_does_not_hold_up_the_turn_for_long() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.presses("go\n").await;
    session.says(ItemKind::Text, "One ");
    table.settle().await;
    table.presses("hm").await;
    session.says(ItemKind::Text, "two.");
    assert!(table.sees().await.ends_with("> hm"));
    tokio::time::sleep(OUTPUT_HOLD).await;
    session.rests();
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > go
            One 
            > hm
            two.

            > hm"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_ask_is_never_answered_by_what_was_half_typed() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    session.seat("A2A zed").prompts("do it");
    session.says(ItemKind::Text, "Well.");
    table.presses("1").await;
    tokio::time::sleep(OUTPUT_HOLD).await;
    let call = session.asks_to_run("ls");
    table.settle().await;
    table.presses("\n").await;
    assert!(session.state().turn.unwrap().calls[&call].ask.is_some());
    assert_eq!(prompts(&session), ["do it"]);
    table.presses("3\n").await;
    check(
        &table,
        &expect![[r#"
            Pollux test
            model: demo (not an AI)

            > 1
            [A2A zed] do it
            Well.
            ? Run a command  ls
              run in /ws:
              | ls
              1. Allow once
              2. Allow `ls` in this session
              3. Decline
            answer 1-3: 
            answer 1-3: 3
            ▸ run_shell_command  ls  - declined
            Stopped: run_shell_command ls was declined. Say what to do instead.

            > 1"#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn keys_that_end_things() {
    let session = FakeSession::open();
    let table = LineModeTester::start(&session).await;
    table.presses("abc\u{4}").await;
    assert!(table.sees().await.ends_with("> abc"), "Ctrl+D in a line does nothing");
    table.interrupts().await;
    table.presses("\u{15}\u{4}").await;
    assert_eq!(table.wait_for_exit().await, crate::line_mode::ExitReason::EndOfInput);
}
