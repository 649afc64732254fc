//! Every tool, through the public door, on real files and real processes.

mod added_directories;
mod apply_patch;
mod ask_user;
mod background;
mod checkpoints;
mod confinement;
mod filtering;
mod glob;
mod google_web_search;
mod grep_search;
mod inject;
mod list_directory;
mod plan_mode;
mod planned_files;
mod protected_names;
mod read_file;
mod replace;
mod run_shell_command;
mod save_memory;
mod supervisor;
mod terminal;
mod test_workspace;
mod toolbox;
mod web_fetch;
mod write_file;
mod write_todos;
