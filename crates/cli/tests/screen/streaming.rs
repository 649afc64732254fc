//! The screen while the agent works: streams, resizes, cancels.

use crate::screen::screen_session::{GATED, READY, home, model, open};
use anyhow::Result;
use pollux_testkit::program::TestHome;
use pollux_testkit::script;
use pollux_testkit::tmux::TmuxWindow;

/// The number of items in the streamed lists, and the number that are there when something happens.
const ITEMS: usize = 150;
const EARLY: usize = 40;

/// A list whose lines nearly fill `columns`.
fn items(columns: u16) -> Vec<String> {
    let filler = "with words behind it ".repeat(20);
    let item = |number| format!("- item {number:03} of the list, {filler}");
    (0..ITEMS).map(|number| format!("{}\n", &item(number)[..usize::from(columns) - 6])).collect()
}

/// The numbers of the items in a text, in order.
fn numbers(text: &str) -> Vec<usize> {
    text.lines().filter_map(|line| line.split_once("- item ")?.1.get(..3)?.parse().ok()).collect()
}

/// A screen of this size on which a list streams; some of it is there.
async fn streaming<'a>(home: &'a TestHome, size: (u16, u16)) -> Result<TmuxWindow<'a>> {
    let script = model(home, &[script::streamed_answer(&items(size.0), 10)])?;
    let tmux = TmuxWindow::start(home, &["--model", &script], size.0, size.1).await?;
    tmux.wait_for(READY).await?;
    tmux.type_line("count").await?;
    tmux.wait_until_printed("some items", |text| numbers(text).len() > EARLY).await?;
    Ok(tmux)
}

/// Wait for the last item, and for the end of the turn; the items that are there then.
async fn at_the_end(tmux: &TmuxWindow<'_>) -> Result<Vec<usize>> {
    let is_over = |text: &str| {
        let is_last = numbers(text).last() == Some(&(ITEMS - 1));
        is_last && !text.contains("Esc to cancel") && text.matches(READY).count() == 1
    };
    Ok(numbers(&tmux.wait_until_printed("the end of the list", is_over).await?))
}

/// At the end each item is there once.
async fn each_item_is_there_once(tmux: &TmuxWindow<'_>) -> Result<()> {
    assert_eq!(at_the_end(tmux).await?, Vec::from_iter(0..ITEMS));
    Ok(())
}

#[tokio::test]
async fn what_is_finished_of_a_streaming_list_can_be_scrolled_to() -> Result<()> {
    let home = home()?;
    let mut answer = script::streamed_answer(&items(80), 0);
    // The last item does not come.
    answer["delaysMs"][ITEMS - 1] = 3_600_000.into();
    let tmux = open(&home, &["--model", &model(&home, &[answer])?]).await?;
    tmux.type_line("count").await?;
    let wanted: Vec<usize> = (0..ITEMS - 1).collect();
    let everything = tmux
        .wait_until_printed("all items but the last, while it streams", |text| {
            numbers(text) == wanted && text.contains("Esc to cancel")
        })
        .await?;
    // All but the newest have left the live area: that is low.
    let screen = tmux.screen().await?;
    let below = screen.lines().skip_while(|line| !line.contains("Esc to cancel")).count();
    assert!(below < 8, "{everything}");
    Ok(())
}

#[tokio::test]
async fn a_pane_that_is_split_while_a_list_streams_leaves_no_copies() -> Result<()> {
    let home = home()?;
    let tmux = streaming(&home, (80, 50)).await?;
    tmux.split().await?;
    each_item_is_there_once(&tmux).await
}

