//! What the person does: lines, slash commands, Ctrl+C and Ctrl+D.

use super::{Ended, Plain};
use crate::answer::{Answer, answer};
use crate::dialog::{Aim, MIX_UP_SENTENCE};
use crate::lines::Echo;
use crate::offers::ModelOffer;
use crate::page::{Page, Style};
use crate::render::{ask_again, ask_on, choice_name, name, plural, stats};
use crate::sanitize::one_line;
use crate::send::{PlainError, prompt, send};
use crate::slash::{HELP, OWN_NAMES, Slash};
use pollux_session::{CallId, CancelScope, Command, Refusal, SendError, Setting, TaskStatus, TurnOutcome};
use tokio::io::AsyncWrite;

/// The longest prompt that is put together from several lines, in bytes.
const DRAFT_LIMIT: usize = 4 * 1024 * 1024;

impl<W: AsyncWrite + Unpin> Plain<W> {
    pub(super) async fn typed(&mut self, line: String) -> Option<Ended> {
        self.echo_line(&line);
        self.hinted = false;
        if let Some(start) = line.strip_suffix('\\') {
            self.draft.push_str(start);
            self.draft.push('\n');
            if self.draft.len() > DRAFT_LIMIT {
                self.draft.clear();
                self.say(Style::Warn, "that is too long for a prompt; put it in a file and name the file");
            }
            return None;
        }
        let text = std::mem::take(&mut self.draft) + &line;
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return None;
        }
        if let Some(rest) = trimmed.strip_prefix('>') {
            self.send_past_ask(rest.trim()).await;
            return None;
        }
        if text.starts_with(['/', '!']) && !self.dialog.takes_marked(trimmed) {
            return self.marked(&text).await;
        }
        match (self.dialog.aim(trimmed), self.dialog.current()) {
            (Aim::TooLate(call), _) => self.say_too_late(call),
            (Aim::Unsure, current) => {
                self.say(Style::Warn, MIX_UP_SENTENCE);
                if let Some(call) = current {
                    self.draw_ask(call, ask_again);
                }
            }
            (Aim::Clear, Some(call)) => self.reply(call, trimmed).await,
            (Aim::Clear, None) => self.prompt(text).await,
        }
        None
    }

    /// Take a prompt that was given with the program's arguments. No terminal has shown it yet.
    pub(super) async fn begin_with(&mut self, text: String) -> Option<Ended> {
        let mut page = Page::default();
        page.line(Style::Plain, format!("> {text}"));
        self.draw(&page);
        if text.starts_with(['/', '!']) {
            return self.marked(&text).await;
        }
        self.prompt(text).await;
        None
    }

    /// A line that begins with a mark: a slash for a command of ours, `!` for one of the shell.
    async fn marked(&mut self, text: &str) -> Option<Ended> {
        let Some(typed) = text.strip_prefix('!') else {
            let line = text.trim();
            return self.slash(Slash::parse(line), line).await;
        };
        match self.typed_commands.prompt(typed, "start it in another terminal") {
            Ok(prompt) => self.prompt(prompt).await,
            Err(sentence) => self.say(Style::Warn, sentence),
        }
        None
    }

    pub(super) async fn no_more_lines(&mut self) -> Option<Ended> {
        let draft = std::mem::take(&mut self.draft);
        if !draft.trim().is_empty() {
            self.prompt(draft).await;
        }
        match self.echo {
            Echo::Terminal => {
                self.pen.disturbed();
                Some(self.leave(Ended::EndOfInput))
            }
            Echo::Seat => None,
        }
    }

    /// End, with the cursor at the start of a line: what comes next is the shell's own prompt.
    fn leave(&mut self, why: Ended) -> Ended {
        let mut page = Page::default();
        page.fresh();
        self.draw(&page);
        why
    }

    pub(super) async fn interrupted(&mut self) -> Option<Ended> {
        if self.echo == Echo::Terminal {
            self.pen.disturbed();
            self.sign = None;
        }
        self.draft.clear();
        self.typing.clear();
        let compacting = self.view.state.compact_wanted.is_some();
        if self.view.state.turn.is_some() || compacting || self.awaited > self.cursor {
            self.submit(Command::Cancel { scope: CancelScope::Turn }).await;
            return None;
        }
        if self.hinted {
            return Some(self.leave(Ended::Quit));
        }
        self.hinted = true;
        self.say(Style::Dim, "nothing is running; press Ctrl+C again, or Ctrl+D, to leave");
        None
    }

    /// Draw a line where the person does not see it otherwise, and know where the cursor is now.
    fn echo_line(&mut self, line: &str) {
        match (self.echo, self.sign) {
            (Echo::Terminal, _) => self.pen.returned(),
            (Echo::Seat, Some(_)) => {
                let mut page = Page::default();
                page.put(Style::Plain, format!("{line}\n"));
                self.draw(&page);
            }
            (Echo::Seat, None) => {}
        }
        self.sign = None;
    }

    async fn prompt(&mut self, text: String) {
        self.unconfirmed = Some(text.clone());
        let command = prompt(self.seat.as_ref(), text);
        self.submit(command).await;
        self.unconfirmed = None;
    }

    /// Show the prompt that was on its way when the program was told to end.
    pub(super) async fn show_undelivered(&mut self) -> Result<(), PlainError> {
        let Some(text) = self.unconfirmed.take() else { return Ok(()) };
        self.say(Style::Warn, format!("not confirmed as sent: {text}"));
        self.flush().await
    }

    /// `> TEXT`, or `>` for the text that was typed while an ask was open.
    async fn send_past_ask(&mut self, text: &str) {
        match (text, self.kept.take()) {
            ("", Some(kept)) => self.prompt(kept).await,
            ("", None) => self.say(Style::Dim, "nothing to send: put the text after the >"),
            // A blank before the slash keeps the line from being a command.
            (text, _) if text.starts_with('/') => self.prompt(format!(" {text}")).await,
            (text, _) => self.prompt(text.to_owned()).await,
        }
    }

    async fn reply(&mut self, call: CallId, line: &str) {
        let reply = self.dialog.read(&self.view, line);
        match answer(&self.view, call, reply).await {
            Answer::Send(command) => self.submit(command).await,
            Answer::Next => self.draw_ask(call, ask_on),
            Answer::Wrong(sentence) => {
                self.say(Style::Bad, sentence);
                self.draw_ask(call, ask_again);
            }
            Answer::Unclear(accepted) => {
                self.kept = Some(line.to_owned());
                self.say(
                    Style::Warn,
                    format!("an ask is open, so this was not sent. Answer {accepted} first, or type > to send it now:"),
                );
                self.say(Style::Plain, format!("> {line}"));
                self.draw_ask(call, ask_again);
            }
        }
    }

    fn say_too_late(&mut self, call: CallId) {
        let decision = self.view.state.decisions.iter().rev().find(|decision| decision.call == call);
        let how = match decision.and_then(|decision| decision.answer.as_ref()) {
            Some((choice, by)) => {
                let chosen = choice_name(&self.view, call, choice);
                format!("already decided by {}: {chosen}", name(by, &self.view.me))
            }
            None => "closed without an answer".to_owned(),
        };
        self.say(
            Style::Warn,
            format!("too late, the ask was {how}. Nothing was sent; > before a line sends it anyway"),
        );
    }

    pub(super) async fn submit(&mut self, command: Command) {
        let answers = match &command {
            Command::Answer { call, .. } => Some(*call),
            _ => None,
        };
        // A session elsewhere may take its time; what was typed is on the screen meanwhile. Output that is broken is broken for
        // the next flush too, which ends the loop.
        let _ = self.flush().await;
        let drawn_when_read = matches!(command, Command::Prompt { .. } | Command::Answer { .. });
        match send(self.seat.as_ref(), command).await {
            Ok(receipt) => {
                self.awaited = self.awaited.max(receipt.seq);
                if drawn_when_read {
                    self.mine.sent(&receipt);
                }
            }
            Err(error) => {
                if let (Some(call), SendError::Refused(refusal)) = (answers, &error)
                    && matches!(refusal, Refusal::AlreadyDecided { .. } | Refusal::AskClosed { .. })
                {
                    self.dialog.refused(call);
                    // The entry that closed it is there to be read before anything more is asked.
                    self.caught_up = false;
                }
                self.say(Style::Bad, one_line(&error.to_string(), 1000));
                if matches!(error, SendError::Refused(Refusal::UnknownModel { .. })) {
                    self.say(Style::Dim, "nothing has changed; /model lists what can be had");
                }
            }
        }
    }

    async fn slash(&mut self, slash: Slash, line: &str) -> Option<Ended> {
        match slash {
            Slash::Help => self.say_help().await,
            Slash::Quit => return Some(Ended::Quit),
            Slash::Cancel => self.submit(Command::Cancel { scope: CancelScope::Turn }).await,
            Slash::Status => self.say_status(),
            Slash::Mode => self.say(Style::Plain, format!("mode: {}", self.view.state.mode.name())),
            Slash::SetMode(mode) => self.submit(Command::Set { setting: Setting::Mode(mode) }).await,
            Slash::Model => self.say_model().await,
            Slash::SetModel(model) => self.submit(Command::Set { setting: Setting::Model(model) }).await,
            Slash::Compress => self.submit(Command::Compact).await,
            Slash::Uncompress => self.submit(Command::Uncompact).await,
            Slash::Stats => self.draw(&stats(self.turn_tally.newest(), &self.tally)),
            Slash::Queue => self.say_queue(),
            Slash::Drop(number) => match self.listed.get(number - 1) {
                Some(prompt) => self.submit(Command::Unqueue { prompt: *prompt }).await,
                None => self.say(Style::Warn, format!("no prompt {number} on the list; /queue shows it")),
            },
            Slash::Go if self.view.state.held().next().is_some() => self.submit(Command::Release).await,
            Slash::Go => self.say(Style::Dim, "the queue is not held"),
            Slash::Agents(word) if self.settings.commands.knows(&word).await => self.prompt(line.to_owned()).await,
            Slash::Agents(word) => {
                let sentence = self.settings.commands.describe_missing(&word, &OWN_NAMES).await;
                self.say(Style::Warn, sentence);
            }
            Slash::Wrong(sentence) => self.say(Style::Warn, sentence),
        }
        None
    }

    fn say_queue(&mut self) {
        let state = &self.view.state;
        self.listed = state.queue.iter().map(|waiting| waiting.id).collect();
        let mut page = Page::default();
        if state.queue.is_empty() {
            page.line(Style::Dim, "no prompt is waiting");
        }
        for (at, waiting) in state.queue.iter().enumerate() {
            let mark = match self.view.is_mine(waiting.id) {
                true => String::new(),
                false => format!("[{}] ", name(&waiting.by, &self.view.me)),
            };
            page.line(Style::Plain, format!("{}. {mark}{}", at + 1, waiting.text));
        }
        if state.held().next().is_some() {
            page.line(Style::Dim, "held; /queue go releases it, and your next prompt goes first");
        }
        self.draw(&page);
    }

    /// The model that answers, in the words it was introduced with as long as nobody has chosen another one.
    fn model_line(&self) -> String {
        let state = &self.view.state;
        let first = state.opened.as_ref().and_then(|opened| opened.overrides.model.as_ref());
        match &state.model {
            Some(chosen) if Some(chosen) != first => format!("model: {}", one_line(chosen, 200)),
            Some(_) | None => self.settings.model_line.clone(),
        }
    }

    async fn say_model(&mut self) {
        let mut lines = vec![self.model_line()];
        let offers = self.settings.models.models(self.view.model()).await;
        let line = |offer: &ModelOffer| one_line(&format!("{}  {}", offer.name, offer.detail()), 200);
        lines.extend(offers.iter().map(|offer| format!("  {}", line(offer).trim_end())));
        if offers.is_empty() {
            lines.push("  no other one can be had: there is no key and no server of models".into());
        }
        lines.push("/model NAME sets another one, from the next turn on".into());
        self.say(Style::Plain, lines.join("\n"));
    }

    /// The terminal's own words, then the agent's commands. Those that the terminal answers itself are listed once.
    async fn say_help(&mut self) {
        let commands = self.settings.commands.all().await;
        let theirs =
            commands.iter().filter(|command| matches!(Slash::parse(&format!("/{}", command.name)), Slash::Agents(_)));
        let lines = theirs.map(|command| {
            let subs: Vec<&str> = command.subcommands.iter().map(|sub| sub.name.as_str()).collect();
            let subs = if subs.is_empty() { String::new() } else { format!(" ({})", subs.join(", ")) };
            let what = one_line(&format!("{}{subs}", command.description), 200);
            format!("  /{:<20} {what}\n", one_line(&command.name, 80))
        });
        let theirs: String = lines.collect();
        self.say(Style::Plain, format!("{HELP}Commands that the agent answers, here and elsewhere:\n{theirs}"));
    }

    fn say_status(&mut self) {
        let state = &self.view.state;
        let doing = match state.session_status() {
            TaskStatus::Submitted => "nothing has run yet",
            TaskStatus::Working => "working",
            TaskStatus::InputRequired => "waiting for an answer",
            TaskStatus::Resting(TurnOutcome::Rested) => "resting",
            TaskStatus::Resting(TurnOutcome::Cancelled) => "resting; the last turn was cancelled",
            TaskStatus::Resting(TurnOutcome::Failed { .. }) => "resting; the last turn failed",
            TaskStatus::Closed(closing) => closing.name(),
        };
        let held = if state.held().next().is_some() { ", held" } else { "" };
        let workspace = state.opened.as_ref().map_or("", |opened| &opened.workspace);
        let lines = [
            self.model_line(),
            format!("mode: {}", state.mode.name()),
            format!("workspace: {workspace}"),
            format!("session: {}", self.seat.session()),
            format!("now: {doing}"),
            format!("queue: {} waiting{held}", plural(state.queue.len(), "prompt")),
            format!("open: {}", plural(self.view.asking().count(), "ask")),
        ];
        self.say(Style::Plain, lines.join("\n"));
    }
}
