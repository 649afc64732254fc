//! Everything the screen knows, and what keys and entries do to it. Pure: what it wants done comes out as errands.

mod act;
mod changes;
mod draw;
mod errand;
mod follow;
mod keys;
mod sent;
mod submit;

pub(crate) use draw::SPIN_MS;
pub(crate) use errand::Errand;

use super::chronicle::{Chronicle, Tone};
use super::composer::{Composer, Vim};
use super::input::Focus;
use super::keymap::{Action, Keymap};
use super::layer::Layer;
use super::layer::confirm::Running;
use super::layer::page::{NamedList, Pager};
use super::theme::{Rgb, ThemeSelection};
use super::words::with_own;
use crate::mine::Mine;
use crate::prices::Prices;
use crate::sanitize::one_line;
use crate::tally::{Tally, TurnTally};
use crate::typed_command::TypedCommands;
use crate::view::View;
use act::KeyHint;
use changes::Changes;
use crossterm::event::KeyEvent;
use keys::Held;
use pollux_session::{By, CallId, CommandInfo, Details, Edit, Level, Notice, PromptId, Seq, SessionId};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// What an app begins with.
pub(crate) struct Beginning {
    pub(crate) me: By,
    pub(crate) session: SessionId,
    pub(crate) greeting: Vec<String>,
    pub(crate) themes: ThemeSelection,
    pub(crate) keymap: Keymap,
    pub(crate) history: Vec<String>,
    pub(crate) vim: Vim,
    pub(crate) prices: Option<Prices>,
    pub(crate) notices: Level,
    /// Where the session's work is done.
    pub(crate) running: Running,
}

/// What the process around the screen says of itself from time to time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Around {
    pub(crate) branch: Option<String>,
    pub(crate) window: Option<u64>,
    pub(crate) port: Option<u16>,
    pub(crate) clients: usize,
    /// What is wrong with the connection to the session.
    pub(crate) trouble: Option<String>,
    /// How many commands are on their way to it.
    pub(crate) sending: usize,
}

/// The screen's state.
pub(crate) struct App {
    session: SessionId,
    view: View,
    chronicle: Chronicle,
    composer: Composer,
    keymap: Arc<Keymap>,
    /// What stands above the composer, the newest last.
    layers: Vec<Box<dyn Layer>>,
    /// The asks that are open.
    ask: Option<Box<dyn Layer>>,
    /// Whether the person goes on typing while asks are open.
    ask_is_aside: bool,
    themes: ThemeSelection,
    vim: Vim,
    running: Running,
    notices: Level,
    turn_tally: TurnTally,
    tally: Tally,
    /// Tokens of the newest model call: what the next one will be told at least.
    told: u64,
    mine: Mine,
    cursor: Seq,
    /// How wide the newest frame was.
    width: u16,
    focus: Focus,
    around: Around,
    /// How far the entries are taken that were there before this seat, and how many they are.
    catching_up: Option<(Seq, Seq)>,
    todos: Option<Value>,
    todos_shown: bool,
    /// What calls have changed, in order.
    changes: Changes,
    /// The newest `/clear` that was typed here.
    clearing: Option<PromptId>,
    typed_commands: TypedCommands,
    /// The newest Ctrl+C or Esc that did nothing yet: a second one does.
    hinted: Option<KeyHint>,
    commands: Vec<CommandInfo>,
    /// An Enter that waits for the list of commands, and what came after it.
    held: VecDeque<Held>,
    errands: VecDeque<Errand>,
}

impl App {
    pub(crate) fn new(beginning: Beginning) -> App {
        let keymap = Arc::new(beginning.keymap);
        let mut composer = Composer::new(keymap.clone(), beginning.history);
        composer.set_vim(beginning.vim);
        let mut chronicle = Chronicle::new();
        chronicle.greet(beginning.greeting);
        App {
            session: beginning.session,
            view: View::new(beginning.me),
            chronicle,
            composer,
            keymap,
            layers: Vec::new(),
            ask: None,
            ask_is_aside: false,
            themes: beginning.themes,
            vim: beginning.vim,
            notices: beginning.notices,
            running: beginning.running,
            turn_tally: TurnTally::new(beginning.prices.clone()),
            tally: Tally::new(beginning.prices),
            told: 0,
            mine: Mine::default(),
            cursor: Seq::START,
            width: 80,
            focus: Focus::Gained,
            around: Around::default(),
            catching_up: None,
            todos: None,
            todos_shown: true,
            changes: Changes::default(),
            clearing: None,
            typed_commands: TypedCommands::default(),
            hinted: None,
            commands: Vec::new(),
            held: VecDeque::new(),
            errands: VecDeque::new(),
        }
    }

