//! The final answer of a turn, gathered while it is said: the texts of the newest step that said anything.

/// How much of an answer is kept. A longer one is only counted.
pub(crate) const MAX_ANSWER: usize = 256 * 1024;

/// What the running turn has answered so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Of the newest step that said anything.
    settled: Vec<String>,
    /// Of the step that runs.
    said: Vec<String>,
    /// Bytes of the step that runs.
    len: usize,
    /// Bytes of the step that is settled.
    settled_len: usize,
}

impl Answer {
    /// A text begins.
    pub(crate) fn begin(&mut self, text: &str) {
        self.said.push(String::new());
        self.go_on(text);
    }

    /// It goes on.
    pub(crate) fn go_on(&mut self, text: &str) {
        self.len += text.len();
        if let Some(last) = self.said.last_mut().filter(|_| self.len <= MAX_ANSWER) {
            last.push_str(text);
        }
    }

    /// The model is asked again: what it said in this step does not count.
    pub(crate) fn forget_step(&mut self) {
        self.said.clear();
        self.len = 0;
    }

    /// The step is over. One that said nothing leaves the answer as it was.
    pub(crate) fn end_step(&mut self) {
        let mut said = std::mem::take(&mut self.said);
        let len = std::mem::take(&mut self.len);
        said.retain(|text| !text.trim().is_empty());
        if !said.is_empty() {
            (self.settled, self.settled_len) = (said, len);
        }
    }

    /// The texts, and how many bytes they have; more than [`MAX_ANSWER`] means that they are not all here.
    pub(crate) fn whole(&self) -> (&[String], usize) {
        (&self.settled, self.settled_len)
    }
}

#[cfg(test)]
mod tests;
