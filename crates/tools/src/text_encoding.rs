//! How the text of a file is written down in bytes. A file that is changed keeps its encoding and its byte order mark, so decoding and
//! encoding again gives the same bytes, line by line: nobody sees changes in lines that nobody touched.

use std::borrow::Cow;
use std::fmt;

#[cfg(test)]
mod tests;

/// How a file holds its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TextEncoding {
    #[default]
    Utf8,
    Utf8WithMark,
    /// UTF-8 with some bytes in it that are none. Those are characters of [`STRAY_BYTES`] in the text.
    Utf8WithStrayBytes,
    Utf16(ByteOrder),
    Utf32(ByteOrder),
    /// What is not UTF-8 is taken for this. It has a character for every byte, and those that Latin-1 has.
    Windows1252,
}

/// Which byte of a number comes first. A byte order mark says so, at the beginning of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

/// The text of a file, without a byte order mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodedText<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) encoding: TextEncoding,
    /// True if something in it was no text, so that the bytes cannot be made of it again.
    pub(crate) lossy: bool,
}

/// The first of the private characters that stand for single bytes from 0x80 on. Fonts and file systems use them for the same.
const STRAY_BYTES: u32 = 0xf700;

/// The characters of the bytes 0x80 to 0x9f in Windows-1252. Bytes without one are control characters, as the web has it.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TextEncoding::Utf8 => "UTF-8",
            TextEncoding::Utf8WithMark => "UTF-8 with a byte order mark",
            TextEncoding::Utf8WithStrayBytes => "UTF-8 with bytes in it that are not UTF-8",
            TextEncoding::Utf16(ByteOrder::Little) => "UTF-16, little-endian",
            TextEncoding::Utf16(ByteOrder::Big) => "UTF-16, big-endian",
            TextEncoding::Utf32(ByteOrder::Little) => "UTF-32, little-endian",
            TextEncoding::Utf32(ByteOrder::Big) => "UTF-32, big-endian",
            TextEncoding::Windows1252 => "Windows-1252, also called Latin-1",
        })
    }
}

impl TextEncoding {
    /// What the file begins with.
    fn mark(self) -> &'static [u8] {
        match self {
            TextEncoding::Utf8 | TextEncoding::Utf8WithStrayBytes | TextEncoding::Windows1252 => b"",
            TextEncoding::Utf8WithMark => b"\xef\xbb\xbf",
            TextEncoding::Utf16(ByteOrder::Little) => b"\xff\xfe",
            TextEncoding::Utf16(ByteOrder::Big) => b"\xfe\xff",
            TextEncoding::Utf32(ByteOrder::Little) => b"\xff\xfe\0\0",
            TextEncoding::Utf32(ByteOrder::Big) => b"\0\0\xfe\xff",
        }
    }

    /// The bytes of a file that holds `text`; the error is a character that this encoding does not have.
    pub(crate) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = self.mark().to_vec();
        match self {
            TextEncoding::Utf8 | TextEncoding::Utf8WithMark => bytes.extend_from_slice(text.as_bytes()),
            TextEncoding::Utf8WithStrayBytes => {
                for letter in text.chars() {
                    match stray_byte(letter) {
                        Some(byte) => bytes.push(byte),
                        None => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
                    }
                }
            }
            TextEncoding::Utf16(order) => {
                bytes.extend(text.encode_utf16().flat_map(|unit| match order {
                    ByteOrder::Little => unit.to_le_bytes(),
                    ByteOrder::Big => unit.to_be_bytes(),
                }));
            }
            TextEncoding::Utf32(order) => {
                bytes.extend(text.chars().map(u32::from).flat_map(|unit| match order {
                    ByteOrder::Little => unit.to_le_bytes(),
                    ByteOrder::Big => unit.to_be_bytes(),
                }));
            }
            TextEncoding::Windows1252 => {
                for letter in text.chars() {
                    bytes.push(windows_1252_byte(letter).ok_or(letter)?);
                }
            }
        }
        Ok(bytes)
    }
}