    /// What a key is bound to.
    pub(crate) fn action(&self, key: &KeyEvent) -> Option<Action> {
        self.keymap.action(key)
    }

    /// So much of what the session held is taken, and so much there is; `None` when all of it is.
    pub(crate) fn catches_up(&mut self, how_far: Option<(Seq, Seq)>) {
        self.catching_up = how_far;
    }

    /// The seat was taken when `head` was the newest entry.
    pub(crate) fn join(&mut self, head: Seq) {
        self.mine = Mine::since(head);
    }

    /// The newest entry there is on the screen.
    pub(crate) fn cursor(&self) -> Seq {
        self.cursor
    }

    /// Whether something moves by itself: a spinner, a countdown.
    pub(crate) fn is_moving(&self) -> bool {
        self.view.state.turn.is_some() || self.view.state.compact_wanted.is_some()
    }

    /// The next thing to be done.
    pub(crate) fn errand(&mut self) -> Option<Errand> {
        self.errands.pop_front()
    }

    /// What the process around says now.
    pub(crate) fn look_around(&mut self, around: Around) {
        if around.trouble.is_none() && self.around.trouble.is_some() {
            self.chronicle.say(Tone::Good, "connected again; nothing was missed".into());
        }
        self.around = around;
    }

    /// The person looks here, or elsewhere.
    pub(crate) fn focus(&mut self, focus: Focus) {
        self.focus = focus;
    }

    /// Something that is in no log.
    pub(crate) fn notice(&mut self, notice: &Notice) {
        if notice.level >= self.notices {
            self.chronicle.notice(notice);
        }
    }

    /// Say something in the transcript.
    pub(crate) fn say(&mut self, tone: Tone, text: impl Into<String>) {
        self.chronicle.say(tone, text.into());
    }

    /// Put a layer above everything else.
    pub(crate) fn open(&mut self, layer: Box<dyn Layer>) {
        self.layers.push(layer);
    }

    /// Whether something stands above the composer that has to be dealt with first.
    pub(crate) fn is_covered(&self) -> bool {
        !self.layers.is_empty()
    }

    /// Show what the screen and the agent can do, and what the keys do.
    pub(crate) fn open_help(&mut self, commands: Vec<CommandInfo>) {
        let command = |command: CommandInfo| {
            let subs: Vec<&str> = command.subcommands.iter().map(|sub| sub.name.as_str()).collect();
            let subs = if subs.is_empty() { String::new() } else { format!(" ({})", subs.join(", ")) };
            (format!("/{}", command.name), format!("{}{subs}", command.description))
        };
        let list = |name: &str, rows| NamedList { name: name.to_owned(), rows };
        let keys = self.keymap.listing().into_iter().map(|(keys, what)| (keys, what.to_owned()));
        let names = Keymap::names().map(|(name, what)| (name.to_owned(), what.to_owned()));
        let lists = vec![
            list("Commands", with_own(commands).into_iter().map(command).collect()),
            list("Keys", keys.collect()),
            list("Names for keybindings.json", names.collect()),
        ];
        self.open(Box::new(Pager::of_lists("commands and keys", lists)));
    }

    /// Put text into the composer.
    pub(crate) fn compose(&mut self, text: String) {
        self.composer.set_text(text);
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

    /// What `new` changes of the content that a call asks about; nothing when it is the same.
    pub(crate) fn edit_to(&self, call: CallId, new: String) -> Option<Edit> {
        let asked = match self.view.call(call).and_then(|call| call.ask.as_ref()).map(|ask| &ask.details) {
            Some(Details::Edit(change)) => Some(change.new.as_str()),
            Some(Details::Execute { .. } | Details::Generic { .. } | Details::Mcp { .. }) | None => None,
        };
        (asked != Some(new.as_str())).then_some(Edit::Content { new })
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
    pub(crate) fn prefer(&mut self) {
        self.errands.push_back(Errand::Prefer);
    }

    /// The name of the theme that was chosen, and how the composer is used.
    pub(crate) fn preferences(&self) -> (&'static str, bool) {
        (self.themes.choice(), self.vim == Vim::On)
    }

    fn workspace(&self) -> String {
        self.view.state.opened.as_ref().map(|opened| opened.workspace.clone()).unwrap_or_default()
    }

    /// The model that answers, by the name a person would use.
    pub(crate) fn model(&self) -> String {
        one_line(self.view.model(), 80)
    }
}

#[cfg(test)]
mod tests;
