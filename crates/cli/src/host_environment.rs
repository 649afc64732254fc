//! The surroundings of a terminal session on this machine: files, an editor, prompts of earlier sessions, the endpoint.

mod attached;
mod export_file;
mod prompt_history_file;
mod screen_preferences;

pub(crate) use attached::{AttachedEnvironment, describe_link_end};
pub(crate) use screen_preferences::ScreenPreferences;

use crate::disk_sessions::{self, SessionDatabaseKind};
use crate::endpoint_control::EndpointControl;
use crate::folder_trust::{find_trust_dependent, folder_trust};
use crate::runtime::{Runtime, config_for};
use crate::settings::GlobalSettings;
use export_file::write_export;
use pollux_policy::{FolderTrust, TrustLevel, TrustedFolders, list_saved_grants};
use pollux_session::{BoxFuture, SessionId, UnixMillis};
use pollux_store::{DatabaseLock, LockError};
use pollux_tools::{
    BackgroundCommand, ProcessEnvironment, clipboard_picture, edit_file, list_names_below, run_file_work,
};
use pollux_tui::{
    BackgroundCommandRow, ClientRow, EndpointAccess, SavedPermissions, ScreenEnvironment, SessionRow, TrustChoice,
};
use prompt_history_file::PromptHistoryFile;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use tokio::io::AsyncWriteExt;
use tokio::task::spawn_blocking;

/// The longest name of a branch.
const HEAD_BYTES: u64 = 4096;

/// The longest text that a person edited.
const EDITED_BYTES: u64 = 64 * 1024 * 1024;

/// The surroundings of a session in this process.
pub(crate) struct HostEnvironment {
    global_settings: Arc<GlobalSettings>,
    runtime: Arc<Runtime>,
    session: SessionId,
    workspace: PathBuf,
    endpoint: Arc<EndpointControl>,
    /// Prompts for later sessions; none where nothing is kept.
    history: Option<PromptHistoryFile>,
}

impl HostEnvironment {
    pub(crate) fn new(
        global_settings: Arc<GlobalSettings>,
        runtime: Arc<Runtime>,
        session: SessionId,
        workspace: &str,
        endpoint: Arc<EndpointControl>,
    ) -> HostEnvironment {
        let history = Some(PromptHistoryFile::in_dir(&global_settings.data_dir));
        HostEnvironment { global_settings, runtime, session, workspace: PathBuf::from(workspace), endpoint, history }
    }

    /// Prompts of earlier sessions, oldest first.
    pub(crate) fn earlier_prompts(&self) -> Vec<String> {
        self.history.as_ref().map(PromptHistoryFile::read).unwrap_or_default()
    }

    /// The environment where nothing is kept.
    pub(crate) fn without_history(self) -> HostEnvironment {
        HostEnvironment { history: None, ..self }
    }
}

