//! Everything the screen knows, and what keys and entries do to it. Pure: what it wants done comes out as errands.

mod actions;
mod draw;
mod effect;
mod entries;
mod file_changes;
mod keys;
mod receipts;
mod submit;
mod unanswered_prompt;

pub(crate) use draw::SPIN_MS;
pub(crate) use effect::{AppEffect, HelpSection};

use super::composer::{Composer, VimSetting};
use super::environment::BackgroundCommandRow;
use super::input::TerminalFocus;
use super::keymap::{KeyAction, Keymap};
use super::overlay::Overlay;
use super::overlay::confirm_dialog::SessionLocation;
use super::overlay::pager::{NamedList, Pager};
use super::screen_command::with_screen_commands;
use super::theme::{Rgb, ThemeSelection};
use super::transcript_view::TranscriptView;
use crate::own_entries::OwnEntries;
use crate::sanitize::one_line;
use crate::screen::settings::NotificationMethod;
use crate::typed_command::TypedCommands;
use actions::KeyHint;
use crossterm::event::KeyEvent;
use file_changes::FileChanges;
use keys::HeldInput;
use pollux_session::{
    AnswerEdit, ApprovalMode, AskDetails, CallId, CommandInfo, EditedFile, EntryAuthor, NoteTone, Notice, NoticeLevel,
    PriceLookup, PromptId, Seq, SessionId, SessionView,
};
use std::collections::VecDeque;
use std::sync::Arc;
use unanswered_prompt::UnansweredPrompt;

/// What an app begins with.
pub(crate) struct AppSettings {
    pub(crate) me: EntryAuthor,
    pub(crate) session: SessionId,
    pub(crate) greeting: Vec<String>,
    pub(crate) themes: ThemeSelection,
    pub(crate) keymap: Keymap,
    pub(crate) history: Vec<String>,
    pub(crate) vim: VimSetting,
    pub(crate) prices: Option<PriceLookup>,
    pub(crate) notices: NoticeLevel,
    pub(crate) notifications: Option<NotificationMethod>,
    /// Where the session's work is done.
    pub(crate) session_location: SessionLocation,
}

/// What the process around the screen says of itself from time to time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProcessStatus {
    pub(crate) branch: Option<String>,
    pub(crate) context_window: Option<u64>,
    pub(crate) port: Option<u16>,
    pub(crate) clients: usize,
    /// What is wrong with the connection to the session.
    pub(crate) connection_problem: Option<String>,
    /// How many commands are on their way to it.
    pub(crate) pending_commands: usize,
    /// What runs in the background, where that is known.
    pub(crate) background: Option<Vec<BackgroundCommandRow>>,
    /// Whether the person trusts the folder, where that is known.
    pub(crate) is_folder_trusted: Option<bool>,
}

/// The screen's state.
pub(crate) struct App {
    session: SessionId,
    view: SessionView,
    transcript: TranscriptView,
    composer: Composer,
    keymap: Arc<Keymap>,
    /// What stands above the composer, the newest last.
    overlays: Vec<Box<dyn Overlay>>,
    /// The asks that are open.
    ask_dialog: Option<Box<dyn Overlay>>,
    /// Whether the person goes on typing while asks are open.
    is_ask_aside: bool,
    themes: ThemeSelection,
    vim: VimSetting,
    session_location: SessionLocation,
    notices: NoticeLevel,
    notifications: Option<NotificationMethod>,
    own_entries: OwnEntries,
    cursor: Seq,
    /// How wide the newest frame was.
    width: u16,
    focus: TerminalFocus,
    process_status: ProcessStatus,
    /// How far the entries are taken that were there before this seat, and how many they are.
    catching_up: Option<(Seq, Seq)>,
    todos_shown: bool,
    /// What Ctrl+Y goes back to.
    mode_before_yolo: Option<ApprovalMode>,
    /// The mode that was sent and is not in the log yet: Shift+Tab goes on from it.
    sent_mode: Option<ApprovalMode>,
    /// What calls have changed, in order.
    changes: FileChanges,
    /// The newest `/clear` that was typed here.
    clear_prompt: Option<PromptId>,
    /// What comes into the composer once the conversation has gone back to before it. Whoever declines gets nothing.
    rewound_text: Option<String>,
    typed_commands: TypedCommands,
    unanswered_prompt: UnansweredPrompt,
    /// The newest Ctrl+C or Esc that did nothing yet: a second one does.
    key_hint: Option<KeyHint>,
    commands: Vec<CommandInfo>,
    /// An Enter that waits for the list of commands, and what came after it.
    held_input: VecDeque<HeldInput>,
    effects: VecDeque<AppEffect>,
}

