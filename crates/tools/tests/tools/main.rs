//! Every tool, through the public door, on real files and real processes.

#[cfg(test)]
mod added;
#[cfg(test)]
mod ask_user;
#[cfg(test)]
mod background;
#[cfg(test)]
mod checkpoints;
#[cfg(test)]
mod confinement;
#[cfg(test)]
mod filtering;
#[cfg(test)]
mod glob;
#[cfg(test)]
mod google_web_search;
#[cfg(test)]
mod grep_search;
#[cfg(test)]
mod inject;
#[cfg(test)]
mod list_directory;
#[cfg(test)]
mod plan_mode;
#[cfg(test)]
mod protected_names;
#[cfg(test)]
mod read_file;
#[cfg(test)]
mod replace;
#[cfg(test)]
mod room;
#[cfg(test)]
mod run_shell_command;
#[cfg(test)]
mod save_memory;
#[cfg(test)]
mod supervisor;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod toolbox;
#[cfg(test)]
mod web_fetch;
#[cfg(test)]
mod write_file;
#[cfg(test)]
mod write_todos;
