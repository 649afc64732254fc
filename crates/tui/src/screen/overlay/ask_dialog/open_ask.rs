//! One open ask: its options, or its questions, and the change a person makes before they allow it.

use super::RenderMarkdown;
use super::content_drafts::ContentDrafts;
use super::content_editor::draw_editor;
use super::details::{draw_details, draw_preface};
use super::instead_field::{InsteadField, InsteadOutcome};
use crate::sanitize::one_line;
use crate::screen::overlay::ask_form::{AskForm, AskFormOutcome};
use crate::screen::overlay::line_builder::LineBuilder;
use crate::screen::overlay::line_cache::LineCache;
use crate::screen::overlay::option_list::{OptionDecision, OptionKeyOutcome, OptionList};
use crate::screen::overlay::scroll::ScrollState;
use crate::screen::overlay::unmodified_key;
use crate::screen::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use pollux_session::{
    AnswerEdit, Ask, AskOption, CallId, CallState, EditedFile, Grant, GrantScope, SessionView, ask_heading,
    choice_label,
};
use ratatui::layout::Position;
use ratatui::text::Line;
use serde_json::Value;
use std::sync::Arc;

/// What is said instead of allowing what has not been on the screen to its end.
const UNREAD: &str = "that was not all of it: this is the end. Choose again to allow it";

/// The same where it was about to be edited: whoever saves it allows the rest of it, too.
const UNREAD_EDIT: &str = "that was not all of it: this is the end. Press the key again to edit it";

/// A change that is saved in a person's own editor is their answer, so the hint says it before.
const SAVING_ALLOWS: &str = " (saving allows)";

/// An ask and what the person has done with it so far.
#[derive(Debug)]
pub(super) struct OpenAsk {
    pub(super) call: CallId,
    pub(super) heading: String,
    args: Value,
    ask: Ask,
    options: OptionList,
    form: Option<AskForm>,
    drafts: ContentDrafts,
    instead: InsteadField,
    focus: AskFocus,
    /// Whether the person wanted the call, with a command such as `/restore`: nobody is there to be told what to do instead.
    is_of_own_command: bool,
    body: LineCache,
    pub(super) scroll: ScrollState,
}

/// What the keys go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskFocus {
    Choosing,
    /// Which file to change is chosen.
    Picking(EditorChoice),
    /// The file's new content is being changed.
    Writing,
    /// The person writes what the model should do instead.
    Instead,
}

/// Where a person changes the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EditorChoice {
    Here,
    /// In their own editor.
    Elsewhere,
}

/// What a key came to.
#[derive(Debug)]
pub(super) enum AskKeyOutcome {
    Nothing,
    /// A letter that means nothing here: the person is writing something else.
    Stray,
    /// Nothing happened, and this is why.
    Say(String),
    Answer {
        option: String,
        edit: Option<AnswerEdit>,
    },
    /// Decline this ask, with this option, and every other one that is open.
    DeclineAll(String),
    /// The same, and tell the model what to do instead.
    Instead {
        /// The option that declines this ask.
        option: String,
        text: String,
    },
    /// The person wants their own editor for this content.
    Editor {
        option: String,
        /// The file's name.
        name: String,
        /// Its path, where the answer has to say which file it means.
        path: Option<String>,
        content: String,
        /// The other files that they have changed.
        others: Vec<EditedFile>,
    },
}

/// An ask as lines.
pub(super) struct RenderedAsk {
    pub(super) body: Arc<Vec<Line<'static>>>,
    pub(super) cursor: Option<Position>,
    pub(super) chosen: (usize, usize),
}

impl OpenAsk {
    pub(super) fn from_call(view: &SessionView, call: &CallState) -> Option<OpenAsk> {
        let (ask, turn) = (call.ask.clone()?, view.state().turn.as_ref());
        Some(OpenAsk {
            call: call.id,
            heading: ask_heading(view.state(), call.id),
            args: call.args.clone(),
            options: OptionList::new(ask.options.iter().map(choice_label)),
            form: AskForm::from_ask(&ask),
            drafts: ContentDrafts::from_ask(&ask),
            instead: InsteadField::default(),
            focus: AskFocus::Choosing,
            is_of_own_command: turn.is_some_and(|turn| turn.is_beside_model() && turn.prompted_by == *view.reader()),
            body: LineCache::default(),
            scroll: ScrollState::default(),
            ask,
        })
    }