#[tokio::test]
async fn a_lower_window_while_a_list_streams_leaves_no_copies() -> Result<()> {
    for rows in [24, 50] {
        let home = home()?;
        let tmux = streaming(&home, (80, rows)).await?;
        tmux.resize(80, 12).await?;
        each_item_is_there_once(&tmux).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_wider_window_while_a_list_streams_leaves_no_copies() -> Result<()> {
    let home = home()?;
    let tmux = streaming(&home, (80, 24)).await?;
    tmux.resize(160, 24).await?;
    each_item_is_there_once(&tmux).await
}

#[tokio::test]
async fn a_narrower_window_while_a_list_streams_loses_nothing_and_doubles_next_to_nothing() -> Result<()> {
    for (from, to) in [((80, 24), (60, 24)), ((160, 50), (79, 50))] {
        let home = home()?;
        let tmux = streaming(&home, from).await?;
        tmux.resize(to.0, to.1).await?;
        let mut items = at_the_end(&tmux).await?;
        let count = items.len();
        items.sort_unstable();
        items.dedup();
        assert_eq!(items, Vec::from_iter(0..ITEMS));
        // A frame may be on its way when the window changes, see docs/TERMINAL.md.
        assert!(count <= ITEMS + 2, "{} copies from {from:?} to {to:?}", count - ITEMS);
    }
    Ok(())
}

#[tokio::test]
async fn many_sizes_one_after_the_other_while_a_list_streams_leave_no_copies() -> Result<()> {
    let home = home()?;
    let tmux = streaming(&home, (80, 24)).await?;
    // tmux tells of the first of them at once and of the others when it likes.
    for (columns, rows) in [(100, 30), (60, 20), (120, 40), (80, 12), (70, 24), (160, 50), (79, 24), (80, 24)] {
        tmux.resize(columns, rows).await?;
    }
    each_item_is_there_once(&tmux).await
}

#[tokio::test]
async fn a_long_answer_is_in_the_scrollback_once_and_in_order() -> Result<()> {
    let home = home()?;
    let lines: Vec<String> = (1..=300).map(|number| format!("- line number {number} of the answer")).collect();
    let answers = [script::text_answer(&lines.join("\n"))];
    let tmux = open(&home, &["--model", &model(&home, &answers)?]).await?;
    tmux.type_line("count").await?;
    tmux.wait_for("line number 300").await?;
    tmux.wait_for(READY).await?;
    let numbers = |text: &str| -> Vec<usize> {
        text.lines().filter_map(|line| line.split_once("line number ")?.1.split_once(' ')?.0.parse().ok()).collect()
    };
    let wanted: Vec<usize> = (1..=300).collect();
    tmux.wait_until_printed("each line once", |text| numbers(text) == wanted).await?;
    Ok(())
}

#[tokio::test]
async fn a_resize_while_a_command_prints_leaves_one_composer() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.type_line("run for i in $(seq 1 400); do echo row $i of the output; sleep 0.01; done").await?;
    tmux.wait_for("│ row ").await?;
    for (columns, rows) in [(40, 24), (120, 30), (60, 12), (300, 40), (80, 24)] {
        tmux.resize(columns, rows).await?;
        tmux.wait_until("the status line", |screen| screen.contains("yolo mode")).await?;
    }
    let one_of_each =
        |screen: &str| ["tokens sent", READY, "yolo mode"].map(|text| screen.matches(text).count()) == [1; 3];
    tmux.wait_until("one composer and one status line", one_of_each).await?;
    Ok(())
}

#[tokio::test]
async fn escape_cancels_the_turn() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.type_line(GATED).await?;
    tmux.wait_for("at the gate").await?;
    tmux.wait_for("Esc to cancel").await?;
    tmux.press(&["Escape"]).await?;
    tmux.wait_gone("Esc to cancel").await?;
    tmux.wait_for("cancelled").await?;
    Ok(())
}

#[tokio::test]
async fn everything_can_be_read_again_with_calls_opened() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    tmux.type_line("run seq 1 50").await?;
    tmux.wait_for("tokens sent").await?;
    tmux.press(&["C-o"]).await?;
    tmux.wait_for("everything so far").await?;
    tmux.wait_for_format("#{alternate_on}", "1").await?;
    tmux.type_text("q").await?;
    tmux.wait_for(READY).await?;
    tmux.wait_for_format("#{alternate_on}", "0").await?;
    Ok(())
}

#[tokio::test]
async fn narrowing_again_and_again_leaves_no_copies() -> Result<()> {
    let home = home()?;
    let tmux = open(&home, &["--yolo"]).await?;
    // Rows that fit the narrowest window: where all of them are wrapped there may be no room for them, see docs/TERMINAL.md.
    tmux.type_line("run for i in $(seq 1 400); do echo row $i of the output; sleep 0.01; done").await?;
    tmux.wait_for("│ row ").await?;
    for columns in [76, 70, 66, 60, 55, 50, 44, 40, 80] {
        tmux.resize(columns, 24).await?;
        tmux.wait_until("the status line", |screen| screen.contains("yolo mode")).await?;
    }
    let parts = ["tokens sent", READY, "yolo mode", "│ row 400 of", "Esc to cancel"];
    let once = |text: &str| parts.map(|part| text.matches(part).count()) == [1, 1, 1, 1, 0];
    let no_copies = |text: &str| text.matches("│ row ").count() == 10;
    tmux.wait_until_printed("nothing of the live rows", |text| once(text) && no_copies(text)).await?;
    Ok(())
}
