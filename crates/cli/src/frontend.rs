//! The user of a session: a person at a screen or at lines, one prompt, or nobody.

use crate::config::text_file;
use crate::console::Console;
use crate::host_environment::{HostEnvironment, ScreenPreferences};
use crate::interactive::{FirstPrompt, InteractiveSettings};
use crate::piped_input::{self, PipedPrompt};
use crate::runtime::Runtime;
use crate::settings::{GlobalSettings, LogDetail, UsageError};
use crate::signals::{end_on_signal, interrupts, stop_on_signal};
use crate::startup_banner::{LINE_TIPS, SCREEN_TIPS, StartupBanner};
use pollux_agent::Attendance;
use pollux_session::{Notice, NoticeLevel, PromptId, Seat, SessionId};
use pollux_tools::ProcessEnvironment;
use pollux_tui::{
    AskResponder, ColourMode, EchoSource, ExitReason, HeadlessSettings, LineInput, LineModeSettings, LineWidth,
    OutputFormat, ScreenExit, ScreenSettings, TerminalError, run_headless, run_line_mode, run_screen,
};
use std::ffi::OsStr;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The user of a session.
pub(crate) enum Frontend {
    /// A person with the whole terminal.
    Screen,
    /// A person at plain lines, or a pipe that types like one.
    Lines(EchoSource),
    /// Nobody types: one prompt, then the end.
    Prompt { prompt: PipedPrompt, person: bool, format: OutputFormat },
    /// Nobody at all: others come through the port.
    PortOnly,
}

/// The next step after a session.
pub(crate) enum AfterSession {
    /// The end.
    Exit(ExitCode),
    /// Another session.
    Session(SessionId),
}

/// A session, and what a person in front of it should see.
pub(crate) struct FrontendContext<'a> {
    pub(crate) seat: Arc<dyn Seat>,
    pub(crate) basics: &'a GlobalSettings,
    pub(crate) runtime: &'a Runtime,
    pub(crate) banner: StartupBanner,
    /// The prompt that a person has typed already.
    pub(crate) first_prompt: Option<String>,
    /// The prompt whose turn was running when the session was left.
    pub(crate) left_turn: Option<PromptId>,
    pub(crate) console: &'a Console,
    pub(crate) environment: Arc<HostEnvironment>,
}

impl Frontend {
    pub(crate) fn choose(settings: &InteractiveSettings) -> anyhow::Result<Frontend> {
        let person = std::io::stdin().is_terminal();
        let format = settings.format;
        let at_terminal = person && std::io::stdout().is_terminal();
        let once = match &settings.prompt {
            Some(FirstPrompt::Once(prompt)) => Some(prompt),
            Some(FirstPrompt::Anywhere(prompt)) if !at_terminal => Some(prompt),
            Some(FirstPrompt::AtTerminal(_)) if !at_terminal => {
                let way_out = "--prompt-interactive needs a terminal to go on in; use -p TEXT where there is none";
                return Err(UsageError(way_out.into()).into());
            }
            Some(FirstPrompt::Anywhere(_) | FirstPrompt::AtTerminal(_)) | None => None,
        };
        if let Some(prompt) = once {
            // A person's own keys are for asks.
            let prompt = match person {
                true => PipedPrompt { text: prompt.clone(), piped_len: 0 },
                false => piped_input::read_beside_prompt(prompt, std::io::stdin())?,
            }
            .with_shell_mark()?;
            return Ok(Frontend::Prompt { prompt, person, format });
        }
        if person {
            let screen = !settings.plain && at_terminal && !is_dumb();
            return Ok(if screen { Frontend::Screen } else { Frontend::Lines(EchoSource::Terminal) });
        }
        if settings.plain {
            return Ok(Frontend::Lines(EchoSource::Seat));
        }
        if settings.a2a_port.is_some() {
            return Ok(Frontend::PortOnly);
        }
        let prompt = piped_input::read_all(std::io::stdin())?;
        if prompt.text.trim().is_empty() {
            let way_out = "nobody is at the terminal and standard input is empty; use -p TEXT, --a2a-port or --plain";
            return Err(UsageError(way_out.into()).into());
        }
        Ok(Frontend::Prompt { prompt, person: false, format })
    }

