//! Text in pieces that never end inside an escape sequence or between `\r` and `\n`, so that each can be shown by itself.

use pollux_session::{MAX_SEQUENCE, sequence_len};

#[cfg(test)]
mod tests;

/// More carriage returns than this in a row are no line end. (A file with `\r\n` comes out of a terminal with two.)
const MAX_RETURNS: usize = 8;

/// Holds back what a piece of text begins and does not end.
#[derive(Debug, Default)]
pub(crate) struct SequenceBuffer {
    /// At most [`MAX_SEQUENCE`] bytes.
    pending: String,
}

impl SequenceBuffer {
    /// The text that `text` completes.
    pub(crate) fn push(&mut self, text: String) -> String {
        let mut all = text;
        if !self.pending.is_empty() {
            all.insert_str(0, &std::mem::take(&mut self.pending));
        }
        let complete = whole_until(&all, all.len());
        self.pending = all.split_off(complete);
        all
    }

    /// The rest when no more text comes.
    pub(crate) fn finish(&mut self) -> String {
        std::mem::take(&mut self.pending)
    }
}

/// The last place at or before `at` that is not inside a sequence.
pub(crate) fn whole_until(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    match sequence_around(text, at) {
        Some((start, _)) => start,
        None => at,
    }
}

/// The first place at or after `at` that is not inside a sequence.
pub(crate) fn whole_from(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at);
    match sequence_around(text, at) {
        Some((_, end)) => end,
        None => at,
    }
}

/// Where the sequence begins and ends that has `at` in its middle.
fn sequence_around(text: &str, at: usize) -> Option<(usize, usize)> {
    let returns = at - text[..at].trim_end_matches('\r').len();
    let line_end = text[at..].trim_start_matches('\r');
    if (1..=MAX_RETURNS).contains(&returns) && (line_end.is_empty() || line_end.starts_with('\n')) {
        return Some((at - returns, (text.len() - line_end.len() + 1).min(text.len())));
    }
    let from = text.ceil_char_boundary(at.saturating_sub(MAX_SEQUENCE));
    let mut escapes = text[from..at].match_indices('\x1b').map(|(start, _)| from + start);
    escapes.find_map(|start| {
        let end = sequence_len(&text[start..]).map_or(text.len(), |len| start + len);
        // At the very end it may still go on.
        let goes_on = end == text.len() && at == end && sequence_len(&text[start..]).is_none();
        (end > at || goes_on).then_some((start, end))
    })
}
