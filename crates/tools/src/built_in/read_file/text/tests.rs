use super::*;
use pretty_assertions::assert_eq;

fn decoded(bytes: &[u8]) -> Result<(String, bool), &'static str> {
    match decode("a", bytes) {
        Ok(DecodedText { text, lossy }) => Ok((text.into_owned(), lossy)),
        Err(ToolError::Unshowable { what, .. }) => Err(what),
        Err(error) => Err(error.kind()),
    }
}

#[test]
fn text_is_known_by_its_mark_or_taken_for_utf8() {
    let cases: [(&[u8], &str, bool); 10] = [
        (b"plain", "plain", false),
        (b"\xef\xbb\xbfmarked", "marked", false),
        (b"caf\xe9", "caf\u{fffd}", true),
        (b"\xff\xfea\0\xe9\0", "a\u{e9}", false),
        (b"\xfe\xff\0a\0\xe9", "a\u{e9}", false),
        (b"\xff\xfea\0\0\xd8x", "a\u{fffd}", true),
        (b"\xff\xfe\0\0a\0\0\0\xe9\0\0\0", "a\u{e9}", false),
        (b"\0\0\xfe\xff\0\0\0a\0\x01\xf6\x00", "a\u{1f600}", false),
        (b"\0\0\xfe\xff\xff\0\0a\0", "\u{fffd}", true),
        (b"BM is a fine way to begin", "BM is a fine way to begin", false),
    ];
    for (bytes, text, lossy) in cases {
        assert_eq!(decoded(bytes), Ok((text.to_owned(), lossy)));
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
