//! The answer to one question while it is being given: marks on a list, a text, or both.

use crate::question_form::{DECLINE, SKIP};
use crate::screen::overlay::line_builder::{GUTTER, GUTTER_ON, INDENT, LineBuilder};
use crate::screen::overlay::option_list::{OptionKeyOutcome, OptionList};
use crate::screen::overlay::text_area::{TextArea, TextAreaMode};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{AnswerKind, AnswerNeed, AnswerOption, CustomAnswers, FormQuestion};
use ratatui::layout::Position;
use ratatui::style::Style;
use serde_json::Value;
use std::collections::BTreeSet;

/// How many lines of a text are on the screen at once.
const TEXT_ROWS: u16 = 6;
/// The name of the row for an answer that is not offered.
const CUSTOM_ROW: &str = "something else:";

/// What has been marked and written so far.
#[derive(Debug)]
pub(super) struct AnswerField {
    list: OptionList,
    /// How many rows of the list are offers. One more is for the person's own words.
    offers: usize,
    marked: BTreeSet<usize>,
    several: bool,
    text_area: Option<TextArea>,
}

/// What a key came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerFieldOutcome {
    /// The key means nothing here.
    Nothing,
    Changed,
    /// The question is answered, or left out.
    Done,
    Decline,
}

impl AnswerField {
    pub(super) fn for_question(question: &FormQuestion) -> AnswerField {
        let rows = if question.kind == AnswerKind::Text { TextAreaMode::MultiLine } else { TextAreaMode::SingleLine };
        let text = || Some(TextArea::new(rows, ""));
        let listed = |offers: &[AnswerOption], others: CustomAnswers, several: bool| {
            let about = |offer: &AnswerOption| match offer.about.as_str() {
                "" => offer.label.clone(),
                about => format!("{}: {about}", offer.label),
            };
            let own = (others == CustomAnswers::Allowed).then(|| CUSTOM_ROW.to_owned());
            let pad = own.as_ref().and_then(|_| text());
            let list = OptionList::new(offers.iter().map(about).chain(own));
            AnswerField { list, offers: offers.len(), marked: BTreeSet::new(), several, text_area: pad }
        };
        match &question.kind {
            AnswerKind::One { options: offers, custom: others } => listed(offers, *others, false),
            AnswerKind::Many { options: offers, custom: others } => listed(offers, *others, true),
            AnswerKind::YesNo => {
                let list = OptionList::new(["Yes", "No"].map(str::to_owned));
                AnswerField { list, offers: 2, marked: BTreeSet::new(), several: false, text_area: None }
            }
            AnswerKind::Text | AnswerKind::Number | AnswerKind::Integer => AnswerField {
                list: OptionList::default(),
                offers: 0,
                marked: BTreeSet::new(),
                several: false,
                text_area: text(),
            },
        }
    }

    /// Whether what is typed is text.
    pub(super) fn writes(&self) -> bool {
        self.text_area.is_some() && (self.list.len() == 0 || self.list.at() == self.offers)
    }

    pub(super) fn takes_text(&self) -> bool {
        self.text_area.is_some()
    }

    pub(super) fn written(&self) -> String {
        self.text_area.as_ref().map(TextArea::text).unwrap_or_default().trim().to_owned()
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(pad) = &mut self.text_area {
            pad.insert(text);
            self.list.point_at(self.offers);
        }
    }

