//! The output of a running call, as far as it is shown.

/// The most bytes of a running call's output that are shown.
const LIVE_TAIL: usize = 64 * 1024;
/// The most bytes that the beginning of such a tail may move to be that of a line.
const LINE_NEAR: usize = 4 * 1024;

/// The newest part of what a call printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallOutputTail {
    pub(crate) text: String,
    /// Bytes before it.
    pub(crate) cut: u64,
}

impl CallOutputTail {
    pub(super) fn append(&mut self, offset: u64, text: &str) {
        if offset > self.cut + self.text.len() as u64 {
            self.text.clear();
            self.cut = offset;
        }
        self.text.push_str(text);
        if self.text.len() > LIVE_TAIL {
            let from = self.text.len() - LIVE_TAIL;
            let from = self.text.ceil_char_boundary(from);
            // At a line if one is near, so that no escape sequence is cut in two.
            let from = self.text[from..].find('\n').filter(|at| *at < LINE_NEAR).map_or(from, |at| from + at + 1);
            self.text.drain(..from);
            self.cut += from as u64;
        }
    }

    /// The text, with a mark of what was cut off before it.
    pub(crate) fn text_with_mark(&self) -> String {
        match self.cut {
            0 => self.text.clone(),
            cut => format!("[… {cut} bytes before this are not shown …]\n{}", self.text),
        }
    }
}
