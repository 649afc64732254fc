//! The screen: the person's seat as a terminal program with a transcript, a composer and dialogs.
//!
//! Finished lines go to the terminal's own scrollback and are never touched again; only the live area below them is
//! redrawn. One loop takes keys and entries, changes the parts, and shows what came of it.

mod app;
mod composer;
mod diff_lines;
mod environment;
mod export;
mod highlight;
mod inline_terminal;
mod input;
mod keymap;
mod markdown;
mod overlay;
mod patch;
mod rendered_lines;
mod run;
mod screen_command;
mod settings;
mod status_line;
mod terminal;
mod terminal_control;
mod theme;
mod todo_list;
mod transcript_view;

#[cfg(test)]
mod testing;

pub use environment::{BackgroundCommandRow, EmptyEnvironment, SavedPermissions, ScreenEnvironment};
pub use overlay::{ClientRow, EndpointAccess, EndpointState, SessionFolders, SessionRow, TrustChoice};
pub use run::{ScreenExit, run_screen};
pub use settings::{NotificationMethod, ScreenSettings};
