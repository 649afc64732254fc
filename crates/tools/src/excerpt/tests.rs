use super::*;
use pretty_assertions::assert_eq;

const HEAD: usize = USUAL_CHARS / 5;
const TAIL: usize = USUAL_CHARS - HEAD;

#[test]
fn short_text_is_whole_however_it_arrives() {
    let text: String = "äb\n".repeat((HEAD + TAIL) / 3);
    assert_eq!(ExcerptBuilder::excerpt_of(&text), text);
    let mut excerpt = ExcerptBuilder::default();
    for letter in text.chars() {
        excerpt.push(letter.encode_utf8(&mut [0; 4]));
    }
    assert_eq!(excerpt.finish(), text);
}

#[test]
fn long_text_keeps_its_beginning_and_its_end() {
    let text = "ä".repeat(HEAD) + &"m".repeat(500_000) + &"ö".repeat(TAIL);
    let expected = format!("{}\n[... 500000 characters left out ...]\n{}", "ä".repeat(HEAD), "ö".repeat(TAIL));
    assert_eq!(ExcerptBuilder::excerpt_of(&text), expected);
    let mut excerpt = ExcerptBuilder::default();
    let letters: Vec<char> = text.chars().collect();
    for piece in letters.chunks(777) {
        excerpt.push(&piece.iter().collect::<String>());
        assert!(excerpt.tail_chars <= 2 * TAIL);
    }
    assert_eq!(excerpt.finish(), expected);
}

#[test]
fn one_character_too_many_is_counted() {
    let text = "x".repeat(HEAD + TAIL + 1);
    assert!(ExcerptBuilder::excerpt_of(&text).contains("\n[... 1 characters left out ...]\n"));
}
