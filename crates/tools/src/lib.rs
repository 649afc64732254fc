//! Touches the machine: the tools a model may call, confined to one workspace.
//!
//! A call is first previewed (what would it do?), then run. What a person was shown is what runs; if the world
//! changed in between, the run says so and does nothing. Failures are data for the model, never errors of ours.

mod arguments;
mod counted;
mod error;
mod excerpt;
mod list_directory;
mod output;
mod patch;
mod process;
mod read_file;
mod run_shell_command;
mod tool;
mod toolbox;
mod workspace;
mod write_file;

pub use output::{Output, OutputKeeper, OutputSpool};
pub use run_shell_command::ShellLimits;
pub use tool::{Declaration, Preview, Ran};
pub use toolbox::Toolbox;
