//! A session at the terminal, shared on a port when one is named.

use crate::config::Config;
use crate::console::Console;
use crate::endpoint::{self, Bound, InFront};
use crate::equip::{Engines, Equipped, config_for, equip, terminal};
use crate::place::{Begin, Place, usable};
use crate::settings::{Basics, Detail, Interactive, Keep, Usage};
use crate::{console, kept, piped, serve, trust};
use pollux_host::Board;
use pollux_server::Rooms;
use pollux_session::{
    Command, CommandId, Context, Level, Notice, Opening, Overrides, Roster, Seat, SendError, Setting, Target,
};
use pollux_tui::{
    Asks, Colour, Echo, Ended, Format, Lines, OnceSettings, PlainError, PlainSettings, Width, run_once, run_plain,
};
use std::io::{IsTerminal, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub(crate) async fn run(basics: Basics, settings: Interactive) -> anyhow::Result<ExitCode> {
    let earlier = match &settings.keep {
        Keep::Nothing | Keep::New => None,
        Keep::Newest => Some(kept::newest(&basics.data_dir, &usable(&settings.workspace)?)?),
        Keep::Named(name) => Some(kept::find(&basics.data_dir, name)?),
    };
    let workspace = match &earlier {
        Some(earlier) => earlier.workspace.clone(),
        None => usable(&settings.workspace)?,
    };
    let board = Board::default();
    let console = console::start(basics.detail, settings.a2a_port.is_some().then(|| board.clone()));
    let mut config = config_for(&basics, &workspace);
    // A session that keeps nothing keeps no workspace either.
    config.preferences.checkpointing &= !matches!(settings.keep, Keep::Nothing);
    if let Some(hint) = trust::hint(&basics, Path::new(&workspace)) {
        tracing::warn!("{hint}");
    }
    let engines = Engines::choose(&basics, &config)?;
    let front = Front::choose(&settings)?;
    let bound = match settings.a2a_port {
        Some(port) => {
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            Some(endpoint::bind(&basics, address, InFront::default(), settings.door.clone()).await?)
        }
        None => None,
    };
    let address = bound.as_ref().map(|bound| bound.address);
    let (place, begin) = Place::for_terminal(&basics, &settings.keep, earlier, &workspace, address)?;
    let Place { log, blobs, lock: _lock } = place;
    let equipped = equip(&basics, &config, &workspace, engines, log, blobs, board);
    let seat = sit(&basics, &config, &equipped, begin, &workspace).await?;

    let shutdown = CancellationToken::new();
    let door = bound.as_ref().map(|bound| door(&basics, bound)).unwrap_or_default();
    let greeting = Greeting { workspace: workspace.clone(), door, note: equipped.note.clone() };
    let endpoint = match bound {
        Some(bound) => {
            let roster: Arc<dyn Roster> = Arc::new(equipped.host.clone());
            let rooms = Rooms::Shared { roster, session: seat.session(), workspace: workspace.clone() };
            Some(bound.open(&basics, rooms, &equipped, shutdown.clone())?)
        }
        None => None,
    };
    let code = front.run(seat.clone(), &equipped, greeting, Screen { console, detail: basics.detail }, &shutdown).await;
    shutdown.cancel();
    if let Some(endpoint) = endpoint {
        endpoint.closed().await?;
    }
    equipped.host.stop().await;
    if front.is_person() && !matches!(settings.keep, Keep::Nothing) {
        // A person who has closed the terminal does not read it, and that is no fault.
        let _ = writeln!(std::io::stderr(), "go on with: pollux --resume {}", seat.session());
    }
    code
}

/// Open the session or go on with it.
async fn sit(
    basics: &Basics,
    config: &Config,
    equipped: &Equipped,
    begin: Begin,
    workspace: &str,
) -> anyhow::Result<Arc<dyn Seat>> {
    let who = terminal();
    let id = match begin {
        Begin::New(id) => {
            let context = Context::new(&id.to_string()).ok_or_else(|| Usage("the session id is no label".into()))?;
            let workspace = workspace.to_owned();
            let opening = Opening {
                id,
                context,
                workspace,
                overrides: Overrides::default(),
                once: None,
                edge: serde_json::Value::Null,
            };
            return Ok(equipped.host.open(&who, opening).await?);
        }
        Begin::Resumed(id) => id,
    };
    let found = equipped.host.find(&who, &Target::Id(id.0)).await?;
    let seat = found.ok_or_else(|| Usage(format!("session {id} belongs to somebody else")))?.seat;
    if basics.mode.is_some() {
        seat.send(fresh_id(), Command::Set { setting: Setting::Mode(config.preferences.mode) }).await?;
    }
    if let Some(model) = basics.model.as_ref().filter(|model| !model.starts_with("script:")) {
        let set = seat.send(fresh_id(), Command::Set { setting: Setting::Model(model.clone()) }).await;
        set.map_err(|error| match error {
            SendError::Refused(refusal) => anyhow::Error::from(Usage(refusal.to_string())),
            lost @ SendError::Lost(_) => lost.into(),
        })?;
    }
    equipped.host.wake(id);
    Ok(seat)
}

fn fresh_id() -> CommandId {
    CommandId::from(Uuid::now_v7())
}

/// What a person reads first.
struct Greeting {
    workspace: String,
    /// Where others come in; empty when they do not.
    door: Vec<String>,
    /// How to get a real model.
    note: Option<String>,
}

impl Greeting {
    fn lines(self) -> Vec<String> {
        let name = format!("pollux {} in {}", env!("CARGO_PKG_VERSION"), self.workspace);
        [name].into_iter().chain(self.door).chain(self.note).collect()
    }
}

fn door(basics: &Basics, bound: &Bound) -> Vec<String> {
    let address = format!("shared on {}  (WebSocket: ws://{}/ws)", bound.url(), bound.address);
    let grpc = bound.grpc_address().map(|address| format!("gRPC on {address}"));
    let token = bound.token_to_print(basics).map(|token| format!("token: {token}"));
    [address].into_iter().chain(grpc).chain(token).collect()
}

/// What a person's screen shows besides the session.
struct Screen {
    console: Console,
    detail: Detail,
}

impl Screen {
    fn notices(&self) -> Level {
        match self.detail {
            Detail::Errors => Level::Error,
            Detail::Warnings => Level::Warn,
            Detail::News => Level::Info,
            Detail::Everything | Detail::Traces => Level::Debug,
        }
    }

    /// The program's own lines, where they would land on the screen: standard error may be a file.
    fn console(self, echo: Echo) -> Option<mpsc::Receiver<Notice>> {
        (echo == Echo::Terminal && std::io::stderr().is_terminal()).then(|| self.console.take_over())
    }
}

/// Who sits in front of the session.
enum Front {
    /// A person, or a pipe that types like one.
    Lines(Echo),
    /// Nobody types: one prompt, then the end.
    Prompt { text: String, person: bool, format: Format },
    /// Nobody at all: others come through the port.
    PortOnly,
}

impl Front {
    fn choose(settings: &Interactive) -> anyhow::Result<Front> {
        let person = std::io::stdin().is_terminal();
        let format = settings.format;
        if let Some(prompt) = &settings.prompt {
            // A person's own keys are for asks.
            let text = if person { prompt.clone() } else { piped::beside(prompt, std::io::stdin())? };
            return Ok(Front::Prompt { text, person, format });
        }
        if person {
            return Ok(Front::Lines(Echo::Terminal));
        }
        if settings.plain {
            return Ok(Front::Lines(Echo::Seat));
        }
        if settings.a2a_port.is_some() {
            return Ok(Front::PortOnly);
        }
        let text = piped::all(std::io::stdin())?;
        if text.trim().is_empty() {
            let way_out = "nobody is at the terminal and standard input is empty; use -p TEXT, --a2a-port or --plain";
            return Err(Usage(way_out.into()).into());
        }
        Ok(Front::Prompt { text, person: false, format })
    }

    fn is_person(&self) -> bool {
        matches!(self, Front::Lines(Echo::Terminal))
    }

    async fn run(
        &self,
        seat: Arc<dyn Seat>,
        equipped: &Equipped,
        greeting: Greeting,
        screen: Screen,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<ExitCode> {
        match self {
            Front::Lines(echo) => {
                let interrupts = interrupts(shutdown)?;
                // Where the answer goes elsewhere, only the terminal itself can show what is typed.
                let lines = match echo {
                    Echo::Terminal if std::io::stdout().is_terminal() => Lines::key_by_key()?,
                    echo => Lines::of(std::io::BufReader::new(std::io::stdin()), *echo)?,
                };
                let colour = if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
                    Colour::Always
                } else {
                    Colour::Never
                };
                let width = if std::io::stdout().is_terminal() { Width::Terminal } else { Width::Unlimited };
                let commands = equipped.commands(&greeting.workspace);
                let settings = PlainSettings {
                    model_line: equipped.model.label.clone(),
                    greeting: greeting.lines(),
                    colour,
                    width,
                    notices: screen.notices(),
                    console: screen.console(*echo),
                    models: equipped.offers(),
                    commands,
                    prices: Some(equipped.prices()),
                };
                let ended = run_plain(seat, lines, tokio::io::stdout(), settings, shutdown.clone(), interrupts).await;
                match ended {
                    Ok(Ended::EndOfInput | Ended::Quit | Ended::Shutdown) => Ok(ExitCode::SUCCESS),
                    Err(PlainError::Input(error) | PlainError::Output(error)) if is_hangup(&error) => {
                        Ok(ExitCode::SUCCESS)
                    }
                    Err(error) => Err(error.into()),
                }
            }
            Front::Prompt { text, person, format } => {
                serve::stop_on_signal(shutdown)?;
                let asks = if *person {
                    Asks::Person(Lines::of(std::io::BufReader::new(std::io::stdin()), Echo::Terminal)?)
                } else {
                    Asks::Nobody
                };
                // On standard error: standard output is for the answer.
                for line in greeting.door {
                    writeln!(std::io::stderr(), "{line}")?;
                }
                let (out, err) = (tokio::io::stdout(), tokio::io::stderr());
                let settings = OnceSettings { format: *format, prices: Some(equipped.prices()) };
                let outcome = run_once(seat, text.clone(), out, err, asks, settings, shutdown.clone()).await?;
                Ok(ExitCode::from(outcome.exit_code()))
            }
            Front::PortOnly => {
                serve::stop_on_signal(shutdown)?;
                let mut out = std::io::stdout();
                for line in greeting.lines() {
                    writeln!(out, "{line}")?;
                }
                out.flush()?;
                shutdown.cancelled().await;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

/// What a terminal that has been closed answers, often before its signal arrives.
fn is_hangup(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

/// Ctrl+C as messages; SIGTERM and SIGHUP end the program.
fn interrupts(shutdown: &CancellationToken) -> std::io::Result<mpsc::Receiver<()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = mpsc::channel(4);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let shutdown = shutdown.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                Some(()) = interrupt.recv() => {
                    // A full channel means that the person is hammering; they have been heard.
                    let _ = sender.try_send(());
                }
                Some(()) = terminate.recv() => return shutdown.cancel(),
                Some(()) = hangup.recv() => return shutdown.cancel(),
                else => return,
            }
        }
    });
    Ok(receiver)
}
