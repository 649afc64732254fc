//! Every tool, through the public door, on real files and real processes.

#[cfg(test)]
mod confinement;
#[cfg(test)]
mod list_directory;
#[cfg(test)]
mod read_file;
#[cfg(test)]
mod room;
#[cfg(test)]
mod run_shell_command;
#[cfg(test)]
mod toolbox;
#[cfg(test)]
mod write_file;