/// The text that `bytes` stand for; `None` if they are none. A byte order mark decides; without one it is UTF-8, or Windows-1252 if it
/// cannot be that.
pub(crate) fn decode(bytes: &[u8]) -> Option<DecodedText<'_>> {
    // The longer marks first: one of UTF-16 begins one of UTF-32.
    let marked = [
        TextEncoding::Utf32(ByteOrder::Little),
        TextEncoding::Utf32(ByteOrder::Big),
        TextEncoding::Utf16(ByteOrder::Little),
        TextEncoding::Utf16(ByteOrder::Big),
    ];
    for encoding in marked {
        let Some(rest) = bytes.strip_prefix(encoding.mark()) else { continue };
        return Some(match encoding {
            TextEncoding::Utf32(ByteOrder::Little) => utf32(encoding, rest, u32::from_le_bytes),
            TextEncoding::Utf32(ByteOrder::Big) => utf32(encoding, rest, u32::from_be_bytes),
            TextEncoding::Utf16(ByteOrder::Big) => utf16(encoding, rest, u16::from_be_bytes),
            _ => utf16(encoding, rest, u16::from_le_bytes),
        });
    }
    if bytes.contains(&0) {
        return None;
    }
    let whole = |encoding, text| DecodedText { text: Cow::Borrowed(text), encoding, lossy: false };
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(match text.strip_prefix('\u{feff}') {
            Some(text) => whole(TextEncoding::Utf8WithMark, text),
            None => whole(TextEncoding::Utf8, text),
        }),
        Err(_) if is_mostly_utf8(bytes) => Some(utf8_with_stray_bytes(bytes)),
        Err(_) => {
            let text = bytes.iter().map(|byte| windows_1252_char(*byte)).collect();
            Some(DecodedText { text: Cow::Owned(text), encoding: TextEncoding::Windows1252, lossy: false })
        }
    }
}

/// The text as it is shown: bytes that stand for nothing are shown as such.
pub(crate) fn without_stray_bytes(text: &str) -> String {
    text.chars().map(|letter| stray_byte(letter).map_or(letter, |_| char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether bytes that are not UTF-8 are the exception: letters beyond ASCII are rarely UTF-8 by chance.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut letters, mut strays) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        letters += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        strays += usize::from(!chunk.invalid().is_empty());
    }
    letters > strays || bytes.starts_with(TextEncoding::Utf8WithMark.mark())
}

fn utf8_with_stray_bytes(bytes: &[u8]) -> DecodedText<'static> {
    let (mut text, mut lossy) = (String::with_capacity(bytes.len()), false);
    for chunk in bytes.utf8_chunks() {
        // Such a character could not be told from a byte.
        lossy |= chunk.valid().chars().any(|letter| stray_byte(letter).is_some());
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|byte| char::from_u32(STRAY_BYTES + u32::from(*byte))));
    }
    DecodedText { text: Cow::Owned(text), encoding: TextEncoding::Utf8WithStrayBytes, lossy }
}

fn stray_byte(letter: char) -> Option<u8> {
    let byte = u32::from(letter).checked_sub(STRAY_BYTES).and_then(|byte| u8::try_from(byte).ok())?;
    (byte >= 0x80).then_some(byte)
}

fn windows_1252_char(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn windows_1252_byte(letter: char) -> Option<u8> {
    match u8::try_from(u32::from(letter)) {
        Ok(byte) if !(0x80..=0x9f).contains(&byte) => Some(byte),
        _ => {
            let at = WINDOWS_1252.iter().position(|known| *known == letter)?;
            u8::try_from(0x80 + at).ok()
        }
    }
}

fn utf16(encoding: TextEncoding, bytes: &[u8], unit: fn([u8; 2]) -> u16) -> DecodedText<'static> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    collect(encoding, char::decode_utf16(units).map(Result::ok), !odd.is_empty())
}

fn utf32(encoding: TextEncoding, bytes: &[u8], unit: fn([u8; 4]) -> u32) -> DecodedText<'static> {
    let (quads, odd) = bytes.as_chunks::<4>();
    collect(encoding, quads.iter().map(|quad| char::from_u32(unit(*quad))), !odd.is_empty())
}

/// Characters, some of which could not be read.
fn collect(encoding: TextEncoding, chars: impl Iterator<Item = Option<char>>, odd: bool) -> DecodedText<'static> {
    let mut lossy = odd;
    let chars = chars.map(|decoded| {
        lossy |= decoded.is_none();
        decoded.unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    let text = chars.collect();
    DecodedText { text: Cow::Owned(text), encoding, lossy }
}
