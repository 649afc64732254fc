//! The person's input: lines, slash commands, Ctrl+C and Ctrl+D.

use super::{ExitReason, LineMode};
use crate::ask_reply::{ReplyOutcome, resolve_reply};
use crate::current_ask::{REPLACED_ASK_SENTENCE, ReplyTarget};
use crate::draw_list::{DrawList, TextStyle};
use crate::line_input::EchoSource;
use crate::model_offers::ModelOffer;
use crate::permission_listing::{listed_grant, permission_count, session_permission_lines};
use crate::render::{render_ask_reminder, render_next_question, render_stats};
use crate::sanitize::one_line;
use crate::send::{TerminalError, prompt_command, send_command};
use crate::terminal_command::{TerminalCommand, describe_terminal};
use pollux_session::{
    ApprovalMode, AskClosing, CallId, CancelScope, Command, CommandSeat, Refusal, SendError, SessionSetting,
    TaskStatus, TurnOutcome, client_name, describe_decision, plural,
};
use tokio::io::AsyncWrite;

/// The longest prompt that is put together from several lines, in bytes.
const DRAFT_LIMIT: usize = 4 * 1024 * 1024;

/// What `/mode yolo` asks first. The screen asks the same.
const YOLO_QUESTION: &str = "\
Let everything run without asking (yolo)? Every command runs, every file is written and every tool of an MCP server is called \
without asking you; what a policy of yours denies stays denied. Type y to allow it, n to keep asking:";

/// The question about yolo that waits for the next line.
#[derive(Clone, Copy, Debug)]
pub(super) struct YoloQuestion {
    /// The ask that was open when it came.
    open_ask: Option<CallId>,
}

