//! A person's seat at a session, in a terminal.
//!
//! [`run_plain`] is the line mode: prompts, streamed answers and asks as plain lines, for screen readers, dumb
//! terminals and pipes. [`run_once`] asks one thing and prints the answer, as text or as JSON. Both sit on the same
//! [`Seat`](pollux_session::Seat) as everybody else; every byte they print goes through one pen.

mod answer;
mod commands;
mod dialog;
mod fenced_diff;
mod form;
mod headless;
mod keys;
mod lines;
mod mine;
mod offers;
mod page;
mod pen;
mod plain;
mod prices;
mod question;
mod render;
mod sanitize;
mod screen;
mod send;
mod slash;
mod tally;
mod thought;
mod typed_command;
mod view;

#[cfg(test)]
mod testing;

pub use commands::AgentCommands;
pub use headless::{AskResponder, HeadlessOutcome, HeadlessSettings, OutputFormat, report_failure, run_headless};
pub use lines::{EchoSource, LineInput};
pub use offers::ModelOffers;
pub use pen::{ColourMode, LineWidth};
pub use plain::{ExitReason, LineModeSettings, run_line_mode};
pub use prices::PriceLookup;
pub use sanitize::{clean, one_line};
pub use screen::{
    ClientRow, EmptyEnvironment, EndpointAccess, EndpointState, ScreenEnvironment, ScreenExit, ScreenSettings,
    SessionRow, TrustChoice, run_screen,
};
pub use send::TerminalError;
