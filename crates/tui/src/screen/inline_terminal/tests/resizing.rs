//! Other sizes, in terminals that wrap and in terminals that cut.

use super::*;
use crate::screen::terminal::NarrowedRows;
use pretty_assertions::assert_eq;

/// Everything that is on the glass, without empty lines.
fn all(fake_terminal: &FakeTerminal) -> Vec<String> {
    let all = format!("{}\n{}", fake_terminal.scrollback(), fake_terminal.screen());
    all.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn a_narrower_terminal_that_wraps_keeps_nothing_of_the_old_area() {
    for (x, y) in [(2, 1), (19, 1), (10, 1), (7, 0), (0, 2), (20, 1)] {
        let (fake_terminal, mut stage) = stage(24, 12, 0);
        let live = ["a live line of 23 chars", "> what is being typed", "status of the session"];
        show(&fake_terminal, &mut stage, with_cursor(frame(&["one", "two"], &live), x, y));
        let size = fake_terminal.wrap_to(10, 12);
        stage.resized(size, Some(fake_terminal.report()));
        show(&fake_terminal, &mut stage, with_cursor(frame(&["three"], &["new", "> area", "status"]), 2, 1));
        assert_eq!(all(&fake_terminal), ["one", "two", "three", "new", "> area", "status"], "cursor at {x}, {y}");
    }
}

#[test]
fn a_narrower_terminal_that_cuts_loses_no_finished_line() {
    for (x, y) in [(2, 1), (19, 1), (22, 0), (0, 2)] {
        let (fake_terminal, stage) = stage(24, 8, 0);
        let mut stage =
            stage.with_quirks(TerminalQuirks { narrowed_rows: NarrowedRows::Cut, ..TerminalQuirks::default() });
        let live = ["a live line of 23 chars", "> what is being typed", "status of the session"];
        show(&fake_terminal, &mut stage, with_cursor(frame(&["one", "two"], &live), x, y));
        let size = fake_terminal.cut_to(10, 8);
        stage.resized(size, Some(fake_terminal.report()));
        show(&fake_terminal, &mut stage, with_cursor(frame(&["three"], &["new", "> area", "status"]), 2, 1));
        assert_eq!(all(&fake_terminal), ["one", "two", "three", "new", "> area", "status"], "cursor at {x}, {y}");
    }
}

#[test]
fn the_cursor_tells_a_terminal_that_cuts_from_one_that_wraps() {
    let (fake_terminal, mut stage) = stage(24, 8, 0);
    let live = ["a live line of 23 chars", "> what is being typed", "status"];
    show(&fake_terminal, &mut stage, with_cursor(frame(&["one", "two"], &live), 16, 1));
    let size = fake_terminal.cut_to(10, 8);
    stage.resized(size, Some(fake_terminal.report()));
    show(&fake_terminal, &mut stage, frame(&[], &["new"]));
    assert_eq!(all(&fake_terminal), ["one", "two", "new"]);
}

#[test]
fn a_wider_and_a_taller_terminal_keep_everything_in_place() {
    let (fake_terminal, mut stage) = stage(20, 4, 0);
    let live = ["> typed", "status"];
    show(&fake_terminal, &mut stage, with_cursor(frame(&["1", "2", "3", "4"], &live), 3, 0));
    assert_eq!(
        (fake_terminal.scrollback().as_str(), fake_terminal.screen().as_str()),
        ("1\n2", "3\n4\n> typed\nstatus")
    );
    let size = fake_terminal.wrap_to(30, 6);
    stage.resized(size, Some(fake_terminal.report()));
    show(&fake_terminal, &mut stage, with_cursor(frame(&["5"], &live), 3, 0));
    assert_eq!(all(&fake_terminal), ["1", "2", "3", "4", "5", "> typed", "status"]);
    assert_eq!(fake_terminal.cursor().map(|cursor| cursor.x), Some(3));
}

#[test]
fn several_sizes_before_the_next_frame_count_from_what_was_drawn() {
    let (fake_terminal, mut stage) = stage(30, 10, 0);
    let live = ["a live line that is as long as 30", "> typed"];
    show(&fake_terminal, &mut stage, with_cursor(frame(&["one"], &live), 3, 1));
    for width in [20, 9, 12, 25] {
        let size = fake_terminal.wrap_to(width, 10);
        stage.resized(size, Some(fake_terminal.report()));
    }
    show(&fake_terminal, &mut stage, frame(&["two"], &["live"]));
    assert_eq!(all(&fake_terminal), ["one", "two", "live"]);
}

#[test]
fn no_report_is_needed_where_the_habits_are_known() {
    let (fake_terminal, mut stage) = stage(20, 4, 0);
    let live = ["> typed text of 18", "status"];
    show(&fake_terminal, &mut stage, with_cursor(frame(&["1", "2", "3"], &live), 13, 0));
    stage.resized(fake_terminal.wrap_to(10, 4), None);
    show(&fake_terminal, &mut stage, frame(&["4"], &["> typed", "status"]));
    assert_eq!(all(&fake_terminal), ["1", "2", "3", "4", "> typed", "status"]);
}

#[test]
fn frames_before_a_resize_is_known_lose_no_finished_line() {
    let (fake_terminal, mut stage) = stage(20, 8, 0);
    let live = ["a live line of 20 ch", "> typed", "status"];
    show(&fake_terminal, &mut stage, with_cursor(frame(&["1", "2"], &live), 3, 1));
    // Lower, and nobody said so.
    let size = fake_terminal.wrap_to(20, 5);
    show(&fake_terminal, &mut stage, with_cursor(frame(&["3", "4", "5"], &live), 3, 1));
    show(&fake_terminal, &mut stage, with_cursor(frame(&["6"], &live), 3, 1));
    stage.resized(size, Some(fake_terminal.report()));
    show(&fake_terminal, &mut stage, with_cursor(frame(&["7"], &live), 3, 1));
    let expected = ["1", "2", "3", "4", "5", "6", "7", "a live line of 20 ch", "> typed", "status"];
    assert_eq!(all(&fake_terminal), expected);
}

#[test]
fn a_screen_too_low_for_the_old_area_is_drawn_from_its_top() {
    let (fake_terminal, mut stage) = stage(20, 8, 0);
    show(&fake_terminal, &mut stage, with_cursor(frame(&["1"], &["a", "b", "c", "d", "> typed"]), 3, 4));
    let size = fake_terminal.wrap_to(20, 3);
    stage.resized(size, Some(fake_terminal.report()));
    show(&fake_terminal, &mut stage, with_cursor(frame(&["2"], &["c", "> typed"]), 3, 1));
    assert_eq!(fake_terminal.screen(), "2\nc\n> typed");
}

#[test]
fn a_frame_for_another_size_waits_until_the_new_one_is_told() {
    let (fake_terminal, stage) = stage(20, 6, 0);
    let mut stage = stage.with_probe(|| Ok(Size { width: 12, height: 6 }));
    assert_eq!(show(&fake_terminal, &mut stage, frame(&["one"], &["live"])), b"");
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page"])))).unwrap();
    assert!(!fake_terminal.is_on_page());
    stage.resized(fake_terminal.wrap_to(12, 6), Some(fake_terminal.report()));
    show(&fake_terminal, &mut stage, frame(&["two"], &["live"]));
    assert_eq!(fake_terminal.screen(), "one\ntwo\nlive");
}

#[test]
fn what_waits_for_a_size_is_printed_when_the_screen_is_left() {
    let (fake_terminal, stage) = stage(20, 6, 0);
    let mut stage = stage.with_probe(|| Ok(Size { width: 12, height: 6 }));
    show(&fake_terminal, &mut stage, frame(&["one", "two"], &["live"]));
    assert_eq!(fake_terminal.screen(), "");
    stage.leave().unwrap();
    assert_eq!(fake_terminal.screen(), "one\ntwo");
}

#[test]
fn a_finished_line_that_waited_for_a_narrower_terminal_is_broken_not_cut() {
    let (fake_terminal, stage) = stage(20, 6, 0);
    let mut stage = stage.with_probe(|| Ok(Size { width: 12, height: 6 }));
    show(&fake_terminal, &mut stage, frame(&["a line of 20 letters"], &["live"]));
    stage.resized(fake_terminal.wrap_to(12, 6), Some(fake_terminal.report()));
    show(&fake_terminal, &mut stage, frame(&[], &["live"]));
    assert_eq!(fake_terminal.screen(), "a line of 20\n letters\nlive");
}