    pub(super) fn key(&mut self, question: &FormQuestion, key: KeyEvent) -> AnswerFieldOutcome {
        if self.writes() {
            return self.write(question, key);
        }
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Char('y' | 'Y') if plain && is_yes_or_no(&question.kind) => self.mark_only(0),
            KeyCode::Char('n' | 'N') if plain && is_yes_or_no(&question.kind) => self.mark_only(1),
            KeyCode::Char(' ') if self.several => self.toggle(self.list.at()),
            KeyCode::Enter if self.several => AnswerFieldOutcome::Done,
            // Leaving a mark out again is what Backspace is for.
            KeyCode::Backspace if self.marked.remove(&self.list.at()) => AnswerFieldOutcome::Changed,
            KeyCode::Char(ch) if plain && self.text_area.is_some() && !ch.is_ascii_digit() && ch != ' ' => {
                self.list.point_at(self.offers);
                self.write(question, key)
            }
            _ => match self.list.key(key) {
                OptionKeyOutcome::Nothing => AnswerFieldOutcome::Nothing,
                OptionKeyOutcome::Moved => AnswerFieldOutcome::Changed,
                OptionKeyOutcome::Chosen(at) if at == self.offers => AnswerFieldOutcome::Changed,
                OptionKeyOutcome::Chosen(at) if self.several => self.toggle(at),
                OptionKeyOutcome::Chosen(at) => self.mark_only(at),
            },
        }
    }

    fn mark_only(&mut self, at: usize) -> AnswerFieldOutcome {
        self.list.point_at(at);
        self.marked = BTreeSet::from([at]);
        AnswerFieldOutcome::Done
    }

    fn toggle(&mut self, at: usize) -> AnswerFieldOutcome {
        if !self.marked.remove(&at) {
            self.marked.insert(at);
        }
        AnswerFieldOutcome::Changed
    }

    fn write(&mut self, question: &FormQuestion, key: KeyEvent) -> AnswerFieldOutcome {
        let Some(pad) = &mut self.text_area else { return AnswerFieldOutcome::Nothing };
        let breaks = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter if !breaks => match pad.text().trim() {
                DECLINE => AnswerFieldOutcome::Decline,
                SKIP if question.need == AnswerNeed::Optional => {
                    *self = AnswerField::for_question(question);
                    AnswerFieldOutcome::Done
                }
                text => {
                    // One answer: what was marked before is not meant any more.
                    if !self.several && !text.is_empty() {
                        self.marked.clear();
                    }
                    AnswerFieldOutcome::Done
                }
            },
            KeyCode::Enter => inserted(pad),
            KeyCode::Char('j') if key.modifiers.contains(KeyModifiers::CONTROL) => inserted(pad),
            KeyCode::Up | KeyCode::Down if self.list.len() > 0 => {
                self.list.key(key);
                AnswerFieldOutcome::Changed
            }
            _ if pad.key(key) => AnswerFieldOutcome::Changed,
            _ => AnswerFieldOutcome::Nothing,
        }
    }

    /// What the answer is; `None` when it is left out. The error is a sentence for the person.
    pub(super) fn answer(&self, question: &FormQuestion) -> Result<Option<Value>, String> {
        let text = self.text_area.as_ref().map(TextArea::text).unwrap_or_default();
        let text = text.trim();
        let marked = |at: &usize| question.read(&(at + 1).to_string());
        let answer = match &question.kind {
            AnswerKind::Text | AnswerKind::Number | AnswerKind::Integer if text.is_empty() => None,
            AnswerKind::Text | AnswerKind::Number | AnswerKind::Integer => Some(question.read(text)?),
            AnswerKind::YesNo => {
                let word = |at: &usize| question.read(if *at == 0 { "yes" } else { "no" });
                self.marked.first().map(word).transpose()?
            }
            AnswerKind::One { .. } => match self.marked.first() {
                Some(at) => Some(marked(at)?),
                None if text.is_empty() => None,
                None => Some(text.into()),
            },
            AnswerKind::Many { .. } => {
                let mut several = Vec::new();
                for at in &self.marked {
                    match marked(at)? {
                        Value::Array(one) => several.extend(one),
                        one => several.push(one),
                    }
                }
                several.extend((!text.is_empty()).then(|| Value::from(text)));
                (!several.is_empty()).then_some(Value::Array(several))
            }
        };
        match (answer, question.need) {
            (None, AnswerNeed::Required) => Err("this one has to be answered; Esc answers nothing at all".into()),
            (answer, AnswerNeed::Required | AnswerNeed::Optional) => Ok(answer),
        }
    }

    /// What is done before Enter; `None` where a choice is all there is to it.
    pub(super) fn hint(&self) -> Option<&'static str> {
        match (self.writes(), self.several) {
            (true, _) => Some("type an answer"),
            (false, true) => Some("space marks"),
            (false, false) => None,
        }
    }

    /// Draw the list and the text. Returns the cursor and the lines that hold what is chosen.
    pub(super) fn draw(&self, width: u16, line_builder: &mut LineBuilder<'_>) -> (Option<Position>, (usize, usize)) {
        let mark = |at: usize| match (self.is_marked(at), self.several) {
            (true, true) => "[x] ",
            (false, true) => "[ ] ",
            (true, false) => "✓ ",
            (false, false) => "",
        };
        let chosen = self.list.draw_with(line_builder, mark, |_| Style::new());
        let Some(pad) = self.text_area.as_ref().filter(|pad| self.writes() || !pad.is_empty()) else {
            return (None, chosen);
        };
        let above = line_builder.len();
        let picture = pad.render(GUTTER, GUTTER_ON, width, TEXT_ROWS, line_builder.theme());
        line_builder.add(picture.lines);
        if !self.writes() {
            return (None, chosen);
        }
        let (line, count) = pad.line_position();
        if count > usize::from(TEXT_ROWS) {
            let style = line_builder.theme().dim;
            line_builder.words_in(INDENT, INDENT, style, &format!("line {line} of {count}"));
        }
        let below = u16::try_from(above).unwrap_or(u16::MAX);
        let cursor = picture.cursor.map(|Position { x, y }| Position { x, y: y.saturating_add(below) });
        (cursor, (above, line_builder.len()))
    }

    fn is_marked(&self, at: usize) -> bool {
        self.marked.contains(&at) || (at == self.offers && self.text_area.as_ref().is_some_and(|pad| !pad.is_empty()))
    }
}

/// Whether what is offered is a yes and a no, in this order, whatever else may be written.
pub(super) fn is_yes_or_no(kind: &AnswerKind) -> bool {
    match kind {
        AnswerKind::YesNo => true,
        AnswerKind::One { options, .. } => match options.as_slice() {
            [yes, no] => yes.label.eq_ignore_ascii_case("yes") && no.label.eq_ignore_ascii_case("no"),
            _ => false,
        },
        AnswerKind::Text | AnswerKind::Number | AnswerKind::Integer | AnswerKind::Many { .. } => false,
    }
}

fn inserted(pad: &mut TextArea) -> AnswerFieldOutcome {
    pad.insert("\n");
    AnswerFieldOutcome::Changed
}