impl ScreenEnvironment for HostEnvironment {
    fn files(&self) -> BoxFuture<'_, Vec<String>> {
        let workspace = self.workspace.clone();
        Box::pin(async move { run_file_work(move || list_names_below(&workspace)).await.unwrap_or_default() })
    }

    fn branch(&self) -> Option<String> {
        branch_of(&self.workspace)
    }

    fn context_window(&self, model: &str) -> Option<u64> {
        let model = if model == self.runtime.model.id { None } else { Some(model) };
        let info = match model {
            None => self.runtime.model.clone(),
            Some(name) => self.runtime.models.resolve(name).ok()?.info(),
        };
        info.context_window
    }

    fn edit(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move { edit_text(&name, &text).await })
    }

    fn remember_prompt(&self, prompt: &str) {
        if let Some(history) = &self.history {
            history.add(prompt);
        }
    }

    fn save_preferences(&self, theme: &str, vim: bool) -> Result<(), String> {
        ScreenPreferences { theme: Some(theme.to_owned()), vim }.save(&self.global_settings.user_directories)
    }

    fn write_file(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        let path = self.workspace.join(name);
        Box::pin(async move { write_new_file(path, &text).await })
    }

    fn write_export(&self, name: String, text: String) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async move { write_export(&self.global_settings.data_dir, &name, &text).await })
    }

    fn clipboard_image(&self) -> BoxFuture<'_, Result<String, String>> {
        let workspace = self.workspace.clone();
        Box::pin(async move { save_clipboard_picture(&workspace).await })
    }

    fn sessions(&self) -> BoxFuture<'_, Result<Vec<SessionRow>, String>> {
        let (data_dir, this) = (self.global_settings.data_dir.clone(), self.session);
        Box::pin(async move {
            let listed = spawn_blocking(move || list_sessions(&data_dir, this)).await;
            listed.unwrap_or_else(|error| Err(format!("sessions cannot be listed: {error}")))
        })
    }

    fn check_resumable(&self, session: SessionId) -> BoxFuture<'_, Result<(), String>> {
        let data_dir = self.global_settings.data_dir.clone();
        Box::pin(async move {
            let checked = spawn_blocking(move || check_free(&data_dir, session)).await;
            checked.unwrap_or_else(|error| Err(format!("the session cannot be looked at: {error}")))
        })
    }

    fn client_count(&self) -> usize {
        self.endpoint.clients().len()
    }

    fn clients(&self) -> BoxFuture<'_, Result<Vec<ClientRow>, String>> {
        Box::pin(async { Ok(self.endpoint.clients()) })
    }

    fn remove_client(&self, client: u64) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { self.endpoint.remove(client) })
    }

    fn endpoint(&self) -> Option<EndpointAccess> {
        self.endpoint.info()
    }

    fn open_endpoint(&self, port: Option<u16>) -> BoxFuture<'_, Result<EndpointAccess, String>> {
        Box::pin(self.endpoint.open_on(port.unwrap_or(0)))
    }

    fn close_endpoint(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.endpoint.close())
    }

    fn is_folder_trusted(&self) -> Option<bool> {
        Some(folder_trust(&self.global_settings, &self.workspace) == FolderTrust::Trusted)
    }

    fn background_commands(&self) -> Option<Vec<BackgroundCommandRow>> {
        let running = self.runtime.agent.background_commands(self.session);
        Some(running.into_iter().map(background_row).collect())
    }

    fn stop_background_command(&self, pid: u32) -> Result<String, String> {
        let stopped = self.runtime.agent.stop_background_command(self.session, pid);
        let stopped = stopped.ok_or_else(|| format!("no process {pid} of this session runs in the background"))?;
        Ok(format!("asked process {pid} to end: {}", stopped.command))
    }

    fn saved_permissions(&self) -> Result<SavedPermissions, String> {
        let dir = self.global_settings.user_directories.policies().ok_or("there is no home directory: set HOME")?;
        let workspace = self.workspace.canonicalize().unwrap_or_else(|_| self.workspace.clone());
        let saved = list_saved_grants(&dir, &workspace).map_err(|error| error.to_string())?;
        Ok(SavedPermissions { file: saved.file.display().to_string(), allowed: saved.allowed })
    }

    fn undecided_trust(&self) -> Option<Vec<String>> {
        let brought = find_trust_dependent(&self.workspace);
        let is_home = self.global_settings.user_directories.home() == Some(self.workspace.as_path());
        let undecided = folder_trust(&self.global_settings, &self.workspace) == FolderTrust::Unknown && !is_home;
        (undecided && !brought.is_empty())
            .then(|| brought.into_iter().map(|(name, what)| format!("{name}: {what}")).collect())
    }

    fn save_trust(&self, choice: TrustChoice) -> Result<String, String> {
        let file = self.global_settings.user_directories.trust().ok_or("there is no home directory: set HOME")?;
        let mut trust = TrustedFolders::load(&file).map_err(|error| error.to_string())?;
        let now = "what it brings along counts from now on; API keys of models are never taken from its .env";
        let (level, said) = match choice {
            TrustChoice::Folder => (TrustLevel::TrustFolder, format!("trusted: {now}")),
            TrustChoice::Parent => (TrustLevel::TrustParent, format!("trusted, with the folder that holds it: {now}")),
            TrustChoice::Never => (TrustLevel::DoNotTrust, "not trusted; `pollux trust` changes that".to_owned()),
        };
        trust.set(&self.workspace, level).map_err(|error| error.to_string())?;
        // What is wrong in its settings is told now, and not with the next prompt.
        config_for(&self.global_settings, &self.workspace.to_string_lossy());
        Ok(format!("{} is {said}", self.workspace.display()))
    }
}

fn background_row(command: BackgroundCommand) -> BackgroundCommandRow {
    let since = command.started_at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let started_at = UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX));
    BackgroundCommandRow { pid: command.pid, command: command.command, started_at }
}

/// Write a file that is not there yet; returns where it is.
async fn write_new_file(path: PathBuf, text: &str) -> Result<String, String> {
    let wrong = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists if path.is_dir() => {
            format!("{} is a folder: name a file in it, such as {}", path.display(), path.join("session.md").display())
        }
        std::io::ErrorKind::AlreadyExists => {
            format!("{} exists and is not replaced: name another file, or remove it first", path.display())
        }
        _ => format!("{} cannot be written: {error}", path.display()),
    };
    // What is there already is not ours to replace.
    let opened = tokio::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).await;
    let mut file = opened.map_err(wrong)?;
    file.write_all(text.as_bytes()).await.map_err(wrong)?;
    file.flush().await.map_err(wrong)?;
    Ok(path.display().to_string())
}

