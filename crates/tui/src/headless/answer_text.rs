//! The answer's text, each word once. An answer that breaks off is asked for again: the model is told what it has said
//! and goes on from there; one that starts over all the same is not heard twice.

use pollux_session::{Event, ItemKind, SessionView, events_about};

/// The model's text in the running step.
#[derive(Debug, Default)]
pub(super) struct AnswerText {
    text: String,
    /// The text after a retry, as long as it may be what was said already.
    held: Option<String>,
    /// True after the end of a text: the next one is a paragraph of its own.
    is_over: bool,
}

/// The addition of an event to the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerDelta<'a> {
    Text(&'a str),
    Thought(&'a str),
    /// Output of a command that is the whole prompt (`!CMD`): nobody says anything about it, so it is the answer.
    Printed(&'a str),
    TextEnds {
        is_cut: bool,
    },
    ThoughtEnds,
    Nothing,
}

/// The addition of `event`, seen from the view just before it.
pub(super) fn answer_delta<'a>(view: &SessionView, event: &'a Event) -> AnswerDelta<'a> {
    let open = view.state().turn.as_ref().and_then(|turn| turn.item).map(|(_, kind, _)| kind);
    match event {
        Event::Said { kind: ItemKind::Text, text, .. } => AnswerDelta::Text(text),
        Event::Said { kind: ItemKind::Thought, text, .. } => AnswerDelta::Thought(text),
        Event::Piece { text, .. } => match open {
            Some(ItemKind::Text) => AnswerDelta::Text(text),
            Some(ItemKind::Thought) => AnswerDelta::Thought(text),
            None => AnswerDelta::Nothing,
        },
        Event::ItemEnded { cut, .. } => match open {
            Some(ItemKind::Text) => AnswerDelta::TextEnds { is_cut: *cut },
            Some(ItemKind::Thought) => AnswerDelta::ThoughtEnds,
            None => AnswerDelta::Nothing,
        },
        Event::Output { text, .. } if is_shell_turn(view) => AnswerDelta::Printed(text),
        events_about!(session, tasks, queue, turn, model, approval, context)
        | Event::Checkpointed(_)
        | Event::Called { .. }
        | Event::CallStarted { .. }
        | Event::Output { .. }
        | Event::Spent { .. }
        | Event::CallEnded { .. } => AnswerDelta::Nothing,
    }
}

fn is_shell_turn(view: &SessionView) -> bool {
    view.state().turn.as_ref().is_some_and(|turn| turn.command.as_deref() == Some("shell"))
}

impl AnswerText {
    /// The model said `piece`: what of it is new.
    pub(super) fn add(&mut self, piece: &str) -> String {
        if std::mem::take(&mut self.is_over) {
            self.text.push_str("\n\n");
        }
        let Some(mut held) = self.held.take() else {
            self.text.push_str(piece);
            return piece.to_owned();
        };
        held.push_str(piece);
        if held.len() < self.text.len() && self.text.starts_with(&held) {
            self.held = Some(held);
            return String::new();
        }
        let new = held.strip_prefix(self.text.as_str()).map(str::to_owned).unwrap_or(held);
        self.text.push_str(&new);
        new
    }

    /// A text is over. One that was cut goes on after the retry, in the middle of its line. What is held then was said before.
    pub(super) fn end_text(&mut self, is_cut: bool) {
        self.held = None;
        self.is_over = !is_cut && !self.text.is_empty();
    }

    /// The answer broke off and is asked for again.
    pub(super) fn retry(&mut self) {
        self.held = (!self.text.is_empty()).then(String::new);
    }

    /// The step is over: all that was said in it.
    pub(super) fn end_step(&mut self) -> String {
        (self.held, self.is_over) = (None, false);
        std::mem::take(&mut self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::AnswerText;
    use pretty_assertions::assert_eq;

    /// The text that is heard of pieces, where `None` is a retry.
    fn heard(pieces: &[Option<&str>]) -> String {
        let mut spoken = AnswerText::default();
        let mut all = String::new();
        for piece in pieces {
            match piece {
                Some(piece) => all += &spoken.add(piece),
                None => {
                    spoken.end_text(true);
                    spoken.retry();
                }
            }
        }
        spoken.end_text(false);
        assert_eq!(spoken.end_step(), all);
        all
    }

    #[test]
    fn a_model_that_goes_on_is_heard_on() {
        assert_eq!(
            heard(&[Some("It is a long "), Some("story"), None, Some(", really.")]),
            "It is a long story, really."
        );
        assert_eq!(
            heard(&[Some("It is a long story"), None, Some("It"), Some(" ends.")]),
            "It is a long storyIt ends."
        );
    }

    #[test]
    fn two_texts_of_one_step_are_two_paragraphs() {
        let mut spoken = AnswerText::default();
        spoken.add("First");
        spoken.add(" this.");
        spoken.end_text(false);
        assert_eq!(spoken.add("Then that."), "Then that.");
        spoken.end_text(false);
        assert_eq!(spoken.end_step(), "First this.\n\nThen that.");
        assert_eq!((spoken.add("Next"), spoken.end_step()), ("Next".to_owned(), "Next".to_owned()));
    }

    #[test]
    fn a_model_that_starts_over_is_not_heard_twice() {
        let pieces = [Some("It is a long story"), None, Some("It is a"), Some(" long story, really"), Some(".")];
        assert_eq!(heard(&pieces), "It is a long story, really.");
        assert_eq!(heard(&[Some("It is a long story"), None, Some("It is a long story")]), "It is a long story");
    }

    #[test]
    fn one_that_breaks_off_again_is_heard_once() {
        let whole = "It is a long story, really.";
        assert_eq!(heard(&[Some(&whole[..20]), None, Some(&whole[..18]), None, Some(whole)]), whole);
    }

    #[test]
    fn a_short_start_is_not_heard_twice_either() {
        assert_eq!(heard(&[Some("Yes."), None, Some("Yes. It"), Some(" works.")]), "Yes. It works.");
        assert_eq!(heard(&[Some("Ha"), None, Some("Ha"), None, Some("Ha!")]), "Ha!");
        assert_eq!(heard(&[Some("Yes."), None, Some(" It works.")]), "Yes. It works.");
    }
}