    /// Whether both show the same of the same call.
    pub(super) fn is_same(&self, other: &OpenAsk) -> bool {
        self.call == other.call && self.ask == other.ask
    }

    /// The label of an option.
    pub(super) fn label(&self, option: &str) -> String {
        let choice = self.ask.options.iter().find(|choice| choice.id == option);
        choice.map_or_else(|| one_line(option, usize::MAX), choice_label)
    }

    /// Whether Tab and the arrows to the side have no other meaning.
    pub(super) fn is_plain(&self) -> bool {
        self.form.is_none() && !self.writes_text()
    }

    /// Whether the keys go to a field for text.
    pub(super) fn writes_text(&self) -> bool {
        matches!(self.focus, AskFocus::Writing | AskFocus::Instead)
            || self.form.as_ref().is_some_and(AskForm::writes_text)
    }

    /// Whether pasted text has a place to go to.
    pub(super) fn takes_pasted(&self) -> bool {
        matches!(self.focus, AskFocus::Writing | AskFocus::Instead)
            || self.form.as_ref().is_some_and(AskForm::takes_pasted)
    }

    pub(super) fn paste(&mut self, text: &str) {
        match (self.drafts.draft_mut(), &mut self.form) {
            _ if self.focus == AskFocus::Instead => self.instead.insert(text),
            (Some(draft), _) if self.focus == AskFocus::Writing => draft.insert(text),
            (_, Some(inquiry)) => inquiry.paste(text),
            (_, None) => {}
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> AskKeyOutcome {
        match self.focus {
            AskFocus::Writing => return self.write(key),
            AskFocus::Picking(place) => return self.pick(key, place),
            AskFocus::Instead => return self.write_instead(key),
            AskFocus::Choosing => {}
        }
        if key.code == KeyCode::Esc {
            return self.decline_all();
        }
        if let Some(inquiry) = &mut self.form {
            // What is not on the screen is brought there instead of being chosen.
            let chooses = match key.code {
                KeyCode::Enter | KeyCode::Char('1'..='9') => true,
                KeyCode::Char('y' | 'Y' | 'n' | 'N') => inquiry.takes_yes_or_no(),
                _ => false,
            };
            if !self.scroll.shows_choice() && chooses {
                self.scroll.seek();
                return AskKeyOutcome::Nothing;
            }
            return match inquiry.key(key) {
                AskFormOutcome::Nothing if matches!(unmodified_key(key), KeyCode::Char(_)) => AskKeyOutcome::Stray,
                AskFormOutcome::Nothing => self.scrolled(key),
                AskFormOutcome::Changed => {
                    self.scroll.seek();
                    AskKeyOutcome::Nothing
                }
                AskFormOutcome::Say(sentence) => AskKeyOutcome::Say(sentence),
                AskFormOutcome::Decline => self.decline(),
                AskFormOutcome::Send { .. } if self.scroll.show_unread_end() => AskKeyOutcome::Say(UNREAD.to_owned()),
                AskFormOutcome::Send { option, answers } => {
                    AskKeyOutcome::Answer { option, edit: answers.map(|answers| AnswerEdit::Answers { answers }) }
                }
            };
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match unmodified_key(key) {
            KeyCode::Char('e') => self.begin_edit(EditorChoice::Here),
            KeyCode::Char('E') => self.begin_edit(EditorChoice::Elsewhere),
            _ if control && key.code == KeyCode::Char('g') => self.begin_edit(EditorChoice::Elsewhere),
            KeyCode::Tab if self.takes_instead() => {
                self.focus = AskFocus::Instead;
                self.scroll.seek();
                AskKeyOutcome::Nothing
            }
            KeyCode::Char(letter @ ('y' | 'Y' | 'n' | 'N')) if self.is_yes_or_no() => {
                let at = self.ask.options.iter().position(|option| option.allows == matches!(letter, 'y' | 'Y'));
                let digit = if at == Some(0) { '1' } else { '2' };
                self.choose(KeyCode::Char(digit).into())
            }
            _ => self.choose(key),
        }
    }

    /// Whether words for the model may go with a no.
    fn takes_instead(&self) -> bool {
        self.declining().is_some() && !self.is_of_own_command
    }

    /// Whether `y` and `n` answer it: it only asks whether what the person has wanted is to be done. What the model or somebody
    /// else wants is never allowed by a letter, with which a sentence may begin.
    fn is_yes_or_no(&self) -> bool {
        let [first, second] = &self.ask.options[..] else { return false };
        self.is_of_own_command && first.allows != second.allows
    }

    fn choose(&mut self, key: KeyEvent) -> AskKeyOutcome {
        // What lasts beyond this session is not chosen by a slip of a finger.
        let lasts = |at: usize| {
            self.ask.options.get(at).is_some_and(|option| option.allows && option.reach != GrantScope::Session)
        };
        match self.options.decide(key, &self.scroll, lasts) {
            OptionDecision::Nothing => AskKeyOutcome::Nothing,
            OptionDecision::NeedsEnter => AskKeyOutcome::Say("Enter chooses it".to_owned()),
            OptionDecision::Stray => AskKeyOutcome::Stray,
            OptionDecision::Chosen(at) => match self.ask.options.get(at) {
                Some(option) if option.allows && self.scroll.show_unread_end() => AskKeyOutcome::Say(UNREAD.to_owned()),
                Some(option) => AskKeyOutcome::Answer { option: option.id.clone(), edit: None },
                None => AskKeyOutcome::Nothing,
            },
        }
    }

    fn scrolled(&self, key: KeyEvent) -> AskKeyOutcome {
        self.scroll.key(key.code);
        AskKeyOutcome::Nothing
    }

    /// A key while what is asked cannot be read: it may decline, and nothing else.
    pub(super) fn key_while_unreadable(&mut self, key: KeyEvent) -> AskKeyOutcome {
        let named = match unmodified_key(key) {
            KeyCode::Esc => return self.decline_all(),
            KeyCode::Char(digit @ '1'..='9') if self.form.is_none() => digit.to_digit(10),
            _ => None,
        };
        let at = named.and_then(|number| usize::try_from(number).ok()).map(|number| number - 1);
        match at.and_then(|at| self.ask.options.get(at)).filter(|option| !option.allows) {
            Some(option) => AskKeyOutcome::Answer { option: option.id.clone(), edit: None },
            None => AskKeyOutcome::Nothing,
        }
    }

    /// The option that declines, if there is one.
    pub(super) fn declining(&self) -> Option<&AskOption> {
        self.ask.options.iter().find(|option| !option.allows)
    }

    fn decline(&self) -> AskKeyOutcome {
        let answer = |option: &AskOption| AskKeyOutcome::Answer { option: option.id.clone(), edit: None };
        self.declining().map_or_else(cannot_decline, answer)
    }

    fn decline_all(&self) -> AskKeyOutcome {
        self.declining().map_or_else(cannot_decline, |option| AskKeyOutcome::DeclineAll(option.id.clone()))
    }

    /// The option that goes with a change of what is asked: the one that allows this call and nothing else. There is none where
    /// nothing can be edited.
    fn editing_option(&self) -> Option<&AskOption> {
        let once = self.ask.options.iter().find(|option| option.allows && option.grant.is_none());
        once.filter(|_| self.drafts.len() > 0)
    }

    fn begin_edit(&mut self, place: EditorChoice) -> AskKeyOutcome {
        if self.editing_option().is_none() {
            return not_editable();
        }
        if self.scroll.show_unread_end() {
            return AskKeyOutcome::Say(UNREAD_EDIT.to_owned());
        }
        if self.drafts.len() > 1 {
            self.focus = AskFocus::Picking(place);
            return AskKeyOutcome::Nothing;
        }
        self.edit(place)
    }

    fn pick(&mut self, key: KeyEvent, place: EditorChoice) -> AskKeyOutcome {
        if key.code == KeyCode::Esc {
            self.focus = AskFocus::Choosing;
            return AskKeyOutcome::Nothing;
        }
        match self.drafts.picker.key(key) {
            OptionKeyOutcome::Chosen(at) => {
                self.focus = AskFocus::Choosing;
                self.drafts.pick(at);
                self.edit(place)
            }
            OptionKeyOutcome::Moved => AskKeyOutcome::Nothing,
            OptionKeyOutcome::Nothing => self.scrolled(key),
        }
    }

    fn edit(&mut self, place: EditorChoice) -> AskKeyOutcome {
        match place {
            EditorChoice::Elsewhere => self.edit_elsewhere(),
            EditorChoice::Here => {
                self.drafts.open_draft();
                self.focus = AskFocus::Writing;
                AskKeyOutcome::Nothing
            }
        }
    }

    fn edit_elsewhere(&mut self) -> AskKeyOutcome {
        let (Some(change), Some(once)) = (self.drafts.change(), self.editing_option()) else { return not_editable() };
        AskKeyOutcome::Editor {
            option: once.id.clone(),
            name: change.name.clone(),
            path: self.drafts.path(),
            content: self.drafts.text(),
            others: self.drafts.others(),
        }
    }

    fn write(&mut self, key: KeyEvent) -> AskKeyOutcome {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => {
                self.focus = AskFocus::Choosing;
                AskKeyOutcome::Say("back; nothing is decided, and e goes on where you were".into())
            }
            KeyCode::Char('g') if control => self.edit_elsewhere(),
            KeyCode::Char('s') if control => match self.editing_option() {
                Some(once) => {
                    // Text that is as it was asked for is a plain yes.
                    let (option, edit) = (once.id.clone(), self.drafts.edit());
                    self.focus = AskFocus::Choosing;
                    AskKeyOutcome::Answer { option, edit }
                }
                None => not_editable(),
            },
            _ => {
                if let Some(draft) = self.drafts.draft_mut() {
                    draft.key(key);
                }
                AskKeyOutcome::Nothing
            }
        }
    }

    fn write_instead(&mut self, key: KeyEvent) -> AskKeyOutcome {
        self.scroll.seek();
        match self.instead.key(key) {
            InsteadOutcome::Stay => AskKeyOutcome::Nothing,
            InsteadOutcome::Back => {
                self.focus = AskFocus::Choosing;
                AskKeyOutcome::Say("back; nothing is decided, and Tab goes on where you were".into())
            }
            InsteadOutcome::Empty => AskKeyOutcome::Say("say what to do instead, then press Enter".into()),
            InsteadOutcome::Send(text) => match self.declining() {
                Some(option) => AskKeyOutcome::Instead { option: option.id.clone(), text },
                None => cannot_decline(),
            },
        }
    }

    /// What the person has written so far and not sent, and what it is for.
    pub(super) fn written(&self) -> Option<(String, String)> {
        let instead = self.instead.written();
        if !instead.is_empty() {
            return Some(("what to do instead".to_owned(), instead));
        }
        if self.drafts.len() > 0 {
            return self.drafts.written();
        }
        let text = self.form.as_ref().map(AskForm::written).filter(|text| !text.is_empty())?;
        Some(("an answer".to_owned(), text))
    }

    /// The keys that may be pressed: first those that answer, last those that leave.
    pub(super) fn hints(&self) -> Vec<String> {
        if self.focus == AskFocus::Writing {
            return vec![
                "Ctrl+S allows it as edited".to_owned(),
                format!("Ctrl+G your editor{SAVING_ALLOWS}"),
                "Esc back".to_owned(),
            ];
        }
        if self.focus == AskFocus::Instead {
            return InsteadField::hints();
        }
        if let AskFocus::Picking(_) = self.focus {
            return vec!["↑↓ and Enter: the file to edit".to_owned(), "Esc back".to_owned()];
        }
        let mut hints = match &self.form {
            Some(inquiry) => inquiry.hints(),
            None => {
                let digits = match self.options.len() {
                    0 | 1 => "1".to_owned(),
                    _ if self.is_yes_or_no() => "y, n".to_owned(),
                    many => format!("1-{}", many.min(9)),
                };
                vec![format!("{digits} or ↑↓ and Enter")]
            }
        };
        if self.editing_option().is_some() {
            hints.extend(["e edit".to_owned(), format!("E in your editor{SAVING_ALLOWS}")]);
        }
        if self.form.is_none() && self.takes_instead() {
            hints.push("Tab say what to do instead".to_owned());
        }
        let leave = match (&self.form, self.declining()) {
            (Some(_), _) => Some("Esc declines".to_owned()),
            (None, Some(option)) => Some(format!("Esc {}", one_line(&choice_label(option), 40))),
            (None, None) => None,
        };
        hints.extend(leave);
        hints
    }

    /// The keys that answer and that leave, in a few words.
    pub(super) fn short_keys(&self) -> String {
        match (self.focus, &self.form) {
            (AskFocus::Writing, _) => "Ctrl+S · Esc back".to_owned(),
            (AskFocus::Picking(_) | AskFocus::Instead, _) => "Enter · Esc back".to_owned(),
            (AskFocus::Choosing, Some(_)) => "Enter · Tab · Esc".to_owned(),
            (AskFocus::Choosing, None) => {
                let tab = if self.takes_instead() { " · Tab" } else { "" };
                format!("1-{} Enter{tab} · Esc", self.options.len().clamp(1, 9))
            }
        }
    }

    /// True if it offers for the session what could be offered for longer, and does not say itself why.
    pub(super) fn lacks_lasting_options(&self) -> bool {
        let could_last = |option: &&AskOption| option.grant.as_ref().is_some_and(Grant::can_last);
        let grants: Vec<GrantScope> = self.ask.options.iter().filter(could_last).map(|option| option.reach).collect();
        let is_explained = self.ask.reason.as_ref().is_some_and(|reason| reason.contains("pollux trust"));
        !grants.is_empty() && grants.iter().all(|reach| *reach == GrantScope::Session) && !is_explained
    }

    /// What stands between the heading and the hint: the body scrolls, the rest goes to `foot`. `room` is how many lines
    /// there are for all of it.
    pub(super) fn draw(
        &self,
        width: u16,
        room: usize,
        theme: &Theme,
        markdown: RenderMarkdown,
        foot: &mut LineBuilder<'_>,
    ) -> RenderedAsk {
        let editor = self.drafts.draft().filter(|_| self.focus == AskFocus::Writing);
        if let (Some(draft), Some(change)) = (editor, self.drafts.change()) {
            return draw_editor(draft, &change.name, width, room, foot);
        }
        let body = self.body.lines(width, theme, || match &self.form {
            Some(inquiry) => inquiry.preface().map_or_else(Vec::new, |text| draw_preface(text, width, theme, markdown)),
            None => draw_details(&self.ask, &self.args, width, theme),
        });
        if let Some(inquiry) = &self.form {
            let (cursor, chosen) = inquiry.draw(width, foot);
            return RenderedAsk { body, cursor, chosen };
        }
        let is_picking = matches!(self.focus, AskFocus::Picking(_));
        let chosen = if is_picking { self.drafts.picker.draw(foot) } else { self.options.draw(foot) };
        if self.focus == AskFocus::Instead {
            let (cursor, written) = self.instead.draw(width, foot);
            return RenderedAsk { body, cursor, chosen: written };
        }
        RenderedAsk { body, cursor: None, chosen }
    }
}

fn cannot_decline() -> AskKeyOutcome {
    AskKeyOutcome::Say("this cannot be declined here; Ctrl+C stops the turn".into())
}

fn not_editable() -> AskKeyOutcome {
    AskKeyOutcome::Say("only the change of a file can be edited first; choose an option".into())
}
