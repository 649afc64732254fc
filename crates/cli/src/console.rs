//! What the program says about itself: on standard error, and as notices to whoever shares the session.

use crate::settings::Detail;
use pollux_host::Board;
use pollux_session::{Level, Notice};
use std::fmt::{self, Write as _};
use std::io::IsTerminal;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, filter};

/// Start logging. With a board, everything from `info` up also reaches the clients of the session, as `CONSOLE_LOG`.
pub(crate) fn start(detail: Detail, board: Option<Board>) {
    let filter = match detail {
        Detail::Warnings => EnvFilter::new("warn"),
        Detail::Everything => {
            EnvFilter::new("info,pollux_server=debug,pollux_host=debug,pollux_agent=debug,pollux_cli=debug")
        }
    };
    let stderr = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .with_target(false)
        .with_filter(filter);
    let ours = filter::filter_fn(|meta| meta.target().starts_with("pollux") && *meta.level() <= tracing::Level::INFO);
    let notices = board.map(|board| Pinned { board }.with_filter(ours));
    // A second start, in a test, keeps the first one's subscriber.
    let _ = tracing_subscriber::registry().with(stderr).with(notices).try_init();
}

/// Pins log lines to the board.
struct Pinned {
    board: Board,
}

impl<S: Subscriber> Layer<S> for Pinned {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warn,
            tracing::Level::INFO => Level::Info,
            tracing::Level::DEBUG | tracing::Level::TRACE => Level::Debug,
        };
        let mut line = Line::default();
        event.record(&mut line);
        self.board.post(None, Notice { level, text: line.0 });
    }
}

/// A log line as one text: the message, then `name=value` for each field.
#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let space = if self.0.is_empty() { "" } else { " " };
        // Writing to a String cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{space}{value:?}"),
            name => write!(self.0, "{space}{name}={value:?}"),
        };
    }
}
