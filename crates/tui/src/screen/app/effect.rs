//! What the screen wants done by whoever runs it.

use crate::screen::overlay::{SessionFolders, UiEffect};
use crate::screen::terminal_control::TerminalControl;

/// One thing to be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AppEffect {
    /// What a part of the screen wants.
    Ui(UiEffect),
    /// Send a line that begins with a slash, if the agent has a command of that name.
    AgentCommand(String),
    /// Say something to the terminal itself.
    Control(TerminalControl),
    /// Look up the workspace's files.
    LookUpFiles,
    /// Look up the agent's commands.
    LookUpCommands,
    /// Offer the models in a list.
    OpenModels,
    /// Offer the sessions of these folders in a list.
    OpenSessions(SessionFolders),
    /// Offer who is here in a list.
    OpenClients,
    /// Show how others come in.
    OpenEndpoint,
    /// Say what the person has allowed.
    ShowPermissions,
    /// Say what runs in the background.
    ShowBackground,
    /// End a command in the background.
    StopBackground(u32),
    /// Offer the prompts to go back to.
    OpenRewind,
    /// Show commands and keys, this first.
    OpenHelp(HelpSection),
    /// Write the conversation to a file.
    Export(Option<String>),
    /// Take a picture from the clipboard.
    PasteImage,
    /// Keep a prompt for later sessions.
    RememberPrompt(String),
    /// Keep the theme and the way of typing.
    SavePreferences,
    /// Ask the process around how things are.
    RefreshStatus,
    /// Push what is on the screen into the scrollback.
    ClearScreen,
    /// Draw everything anew.
    Redraw,
    /// Give the terminal back to the shell for a while.
    Suspend,
}

/// What the help begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelpSection {
    Commands,
    Keys,
}
