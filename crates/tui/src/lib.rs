//! A person's seat at a session, in a terminal.
//!
//! [`run_line_mode`] is the line mode: prompts, streamed answers and asks as plain lines, for screen readers, dumb
//! terminals and pipes. [`run_headless`] asks one thing and prints the answer, as text or as JSON. Both sit on the same
//! [`Seat`](pollux_session::Seat) as everybody else; every byte they print goes through one pen.

mod agent_commands;
mod ansi_writer;
mod ask_reply;
mod current_ask;
mod draw_list;
mod fenced_diff;
mod headless;
mod key_decoder;
mod line_input;
mod line_mode;
mod model_offers;
mod own_entries;
mod permission_listing;
mod question_form;
mod render;
mod sanitize;
mod screen;
mod send;
mod terminal_command;
mod typed_command;
mod wall_clock;

#[cfg(test)]
mod testing;

pub use agent_commands::AgentCommands;
pub use ansi_writer::{ColourMode, LineWidth};
pub use headless::{AskResponder, HeadlessOutcome, HeadlessSettings, OutputFormat, report_failure, run_headless};
pub use line_input::{EchoSource, LineInput};
pub use line_mode::{ExitReason, LineModeSettings, run_line_mode};
pub use model_offers::ModelOffers;
pub use pollux_session::PriceLookup;
pub use sanitize::{clean, one_line};
pub use screen::{
    BackgroundCommandRow, ClientRow, EmptyEnvironment, EndpointAccess, EndpointState, NotificationMethod,
    SavedPermissions, ScreenEnvironment, ScreenExit, ScreenSettings, SessionFolders, SessionRow, TrustChoice,
    run_screen,
};
pub use send::TerminalError;
