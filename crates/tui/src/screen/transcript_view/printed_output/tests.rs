use super::*;
use crate::screen::theme::{dark, plain};
use crate::testing::EVIL;
use pretty_assertions::assert_eq;
use ratatui::style::{Color, Modifier};

fn printed(pieces: &[&str]) -> PrintedOutput {
    let mut printout = PrintedOutput::new(OutputRetention::Tail);
    let mut offset = 0;
    for piece in pieces {
        printout.feed(offset, piece);
        offset += piece.len() as u64;
    }
    printout.end();
    printout
}

fn shown(printout: &PrintedOutput, most: usize) -> (Vec<String>, usize) {
    let (lines, hidden) = printout.newest(most, &Margin::new(40, 0), &dark());
    let text = |line: &Line<'static>| line.spans.iter().map(|span| span.content.as_ref()).collect();
    (lines.iter().map(text).collect(), hidden)
}

fn rows(pieces: &[&str]) -> Vec<String> {
    shown(&printed(pieces), 100).0
}

#[test]
fn the_newest_rows_are_shown_and_the_others_counted() {
    let printout = printed(&["one\ntwo\nthree\nfour\n"]);
    assert_eq!(shown(&printout, 2), (vec!["│ three".into(), "│ four".into()], 2));
    let many = printed(&[&"x\n".repeat(1_000)]);
    assert_eq!(shown(&many, 1), (vec!["│ x".into()], 999));
}

#[test]
fn a_bar_that_is_drawn_over_and_over_is_what_it_was_last() {
    assert_eq!(rows(&["10 %\r50 %\r", "100 %\ndone\r\n"]), ["│ 100 %", "│ done"]);
    assert_eq!(rows(&["a long line\r\x1b[Kshort"]), ["│ short"]);
    // The spinner of npm.
    assert_eq!(rows(&["⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0K> test\n"]), ["│ > test"]);
    assert_eq!(rows(&["one\n⠙\x1b[G\x1b[2K"]), ["│ one"]);
}

#[test]
fn colours_stay_and_every_other_sequence_is_shown() {
    let printout =
        printed(&["\x1b[1;31mred\x1b[0m plain \x1b[2Jx\x1b]0;title\x07y\x1b[38;5;200mz\x1b[38:2::1:2:3;58;5;31mw"]);
    let (lines, _) = printout.newest(9, &Margin::new(80, 0), &dark());
    let spans: Vec<(&str, Style)> = lines[0].spans.iter().map(|span| (span.content.as_ref(), span.style)).collect();
    assert_eq!(
        spans,
        [
            ("│ ", dark().dim),
            ("red", Style::new().fg(Color::Red).add_modifier(Modifier::BOLD)),
            (" plain ␛[2Jx␛]0;title␇y", Style::new()),
            ("z", Style::new().fg(Color::Indexed(200))),
            ("w", Style::new().fg(Color::Rgb(1, 2, 3))),
        ]
    );
    let (lines, _) = printout.newest(9, &Margin::new(80, 0), &plain());
    assert!(lines[0].spans.iter().all(|span| span.style.fg.is_none()));
}

#[test]
fn text_cannot_hide_in_its_background() {
    let printout = printed(&["\x1b[30;40msecret\x1b[8mhidden"]);
    let (lines, _) = printout.newest(9, &Margin::new(80, 0), &dark());
    assert_eq!(lines[0].spans[1].style, Style::new().fg(Color::Black));
    assert_eq!(lines[0].spans.len(), 2);
}

#[test]
fn a_sequence_in_two_pieces_is_one() {
    assert_eq!(rows(&["a\x1b[3", "1mb"]), ["│ ab"]);
    assert_eq!(rows(&["a\x1b[3"]), ["│ a␛[3"]);
}

#[test]
fn what_was_skipped_is_said() {
    let mut printout = printed(&["head\n"]);
    printout.feed(1_005, "tail\n");
    assert_eq!(shown(&printout, 9).0, ["│ head", "│ … 1000 bytes not shown", "│ tail"]);
}

#[test]
fn a_row_without_an_end_is_bounded() {
    let mut printout = PrintedOutput::new(OutputRetention::Tail);
    for at in 0..100 {
        printout.feed(at * 50_000, &"ä".repeat(25_000));
    }
    assert!(printout.rows.iter().all(|row| row.bytes <= ROW_BYTES));
    assert!(printout.rows.len() <= OutputRetention::Tail.rows());
}

#[test]
fn long_rows_go_on_behind_a_broken_gutter() {
    assert_eq!(rows(&[&"x".repeat(50)]), [format!("│ {}", "x".repeat(38)), format!("¦ {}", "x".repeat(12))]);
}

#[test]
fn nothing_printed_acts_on_the_terminal() {
    for row in rows(&[EVIL, "\n\t", EVIL, "\x1b_hidden\x1b\\ \x1bXhidden\x1b\\"]) {
        crate::testing::assert_harmless(&row);
        assert!(!row.contains(['\t', '\n']));
    }
    assert_eq!(rows(&["\x1b_hidden\x1b\\"]), ["│ ␛_hidden␛\\"]);
}
