//! Whole screens, as a terminal would show them.

mod pages;
mod resizing;

use super::{InlineTerminal, ScreenFrame};
use crate::ansi_writer::ColourMode;
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::terminal::{ErasedCells, TerminalQuirks};
use crate::screen::terminal_control::TerminalControl;
use crate::screen::testing::{ATTACKS, FakeTerminal, only_our_sequences};
use pretty_assertions::assert_eq;
use ratatui::layout::{Position, Size};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use std::io::Write as _;

fn stage(width: u16, height: u16, row: u16) -> (FakeTerminal, InlineTerminal<FakeTerminal>) {
    let fake_terminal = FakeTerminal::new(width, height);
    fake_terminal.clone().write_all("\r\n".repeat(row.into()).as_bytes()).unwrap();
    let stage = InlineTerminal::new(fake_terminal.clone(), Size { width, height }, ColourMode::Always);
    (fake_terminal, stage)
}

fn lines(texts: &[&str]) -> Vec<Line<'static>> {
    texts.iter().map(|text| Line::from((*text).to_owned())).collect()
}

fn frame(above: &[&str], live: &[&str]) -> ScreenFrame {
    ScreenFrame { above: lines(above), live: RenderedLines::without_cursor(lines(live)) }
}

fn with_cursor(mut frame: ScreenFrame, x: u16, y: u16) -> ScreenFrame {
    frame.live.cursor = Some(Position { x, y });
    frame
}

/// Show it, and hold everything that is written to be ours, in one write, inside one update.
fn show(fake_terminal: &FakeTerminal, stage: &mut InlineTerminal<FakeTerminal>, frame: ScreenFrame) -> Vec<u8> {
    fake_terminal.take_bytes();
    stage.show(frame).unwrap();
    let writes = fake_terminal.writes();
    let bytes = fake_terminal.take_bytes();
    assert_eq!(only_our_sequences(&bytes), Ok(()));
    if !bytes.is_empty() {
        assert_eq!(writes, 1);
        assert!(bytes.starts_with(super::draw::BEGIN_UPDATE) && bytes.ends_with(super::draw::END_UPDATE));
    }
    bytes
}

#[test]
fn the_live_area_grows_and_shrinks_in_place() {
    let (fake_terminal, mut stage) = stage(20, 6, 1);
    show(&fake_terminal, &mut stage, frame(&[], &["one"]));
    assert_eq!(fake_terminal.screen(), "\none");
    show(&fake_terminal, &mut stage, frame(&[], &["one", "two", "three"]));
    assert_eq!(fake_terminal.screen(), "\none\ntwo\nthree");
    show(&fake_terminal, &mut stage, frame(&[], &["1", "two"]));
    assert_eq!(fake_terminal.screen(), "\n1\ntwo");
    show(&fake_terminal, &mut stage, frame(&[], &[]));
    assert_eq!(fake_terminal.screen(), "");
    show(&fake_terminal, &mut stage, frame(&[], &["a", "b", "c", "d", "e"]));
    assert_eq!((fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()), ("\na\nb\nc\nd\ne", ""));
}

#[test]
fn at_the_bottom_it_grows_by_moving_everything_up() {
    let (fake_terminal, mut stage) = stage(20, 4, 0);
    show(&fake_terminal, &mut stage, frame(&["first", "second"], &["live", "more"]));
    assert_eq!(fake_terminal.screen(), "first\nsecond\nlive\nmore");
    show(&fake_terminal, &mut stage, frame(&[], &["live", "more", "and more"]));
    assert_eq!(
        (fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()),
        ("second\nlive\nmore\nand more", "first")
    );
    show(&fake_terminal, &mut stage, frame(&[], &["live"]));
    assert_eq!((fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()), ("second\nlive", "first"));
}

#[test]
fn finished_lines_go_above_the_live_area() {
    let (fake_terminal, mut stage) = stage(20, 5, 0);
    show(&fake_terminal, &mut stage, frame(&["a"], &["> live one", "status"]));
    assert_eq!(fake_terminal.screen(), "a\n> live one\nstatus");
    show(&fake_terminal, &mut stage, frame(&["b", "c"], &["> live one", "status"]));
    assert_eq!(fake_terminal.screen(), "a\nb\nc\n> live one\nstatus");
    show(&fake_terminal, &mut stage, frame(&["d"], &["> live one", "status"]));
    assert_eq!(
        (fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()),
        ("b\nc\nd\n> live one\nstatus", "a")
    );
    // What was live is finished: nothing moves.
    show(&fake_terminal, &mut stage, frame(&["> live one"], &["status"]));
    assert_eq!(
        (fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()),
        ("b\nc\nd\n> live one\nstatus", "a")
    );
    // An empty area is one empty row.
    show(&fake_terminal, &mut stage, frame(&["e"], &[]));
    assert_eq!((fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()), ("c\nd\n> live one\ne", "a\nb"));
}

