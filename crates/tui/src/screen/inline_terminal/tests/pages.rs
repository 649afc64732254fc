//! The alternate screen.

use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_page_comes_and_goes_and_the_main_screen_is_as_it_was() {
    let (glass, mut stage) = stage(20, 5, 0);
    show(&glass, &mut stage, with_cursor(frame(&["done"], &["> text", "status"]), 3, 0));
    let before = (glass.screen(), glass.cursor());
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page", "of text"])))).unwrap();
    assert_eq!((glass.is_on_page(), glass.screen().as_str(), glass.cursor()), (true, "page\nof text", None));
    glass.take_bytes();
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page", "of test"])))).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&glass.take_bytes()),
        "\x1b[?2026h\x1b[2;6H\x1b[?7ls\x1b[1;1H\x1b[?7h\x1b[?2026l"
    );
    stage.set_page(None).unwrap();
    assert!(!glass.is_on_page());
    assert_eq!((glass.screen(), glass.cursor()), before);
}

#[test]
fn what_is_finished_behind_a_page_is_printed_when_it_is_left() {
    let (glass, mut stage) = stage(20, 5, 0);
    show(&glass, &mut stage, frame(&["a"], &["live"]));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page"])))).unwrap();
    assert_eq!(show(&glass, &mut stage, frame(&["b"], &["live 2"])), b"");
    assert_eq!(show(&glass, &mut stage, frame(&["c"], &["live 3"])), b"");
    assert_eq!(glass.screen(), "page");
    stage.set_page(None).unwrap();
    assert_eq!(glass.screen(), "a\nb\nc\nlive 3");
    show(&glass, &mut stage, frame(&["d"], &["live 3"]));
    assert_eq!(glass.screen(), "a\nb\nc\nd\nlive 3");
}

#[test]
fn leaving_for_good_leaves_the_page_too() {
    let (glass, mut stage) = stage(20, 5, 0);
    show(&glass, &mut stage, frame(&["a"], &["live"]));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page"])))).unwrap();
    show(&glass, &mut stage, frame(&["b"], &["live"]));
    stage.leave().unwrap();
    assert_eq!((glass.is_on_page(), glass.screen().as_str()), (false, "a\nb"));
    assert_eq!(glass.cursor(), Some(Position { x: 0, y: 2 }));
}

#[test]
fn after_a_resize_behind_a_page_the_live_area_is_found_again() {
    let (glass, mut stage) = stage(20, 5, 0);
    show(&glass, &mut stage, with_cursor(frame(&["a", "b"], &["> text", "status"]), 3, 0));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page"])))).unwrap();
    show(&glass, &mut stage, frame(&["c"], &["> text", "status"]));
    let size = glass.cut_to(12, 8);
    stage.resized(size, Some(glass.report()));
    stage.set_page(Some(RenderedLines::without_cursor(lines(&["page, narrower"])))).unwrap();
    assert_eq!(glass.screen(), "page, narro…");
    stage.set_page(None).unwrap();
    assert_eq!(glass.screen(), "a\nb\nc\n> text\nstatus");
    show(&glass, &mut stage, frame(&["d"], &["> text", "status"]));
    assert_eq!(glass.screen(), "a\nb\nc\nd\n> text\nstatus");
}
