use super::*;
use pretty_assertions::assert_eq;

fn decoded(bytes: &[u8]) -> Result<String, &'static str> {
    match decode_file("a", bytes) {
        Ok(DecodedText { text, .. }) => Ok(text.into_owned()),
        Err(ToolError::Unshowable { what, .. }) => Err(what),
        Err(error) => Err(error.kind()),
    }
}

#[test]
fn what_may_be_text_is_taken_for_it() {
    let cases: [(&[u8], &str); 4] = [
        (b"plain", "plain"),
        (b"\xff\xfea\0\xe9\0", "a\u{e9}"),
        (b"caf\xe9", "caf\u{e9}"),
        (b"BM is a fine way to begin", "BM is a fine way to begin"),
    ];
    for (bytes, text) in cases {
        assert_eq!(decoded(bytes), Ok(text.to_owned()));
    }
}

#[test]
fn what_is_no_text_is_named() {
    let cases: [(&[u8], &str); 4] = [
        (b"PK\x03\x04\0", "an archive"),
        (b"\x1f\x8b\xff", "a compressed file"),
        (b"RIFF\0\0\0\0AVI ", "a video"),
        (b"who knows\0", "read_content_failure"),
    ];
    for (bytes, what) in cases {
        assert_eq!(decoded(bytes), Err(what));
    }
}
