//! The tools that come with Pollux, a file each. What they share with each other and with those of MCP servers is beside this
//! folder.

pub(crate) mod apply_patch;
pub(crate) mod ask_user;
pub(crate) mod enter_plan_mode;
pub(crate) mod exit_plan_mode;
pub(crate) mod glob;
pub(crate) mod google_web_search;
pub(crate) mod grep_search;
pub(crate) mod list_background_processes;
pub(crate) mod list_directory;
pub(crate) mod read_background_output;
pub(crate) mod read_file;
pub(crate) mod replace;
pub(crate) mod run_shell_command;
pub(crate) mod save_memory;
pub(crate) mod web_fetch;
pub(crate) mod write_background_input;
pub(crate) mod write_file;
pub(crate) mod write_todos;
