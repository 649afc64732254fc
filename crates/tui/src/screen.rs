//! The screen: the person's seat as a terminal program with a transcript, a composer and dialogs.
//!
//! Finished lines go to the terminal's own scrollback and are never touched again; only the live area below them is
//! redrawn. One loop takes keys and entries, changes the parts, and shows what came of it.

mod app;
mod chronicle;
mod composer;
mod diff_lines;
mod export;
mod highlight;
mod input;
mod keymap;
mod layer;
mod markdown;
mod patch;
mod picture;
mod run;
mod settings;
mod signal;
mod stage;
mod status;
mod surroundings;
mod terminal;
mod theme;
mod todos;
mod words;

#[cfg(test)]
mod testing;

pub use layer::{ClientRow, EndpointAccess, EndpointState, SessionRow, TrustChoice};
pub use run::{ScreenExit, run_screen};
pub use settings::ScreenSettings;
pub use surroundings::{EmptyEnvironment, ScreenEnvironment};
