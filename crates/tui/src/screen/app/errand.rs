//! What the screen wants done by whoever runs it.

use crate::screen::layer::Deed;
use crate::screen::signal::Signal;

/// One thing to be done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Errand {
    /// What a part of the screen wants.
    Do(Deed),
    /// Send a line that begins with a slash, if the agent has a command of that name.
    AgentCommand(String),
    /// Say something to the terminal itself.
    Signal(Signal),
    /// Look up the workspace's files.
    Files,
    /// Look up the agent's commands.
    Commands,
    /// Offer the models in a list.
    Models,
    /// Offer the sessions in a list.
    Sessions,
    /// Offer who is here in a list.
    Clients,
    /// Show how others come in.
    Door,
    /// Offer the prompts to go back to.
    Rewind,
    /// Show commands and keys.
    Help,
    /// Write the conversation to a file.
    Export(Option<String>),
    /// Take a picture from the clipboard.
    Picture,
    /// Keep a prompt for later sessions.
    Remember(String),
    /// Keep the theme and the way of typing.
    Prefer,
    /// Ask the process around how things are.
    LookAround,
    /// Push what is on the screen into the scrollback.
    ClearScreen,
    /// Draw everything anew.
    Redraw,
    /// Give the terminal back to the shell for a while.
    Suspend,
}
