//! The one loop: keys first, then what the session and the process say, then a frame.

mod catch_up;
mod errands;
mod outbox;
mod set_up;
mod woken;

use super::app::{App, Around};
use super::chronicle::Tone;
use super::highlight::load_syntaxes;
use super::input::{Input, Keyboard};
use super::settings::ScreenSettings;
use super::signal::Signal;
use super::stage::Stage;
use super::surroundings::Surroundings;
use super::terminal::RawTerminal;
use crate::plain::Ended;
use crate::send::PlainError;
use catch_up::CaughtUp;
use errands::Done;
use outbox::Outbox;
use pollux_session::{At, Command, Notice, Notices, Seat, SessionId};
use ratatui::layout::{Position, Size};
use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use woken::Woken;

/// How many entries are taken before the person is listened to again.
const BATCH: usize = 256;
/// The shortest time between two frames that nobody pressed a key for. With the millisecond that a timer may add, there are
/// sixty a second.
const FRAME: Duration = Duration::from_millis(15);
/// How often the process around is asked how things are.
const LOOK: Duration = Duration::from_secs(2);
/// How many finished errands may wait.
const DONE: usize = 64;

/// Why the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// The person leaves, or the process stops.
    Ended(Ended),
    /// The person goes on with another session.
    For(SessionId),
}

/// Sit at `seat` with the whole terminal until the person leaves or `shutdown` is cancelled. What the session holds
/// already is printed first, as it looked when it happened.
pub async fn run_screen(
    seat: Arc<dyn Seat>,
    settings: ScreenSettings,
    shutdown: CancellationToken,
) -> Result<Left, PlainError> {
    let mut screen = Screen::set_up(seat, settings).map_err(PlainError::Input)?;
    let left = tokio::select! {
        biased;
        () = shutdown.cancelled() => Ok(Left::Ended(Ended::Shutdown)),
        left = screen.run() => left,
    };
    screen.show_undelivered()?;
    screen.stage.leave().map_err(PlainError::Output)?;
    left
}

/// The person's side of one session.
struct Screen {
    seat: Arc<dyn Seat>,
    app: App,
    // Before the guard: the live area is erased while the terminal is still ours.
    stage: Stage<io::Stdout>,
    keyboard: Keyboard,
    terminal: RawTerminal,
    outbox: Outbox,
    notices: Option<Box<dyn Notices>>,
    console: Option<mpsc::Receiver<Notice>>,
    surroundings: Arc<dyn Surroundings>,
    models: crate::offers::Offers,
    commands: crate::commands::Commands,
    done: mpsc::Receiver<Done>,
    doing: mpsc::Sender<Done>,
    /// The files of the workspace, as they were looked up last.
    files: Option<(Instant, Arc<Vec<String>>)>,
    looking_up: bool,
    drawn: Instant,
    /// Until then the terminal may have another size than it says, and nothing is drawn.
    settled: Instant,
    title: Option<Signal>,
    left: Option<Left>,
    /// What to begin with, until nothing has to be answered before it.
    first_prompt: Option<String>,
}

/// Whether there may be more to come from the person.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    Over,
}

impl Screen {
    async fn run(&mut self) -> Result<Left, PlainError> {
        // The first frame is there before anything is read.
        self.draw()?;
        let early = match self.catch_up().await? {
            CaughtUp::With(early) => early,
            CaughtUp::Left => return Ok(Left::Ended(Ended::Quit)),
        };
        self.look_around();
        for input in early {
            if self.take_input(input).await? == Flow::Over {
                return Ok(Left::Ended(Ended::EndOfInput));
            }
        }
        // Colours for code take a moment to load, and nobody waits for them.
        tokio::task::spawn_blocking(load_syntaxes);
        let mut look = Instant::now() + LOOK;
        let mut wanted = true;
        loop {
            // A folder's trust is asked about first: it decides what the prompt is answered with.
            if !self.app.is_covered()
                && let Some(prompt) = self.first_prompt.take()
            {
                self.app.submit(prompt);
            }
            wanted |= self.errands().await?;
            if let Some(left) = self.left.take() {
                return Ok(left);
            }
            let due = self.settled.max(self.drawn + FRAME);
            if wanted && Instant::now() >= due {
                self.draw()?;
                wanted = false;
            }
            let next = match (wanted, self.app.is_moving()) {
                (true, _) => due,
                (false, true) => self.drawn + Duration::from_millis(super::app::SPIN_MS),
                (false, false) => look,
            };
            let next = wakes_at(next, self.app.changes_at().map(Instant::from_std), self.drawn).max(self.settled);
            match self.woken(next, look).await {
                Woken::Input(None) => return Ok(Left::Ended(Ended::EndOfInput)),
                Woken::Input(Some(input)) => {
                    let mut input = Some(input);
                    while let Some(came) = input {
                        if self.take_input(came.map_err(PlainError::Input)?).await? == Flow::Over {
                            return Ok(Left::Ended(Ended::EndOfInput));
                        }
                        input = self.keyboard.ready();
                    }
                    // A key is answered at once.
                    self.errands().await?;
                    wanted = Instant::now() < self.settled;
                    if !wanted {
                        self.draw()?;
                    }
                    continue;
                }
                Woken::Entries(changed) => {
                    changed?;
                    self.read_batch().await?;
                }
                Woken::Sent(sent) => self.app.sent(&sent.command, sent.outcome),
                Woken::Done(done) => self.finish(done).await?,
                Woken::Notice(None) => self.notices = None,
                Woken::Console(None) => self.console = None,
                Woken::Notice(Some(notice)) | Woken::Console(Some(notice)) => self.app.notice(&notice),
                Woken::Time => {}
                Woken::Look => {
                    look = Instant::now() + LOOK;
                    self.look_around();
                }
            }
            wanted = true;
        }
    }

