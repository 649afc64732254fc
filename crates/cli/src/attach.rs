//! `pollux attach`: a terminal at a session that runs in another process, over its socket.

use crate::around::{Joined, Preferred};
use crate::config::text_file;
use crate::console::{self, Console, LineStyle};
use crate::front::{colour, end_on_signal, interrupts, is_dumb, left_behind, loudness};
use crate::joining::{self, Choice};
use crate::settings::{Basics, Usage};
use anyhow::anyhow;
use pollux_remote::{Link, Parting, RemoteSeat, SeatError};
use pollux_session::{Level, Notice, Pending};
use pollux_tui::{
    Commands, Echo, Ended, Left, Lines, Offers, PlainError, PlainSettings, ScreenSettings, Width, run_plain, run_screen,
};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// How many lines about this program wait to be drawn.
const LINES: usize = 64;

/// What is to be joined.
pub(crate) struct Wish {
    /// An address, a process id or a session id; `None` for the only one there is.
    pub(crate) target: Option<String>,
    /// Plain lines instead of a full screen.
    pub(crate) plain: bool,
}

pub(crate) async fn run(basics: Basics, wish: Wish) -> anyhow::Result<ExitCode> {
    let console = console::start(basics.detail, LineStyle::Sentences, None);
    let address = match joining::find(&basics, wish.target.as_deref())? {
        Choice::One(address) => address,
        Choice::Several(running) => {
            writeln!(std::io::stdout().lock(), "{}", joining::describe_several(&running))?;
            return Ok(ExitCode::from(2));
        }
    };
    let (host, names_session) = (address.host(), address.names_session());
    let seat = RemoteSeat::join(address).await.map_err(|error| not_joined(error, names_session))?;
    let (shutdown, link, session) = (CancellationToken::new(), seat.link(), seat.welcome().session);
    let is_person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let left = match is_person && !wish.plain && !is_dumb() {
        true => at_screen(&basics, seat, &host, &console, shutdown).await,
        false => at_lines(seat, &host, &console, shutdown).await,
    };
    match left {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => match &*link.borrow() {
            Link::Ended(why) => Err(anyhow!(
                "the session at {host} is over for this terminal: {why}. Resume it on the machine where it ran: pollux --resume {session}"
            )),
            Link::Up | Link::Down { .. } => left_behind(error),
        },
    }
}

async fn at_screen(
    basics: &Basics,
    seat: Arc<RemoteSeat>,
    host: &str,
    console: &Console,
    shutdown: CancellationToken,
) -> Result<(), PlainError> {
    end_on_signal(&shutdown).map_err(PlainError::Input)?;
    let Preferred { theme, vim } = Preferred::of(&basics.person);
    let around = Joined::new(basics, &seat, host);
    let settings = ScreenSettings {
        model_line: model_line(&seat),
        greeting: greeting(&seat, host),
        workspace: seat.welcome().workspace.clone(),
        joined: true,
        colour: colour(),
        theme,
        vim,
        keys: basics.person.keys().and_then(|file| text_file::read(&file).ok().flatten()),
        history: around.earlier_prompts(),
        console: std::io::stderr().is_terminal().then(|| console.take_over()),
        notices: loudness(basics.detail),
        models: models(&seat),
        commands: commands(&seat),
        first_prompt: None,
        prices: None,
        surroundings: Arc::new(around),
    };
    match run_screen(seat, settings, shutdown).await? {
        // Nothing here lists sessions to go on with, so the second cannot be.
        Left::Ended(Ended::EndOfInput | Ended::Quit | Ended::Shutdown) | Left::For(_) => Ok(()),
    }
}

async fn at_lines(
    seat: Arc<RemoteSeat>,
    host: &str,
    console: &Console,
    shutdown: CancellationToken,
) -> Result<(), PlainError> {
    let interrupts = interrupts(&shutdown).map_err(PlainError::Input)?;
    let interrupts = while_connected(interrupts, seat.link(), shutdown.clone());
    let is_typed = std::io::stdin().is_terminal();
    let lines = match (is_typed, std::io::stdout().is_terminal()) {
        (true, true) => Lines::key_by_key(),
        (true, false) => Lines::of(std::io::BufReader::new(std::io::stdin()), Echo::Terminal),
        (false, _) => Lines::of(std::io::BufReader::new(std::io::stdin()), Echo::Seat),
    };
    let (sender, news) = mpsc::channel(LINES);
    tokio::spawn(banners(seat.link(), host.to_owned(), sender.clone()));
    if is_typed && std::io::stderr().is_terminal() {
        tokio::spawn(pass_on(console.take_over(), sender));
    }
    let settings = PlainSettings {
        model_line: model_line(&seat),
        greeting: greeting(&seat, host),
        colour: colour(),
        width: if std::io::stdout().is_terminal() { Width::Terminal } else { Width::Unlimited },
        notices: Level::Warn,
        console: Some(news),
        models: models(&seat),
        commands: commands(&seat),
        first_prompt: None,
        prices: None,
    };
    let lines = lines.map_err(PlainError::Input)?;
    let ended = run_plain(seat, lines, tokio::io::stdout(), settings, shutdown, interrupts).await?;
    match ended {
        Ended::EndOfInput | Ended::Quit | Ended::Shutdown => Ok(()),
    }
}