#[test]
fn no_finished_line_is_lost_or_shown_twice() {
    let (fake_terminal, mut stage) = stage(12, 4, 3);
    let mut expected = Vec::new();
    for round in 0..40_usize {
        let above: Vec<String> = (0..round % 7).map(|line| format!("{round}.{line}")).collect();
        let live: Vec<String> = (0..round % 6).map(|line| format!("live {line}")).collect();
        expected.extend(above.clone());
        let texts = |all: &[String]| all.iter().map(|text| Line::from(text.clone())).collect();
        show(
            &fake_terminal,
            &mut stage,
            ScreenFrame { above: texts(&above), live: RenderedLines::without_cursor(texts(&live)) },
        );
    }
    stage.leave().unwrap();
    let all = format!("{}\n{}", fake_terminal.scrollback(), fake_terminal.screen());
    let found: Vec<&str> = all.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(found, expected);
}

#[test]
fn an_area_taller_than_the_screen_shows_its_bottom_or_its_cursor() {
    let (fake_terminal, mut stage) = stage(10, 3, 0);
    let tall = ["1", "2", "3", "4", "5"];
    show(&fake_terminal, &mut stage, with_cursor(frame(&["above"], &tall), 1, 4));
    assert_eq!((fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()), ("3\n4\n5", "above"));
    assert_eq!(fake_terminal.cursor(), Some(Position { x: 1, y: 2 }));
    show(&fake_terminal, &mut stage, with_cursor(frame(&[], &tall), 0, 1));
    assert_eq!((fake_terminal.screen().as_str(), fake_terminal.scrollback().as_str()), ("2\n3\n4", "above"));
    assert_eq!(fake_terminal.cursor(), Some(Position { x: 0, y: 0 }));
}

#[test]
fn nothing_is_written_when_nothing_changed_and_little_when_little_did() {
    let (fake_terminal, mut stage) = stage(80, 24, 0);
    let text = |word: &str| with_cursor(frame(&[], &["a line that stays", word, "the status line"]), 4, 1);
    show(&fake_terminal, &mut stage, text("> he"));
    assert_eq!(show(&fake_terminal, &mut stage, text("> he")), b"");
    let typed = show(&fake_terminal, &mut stage, with_cursor(text("> hel"), 5, 1));
    let expected = "\x1b[?2026h\x1b[?25l\x1b[5G\x1b[?7ll\x1b[?7h\x1b[?25h\x1b[?2026l";
    assert_eq!(String::from_utf8_lossy(&typed), expected);
    let moved = show(&fake_terminal, &mut stage, with_cursor(text("> hel"), 3, 1));
    assert_eq!(String::from_utf8_lossy(&moved), "\x1b[?2026h\x1b[4G\x1b[?2026l");
    // What is left over at the end of a row is erased, not written over.
    let shorter = show(&fake_terminal, &mut stage, with_cursor(text(">"), 3, 1));
    assert_eq!(String::from_utf8_lossy(&shorter), "\x1b[?2026h\x1b[?25l\x1b[2G\x1b[K\x1b[4G\x1b[?25h\x1b[?2026l");
}

#[test]
fn wide_and_combined_characters_keep_their_columns() {
    let (fake_terminal, mut stage) = stage(8, 6, 0);
    let rows = ["漢字漢字", "x漢字漢", "é·e\u{301}!", "👩\u{200d}💻 ok", "❤\u{fe0f}|"];
    show(&fake_terminal, &mut stage, frame(&[], &rows));
    // This terminal does not join what belongs together; what follows stands where it belongs even so.
    assert_eq!(fake_terminal.screen(), "漢字漢字\nx漢字漢\né·e\u{301}!\n👩\u{200d} ok\n❤\u{fe0f}|");
    // A narrow one in the place of a wide one, and the other way round.
    show(&fake_terminal, &mut stage, frame(&[], &["ab字cd字", "x漢字 漢", "漢e\u{301}!"]));
    assert_eq!(fake_terminal.screen(), "ab字cd字\nx漢字 漢\n漢e\u{301}!");
}

#[test]
fn a_finished_line_that_is_too_long_is_broken_and_a_live_one_is_cut_and_says_so() {
    let (fake_terminal, mut stage) = stage(6, 5, 0);
    show(&fake_terminal, &mut stage, frame(&["exact6", "seven77"], &["漢字漢字", "ab漢字漢"]));
    assert_eq!(fake_terminal.screen(), "exact6\nseven7\n7\n漢字 …\nab漢 …");
}

#[test]
fn styles_are_drawn_and_colours_only_where_they_are_wanted() {
    let bold = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
    let line = Line::from(vec![
        Span::styled("bold", bold),
        Span::raw(" plain "),
        Span::styled("link", Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(200)).underlined()),
        Span::styled("seen", Style::new().add_modifier(Modifier::HIDDEN | Modifier::RAPID_BLINK)),
    ]);
    let frame = ScreenFrame { above: vec![line.clone()], live: RenderedLines::without_cursor(vec![line]) };
    let (fake_terminal, mut coloured) = stage(30, 4, 0);
    show(&fake_terminal, &mut coloured, frame.clone());
    let row = "‹bold fg6›bold‹› plain ‹underline fg#010203 bg200›link‹›seen";
    assert_eq!(fake_terminal.styled(), format!("{row}\n{row}"));

    let fake_terminal = FakeTerminal::new(30, 4);
    let mut plain = InlineTerminal::new(fake_terminal.clone(), Size { width: 30, height: 4 }, ColourMode::Never);
    let bytes = show(&fake_terminal, &mut plain, frame);
    let row = "‹bold›bold‹› plain ‹underline›link‹›seen";
    assert_eq!(fake_terminal.styled(), format!("{row}\n{row}"));
    assert!(!String::from_utf8_lossy(&bytes).contains("38;"));
}