    /// Do what is to be done; whether there was anything.
    async fn errands(&mut self) -> Result<bool, PlainError> {
        let mut any = false;
        while let Some(errand) = self.app.errand() {
            self.run_errand(errand).await?;
            any = true;
        }
        Ok(any)
    }

    async fn take_input(&mut self, input: Input) -> Result<Flow, PlainError> {
        match input {
            Input::Key(key) => self.app.key(key),
            Input::Paste(text) => self.app.paste(text),
            Input::Resized { size, cursor } => self.resized(size, cursor),
            Input::Focus(focus) => self.app.focus(focus),
            Input::Background(background) => self.app.take_background(background),
            Input::Stop => self.suspend().await?,
            Input::Closed => return Ok(Flow::Over),
        }
        Ok(Flow::On)
    }

    /// Show the prompts that the session has not confirmed, and one that is half typed: nothing that was typed is lost in
    /// silence.
    fn show_undelivered(&mut self) -> Result<(), PlainError> {
        let unconfirmed = self.outbox.unconfirmed().filter_map(|command| match command {
            Command::Prompt { text, .. } => Some(text.clone()),
            _ => None,
        });
        let drafted = Some(self.app.draft()).filter(|draft| !draft.trim().is_empty());
        let texts: Vec<String> = unconfirmed.chain(drafted).collect();
        if texts.is_empty() {
            return Ok(());
        }
        for text in texts {
            self.app.say(Tone::Warn, format!("not confirmed as sent: {text}"));
        }
        self.draw()
    }

    fn resized(&mut self, size: Size, cursor: Option<Position>) {
        self.stage.resized(size, cursor);
        self.settled = Instant::now() + self.stage.habits().settles;
    }

    async fn read_batch(&mut self) -> Result<(), PlainError> {
        for entry in self.seat.read(self.app.cursor(), BATCH).await? {
            self.app.take(&entry);
        }
        self.app.settle();
        Ok(())
    }

    fn look_around(&mut self) {
        let around = Around {
            branch: self.surroundings.branch(),
            window: self.surroundings.window(&self.app.model()),
            port: self.surroundings.door().and_then(|door| door.port()),
            clients: self.surroundings.client_count(),
            trouble: self.surroundings.trouble(),
            sending: self.outbox.under_way(),
        };
        self.app.look_around(around);
    }

    fn draw(&mut self) -> Result<(), PlainError> {
        let size = self.stage.size();
        let page = self.app.page(size);
        self.stage.page(page).map_err(PlainError::Output)?;
        let frame = self.app.frame(size, now());
        self.stage.show(frame).map_err(PlainError::Output)?;
        let title = self.app.title();
        if self.title.as_ref() != Some(&title) {
            self.stage.signal(title.clone()).map_err(PlainError::Output)?;
            self.title = Some(title);
        }
        self.drawn = Instant::now();
        Ok(())
    }
}

/// When to wake at the latest: at `next`, or when something looks different by itself and was not drawn so yet.
fn wakes_at(next: Instant, changes: Option<Instant>, drawn: Instant) -> Instant {
    changes.filter(|at| *at > drawn).map_or(next, |at| next.min(at))
}

fn now() -> At {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    At(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
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
