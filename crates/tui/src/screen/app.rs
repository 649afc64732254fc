//! Everything the screen knows, and what keys and entries do to it. Pure: what it wants done comes out as errands.

mod act;
mod changes;
mod draw;
mod errand;
mod sent;
mod submit;

pub(crate) use draw::SPIN_MS;
pub(crate) use errand::Errand;

use super::chronicle::{Chronicle, Tone};
use super::composer::{Candidates, Composer, Typed, Vim, Waiting, Wants};
use super::input::Focus;
use super::keymap::{Action, Keymap};
use super::layer::ask::AskDialog;
use super::layer::confirm::Running;
use super::layer::page::{NamedList, Pager};
use super::layer::{Deed, Layer, Step};
use super::markdown;
use super::signal::Signal;
use super::theme::{Theme, themes};
use super::todos;
use super::words::with_own;
use crate::mine::Mine;
use crate::prices::Prices;
use crate::sanitize::one_line;
use crate::tally::Tally;
use crate::view::{View, Whose};
use changes::Changes;
use crossterm::event::{KeyCode, KeyEvent};
use pollux_session::{
    By, CallId, Command, CommandInfo, Details, Display, Entry, Event, Level, Notice, PromptId, Seq, SessionId,
    TurnOutcome,
};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::time::Instant;

/// What an app begins with.
pub(crate) struct Beginning {
    pub(crate) me: By,
    pub(crate) session: SessionId,
    pub(crate) greeting: Vec<String>,
    pub(crate) theme: Theme,
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
    theme: Theme,
    vim: Vim,
    running: Running,
    notices: Level,
    prices: Option<Prices>,
    turn_tally: Tally,
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
    /// Commands the person ran with `!`, by the prompt: what they typed needs no second yes.
    own_commands: BTreeMap<PromptId, String>,
    /// Such commands that were sent and are not on the log yet.
    commands_sent: Vec<String>,
    /// The newest Ctrl+C or Esc that did nothing yet: a second one does.
    hinted: Option<(Action, Instant)>,
    commands: Vec<CommandInfo>,
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
            theme: beginning.theme,
            vim: beginning.vim,
            notices: beginning.notices,
            running: beginning.running,
            turn_tally: Tally::new(beginning.prices.clone()),
            tally: Tally::new(beginning.prices.clone()),
            prices: beginning.prices,
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
            own_commands: BTreeMap::new(),
            commands_sent: Vec::new(),
            hinted: None,
            commands: Vec::new(),
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

    /// Take one entry of the log.
    pub(crate) fn take(&mut self, entry: &Arc<Entry>) {
        let whose = self.mine.whose(&self.view.me, entry);
        self.chronicle.apply(&self.view, entry, whose);
        self.view.apply(entry, whose);
        self.tell(entry, whose);
        if matches!(entry.event, Event::TurnStarted { .. }) {
            self.turn_tally = Tally::new(self.prices.clone());
        }
        self.turn_tally.apply(entry);
        self.tally.apply(entry);
        self.cursor = entry.seq;
    }

    /// A batch of entries is in: open or close what depends on where the session stands now.
    pub(crate) fn settle(&mut self) {
        for at in (0..self.layers.len()).rev() {
            match self.layers[at].follow(&self.view) {
                Step::Close => drop(self.layers.remove(at)),
                Step::Finish(deed) => {
                    self.layers.remove(at);
                    self.errands.push_back(Errand::Do(deed));
                }
                Step::Do(deed) => self.errands.push_back(Errand::Do(deed)),
                Step::Stay => {}
            }
        }
        let over = match &mut self.ask {
            Some(ask) => matches!(ask.follow(&self.view), Step::Close | Step::Finish(_)),
            None => false,
        };
        if over {
            self.ask = None;
        }
        if self.ask.is_none() {
            let dialog = AskDialog::new(&self.view, Instant::now().into_std());
            self.ask = dialog.map(|dialog| Box::new(dialog.with_markdown(markdown::render)) as Box<dyn Layer>);
        }
        if self.ask.is_none() {
            self.ask_is_aside = false;
        }
        let waits = self.view.state.queue.iter().any(|waiting| self.view.is_mine(waiting.id));
        self.composer.set_waiting(if waits { Waiting::Prompts } else { Waiting::Nothing });
    }

