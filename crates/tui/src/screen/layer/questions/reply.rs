//! The answer to one question while it is being given: marks on a list, a text, or both.

use crate::form::{DECLINE, SKIP};
use crate::question::{Need, Offer, Others, Question, Takes};
use crate::screen::layer::options::{Options, Picked};
use crate::screen::layer::pad::{Pad, Rows};
use crate::screen::layer::sheet::{GUTTER, GUTTER_ON, INDENT, Sheet};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Position;
use ratatui::style::Style;
use serde_json::Value;
use std::collections::BTreeSet;

/// How many lines of a text are on the screen at once.
const TEXT_ROWS: u16 = 6;
/// The name of the row for an answer that is not offered.
const OWN: &str = "something else:";

/// What has been marked and written so far.
#[derive(Debug)]
pub(super) struct Reply {
    list: Options,
    /// How many rows of the list are offers. One more is for the person's own words.
    offers: usize,
    marked: BTreeSet<usize>,
    several: bool,
    pad: Option<Pad>,
}

/// What a key came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pressed {
    /// The key means nothing here.
    Nothing,
    Changed,
    /// The question is answered, or left out.
    Done,
    Decline,
}

impl Reply {
    pub(super) fn to(question: &Question) -> Reply {
        let rows = if question.takes == Takes::Text { Rows::Many } else { Rows::One };
        let text = || Some(Pad::new(rows, ""));
        let listed = |offers: &[Offer], others: Others, several: bool| {
            let about = |offer: &Offer| match offer.about.as_str() {
                "" => offer.label.clone(),
                about => format!("{}: {about}", offer.label),
            };
            let own = (others == Others::Welcome).then(|| OWN.to_owned());
            let pad = own.as_ref().and_then(|_| text());
            let list = Options::new(offers.iter().map(about).chain(own));
            Reply { list, offers: offers.len(), marked: BTreeSet::new(), several, pad }
        };
        match &question.takes {
            Takes::One { offers, others } => listed(offers, *others, false),
            Takes::Many { offers, others } => listed(offers, *others, true),
            Takes::YesNo => {
                let list = Options::new(["Yes", "No"].map(str::to_owned));
                Reply { list, offers: 2, marked: BTreeSet::new(), several: false, pad: None }
            }
            Takes::Text | Takes::Number | Takes::Whole => {
                Reply { list: Options::default(), offers: 0, marked: BTreeSet::new(), several: false, pad: text() }
            }
        }
    }

    /// Whether what is typed is text.
    fn writes(&self) -> bool {
        self.pad.is_some() && (self.list.len() == 0 || self.list.at() == self.offers)
    }

    pub(super) fn takes_text(&self) -> bool {
        self.pad.is_some()
    }

    pub(super) fn written(&self) -> String {
        self.pad.as_ref().map(Pad::text).unwrap_or_default().trim().to_owned()
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(pad) = &mut self.pad {
            pad.insert(text);
            self.list.point_at(self.offers);
        }
    }

