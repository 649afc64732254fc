//! Who sits in front of a session: a person at a screen or at lines, one prompt, or nobody.

use crate::around::{Around, Preferred};
use crate::config::text_file;
use crate::console::Console;
use crate::equip::Equipped;
use crate::greeting::{Greeting, LINE_TIPS, SCREEN_TIPS};
use crate::piped::{self, PipedPrompt};
use crate::serve;
use crate::settings::{Basics, Detail, FirstPrompt, Interactive, Usage};
use pollux_session::{Level, Notice, Seat, SessionId};
use pollux_tools::ProcessEnvironment;
use pollux_tui::{
    Asks, Colour, Echo, Ended, Format, Left, Lines, OnceSettings, PlainError, PlainSettings, ScreenSettings, Width,
    run_once, run_plain, run_screen,
};
use std::ffi::OsStr;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Who sits in front of the session.
pub(crate) enum Front {
    /// A person with the whole terminal.
    Screen,
    /// A person at plain lines, or a pipe that types like one.
    Lines(Echo),
    /// Nobody types: one prompt, then the end.
    Prompt { prompt: PipedPrompt, person: bool, format: Format },
    /// Nobody at all: others come through the port.
    PortOnly,
}

/// What comes after a session.
pub(crate) enum Next {
    /// The end.
    Exit(ExitCode),
    /// Another session.
    Session(SessionId),
}

/// A session, and what a person in front of it should see.
pub(crate) struct Sitting<'a> {
    pub(crate) seat: Arc<dyn Seat>,
    pub(crate) basics: &'a Basics,
    pub(crate) equipped: &'a Equipped,
    pub(crate) greeting: Greeting,
    /// What a person has typed already.
    pub(crate) first_prompt: Option<String>,
    pub(crate) console: &'a Console,
    pub(crate) around: Arc<Around>,
}

impl Front {
    pub(crate) fn choose(settings: &Interactive) -> anyhow::Result<Front> {
        let person = std::io::stdin().is_terminal();
        let format = settings.format;
        let at_terminal = person && std::io::stdout().is_terminal();
        let once = match &settings.prompt {
            Some(FirstPrompt::Once(prompt)) => Some(prompt),
            Some(FirstPrompt::Anywhere(prompt)) if !at_terminal => Some(prompt),
            Some(FirstPrompt::AtTerminal(_)) if !at_terminal => {
                let way_out = "--prompt-interactive needs a terminal to go on in; use -p TEXT where there is none";
                return Err(Usage(way_out.into()).into());
            }
            Some(FirstPrompt::Anywhere(_) | FirstPrompt::AtTerminal(_)) | None => None,
        };
        if let Some(prompt) = once {
            // A person's own keys are for asks.
            let prompt = match person {
                true => PipedPrompt { text: prompt.clone(), piped_len: 0 },
                false => piped::beside(prompt, std::io::stdin())?,
            }
            .with_shell_mark()?;
            return Ok(Front::Prompt { prompt, person, format });
        }
        if person {
            let screen = !settings.plain && at_terminal && !is_dumb();
            return Ok(if screen { Front::Screen } else { Front::Lines(Echo::Terminal) });
        }
        if settings.plain {
            return Ok(Front::Lines(Echo::Seat));
        }
        if settings.a2a_port.is_some() {
            return Ok(Front::PortOnly);
        }
        let prompt = piped::all(std::io::stdin())?;
        if prompt.text.trim().is_empty() {
            let way_out = "nobody is at the terminal and standard input is empty; use -p TEXT, --a2a-port or --plain";
            return Err(Usage(way_out.into()).into());
        }
        Ok(Front::Prompt { prompt, person: false, format })
    }

    pub(crate) fn is_person(&self) -> bool {
        matches!(self, Front::Screen | Front::Lines(Echo::Terminal))
    }

    /// What somebody should know who is here for the first time.
    pub(crate) fn tips(&self) -> &'static [&'static str] {
        match self {
            Front::Screen => SCREEN_TIPS,
            Front::Lines(Echo::Terminal) => LINE_TIPS,
            Front::Lines(Echo::Seat) | Front::Prompt { .. } | Front::PortOnly => &[],
        }
    }

    pub(crate) async fn run(&self, sitting: Sitting<'_>, shutdown: &CancellationToken) -> anyhow::Result<Next> {
        match self {
            Front::Screen => screen(sitting, shutdown).await,
            Front::Lines(echo) => lines(*echo, sitting, shutdown).await.map(Next::Exit),
            Front::Prompt { prompt, person, format } => {
                let asks = if *person {
                    Asks::Person(Lines::of(std::io::BufReader::new(std::io::stdin()), Echo::Terminal)?)
                } else {
                    Asks::Nobody
                };
                answer(prompt.clone(), asks, *format, sitting, shutdown).await.map(Next::Exit)
            }
            Front::PortOnly => {
                serve::stop_on_signal(shutdown)?;
                let mut out = std::io::stdout();
                for line in sitting.greeting.lines() {
                    writeln!(out, "{line}")?;
                }
                out.flush()?;
                shutdown.cancelled().await;
                Ok(Next::Exit(ExitCode::SUCCESS))
            }
        }
    }
}

