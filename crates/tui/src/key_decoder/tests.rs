use super::{KeyDecoder, LineKey};
use pretty_assertions::assert_eq;

fn text(text: &str) -> LineKey {
    LineKey::Text(text.into())
}

#[test]
fn a_line_is_typed_and_corrected() {
    let keys = KeyDecoder::default().decode("häl\u{7f}lo\u{17}x\u{15}\u{4}\r".as_bytes());
    let wanted = [
        text("häl"),
        LineKey::Backspace,
        text("lo"),
        LineKey::EraseWord,
        text("x"),
        LineKey::EraseLine,
        LineKey::End,
        LineKey::Enter,
    ];
    assert_eq!(keys, wanted);
}

#[test]
fn characters_and_sequences_may_come_in_halves() {
    let mut keys = KeyDecoder::default();
    let bytes = "a漢\u{1b}[1;5D\u{1b}OAb\u{1b}x\u{1}c".as_bytes();
    let read: Vec<LineKey> = bytes.iter().flat_map(|byte| keys.decode(&[*byte])).collect();
    assert_eq!(read, [text("a"), text("漢"), text("b"), text("c")]);
    assert_eq!(KeyDecoder::default().decode(bytes), [text("a漢bc")]);
}

#[test]
fn what_is_no_text_cannot_hold_up_the_rest() {
    assert_eq!(KeyDecoder::default().decode(b"a\xff\xc3(b\n"), [text("a\u{fffd}\u{fffd}(b"), LineKey::Enter]);
    let mut keys = KeyDecoder::default();
    let endless = [b"\x1b[".as_slice(), &[b'1'; 64]].concat();
    keys.decode(&endless);
    assert_eq!(keys.decode(b"x\n").last(), Some(&LineKey::Enter));
}
