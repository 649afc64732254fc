//! The one loop: keys first, then what the session and the process say, then a frame.

mod catch_up;
mod effects;
mod outbox;
mod set_up;
mod wake;

use super::app::{App, ProcessStatus};
use super::environment::ScreenEnvironment;
use super::highlight::load_syntaxes;
use super::inline_terminal::InlineTerminal;
use super::input::{Keyboard, TerminalInput};
use super::settings::ScreenSettings;
use super::terminal::RawTerminal;
use super::terminal_control::TerminalControl;
use crate::line_mode::ExitReason;
use crate::send::{TerminalError, prompt_text};
use crate::wall_clock::now;
use catch_up::CaughtUp;
use effects::EffectResult;
use outbox::Outbox;
use pollux_session::{NoteTone, Notice, NoticeFeed, Seat, SessionId};
use ratatui::layout::{Position, Size};
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use wake::WakeReason;

/// How many entries are taken before the person is listened to again.
const BATCH: usize = 256;
/// The shortest time between two frames that nobody pressed a key for. With the millisecond that a timer may add, there are
/// sixty a second.
const FRAME_INTERVAL: Duration = Duration::from_millis(15);
/// How often the process around is asked how things are.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);
/// How many finished errands may wait.
const MAX_PENDING_RESULTS: usize = 64;

/// Why the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenExit {
    /// The person leaves, or the process stops.
    Ended(ExitReason),
    /// The person goes on with another session.
    SwitchSession(SessionId),
}

/// Sit at `seat` with the whole terminal until the person leaves or `shutdown` is cancelled. What the session holds
/// already is printed first, as it looked when it happened.
pub async fn run_screen(
    seat: Arc<dyn Seat>,
    settings: ScreenSettings,
    shutdown: CancellationToken,
) -> Result<ScreenExit, TerminalError> {
    let mut screen = Screen::set_up(seat, settings).map_err(TerminalError::Input)?;
    let left = tokio::select! {
        biased;
        () = shutdown.cancelled() => Ok(ScreenExit::Ended(ExitReason::Shutdown)),
        left = screen.run() => left,
    };
    screen.show_undelivered()?;
    screen.inline_terminal.leave().map_err(TerminalError::Output)?;
    left
}

/// The person's side of one session.
struct Screen {
    seat: Arc<dyn Seat>,
    app: App,
    // Before the guard: the live area is erased while the terminal is still ours.
    inline_terminal: InlineTerminal<io::Stdout>,
    keyboard: Keyboard,
    terminal: RawTerminal,
    outbox: Outbox,
    notices: Option<Box<dyn NoticeFeed>>,
    console: Option<mpsc::Receiver<Notice>>,
    environment: Arc<dyn ScreenEnvironment>,
    models: crate::model_offers::ModelOffers,
    commands: crate::agent_commands::AgentCommands,
    effect_results: mpsc::Receiver<EffectResult>,
    effect_sender: mpsc::Sender<EffectResult>,
    /// The files of the workspace, as they were looked up last.
    files: Option<(Instant, Arc<Vec<String>>)>,
    looking_up: bool,
    last_drawn: Instant,
    /// Until then the terminal may have another size than it says, and nothing is drawn.
    draw_after: Instant,
    title: Option<TerminalControl>,
    exit: Option<ScreenExit>,
    /// What to begin with, until nothing has to be answered before it.
    first_prompt: Option<String>,
}

/// Whether there may be more to come from the person.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InputFlow {
    Open,
    Closed,
}

impl Screen {
    async fn run(&mut self) -> Result<ScreenExit, TerminalError> {
        // The first frame is there before anything is read.
        self.draw()?;
        let early = match self.catch_up().await? {
            CaughtUp::Complete(early) => early,
            CaughtUp::Quit => return Ok(ScreenExit::Ended(ExitReason::Quit)),
        };
        self.refresh_status();
        for input in early {
            if self.take_input(input).await? == InputFlow::Closed {
                return Ok(ScreenExit::Ended(ExitReason::EndOfInput));
            }
        }
        // Colours for code take a moment to load, and nobody waits for them.
        tokio::task::spawn_blocking(load_syntaxes);
        let mut look = Instant::now() + STATUS_INTERVAL;
        let mut wanted = true;
        loop {
            // A folder's trust is asked about first: it decides what the prompt is answered with.
            if !self.app.is_covered()
                && let Some(prompt) = self.first_prompt.take()
            {
                self.app.submit(prompt);
            }
            wanted |= self.run_effects().await?;
            if let Some(left) = self.exit.take() {
                return Ok(left);
            }
            let due = self.draw_after.max(self.last_drawn + FRAME_INTERVAL);
            if wanted && Instant::now() >= due {
                self.draw()?;
                wanted = false;
            }
            let next = match (wanted, self.app.is_moving()) {
                (true, _) => due,
                (false, true) => self.last_drawn + Duration::from_millis(super::app::SPIN_MS),
                (false, false) => look,
            };
            let next =
                wakes_at(next, self.app.changes_at().map(Instant::from_std), self.last_drawn).max(self.draw_after);
            match self.next_wake(next, look).await {
                WakeReason::Input(None) => return Ok(ScreenExit::Ended(ExitReason::EndOfInput)),
                WakeReason::Input(Some(input)) => {
                    let mut input = Some(input);
                    while let Some(came) = input {
                        if self.take_input(came.map_err(TerminalError::Input)?).await? == InputFlow::Closed {
                            return Ok(ScreenExit::Ended(ExitReason::EndOfInput));
                        }
                        input = self.keyboard.ready();
                    }
                    // A key is answered at once.
                    self.run_effects().await?;
                    wanted = Instant::now() < self.draw_after;
                    if !wanted {
                        self.draw()?;
                    }
                    continue;
                }
                WakeReason::Entries(changed) => {
                    changed?;
                    self.read_batch().await?;
                }
                WakeReason::Sent(sent) => self.app.take_receipt(&sent.command, sent.outcome),
                WakeReason::EffectResult(done) => self.take_effect_result(done).await?,
                WakeReason::Notice(None) => self.notices = None,
                WakeReason::Console(None) => self.console = None,
                WakeReason::Notice(Some(notice)) | WakeReason::Console(Some(notice)) => self.app.notice(&notice),
                WakeReason::FrameDue => {}
                WakeReason::StatusDue => {
                    look = Instant::now() + STATUS_INTERVAL;
                    self.refresh_status();
                }
            }
            wanted = true;
        }
    }

