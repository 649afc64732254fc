//! What the composer looks like in every state.

use super::{composer, offer_commands, offer_files, press};
use crate::screen::composer::{CompletionCandidates, Composer, VimSetting};
use crate::screen::rendered_lines::RenderedLines;
use crate::screen::theme::dark;
use pollux_session::CommandInfo;
use ratatui::text::Line;
use std::fmt::Write as _;
use std::sync::Arc;
use unicode_width::UnicodeWidthStr as _;

/// A picture in words, at the three widths that count. What would break the screen fails here.
pub(super) fn at_widths(mut picture: impl FnMut(u16) -> RenderedLines) -> String {
    let mut told = String::new();
    for width in [40, 80, 120] {
        let picture = picture(width);
        let _ = writeln!(told, "{}", "─".repeat(usize::from(width)));
        for line in &picture.lines {
            let text = plain(line);
            assert!(text.width() <= usize::from(width), "{} columns in {width}: {text}", text.width());
            assert!(!text.contains(char::is_control), "{text:?}");
            let _ = writeln!(told, "{}", text.trim_end());
        }
        if let Some(cursor) = picture.cursor {
            assert!(cursor.x < width && usize::from(cursor.y) < picture.lines.len(), "the cursor is off: {cursor:?}");
            let _ = writeln!(told, "(cursor at column {}, line {})", cursor.x, cursor.y);
        }
    }
    told
}

fn plain(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}

fn look(composer: &Composer, height: u16) -> String {
    let mut told = composer.mode_word().map_or_else(String::new, |word| format!("mode: {word}\n"));
    told.push_str(&at_widths(|width| {
        let picture = composer.render(width, height, &dark());
        assert!(picture.lines.len() <= usize::from(height), "{} lines in {height}", picture.lines.len());
        picture
    }));
    told
}

#[test]
fn empty() {
    insta::assert_snapshot!(look(&composer(), 10));
}

#[test]
fn one_line() {
    let mut composer = composer();
    press(&mut composer, "fix the failing test<A-b>");
    insta::assert_snapshot!(look(&composer, 10));
}

const LONG: &str = "The test in src/lib.rs fails since the parser was changed; find out why it does and repair it without \
                    changing what the test says, then run all of the other tests as well.";

#[test]
fn several_lines() {
    let mut composer = composer();
    composer.paste(format!("{LONG}\n\n\tlet x = 1;\nthanks"));
    insta::assert_snapshot!(look(&composer, 10));
}

#[test]
fn more_lines_than_fit() {
    let mut composer = composer();
    let lines: Vec<String> = (1..=30).map(|number| format!("line {number}")).collect();
    composer.set_text(lines.join("\n"));
    let bottom = look(&composer, 5);
    press(&mut composer, &"<Up>".repeat(12));
    let middle = look(&composer, 5);
    press(&mut composer, "<C-Home>");
    insta::assert_snapshot!([bottom, middle, look(&composer, 5), look(&composer, 1)].join("\n"));
}

#[test]
fn folded_paste() {
    let mut composer = composer();
    press(&mut composer, "what is wrong in ");
    composer.paste("line\n".repeat(12));
    press(&mut composer, " and in ");
    composer.paste("x".repeat(2000));
    press(&mut composer, "?");
    insta::assert_snapshot!(look(&composer, 10));
}

#[test]
fn attacks_are_seen() {
    let mut composer = composer();
    composer.paste("a\u{1b}[2J\u{9b}31m\u{7}b \u{202e}txt.exe\u{200b}c\u{e0041}\u{7f}\n\u{301}alone \u{200d}".into());
    insta::assert_snapshot!(look(&composer, 10));
}

#[test]
fn wide_characters_at_the_edge() {
    let mut composer = composer();
    composer.paste(format!("{}\n{}\n{}", "漢字かな".repeat(12), "👩‍👩‍👧🇩🇪é".repeat(10), "x".repeat(37)));
    insta::assert_snapshot!(look(&composer, 10));
}

#[test]
fn files_offered() {
    let mut composer = composer();
    press(&mut composer, "look at @");
    offer_files(&mut composer);
    let all = look(&composer, 12);
    press(&mut composer, "no<Down>");
    insta::assert_snapshot!([all, look(&composer, 12)].join("\n"));
}

#[test]
fn commands_offered() {
    let mut composer = composer();
    press(&mut composer, "/");
    offer_commands(&mut composer);
    let all = look(&composer, 12);
    press(&mut composer, "<Up>");
    let last = look(&composer, 12);
    press(&mut composer, "ch<Tab>");
    insta::assert_snapshot!([all, last, look(&composer, 12), look(&composer, 2)].join("\n"));
}

#[test]
fn attacks_in_what_is_offered() {
    let mut composer = composer();
    press(&mut composer, "@");
    let deep = format!("{}/file.rs", "very-long-folder-name".repeat(8));
    let paths = vec!["a\u{1b}[2J\n\u{202e}gpj.md".to_owned(), deep];
    composer.offer(CompletionCandidates::Files(Arc::new(paths)));
    let files = look(&composer, 10);
    composer.set_text(String::new());
    press(&mut composer, "/");
    let evil = CommandInfo {
        name: "x\u{1b}]0;t\u{7}".into(),
        description: "does\nthings\u{9b}2J \u{200b}".into(),
        ..CommandInfo::default()
    };
    composer.offer(CompletionCandidates::Commands(vec![evil], Vec::new()));
    insta::assert_snapshot!([files, look(&composer, 10)].join("\n"));
}

#[test]
fn searching() {
    let mut composer = composer();
    press(&mut composer, "draft<C-r>");
    let begun = look(&composer, 10);
    press(&mut composer, "test");
    let found = look(&composer, 10);
    press(&mut composer, "zz \u{7}");
    let nothing = look(&composer, 10);
    press(&mut composer, &"long ".repeat(30));
    insta::assert_snapshot!([begun, found, nothing, look(&composer, 10)].join("\n"));
}

#[test]
fn shell() {
    let mut composer = composer();
    press(&mut composer, "!");
    let empty = look(&composer, 10);
    press(&mut composer, "cargo test");
    insta::assert_snapshot!([empty, look(&composer, 10)].join("\n"));
}

#[test]
fn vim_normal() {
    let mut composer = composer();
    composer.set_vim(VimSetting::On);
    press(&mut composer, "one two<Esc>b");
    insta::assert_snapshot!(look(&composer, 10));
}

#[test]
fn any_width_and_height_will_do() {
    let mut composer = composer();
    composer.paste(format!("{LONG}\n漢字\t\u{202e}👩‍👩‍👧"));
    composer.paste("line\n".repeat(12));
    press(&mut composer, " @");
    offer_files(&mut composer);
    for width in 1..=30 {
        for height in 0..=4 {
            let picture = composer.render(width, height, &dark());
            assert!(picture.lines.len() <= usize::from(height.max(1)), "{width}x{height}");
        }
        press(&mut composer, "<Left><Up><Down><Right>");
    }
    for width in [12, 20, 33] {
        let _ = at_widths(|_| composer.render(width, 4, &dark()));
    }
}

#[test]
fn up_and_down_go_by_what_is_seen() {
    let mut composer = composer();
    composer.paste(LONG.into());
    let _ = composer.render(40, 10, &dark());
    press(&mut composer, "<Up><Up>");
    assert!(composer.text() == LONG, "no prompt came in the way");
    let upper = composer.buffer.cursor();
    assert!(upper < LONG.len());
    press(&mut composer, "<Down><Down>");
    assert_eq!(composer.buffer.cursor(), LONG.len());
}