impl App {
    pub(crate) fn new(beginning: AppSettings) -> App {
        let keymap = Arc::new(beginning.keymap);
        let mut composer = Composer::new(keymap.clone(), beginning.history);
        composer.set_vim(beginning.vim);
        let mut transcript = TranscriptView::new();
        transcript.greet(beginning.greeting);
        App {
            session: beginning.session,
            view: SessionView::new(beginning.me).with_prices(beginning.prices),
            transcript,
            composer,
            keymap,
            overlays: Vec::new(),
            ask_dialog: None,
            is_ask_aside: false,
            themes: beginning.themes,
            vim: beginning.vim,
            notices: beginning.notices,
            notifications: beginning.notifications,
            session_location: beginning.session_location,
            own_entries: OwnEntries::default(),
            cursor: Seq::START,
            width: 80,
            focus: TerminalFocus::Gained,
            process_status: ProcessStatus::default(),
            catching_up: None,
            todos_shown: true,
            mode_before_yolo: None,
            sent_mode: None,
            changes: FileChanges::default(),
            clear_prompt: None,
            rewound_text: None,
            typed_commands: TypedCommands::default(),
            unanswered_prompt: UnansweredPrompt::default(),
            key_hint: None,
            commands: Vec::new(),
            held_input: VecDeque::new(),
            effects: VecDeque::new(),
        }
    }

    /// What a key is bound to.
    pub(crate) fn action(&self, key: &KeyEvent) -> Option<KeyAction> {
        self.keymap.action(key)
    }

    /// So much of what the session held is taken, and so much there is; `None` when all of it is.
    pub(crate) fn set_catch_up(&mut self, how_far: Option<(Seq, Seq)>) {
        self.catching_up = how_far;
    }

    /// The seat was taken when `head` was the newest entry.
    pub(crate) fn join(&mut self, head: Seq) {
        self.own_entries = OwnEntries::joined_at(head);
    }

    /// The newest entry there is on the screen.
    pub(crate) fn cursor(&self) -> Seq {
        self.cursor
    }

    /// Whether something moves by itself: a spinner, a countdown.
    pub(crate) fn is_moving(&self) -> bool {
        self.view.state().turn.is_some() || self.view.state().compact_wanted.is_some()
    }

    /// The next thing to be done.
    pub(crate) fn next_effect(&mut self) -> Option<AppEffect> {
        self.effects.pop_front()
    }

    /// What the process around says now.
    pub(crate) fn set_process_status(&mut self, around: ProcessStatus) {
        if around.connection_problem.is_none() && self.process_status.connection_problem.is_some() {
            self.transcript.say(NoteTone::Good, "connected again; nothing was missed".into());
        }
        self.process_status = around;
    }

    /// Call the person in another way than was set.
    #[cfg(test)]
    pub(crate) fn set_notifications(&mut self, method: Option<NotificationMethod>) {
        self.notifications = method;
    }

    /// The person looks here, or elsewhere.
    pub(crate) fn focus(&mut self, focus: TerminalFocus) {
        self.focus = focus;
    }

    /// Something that is in no log.
    pub(crate) fn notice(&mut self, notice: &Notice) {
        if notice.level >= self.notices {
            self.transcript.notice(notice);
        }
    }

    /// Say something in the transcript.
    pub(crate) fn say(&mut self, tone: NoteTone, text: impl Into<String>) {
        self.transcript.say(tone, text.into());
    }

    /// Put a layer above everything else.
    pub(crate) fn open(&mut self, layer: Box<dyn Overlay>) {
        self.overlays.push(layer);
    }

