use super::LineWidth;
use crate::ansi_writer::{AnsiWriter, ColourMode};
use crate::draw_list::{DrawList, GUTTER, INDENT, TextStyle};
use pretty_assertions::assert_eq;

/// The output for a terminal of 20 columns of pieces of prose, ended.
fn prose(pieces: &[&str]) -> String {
    drawn(|page| {
        for piece in pieces {
            page.put(TextStyle::Plain, *piece);
        }
        page.fresh();
    })
}

fn drawn(build: impl FnOnce(&mut DrawList)) -> String {
    let mut page = DrawList::default();
    build(&mut page);
    let mut ansi_writer = AnsiWriter::wrapping(ColourMode::Never, LineWidth::Columns(20));
    ansi_writer.draw(&page);
    ansi_writer.take()
}

#[test]
fn prose_is_broken_between_words_however_it_comes() {
    let wanted = "The quick brown fox\njumps over it.\n\nNext.\n";
    assert_eq!(prose(&["The quick brown fox jumps over it.\n\nNext."]), wanted);
    assert_eq!(prose(&["The qu", "ick brown", " fox jum", "ps over it.\n", "\nNext."]), wanted);
}

#[test]
fn wide_characters_count_twice_and_marks_not_at_all() {
    assert_eq!(prose(&["漢字漢字漢字 漢字漢字漢字"]), "漢字漢字漢字\n漢字漢字漢字\n");
    assert_eq!(
        prose(&["e\u{301}e\u{301}e\u{301}e\u{301} 345678901234567"]),
        "e\u{301}e\u{301}e\u{301}e\u{301} 345678901234567\n"
    );
}

#[test]
fn a_long_word_at_the_left_is_the_terminals_to_break() {
    let address = "https://example.com/a/long/address";
    assert_eq!(prose(&["see ", address, " for it"]), format!("see\n{address}\nfor it\n"));
}

#[test]
fn what_is_indented_stays_indented() {
    let text = drawn(|page| {
        page.line(TextStyle::Plain, "  1. Allow `rm -rf some/where` once");
    });
    assert_eq!(text, "  1. Allow `rm -rf\n    some/where` once\n");
    let text = drawn(|page| {
        page.line(TextStyle::Plain, format!("  1. {}", "x".repeat(30)));
    });
    assert_eq!(text, format!("  1. {}\n    {}\n", "x".repeat(15), "x".repeat(15)));
}

#[test]
fn behind_a_margin_every_character_is_kept_and_the_margin_goes_on() {
    let text = drawn(|page| {
        page.line_in(GUTTER, TextStyle::Bold, "echo one   two   three\necho 2");
        page.line_in(INDENT, TextStyle::Dim, "0123456789012345678");
    });
    assert_eq!(text, "  | echo one   two  \n  ¦  three\n  | echo 2\n    0123456789012345\n    678\n");
}

#[test]
fn a_pipe_has_no_edge_and_a_sliver_of_a_screen_neither() {
    for width in [LineWidth::Unlimited, LineWidth::Columns(5)] {
        let mut ansi_writer = AnsiWriter::wrapping(ColourMode::Never, width);
        let mut page = DrawList::default();
        page.put(TextStyle::Plain, "The quick brown fox jumps over the lazy dog, really");
        ansi_writer.draw(&page);
        assert_eq!(ansi_writer.take(), "The quick brown fox jumps over the lazy dog, really");
    }
}

#[test]
fn a_sign_is_whole_at_once() {
    let mut ansi_writer = AnsiWriter::wrapping(ColourMode::Never, LineWidth::Columns(20));
    ansi_writer.draw_sign("> ");
    assert_eq!(ansi_writer.take(), "> ");
}
