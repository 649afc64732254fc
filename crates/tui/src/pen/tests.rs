use super::{Colour, Pen};
use crate::page::{INDENT, Page, Strand, Style};
use pollux_session::{CallId, ItemId, Seq};
use pretty_assertions::assert_eq;

fn drawn(build: impl FnOnce(&mut Page)) -> String {
    let mut page = Page::default();
    build(&mut page);
    let mut pen = Pen::new(Colour::Never);
    pen.draw(&page);
    pen.take()
}

const ITEM: Strand = Strand::Item(ItemId(Seq(1)));
const HEAD: Strand = Strand::Head(CallId(Seq(2)));
const OUTPUT: Strand = Strand::Output(CallId(Seq(2)));

#[test]
fn a_strand_goes_on_where_it_was_left() {
    let text = drawn(|page| {
        page.begin(ITEM).put(Style::Plain, "one ");
        page.resume(ITEM, None, String::new()).put(Style::Plain, "two");
        page.line(Style::Dim, "in between");
        page.resume(ITEM, None, String::new()).put(Style::Plain, "three");
    });
    assert_eq!(text, "one two\nin between\nthree");
}

#[test]
fn output_stands_under_its_call() {
    let text = drawn(|page| {
        page.begin(HEAD).put(Style::Plain, "● call");
        page.resume(OUTPUT, Some(HEAD), "● call".into()).put_in(INDENT, Style::Dim, "a\nb");
        page.line(Style::Dim, "in between");
        page.resume(OUTPUT, Some(HEAD), "● call".into()).put_in(INDENT, Style::Dim, "c\n\n  d\n");
    });
    assert_eq!(text, "● call\n    a\n    b\nin between\n● call\n    c\n\n      d\n");
}

#[test]
fn a_line_is_drawn_again_when_something_came_in_between() {
    let end = |page: &mut Page| {
        page.reopen(HEAD, "● call".into()).put(Style::Good, "  ✓").fresh();
    };
    let at_once = drawn(|page| {
        page.begin(HEAD).put(Style::Plain, "● call");
        end(page);
    });
    assert_eq!(at_once, "● call  ✓\n");
    let later = drawn(|page| {
        page.begin(HEAD).put(Style::Plain, "● call").line(Style::Dim, "x");
        end(page);
    });
    assert_eq!(later, "● call\nx\n● call  ✓\n");
}

#[test]
fn runs_of_blank_lines_are_counted_even_across_pieces() {
    let text = drawn(|page| {
        page.put(Style::Plain, "a\n");
        for _ in 0..50 {
            page.put(Style::Plain, "\n  \n");
        }
        page.put(Style::Plain, "b\n\n\nc");
    });
    assert_eq!(text, format!("a\n{}⟨92 more blank lines⟩\nb\n\n\nc", "\n".repeat(8)));
}

#[test]
fn a_gap_is_one_empty_line() {
    let text = drawn(|page| {
        page.put(Style::Plain, "a").gap().gap().put(Style::Plain, "b\n\n").gap().put(Style::Plain, "c");
    });
    assert_eq!(text, "a\n\nb\n\nc");
}

#[test]
fn colours_are_ours_and_end() {
    let mut page = Page::default();
    page.put(Style::Bad, "x\u{1b}[31m").put(Style::Plain, "y");
    let mut pen = Pen::new(Colour::Always);
    pen.draw(&page);
    assert_eq!(pen.take(), "\u{1b}[31mx␛[31m\u{1b}[0my");
}

#[test]
fn a_sign_has_its_own_line() {
    let mut pen = Pen::new(Colour::Never);
    pen.sign("> ");
    pen.returned();
    pen.sign("> ");
    let mut page = Page::default();
    page.line(Style::Plain, "news");
    pen.draw(&page);
    pen.disturbed();
    pen.draw(&page);
    assert_eq!(pen.take(), "> > \nnews\n\nnews\n");
}
