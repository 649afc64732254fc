//! `pollux attach`: a terminal at a session that runs in another process, over its socket.

use crate::config::text_file;
use crate::console::{self, Console, LineStyle};
use crate::flags::{BasicFlags, DataFlags, DebugFlags, EndpointFlags, TokenFlags};
use crate::frontend::{choose_colour, exit_after_hangup, is_dumb, notice_level};
use crate::host_environment::{AttachedEnvironment, ScreenPreferences, describe_link_end};
use crate::program_environment::ProgramEnvironment;
use crate::running_sessions::{self, AttachChoice, SessionProcess};
use crate::session_storage::now;
use crate::settings::{GlobalSettings, UsageError};
use crate::signals::{end_on_signal, interrupts};
use anyhow::anyhow;
use clap::Args;
use pollux_remote::{DisconnectReason, RemoteSeat, SeatError, SeatLinkState};
use pollux_session::{BoxFuture, Notice, NoticeLevel, Seat, SessionId};
use pollux_tui::{
    AgentCommands, EchoSource, ExitReason, LineInput, LineModeSettings, LineWidth, ModelOffers, ScreenExit,
    ScreenSettings, TerminalError, run_line_mode, run_screen,
};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

/// The most lines about this program that wait to be drawn.
const LINES: usize = 64;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux attach                            join the only running session, or list them
  pollux attach 4711                       join the session of this process
  pollux attach 41243                      join the session on this port
  pollux attach http://127.0.0.1:41243     join by address";

/// Which session to sit down at.
#[derive(Debug, Args)]
pub(crate) struct AttachFlags {
    /// The session to join: its process id, port, HOST:PORT, URL (http://127.0.0.1:PORT, with #token=… if it needs a
    /// token) or session id [default: the only one running here]
    #[arg(value_name = "PID|PORT|URL|SESSION")]
    pub(crate) target: Option<String>,
    /// Print plain lines instead of drawing a screen (for screen readers, dumb terminals and pipes)
    #[arg(long)]
    pub(crate) plain: bool,
    /// A file with the session's bearer token; only you may be able to read it
    #[arg(long, value_name = "FILE", help_heading = "Sharing")]
    pub(crate) token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

impl AttachFlags {
    /// Sit down at the session, until the person leaves.
    pub(crate) async fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let AttachFlags { target, plain, token_file, data, debug } = self;
        let endpoint = EndpointFlags { token: TokenFlags { token_file }, ..EndpointFlags::default() };
        let global_settings = environment.settings(BasicFlags { endpoint, data, debug, ..BasicFlags::default() })?;
        join(&global_settings, target.as_deref(), plain).await
    }
}

/// Join the session that `target` names, or the only one there is.
async fn join(global_settings: &GlobalSettings, target: Option<&str>, plain: bool) -> anyhow::Result<ExitCode> {
    let console = console::start(global_settings.detail, LineStyle::Sentences, None);
    let address = match running_sessions::find_session(global_settings, target)? {
        AttachChoice::One(address) => address,
        AttachChoice::Several(running) => {
            writeln!(std::io::stdout().lock(), "{}", running_sessions::describe_several(&running, now()))?;
            return Ok(ExitCode::from(2));
        }
    };
    let (host, names_session, is_here) = (address.host(), address.names_session(), address.is_here());
    let seat = RemoteSeat::join(address).await.map_err(|error| explain_join_failure(error, names_session))?;
    let (shutdown, link, session) = (CancellationToken::new(), seat.link(), seat.welcome().session);
    let is_person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let left = match is_person && !plain && !is_dumb() {
        true => attach_screen(global_settings, seat, &host, &console, shutdown).await,
        false => run_lines(seat, &host, &console, shutdown).await,
    };
    match left {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => match &*link.borrow() {
            SeatLinkState::Ended(why) => {
                let found = if is_here { find_again(global_settings, session) } else { SessionWhereabouts::Elsewhere };
                Err(anyhow!("{}. {}", describe_link_end(&host, why), found.way_back(session)))
            }
            SeatLinkState::Up | SeatLinkState::Down { .. } => exit_after_hangup(error),
        },
    }
}

/// Where a session is after the connection to it has ended for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionWhereabouts {
    /// It can be joined again.
    Shared,
    /// It runs on this machine, and cannot be joined at the moment.
    NotShared,
    /// No process of this machine has it.
    NotRunning,
    /// On a machine of which nothing is known.
    Elsewhere,
}

impl SessionWhereabouts {
    /// What to type to go on with it.
    fn way_back(self, session: SessionId) -> String {
        let (attach, resume) = (format!("pollux attach {session}"), format!("pollux --resume {session}"));
        match self {
            SessionWhereabouts::Shared => format!("It is shared again; join it: {attach}"),
            SessionWhereabouts::NotShared => {
                format!("It still runs; when /a2a open in its terminal shares it again, join it: {attach}")
            }
            SessionWhereabouts::NotRunning => format!("It does not run any more; resume it: {resume}"),
            SessionWhereabouts::Elsewhere => {
                format!("On its machine, join it while it runs: {attach}, or resume it afterwards: {resume}")
            }
        }
    }
}

