use super::*;
use pretty_assertions::assert_eq;

/// The text of `bytes` that arrive in pieces of `size`.
fn decode(bytes: &[u8], size: usize) -> String {
    let mut decoder = Utf8Decoder::default();
    let mut text: String = bytes.chunks(size).map(|piece| decoder.push(piece)).collect();
    text.push_str(&decoder.finish());
    text
}

#[test]
fn characters_survive_any_cut() {
    let text = "aé€😀z".repeat(3);
    for size in 1..=text.len() {
        assert_eq!(decode(text.as_bytes(), size), text, "pieces of {size}");
    }
}

#[test]
fn invalid_bytes_become_replacement_characters_at_any_cut() {
    for bytes in [b"a\xffb".as_slice(), b"\xe2\x82x", b"\xf0\x9f\x98", b"\xc3", b"\x80\x80", b"ok\xe2\x82\xe2\x82\xac"]
    {
        let expected = String::from_utf8_lossy(bytes);
        for size in 1..=bytes.len() {
            assert_eq!(decode(bytes, size), expected, "{bytes:?} in pieces of {size}");
        }
    }
}

#[test]
fn nothing_complete_is_held_back() {
    let mut decoder = Utf8Decoder::default();
    assert_eq!(decoder.push(b"a\xe2\x82"), "a");
    assert_eq!(decoder.push(b"\xacb"), "€b");
    assert_eq!(decoder.finish(), "");
}
