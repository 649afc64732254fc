//! Bytes as text: either alphabet is read, with or without padding; the standard one with padding is kept.

/// `text` in the standard alphabet with padding; `None` when it is no base64.
pub(crate) fn canonical_base64(mut text: String) -> Option<String> {
    let kept = text.trim_end_matches('=').len();
    if kept % 4 == 1 || (kept < text.len() && text.len() != kept.next_multiple_of(4)) {
        return None;
    }
    text.truncate(kept);
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    if !text.bytes().all(fits) {
        return None;
    }
    if text.contains(['-', '_']) {
        text = text.replace('-', "+").replace('_', "/");
    }
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    Some(text)
}