    pub(crate) fn is_person(&self) -> bool {
        matches!(self, Frontend::Screen | Frontend::Lines(EchoSource::Terminal))
    }

    /// Whether anybody can answer what the agent asks.
    pub(crate) fn attendance(&self) -> Attendance {
        match self {
            Frontend::Prompt { person: false, .. } => Attendance::Unattended,
            Frontend::Prompt { person: true, .. } | Frontend::Screen | Frontend::Lines(_) | Frontend::PortOnly => {
                Attendance::Attended
            }
        }
    }

    /// Tips for somebody who is here for the first time.
    pub(crate) fn tips(&self) -> &'static [&'static str] {
        match self {
            Frontend::Screen => SCREEN_TIPS,
            Frontend::Lines(EchoSource::Terminal) => LINE_TIPS,
            Frontend::Lines(EchoSource::Seat) | Frontend::Prompt { .. } | Frontend::PortOnly => &[],
        }
    }

    pub(crate) async fn run(
        &self,
        frontend: FrontendContext<'_>,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<AfterSession> {
        match self {
            Frontend::Screen => start_screen(frontend, shutdown).await,
            Frontend::Lines(echo) => run_lines(*echo, frontend, shutdown).await.map(AfterSession::Exit),
            Frontend::Prompt { prompt, person, format } => {
                let asks = if *person {
                    AskResponder::Person(LineInput::from_reader(
                        std::io::BufReader::new(std::io::stdin()),
                        EchoSource::Terminal,
                    )?)
                } else {
                    AskResponder::Nobody
                };
                answer_prompt(prompt.clone(), asks, *format, frontend, shutdown).await.map(AfterSession::Exit)
            }
            Frontend::PortOnly => {
                stop_on_signal(shutdown)?;
                let mut out = std::io::stdout();
                for line in frontend.banner.lines() {
                    writeln!(out, "{line}")?;
                }
                out.flush()?;
                shutdown.cancelled().await;
                Ok(AfterSession::Exit(ExitCode::SUCCESS))
            }
        }
    }
}

async fn start_screen(frontend: FrontendContext<'_>, shutdown: &CancellationToken) -> anyhow::Result<AfterSession> {
    end_on_signal(shutdown)?;
    let ScreenPreferences { theme, vim } = ScreenPreferences::load(&frontend.basics.user_directories);
    let settings = ScreenSettings {
        // Before the console is taken over: what comes from then on is for the feed.
        notice_feed: frontend.seat.notices(),
        model_line: frontend.runtime.model.label.clone(),
        workspace: frontend.banner.workspace.clone(),
        is_attached: false,
        colour: choose_colour(),
        theme,
        vim,
        keys: frontend.basics.user_directories.keys().and_then(|file| text_file::read(&file).ok().flatten()),
        history: frontend.environment.earlier_prompts(),
        console: console_notices(frontend.console, EchoSource::Terminal),
        notices: notice_level(frontend.basics.detail),
        notifications: frontend.basics.config.preferences.notifications(),
        models: frontend.runtime.model_offers(),
        commands: frontend.runtime.commands(&frontend.banner.workspace),
        prices: Some(frontend.runtime.prices()),
        first_prompt: frontend.first_prompt,
        environment: frontend.environment,
        greeting: frontend.banner.lines(),
    };
    match run_screen(frontend.seat, settings, shutdown.clone()).await {
        Ok(ScreenExit::Ended(ExitReason::EndOfInput | ExitReason::Quit | ExitReason::Shutdown)) => {
            Ok(AfterSession::Exit(ExitCode::SUCCESS))
        }
        Ok(ScreenExit::SwitchSession(session)) => Ok(AfterSession::Session(session)),
        Err(error) => exit_after_hangup(error).map(AfterSession::Exit),
    }
}