#[test]
fn no_text_gets_out_as_anything_but_text() {
    for attack in ATTACKS {
        let (fake_terminal, mut stage) = stage(60, 8, 0);
        show(&fake_terminal, &mut stage, frame(&[attack], &[attack, "below"]));
        show(&fake_terminal, &mut stage, frame(&[], &["x", attack]));
        // Even sequences that we write ourselves are text in a text.
        let escapes = attack.matches('\x1b').count();
        assert_eq!(fake_terminal.screen().matches('␛').count(), 2 * escapes, "{attack:?}");
        fake_terminal.take_bytes();
        stage.set_page(Some(RenderedLines::without_cursor(lines(&[attack])))).unwrap();
        stage.set_page(None).unwrap();
        stage.send_control(TerminalControl::Title(attack.to_owned())).unwrap();
        stage.leave().unwrap();
        assert_eq!(only_our_sequences(&fake_terminal.take_bytes()), Ok(()), "{attack:?}");
    }
}

#[test]
fn fifty_thousand_lines_go_above_at_once() {
    let (fake_terminal, mut stage) = stage(40, 10, 0);
    let above: Vec<String> = (0..50_000).map(|line| format!("line {line}")).collect();
    let above: Vec<&str> = above.iter().map(String::as_str).collect();
    show(&fake_terminal, &mut stage, frame(&above, &["live"]));
    let all = format!("{}\n{}", fake_terminal.scrollback(), fake_terminal.screen());
    assert_eq!(all.lines().count(), 50_001);
    assert!(all.lines().zip(&above).all(|(shown, line)| shown == *line));
    assert_eq!(fake_terminal.screen().lines().last(), Some("live"));
}

#[test]
fn what_somebody_else_wrote_stays() {
    let (fake_terminal, mut stage) = stage(20, 6, 0);
    show(&fake_terminal, &mut stage, with_cursor(frame(&["done"], &["> text", "status"]), 2, 0));
    stage.leave().unwrap();
    assert_eq!(fake_terminal.screen(), "done");
    assert_eq!(fake_terminal.cursor(), Some(Position { x: 0, y: 1 }));
    fake_terminal.clone().write_all(b"editor\r\n").unwrap();
    stage.come_back(Size { width: 20, height: 6 });
    show(&fake_terminal, &mut stage, with_cursor(frame(&[], &["> text", "status"]), 2, 0));
    assert_eq!(fake_terminal.screen(), "done\neditor\n> text\nstatus");
}

#[test]
fn a_terminal_without_a_size_is_no_reason_to_fail() {
    let fake_terminal = FakeTerminal::new(1, 1);
    let mut stage = InlineTerminal::new(fake_terminal.clone(), Size { width: 0, height: 0 }, ColourMode::Always);
    show(&fake_terminal, &mut stage, with_cursor(frame(&["ab"], &["cd", "e"]), 9, 9));
    assert_eq!((fake_terminal.scrollback().as_str(), fake_terminal.screen().as_str()), ("…", "e"));
}

#[test]
fn where_erased_ends_count_a_shorter_row_is_erased_as_a_whole() {
    let (fake_terminal, stage) = stage(20, 6, 0);
    let mut stage =
        stage.with_quirks(TerminalQuirks { erased_cells: ErasedCells::Counted, ..TerminalQuirks::default() });
    show(&fake_terminal, &mut stage, with_cursor(frame(&[], &["a long live row", "status"]), 0, 0));
    let shorter = show(&fake_terminal, &mut stage, with_cursor(frame(&[], &["a row", "status"]), 0, 0));
    let expected = "\x1b[?2026h\x1b[?25l\x1b[1G\x1b[K\x1b[?7la row\x1b[1G\x1b[?7h\x1b[?25h\x1b[?2026l";
    assert_eq!(String::from_utf8_lossy(&shorter), expected);
    // What is printed over it knows how long it was too; longer rows are only written over.
    let printed = show(&fake_terminal, &mut stage, with_cursor(frame(&["one"], &["longer than it", "x"]), 0, 0));
    let expected = "\x1b[?2026h\x1b[?25l\x1b[1G\x1b[Kone\r\n\x1b[?7llonger than it\x1b[K\r\nx\x1b[K\
                    \x1b[1A\x1b[1G\x1b[?7h\x1b[?25h\x1b[?2026l";
    assert_eq!(String::from_utf8_lossy(&printed), expected);
    assert_eq!(fake_terminal.screen(), "one\nlonger than it\nx");
}
