//! What the screen wants done: sending, looking things up, the editor, the clipboard.

use super::{Left, Screen};
use crate::offers::ModelOffer;
use crate::plain::Ended;
use crate::screen::app::Errand;
use crate::screen::chronicle::Tone;
use crate::screen::export::{self, ExportForm};
use crate::screen::layer::door::DoorPanel;
use crate::screen::layer::{ClientRow, Deed, RewindPoint, SessionRow, lists};
use crate::screen::signal::Signal;
use crate::screen::terminal::{self, Suspended};
use crate::screen::words::own_names;
use crate::send::{PlainError, prompt};
use pollux_session::{By, Command, CommandInfo, Entry, Seat, Seq};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a list of files is good for.
const FILES_FRESH: Duration = Duration::from_secs(5);
/// How many entries are read at once for an export.
const PAGE: usize = 1024;
/// How many bytes of entries are held for an export or a list of prompts. A server elsewhere may have no end of them.
const MOST: usize = 1 << 30;

/// What came of an errand that took its time.
pub(super) enum Done {
    Files(Vec<String>),
    Commands(Vec<CommandInfo>),
    Help(Vec<CommandInfo>),
    Models(Vec<ModelOffer>),
    Sessions(Result<Vec<SessionRow>, String>),
    Picture(Result<String, String>),
    Said(Result<String, String>),
    Rewind(Result<Vec<Arc<Entry>>, String>),
    Clients(Result<Vec<ClientRow>, String>),
    Door(Result<(), String>),
}

impl Screen {
    pub(super) async fn run_errand(&mut self, errand: Errand) -> Result<(), PlainError> {
        match errand {
            Errand::Do(deed) => self.run_deed(deed).await?,
            Errand::AgentCommand(line) => self.send_agent_command(line).await,
            Errand::Signal(signal) => self.stage.signal(signal).map_err(PlainError::Output)?,
            Errand::Files => self.look_up_files(),
            Errand::Commands => self.look_up_commands(Done::Commands),
            Errand::Help => self.look_up_commands(Done::Help),
            Errand::Models => {
                let (models, current) = (self.models.clone(), self.app.model());
                self.beside(async move { Done::Models(models.models(&current).await) });
            }
            Errand::Sessions => {
                let around = self.surroundings.clone();
                self.beside(async move { Done::Sessions(around.sessions().await) });
            }
            Errand::Clients => {
                let around = self.surroundings.clone();
                self.beside(async move { Done::Clients(around.clients().await) });
            }
            Errand::Door => self.show_door(),
            Errand::Rewind => {
                let seat = self.seat.clone();
                self.beside(async move { Done::Rewind(all_entries(seat.as_ref()).await) });
            }
            Errand::Export(name) => self.export(name),
            Errand::Picture => {
                let around = self.surroundings.clone();
                self.beside(async move { Done::Picture(around.picture().await) });
            }
            Errand::Remember(prompt) => self.surroundings.remember(&prompt),
            Errand::Prefer => {
                let (theme, vim) = self.app.preferences();
                if let Err(why) = self.surroundings.prefer(theme, vim) {
                    self.app.say(Tone::Warn, why);
                }
            }
            Errand::LookAround => self.look_around(),
            Errand::ClearScreen => self.stage.clear().map_err(PlainError::Output)?,
            Errand::Redraw => self.redraw()?,
            Errand::Suspend => self.suspend().await?,
        }
        Ok(())
    }