fn greeting(seat: &RemoteSeat, host: &str) -> Vec<String> {
    let welcome = seat.welcome();
    vec![
        format!("pollux {} at {host}, in {} there", env!("CARGO_PKG_VERSION"), welcome.workspace),
        format!("session {}; leaving (Ctrl+D) does not end it", welcome.session),
    ]
}

fn model_line(seat: &RemoteSeat) -> String {
    format!("the model is the session's own (pollux {} holds it)", seat.welcome().release)
}

fn models(seat: &Arc<RemoteSeat>) -> Offers {
    Offers::new(looked_up(seat, |seat| Box::pin(async move { seat.models().await.unwrap_or_default() })))
}

fn commands(seat: &Arc<RemoteSeat>) -> Commands {
    Commands::new(looked_up(seat, |seat| Box::pin(async move { seat.commands().await.unwrap_or_default() })))
}

/// A question that is put to the seat whenever somebody asks it.
fn looked_up<T>(
    seat: &Arc<RemoteSeat>,
    ask: impl Fn(Arc<RemoteSeat>) -> Pending<'static, T> + Send + Sync + 'static,
) -> impl Fn() -> Pending<'static, T> + Send + Sync + 'static {
    let seat = Arc::clone(seat);
    move || ask(Arc::clone(&seat))
}

/// Why nothing could be joined, with the way in where that is a token or the name of a session.
fn not_joined(error: SeatError, names_session: bool) -> anyhow::Error {
    match error {
        SeatError::Denied { host, status: 400, .. } if !names_session => {
            let here = "on its own machine, `pollux attach` lists them";
            let way_in = format!("pollux attach 'http://{host}/?taskId=SESSION_ID'");
            Usage(format!("the server at {host} has many sessions: name one of them, {way_in}; {here}")).into()
        }
        SeatError::Denied { status: 401, .. } => {
            let way_in = "it wants its token: put what stands behind #token= where /a2a shows the way in, or what is in \
                          the server's own token file, into a file that only you can read, and give --token-file FILE; \
                          written behind the address it would stay in the history of your shell";
            Usage(format!("{error}; {way_in}")).into()
        }
        error => error.into(),
    }
}

/// Ctrl+C means the turn while there is a connection. Without one nothing can be told to the session, so it means this
/// program.
fn while_connected(
    mut pressed: mpsc::Receiver<()>,
    link: watch::Receiver<Link>,
    shutdown: CancellationToken,
) -> mpsc::Receiver<()> {
    let (sender, interrupts) = mpsc::channel(4);
    tokio::spawn(async move {
        while let Some(()) = pressed.recv().await {
            if *link.borrow() != Link::Up {
                return shutdown.cancel();
            }
            // A full channel means that the person is hammering; they have been heard.
            let _ = sender.try_send(());
        }
    });
    interrupts
}

/// Say when the connection goes and when it is back.
async fn banners(mut link: watch::Receiver<Link>, host: String, sender: mpsc::Sender<Notice>) {
    let mut is_up = true;
    while link.changed().await.is_ok() {
        let text = match (&*link.borrow_and_update(), is_up) {
            (Link::Down { parting: Parting::Goodbye, .. }, true) => Some(format!(
                "the session at {host} was closed where it runs; waiting a minute for it to be opened again, Ctrl+C leaves"
            )),
            (Link::Down { parting: Parting::Lost, why, .. }, true) => {
                Some(format!("the connection to {host} is lost ({why}); trying again, Ctrl+C leaves"))
            }
            (Link::Up, false) => Some(format!("connected to {host} again; nothing was missed")),
            (Link::Down { .. }, false) | (Link::Up, true) | (Link::Ended(_), _) => None,
        };
        is_up = *link.borrow() == Link::Up;
        if let Some(text) = text
            && sender.send(Notice { level: Level::Warn, text }).await.is_err()
        {
            return;
        }
    }
}

/// The program's own lines, drawn like the others.
async fn pass_on(mut lines: mpsc::Receiver<Notice>, sender: mpsc::Sender<Notice>) {
    while let Some(line) = lines.recv().await {
        if sender.send(line).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_session_says_what_to_type() {
        let refused = || SeatError::Denied { host: "127.0.0.1:9".into(), status: 400, said: "/ws?taskId=ID".into() };
        let told = not_joined(refused(), false).to_string();
        assert!(told.contains("pollux attach 'http://127.0.0.1:9/?taskId=SESSION_ID'"), "{told}");
        assert!(!told.contains("/ws?"), "{told}");
        assert!(not_joined(refused(), true).to_string().contains("HTTP status 400"));
    }
}
