//! A thought as it streams in: only its subjects, the lines between `**`, are shown.

use std::ops::Range;

/// The most characters kept of a thought while no subject is in sight.
const MAX_KEPT: usize = 4096;

/// The part of a streamed thought that has not been shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThoughtSubjects {
    rest: String,
    /// True if a subject was found.
    named: bool,
}

impl ThoughtSubjects {
    /// Take one more piece; returns the subjects that are complete with it.
    pub fn add(&mut self, piece: &str) -> Vec<String> {
        self.rest.push_str(piece);
        let mut subjects = Vec::new();
        while let Some((subject, place)) = first_subject(&self.rest) {
            subjects.push(subject);
            self.rest.drain(..place.end);
            self.named = true;
        }
        // Past this much there is no subject coming; the head is all that may still be shown.
        if self.rest.len() > MAX_KEPT {
            let keep = (0..=MAX_KEPT).rev().find(|at| self.rest.is_char_boundary(*at)).unwrap_or(0);
            if self.named {
                self.rest.drain(..keep);
            } else {
                self.rest.truncate(keep);
            }
        }
        subjects
    }

    /// The thought is over: its first line, if it never had a subject.
    pub fn end(&self) -> Option<&str> {
        let first = self.rest.trim().lines().next()?;
        (!self.named && !first.is_empty()).then_some(first)
    }
}

/// A thought in parts: each subject with what was thought about it. What comes before the first has none.
pub fn split_thought(text: &str) -> Vec<(Option<String>, &str)> {
    let (mut parts, mut subject, mut rest) = (Vec::new(), None, text);
    loop {
        let next = first_subject(rest);
        let about = rest[..next.as_ref().map_or(rest.len(), |(_, place)| place.start)].trim();
        if subject.is_some() || !about.is_empty() {
            parts.push((subject, about));
        }
        let Some((named, place)) = next else { return parts };
        (subject, rest) = (Some(named), &rest[place.end..]);
    }
}

/// The first complete subject and its place. A subject starts a line; bold words inside a sentence do not count.
fn first_subject(text: &str) -> Option<(String, Range<usize>)> {
    let mut from = 0;
    loop {
        let open = from + text[from..].find("**")?;
        let close = open + 2 + text[open + 2..].find("**")?;
        let starts_line = text[..open].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|ch| ch == '\n');
        let subject = text[open + 2..close].trim();
        if starts_line && !subject.is_empty() && !subject.contains('\n') {
            return Some((subject.to_owned(), open..close + 2));
        }
        from = close + 2;
    }
}

#[cfg(test)]
mod tests {
    use super::{ThoughtSubjects, split_thought};
    use pretty_assertions::assert_eq;

    fn subjects(pieces: &[&str]) -> (Vec<String>, Option<String>) {
        let mut thought = ThoughtSubjects::default();
        let found = pieces.iter().flat_map(|piece| thought.add(piece)).collect();
        (found, thought.end().map(str::to_owned))
    }

    #[test]
    fn a_subject_is_found_across_pieces() {
        assert_eq!(
            subjects(&["*", "*Reading the ", "code*", "*\nThe code is"]),
            (vec!["Reading the code".into()], None)
        );
    }

    #[test]
    fn each_paragraph_may_have_its_own() {
        let text = "**One**\nabout **bold** things\n\n**Two**\nmore";
        assert_eq!(subjects(&[text]), (vec!["One".into(), "Two".into()], None));
    }

    #[test]
    fn a_thought_is_split_at_its_subjects() {
        let split =
            |text| split_thought(text).into_iter().map(|(named, about)| (named.unwrap_or_default(), about)).collect();
        let parts: Vec<(String, &str)> = split("Well.\n**One** about **bold** things\n\n**Two**\n\n**Three**\nmore\n");
        let part = |named: &str, about| (named.to_owned(), about);
        assert_eq!(
            parts,
            [part("", "Well."), part("One", "about **bold** things"), part("Two", ""), part("Three", "more")]
        );
        assert_eq!(split("only words"), [part("", "only words")]);
        assert_eq!(split(" "), []);
    }

    #[test]
    fn a_thought_without_a_subject_shows_its_first_line() {
        assert_eq!(subjects(&["I wonder.\n", "Long story."]), (vec![], Some("I wonder.".into())));
        assert_eq!(subjects(&["  \n"]), (vec![], None));
    }

    #[test]
    fn an_endless_thought_is_not_kept() {
        let mut thought = ThoughtSubjects::default();
        for _ in 0..1000 {
            thought.add("bläh ".repeat(10).as_str());
        }
        assert!(thought.rest.len() <= super::MAX_KEPT);
    }
}
