//! The artifacts of an agent, as text. An agent decides how many artifacts it sends and how long they are, so both have
//! a bound here.

use std::collections::HashMap;

/// The most artifacts that are kept.
const MAX_ARTIFACTS: usize = 256;
/// The most bytes of all of them, their ids included.
const MAX_BYTES: usize = 1024 * 1024;

/// Texts by the ids of their artifacts, in the order in which these began.
#[derive(Default)]
pub(crate) struct ArtifactTexts {
    texts: Vec<String>,
    places: HashMap<String, usize>,
    bytes: usize,
    /// The number of artifacts that were too many.
    left_out: usize,
}

impl ArtifactTexts {
    /// Take in the text of an artifact, or more of it. Returns what is new in it.
    pub(crate) fn take(&mut self, id: &str, text: String, append: bool) -> String {
        let Some(place) = self.places.get(id).copied() else { return self.begin(id, text) };
        if append {
            let room = self.fitting(&text);
            self.texts[place].push_str(&text[..room]);
            self.bytes += room;
            return text;
        }
        let known = std::mem::take(&mut self.texts[place]);
        self.bytes -= known.len();
        let kept = text[..self.fitting(&text)].to_owned();
        self.bytes += kept.len();
        self.texts[place] = kept;
        text.strip_prefix(known.as_str()).unwrap_or(&text).to_owned()
    }

    fn begin(&mut self, id: &str, text: String) -> String {
        if self.texts.len() >= MAX_ARTIFACTS || self.bytes + id.len() >= MAX_BYTES {
            self.left_out += 1;
            return String::new();
        }
        self.bytes += id.len();
        let kept = text[..self.fitting(&text)].to_owned();
        self.bytes += kept.len();
        self.places.insert(id.to_owned(), self.texts.len());
        self.texts.push(kept);
        text
    }

    /// The bytes of `text` for which there is room.
    fn fitting(&self, text: &str) -> usize {
        text.floor_char_boundary(MAX_BYTES - self.bytes)
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// That there were more, if there were.
    pub(crate) fn omission_note(&self) -> Option<String> {
        (self.left_out > 0).then(|| format!("[{} more artifacts were left out.]", self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn artifacts_begin_grow_and_are_made_anew() {
        let mut artifacts = ArtifactTexts::default();
        let mut take = |id: &str, text: &str, append| artifacts.take(id, text.into(), append);
        assert_eq!([take("a", "one", false), take("b", "x", true), take("a", " two", true)], ["one", "x", " two"]);
        assert_eq!([take("a", "one two three", false), take("b", "y", false)], [" three", "y"]);
        assert_eq!(artifacts.texts().collect::<Vec<_>>(), ["one two three", "y"]);
        assert_eq!((artifacts.bytes, artifacts.omission_note()), (16, None));
    }

    #[test]
    fn neither_many_nor_long_artifacts_take_more_room_than_there_is() {
        let mut many = ArtifactTexts::default();
        for id in 0..MAX_ARTIFACTS + 3 {
            many.take(&id.to_string(), "x".into(), false);
        }
        assert_eq!(many.texts().count(), MAX_ARTIFACTS);
        assert_eq!(many.omission_note().as_deref(), Some("[3 more artifacts were left out.]"));

        let mut long = ArtifactTexts::default();
        let half = "é".repeat(MAX_BYTES / 4);
        for (id, append) in [("a", false), ("a", true), ("a", true), ("b", false), ("b", true), ("a", false)] {
            long.take(id, half.clone(), append);
            let held: usize =
                long.texts().map(str::len).sum::<usize>() + long.places.keys().map(String::len).sum::<usize>();
            assert_eq!(long.bytes, held);
            assert!(held <= MAX_BYTES, "{held}");
        }
        let mut ids = ArtifactTexts::default();
        ids.take(&"i".repeat(MAX_BYTES), String::new(), false);
        assert_eq!((ids.texts().count(), ids.left_out), (0, 1));
    }
}
