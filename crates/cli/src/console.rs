//! Lines of the program about itself: on standard error, and as notices to whoever shares the session.

mod escape;
mod span_fields;

use crate::frontend::is_dumb;
use crate::settings::LogDetail;
use parking_lot::Mutex;
use pollux_host::{LOG_FAILURE, NoticeBoard};
use pollux_session::{Notice, NoticeLevel};
use std::fmt::{self, Write as _};
use std::io::{IsTerminal, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{broadcast, mpsc};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::FilterExt;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, filter};

/// The most lines that wait to be drawn before some are missed.
const WAITING: usize = 256;

/// True if logging was started with a board. There is one subscriber in a process.
static REACHES_CLIENTS: AtomicBool = AtomicBool::new(false);

/// Where the program's own lines go.
pub(crate) struct Console {
    taken: Arc<AtomicBool>,
    lines: broadcast::Sender<Notice>,
    held: HeldNotices,
}

/// Lines that wait for a screen which is about to come; `None` when none is.
type HeldNotices = Arc<Mutex<Option<Vec<Notice>>>>;

impl Console {
    /// From now on the lines come here and no longer to standard error: whoever draws on that terminal draws them too, so
    /// that none lands in the middle of a line that is being typed.
    pub(crate) fn take_over(&self) -> mpsc::Receiver<Notice> {
        let mut lines = self.lines.subscribe();
        let (sender, receiver) = mpsc::channel(WAITING);
        self.taken.store(true, Ordering::Release);
        let held = self.held.lock().take().unwrap_or_default();
        tokio::spawn(async move {
            for line in held {
                if sender.send(line).await.is_err() {
                    return;
                }
            }
            loop {
                match lines.recv().await {
                    Ok(line) => {
                        if sender.send(line).await.is_err() {
                            return;
                        }
                    }
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return,
                }
            }
        });
        receiver
    }

    /// A screen is about to come: keep the lines for whoever takes over, instead of printing them above it.
    pub(crate) fn hold(&self) {
        *self.held.lock() = Some(Vec::new());
        self.taken.store(true, Ordering::Release);
    }

    /// Print what was held and not taken: the screen never came.
    pub(crate) fn release(&self) {
        let Some(held) = self.held.lock().take() else { return };
        self.taken.store(false, Ordering::Release);
        for Notice { level, text } in held {
            // Standard error may be closed; there is nowhere else to say it.
            let _ = writeln!(std::io::stderr(), "{}: {}", level_word(level), pollux_tui::clean(&text));
        }
    }
}

/// The style of lines on standard error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineStyle {
    /// `warning: …`, for a person who reads them once.
    Sentences,
    /// With the time and the level in front, for whoever keeps them.
    Log,
}

/// A log line as a sentence for a person.
struct Sentence;

impl<S, N> FormatEvent<S, N> for Sentence
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        write!(writer, "{}: ", level_word(level(event)))?;
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// The word before a sentence for a person.
fn level_word(level: NoticeLevel) -> &'static str {
    match level {
        NoticeLevel::Error => "error",
        NoticeLevel::Warn => "warning",
        NoticeLevel::Info => "info",
        NoticeLevel::Debug => "debug",
    }
}

