//! The alternate screen.

use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_page_comes_and_goes_and_the_main_screen_is_as_it_was() {
    let (fake_terminal, mut stage) = stage(20, 5, 0);
    show(&fake_terminal, &mut stage, with_cursor(frame(&["done"], &["> text", "status"]), 3, 0));
    let before = (fake_terminal.screen(), fake_terminal.cursor());
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page", "of text"])))).unwrap();
    assert_eq!(
        (fake_terminal.is_on_page(), fake_terminal.screen().as_str(), fake_terminal.cursor()),
        (true, "page\nof text", None)
    );
    fake_terminal.take_bytes();
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page", "of test"])))).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&fake_terminal.take_bytes()),
        "\x1b[?2026h\x1b[2;6H\x1b[?7ls\x1b[1;1H\x1b[?7h\x1b[?2026l"
    );
    stage.set_page(None).unwrap();
    assert!(!fake_terminal.is_on_page());
    assert_eq!((fake_terminal.screen(), fake_terminal.cursor()), before);
}

#[test]
fn what_is_finished_behind_a_page_is_printed_when_it_is_left() {
    let (fake_terminal, mut stage) = stage(20, 5, 0);
    show(&fake_terminal, &mut stage, frame(&["a"], &["live"]));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page"])))).unwrap();
    assert_eq!(show(&fake_terminal, &mut stage, frame(&["b"], &["live 2"])), b"");
    assert_eq!(show(&fake_terminal, &mut stage, frame(&["c"], &["live 3"])), b"");
    assert_eq!(fake_terminal.screen(), "page");
    stage.set_page(None).unwrap();
    assert_eq!(fake_terminal.screen(), "a\nb\nc\nlive 3");
    show(&fake_terminal, &mut stage, frame(&["d"], &["live 3"]));
    assert_eq!(fake_terminal.screen(), "a\nb\nc\nd\nlive 3");
}

#[test]
fn leaving_for_good_leaves_the_page_too() {
    let (fake_terminal, mut stage) = stage(20, 5, 0);
    show(&fake_terminal, &mut stage, frame(&["a"], &["live"]));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page"])))).unwrap();
    show(&fake_terminal, &mut stage, frame(&["b"], &["live"]));
    stage.leave().unwrap();
    assert_eq!((fake_terminal.is_on_page(), fake_terminal.screen().as_str()), (false, "a\nb"));
    assert_eq!(fake_terminal.cursor(), Some(Position { x: 0, y: 2 }));
}

#[test]
fn after_a_resize_behind_a_page_the_live_area_is_found_again() {
    let (fake_terminal, mut stage) = stage(20, 5, 0);
    show(&fake_terminal, &mut stage, with_cursor(frame(&["a", "b"], &["> text", "status"]), 3, 0));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page"])))).unwrap();
    show(&fake_terminal, &mut stage, frame(&["c"], &["> text", "status"]));
    let size = fake_terminal.cut_to(12, 8);
    stage.resized(size, Some(fake_terminal.report()));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page, narrower"])))).unwrap();
    assert_eq!(fake_terminal.screen(), "page, narro…");
    stage.set_page(None).unwrap();
    assert_eq!(fake_terminal.screen(), "a\nb\nc\n> text\nstatus");
    show(&fake_terminal, &mut stage, frame(&["d"], &["> text", "status"]));
    assert_eq!(fake_terminal.screen(), "a\nb\nc\nd\n> text\nstatus");
}