/// Look on this machine for a session that a terminal has lost.
fn find_again(global_settings: &GlobalSettings, session: SessionId) -> SessionWhereabouts {
    match running_sessions::find_running(global_settings, session) {
        Ok(Some(SessionProcess { port: Some(_), .. })) => SessionWhereabouts::Shared,
        Ok(Some(SessionProcess { port: None, .. })) => SessionWhereabouts::NotShared,
        Ok(None) => SessionWhereabouts::NotRunning,
        Err(error) => {
            tracing::debug!("{error}");
            SessionWhereabouts::Elsewhere
        }
    }
}

async fn attach_screen(
    global_settings: &GlobalSettings,
    seat: Arc<RemoteSeat>,
    host: &str,
    console: &Console,
    shutdown: CancellationToken,
) -> Result<(), TerminalError> {
    end_on_signal(&shutdown).map_err(TerminalError::Input)?;
    let ScreenPreferences { theme, vim } = ScreenPreferences::load(&global_settings.user_directories);
    let around = AttachedEnvironment::new(global_settings, &seat, host);
    let settings = ScreenSettings {
        notice_feed: seat.notices(),
        model_line: model_line(&seat),
        greeting: banner_lines(&seat, host),
        workspace: seat.welcome().workspace.clone(),
        is_attached: true,
        colour: choose_colour(),
        theme,
        vim,
        keys: global_settings.user_directories.keys().and_then(|file| text_file::read(&file).ok().flatten()),
        history: around.earlier_prompts(),
        console: std::io::stderr().is_terminal().then(|| console.take_over()),
        notices: notice_level(global_settings.detail),
        notifications: global_settings.config.preferences.notifications(),
        models: models(&seat),
        commands: commands(&seat),
        first_prompt: None,
        prices: None,
        environment: Arc::new(around),
    };
    match run_screen(seat, settings, shutdown).await? {
        // Nothing here lists sessions to go on with, so the second cannot be.
        ScreenExit::Ended(ExitReason::EndOfInput | ExitReason::Quit | ExitReason::Shutdown)
        | ScreenExit::SwitchSession(_) => Ok(()),
    }
}

async fn run_lines(
    seat: Arc<RemoteSeat>,
    host: &str,
    console: &Console,
    shutdown: CancellationToken,
) -> Result<(), TerminalError> {
    let interrupts = interrupts(&shutdown).map_err(TerminalError::Input)?;
    let interrupts = while_connected(interrupts, seat.link(), shutdown.clone());
    let is_typed = std::io::stdin().is_terminal();
    let lines = match (is_typed, std::io::stdout().is_terminal()) {
        (true, true) => LineInput::from_terminal(),
        (true, false) => LineInput::from_reader(std::io::BufReader::new(std::io::stdin()), EchoSource::Terminal),
        (false, _) => LineInput::from_reader(std::io::BufReader::new(std::io::stdin()), EchoSource::Seat),
    };
    let (sender, news) = mpsc::channel(LINES);
    tokio::spawn(report_link_changes(seat.link(), host.to_owned(), sender.clone()));
    if is_typed && std::io::stderr().is_terminal() {
        tokio::spawn(forward_notices(console.take_over(), sender));
    }
    let settings = LineModeSettings {
        model_line: model_line(&seat),
        greeting: banner_lines(&seat, host),
        colour: choose_colour(),
        width: if std::io::stdout().is_terminal() { LineWidth::Terminal } else { LineWidth::Unlimited },
        notices: NoticeLevel::Warn,
        console: Some(news),
        models: models(&seat),
        commands: commands(&seat),
        first_prompt: None,
        prices: None,
    };
    let lines = lines.map_err(TerminalError::Input)?;
    let ended = run_line_mode(seat, lines, tokio::io::stdout(), settings, shutdown, interrupts).await?;
    match ended {
        ExitReason::EndOfInput | ExitReason::Quit | ExitReason::Shutdown => Ok(()),
    }
}

fn banner_lines(seat: &RemoteSeat, host: &str) -> Vec<String> {
    let welcome = seat.welcome();
    vec![
        format!("pollux {} at {host}, in {} there", env!("CARGO_PKG_VERSION"), welcome.workspace),
        format!("session {}; leaving (Ctrl+D) does not end it", welcome.session),
    ]
}

fn model_line(seat: &RemoteSeat) -> String {
    format!("model: chosen where the session runs (pollux {})", seat.welcome().release)
}

fn models(seat: &Arc<RemoteSeat>) -> ModelOffers {
    ModelOffers::new(lookup(seat, |seat| Box::pin(async move { seat.models().await.unwrap_or_default() })))
}

fn commands(seat: &Arc<RemoteSeat>) -> AgentCommands {
    AgentCommands::new(lookup(seat, |seat| Box::pin(async move { seat.commands().await.unwrap_or_default() })))
}