async fn screen(sitting: Sitting<'_>, shutdown: &CancellationToken) -> anyhow::Result<Next> {
    end_on_signal(shutdown)?;
    let Preferred { theme, vim } = Preferred::of(&sitting.basics.person);
    let settings = ScreenSettings {
        model_line: sitting.equipped.model.label.clone(),
        workspace: sitting.greeting.workspace.clone(),
        joined: false,
        colour: colour(),
        theme,
        vim,
        keys: sitting.basics.person.keys().and_then(|file| text_file::read(&file).ok().flatten()),
        history: sitting.around.earlier_prompts(),
        console: own_lines(sitting.console, Echo::Terminal),
        notices: loudness(sitting.basics.detail),
        models: sitting.equipped.offers(),
        commands: sitting.equipped.commands(&sitting.greeting.workspace),
        prices: Some(sitting.equipped.prices()),
        first_prompt: sitting.first_prompt,
        surroundings: sitting.around,
        greeting: sitting.greeting.lines(),
    };
    match run_screen(sitting.seat, settings, shutdown.clone()).await {
        Ok(Left::Ended(Ended::EndOfInput | Ended::Quit | Ended::Shutdown)) => Ok(Next::Exit(ExitCode::SUCCESS)),
        Ok(Left::For(session)) => Ok(Next::Session(session)),
        Err(error) => left_behind(error).map(Next::Exit),
    }
}

async fn lines(echo: Echo, sitting: Sitting<'_>, shutdown: &CancellationToken) -> anyhow::Result<ExitCode> {
    let interrupts = interrupts(shutdown)?;
    // Where the answer goes elsewhere, only the terminal itself can show what is typed.
    let lines = match echo {
        Echo::Terminal if std::io::stdout().is_terminal() => Lines::key_by_key()?,
        echo => Lines::of(std::io::BufReader::new(std::io::stdin()), echo)?,
    };
    let settings = PlainSettings {
        model_line: sitting.equipped.model.label.clone(),
        colour: colour(),
        width: if std::io::stdout().is_terminal() { Width::Terminal } else { Width::Unlimited },
        notices: loudness(sitting.basics.detail),
        console: own_lines(sitting.console, echo),
        models: sitting.equipped.offers(),
        commands: sitting.equipped.commands(&sitting.greeting.workspace),
        prices: Some(sitting.equipped.prices()),
        first_prompt: sitting.first_prompt,
        greeting: sitting.greeting.lines(),
    };
    let ended = run_plain(sitting.seat, lines, tokio::io::stdout(), settings, shutdown.clone(), interrupts).await;
    match ended {
        Ok(Ended::EndOfInput | Ended::Quit | Ended::Shutdown) => Ok(ExitCode::SUCCESS),
        Err(error) => left_behind(error),
    }
}

async fn answer(
    prompt: PipedPrompt,
    asks: Asks,
    format: Format,
    sitting: Sitting<'_>,
    shutdown: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    serve::stop_on_signal(shutdown)?;
    // On standard error: standard output is for the answer.
    for line in sitting.greeting.door {
        writeln!(std::io::stderr(), "{line}")?;
    }
    let (out, err) = (tokio::io::stdout(), tokio::io::stderr());
    let PipedPrompt { text, piped_len } = prompt;
    let settings = OnceSettings { format, prices: Some(sitting.equipped.prices()), piped_len };
    let outcome = run_once(sitting.seat, text, out, err, asks, settings, shutdown.clone()).await?;
    Ok(ExitCode::from(outcome.exit_code()))
}

/// A terminal that has been closed is no fault of anybody's.
pub(crate) fn left_behind(error: PlainError) -> anyhow::Result<ExitCode> {
    match error {
        PlainError::Input(error) | PlainError::Output(error) if is_hangup(&error) => Ok(ExitCode::SUCCESS),
        error => Err(error.into()),
    }
}

/// What a terminal that has been closed answers, often before its signal arrives.
fn is_hangup(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

/// Whether the terminal says that it cannot move its cursor.
pub(crate) fn is_dumb() -> bool {
    ProcessEnvironment::original().get_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// Whether colours are used at standard output. A terminal that cannot move its cursor would print what makes them.
pub(crate) fn colour() -> Colour {
    let wanted = ProcessEnvironment::original().get_os("NO_COLOR").is_none_or(OsStr::is_empty) && !is_dumb();
    if std::io::stdout().is_terminal() && wanted { Colour::Always } else { Colour::Never }
}

/// The least loud notices that are shown.
pub(crate) fn loudness(detail: Detail) -> Level {
    match detail {
        Detail::Errors => Level::Error,
        Detail::Warnings => Level::Warn,
        Detail::News => Level::Info,
        Detail::Everything | Detail::Traces => Level::Debug,
    }
}

/// The program's own lines, where they would land on the screen: standard error may be a file.
fn own_lines(console: &Console, echo: Echo) -> Option<mpsc::Receiver<Notice>> {
    (echo == Echo::Terminal && std::io::stderr().is_terminal()).then(|| console.take_over())
}

/// SIGTERM and SIGHUP end the program; so does SIGINT, which a raw terminal sends for no key.
pub(crate) fn end_on_signal(shutdown: &CancellationToken) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let (mut signals, shutdown) = (signal(kind)?, shutdown.clone());
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                shutdown.cancel();
            }
        });
    }
    Ok(())
}

/// Ctrl+C as messages; SIGTERM and SIGHUP end the program.
pub(crate) fn interrupts(shutdown: &CancellationToken) -> std::io::Result<mpsc::Receiver<()>> {
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
