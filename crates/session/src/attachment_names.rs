//! The names of attachments that are no files: notes of ours to the model, and output of a person's own command. The names are in
//! the log, so none of them ever changes.

/// How the name of an [`Attached`](crate::Event::Attached) begins that holds what a command of the person's own printed (`/shell`, `!`).
/// Every other attachment in a command's turn hands the turn to the model; this one does not.
pub const SHELL_ATTACHMENT: &str = "! ";

/// How the name of an [`Attached`](crate::Event::Attached) begins that tells of commands in the background which ended with an earlier process of
/// ours. Behind it stand the commands.
pub const ENDED_ATTACHMENT: &str = "& ";

/// How the name of an [`Attached`](crate::Event::Attached) begins that tells the model that it makes the same calls over and over. Behind it
/// stands one of the tools.
pub const LOOP_ATTACHMENT: &str = "~ ";

/// How the name of an [`Attached`](crate::Event::Attached) begins that tells the model of calls which are still done after the conversation went back
/// to before them. Behind it stand the calls.
pub const KEPT_ATTACHMENT: &str = "< ";

/// How the name of an [`Attached`](crate::Event::Attached) begins that takes media out of the conversation: the provider refused a request with
/// them. These are what came after the newest answer. Behind it stand their names.
pub const REFUSED_ATTACHMENT: &str = "^ ";

/// How the name of an [`Attached`](crate::Event::Attached) begins that tells the model of a rules file in a directory below the workspace. Behind it
/// stands the file, relative to the workspace.
pub const RULES_ATTACHMENT: &str = "% ";

/// The name of an [`Attached`](crate::Event::Attached) that tells the model where it works: the date, the directory, the mode.
pub const SITUATION_ATTACHMENT: &str = "# situation";

/// The name of an [`Attached`](crate::Event::Attached) that tells the model again, behind a summary, which to-dos and which plan are open.
pub const OPEN_WORK_ATTACHMENT: &str = "# open work";

/// How the names of those [`Attached`](crate::Event::Attached) begin that are notes of ours to the model, and nothing that a prompt mentions.
pub const NOTE_ATTACHMENTS: [&str; 7] = [
    ENDED_ATTACHMENT,
    KEPT_ATTACHMENT,
    LOOP_ATTACHMENT,
    OPEN_WORK_ATTACHMENT,
    REFUSED_ATTACHMENT,
    RULES_ATTACHMENT,
    SITUATION_ATTACHMENT,
];
