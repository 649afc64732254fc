//! Text that grows, with a bound.

use super::item::{OutputPiece, OutputTail, StreamedText};

impl StreamedText {
    /// Take one more piece and keep about `most` bytes. The newest one is always kept whole, so that a reader who follows entry by entry misses nothing.
    pub(super) fn push(&mut self, piece: &str, most: usize) {
        let excess = self.text.len().saturating_sub(most.saturating_sub(piece.len()));
        let cut = (excess..=self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(self.text.len());
        self.text.drain(..cut);
        self.offset += cut as u64;
        self.text.push_str(piece);
    }

    /// The text after its first `seen` bytes. Bytes that are not kept are passed over.
    pub fn after(&self, seen: u64) -> &str {
        let from = usize::try_from(seen.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        self.text.get(from..).unwrap_or_default()
    }

    /// The length in bytes, bytes that are not kept included.
    pub fn end(&self) -> u64 {
        self.offset + self.text.len() as u64
    }
}

impl OutputTail {
    /// Take one more piece, which was printed after `offset` bytes. It is kept whole, as in [`StreamedText`].
    pub(super) fn push(&mut self, offset: u64, text: &str, most: usize) {
        let is_next = !self.pieces.is_empty() && offset <= self.printed;
        self.printed = offset.saturating_add(text.len() as u64);
        self.shorten(most.saturating_sub(text.len()));
        match self.pieces.back_mut() {
            Some(last) if is_next => last.text.push_str(text),
            Some(_) | None => self.pieces.push_back(OutputPiece { offset, text: text.to_owned() }),
        }
    }

    /// Let the oldest go, until no more than `most` bytes are left.
    fn shorten(&mut self, most: usize) {
        let mut kept: usize = self.pieces.iter().map(|piece| piece.text.len()).sum();
        while kept > most
            && let Some(oldest) = self.pieces.front_mut()
        {
            let excess = kept - most;
            let len = oldest.text.len();
            let cut = (excess..=len).find(|at| oldest.text.is_char_boundary(*at)).unwrap_or(len);
            kept -= cut;
            if cut >= len {
                self.pieces.pop_front();
            } else {
                oldest.text.drain(..cut);
                oldest.offset += cut as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OutputTail, StreamedText};

    #[test]
    fn the_newest_piece_is_whole_and_the_oldest_go() {
        let mut text = StreamedText::default();
        text.push("äh, ", 10);
        text.push("12345678", 10);
        assert_eq!((text.offset, text.text.as_str(), text.end()), (3, ", 12345678", 13));
        let seen = text.end();
        text.push("and on", 10);
        assert_eq!(text.after(seen), "and on");
        text.push(&"y".repeat(20), 10);
        assert_eq!(text.text, "y".repeat(20));
    }

    #[test]
    fn what_the_log_left_out_parts_the_output() {
        let mut output = OutputTail::default();
        output.push(0, "one ", 64);
        output.push(4, "two ", 64);
        output.push(100, "three", 64);
        let pieces = |output: &OutputTail| {
            output.pieces.iter().map(|piece| (piece.offset, piece.text.clone())).collect::<Vec<_>>()
        };
        assert_eq!(pieces(&output), [(0, "one two ".to_owned()), (100, "three".to_owned())]);
        output.push(105, &"x".repeat(62), 64);
        assert_eq!(pieces(&output), [(103, format!("ee{}", "x".repeat(62)))]);
    }
}
