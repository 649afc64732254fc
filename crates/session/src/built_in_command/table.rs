//! The rows.

use super::CommandAnswerer::{Agent, Seat, SeatOrAgent};
use super::CommandSeat::{Screen, Terminal};
use super::{BuiltInCommand, CommandAnswerer};
use ArgumentFacts::{Optional, Required};

/// A row of the table.
#[derive(Clone, Copy)]
pub(super) struct CommandFacts {
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    pub(super) answerer: CommandAnswerer,
    pub(super) help: &'static str,
    pub(super) arguments: &'static [ArgumentFacts],
    /// Name, help and arguments of each command below it.
    pub(super) subcommands: &'static [(&'static str, &'static str, &'static [ArgumentFacts])],
}

/// One thing that a command takes: its name and what it is for.
pub(super) enum ArgumentFacts {
    Required(&'static str, &'static str),
    Optional(&'static str, &'static str),
}

const fn row(name: &'static str, answerer: CommandAnswerer, help: &'static str) -> CommandFacts {
    CommandFacts { name, aliases: &[], answerer, help, arguments: &[], subcommands: &[] }
}

const TAG: &[ArgumentFacts] = &[Required("tag", "Its name: letters, digits, dots, dashes and underscores")];

impl BuiltInCommand {
    pub(super) const fn facts(self) -> CommandFacts {
        match self {
            BuiltInCommand::A2a => CommandFacts {
                aliases: &["a2a-port"],
                subcommands: &[
                    (
                        "open",
                        "Share this session",
                        &[Optional("port", "The port to listen on; a free one if not given")],
                    ),
                    ("close", "Stop sharing this session", &[]),
                ],
                ..row("a2a", Seat(Screen), "Share this session; without arguments, show how to join")
            },
            BuiltInCommand::About => row("about", Agent, "Show version, model, workspace and approval mode"),
            BuiltInCommand::Background => CommandFacts {
                aliases: &["shells"],
                subcommands: &[("stop", "Stop a command", &[Required("pid", "Its process number in the list")])],
                ..row("background", Seat(Screen), "Show and stop commands that run in the background")
            },
            BuiltInCommand::Cancel => row("cancel", Seat(Terminal), "Stop the running turn, as Ctrl+C does"),
            BuiltInCommand::Chat => CommandFacts {
                subcommands: &[
                    ("save", "Save the conversation so far", TAG),
                    ("list", "List the saved conversations of this workspace", &[]),
                    ("resume", "Resume a saved conversation", TAG),
                    ("delete", "Delete a saved conversation", TAG),
                ],
                ..row("chat", Agent, "Save and resume conversations")
            },
            BuiltInCommand::Clear => row("clear", Agent, "Start over: the model forgets the conversation so far"),
            BuiltInCommand::Clients => row("clients", Seat(Screen), "Show and remove connected clients"),
            BuiltInCommand::Compress => CommandFacts {
                aliases: &["compact", "summarize"],
                ..row("compress", SeatOrAgent(Terminal), "Replace the older part of the conversation by a summary")
            },
            BuiltInCommand::Copy => row("copy", Seat(Screen), "Copy the newest answer"),
            BuiltInCommand::Diff => row("diff", Seat(Screen), "Files that this session's tools wrote, call by call"),
            BuiltInCommand::Export => CommandFacts {
                arguments: &[Optional("file", "The file to write; without it, one in the data folder of Pollux")],
                ..row("export", Seat(Screen), "Write the conversation to a file (.md or .json)")
            },
            BuiltInCommand::Extensions => CommandFacts {
                subcommands: &[("list", "List extensions with version and state", &[])],
                ..row("extensions", Agent, "Show extensions")
            },
            BuiltInCommand::Help => {
                CommandFacts { aliases: &["?"], ..row("help", SeatOrAgent(Terminal), "Show commands and keys") }
            }
            BuiltInCommand::Init => row("init", Agent, "Let the model analyse the workspace and write GEMINI.md"),
            BuiltInCommand::Keys => {
                CommandFacts { aliases: &["shortcuts"], ..row("keys", Seat(Screen), "Show keyboard shortcuts") }
            }
            BuiltInCommand::ListExtensions => row("list-extensions", Agent, "List extensions as JSON, for programs"),
            BuiltInCommand::Mcp => CommandFacts {
                subcommands: &[("list", "The MCP servers, whether they answer, and their tools and prompts", &[])],
                ..row("mcp", Agent, "Show MCP servers")
            },
            BuiltInCommand::Memory => CommandFacts {
                subcommands: &[
                    ("show", "What the memory files say", &[]),
                    (
                        "add",
                        "Remember something, in every session",
                        &[Required("text", "What to remember, in a sentence")],
                    ),
                    ("refresh", "Read the memory files again", &[]),
                    ("list", "The memory files that are read", &[]),
                ],
                ..row("memory", Agent, "Show and change the model's memory")
            },
            BuiltInCommand::Mode => CommandFacts {
                arguments: &[Optional("mode", "default, auto_edit, plan or yolo")],
                ..row("mode", Seat(Terminal), "Set the approval mode: default, auto_edit, plan, yolo")
            },
            BuiltInCommand::Model => CommandFacts {
                arguments: &[Optional("name", "The model to use from the next turn on")],
                ..row("model", SeatOrAgent(Terminal), "Show the model and the available ones; with a name, switch")
            },
            BuiltInCommand::Permissions => CommandFacts {
                subcommands: &[(
                    "drop",
                    "Take back what was allowed in this session",
                    &[Required("number", "Its number in the list")],
                )],
                ..row("permissions", Seat(Terminal), "Show what you have allowed, and where it is kept")
            },
            BuiltInCommand::Queue => CommandFacts {
                subcommands: &[
                    ("drop", "Remove a prompt", &[Required("number", "Its number in the list")]),
                    ("go", "Send the held prompts", &[]),
                ],
                ..row("queue", Seat(Terminal), "Show waiting prompts")
            },
            BuiltInCommand::Quit => CommandFacts {
                aliases: &["exit"],
                ..row("quit", Seat(Terminal), "Leave; you can resume the session later")
            },
            BuiltInCommand::Restore => CommandFacts {
                subcommands: &[
                    ("list", "The checkpoints of this session, newest first", &[]),
                    (
                        "restore",
                        "Restore files and conversation to a checkpoint, after showing what changes",
                        &[
                            Required("checkpoint", "A number or a name from the list"),
                            Optional("all", "Files that only you changed go back, too"),
                        ],
                    ),
                ],
                ..row("restore", Agent, "Undo changes")
            },
            BuiltInCommand::Resume => CommandFacts {
                subcommands: &[("all", "The sessions of every folder", &[])],
                ..row("resume", Seat(Screen), "Switch to another session; without arguments, list those of this folder")
            },
            BuiltInCommand::Rewind => CommandFacts {
                arguments: &[
                    Optional("number", "The number of a prompt, as the list shows it"),
                    Optional("checkpoint", "A checkpoint as /restore lists it, which files go back to as well"),
                ],
                ..row("rewind", SeatOrAgent(Screen), "Go back to before a prompt; without a number, list prompts")
            },
            BuiltInCommand::Settings => CommandFacts {
                subcommands: &[
                    ("list", "What somebody has set, and where", &[]),
                    ("all", "Every setting, also those that have their default", &[]),
                ],
                ..row("settings", Agent, "Show effective settings and where each comes from")
            },
            BuiltInCommand::Shell => CommandFacts {
                arguments: &[Required("command", "The shell command")],
                ..row("shell", Agent, "Run a shell command in the workspace and show its output to the model")
            },
            BuiltInCommand::Stats => row(
                "stats",
                SeatOrAgent(Terminal),
                "Show turns, model calls, tokens, cost and tool calls of this session",
            ),
            BuiltInCommand::Status => {
                row("status", Seat(Terminal), "Show model, mode, session, and what runs or waits")
            }
            BuiltInCommand::Theme => CommandFacts {
                arguments: &[Optional("name", "auto, dark, light or plain; without it, a list")],
                ..row("theme", Seat(Screen), "Colours: auto, dark, light or plain")
            },
            BuiltInCommand::Tools => CommandFacts {
                subcommands: &[("list", "List the model's tools", &[]), ("desc", "The tools with what each does", &[])],
                ..row("tools", Agent, "List the model's tools")
            },
            BuiltInCommand::Uncompress => {
                CommandFacts { aliases: &["uncompact"], ..row("uncompress", Seat(Terminal), "Undo the newest summary") }
            }
            BuiltInCommand::Vim => row("vim", Seat(Screen), "Switch vi keys on or off"),
        }
    }
}
