use super::{AnsiWriter, ColourMode};
use crate::draw_list::{DrawList, INDENT, StreamedBlock, TextStyle};
use pollux_session::{CallId, ItemId, Seq};
use pretty_assertions::assert_eq;

fn drawn(build: impl FnOnce(&mut DrawList)) -> String {
    let mut page = DrawList::default();
    build(&mut page);
    let mut ansi_writer = AnsiWriter::new(ColourMode::Never);
    ansi_writer.draw(&page);
    ansi_writer.take()
}

const ITEM: StreamedBlock = StreamedBlock::Item(ItemId(Seq(1)));
const HEAD: StreamedBlock = StreamedBlock::Head(CallId(Seq(2)));
const OUTPUT: StreamedBlock = StreamedBlock::Output(CallId(Seq(2)));

#[test]
fn a_strand_goes_on_where_it_was_left() {
    let text = drawn(|page| {
        page.begin(ITEM).put(TextStyle::Plain, "one ");
        page.resume(ITEM, None, String::new()).put(TextStyle::Plain, "two");
        page.line(TextStyle::Dim, "in between");
        page.resume(ITEM, None, String::new()).put(TextStyle::Plain, "three");
    });
    assert_eq!(text, "one two\nin between\nthree");
}

#[test]
fn output_stands_under_its_call() {
    let text = drawn(|page| {
        page.begin(HEAD).put(TextStyle::Plain, "● call");
        page.resume(OUTPUT, Some(HEAD), "● call".into()).put_in(INDENT, TextStyle::Dim, "a\nb");
        page.line(TextStyle::Dim, "in between");
        page.resume(OUTPUT, Some(HEAD), "● call".into()).put_in(INDENT, TextStyle::Dim, "c\n\n  d\n");
    });
    assert_eq!(text, "● call\n    a\n    b\nin between\n● call\n    c\n\n      d\n");
}

#[test]
fn a_line_is_drawn_again_when_something_came_in_between() {
    let end = |page: &mut DrawList| {
        page.reopen(HEAD, "● call".into()).put(TextStyle::Good, "  ✓").fresh();
    };
    let at_once = drawn(|page| {
        page.begin(HEAD).put(TextStyle::Plain, "● call");
        end(page);
    });
    assert_eq!(at_once, "● call  ✓\n");
    let later = drawn(|page| {
        page.begin(HEAD).put(TextStyle::Plain, "● call").line(TextStyle::Dim, "x");
        end(page);
    });
    assert_eq!(later, "● call\nx\n● call  ✓\n");
}

#[test]
fn runs_of_blank_lines_are_counted_even_across_pieces() {
    let text = drawn(|page| {
        page.put(TextStyle::Plain, "a\n");
        for _ in 0..50 {
            page.put(TextStyle::Plain, "\n  \n");
        }
        page.put(TextStyle::Plain, "b\n\n\nc");
    });
    assert_eq!(text, format!("a\n{}⟨92 more blank lines⟩\nb\n\n\nc", "\n".repeat(8)));
}

#[test]
fn a_gap_is_one_empty_line() {
    let text = drawn(|page| {
        page.put(TextStyle::Plain, "a").gap().gap().put(TextStyle::Plain, "b\n\n").gap().put(TextStyle::Plain, "c");
    });
    assert_eq!(text, "a\n\nb\n\nc");
}

#[test]
fn colours_are_ours_and_end() {
    let mut page = DrawList::default();
    page.put(TextStyle::Bad, "x\u{1b}[31m").put(TextStyle::Plain, "y");
    let mut ansi_writer = AnsiWriter::new(ColourMode::Always);
    ansi_writer.draw(&page);
    assert_eq!(ansi_writer.take(), "\u{1b}[31mx␛[31m\u{1b}[0my");
}

#[test]
fn a_sign_has_its_own_line() {
    let mut ansi_writer = AnsiWriter::new(ColourMode::Never);
    ansi_writer.draw_sign("> ");
    ansi_writer.mark_line_start();
    ansi_writer.draw_sign("> ");
    let mut page = DrawList::default();
    page.line(TextStyle::Plain, "news");
    ansi_writer.draw(&page);
    ansi_writer.mark_foreign_output();
    ansi_writer.draw(&page);
    assert_eq!(ansi_writer.take(), "> > \nnews\n\nnews\n");
}
