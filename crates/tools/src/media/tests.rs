use super::*;
use pretty_assertions::assert_eq;

#[track_caller]
fn check(name: &str, beginning: &[u8], expected: Option<&str>) {
    // What follows is no text.
    let bytes = [beginning, b"\0\xff\0".as_slice()].concat();
    assert_eq!(media_kind(name, &bytes).map(|kind| kind.media_type), expected, "{name}");
}

#[test]
fn a_file_is_told_by_how_it_begins_whatever_its_name() {
    check("a.txt", b"\x89PNG\r\n\x1a\n", Some("image/png"));
    check("a", b"\xff\xd8\xff\xe0", Some("image/jpeg"));
    check("a", b"GIF89a", Some("image/gif"));
    check("a", b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp"));
    check("a", b"RIFF\x10\0\0\0WAVEfmt ", Some("audio/wav"));
    check("a", b"FORM\0\0\0\x10AIFF", Some("audio/aiff"));
    check("a", b"\0\0\0\x18ftypheic", Some("image/heic"));
    check("a", b"\0\0\0\x18ftypisom", Some("video/mp4"));
    check("a", b"\0\0\0\x14ftypqt  ", Some("video/quicktime"));
    check("a", b"\x1a\x45\xdf\xa3\x42\x82\x84webm", Some("video/webm"));
    check("a", b"ID3\x04", Some("audio/mpeg"));
    check("a", b"OggS", Some("audio/ogg"));
    check("a", b"fLaC", Some("audio/flac"));
}

#[test]
fn frames_alone_need_a_name_that_agrees() {
    check("a.mp3", b"\xff\xfb\x90", Some("audio/mpeg"));
    check("a.aac", b"\xff\xf1\x50", Some("audio/aac"));
    check("a.bin", b"\xff\xfb\x90", None);
}

#[test]
fn what_no_model_is_shown_is_none() {
    check("a.avi", b"RIFF\x10\0\0\0AVI ", None);
    check("a.mkv", b"\x1a\x45\xdf\xa3\x42\x82\x88matroska", None);
    check("a.zip", b"PK\x03\x04", None);
    check("a.png", b"", None);
}

#[test]
fn a_text_stays_a_text() {
    for text in ["ID3 is a tag", "GIF89a is a format", "OggS", "FORM 1"] {
        assert_eq!(media_kind("a.txt", text.as_bytes()), None, "{text}");
    }
    assert_eq!(media_kind("a", b"%PDF-1.7\n").map(|kind| kind.what), Some("a PDF document"));
}