    pub(super) fn key(&mut self, question: &Question, key: KeyEvent) -> Pressed {
        if self.writes() {
            return self.write(question, key);
        }
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(' ') if self.several => self.toggle(self.list.at()),
            KeyCode::Enter if self.several => Pressed::Done,
            // Leaving a mark out again is what Backspace is for.
            KeyCode::Backspace if self.marked.remove(&self.list.at()) => Pressed::Changed,
            KeyCode::Char(ch) if plain && self.pad.is_some() && !ch.is_ascii_digit() && ch != ' ' => {
                self.list.point_at(self.offers);
                self.write(question, key)
            }
            _ => match self.list.key(key) {
                Picked::Nothing => Pressed::Nothing,
                Picked::Moved => Pressed::Changed,
                Picked::Chosen(at) if at == self.offers => Pressed::Changed,
                Picked::Chosen(at) if self.several => self.toggle(at),
                Picked::Chosen(at) => {
                    self.marked = BTreeSet::from([at]);
                    Pressed::Done
                }
            },
        }
    }

    fn toggle(&mut self, at: usize) -> Pressed {
        if !self.marked.remove(&at) {
            self.marked.insert(at);
        }
        Pressed::Changed
    }

    fn write(&mut self, question: &Question, key: KeyEvent) -> Pressed {
        let Some(pad) = &mut self.pad else { return Pressed::Nothing };
        let breaks = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT | KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter if !breaks => match pad.text().trim() {
                DECLINE => Pressed::Decline,
                SKIP if question.need == Need::Optional => {
                    *self = Reply::to(question);
                    Pressed::Done
                }
                text => {
                    // One answer: what was marked before is not meant any more.
                    if !self.several && !text.is_empty() {
                        self.marked.clear();
                    }
                    Pressed::Done
                }
            },
            KeyCode::Enter => inserted(pad),
            KeyCode::Char('j') if key.modifiers.contains(KeyModifiers::CONTROL) => inserted(pad),
            KeyCode::Up | KeyCode::Down if self.list.len() > 0 => {
                self.list.key(key);
                Pressed::Changed
            }
            _ if pad.key(key) => Pressed::Changed,
            _ => Pressed::Nothing,
        }
    }

    /// What the answer is; `None` when it is left out. The error is a sentence for the person.
    pub(super) fn answer(&self, question: &Question) -> Result<Option<Value>, String> {
        let text = self.pad.as_ref().map(Pad::text).unwrap_or_default();
        let text = text.trim();
        let marked = |at: &usize| question.read(&(at + 1).to_string());
        let answer = match &question.takes {
            Takes::Text | Takes::Number | Takes::Whole if text.is_empty() => None,
            Takes::Text | Takes::Number | Takes::Whole => Some(question.read(text)?),
            Takes::YesNo => {
                let word = |at: &usize| question.read(if *at == 0 { "yes" } else { "no" });
                self.marked.first().map(word).transpose()?
            }
            Takes::One { .. } => match self.marked.first() {
                Some(at) => Some(marked(at)?),
                None if text.is_empty() => None,
                None => Some(text.into()),
            },
            Takes::Many { .. } => {
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
            (None, Need::Required) => Err("this one has to be answered; Esc answers nothing at all".into()),
            (answer, Need::Required | Need::Optional) => Ok(answer),
        }
    }

    pub(super) fn hint(&self) -> &'static str {
        match (self.writes(), self.several) {
            (true, _) => "type an answer",
            (false, true) => "space marks",
            (false, false) => "1-9 or ↑↓",
        }
    }

    /// Draw the list and the text. Returns the cursor and the lines that hold what is chosen.
    pub(super) fn draw(&self, width: u16, sheet: &mut Sheet<'_>) -> (Option<Position>, (usize, usize)) {
        let mark = |at: usize| match (self.is_marked(at), self.several) {
            (true, true) => "[x] ",
            (false, true) => "[ ] ",
            (true, false) => "✓ ",
            (false, false) => "",
        };
        let chosen = self.list.draw_with(sheet, mark, |_| Style::new());
        let Some(pad) = self.pad.as_ref().filter(|pad| self.writes() || !pad.is_empty()) else { return (None, chosen) };
        let above = sheet.len();
        let picture = pad.picture(GUTTER, GUTTER_ON, width, TEXT_ROWS, sheet.theme());
        sheet.add(picture.lines);
        if !self.writes() {
            return (None, chosen);
        }
        let (line, count) = pad.place();
        if count > usize::from(TEXT_ROWS) {
            let style = sheet.theme().dim;
            sheet.words_in(INDENT, INDENT, style, &format!("line {line} of {count}"));
        }
        let below = u16::try_from(above).unwrap_or(u16::MAX);
        let cursor = picture.cursor.map(|Position { x, y }| Position { x, y: y.saturating_add(below) });
        (cursor, (above, sheet.len()))
    }

    fn is_marked(&self, at: usize) -> bool {
        self.marked.contains(&at) || (at == self.offers && self.pad.as_ref().is_some_and(|pad| !pad.is_empty()))
    }
}

fn inserted(pad: &mut Pad) -> Pressed {
    pad.insert("\n");
    Pressed::Changed
}