/// A question that is put to the seat whenever somebody asks it.
fn lookup<T>(
    seat: &Arc<RemoteSeat>,
    ask: impl Fn(Arc<RemoteSeat>) -> BoxFuture<'static, T> + Send + Sync + 'static,
) -> impl Fn() -> BoxFuture<'static, T> + Send + Sync + 'static {
    let seat = Arc::clone(seat);
    move || ask(Arc::clone(&seat))
}

/// Why nothing could be joined, with the way in where that is a token or the name of a session.
fn explain_join_failure(error: SeatError, names_session: bool) -> anyhow::Error {
    match error {
        SeatError::Denied { host, status: 400, .. } if !names_session => {
            let here = "`pollux attach` on its own machine lists them";
            let way_in = format!("pollux attach 'http://{host}/?taskId=SESSION_ID'");
            UsageError(format!("the server at {host} has many sessions: join one with {way_in}; {here}")).into()
        }
        SeatError::Denied { status: 401, .. } => {
            let way_in = "the session needs its token: save the part after #token= of the address that /a2a shows, or \
                          the content of the server's token file, in a file that only you can read, and give \
                          --token-file FILE. In the address itself the token would stay in your shell's history";
            UsageError(format!("{error}; {way_in}")).into()
        }
        error => error.into(),
    }
}

/// Ctrl+C means the turn while there is a connection. Without one nothing can be told to the session, so it means this
/// program.
fn while_connected(
    mut pressed: mpsc::Receiver<()>,
    link: watch::Receiver<SeatLinkState>,
    shutdown: CancellationToken,
) -> mpsc::Receiver<()> {
    let (sender, interrupts) = mpsc::channel(4);
    tokio::spawn(async move {
        while let Some(()) = pressed.recv().await {
            if *link.borrow() != SeatLinkState::Up {
                return shutdown.cancel();
            }
            // A full channel means that the person is hammering; they have been heard.
            let _ = sender.try_send(());
        }
    });
    interrupts
}

/// Say when the connection goes and when it is back.
async fn report_link_changes(mut link: watch::Receiver<SeatLinkState>, host: String, sender: mpsc::Sender<Notice>) {
    let mut is_up = true;
    while link.changed().await.is_ok() {
        let text = match (&*link.borrow_and_update(), is_up) {
            (SeatLinkState::Down { reason: DisconnectReason::Goodbye, .. }, true) => Some(format!(
                "sharing of the session at {host} was closed; waiting a minute for it to be opened again, Ctrl+C leaves"
            )),
            (SeatLinkState::Down { reason: DisconnectReason::Lost, why, .. }, true) => {
                Some(format!("the connection to {host} is lost ({why}); trying again, Ctrl+C leaves"))
            }
            (SeatLinkState::Up, false) => Some(format!("connected to {host} again; nothing was missed")),
            (SeatLinkState::Down { .. }, false) | (SeatLinkState::Up, true) | (SeatLinkState::Ended(_), _) => None,
        };
        is_up = *link.borrow() == SeatLinkState::Up;
        if let Some(text) = text
            && sender.send(Notice { level: NoticeLevel::Warn, text }).await.is_err()
        {
            return;
        }
    }
}

/// The program's own lines, drawn like the others.
async fn forward_notices(mut lines: mpsc::Receiver<Notice>, sender: mpsc::Sender<Notice>) {
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
    fn the_end_of_a_connection_names_a_command_that_is_not_refused() {
        let session: SessionId = "01890000-0000-7000-8000-000000000001".parse().unwrap();
        let told = describe_link_end("127.0.0.1:9", &SeatError::Closed.to_string());
        assert!(told.starts_with("sharing was closed") && !told.contains("nobody"), "{told}");
        assert!(describe_link_end("127.0.0.1:9", "gone").ends_with("is over for this terminal: gone"));
        for (found, attaches, resumes) in [
            (SessionWhereabouts::Shared, true, false),
            (SessionWhereabouts::NotShared, true, false),
            (SessionWhereabouts::NotRunning, false, true),
            (SessionWhereabouts::Elsewhere, true, true),
        ] {
            let told = found.way_back(session);
            assert_eq!(told.contains(&format!("pollux attach {session}")), attaches, "{told}");
            assert_eq!(told.contains(&format!("pollux --resume {session}")), resumes, "{told}");
        }
    }

    #[test]
    fn an_address_without_a_session_says_what_to_type() {
        let refused = || SeatError::Denied { host: "127.0.0.1:9".into(), status: 400, said: "/ws?taskId=ID".into() };
        let told = explain_join_failure(refused(), false).to_string();
        assert!(told.contains("pollux attach 'http://127.0.0.1:9/?taskId=SESSION_ID'"), "{told}");
        assert!(!told.contains("/ws?"), "{told}");
        assert!(explain_join_failure(refused(), true).to_string().contains("HTTP status 400"));
    }
}
