//! What the screen wants done: sending, looking things up, the editor, the clipboard.

use super::{Screen, ScreenExit};
use crate::line_mode::ExitReason;
use crate::model_offers::ModelOffer;
use crate::screen::app::{AppEffect, HelpSection};
use crate::screen::export::{self, ExportForm};
use crate::screen::overlay::endpoint_panel::EndpointPanel;
use crate::screen::overlay::{ClientRow, RewindPoint, SessionFolders, SessionRow, UiEffect, pickers};
use crate::screen::terminal::{self, SuspendResult};
use crate::screen::terminal_control::TerminalControl;
use crate::send::{TerminalError, instead_command, prompt_command};
use pollux_session::{Command, CommandInfo, CommandSeat, Entry, EntryAuthor, NoteTone, Seat, Seq, SessionId};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a list of files is good for.
const FILES_FRESH: Duration = Duration::from_secs(5);
/// How many entries are read at once for an export.
const PAGE: usize = 1024;
/// How many bytes of entries are held for an export or a list of prompts. A server elsewhere may have no end of them.
const MAX_BYTES: usize = 1 << 30;

/// What came of an effect that took its time.
pub(super) enum EffectResult {
    Files(Vec<String>),
    Commands(Vec<CommandInfo>),
    Help(Vec<CommandInfo>, HelpSection),
    Models(Vec<ModelOffer>),
    Sessions(Result<Vec<SessionRow>, String>, SessionFolders),
    Resume(Result<SessionId, String>),
    Image(Result<String, String>),
    Message(Result<String, String>),
    Rewind(Result<Vec<Arc<Entry>>, String>),
    Clients(Result<Vec<ClientRow>, String>),
    Endpoint(Result<(), String>),
}

impl Screen {
    pub(super) async fn run_app_effect(&mut self, app_effect: AppEffect) -> Result<(), TerminalError> {
        match app_effect {
            AppEffect::Ui(ui_effect) => self.run_ui_effect(ui_effect).await?,
            AppEffect::AgentCommand(line) => self.send_agent_command(line).await,
            AppEffect::Control(signal) => self.inline_terminal.send_control(signal).map_err(TerminalError::Output)?,
            AppEffect::LookUpFiles => self.look_up_files(),
            AppEffect::LookUpCommands => self.look_up_commands(EffectResult::Commands),
            AppEffect::OpenHelp(first) => self.look_up_commands(move |commands| EffectResult::Help(commands, first)),
            AppEffect::OpenModels => {
                let (models, current) = (self.models.clone(), self.app.model());
                self.spawn_effect(async move { EffectResult::Models(models.look_up(&current).await) });
            }
            AppEffect::OpenSessions(folders) => {
                let around = self.environment.clone();
                self.spawn_effect(async move { EffectResult::Sessions(around.sessions().await, folders) });
            }
            AppEffect::OpenClients => {
                let around = self.environment.clone();
                self.spawn_effect(async move { EffectResult::Clients(around.clients().await) });
            }
            AppEffect::OpenEndpoint => self.show_endpoint(),
            AppEffect::ShowPermissions => self.app.say_permissions(self.environment.saved_permissions()),
            AppEffect::ShowBackground => {
                self.refresh_status();
                self.app.say_background();
            }
            AppEffect::StopBackground(pid) => match self.environment.stop_background_command(pid) {
                Ok(said) => self.app.say(NoteTone::Info, said),
                Err(why) => self.app.say(NoteTone::Warn, why),
            },
            AppEffect::OpenRewind => {
                let seat = self.seat.clone();
                self.spawn_effect(async move { EffectResult::Rewind(all_entries(seat.as_ref()).await) });
            }
            AppEffect::Export(name) => self.export(name),
            AppEffect::PasteImage => {
                let around = self.environment.clone();
                self.spawn_effect(async move { EffectResult::Image(around.clipboard_image().await) });
            }
            AppEffect::RememberPrompt(prompt) => self.environment.remember_prompt(&prompt),
            AppEffect::SavePreferences => {
                let (theme, vim) = self.app.preferences();
                if let Err(why) = self.environment.save_preferences(theme, vim) {
                    self.app.say(NoteTone::Warn, why);
                }
            }
            AppEffect::RefreshStatus => self.refresh_status(),
            AppEffect::ClearScreen => self.inline_terminal.clear().map_err(TerminalError::Output)?,
            AppEffect::Redraw => self.redraw()?,
            AppEffect::Suspend => self.suspend().await?,
        }
        Ok(())
    }

