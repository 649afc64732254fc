use super::*;
use pretty_assertions::assert_eq;

fn take(bytes: &[u8]) -> Result<&'static str, &'static str> {
    MediaCollector::new("peer").take(&STANDARD.encode(bytes))
}

#[test]
fn bytes_are_what_they_begin_like() {
    for (bytes, kind) in [
        (&b"\x89PNG\r\n\x1a\n..."[..], "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"%PDF-1.7", "application/pdf"),
    ] {
        assert_eq!(take(bytes), Ok(kind));
    }
    for bytes in [&b""[..], b"RIFF", b"\0\x01\x02\x03", b"<svg/>"] {
        assert_eq!(take(bytes), Err("which cannot be shown here"), "{bytes:?}");
    }
    assert_eq!(MediaCollector::new("peer").take("not base64!"), Err("which is damaged"));
    assert_eq!(MediaCollector::closed().take(&STANDARD.encode("%PDF-1.7")), Err("which cannot be shown here"));
}

#[test]
fn there_is_an_end_to_it() {
    let mut gallery = MediaCollector::new("peer");
    let small = STANDARD.encode("GIF89a");
    for _ in 0..MAX_PIECES {
        assert_eq!(gallery.take(&small), Ok("image/gif"));
    }
    assert_eq!(gallery.take(&small), Err("which is too much to be shown"));
    let mut large = b"%PDF-".to_vec();
    large.resize(MAX_BYTES + 1, b' ');
    assert_eq!(take(&large), Err("which is too much to be shown"));
}
