//! The chunks of an answer always add up to the answer.

use super::{HELD_BYTES, TextChunk, TurnText};
use pretty_assertions::assert_eq;

/// The text that a client holds after `chunks`.
fn held(chunks: &[Option<TextChunk>]) -> String {
    let mut held = String::new();
    for chunk in chunks.iter().flatten() {
        if !chunk.append {
            held.clear();
        }
        held.push_str(&chunk.text);
    }
    held
}

fn chunk(text: &str, append: bool, last: bool) -> Option<TextChunk> {
    Some(TextChunk { part: 0, text: text.into(), append, last })
}

#[test]
fn the_texts_of_all_steps_are_paragraphs_of_one() {
    let mut text = TurnText::default();
    let chunks = [
        text.begin("I will "),
        text.append("look."),
        text.end_step(&[]),
        text.begin(""),
        text.append("Done."),
        text.end_step(&["https://example.com".into()]),
        text.finish(),
    ];
    let expected = [
        chunk("I will ", false, false),
        chunk("look.", true, false),
        None,
        None,
        chunk("\n\nDone.", true, false),
        chunk("\n\nSources:\nhttps://example.com", true, false),
        chunk("", true, true),
    ];
    assert_eq!(chunks, expected);
    assert_eq!(held(&chunks), text.whole());
}

#[test]
fn what_was_taken_back_is_replaced_by_the_whole() {
    let mut text = TurnText::default();
    let mut chunks = vec![text.begin("One."), text.end_step(&[]), text.begin("Tw")];
    text.discard_step();
    chunks.push(text.begin("Two."));
    assert_eq!(chunks.last(), Some(&chunk("One.\n\nTwo.", false, false)));
    chunks.push(text.append("."));
    assert_eq!(held(&chunks), text.whole());
}

#[test]
fn a_turn_that_ends_without_saying_it_again_tells_what_is_left() {
    let mut text = TurnText::default();
    let first = text.begin("One");
    text.discard_step();
    assert_eq!(held(&[first, text.finish()]), "");
    assert_eq!(TurnText::default().finish(), None);
}

#[test]
fn a_text_that_is_too_long_is_told_once_and_then_counted() {
    let mut text = TurnText::default();
    text.begin(&"x".repeat(HELD_BYTES));
    text.end_step(&[]);
    assert_eq!(text.begin("yz"), chunk("\n\nyz", true, false));
    text.discard_step();
    let whole = text.begin("yz").unwrap().text;
    assert!(
        whole.ends_with("x\n[… 4 bytes are not repeated here; get the task to read them …]"),
        "{}",
        &whole[HELD_BYTES..]
    );
    assert_eq!(TurnText::unbounded().begin(&"x".repeat(HELD_BYTES + 1)).unwrap().text.len(), HELD_BYTES + 1);
}

#[test]
fn what_is_said_after_people_were_asked_is_a_text_of_its_own() {
    let mut text = TurnText::default();
    assert_eq!(text.pause(), None, "nothing was said");
    text.begin("One.");
    text.end_step(&[]);
    assert_eq!(text.pause(), chunk("", true, true));
    assert_eq!(text.begin("Two."), Some(TextChunk { part: 1, text: "Two.".into(), append: false, last: false }));
    assert_eq!(text.whole(), "Two.");
}
