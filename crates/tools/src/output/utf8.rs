//! Bytes that arrive in arbitrary pieces, as text. A character split between two pieces stays whole; bytes that are
//! no UTF-8 become U+FFFD.

#[cfg(test)]
mod tests;

/// Turns pieces of bytes into pieces of text.
#[derive(Debug, Default)]
pub(crate) struct Utf8Decoder {
    /// The beginning of a character whose end has not come yet: at most three bytes.
    pending: Vec<u8>,
}

impl Utf8Decoder {
    /// The text that `bytes` completes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        let mut input = std::mem::take(&mut self.pending);
        input.extend_from_slice(bytes);
        let mut text = String::with_capacity(input.len());
        let mut chunks = input.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_beginning(invalid) {
                self.pending = invalid.to_vec();
            } else if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }

    /// The rest when no more bytes come.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

/// True if more bytes could make a character of these.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}
