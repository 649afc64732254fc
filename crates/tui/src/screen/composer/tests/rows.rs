//! Breaking long text into rows.

use crate::screen::composer::folded_pastes::FoldedPastes;
use crate::screen::composer::text_layout::TextLayout;
use pretty_assertions::assert_eq;
use unicode_width::UnicodeWidthStr as _;

/// Long enough that a line is looked at in parts.
fn texts() -> [String; 4] {
    [
        "word and ".repeat(2_000),
        "漢字👩‍👩‍👧 e\u{301}".repeat(700),
        "x".repeat(9_000),
        format!("{}\n\n{}\n", "one two ".repeat(1_500), "漢".repeat(3_000)),
    ]
}

#[test]
fn rows_hold_all_of_the_text_in_order() {
    let folds = FoldedPastes::default();
    for text in texts() {
        let layout = TextLayout { text: &text, folds: &folds, width: 37 };
        for cursor in [0, text.len() / 2, text.len()] {
            let cursor = text.floor_char_boundary(cursor);
            let shown = layout.rows_around(cursor, usize::MAX / 4);
            assert!(!shown.more_above && !shown.more_below);
            let mut at = 0;
            for row in &shown.rows {
                let broken = usize::from(text[at..].starts_with('\n') && row.start > at);
                assert_eq!(row.start, at + broken, "nothing is left out");
                assert!(text[row.clone()].width() <= 37, "{row:?}");
                at = row.end;
            }
            assert_eq!(at, text.len());
            let row = &shown.rows[shown.cursor];
            assert!(row.start <= cursor && cursor <= row.end, "{row:?} {cursor}");
        }
    }
}

#[test]
fn up_and_down_pass_every_row() {
    let folds = FoldedPastes::default();
    for text in texts() {
        let layout = TextLayout { text: &text, folds: &folds, width: 37 };
        let rows = layout.rows_around(0, usize::MAX / 4).rows.len();
        let steps = |from: usize, step: &dyn Fn(usize) -> Option<usize>| {
            std::iter::successors(Some(from), |at| step(*at)).count()
        };
        assert_eq!(steps(0, &|at| layout.down(at, 0)), rows);
        assert_eq!(steps(text.len(), &|at| layout.up(at, 5)), rows);
    }
}
