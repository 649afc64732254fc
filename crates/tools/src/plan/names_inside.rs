//! What may be the name of a file inside a word of a program that Pollux does not know: `-Tx`, `a=@x;type=y`, `file:///%78`,
//! `file://localhost/x`, `open("x")`. Too many rather than too few: only what turns out to be protected is asked about.

use pollux_session::PlannedWord;
use std::collections::BTreeSet;

/// Characters that are no part of a protected name: one may stand on either side of them.
const NOT_IN_NAMES: &[char] = &[
    ',', ';', ':', '?', '#', '"', '\'', '`', '{', '}', '[', ']', '(', ')', '<', '>', '|', '&', '!', '$', '\\', '@',
    '=', ' ', '\t', '\n', '\r',
];
/// Characters behind which all the rest of a word may be one name, whatever is in it.
const BEFORE_NAMES: &[char] = &['=', '@', '<', ':', ','];
/// The most names that one word may hold.
const MAX_NAMES: usize = 256;

/// The names in `word`, also where it is written with percent signs as an address is. `None` if there are too many.
pub(super) fn names_inside(word: &str) -> Option<BTreeSet<String>> {
    let decoded = percent_decoded(word);
    let mut names = BTreeSet::new();
    for word in [Some(word), decoded.as_deref()].into_iter().flatten() {
        let tails = word.char_indices().filter(|(_, char)| BEFORE_NAMES.contains(char)).map(|(at, _)| &word[at + 1..]);
        let pieces = word.split(NOT_IN_NAMES);
        // `-sTname`: options, of which the last has a value.
        let values =
            word.split(NOT_IN_NAMES).chain([word]).filter_map(|piece| piece.strip_prefix('-')).flat_map(|rest| {
                let letters = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#').count();
                (1..=letters).map(move |at| &rest[at..])
            });
        let hosted: Vec<&str> = tails.clone().chain(pieces.clone()).filter_map(behind_host).collect();
        let hosted = hosted.into_iter().filter(|_| word.to_ascii_lowercase().contains("file:"));
        for name in tails.chain(pieces).chain(values).chain(hosted).filter(|name| !name.is_empty()) {
            names.insert(name.to_owned());
            if names.len() > MAX_NAMES {
                return None;
            }
        }
    }
    Some(names)
}

/// The path in `//localhost/path`.
fn behind_host(address: &str) -> Option<&str> {
    let host = address.strip_prefix("//")?;
    host.find('/').map(|at| &host[at..])
}

/// What an address stands for; `None` when it says the same.
fn percent_decoded(word: &str) -> Option<String> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = match (first, digit(behind.first()), digit(behind.get(1))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high * 16 + low).unwrap_or_default());
                &behind[2..]
            }
            _ => {
                decoded.push(*first);
                behind
            }
        };
    }
    Some(String::from_utf8_lossy(&decoded).into_owned()).filter(|decoded| decoded != word)
}

/// Whether curl, told `words`, puts names of files together from patterns: in a local address, in what it sends (`-T`), or in
/// what it writes (`-o '#1'`). Patterns in addresses of another machine aside.
pub(super) fn curl_makes_names(words: &[PlannedWord]) -> bool {
    let texts: Vec<String> = words.iter().skip(1).map(PlannedWord::unquoted).collect();
    let has_pattern = |text: &str| text.contains(['[', '{']);
    // Where the scheme itself is made by a pattern it may be `file`.
    let is_local = |text: &String| {
        let scheme = text.split(":/").next().unwrap_or_default();
        has_pattern(text) && (text.to_ascii_lowercase().contains("file:") || (scheme != text && has_pattern(scheme)))
    };
    let sends = |text: &String| match text.strip_prefix("--") {
        Some(name) => name.len() > 1 && "upload-file".starts_with(name.split('=').next().unwrap_or_default()),
        None => text.starts_with('-') && text.contains('T'),
    };
    let is_numbered =
        |text: &String| text.split('#').skip(1).any(|rest| rest.starts_with(|char: char| char.is_ascii_digit()));
    let has_patterns = texts.iter().any(|text| has_pattern(text));
    texts.iter().any(is_local) || (has_patterns && texts.iter().any(|text| sends(text) || is_numbered(text)))
}
