//! All that a turn says, as texts that grow: what A2A's generic clients get as the chunks of artifacts. A text ends where the
//! turn asks people, because the stream ends there: what follows the answer comes in another stream, whose client knows nothing
//! that it could be appended to.

use crate::dialect::list_sources;

/// The most bytes of a text that are held while it is streamed. Longer text is only counted.
const HELD_BYTES: usize = 1024 * 1024;

/// The separator of two texts of one turn.
const PARAGRAPH: &str = "\n\n";

/// The text of a turn so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TurnText {
    /// The number of texts of the turn that are whole.
    part: u32,
    /// In the steps that are over.
    settled: String,
    /// In the step that runs, which may yet have to be taken back.
    running: String,
    /// True if the next piece begins a text of its own.
    begins: bool,
    sent: SentText,
    limit: usize,
    /// Bytes that were not held.
    left_out: usize,
    /// The number of them that are of steps that are over.
    settled_left_out: usize,
}

/// The part that readers of the chunks have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SentText {
    /// Nothing yet.
    Nothing,
    /// Exactly the text.
    All,
    /// Something that was taken back meanwhile.
    Outdated,
}

/// The next chunk of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextChunk {
    /// Which text of the turn it belongs to, from 0.
    pub(crate) part: u32,
    pub(crate) text: String,
    /// True if it goes on with the chunks before it; otherwise it replaces them.
    pub(crate) append: bool,
    /// True if the text is whole now.
    pub(crate) last: bool,
}

impl Default for TurnText {
    fn default() -> TurnText {
        TurnText::held_up_to(HELD_BYTES)
    }
}

impl TurnText {
    /// A text that is held whole, whatever its length.
    pub(crate) fn unbounded() -> TurnText {
        TurnText::held_up_to(usize::MAX)
    }

    fn held_up_to(limit: usize) -> TurnText {
        let (settled, running) = (String::new(), String::new());
        let sent = SentText::Nothing;
        TurnText { part: 0, settled, running, begins: true, sent, limit, left_out: 0, settled_left_out: 0 }
    }

    /// A text of its own begins.
    pub(crate) fn begin(&mut self, text: &str) -> Option<TextChunk> {
        self.begins = true;
        self.append(text)
    }

    /// The text goes on.
    pub(crate) fn append(&mut self, text: &str) -> Option<TextChunk> {
        if text.is_empty() {
            return None;
        }
        let has_before = !(self.settled.is_empty() && self.running.is_empty());
        let separator = if std::mem::take(&mut self.begins) && has_before { PARAGRAPH } else { "" };
        self.push(format!("{separator}{text}"))
    }

    /// The model is asked again: what it said in this step does not count.
    pub(crate) fn discard_step(&mut self) {
        if !self.running.is_empty() || self.left_out > self.settled_left_out {
            self.sent = SentText::Outdated;
        }
        self.running.clear();
        self.left_out = self.settled_left_out;
        self.begins = true;
    }

    /// The step is over, with these sources.
    pub(crate) fn end_step(&mut self, sources: &[String]) -> Option<TextChunk> {
        let chunk = if sources.is_empty() { None } else { self.push(list_sources(sources)) };
        self.settled.push_str(&std::mem::take(&mut self.running));
        self.settled_left_out = self.left_out;
        self.begins = true;
        chunk
    }

    /// People are asked: the text is whole, if there is one, and what is said later is another.
    pub(crate) fn pause(&mut self) -> Option<TextChunk> {
        let chunk = self.finish()?;
        *self = TurnText { part: self.part + 1, ..TurnText::held_up_to(self.limit) };
        Some(chunk)
    }

    /// The turn is over. `None` if it said nothing.
    pub(crate) fn finish(&mut self) -> Option<TextChunk> {
        let part = self.part;
        match self.sent {
            SentText::Nothing => None,
            SentText::All => Some(TextChunk { part, text: String::new(), append: true, last: true }),
            SentText::Outdated => Some(TextChunk { part, text: self.whole(), append: false, last: true }),
        }
    }

    /// The text that a reader of the chunks has by now, if the next one may be appended to it.
    pub(crate) fn told_so_far(&self) -> Option<TextChunk> {
        let told = self.sent == SentText::All;
        told.then(|| TextChunk { part: self.part, text: self.whole(), append: false, last: false })
    }

    /// Which text of the turn it is, from 0.
    pub(crate) fn part(&self) -> u32 {
        self.part
    }

    /// All of it, with a mark of what was not held.
    pub(crate) fn whole(&self) -> String {
        let mut whole = format!("{}{}", self.settled, self.running);
        if self.left_out > 0 {
            let left_out = self.left_out;
            whole.push_str(&format!("\n[… {left_out} bytes are not repeated here; get the task to read them …]"));
        }
        whole
    }

    fn push(&mut self, text: String) -> Option<TextChunk> {
        if self.settled.len() + self.running.len() + text.len() <= self.limit && self.left_out == 0 {
            self.running.push_str(&text);
        } else {
            self.left_out += text.len();
        }
        let append = std::mem::replace(&mut self.sent, SentText::All) == SentText::All;
        let replaces = !append && !self.settled.is_empty();
        let text = if replaces { self.whole() } else { text };
        Some(TextChunk { part: self.part, text, append, last: false })
    }
}

#[cfg(test)]
mod tests;
