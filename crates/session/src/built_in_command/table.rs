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
    /// What it does, in a line.
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

const TAG: &[ArgumentFacts] = &[Required("tag", "What it is called: letters, digits, dots, dashes and underscores")];

impl BuiltInCommand {
    pub(super) const fn facts(self) -> CommandFacts {
        match self {
            BuiltInCommand::A2a => CommandFacts {
                aliases: &["a2a-port"],
                subcommands: &[
                    (
                        "open",
                        "Let others join",
                        &[Optional("port", "The port to listen on; any that is free without it")],
                    ),
                    ("close", "Let nobody join any more", &[]),
                ],
                ..row("a2a", Seat(Screen), "Let others join this session; alone, it shows how")
            },
            BuiltInCommand::About => {
                row("about", Agent, "The version, the model, the workspace and how freely tools run")
            }
            BuiltInCommand::Cancel => row("cancel", Seat(Terminal), "Stop the running turn, as Ctrl+C does"),
            BuiltInCommand::Chat => CommandFacts {
                subcommands: &[
                    ("save", "Keep the conversation so far", TAG),
                    ("list", "The conversations that are kept for this workspace", &[]),
                    ("resume", "Let the model go on from a kept conversation", TAG),
                    ("delete", "Throw a kept conversation away", TAG),
                ],
                ..row("chat", Agent, "Keep conversations and go back to them")
            },
            BuiltInCommand::Clear => {
                row("clear", Agent, "Begin anew: the model no longer knows of the conversation so far")
            }
            BuiltInCommand::Clients => row("clients", Seat(Screen), "Who else is at this session"),
            BuiltInCommand::Compress => CommandFacts {
                aliases: &["compact", "summarize"],
                ..row("compress", SeatOrAgent(Terminal), "Let a summary stand for the older part of the conversation")
            },
            BuiltInCommand::Copy => row("copy", Seat(Screen), "Copy the newest answer"),
            BuiltInCommand::Diff => row("diff", Seat(Screen), "Files that this session's tools wrote, call by call"),
            BuiltInCommand::Export => CommandFacts {
                arguments: &[Optional("file", "The file to write; without it, one in the data folder of Pollux")],
                ..row("export", Seat(Screen), "Write the conversation to a file (.md or .json)")
            },
            BuiltInCommand::Extensions => CommandFacts {
                subcommands: &[("list", "The extensions there are, with version and state", &[])],
                ..row("extensions", Agent, "What extends the agent here")
            },
            BuiltInCommand::Help => CommandFacts {
                aliases: &["?"],
                ..row("help", SeatOrAgent(Terminal), "The commands there are, and the keys of a terminal")
            },
            BuiltInCommand::Init => row("init", Agent, "Let the model look at the workspace and write its GEMINI.md"),
            BuiltInCommand::Keys => {
                CommandFacts { aliases: &["shortcuts"], ..row("keys", Seat(Screen), "What the keys do") }
            }
            BuiltInCommand::ListExtensions => {
                row("list-extensions", Agent, "The extensions there are, as JSON for programs")
            }
            BuiltInCommand::Mcp => CommandFacts {
                subcommands: &[("list", "The MCP servers, whether they answer, and their tools and prompts", &[])],
                ..row("mcp", Agent, "Tool servers")
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
                ..row("memory", Agent, "What you want the model to know")
            },
            BuiltInCommand::Mode => CommandFacts {
                arguments: &[Optional("mode", "default, auto_edit, plan or yolo")],
                ..row("mode", Seat(Terminal), "How freely tools run: default, auto_edit, plan, yolo")
            },
            BuiltInCommand::Model => CommandFacts {
                arguments: &[Optional("name", "The model that answers from the next turn on")],
                ..row(
                    "model",
                    SeatOrAgent(Terminal),
                    "The model that answers, and those that can be had; with a name, another one",
                )
            },
            BuiltInCommand::Queue => CommandFacts {
                subcommands: &[
                    ("drop", "Take a prompt out", &[Required("number", "Its number in the list")]),
                    ("go", "Let a held queue go on", &[]),
                ],
                ..row("queue", Seat(Terminal), "The prompts that wait")
            },
            BuiltInCommand::Quit => {
                CommandFacts { aliases: &["exit"], ..row("quit", Seat(Terminal), "Leave; the session is kept") }
            }
            BuiltInCommand::Restore => CommandFacts {
                subcommands: &[
                    ("list", "The checkpoints of this session, newest first", &[]),
                    (
                        "restore",
                        "Put files and conversation back to a checkpoint, after showing what changes",
                        &[
                            Required("checkpoint", "A name from the list"),
                            Optional("all", "Files that only you changed go back, too"),
                        ],
                    ),
                ],
                ..row("restore", Agent, "Go back to before a change")
            },
            BuiltInCommand::Resume => CommandFacts {
                subcommands: &[("all", "The sessions of every folder", &[])],
                ..row("resume", Seat(Screen), "Go on with another session; alone, it lists those of this folder")
            },
            BuiltInCommand::Rewind => CommandFacts {
                arguments: &[
                    Optional("number", "The number of a prompt, as the list shows it"),
                    Optional("checkpoint", "A checkpoint as /restore lists it, which files go back to as well"),
                ],
                ..row("rewind", SeatOrAgent(Screen), "Go back to before a prompt; without a number, list them")
            },
            BuiltInCommand::Settings => CommandFacts {
                subcommands: &[
                    ("list", "What somebody has set, and where", &[]),
                    ("all", "Every setting, also those that have their default", &[]),
                ],
                ..row("settings", Agent, "The settings that hold here, and where each comes from")
            },
            BuiltInCommand::Shell => CommandFacts {
                arguments: &[Required("command", "What to run, as a shell reads it")],
                ..row("shell", Agent, "Run a command in the workspace and let the model know what it printed")
            },
            BuiltInCommand::Stats => {
                row("stats", SeatOrAgent(Terminal), "Turns, model calls, tokens, cost and tool calls of this session")
            }
            BuiltInCommand::Status => row("status", Seat(Terminal), "Model, mode, session, what runs and what waits"),
            BuiltInCommand::Theme => CommandFacts {
                arguments: &[Optional("name", "auto, dark, light or plain; without it, a list")],
                ..row("theme", Seat(Screen), "Colours: auto, dark, light or plain")
            },
            BuiltInCommand::Tools => CommandFacts {
                subcommands: &[
                    ("list", "The tools the model has", &[]),
                    ("desc", "The tools with what each does", &[]),
                ],
                ..row("tools", Agent, "The tools the model has")
            },
            BuiltInCommand::Uncompress => CommandFacts {
                aliases: &["uncompact"],
                ..row("uncompress", Seat(Terminal), "Take the newest summary back")
            },
            BuiltInCommand::Vim => row("vim", Seat(Screen), "Type as in vi, or no longer"),
        }
    }
}
