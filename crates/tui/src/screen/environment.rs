//! What the screen needs from the process around it, and cannot do on a seat.

use super::overlay::{ClientRow, EndpointAccess, SessionRow, TrustChoice};
use pollux_session::{BoxFuture, SessionId, UnixMillis};

/// A command that runs on after its call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundCommandRow {
    /// The number of its process.
    pub pid: u32,
    /// The command, as it was given.
    pub command: String,
    /// When it was started.
    pub started_at: UnixMillis,
}

/// What the person has allowed for longer than a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedPermissions {
    /// The file that it is in.
    pub file: String,
    /// What is allowed and where, one sentence each.
    pub allowed: Vec<String>,
}

/// The process around a screen. What it does not have, it says so in words.
pub trait ScreenEnvironment: Send + Sync {
    /// The files of the workspace, relative to it, directories with a slash at their end. For completion; may be cut.
    fn files(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async { Vec::new() })
    }

    /// The branch that is checked out in the workspace.
    fn branch(&self) -> Option<String> {
        None
    }

    /// How many tokens a model can be told at once.
    fn context_window(&self, model: &str) -> Option<u64> {
        let _ = model;
        None
    }

    /// Let the person change `text` in their own editor, which has the terminal meanwhile. `name` is for its colours.
    fn edit(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        let _ = (name, text);
        Box::pin(async { Err("there is no editor here; set VISUAL or EDITOR".to_owned()) })
    }

    /// Keep a prompt for the sessions to come.
    fn remember_prompt(&self, prompt: &str) {
        let _ = prompt;
    }

    /// Keep the name of the theme the person chose, and whether they type as in vi.
    fn save_preferences(&self, theme: &str, vim: bool) -> Result<(), String> {
        let _ = (theme, vim);
        Ok(())
    }

    /// Write `text` to a file; returns where it is.
    fn write_file(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        let _ = (name, text);
        Box::pin(async { Err("files cannot be written from here".to_owned()) })
    }

    /// Write `text` to a new file of the person's own, outside of the workspace; returns where it is.
    fn write_export(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        let _ = (name, text);
        Box::pin(async { Err("files cannot be written from here".to_owned()) })
    }

    /// The picture in the clipboard as a file; returns its path.
    fn clipboard_image(&self) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async { Err("pictures cannot be taken from the clipboard here; name a file with @".to_owned()) })
    }

    /// The person's sessions, newest first.
    fn sessions(&self) -> BoxFuture<'_, Result<Vec<SessionRow>, String>> {
        Box::pin(async { Err("sessions cannot be listed from here".to_owned()) })
    }

    /// Whether the screen can go on with another session, before it leaves its own; else why not, in words.
    fn check_resumable(&self, session: SessionId) -> BoxFuture<'_, Result<(), String>> {
        let _ = session;
        Box::pin(async { Ok(()) })
    }

    /// How many clients are connected to the session, as far as is known without asking.
    fn client_count(&self) -> usize {
        0
    }

    /// Who else is at the session.
    fn clients(&self) -> BoxFuture<'_, Result<Vec<ClientRow>, String>> {
        Box::pin(async { Err("the terminal that holds the session lists who is there".to_owned()) })
    }

    /// Ask a client to leave.
    fn remove_client(&self, client: u64) -> BoxFuture<'_, Result<(), String>> {
        let _ = client;
        Box::pin(async { Err("clients cannot be removed from here".to_owned()) })
    }

    /// How others come in; `None` when they do not.
    fn endpoint(&self) -> Option<EndpointAccess> {
        None
    }

    /// Let others in, on this port or on any.
    fn open_endpoint(&self, port: Option<u16>) -> BoxFuture<'_, Result<EndpointAccess, String>> {
        let _ = port;
        Box::pin(async { Err("only the terminal that holds the session can open an endpoint".to_owned()) })
    }

    /// Let nobody in any more; those who are there leave.
    fn close_endpoint(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { Err("only the terminal that holds the session can close its endpoint".to_owned()) })
    }

    /// What a folder nobody has decided about would turn on; `None` when it has been decided.
    fn undecided_trust(&self) -> Option<Vec<String>> {
        None
    }

    /// Keep what the person thinks of the folder; returns what comes of it.
    fn save_trust(&self, choice: TrustChoice) -> Result<String, String> {
        let _ = choice;
        Err("folders cannot be trusted from here".to_owned())
    }

    /// Whether the person trusts the folder, as far as this process knows.
    fn is_folder_trusted(&self) -> Option<bool> {
        None
    }

    /// What the session has running in the background; `None` where this is not known.
    fn background_commands(&self) -> Option<Vec<BackgroundCommandRow>> {
        None
    }

    /// End one of them; returns what was ended.
    fn stop_background_command(&self, pid: u32) -> Result<String, String> {
        let _ = pid;
        Err("the terminal that holds the session stops its commands".to_owned())
    }

    /// What is allowed in this folder for longer than the session.
    fn saved_permissions(&self) -> Result<SavedPermissions, String> {
        Err("the terminal that holds the session lists what is kept in policy files".to_owned())
    }

    /// What is wrong with the connection to the session; `None` when nothing is.
    fn connection_problem(&self) -> Option<String> {
        None
    }
}

/// A process that has nothing but the session.
#[derive(Debug, Default)]
pub struct EmptyEnvironment;

impl ScreenEnvironment for EmptyEnvironment {}