/// Start logging. With a board, everything from `info` up also reaches the clients of the session, as `CONSOLE_LOG`.
pub(crate) fn start(detail: LogDetail, style: LineStyle, board: Option<NoticeBoard>) -> Console {
    let directives = match detail {
        LogDetail::Errors => "error,rmcp=off",
        LogDetail::Warnings => "warn,rmcp=off",
        LogDetail::News => "info,rmcp=off",
        LogDetail::Everything => {
            "info,pollux_server=debug,pollux_host=debug,pollux_agent=debug,pollux_mcp_server=debug,\
             pollux_cli=debug,rmcp=off"
        }
        // What other people's crates trace may hold headers and bodies, and so secrets: they are left at info.
        LogDetail::Traces => {
            "info,pollux_server=trace,pollux_host=trace,pollux_agent=trace,pollux_tools=trace,pollux_store=trace,\
             pollux_mcp_server=trace,pollux_cli=trace,rmcp=off"
        }
    };
    // A terminal that works at one session ends with the same sentence.
    let failures = if board.is_some() && detail <= LogDetail::Warnings { "off" } else { "error" };
    let filter = || EnvFilter::new(format!("{directives},{LOG_FAILURE}={failures}"));
    let taken = Arc::new(AtomicBool::new(false));
    let lines = broadcast::Sender::new(WAITING);
    let untaken = taken.clone();
    let stderr = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal() && !is_dumb())
        .with_writer(std::io::stderr)
        .with_target(false)
        .fmt_fields(escape::fields());
    // Whoever looks inside wants to know when things happened.
    let stderr = match style {
        LineStyle::Sentences if detail <= LogDetail::Warnings => stderr.event_format(Sentence).boxed(),
        LineStyle::Sentences | LineStyle::Log => stderr.boxed(),
    };
    let stderr = stderr.with_filter(filter().and(filter::filter_fn(move |_| !untaken.load(Ordering::Acquire))));
    let held = HeldNotices::default();
    let drawn =
        ScreenLayer { taken: taken.clone(), sender: lines.clone(), shared: board.is_some(), held: held.clone() };
    let drawn = drawn.with_filter(filter());
    REACHES_CLIENTS.store(board.is_some(), Ordering::Release);
    let notices = board.map(|board| NoticeBoardLayer { board }.with_filter(filter::filter_fn(is_for_clients)));
    // A second start, in a test, keeps the first one's subscriber.
    let _ = tracing_subscriber::registry().with(stderr).with(drawn).with(notices).try_init();
    Console { taken, lines, held }
}

/// True if what is logged reaches clients as well, so that a notice of the same would be a second one.
pub(crate) fn reaches_clients() -> bool {
    REACHES_CLIENTS.load(Ordering::Acquire)
}

/// True if clients are told of it.
fn is_for_clients(meta: &Metadata<'_>) -> bool {
    meta.target().starts_with("pollux") && *meta.level() <= tracing::Level::INFO
}

/// Hands log lines to whoever has taken over.
struct ScreenLayer {
    taken: Arc<AtomicBool>,
    sender: broadcast::Sender<Notice>,
    /// True if there is a board, which brings the lines that are for clients.
    shared: bool,
    held: HeldNotices,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for ScreenLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        span_fields::remember(attributes, id, &context);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        span_fields::add(id, values, &context);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        // Only whoever looks inside wants to know which request it was.
        let is_detail = *event.metadata().level() >= tracing::Level::DEBUG;
        let about = || if is_detail { span_fields::format_spans(event, &context) } else { String::new() };
        if let Some(held) = self.held.lock().as_mut() {
            // Nobody reads the board yet. Lines are lossy.
            if held.len() < WAITING {
                held.push(notice(event, &about()));
            }
            return;
        }
        let on_the_board = self.shared && is_for_clients(event.metadata());
        if self.taken.load(Ordering::Acquire) && !on_the_board {
            // Lines are lossy: one that nobody hears is not worth keeping.
            let _ = self.sender.send(notice(event, &about()));
        }
    }
}

/// A log line as a notice, with what it is about behind it.
fn notice(event: &Event<'_>, about: &str) -> Notice {
    let mut line = LogLine::default();
    event.record(&mut line);
    Notice { level: level(event), text: line.0 + about }
}

fn level(event: &Event<'_>) -> NoticeLevel {
    match *event.metadata().level() {
        tracing::Level::ERROR => NoticeLevel::Error,
        tracing::Level::WARN => NoticeLevel::Warn,
        tracing::Level::INFO => NoticeLevel::Info,
        tracing::Level::DEBUG | tracing::Level::TRACE => NoticeLevel::Debug,
    }
}

/// Pins log lines to the board.
struct NoticeBoardLayer {
    board: NoticeBoard,
}

impl<S: Subscriber> Layer<S> for NoticeBoardLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        // Clients know their own requests, and are not told of each other's.
        self.board.post(None, notice(event, ""));
    }
}

/// A log line as one text: the message, then `name=value` for each field.
#[derive(Default)]
struct LogLine(String);

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let space = if self.0.is_empty() { "" } else { " " };
        let value = escape::escape(&format!("{value:?}"));
        // Writing to a String cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{space}{value}"),
            name => write!(self.0, "{space}{name}={value}"),
        };
    }
}