async fn run_lines(
    echo: EchoSource,
    frontend: FrontendContext<'_>,
    shutdown: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    let interrupts = interrupts(shutdown)?;
    // Where the answer goes elsewhere, only the terminal itself can show what is typed.
    let lines = match echo {
        EchoSource::Terminal if std::io::stdout().is_terminal() => LineInput::from_terminal()?,
        echo => LineInput::from_reader(std::io::BufReader::new(std::io::stdin()), echo)?,
    };
    let settings = LineModeSettings {
        model_line: frontend.runtime.model.label.clone(),
        colour: choose_colour(),
        width: if std::io::stdout().is_terminal() { LineWidth::Terminal } else { LineWidth::Unlimited },
        notices: notice_level(frontend.basics.detail),
        console: console_notices(frontend.console, echo),
        models: frontend.runtime.model_offers(),
        commands: frontend.runtime.commands(&frontend.banner.workspace),
        prices: Some(frontend.runtime.prices()),
        first_prompt: frontend.first_prompt,
        greeting: frontend.banner.lines(),
    };
    let ended = run_line_mode(frontend.seat, lines, tokio::io::stdout(), settings, shutdown.clone(), interrupts).await;
    match ended {
        Ok(ExitReason::EndOfInput | ExitReason::Quit | ExitReason::Shutdown) => Ok(ExitCode::SUCCESS),
        Err(error) => exit_after_hangup(error),
    }
}

async fn answer_prompt(
    prompt: PipedPrompt,
    asks: AskResponder,
    format: OutputFormat,
    frontend: FrontendContext<'_>,
    shutdown: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    stop_on_signal(shutdown)?;
    // On standard error: standard output is for the answer.
    for line in frontend.banner.endpoint_lines {
        writeln!(std::io::stderr(), "{line}")?;
    }
    let (out, err) = (tokio::io::stdout(), tokio::io::stderr());
    let PipedPrompt { text, piped_len } = prompt;
    let settings =
        HeadlessSettings { format, prices: Some(frontend.runtime.prices()), piped_len, left_turn: frontend.left_turn };
    let outcome = run_headless(frontend.seat, text, out, err, asks, settings, shutdown.clone()).await?;
    Ok(ExitCode::from(outcome.exit_code()))
}

/// A terminal that has been closed is no fault of anybody's.
pub(crate) fn exit_after_hangup(error: TerminalError) -> anyhow::Result<ExitCode> {
    match error {
        TerminalError::Input(error) | TerminalError::Output(error) if is_hangup(&error) => Ok(ExitCode::SUCCESS),
        error => Err(error.into()),
    }
}

/// True for the error of a terminal that has been closed, which often comes before its signal.
fn is_hangup(error: &std::io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

/// True if the terminal says that it cannot move its cursor.
pub(crate) fn is_dumb() -> bool {
    ProcessEnvironment::original().get_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb")
}

/// The use of colours at standard output. A terminal that cannot move its cursor would print their codes.
pub(crate) fn choose_colour() -> ColourMode {
    let wanted = ProcessEnvironment::original().get_os("NO_COLOR").is_none_or(OsStr::is_empty) && !is_dumb();
    if std::io::stdout().is_terminal() && wanted { ColourMode::Always } else { ColourMode::Never }
}

/// The least loud notices that are shown.
pub(crate) fn notice_level(detail: LogDetail) -> NoticeLevel {
    match detail {
        LogDetail::Errors => NoticeLevel::Error,
        LogDetail::Warnings => NoticeLevel::Warn,
        LogDetail::News => NoticeLevel::Info,
        LogDetail::Everything | LogDetail::Traces => NoticeLevel::Debug,
    }
}

/// The program's own lines, where they would land on the screen: standard error may be a file.
fn console_notices(console: &Console, echo: EchoSource) -> Option<mpsc::Receiver<Notice>> {
    (echo == EchoSource::Terminal && std::io::stderr().is_terminal()).then(|| console.take_over())
}