    /// Do what is to be done; whether there was anything.
    async fn run_effects(&mut self) -> Result<bool, TerminalError> {
        let mut any = false;
        while let Some(app_effect) = self.app.next_effect() {
            self.run_app_effect(app_effect).await?;
            any = true;
        }
        Ok(any)
    }

    async fn take_input(&mut self, input: TerminalInput) -> Result<InputFlow, TerminalError> {
        match input {
            TerminalInput::Key(key) => self.app.key(key),
            TerminalInput::Paste(text) => self.app.paste(text),
            TerminalInput::Resized { size, cursor } => self.resized(size, cursor),
            TerminalInput::Focus(focus) => self.app.focus(focus),
            TerminalInput::Background(background) => self.app.take_background(background),
            TerminalInput::Stop => self.suspend().await?,
            TerminalInput::Closed => return Ok(InputFlow::Closed),
        }
        Ok(InputFlow::Open)
    }

    /// Show the prompts that the session has not confirmed, and one that is half typed: nothing that was typed is lost in
    /// silence.
    fn show_undelivered(&mut self) -> Result<(), TerminalError> {
        let unconfirmed = self.outbox.unconfirmed().filter_map(|command| prompt_text(command).map(str::to_owned));
        let drafted = Some(self.app.draft()).filter(|draft| !draft.trim().is_empty());
        let texts: Vec<String> = unconfirmed.chain(drafted).collect();
        if texts.is_empty() {
            return Ok(());
        }
        for text in texts {
            self.app.say(NoteTone::Warn, format!("not confirmed as sent: {text}"));
        }
        self.draw()
    }

    fn resized(&mut self, size: Size, cursor: Option<Position>) {
        self.inline_terminal.resized(size, cursor);
        self.draw_after = Instant::now() + self.inline_terminal.quirks().resize_delay;
    }

    async fn read_batch(&mut self) -> Result<(), TerminalError> {
        for entry in self.seat.read(self.app.cursor(), BATCH).await? {
            self.app.take_entry(&entry);
        }
        self.app.settle();
        Ok(())
    }

    fn refresh_status(&mut self) {
        let around = ProcessStatus {
            branch: self.environment.branch(),
            context_window: self.environment.context_window(&self.app.model()),
            port: self.environment.endpoint().and_then(|endpoint| endpoint.port()),
            clients: self.environment.client_count(),
            connection_problem: self.environment.connection_problem(),
            pending_commands: self.outbox.under_way(),
            background: self.environment.background_commands(),
            is_folder_trusted: self.environment.is_folder_trusted(),
        };
        self.app.set_process_status(around);
    }

    fn draw(&mut self) -> Result<(), TerminalError> {
        let size = self.inline_terminal.size();
        let page = self.app.page(size);
        self.inline_terminal.set_page(page).map_err(TerminalError::Output)?;
        let frame = self.app.frame(size, now());
        self.inline_terminal.show(frame).map_err(TerminalError::Output)?;
        let title = self.app.title();
        if self.title.as_ref() != Some(&title) {
            self.inline_terminal.send_control(title.clone()).map_err(TerminalError::Output)?;
            self.title = Some(title);
        }
        self.last_drawn = Instant::now();
        Ok(())
    }
}

/// When to wake at the latest: at `next`, or when something looks different by itself and was not drawn so yet.
fn wakes_at(next: Instant, changes: Option<Instant>, drawn: Instant) -> Instant {
    changes.filter(|at| *at > drawn).map_or(next, |at| next.min(at))
}

#[cfg(test)]
mod tests {
    use super::wakes_at;
    use pretty_assertions::assert_eq;
    use tokio::time::{Duration, Instant};

    #[test]
    fn what_was_drawn_since_it_changed_wakes_nobody() {
        let drawn = Instant::now();
        let at = |ms: u64| drawn + Duration::from_millis(ms);
        let before = drawn.checked_sub(Duration::from_millis(1));
        assert_eq!(wakes_at(at(50), None, drawn), at(50));
        assert_eq!(wakes_at(at(50), Some(at(20)), drawn), at(20));
        assert_eq!(wakes_at(at(50), Some(at(90)), drawn), at(50));
        assert_eq!(wakes_at(at(50), before, drawn), at(50), "a dialog that stands still costs nothing");
        assert_eq!(wakes_at(at(50), Some(drawn), drawn), at(50));
    }
}
