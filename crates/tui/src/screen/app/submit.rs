//! What the person sends: prompts, the screen's own words, the agent's commands.

use super::{App, Errand};
use crate::render::stats_lines;
use crate::screen::chronicle::Tone;
use crate::screen::composer::Vim;
use crate::screen::layer::{Deed, lists};
use crate::screen::theme;
use crate::screen::words::{DoorWord, Word};
use crate::slash::Slash;
use pollux_session::{CancelScope, Command, Setting};

/// Where a program that wants keys can be started.
const SHELL: &str = "Ctrl+Z gives you your shell, and `fg` brings you back";

impl App {
    /// What the person sends.
    pub(crate) fn submit(&mut self, text: String) {
        self.hinted = None;
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return;
        }
        self.composer.remember(&text);
        self.errands.push_back(Errand::Remember(text.clone()));
        // Only shell mode gives a text that begins with the mark.
        if let Some(command) = text.strip_prefix('!') {
            match self.typed_commands.prompt(command, SHELL) {
                Ok(prompt) => self.prompt(prompt),
                Err(sentence) => self.say(Tone::Warn, sentence),
            }
        } else if text.starts_with('/') {
            self.word(Word::parse(trimmed), trimmed);
        } else {
            self.prompt(text);
        }
    }

    pub(super) fn prompt(&mut self, text: String) {
        self.errands.push_back(Errand::Do(Deed::Prompt(text)));
    }

    pub(super) fn send(&mut self, command: Command) {
        self.errands.push_back(Errand::Do(Deed::Send(command)));
    }

    fn word(&mut self, word: Word, line: &str) {
        match word {
            Word::Slash(slash) => self.slash(slash, line),
            Word::Theme(None) => self.open(Box::new(lists::themes(self.themes.choice(), self.themes.current.name))),
            Word::Theme(Some(name)) => match self.use_theme(&name) {
                true => self.errands.push_back(Errand::Prefer),
                false => self.say(Tone::Warn, format!("no theme {name}: choose {}", theme::NAMES.join(", "))),
            },
            Word::Vim => self.toggle_vim(),
            Word::Copy => match self.chronicle.newest_answer().map(str::to_owned) {
                Some(answer) => self.errands.push_back(Errand::Do(Deed::Copy(answer))),
                None => self.say(Tone::Info, "there is no answer to copy yet"),
            },
            Word::Diff => self.show_changes(),
            Word::Rewind => self.errands.push_back(Errand::Rewind),
            Word::Resume => self.resume(),
            Word::Export(name) => self.errands.push_back(Errand::Export(name)),
            Word::Keys => self.errands.push_back(Errand::Help),
            Word::Clients => self.errands.push_back(Errand::Clients),
            Word::Door(DoorWord::Show) => self.errands.push_back(Errand::Door),
            Word::Door(DoorWord::Open(port)) => self.errands.push_back(Errand::Do(Deed::OpenDoor(port))),
            Word::Door(DoorWord::Close) => self.errands.push_back(Errand::Do(Deed::CloseDoor)),
        }
    }

    fn toggle_vim(&mut self) {
        self.vim = match self.vim {
            Vim::On => Vim::Off,
            Vim::Off => Vim::On,
        };
        self.composer.set_vim(self.vim);
        self.errands.push_back(Errand::Prefer);
        let now = if self.vim == Vim::On { "keys are vi's from now on; Esc is its normal mode" } else { "vi is off" };
        self.say(Tone::Info, now);
    }

    fn slash(&mut self, slash: Slash, line: &str) {
        match slash {
            Slash::Help => self.errands.push_back(Errand::Help),
            Slash::Quit => self.quit(),
            Slash::Cancel => self.send(Command::Cancel { scope: CancelScope::Turn }),
            Slash::Status => self.say_status(),
            Slash::Mode => self.say(Tone::Info, format!("mode: {}", self.view.state.mode.name())),
            Slash::SetMode(mode) => self.set_mode(mode),
            Slash::Model => self.errands.push_back(Errand::Models),
            Slash::SetModel(model) => self.send(Command::Set { setting: Setting::Model(model) }),
            Slash::Compress => self.send(Command::Compact),
            Slash::Uncompress => self.send(Command::Uncompact),
            Slash::Stats => {
                let lines = stats_lines(self.turn_tally.newest(), &self.tally);
                self.say(Tone::Info, lines.join("\n"));
            }
            Slash::Queue => self.say_queue(),
            Slash::Drop(number) => match self.view.state.queue.get(number - 1).map(|waiting| waiting.id) {
                Some(prompt) => self.send(Command::Unqueue { prompt }),
                None => self.say(Tone::Warn, format!("no prompt {number} waits; /queue lists them")),
            },
            Slash::Go if self.view.state.held().next().is_some() => self.send(Command::Release),
            Slash::Go => self.say(Tone::Info, "the queue is not held"),
            Slash::Agents(_) => self.errands.push_back(Errand::AgentCommand(line.to_owned())),
            Slash::Wrong(sentence) => self.say(Tone::Warn, sentence),
        }
    }

    fn say_queue(&mut self) {
        let state = &self.view.state;
        let mut lines: Vec<String> =
            state.queue.iter().enumerate().map(|(at, waiting)| format!("{}. {}", at + 1, waiting.text)).collect();
        if lines.is_empty() {
            lines.push("no prompt is waiting".to_owned());
        }
        if state.held().next().is_some() {
            lines.push("held; /queue go releases it, and your next prompt goes first".to_owned());
        }
        self.say(Tone::Info, lines.join("\n"));
    }

    fn say_status(&mut self) {
        let lines = [
            format!("model: {}", self.model()),
            format!("mode: {}", self.view.state.mode.name()),
            format!("workspace: {}", self.workspace()),
            format!("session: {}", self.session),
            format!("asks: {}", self.view.asking().count()),
            format!("queue: {}", self.view.state.queue.len()),
        ];
        self.say(Tone::Info, lines.join("\n"));
    }
}