    /// What an entry means for this screen besides its lines.
    fn tell(&mut self, entry: &Entry, whose: Whose) {
        match &entry.event {
            Event::StepEnded { usage, .. } => self.told = usage.prompt + usage.output + usage.thoughts,
            Event::Compacted { usage, .. } => self.told = usage.output,
            Event::Rewound { to } if *to == Seq::START => self.told = 0,
            Event::Called { tool, args, .. } if tool == todos::TOOL => self.todos = Some(args.clone()),
            Event::Asked { call, .. } if self.allow_own_command(*call) => {}
            Event::Asked { .. } => self.call_for_attention("an ask is open"),
            Event::CallEnded { outcome, .. } => {
                if let pollux_session::CallOutcome::Succeeded { result } = outcome
                    && let Some(Display::Diff(change)) = &result.display
                {
                    self.changes.add(change.clone());
                }
            }
            Event::TurnEnded { outcome } => {
                self.own_commands.clear();
                self.call_for_attention(match outcome {
                    TurnOutcome::Rested => "the turn is done",
                    TurnOutcome::Cancelled => "the turn was cancelled",
                    TurnOutcome::Failed { .. } => "the turn failed",
                });
                self.errands.push_back(Errand::LookAround);
            }
            Event::Prompted { text, .. } if whose == Whose::Typed => {
                let sent = text.strip_prefix("/shell ").and_then(|command| {
                    let at = self.commands_sent.iter().position(|sent| sent == command)?;
                    Some(self.commands_sent.remove(at))
                });
                if let Some(command) = sent {
                    self.own_commands.insert(PromptId(entry.seq), command);
                }
            }
            _ => {}
        }
    }

    /// What the person has typed after `!` is allowed by having typed it, to the letter and once.
    fn allow_own_command(&mut self, call: CallId) -> bool {
        let Some(turn) = &self.view.state.turn else { return false };
        let Some(typed) = self.own_commands.get(&turn.prompt) else { return false };
        let ask = self.view.call(call).and_then(|call| call.ask.as_ref());
        let is_it = ask.is_some_and(|ask| matches!(&ask.details, Details::Execute { command, .. } if command == typed));
        let once = ask.and_then(|ask| ask.options.iter().find(|choice| choice.allows && choice.grant.is_none()));
        let Some(option) = once.filter(|_| is_it).map(|choice| choice.id.clone()) else { return false };
        self.own_commands.remove(&turn.prompt.clone());
        self.errands.push_back(Errand::Do(Deed::Send(Command::Answer { call, option, edit: None })));
        true
    }

