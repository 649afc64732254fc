//! A numbered list of choices: digits choose at once, arrows and Enter after a look.

use super::line_builder::LineBuilder;
use super::scroll::ScrollState;
use super::unmodified_key;
use crate::sanitize::{count_gaps, one_line};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;

/// Choices and the one the arrow points at.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionList {
    names: Vec<String>,
    at: usize,
}

/// What a key did to the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionKeyOutcome {
    /// The key is not for it.
    Nothing,
    /// The arrow points at another choice.
    Moved,
    /// This one is chosen.
    Chosen(usize),
}

/// What a key did to a list below something that scrolls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionDecision {
    /// Nothing yet; the screen may have moved.
    Nothing,
    /// A digit points at one for which that is not enough: Enter chooses it.
    NeedsEnter,
    /// A letter that means nothing here: the person is writing something else, and no longer points at what is weighty.
    Stray,
    /// This one is chosen.
    Chosen(usize),
}

impl OptionList {
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> OptionList {
        OptionList { names: names.into_iter().collect(), at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn point_at(&mut self, at: usize) {
        self.at = at.min(self.names.len().saturating_sub(1));
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> OptionKeyOutcome {
        let count = self.names.len();
        if count == 0 || key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return OptionKeyOutcome::Nothing;
        }
        match key.code {
            KeyCode::Up => self.at = (self.at + count - 1) % count,
            KeyCode::Down => self.at = (self.at + 1) % count,
            KeyCode::Enter => return OptionKeyOutcome::Chosen(self.at),
            KeyCode::Char(digit @ '1'..='9') => {
                let number = digit.to_digit(10).and_then(|number| usize::try_from(number).ok());
                match number.map(|number| number - 1).filter(|at| *at < count) {
                    Some(at) => {
                        self.at = at;
                        return OptionKeyOutcome::Chosen(at);
                    }
                    None => return OptionKeyOutcome::Nothing,
                }
            }
            _ => return OptionKeyOutcome::Nothing,
        }
        OptionKeyOutcome::Moved
    }

    /// A key for the list or for what scrolls above it. What is not on the screen is brought there instead of being chosen,
    /// and a digit chooses nothing that was not read, nor ever what is `weighty`, however often it is pressed.
    pub(super) fn decide(
        &mut self,
        key: KeyEvent,
        scroll: &ScrollState,
        weighty: impl Fn(usize) -> bool,
    ) -> OptionDecision {
        let before = self.at;
        let is_written = matches!(unmodified_key(key), KeyCode::Char(_));
        match self.key(key) {
            OptionKeyOutcome::Chosen(at) if (at != before && scroll.hides_choices()) || (is_written && weighty(at)) => {
                scroll.seek();
                return OptionDecision::NeedsEnter;
            }
            OptionKeyOutcome::Chosen(at) if scroll.shows_choice() => return OptionDecision::Chosen(at),
            OptionKeyOutcome::Chosen(_) | OptionKeyOutcome::Moved => scroll.seek(),
            OptionKeyOutcome::Nothing if is_written => {
                if weighty(self.at) {
                    self.at = 0;
                }
                return OptionDecision::Stray;
            }
            OptionKeyOutcome::Nothing => {
                scroll.key(key.code);
            }
        }
        OptionDecision::Nothing
    }

    /// Draw all of them. Returns the lines of the sheet that hold the one the arrow points at.
    pub(super) fn draw(&self, line_builder: &mut LineBuilder<'_>) -> (usize, usize) {
        self.draw_with(line_builder, |_| "", |_| Style::new())
    }

    /// As [`OptionList::draw`], with a mark before each name and a style for each.
    pub(super) fn draw_with(
        &self,
        line_builder: &mut LineBuilder<'_>,
        mark: impl Fn(usize) -> &'static str,
        style: impl Fn(usize) -> Style,
    ) -> (usize, usize) {
        let mut chosen = (line_builder.len(), line_builder.len());
        for (at, name) in self.names.iter().enumerate() {
            let first = line_builder.len();
            let sign = if at == self.at { "❯" } else { " " };
            let number = format!("{sign} {}. {}", at + 1, mark(at));
            let rest = " ".repeat(unicode_width::UnicodeWidthStr::width(number.as_str()));
            let look =
                if at == self.at { line_builder.theme().accent.patch(line_builder.theme().strong) } else { style(at) };
            // A name may quote a command, so it is never cut and its gaps are counted.
            line_builder.words_in(&number, &rest, look, &count_gaps(&one_line(name, usize::MAX)));
            if at == self.at {
                chosen = (first, line_builder.len());
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::{OptionKeyOutcome, OptionList};
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use pretty_assertions::assert_eq;

    #[test]
    fn arrows_go_round_and_digits_choose() {
        let mut options = OptionList::new(["a", "b", "c"].map(str::to_owned));
        let keys = [KeyCode::Up, KeyCode::Enter, KeyCode::Down, KeyCode::Char('2'), KeyCode::Enter];
        let picked = keys.map(|code| options.key(KeyEvent::from(code)));
        let (moved, chosen) = (OptionKeyOutcome::Moved, OptionKeyOutcome::Chosen);
        assert_eq!(picked, [moved, chosen(2), moved, chosen(1), chosen(1)]);
    }

    #[test]
    fn what_is_not_on_the_list_is_not_chosen() {
        let mut options = OptionList::new(["a".to_owned()]);
        for code in [KeyCode::Char('0'), KeyCode::Char('2'), KeyCode::Char('x'), KeyCode::Esc, KeyCode::Tab] {
            assert_eq!(options.key(KeyEvent::from(code)), OptionKeyOutcome::Nothing, "{code:?}");
        }
        assert_eq!(options.key(KeyEvent::new(KeyCode::Char('1'), KeyModifiers::ALT)), OptionKeyOutcome::Nothing);
        assert_eq!(OptionList::default().key(KeyEvent::from(KeyCode::Enter)), OptionKeyOutcome::Nothing);
    }
}