    /// Whether something stands above the composer that has to be dealt with first.
    pub(crate) fn is_covered(&self) -> bool {
        !self.overlays.is_empty()
    }

    /// Show what the screen and the agent can do, and what the keys do.
    pub(crate) fn open_help(&mut self, commands: Vec<CommandInfo>, first: HelpSection) {
        let command = |command: CommandInfo| (format!("/{}", command.name), command.summary());
        let list = |name: &str, rows| NamedList { name: name.to_owned(), rows };
        let keys = self.keymap.listing().into_iter().map(|(keys, what)| (keys, what.to_owned()));
        let names = Keymap::names().map(|(name, what)| (name.to_owned(), what.to_owned()));
        let mut lists = vec![
            list("Commands", with_screen_commands(commands).into_iter().map(command).collect()),
            list("Keys", keys.collect()),
            list("Names for keybindings.json", names.collect()),
        ];
        if first == HelpSection::Keys {
            lists.rotate_left(1);
        }
        self.open(Box::new(Pager::of_lists("commands and keys", lists)));
    }

    /// Put text into the composer.
    pub(crate) fn compose(&mut self, text: String) {
        self.composer.set_text(text);
    }

    /// Put text into the composer when the conversation has gone back.
    pub(crate) fn compose_after_rewind(&mut self, text: String) {
        self.rewound_text = Some(text);
    }

    /// Put a line back that was not sent, unless something else is being written by now.
    pub(crate) fn compose_unsent(&mut self, line: String) {
        if self.composer.is_empty() {
            self.composer.set_text(line);
        }
    }

    /// What stands in the composer.
    pub(crate) fn draft(&self) -> String {
        self.composer.text()
    }

    /// What `new` changes of the content that a call asks about, at `path` if there are several files, beside what the person
    /// has made of the others; nothing when all is the same.
    pub(crate) fn content_edit(
        &self,
        call: CallId,
        path: Option<String>,
        others: Vec<EditedFile>,
        new: String,
    ) -> Option<AnswerEdit> {
        let ask = self.view.call(call).and_then(|call| call.ask.as_ref());
        let asked = match ask.map(|ask| &ask.details) {
            Some(AskDetails::Edit(change)) => Some(change.new.as_str()),
            Some(AskDetails::Patch { files }) => {
                let file = files.iter().find(|file| Some(&file.diff.path) == path.as_ref());
                file.map(|file| file.diff.new.as_str())
            }
            Some(AskDetails::Execute { .. } | AskDetails::Generic { .. } | AskDetails::Mcp { .. }) | None => None,
        };
        let is_changed = asked != Some(new.as_str());
        let Some(path) = path else { return is_changed.then_some(AnswerEdit::Content { new }) };
        let mut files = others;
        files.extend(is_changed.then_some(EditedFile { path, new }));
        (!files.is_empty()).then_some(AnswerEdit::Files { files })
    }

    /// Use another theme; `false` when there is none of that name.
    pub(crate) fn use_theme(&mut self, name: &str) -> bool {
        self.themes.choose(name)
    }

    /// The terminal has said what its background is. What is drawn already stays as it is.
    pub(crate) fn take_background(&mut self, background: Rgb) {
        self.themes.take_background(background);
    }

    /// The theme was chosen to stay.
    pub(crate) fn save_preferences(&mut self) {
        self.effects.push_back(AppEffect::SavePreferences);
    }

    /// The name of the theme that was chosen, and how the composer is used.
    pub(crate) fn preferences(&self) -> (&'static str, bool) {
        (self.themes.choice(), self.vim == VimSetting::On)
    }

    pub(crate) fn workspace(&self) -> String {
        self.view.state().opened.as_ref().map(|opened| opened.workspace.clone()).unwrap_or_default()
    }

    /// The model that answers, by the name a person would use.
    pub(crate) fn model(&self) -> String {
        one_line(self.view.model(), 80)
    }

    pub(crate) fn mode(&self) -> ApprovalMode {
        self.view.state().mode
    }
}

#[cfg(test)]
mod tests;
