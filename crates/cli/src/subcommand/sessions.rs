//! `pollux sessions`: what is kept on this machine, of this folder or of all, newest first; and one of it deleted.

use crate::disk_sessions::{DiskSession, SessionDatabaseKind, explain_held, find_disk_session, list_sessions};
use crate::flags::{BasicFlags, DataFlags, DebugFlags};
use crate::program_environment::ProgramEnvironment;
use crate::runtime::CHECKPOINTS;
use crate::session_storage::{now, resolve_workspace};
use crate::settings::{GlobalSettings, UsageError};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use pollux_session::{UnixMillis, format_age};
use pollux_store::{DatabaseLock, LockHolder};
use pollux_tools::forget_session_checkpoints;
use pollux_tui::{SessionFolders, one_line};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

#[cfg(test)]
mod tests;

/// Shown below its help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pollux sessions                          list the sessions of this folder
  pollux sessions --all                    list those of every folder
  pollux --resume 01a1ec82-3f40            resume the session whose id begins like this
  pollux sessions delete 01a1ec82-3f40     delete it permanently";

/// What can be done with sessions that are kept: without a subcommand they are listed.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct StoredSessionsFlags {
    #[command(subcommand)]
    pub(crate) command: Option<StoredSessionsSubcommand>,
    #[command(flatten)]
    pub(crate) folders: SessionFolderFlags,
    #[command(flatten)]
    pub(crate) data: DataFlags,
    #[command(flatten)]
    pub(crate) debug: DebugFlags,
}

/// Of which folders sessions are listed.
#[derive(Debug, Args)]
pub(crate) struct SessionFolderFlags {
    /// List the sessions of every folder, not only of this one
    #[arg(long)]
    all: bool,
}

impl From<SessionFolderFlags> for SessionFolders {
    fn from(flags: SessionFolderFlags) -> SessionFolders {
        if flags.all { SessionFolders::All } else { SessionFolders::This }
    }
}

/// What can be done with one session that is kept.
#[derive(Debug, Subcommand)]
pub(crate) enum StoredSessionsSubcommand {
    /// List stored sessions (the default)
    List {
        #[command(flatten)]
        folders: SessionFolderFlags,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        debug: DebugFlags,
    },
    /// Delete a session permanently: its conversation, files and checkpoints
    Delete {
        /// The session's id, or the beginning of it
        #[arg(value_name = "SESSION")]
        session: String,
        #[command(flatten)]
        data: DataFlags,
        #[command(flatten)]
        debug: DebugFlags,
    },
}

impl StoredSessionsFlags {
    /// List sessions, or delete one.
    pub(crate) fn run(self, environment: &ProgramEnvironment) -> anyhow::Result<ExitCode> {
        let settings = |data, debug| environment.settings(BasicFlags { data, debug, ..BasicFlags::default() });
        match self.command {
            None => print(&settings(self.data, self.debug)?, self.folders.into()),
            Some(StoredSessionsSubcommand::List { folders, data, debug }) => {
                print(&settings(data, debug)?, folders.into())
            }
            Some(StoredSessionsSubcommand::Delete { session, data, debug }) => {
                delete(&settings(data, debug)?, &session)
            }
        }
    }
}

fn print(global_settings: &GlobalSettings, folders: SessionFolders) -> anyhow::Result<ExitCode> {
    let sessions = list_sessions(&global_settings.data_dir)?;
    let here = match folders {
        SessionFolders::This => Some(resolve_workspace(Path::new("."))?),
        SessionFolders::All => None,
    };
    let mut out = std::io::stdout().lock();
    for line in format_list(&sessions, here.as_deref(), now()) {
        writeln!(out, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The sessions of the folder `here`, and how many there are elsewhere; without one, those of every folder.
fn format_list(sessions: &[DiskSession], here: Option<&str>, now: UnixMillis) -> Vec<String> {
    // What cannot be read may belong anywhere.
    let is_elsewhere = |session: &&DiskSession| match (&session.summary, here) {
        (Ok(summary), Some(here)) => summary.workspace != here,
        (Err(_), _) | (_, None) => false,
    };
    let (elsewhere, listed): (Vec<&DiskSession>, Vec<&DiskSession>) = sessions.iter().partition(is_elsewhere);
    let mut lines: Vec<String> = listed.iter().map(|session| format_line(session, here.is_none(), now)).collect();
    match (listed.len(), elsewhere.len()) {
        (0, 0) => lines.push("no sessions yet; `pollux` starts one".to_owned()),
        (_, 0) => {}
        (0, count) => lines.push(format!("no sessions in this folder; {}", describe_elsewhere(count))),
        (_, count) => lines.push(describe_elsewhere(count)),
    }
    lines
}

fn describe_elsewhere(count: usize) -> String {
    let sessions = if count == 1 { "session" } else { "sessions" };
    format!("{count} {sessions} in other folders: `pollux sessions --all`")
}

/// Delete the session called `name`: its log, its blobs and its checkpoints.
fn delete(global_settings: &GlobalSettings, name: &str) -> anyhow::Result<ExitCode> {
    let (id, session) = find_disk_session(&global_settings.data_dir, name)?;
    let dir = session.dir.path();
    if session.database == SessionDatabaseKind::Server {
        let place = dir.display();
        let sentence = format!(
            "session {id} belongs to `pollux serve`, which keeps all its sessions in one database ({place}): single ones \
             cannot be deleted there"
        );
        return Err(UsageError(sentence).into());
    }
    let title = session.summary.as_ref().map_or("cannot be read", |summary| summary.title.as_str());
    let line = one_line(&format!("deleted session {id}  {title}"), usize::MAX);
    let lock = DatabaseLock::take(dir, &LockHolder::this_process(None, ""));
    let lock = lock.map_err(|error| UsageError(explain_held(id, &error)))?;
    let failed = || format!("session {id} could not be deleted from {}", dir.display());
    // Under another name nobody finds half of it.
    let doomed = dir.with_file_name(format!(".deleted-{id}"));
    std::fs::rename(dir, &doomed).with_context(failed)?;
    std::fs::remove_dir_all(&doomed).with_context(failed)?;
    drop(lock);
    forget_session_checkpoints(&global_settings.data_dir.join(CHECKPOINTS), id)
        .with_context(|| format!("the checkpoints of session {id} could not be deleted"))?;
    writeln!(std::io::stdout(), "{line}")?;
    Ok(ExitCode::SUCCESS)
}

fn format_line(session: &DiskSession, with_folder: bool, now: UnixMillis) -> String {
    let running = match &session.holder {
        Ok(Some(holder)) => format!("  [running: {holder}]"),
        Ok(None) => String::new(),
        Err(error) => format!("  [{error}]"),
    };
    let of_server = if session.database == SessionDatabaseKind::Server { "  (of pollux serve)" } else { "" };
    let name = session.id.map_or_else(|| session.dir.log().display().to_string(), |id| id.to_string());
    let line = match &session.summary {
        Ok(summary) => {
            let title = if summary.title.is_empty() { "(nothing said yet)" } else { &summary.title };
            let age = format_age(summary.changed, now);
            let folder = if with_folder { format!("{}  ", summary.workspace) } else { String::new() };
            format!("{name}  {age:>10}  {folder}{title}{of_server}{running}")
        }
        Err(error) => format!("{name}  cannot be read: {error}{of_server}{running}"),
    };
    // Others may have written the title and named the folders.
    one_line(&line, usize::MAX)
}