impl<W: AsyncWrite + Unpin> LineMode<W> {
    pub(super) async fn take_line(&mut self, line: String) -> Option<ExitReason> {
        self.echo_line(&line);
        self.exit_hint_shown = false;
        if let Some(start) = line.strip_suffix('\\') {
            self.draft.push_str(start);
            self.draft.push('\n');
            if self.draft.len() > DRAFT_LIMIT {
                self.draft.clear();
                self.say(TextStyle::Warn, "that is too long for a prompt; put it in a file and name the file");
            }
            return None;
        }
        let text = std::mem::take(&mut self.draft) + &line;
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return None;
        }
        if let Some(asked) = self.yolo_question.take()
            && self.answer_yolo_question(asked, trimmed).await
        {
            return None;
        }
        if let Some(rest) = trimmed.strip_prefix('>') {
            self.send_past_ask(rest.trim()).await;
            return None;
        }
        if text.starts_with(['/', '!']) && !self.current_ask.takes_marked(trimmed) {
            return self.marked(&text).await;
        }
        match (self.current_ask.reply_target(trimmed), self.current_ask.call()) {
            (ReplyTarget::TooLate(call), _) => self.say_too_late(call),
            (ReplyTarget::Unsure, current) => {
                self.say(TextStyle::Warn, REPLACED_ASK_SENTENCE);
                if let Some(call) = current {
                    self.draw_ask(call, render_ask_reminder);
                }
            }
            (ReplyTarget::Current, Some(call)) => self.reply(call, trimmed).await,
            (ReplyTarget::Current, None) => self.send_prompt(text).await,
        }
        None
    }

    /// Take a prompt that was given with the program's arguments. No terminal has shown it yet.
    pub(super) async fn take_first_prompt(&mut self, text: String) -> Option<ExitReason> {
        let mut page = DrawList::default();
        page.line(TextStyle::Plain, format!("> {text}"));
        self.draw(&page);
        if text.starts_with(['/', '!']) {
            return self.marked(&text).await;
        }
        self.send_prompt(text).await;
        None
    }

    /// A line that begins with a mark: a slash for a command of ours, `!` for one of the shell.
    async fn marked(&mut self, text: &str) -> Option<ExitReason> {
        let Some(typed) = text.strip_prefix('!') else {
            let line = text.trim();
            return self.run_command(TerminalCommand::parse(line), line).await;
        };
        match self.typed_commands.prompt(typed, "Start it in another terminal.") {
            Ok(prompt) => self.send_prompt(prompt).await,
            Err(sentence) => self.say(TextStyle::Warn, sentence),
        }
        None
    }

    pub(super) async fn end_input(&mut self) -> Option<ExitReason> {
        let draft = std::mem::take(&mut self.draft);
        if !draft.trim().is_empty() {
            self.send_prompt(draft).await;
        }
        match self.echo {
            EchoSource::Terminal => {
                self.writer.mark_foreign_output();
                Some(self.leave(ExitReason::EndOfInput))
            }
            EchoSource::Seat => None,
        }
    }

    /// End, with the cursor at the start of a line: what comes next is the shell's own prompt.
    fn leave(&mut self, why: ExitReason) -> ExitReason {
        let mut page = DrawList::default();
        page.fresh();
        self.draw(&page);
        why
    }

    pub(super) async fn take_interrupt(&mut self) -> Option<ExitReason> {
        if self.echo == EchoSource::Terminal {
            self.writer.mark_foreign_output();
            self.sign = None;
        }
        self.draft.clear();
        self.typed_line.clear();
        let compacting = self.view.state().compact_wanted.is_some();
        if self.view.state().turn.is_some() || compacting || self.awaited_seq > self.cursor {
            self.submit(Command::Cancel { scope: CancelScope::Turn }).await;
            return None;
        }
        if self.exit_hint_shown {
            return Some(self.leave(ExitReason::Quit));
        }
        self.exit_hint_shown = true;
        self.say(TextStyle::Dim, "nothing is running; press Ctrl+C again, or Ctrl+D, to leave");
        None
    }

    /// Draw a line where the person does not see it otherwise, and know where the cursor is now.
    fn echo_line(&mut self, line: &str) {
        match (self.echo, self.sign) {
            (EchoSource::Terminal, _) => self.writer.mark_line_start(),
            (EchoSource::Seat, Some(_)) => {
                let mut page = DrawList::default();
                page.put(TextStyle::Plain, format!("{line}\n"));
                self.draw(&page);
            }
            (EchoSource::Seat, None) => {}
        }
        self.sign = None;
    }

    async fn send_prompt(&mut self, text: String) {
        self.unconfirmed = Some(text.clone());
        let command = prompt_command(self.seat.as_ref(), text);
        self.submit(command).await;
        self.unconfirmed = None;
    }

    /// Show the prompt that was on its way when the program was told to end.
    pub(super) async fn show_undelivered(&mut self) -> Result<(), TerminalError> {
        let Some(text) = self.unconfirmed.take() else { return Ok(()) };
        self.say(TextStyle::Warn, format!("not confirmed as sent: {text}"));
        self.flush().await
    }

    /// `> TEXT`, or `>` for the text that was typed while an ask was open.
    async fn send_past_ask(&mut self, text: &str) {
        match (text, self.unsent_text.take()) {
            ("", Some(kept)) => self.send_prompt(kept).await,
            ("", None) => self.say(TextStyle::Dim, "nothing to send: put the text after the >"),
            // A blank before the slash keeps the line from being a command.
            (text, _) if text.starts_with('/') => self.send_prompt(format!(" {text}")).await,
            (text, _) => self.send_prompt(text.to_owned()).await,
        }
    }

    async fn reply(&mut self, call: CallId, line: &str) {
        let reply = self.current_ask.read(&self.view, line);
        match resolve_reply(&self.view, call, reply).await {
            ReplyOutcome::Send(command) => self.submit(command).await,
            ReplyOutcome::NextQuestion => self.draw_ask(call, render_next_question),
            ReplyOutcome::Invalid(sentence) => {
                self.say(TextStyle::Bad, sentence);
                self.draw_ask(call, render_ask_reminder);
            }
            ReplyOutcome::Unclear(accepted) => {
                self.unsent_text = Some(line.to_owned());
                self.say(
                    TextStyle::Warn,
                    format!("an ask is open, so this was not sent. Answer {accepted} first, or type > to send it now:"),
                );
                self.say(TextStyle::Plain, format!("> {line}"));
                self.draw_ask(call, render_ask_reminder);
            }
        }
    }

    fn say_too_late(&mut self, call: CallId) {
        let how = match self.view.state().ask_decision(call).map(|decision| &decision.closing) {
            Some(AskClosing::Answered { choice, by }) => {
                format!("already {}", describe_decision(self.view.state(), call, choice, by, self.view.reader()))
            }
            Some(closing) => format!("closed without an answer: {}", closing.describe()),
            None => "closed without an answer".to_owned(),
        };
        self.say(
            TextStyle::Warn,
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
        match send_command(self.seat.as_ref(), command).await {
            Ok(receipt) => {
                self.awaited_seq = self.awaited_seq.max(receipt.seq);
                if drawn_when_read {
                    self.own_entries.record_receipt(&receipt);
                }
            }
            Err(error) => {
                if let (Some(call), SendError::Refused(refusal)) = (answers, &error)
                    && matches!(refusal, Refusal::AlreadyDecided { .. } | Refusal::AskClosed { .. })
                {
                    self.current_ask.mark_refused(call);
                    // The entry that closed it is there to be read before anything more is asked.
                    self.caught_up = false;
                }
                self.say(TextStyle::Bad, one_line(&error.to_string(), 1000));
                if matches!(error, SendError::Refused(Refusal::UnknownModel { .. })) {
                    self.say(TextStyle::Dim, "nothing has changed; /model lists what can be had");
                }
            }
        }
    }

    async fn run_command(&mut self, slash: TerminalCommand, line: &str) -> Option<ExitReason> {
        match slash {
            TerminalCommand::Help => self.say_help().await,
            TerminalCommand::Quit => return Some(ExitReason::Quit),
            TerminalCommand::Cancel => self.submit(Command::Cancel { scope: CancelScope::Turn }).await,
            TerminalCommand::Status => self.say_status(),
            TerminalCommand::Mode => self.say(TextStyle::Plain, format!("mode: {}", self.view.state().mode.name())),
            TerminalCommand::SetMode(ApprovalMode::Yolo) if self.view.state().mode != ApprovalMode::Yolo => {
                self.yolo_question = Some(YoloQuestion { open_ask: self.current_ask.call() });
                self.say(TextStyle::Warn, YOLO_QUESTION);
            }
            TerminalCommand::SetMode(mode) => self.submit(Command::Set { setting: SessionSetting::Mode(mode) }).await,
            TerminalCommand::Model => self.say_model().await,
            TerminalCommand::SetModel(model) => {
                self.submit(Command::Set { setting: SessionSetting::Model(model) }).await;
            }
            TerminalCommand::Compress => self.submit(Command::Compact).await,
            TerminalCommand::Uncompress => self.submit(Command::Uncompact).await,
            TerminalCommand::Stats => self.draw(&render_stats(self.view.turn_stats(), self.view.stats())),
            TerminalCommand::Queue => self.say_queue(),
            TerminalCommand::DropQueued(number) => match self.listed_queue.get(number - 1) {
                Some(prompt) => self.submit(Command::Unqueue { prompt: *prompt }).await,
                None => self.say(TextStyle::Warn, format!("no prompt {number} on the list; /queue shows it")),
            },
            TerminalCommand::ResumeQueue if self.view.state().held().next().is_some() => {
                self.submit(Command::Release).await;
            }
            TerminalCommand::ResumeQueue => self.say(TextStyle::Dim, "the queue is not held"),
            TerminalCommand::Permissions => {
                let mut lines = session_permission_lines(&self.view);
                lines.push(
                    "what you allowed for longer is in auto-saved.toml, in the folder of your policy files".into(),
                );
                self.say(TextStyle::Plain, lines.join("\n"));
            }
            TerminalCommand::DropGrant(number) => match listed_grant(&self.view, number) {
                Some(grant) => {
                    self.submit(Command::Set { setting: SessionSetting::WithoutGrant(grant) }).await;
                }
                None => self.say(TextStyle::Warn, format!("there is no number {number}; /permissions lists them")),
            },
            TerminalCommand::Agent(word) if self.settings.commands.may_answer(&word).await => {
                self.send_prompt(line.to_owned()).await;
            }
            TerminalCommand::Agent(word) => {
                let sentence = self.settings.commands.describe_missing(&word, CommandSeat::Terminal).await;
                self.say(TextStyle::Warn, sentence);
            }
            TerminalCommand::Invalid(sentence) => self.say(TextStyle::Warn, sentence),
        }
        None
    }

    /// Take the line after the question about yolo. False if it is no answer: then it is what it would be without the question,
    /// which is over.
    async fn answer_yolo_question(&mut self, asked: YoloQuestion, line: &str) -> bool {
        let kept = format!("the mode stays {}", self.view.state().mode.name());
        let is_yes = ["y", "yes"].iter().any(|yes| line.eq_ignore_ascii_case(yes));
        let is_no = ["n", "no"].iter().any(|no| line.eq_ignore_ascii_case(no));
        if asked.open_ask != self.current_ask.call() {
            // What is typed now may be meant for the ask.
            self.say(TextStyle::Warn, format!("{kept}: an ask has come in between; /mode yolo asks again"));
            return is_yes;
        }
        if is_yes {
            let setting = SessionSetting::Mode(ApprovalMode::Yolo);
            self.submit(Command::Set { setting }).await;
            return true;
        }
        self.say(TextStyle::Dim, kept);
        is_no
    }

    fn say_queue(&mut self) {
        let state = &self.view.state();
        self.listed_queue = state.queue.iter().map(|waiting| waiting.id).collect();
        let mut page = DrawList::default();
        if state.queue.is_empty() {
            page.line(TextStyle::Dim, "no prompt is waiting");
        }
        for (at, waiting) in state.queue.iter().enumerate() {
            let mark = match self.view.is_mine(waiting.id) {
                true => String::new(),
                false => format!("[{}] ", client_name(&waiting.by, self.view.reader())),
            };
            page.line(TextStyle::Plain, format!("{}. {mark}{}", at + 1, waiting.text));
        }
        if state.held().next().is_some() {
            page.line(TextStyle::Dim, "held; /queue go releases it, and your next prompt goes first");
        }
        self.draw(&page);
    }

    /// The model that answers, in the words it was introduced with as long as nobody has chosen another one.
    fn model_line(&self) -> String {
        let state = &self.view.state();
        let first = state.opened.as_ref().and_then(|opened| opened.overrides.model.as_ref());
        match &state.model {
            Some(chosen) if Some(chosen) != first => format!("model: {}", one_line(chosen, 200)),
            Some(_) | None => self.settings.model_line.clone(),
        }
    }

    async fn say_model(&mut self) {
        let mut lines = vec![self.model_line()];
        let offers = self.settings.models.look_up(self.view.model()).await;
        let line = |offer: &ModelOffer| one_line(&format!("{}  {}", offer.name, offer.detail()), 200);
        lines.extend(offers.iter().map(|offer| format!("  {}", line(offer).trim_end())));
        if offers.is_empty() {
            lines.push("  no other one can be had: there is no key and no server of models".into());
        }
        lines.extend(self.settings.models.hint.clone());
        lines.push("/model NAME sets another one, from the next turn on".into());
        self.say(TextStyle::Plain, lines.join("\n"));
    }

    /// The terminal's own words, then the agent's commands. Those that the terminal answers itself are listed once.
    async fn say_help(&mut self) {
        let commands = self.settings.commands.all().await;
        let theirs = commands.iter().filter(|command| {
            matches!(TerminalCommand::parse(&format!("/{}", command.name)), TerminalCommand::Agent(_))
        });
        let lines = theirs.map(|command| {
            let what = one_line(&command.summary(), 200);
            format!("  /{:<20} {what}\n", one_line(&command.name, 80))
        });
        let theirs: String = lines.collect();
        self.say(
            TextStyle::Plain,
            format!("{}Commands that the agent answers, here and elsewhere:\n{theirs}", describe_terminal()),
        );
    }

    fn say_status(&mut self) {
        let state = &self.view.state();
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
            permission_count(&self.view),
        ];
        self.say(TextStyle::Plain, lines.join("\n"));
    }
}