    async fn run_deed(&mut self, deed: Deed) -> Result<(), PlainError> {
        match deed {
            Deed::Send(command) => self.send(command),
            Deed::SendEach(commands) => commands.into_iter().for_each(|command| self.send(command)),
            Deed::Prompt(text) => self.send(prompt(self.seat.as_ref(), text)),
            Deed::EditContent { call, option, name, content } => match self.in_editor(name, content.clone()).await? {
                // Whoever leaves an editor without a change has not said yes.
                Ok(new) if new == content => self.app.say(Tone::Info, "nothing was changed; the ask is still open"),
                Ok(new) => {
                    let edit = self.app.edit_to(call, new);
                    self.send(Command::Answer { call, option, edit });
                }
                Err(why) => self.app.say(Tone::Bad, format!("{why}; the ask is still open")),
            },
            Deed::EditDraft => match self.in_editor("prompt.md".to_owned(), self.app.draft()).await? {
                Ok(text) => self.app.compose(text.trim_end_matches('\n').to_owned()),
                Err(why) => self.app.say(Tone::Bad, why),
            },
            Deed::Copy(text) => match self.stage.signal(Signal::Copy(text)) {
                Ok(()) => self.app.say(Tone::Info, "copied, if this terminal lets programs do that"),
                Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
                    self.app.say(Tone::Bad, format!("not copied: {error}; /export writes it to a file"));
                }
                Err(error) => return Err(PlainError::Output(error)),
            },
            Deed::Theme(name) => {
                self.app.use_theme(&name);
                self.app.prefer();
            }
            Deed::Rewind(seq, text) => {
                self.send(prompt(self.seat.as_ref(), format!("/rewind {}", seq.0)));
                self.app.compose(text);
            }
            Deed::ChooseRewind(point) => self.app.open(Box::new(lists::rewind_reach(point))),
            Deed::RewindFiles(RewindPoint { seq, text, checkpoint }) => {
                // Whoever does not want the files back after all says no, and the second one is held.
                self.send(prompt(self.seat.as_ref(), format!("/restore {checkpoint}")));
                self.send(prompt(self.seat.as_ref(), format!("/rewind {}", seq.0)));
                self.app.compose(text);
            }
            Deed::Resume(id) => self.left = Some(Left::For(id)),
            Deed::OpenDoor(port) => {
                let around = self.surroundings.clone();
                self.beside(async move { Done::Door(around.open_door(port).await.map(drop)) });
            }
            Deed::CloseDoor => {
                let around = self.surroundings.clone();
                let closed = async move {
                    let closed = around.close_door().await;
                    Done::Said(
                        closed.map(|()| "closed: other clients were disconnected, and nobody can join".to_owned()),
                    )
                };
                self.beside(closed);
            }
            Deed::RemoveClient(id) => {
                let around = self.surroundings.clone();
                self.beside(async move { Done::Said(around.remove(id).await.map(|()| "removed".to_owned())) });
            }
            Deed::Trust(choice) => match self.surroundings.trust(choice) {
                Ok(what) => self.app.say(Tone::Info, what),
                Err(why) => self.app.say(Tone::Bad, why),
            },
            Deed::Quit => self.left = Some(Left::Ended(Ended::Quit)),
        }
        Ok(())
    }

    /// A line that names no command is not sent, and is there to be corrected.
    async fn send_agent_command(&mut self, line: String) {
        match self.commands.missing(&line).await {
            None => self.send(prompt(self.seat.as_ref(), line)),
            Some(_) => {
                let word = line.trim_start_matches('/').split(char::is_whitespace).next().unwrap_or_default();
                let sentence = self.commands.describe_missing(word, &own_names()).await;
                self.app.say(Tone::Warn, sentence);
                self.app.compose_unsent(line);
            }
        }
    }

    fn send(&mut self, command: Command) {
        let sent = self.outbox.push(command);
        if self.surroundings.trouble().is_some() {
            self.look_around();
        }
        if !sent {
            self.app.say(Tone::Bad, "not sent: too much is on its way already; try again in a moment");
        }
    }

    /// Do something beside the loop; what comes of it is taken when it is done.
    fn beside(&self, work: impl Future<Output = Done> + Send + 'static) {
        let doing = self.doing.clone();
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
                let around = self.surroundings.clone();
                self.beside(async move { Done::Files(around.files().await) });
            }
        }
    }

    fn look_up_commands(&self, done: fn(Vec<CommandInfo>) -> Done) {
        let commands = self.commands.clone();
        self.beside(async move { done(commands.all().await) });
    }

    fn show_door(&mut self) {
        match self.surroundings.door() {
            Some(door) => self.app.open(Box::new(DoorPanel::new(door))),
            None => self.app.say(Tone::Info, "nobody else can join; /a2a open [PORT] lets them"),
        }
    }

    fn export(&mut self, name: Option<String>) {
        let (seat, around) = (self.seat.clone(), self.surroundings.clone());
        let name = name.unwrap_or_else(|| format!("pollux-{}.md", seat.session()));
        let me = By::from(seat.who());
        let form = match ExportForm::of_name(&name) {
            Ok(form) => form,
            Err(why) => return self.app.say(Tone::Warn, why),
        };
        self.beside(async move {
            let entries = match all_entries(seat.as_ref()).await {
                Ok(entries) => entries,
                Err(why) => return Done::Said(Err(why)),
            };
            let text = match form {
                ExportForm::Json => export::json(&entries),
                ExportForm::Markdown => export::markdown(&entries, &me),
            };
            Done::Said(around.write(name, text).await.map(|path| format!("written to {path}")))
        });
    }

    /// Take what an errand brought.
    pub(super) async fn finish(&mut self, done: Done) -> Result<(), PlainError> {
        match done {
            Done::Files(files) => {
                let files = Arc::new(files);
                self.looking_up = false;
                self.files = Some((Instant::now(), files.clone()));
                self.app.offer_files(files);
            }
            Done::Commands(commands) => self.app.offer_commands(commands),
            Done::Help(commands) => self.app.open_help(commands),
            Done::Models(offers) if offers.is_empty() => {
                self.app.say(Tone::Info, "no other model can be had: there is no key and no server of models");
            }
            Done::Models(offers) => self.app.open(Box::new(lists::models(offers))),
            Done::Sessions(Ok(rows)) => self.app.open(Box::new(lists::sessions(rows))),
            Done::Rewind(Ok(entries)) => {
                self.app.open(Box::new(lists::rewind(&entries)));
            }
            Done::Picture(Ok(path)) => self.app.paste(format!("@{path} ")),
            Done::Door(Ok(())) => {
                self.look_around();
                self.show_door();
            }
            Done::Said(Ok(what)) => {
                self.look_around();
                self.app.say(Tone::Info, what);
            }
            Done::Clients(Ok(clients)) => self.app.open(Box::new(lists::clients(clients))),
            Done::Sessions(Err(why))
            | Done::Clients(Err(why))
            | Done::Picture(Err(why))
            | Done::Door(Err(why))
            | Done::Rewind(Err(why))
            | Done::Said(Err(why)) => self.app.say(Tone::Bad, why),
        }
        Ok(())
    }

    /// Draw the live area anew, whatever another program has left there.
    fn redraw(&mut self) -> Result<(), PlainError> {
        self.stage.leave().map_err(PlainError::Output)?;
        self.stage.come_back(terminal::size().map_err(PlainError::Input)?);
        Ok(())
    }

    /// Give the terminal to the person's editor.
    async fn in_editor(&mut self, name: String, text: String) -> Result<Result<String, String>, PlainError> {
        self.stage.leave().map_err(PlainError::Output)?;
        self.keyboard.pause().map_err(PlainError::Input)?;
        self.terminal.pause().map_err(PlainError::Output)?;
        let edited = self.surroundings.edit(name, text).await;
        self.terminal.resume().map_err(PlainError::Output)?;
        self.come_back()?;
        Ok(edited)
    }

    /// Ctrl+Z.
    pub(super) async fn suspend(&mut self) -> Result<(), PlainError> {
        self.keyboard.pause().map_err(PlainError::Input)?;
        self.stage.leave().map_err(PlainError::Output)?;
        if self.terminal.suspend().await.map_err(PlainError::Output)? == Suspended::NobodyToReturnTo {
            self.app.say(Tone::Warn, "there is no shell to go back to");
        }
        self.come_back()
    }

    /// The terminal is ours again, whatever is on it now.
    fn come_back(&mut self) -> Result<(), PlainError> {
        self.terminal.fresh_row(terminal::cursor()).map_err(PlainError::Input)?;
        // Whoever had it has their own.
        self.title = None;
        self.stage.come_back(terminal::size().map_err(PlainError::Input)?);
        self.keyboard.resume().map_err(PlainError::Input)
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
        if weight > MOST {
            return Err(format!("the session is longer than {} MiB, which is too much for this", MOST >> 20));
        }
        entries.extend(page);
    }
}