    /// Tell somebody who looks elsewhere. Nothing that happened before this seat was taken calls for them.
    fn call_for_attention(&mut self, what: &str) {
        if self.focus == Focus::Lost {
            let text = what.to_owned();
            self.errands.push_back(Errand::Signal(Signal::Notify { title: "Pollux".into(), text }));
            self.errands.push_back(Errand::Signal(Signal::Bell));
        }
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

    /// What the person pressed.
    pub(crate) fn key(&mut self, key: KeyEvent) {
        if let Some(layer) = self.layers.last_mut() {
            let step = layer.key(key);
            return self.step_of_layer(step);
        }
        let action = self.keymap.action(&key);
        if let Some(ask) = self.ask.as_mut().filter(|_| !self.ask_is_aside) {
            // Whoever is in the middle of a sentence goes on with it; the ask has ignored the key, and waits on.
            let typing = matches!(key.code, KeyCode::Char(_) | KeyCode::Backspace) && !self.composer.is_empty();
            if typing && ask.changes_at().is_some_and(|at| at > std::time::Instant::now()) {
                let _ = ask.key(key);
                let _ = self.composer.key(key);
                return;
            }
            if let Some(action) = action.filter(|action| action.stands_above_asks()) {
                return self.act(action);
            }
            let step = ask.key(key);
            return self.step_of_ask(step);
        }
        match self.composer.key(key) {
            Typed::Nothing => {}
            Typed::Changed => self.hinted = None,
            Typed::Submit(text) => self.submit(text),
            Typed::Act(action) => self.act(action),
        }
        self.look_up();
    }

    /// What the person pasted.
    pub(crate) fn paste(&mut self, text: String) {
        if let Some(layer) = self.layers.last_mut() {
            let step = layer.paste(&text);
            return self.step_of_layer(step);
        }
        if let Some(ask) = self.ask.as_mut().filter(|_| !self.ask_is_aside) {
            let step = ask.paste(&text);
            return self.step_of_ask(step);
        }
        self.composer.paste(text);
        self.look_up();
    }

    /// Ask for what the composer would complete with.
    fn look_up(&mut self) {
        match self.composer.wants() {
            Some(Wants::Files) => self.errands.push_back(Errand::Files),
            Some(Wants::Commands) => self.errands.push_back(Errand::Commands),
            None => {}
        }
    }

    pub(crate) fn offer_files(&mut self, files: Arc<Vec<String>>) {
        self.composer.offer(Candidates::Files(files));
    }

    pub(crate) fn offer_commands(&mut self, commands: Vec<CommandInfo>) {
        self.commands = with_own(commands);
        self.composer.offer(Candidates::Commands(self.commands.clone()));
    }

    fn step_of_layer(&mut self, step: Step) {
        match step {
            Step::Stay => {}
            Step::Close => self.close_layer(),
            Step::Do(deed) => self.errands.push_back(Errand::Do(deed)),
            Step::Finish(deed) => {
                self.close_layer();
                self.errands.push_back(Errand::Do(deed));
            }
        }
    }

    fn close_layer(&mut self) {
        self.layers.pop();
        self.show_asks_anew();
    }

    /// An ask that was behind something appears only now: keys that were meant for what stood there must not answer it.
    fn show_asks_anew(&mut self) {
        self.ask = None;
        self.settle();
    }

    fn step_of_ask(&mut self, step: Step) {
        match step {
            Step::Stay => {}
            // It stays open in the session; the person goes on typing.
            Step::Close => self.ask_is_aside = true,
            // The log closes the dialog, whoever answered.
            Step::Do(deed) | Step::Finish(deed) => self.errands.push_back(Errand::Do(deed)),
        }
    }

    /// Put a layer above everything else.
    pub(crate) fn open(&mut self, layer: Box<dyn Layer>) {
        self.layers.push(layer);
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
            list("Keys", keys.collect()),
            list("Commands", with_own(commands).into_iter().map(command).collect()),
            list("Names for keybindings.json", names.collect()),
        ];
        self.open(Box::new(Pager::of_lists("keys and commands", lists)));
    }

    /// Put text into the composer.
    pub(crate) fn compose(&mut self, text: String) {
        self.composer.set_text(text);
    }

    /// What stands in the composer.
    pub(crate) fn draft(&self) -> String {
        self.composer.text()
    }

    /// Use another theme; `false` when there is none of that name.
    pub(crate) fn use_theme(&mut self, name: &str) -> bool {
        let found = themes().into_iter().find(|theme| theme.name == name);
        let is_known = found.is_some();
        self.theme = found.unwrap_or_else(|| self.theme.clone());
        is_known
    }

    /// The theme was chosen to stay.
    pub(crate) fn prefer(&mut self) {
        self.errands.push_back(Errand::Prefer);
    }

    /// The theme's name, and how the composer is used.
    pub(crate) fn preferences(&self) -> (&'static str, bool) {
        (self.theme.name, self.vim == Vim::On)
    }

    fn workspace(&self) -> String {
        self.view.state.opened.as_ref().map(|opened| opened.workspace.clone()).unwrap_or_default()
    }

    /// The model that answers, by the name a person would use.
    pub(crate) fn model(&self) -> String {
        let state = &self.view.state;
        one_line(state.model.as_deref().unwrap_or(&state.equipment.model), 80)
    }
}

#[cfg(test)]
mod tests;
