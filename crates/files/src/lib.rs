//! Opens files without ever waiting: what lies in a workspace may be a pipe that nobody writes to, a device without an
//! end, or a file that grows. Everything that is read for a session is opened here or, below a directory handle, by
//! `pollux_tools`, in the same way.

mod ignore_rules;
mod regular_files;

pub use ignore_rules::{GEMINI_IGNORE, IgnoreFiles, IgnoreRules, read_private_list};
pub use regular_files::{open_regular, read_beginning, read_text, read_whole};