    async fn run_ui_effect(&mut self, ui_effect: UiEffect) -> Result<(), TerminalError> {
        match ui_effect {
            UiEffect::Send(command) => self.send(command),
            UiEffect::SendEach(commands) => commands.into_iter().for_each(|command| self.send(command)),
            UiEffect::Prompt(text) => self.send(prompt_command(self.seat.as_ref(), text)),
            UiEffect::Instead { declined, text } => self.send(instead_command(self.seat.as_ref(), declined, text)),
            UiEffect::EditContent { call, option, name, path, content, others } => match self
                .run_editor(name, content.clone())
                .await?
            {
                // Whoever leaves an editor without a change has not said yes.
                Ok(new) if new == content => self.app.say(NoteTone::Info, "nothing was changed; the ask is still open"),
                Ok(new) => {
                    let edit = self.app.content_edit(call, path, others, new);
                    self.send(Command::Answer { call, option, edit });
                }
                Err(why) => self.app.say(NoteTone::Bad, format!("{why}; the ask is still open")),
            },
            UiEffect::EditDraft => match self.run_editor("prompt.md".to_owned(), self.app.draft()).await? {
                Ok(text) => self.app.compose(text.trim_end_matches('\n').to_owned()),
                Err(why) => self.app.say(NoteTone::Bad, why),
            },
            UiEffect::Copy(text) => match self.inline_terminal.send_control(TerminalControl::Copy(text)) {
                Ok(()) => self.app.say(NoteTone::Info, "copied, if this terminal lets programs do that"),
                Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
                    self.app.say(NoteTone::Bad, format!("not copied: {error}; /export writes it to a file"));
                }
                Err(error) => return Err(TerminalError::Output(error)),
            },
            UiEffect::UseTheme(name) => {
                self.app.use_theme(&name);
                self.app.save_preferences();
            }
            UiEffect::Rewind(seq, text) => {
                self.send(prompt_command(self.seat.as_ref(), format!("/rewind {}", seq.0)));
                self.app.compose(text);
            }
            UiEffect::AskRewindScope(point) => self.app.open(Box::new(pickers::rewind_scope(point, self.app.mode()))),
            UiEffect::RewindFiles(RewindPoint { seq, text, checkpoint }) => {
                self.send(prompt_command(self.seat.as_ref(), format!("/rewind {} {checkpoint}", seq.0)));
                self.app.compose_after_rewind(text);
            }
            UiEffect::Resume(id) => {
                let around = self.environment.clone();
                self.spawn_effect(async move { EffectResult::Resume(around.check_resumable(id).await.map(|()| id)) });
            }
            UiEffect::OpenEndpoint(port) => {
                let around = self.environment.clone();
                self.spawn_effect(async move { EffectResult::Endpoint(around.open_endpoint(port).await.map(drop)) });
            }
            UiEffect::CloseEndpoint => {
                let around = self.environment.clone();
                let closed = async move {
                    let closed = around.close_endpoint().await;
                    EffectResult::Message(
                        closed.map(|()| "closed: other clients were disconnected, and nobody can join".to_owned()),
                    )
                };
                self.spawn_effect(closed);
            }
            UiEffect::RemoveClient(id) => {
                let around = self.environment.clone();
                self.spawn_effect(async move {
                    EffectResult::Message(around.remove_client(id).await.map(|()| "removed".to_owned()))
                });
            }
            UiEffect::Trust(choice) => match self.environment.save_trust(choice) {
                Ok(what) => self.app.say(NoteTone::Info, what),
                Err(why) => self.app.say(NoteTone::Bad, why),
            },
            UiEffect::Quit => self.exit = Some(ScreenExit::Ended(ExitReason::Quit)),
        }
        Ok(())
    }

    /// A line that names no command is not sent, and is there to be corrected.
    async fn send_agent_command(&mut self, line: String) {
        match self.commands.explain_unknown_command(&line).await {
            None => self.send(prompt_command(self.seat.as_ref(), line)),
            Some(_) => {
                let word = line.trim_start_matches('/').split(char::is_whitespace).next().unwrap_or_default();
                let sentence = self.commands.describe_missing(word, CommandSeat::Screen).await;
                self.app.say(NoteTone::Warn, sentence);
                self.app.compose_unsent(line);
            }
        }
    }

    fn send(&mut self, command: Command) {
        let sent = self.outbox.push(command);
        if self.environment.connection_problem().is_some() {
            self.refresh_status();
        }
        if !sent {
            self.app.say(NoteTone::Bad, "not sent: too much is on its way already; try again in a moment");
        }
    }

    /// Do something beside the loop; what comes of it is taken when it is done.
    fn spawn_effect(&self, work: impl Future<Output = EffectResult> + Send + 'static) {
        let doing = self.effect_sender.clone();
        tokio::spawn(async move {
            // The screen may have been left meanwhile.
            let _ = doing.send(work.await).await;
        });
    }

    fn look_up_files(&mut self) {
        match &self.files {
            Some((at, files)) if at.elapsed() < FILES_FRESH => self.app.offer_files(files.clone()),
            _ if self.looking_up => {}
            _ => {
                self.looking_up = true;
                let around = self.environment.clone();
                self.spawn_effect(async move { EffectResult::Files(around.files().await) });
            }
        }
    }

    fn look_up_commands(&self, done: impl FnOnce(Vec<CommandInfo>) -> EffectResult + Send + 'static) {
        let commands = self.commands.clone();
        self.spawn_effect(async move { done(commands.all().await) });
    }

    fn show_endpoint(&mut self) {
        match self.environment.endpoint() {
            Some(endpoint) => self.app.open(Box::new(EndpointPanel::new(endpoint))),
            None => self.app.say(NoteTone::Info, "nobody else can join; /a2a open [PORT] lets them"),
        }
    }

    fn export(&mut self, name: Option<String>) {
        let (seat, around) = (self.seat.clone(), self.environment.clone());
        let me = EntryAuthor::from(seat.who());
        let form = match name.as_deref().map_or(Ok(ExportForm::Markdown), ExportForm::of_name) {
            Ok(form) => form,
            Err(why) => return self.app.say(NoteTone::Warn, why),
        };
        self.spawn_effect(async move {
            let entries = match all_entries(seat.as_ref()).await {
                Ok(entries) => entries,
                Err(why) => return EffectResult::Message(Err(why)),
            };
            let text = match form {
                ExportForm::Json => export::export_json(&entries),
                ExportForm::Markdown => export::export_markdown(&entries, &me),
            };
            let written = match name {
                Some(name) => around.write_file(name, text).await,
                None => around.write_export(format!("pollux-{}.md", seat.session()), text).await,
            };
            EffectResult::Message(written.map(|path| format!("written to {path}")))
        });
    }

    /// Take what an effect brought.
    pub(super) async fn take_effect_result(&mut self, done: EffectResult) -> Result<(), TerminalError> {
        match done {
            EffectResult::Files(files) => {
                let files = Arc::new(files);
                self.looking_up = false;
                self.files = Some((Instant::now(), files.clone()));
                self.app.offer_files(files);
            }
            EffectResult::Commands(commands) => self.app.offer_commands(commands),
            EffectResult::Help(commands, first) => self.app.open_help(commands, first),
            EffectResult::Models(offers) if offers.is_empty() => {
                self.app.say(NoteTone::Info, "no other model can be had: there is no key and no server of models");
            }
            EffectResult::Models(offers) => {
                self.app.open(Box::new(pickers::models(offers, self.models.hint.as_deref())));
            }
            EffectResult::Resume(Ok(id)) => self.exit = Some(ScreenExit::SwitchSession(id)),
            EffectResult::Sessions(Ok(rows), folders) => {
                let picker = pickers::sessions(rows, &self.app.workspace(), folders);
                self.app.open(Box::new(picker));
            }
            EffectResult::Rewind(Ok(entries)) => {
                self.app.open(Box::new(pickers::rewind(&entries)));
            }
            EffectResult::Image(Ok(path)) => self.app.paste(format!("@{path} ")),
            EffectResult::Endpoint(Ok(())) => {
                self.refresh_status();
                self.show_endpoint();
            }
            EffectResult::Message(Ok(what)) => {
                self.refresh_status();
                self.app.say(NoteTone::Info, what);
            }
            EffectResult::Clients(Ok(clients)) => self.app.open(Box::new(pickers::clients(clients))),
            EffectResult::Sessions(Err(why), _)
            | EffectResult::Resume(Err(why))
            | EffectResult::Clients(Err(why))
            | EffectResult::Image(Err(why))
            | EffectResult::Endpoint(Err(why))
            | EffectResult::Rewind(Err(why))
            | EffectResult::Message(Err(why)) => self.app.say(NoteTone::Bad, why),
        }
        Ok(())
    }

    /// Draw the live area anew, whatever another program has left there.
    fn redraw(&mut self) -> Result<(), TerminalError> {
        self.inline_terminal.leave().map_err(TerminalError::Output)?;
        self.inline_terminal.come_back(terminal::size().map_err(TerminalError::Input)?);
        Ok(())
    }

    /// Give the terminal to the person's editor.
    async fn run_editor(&mut self, name: String, text: String) -> Result<Result<String, String>, TerminalError> {
        self.inline_terminal.leave().map_err(TerminalError::Output)?;
        self.keyboard.pause().map_err(TerminalError::Input)?;
        self.terminal.pause().map_err(TerminalError::Output)?;
        let edited = self.environment.edit(name, text).await;
        self.terminal.resume().map_err(TerminalError::Output)?;
        self.come_back()?;
        Ok(edited)
    }

    /// Ctrl+Z.
    pub(super) async fn suspend(&mut self) -> Result<(), TerminalError> {
        self.keyboard.pause().map_err(TerminalError::Input)?;
        self.inline_terminal.leave().map_err(TerminalError::Output)?;
        if self.terminal.suspend().await.map_err(TerminalError::Output)? == SuspendResult::NoShell {
            self.app.say(NoteTone::Warn, "there is no shell to go back to");
        }
        self.come_back()
    }

    /// The terminal is ours again, whatever is on it now.
    fn come_back(&mut self) -> Result<(), TerminalError> {
        self.terminal.fresh_row(terminal::cursor()).map_err(TerminalError::Input)?;
        // Whoever had it has their own.
        self.title = None;
        self.inline_terminal.come_back(terminal::size().map_err(TerminalError::Input)?);
        self.keyboard.resume().map_err(TerminalError::Input)
    }
}

/// Everything the session holds.
async fn all_entries(seat: &dyn Seat) -> Result<Vec<Arc<Entry>>, String> {
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    let mut weight = 0;
    loop {
        let after = entries.last().map_or(Seq::START, |entry| entry.seq);
        let page = seat.read(after, PAGE).await.map_err(|error| error.to_string())?;
        if page.is_empty() {
            return Ok(entries);
        }
        weight += page.iter().map(|entry| entry.weight()).sum::<usize>();
        if weight > MAX_BYTES {
            return Err(format!("the session is longer than {} MiB, which is too much for this", MAX_BYTES >> 20));
        }
        entries.extend(page);
    }
}
