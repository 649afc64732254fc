use super::*;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

const ALL: [TextEncoding; 8] = [
    TextEncoding::Utf8,
    TextEncoding::Utf8WithMark,
    TextEncoding::Utf8WithStrayBytes,
    TextEncoding::Utf16(ByteOrder::Little),
    TextEncoding::Utf16(ByteOrder::Big),
    TextEncoding::Utf32(ByteOrder::Little),
    TextEncoding::Utf32(ByteOrder::Big),
    TextEncoding::Windows1252,
];

#[test]
fn text_is_known_by_its_mark_and_by_what_can_be_utf8() {
    use ByteOrder::{Big, Little};
    use TextEncoding::{Utf8, Utf8WithMark, Utf8WithStrayBytes, Utf16, Utf32, Windows1252};
    let cases: [(&[u8], TextEncoding, &str, bool); 13] = [
        (b"plain", Utf8, "plain", false),
        (b"", Utf8, "", false),
        (b"\xef\xbb\xbfmarked", Utf8WithMark, "marked", false),
        (b"caf\xe9 \x80\x9f\x81\xff", Windows1252, "caf\u{e9} €Ÿ\u{81}ÿ", false),
        (b"\xc3\xa9\xc3\xa9 \xe9", Utf8WithStrayBytes, "\u{e9}\u{e9} \u{f7e9}", false),
        ("\u{f7e9}\u{e9}\u{e9}".as_bytes(), Utf8, "\u{f7e9}\u{e9}\u{e9}", false),
        (b"\xef\x9f\xa9\xc3\xa9\xc3\xa9 \xe9", Utf8WithStrayBytes, "\u{f7e9}\u{e9}\u{e9} \u{f7e9}", true),
        (b"\xff\xfea\0\xe9\0", Utf16(Little), "a\u{e9}", false),
        (b"\xfe\xff\0a\0\xe9", Utf16(Big), "a\u{e9}", false),
        (b"\xff\xfea\0\0\xd8x", Utf16(Little), "a\u{fffd}", true),
        (b"\xff\xfe\0\0a\0\0\0\xe9\0\0\0", Utf32(Little), "a\u{e9}", false),
        (b"\0\0\xfe\xff\0\0\0a\0\x01\xf6\x00", Utf32(Big), "a\u{1f600}", false),
        (b"\0\0\xfe\xff\xff\0\0a\0", Utf32(Big), "\u{fffd}", true),
    ];
    for (bytes, encoding, text, lossy) in cases {
        let text = Cow::Borrowed(text);
        assert_eq!(decode(bytes), Some(DecodedText { text, encoding, lossy }), "{bytes:?}");
    }
    assert_eq!(decode(b"who knows\0"), None);
    assert_eq!(without_stray_bytes("\u{e9}\u{f7e9}\u{f700}"), "\u{e9}\u{fffd}\u{f700}");
}

#[test]
fn what_an_encoding_cannot_hold_is_named() {
    assert_eq!(TextEncoding::Windows1252.encode("a€→"), Err('→'));
    assert_eq!(TextEncoding::Windows1252.encode("a€\u{80}"), Err('\u{80}'));
    for encoding in ALL.into_iter().filter(|encoding| *encoding != TextEncoding::Windows1252) {
        assert!(encoding.encode("a€→\u{1f600}").is_ok(), "{encoding}");
    }
}

proptest! {
    #[test]
    fn what_is_decoded_gives_the_same_bytes_again(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            prop::collection::vec(1_u8.., 0..60),
            "\\PC{0,20}".prop_map(String::into_bytes),
        ],
        mark in prop::sample::select(ALL.map(TextEncoding::mark).to_vec()),
    ) {
        let bytes = [mark, &bytes].concat();
        if let Some(DecodedText { text, encoding, lossy: false }) = decode(&bytes) {
            prop_assert_eq!(encoding.encode(&text), Ok(bytes.clone()), "{}", encoding);
        }
    }

    #[test]
    fn every_text_comes_back_from_every_encoding_that_holds_it(text in "(\\PC|\r|\n|é|€){1,30}") {
        for encoding in ALL {
            let Ok(bytes) = encoding.encode(&text) else { continue };
            let Some(decoded) = decode(&bytes) else { continue };
            if decoded.encoding == encoding {
                prop_assert_eq!(decoded.text.as_ref(), text.as_str(), "{}", encoding);
            }
        }
    }
}
