use super::*;
use pretty_assertions::assert_eq;

fn pieces(text: &str) -> Vec<Piece> {
    let mut cutter = Cutter::default();
    cutter.push(text);
    cutter.end();
    cutter.take_ready().into()
}

fn prose(text: &str, gap: Gap) -> Piece {
    Piece::Prose { text: text.into(), gap }
}

#[test]
fn paragraphs_are_cut_at_empty_lines() {
    assert_eq!(pieces("a\nb\n\n\nc"), [prose("a\nb\n", Gap::None), prose("c\n", Gap::Blank)]);
}

#[test]
fn a_list_goes_on_over_empty_lines_until_something_else_begins() {
    let list = "- a\n\n  more\n\n- b\n\n";
    assert_eq!(pieces(&format!("{list}after")), [prose(list, Gap::None), prose("after\n", Gap::Blank)]);
}

#[test]
fn a_fence_at_the_edge_is_cut_line_by_line_and_one_in_a_list_is_not() {
    assert_eq!(
        pieces("text\n```rust\nfn x() {\n\n}\n```\nend"),
        [
            prose("text\n", Gap::None),
            Piece::CodeOpened { language: "rust".into(), gap: Gap::None },
            Piece::CodeLine("fn x() {".into()),
            Piece::CodeLine(String::new()),
            Piece::CodeLine("}".into()),
            Piece::CodeClosed,
            prose("end\n", Gap::None),
        ]
    );
    let nested = "1. a\n   ```\n   x\n\n   y\n   ```\n";
    assert_eq!(pieces(nested), [prose(nested, Gap::None)]);
}

#[test]
fn a_fence_is_closed_only_by_one_as_long() {
    assert_eq!(
        pieces("````\n```\n~~~~\n````\n"),
        [
            Piece::CodeOpened { language: String::new(), gap: Gap::None },
            Piece::CodeLine("```".into()),
            Piece::CodeLine("~~~~".into()),
            Piece::CodeClosed,
        ]
    );
    // Code inside a sentence.
    assert_eq!(pieces("``` a ``` b"), [prose("``` a ``` b\n", Gap::None)]);
}

#[test]
fn a_fence_that_never_closes_is_closed_by_the_end() {
    let opened = Piece::CodeOpened { language: String::new(), gap: Gap::None };
    assert_eq!(pieces("~~~\nx"), [opened, Piece::CodeLine("x".into()), Piece::CodeClosed]);
}

#[test]
fn a_very_long_list_is_cut_between_items() {
    let list = "- item\n".repeat(5_000);
    let cut = pieces(&list);
    assert_eq!(cut.len(), 3);
    assert!(cut.iter().all(|piece| matches!(piece, Piece::Prose { gap: Gap::None, text } if text.starts_with("- "))));
}

#[test]
fn line_ends_of_other_systems_are_line_ends() {
    assert_eq!(pieces("a\r\n\r\nb"), [prose("a\n", Gap::None), prose("b\n", Gap::Blank)]);
}
