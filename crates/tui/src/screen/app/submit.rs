//! What the person sends: prompts, the screen's own words, the agent's commands.

use super::{App, AppEffect, HelpSection};
use crate::permission_listing::{listed_grant, permission_count, session_permission_lines};
use crate::render::stats_lines;
use crate::sanitize::one_line;
use crate::screen::composer::VimSetting;
use crate::screen::environment::{BackgroundCommandRow, SavedPermissions};
use crate::screen::overlay::{UiEffect, pickers};
use crate::screen::screen_command::{BackgroundCommandAction, EndpointCommand, ScreenCommand};
use crate::screen::theme;
use crate::terminal_command::TerminalCommand;
use crate::wall_clock::now;
use pollux_session::{CancelScope, Command, NoteTone, SessionSetting, UnixMillis, format_age};

/// Where a program that wants keys can be started.
const SHELL: &str = "Press Ctrl+Z for your shell; `fg` comes back.";

impl App {
    /// What the person sends.
    pub(crate) fn submit(&mut self, text: String) {
        self.key_hint = None;
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return;
        }
        self.composer.remember(&text);
        self.effects.push_back(AppEffect::RememberPrompt(text.clone()));
        // Only shell mode gives a text that begins with the mark.
        if let Some(command) = text.strip_prefix('!') {
            match self.typed_commands.prompt(command, SHELL) {
                Ok(prompt) => self.send_prompt(prompt),
                Err(sentence) => self.say(NoteTone::Warn, sentence),
            }
        } else if text.starts_with('/') {
            self.run_screen_command(ScreenCommand::parse(trimmed), trimmed);
        } else {
            self.send_prompt(text);
        }
    }

    pub(super) fn send_prompt(&mut self, text: String) {
        self.effects.push_back(AppEffect::Ui(UiEffect::Prompt(text)));
    }

    pub(super) fn send(&mut self, command: Command) {
        self.effects.push_back(AppEffect::Ui(UiEffect::Send(command)));
    }

    fn run_screen_command(&mut self, word: ScreenCommand, line: &str) {
        match word {
            ScreenCommand::Terminal(slash) => self.run_terminal_command(slash, line),
            ScreenCommand::Theme(None) => {
                self.open(Box::new(pickers::themes(self.themes.choice(), self.themes.current.name)));
            }
            ScreenCommand::Theme(Some(name)) => match self.use_theme(&name) {
                true => {
                    self.say(NoteTone::Info, format!("theme: {name}"));
                    self.effects.push_back(AppEffect::SavePreferences);
                }
                false => self.say(NoteTone::Warn, format!("no theme {name}: choose {}", theme::NAMES.join(", "))),
            },
            ScreenCommand::Vim => self.toggle_vim(),
            ScreenCommand::Copy => match self.view.newest_answer().map(str::to_owned) {
                Some(answer) => self.effects.push_back(AppEffect::Ui(UiEffect::Copy(answer))),
                None => self.say(NoteTone::Info, "there is no answer to copy yet"),
            },
            ScreenCommand::Diff => self.show_changes(),
            ScreenCommand::Rewind => self.effects.push_back(AppEffect::OpenRewind),
            ScreenCommand::Resume(folders) => self.resume(folders),
            ScreenCommand::Export(name) => self.effects.push_back(AppEffect::Export(name)),
            ScreenCommand::Keys => self.effects.push_back(AppEffect::OpenHelp(HelpSection::Keys)),
            ScreenCommand::Clients => self.effects.push_back(AppEffect::OpenClients),
            ScreenCommand::Background(BackgroundCommandAction::List) => {
                self.effects.push_back(AppEffect::ShowBackground);
            }
            ScreenCommand::Background(BackgroundCommandAction::Stop(pid)) => {
                self.effects.push_back(AppEffect::StopBackground(pid));
            }
            ScreenCommand::Endpoint(EndpointCommand::Show) => self.effects.push_back(AppEffect::OpenEndpoint),
            ScreenCommand::Endpoint(EndpointCommand::Open(port)) => {
                self.effects.push_back(AppEffect::Ui(UiEffect::OpenEndpoint(port)));
            }
            ScreenCommand::Endpoint(EndpointCommand::Close) => {
                self.effects.push_back(AppEffect::Ui(UiEffect::CloseEndpoint));
            }
        }
    }

    fn toggle_vim(&mut self) {
        self.vim = match self.vim {
            VimSetting::On => VimSetting::Off,
            VimSetting::Off => VimSetting::On,
        };
        self.composer.set_vim(self.vim);
        self.effects.push_back(AppEffect::SavePreferences);
        let now =
            if self.vim == VimSetting::On { "keys are vi's from now on; Esc is its normal mode" } else { "vi is off" };
        self.say(NoteTone::Info, now);
    }

    fn run_terminal_command(&mut self, slash: TerminalCommand, line: &str) {
        match slash {
            TerminalCommand::Help => self.effects.push_back(AppEffect::OpenHelp(HelpSection::Commands)),
            TerminalCommand::Quit => self.quit(),
            TerminalCommand::Cancel => self.send(Command::Cancel { scope: CancelScope::Turn }),
            TerminalCommand::Status => self.say_status(),
            TerminalCommand::Mode => self.say(NoteTone::Info, format!("mode: {}", self.view.state().mode.name())),
            TerminalCommand::SetMode(mode) => self.set_mode(mode),
            TerminalCommand::Model => self.effects.push_back(AppEffect::OpenModels),
            TerminalCommand::SetModel(model) => self.send(Command::Set { setting: SessionSetting::Model(model) }),
            TerminalCommand::Compress => self.send(Command::Compact),
            TerminalCommand::Uncompress => self.send(Command::Uncompact),
            TerminalCommand::Stats => {
                let lines = stats_lines(self.view.turn_stats(), self.view.stats());
                self.say(NoteTone::Info, lines.join("\n"));
            }
            TerminalCommand::Queue => self.say_queue(),
            TerminalCommand::DropQueued(number) => {
                match self.view.state().queue.get(number - 1).map(|waiting| waiting.id) {
                    Some(prompt) => self.send(Command::Unqueue { prompt }),
                    None => self.say(NoteTone::Warn, format!("no prompt {number} waits; /queue lists them")),
                }
            }
            TerminalCommand::ResumeQueue if self.view.state().held().next().is_some() => self.send(Command::Release),
            TerminalCommand::ResumeQueue => self.say(NoteTone::Info, "the queue is not held"),
            TerminalCommand::Permissions => self.effects.push_back(AppEffect::ShowPermissions),
            TerminalCommand::DropGrant(number) => match listed_grant(&self.view, number) {
                Some(grant) => self.send(Command::Set { setting: SessionSetting::WithoutGrant(grant) }),
                None => self.say(NoteTone::Warn, format!("there is no number {number}; /permissions lists them")),
            },
            TerminalCommand::Agent(_) => self.effects.push_back(AppEffect::AgentCommand(line.to_owned())),
            TerminalCommand::Invalid(sentence) => self.say(NoteTone::Warn, sentence),
        }
    }

    fn say_queue(&mut self) {
        let state = &self.view.state();
        let mut lines: Vec<String> =
            state.queue.iter().enumerate().map(|(at, waiting)| format!("{}. {}", at + 1, waiting.text)).collect();
        if lines.is_empty() {
            lines.push("no prompt is waiting".to_owned());
        }
        if state.held().next().is_some() {
            lines.push("held; /queue go releases it, and your next prompt goes first".to_owned());
        }
        self.say(NoteTone::Info, lines.join("\n"));
    }

    fn say_status(&mut self) {
        let mut lines = vec![
            format!("model: {}", self.model()),
            format!("mode: {}", self.view.state().mode.name()),
            format!("workspace: {}", self.workspace()),
            format!("session: {}", self.session),
            format!("asks: {}", self.view.asking().count()),
            format!("queue: {}", self.view.state().queue.len()),
            permission_count(&self.view),
        ];
        lines.extend(
            self.process_status
                .background
                .as_deref()
                .map(|running| background_lines(running, now()))
                .into_iter()
                .flatten(),
        );
        self.say(NoteTone::Info, lines.join("\n"));
    }
    /// What the person has allowed, and where it is kept.
    pub(crate) fn say_permissions(&mut self, saved: Result<SavedPermissions, String>) {
        let mut lines = session_permission_lines(&self.view);
        match saved {
            Ok(saved) if saved.allowed.is_empty() => lines.push("nothing was allowed for longer than a session".into()),
            Ok(SavedPermissions { file, allowed }) => {
                lines.push(format!("allowed by {file}, until you take the rule out there:"));
                lines.extend(allowed.iter().map(|what| format!("  - {}", one_line(what, usize::MAX))));
            }
            Err(why) => lines.push(one_line(&why, 500)),
        }
        lines.push(match self.process_status.is_folder_trusted {
            Some(false) => "you do not trust this folder; `pollux trust` in a shell changes that".into(),
            _ => "`pollux trust --list` says which folders you trust".into(),
        });
        self.say(NoteTone::Info, lines.join("\n"));
    }

    /// What runs in the background.
    pub(crate) fn say_background(&mut self) {
        let lines = match self.process_status.background.as_deref() {
            None => vec!["the terminal that holds the session knows what runs in the background".to_owned()],
            Some([]) => vec!["nothing runs in the background".to_owned()],
            Some(running) => {
                let mut lines = background_lines(running, now());
                lines.push("/background stop PID ends one; the agent can read what they print".to_owned());
                lines
            }
        };
        self.say(NoteTone::Info, lines.join("\n"));
    }
}

/// What runs in the background, a row each.
fn background_lines(running: &[BackgroundCommandRow], now: UnixMillis) -> Vec<String> {
    let row = |row: &BackgroundCommandRow| {
        format!("  {} · {} · {}", row.pid, one_line(&row.command, 200), format_age(row.started_at, now))
    };
    let heading = format!("in the background: {}", if running.is_empty() { "nothing" } else { "" });
    std::iter::once(heading.trim_end().to_owned()).chain(running.iter().map(row)).collect()
}
