//! What the screen needs from the process around it, and cannot do on a seat.

use super::layer::{ClientRow, DoorInfo, SessionRow, TrustChoice};
use pollux_session::Pending;

/// The process around a screen. What it does not have, it says so in words.
pub trait Surroundings: Send + Sync {
    /// The files of the workspace, relative to it, directories with a slash at their end. For completion; may be cut.
    fn files(&self) -> Pending<'_, Vec<String>> {
        Box::pin(async { Vec::new() })
    }

    /// The branch that is checked out in the workspace.
    fn branch(&self) -> Option<String> {
        None
    }

    /// How many tokens a model can be told at once.
    fn window(&self, model: &str) -> Option<u64> {
        let _ = model;
        None
    }

    /// Let the person change `text` in their own editor, which has the terminal meanwhile. `name` is for its colours.
    fn edit(&self, name: String, text: String) -> Pending<'_, Result<String, String>> {
        let _ = (name, text);
        Box::pin(async { Err("there is no editor here; set VISUAL or EDITOR".to_owned()) })
    }

    /// Keep a prompt for the sessions to come.
    fn remember(&self, prompt: &str) {
        let _ = prompt;
    }

    /// Keep the name of the theme the person chose, and whether they type as in vi.
    fn prefer(&self, theme: &str, vim: bool) -> Result<(), String> {
        let _ = (theme, vim);
        Ok(())
    }

    /// Write `text` to a file; returns where it is.
    fn write(&self, name: String, text: String) -> Pending<'_, Result<String, String>> {
        let _ = (name, text);
        Box::pin(async { Err("files cannot be written from here".to_owned()) })
    }

    /// The picture in the clipboard as a file; returns its path.
    fn picture(&self) -> Pending<'_, Result<String, String>> {
        Box::pin(async { Err("pictures cannot be taken from the clipboard here; name a file with @".to_owned()) })
    }

    /// The person's sessions, newest first.
    fn sessions(&self) -> Pending<'_, Result<Vec<SessionRow>, String>> {
        Box::pin(async { Err("sessions cannot be listed from here".to_owned()) })
    }

    /// How many clients are connected to the session, as far as is known without asking.
    fn client_count(&self) -> usize {
        0
    }

    /// Who else is at the session.
    fn clients(&self) -> Pending<'_, Result<Vec<ClientRow>, String>> {
        Box::pin(async { Err("the terminal that holds the session lists who is there".to_owned()) })
    }

    /// Ask a client to leave.
    fn remove(&self, client: u64) -> Pending<'_, Result<(), String>> {
        let _ = client;
        Box::pin(async { Err("clients cannot be removed from here".to_owned()) })
    }

    /// How others come in; `None` when they do not.
    fn door(&self) -> Option<DoorInfo> {
        None
    }

    /// Let others in, on this port or on any.
    fn open_door(&self, port: Option<u16>) -> Pending<'_, Result<DoorInfo, String>> {
        let _ = port;
        Box::pin(async { Err("only the terminal that holds the session can open an endpoint".to_owned()) })
    }

    /// Let nobody in any more; those who are there leave.
    fn close_door(&self) -> Pending<'_, Result<(), String>> {
        Box::pin(async { Err("only the terminal that holds the session can close its endpoint".to_owned()) })
    }

    /// What a folder nobody has decided about would turn on; `None` when it has been decided.
    fn undecided(&self) -> Option<Vec<String>> {
        None
    }

    /// Keep what the person thinks of the folder; returns what comes of it.
    fn trust(&self, choice: TrustChoice) -> Result<String, String> {
        let _ = choice;
        Err("folders cannot be trusted from here".to_owned())
    }

    /// What is wrong with the connection to the session; `None` when nothing is.
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// A process that has nothing but the session.
#[derive(Debug, Default)]
pub struct Nothing;

impl Surroundings for Nothing {}
