//! Keys as they come: whatever is pressed, the cursor stays between characters and the picture on the screen.

use super::{composer, offer_commands, offer_files, press, shown};
use crate::screen::composer::{CompletionRequest, Composer, ComposerOutcome, VimSetting};
use crate::screen::theme::dark;
use pretty_assertions::assert_eq;
use unicode_segmentation::GraphemeCursor;
use unicode_width::UnicodeWidthStr as _;

const KEYS: [&str; 72] = [
    "a",
    "b",
    " ",
    " ",
    "x",
    "d",
    "w",
    "c",
    "y",
    "p",
    "P",
    "0",
    "2",
    "3",
    "$",
    "^",
    "g",
    "G",
    "f",
    "t",
    "F",
    "T",
    "r",
    "u",
    "i",
    "A",
    "o",
    "O",
    "j",
    "k",
    "h",
    "l",
    "e",
    "D",
    "S",
    "X",
    "é",
    "e\u{301}",
    "漢",
    "👩‍👩‍👧",
    "🇩🇪",
    "\u{301}",
    "\u{202e}",
    "!",
    "?",
    "@",
    "/",
    "\\",
    "<Enter>",
    "<C-j>",
    "<Esc>",
    "<Esc>",
    "<Tab>",
    "<Up>",
    "<Down>",
    "<Left>",
    "<Right>",
    "<Home>",
    "<BS>",
    "<Del>",
    "<C-w>",
    "<A-d>",
    "<C-u>",
    "<C-k>",
    "<A-y>",
    "<C-_>",
    "<A-Z>",
    "<C-r>",
    "<A-b>",
    "<A-f>",
    "<A-t>",
    "<C-p>",
];

/// Numbers that look like chance and are the same every time.
struct TestRandom(u64);

impl TestRandom {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(end).unwrap()).unwrap()
    }
}

fn assert_sound(composer: &Composer, width: u16, height: u16, pressed: &str) {
    let (text, at) = (composer.buffer.text(), composer.buffer.cursor());
    let stands = GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0);
    assert_eq!(stands, Ok(true), "the cursor is inside a character after {pressed}: {}", shown(composer));
    let picture = composer.render(width, height, &dark());
    assert!(picture.lines.len() <= usize::from(height), "too high after {pressed}");
    for line in &picture.lines {
        let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
        assert!(text.width() <= usize::from(width), "too wide after {pressed}: {text}");
        assert!(!text.contains(char::is_control), "after {pressed}: {text:?}");
    }
    let cursor = picture.cursor.expect("a composer shows its cursor");
    assert!(cursor.x < width && usize::from(cursor.y) < picture.lines.len(), "after {pressed}: {cursor:?}");
}

#[test]
fn whatever_is_pressed() {
    for seed in 0..100 {
        let mut chance = TestRandom(seed);
        let mut composer = composer();
        composer.set_vim(if seed % 2 == 0 { VimSetting::On } else { VimSetting::Off });
        let mut pressed = String::new();
        for _ in 0..80 {
            let key = KEYS[chance.below(KEYS.len())];
            pressed.push_str(key);
            if let ComposerOutcome::Submit(text) = press(&mut composer, key) {
                assert!(!text.trim().is_empty(), "nothing was sent after {pressed}");
                composer.remember(&text);
            }
            if chance.below(20) == 0 {
                pressed.push_str("<paste>");
                composer.paste(["漢字\t\u{1b}[m", "line\n", "e\u{301}"][chance.below(3)].repeat(chance.below(40)));
            }
            match composer.completion_request() {
                Some(CompletionRequest::Files) => offer_files(&mut composer),
                Some(CompletionRequest::Commands) => offer_commands(&mut composer),
                None => {}
            }
            let (width, height) = ([20, 40, 80][chance.below(3)], [2, 5, 12][chance.below(3)]);
            assert_sound(&composer, width, height, &pressed);
        }
    }
}

#[test]
fn all_of_it_can_be_undone_and_done_again() {
    for seed in 0..100 {
        let mut chance = TestRandom(seed);
        let mut composer = composer();
        for _ in 0..60 {
            let key = KEYS[chance.below(KEYS.len())];
            if !["<Enter>", "<C-r>", "<C-_>", "<A-Z>", "!", "<Esc>"].contains(&key) {
                press(&mut composer, key);
            }
        }
        let text = composer.text();
        while composer.buffer.undo() {}
        assert_eq!(composer.text(), "", "seed {seed}");
        while composer.buffer.redo() {}
        assert_eq!(composer.text(), text, "seed {seed}");
    }
}