/// The branch that is checked out in a directory or one above it.
fn branch_of(workspace: &Path) -> Option<String> {
    let git = workspace.ancestors().map(|dir| dir.join(".git")).find(|git| git.exists())?;
    let head = match git.is_dir() {
        true => git.join("HEAD"),
        // A work tree beside its repository.
        false => {
            let pointer = pollux_files::read_text(&git, HEAD_BYTES).ok()?;
            git.parent()?.join(pointer.strip_prefix("gitdir:")?.trim()).join("HEAD")
        }
    };
    let text = pollux_files::read_text(&head, HEAD_BYTES).ok()?;
    let text = text.trim();
    Some(match text.strip_prefix("ref: refs/heads/") {
        Some(branch) => branch.to_owned(),
        None => text.chars().take(8).collect(),
    })
}

/// Let the person change `text` in their editor.
async fn edit_text(name: &str, text: &str) -> Result<String, String> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| ProcessEnvironment::original().get(name).filter(|set| !set.is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let wrong = |error: &dyn std::fmt::Display| format!("the text cannot be edited: {error}");
    let name = Path::new(name).file_name().map_or("text".into(), |name| name.to_string_lossy().into_owned());
    // A file that begins with a dot may be an editor's own settings, and this one is not the person's.
    let name = format!("new-{}", name.trim_start_matches('.'));
    let dir = tempfile::Builder::new().prefix("pollux-edit-").tempdir().map_err(|error| wrong(&error))?;
    let path = dir.path().join(name);
    std::fs::write(&path, text).map_err(|error| wrong(&error))?;
    let status = edit_file(&editor, &path).await.map_err(|error| wrong(&error))?;
    if !status.success() {
        return Err(format!("{editor} ended with {status}, so nothing was taken; VISUAL or EDITOR names another"));
    }
    pollux_files::read_text(&path, EDITED_BYTES).map_err(|error| wrong(&error))
}

/// Keep the picture in the clipboard in a file of the workspace's `.gemini` directory; returns its name for `@`.
async fn save_clipboard_picture(workspace: &Path) -> Result<String, String> {
    let found = clipboard_picture().await.map_err(|error| format!("the clipboard cannot be read: {error}"))?;
    let picture = found.ok_or("there is no picture in the clipboard, or neither wl-paste nor xclip to ask")?;
    let dir = workspace.join(".gemini/pasted");
    let leads_away = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    if [workspace.join(".gemini"), dir.clone()].iter().any(|path| leads_away(path)) {
        return Err("the picture is not kept: .gemini leads out of the workspace".to_owned());
    }
    let wrong = |error: &dyn std::fmt::Display| format!("the picture cannot be kept: {error}");
    std::fs::create_dir_all(&dir).map_err(|error| wrong(&error))?;
    let mut file =
        tempfile::Builder::new().prefix("picture-").suffix(".png").tempfile_in(&dir).map_err(|error| wrong(&error))?;
    file.write_all(&picture).map_err(|error| wrong(&error))?;
    let (_, path) = file.keep().map_err(|error| wrong(&error))?;
    let relative = path.strip_prefix(workspace).unwrap_or(&path);
    Ok(relative.display().to_string())
}

/// Check that nobody else has the session open.
fn check_free(data_dir: &Path, session: SessionId) -> Result<(), String> {
    let found = disk_sessions::find_session(data_dir, &session.to_string()).map_err(|error| error.to_string())?;
    match DatabaseLock::holder(found.dir.path()) {
        Ok(None) => Ok(()),
        Ok(Some(holder)) => Err(disk_sessions::explain_held(session, &LockError::Held(holder))),
        Err(error) => Err(disk_sessions::explain_held(session, &error)),
    }
}

/// The sessions of terminals on this machine, but for this one and those in which nothing was said.
fn list_sessions(data_dir: &Path, this: SessionId) -> Result<Vec<SessionRow>, String> {
    let kept = disk_sessions::list_sessions(data_dir).map_err(|error| error.to_string())?;
    let rows = kept.into_iter().filter(|kept| kept.database == SessionDatabaseKind::Terminal).filter_map(|kept| {
        let summary = kept.summary.ok().filter(|found| found.id != this && !found.title.is_empty())?;
        let note = match kept.holder {
            Ok(Some(holder)) => format!("open in {holder}"),
            Ok(None) => String::new(),
            Err(error) => error.to_string(),
        };
        let (id, title, workspace, changed) = (summary.id, summary.title, summary.workspace, summary.changed);
        Some(SessionRow { id, title, workspace, changed, note })
    });
    Ok(rows.collect())
}
