//! The sessions that run on this machine, and which of them is meant: by its address, its port, its process, its id,
//! or because it is the only one.

use crate::disk_sessions::{self, DISTINCT_ID_CHARS, SessionDatabaseKind};
use crate::server_address::server_url;
use crate::settings::{GlobalSettings, UsageError};
use crate::token_source::TokenSource;
use pollux_remote::{SeatAddress, SeatError};
use pollux_server::discovery::{self, DiscoveryRecord};
use pollux_session::{SecretText, SessionId, TaskMark, UnixMillis, format_age};
use pollux_store::SessionStore;
use pollux_tui::one_line;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// The name of an attached terminal, before a suffix that tells two of them apart.
const NAME: &str = "terminal";
/// A process id has fewer digits than the beginning of a session id that is taken for one.
const PID_DIGITS: usize = 7;
/// The advice for a session without a port.
const OPEN_A_PORT: &str = "type /a2a open in its terminal, or start it with --a2a-port";

/// A process of this machine that holds sessions.
#[derive(Clone)]
pub(crate) struct SessionProcess {
    pub(crate) pid: u32,
    /// Where others come in, if they do.
    pub(crate) port: Option<u16>,
    /// Its session; `None` for a server, which has many.
    pub(crate) session: Option<SessionId>,
    pub(crate) workspace: String,
    /// Its first prompt; empty before that, and for a server.
    pub(crate) title: String,
    /// The time of its newest entry; `None` if its log is not on this disk, and then nothing else is known of it.
    pub(crate) changed: Option<UnixMillis>,
    /// The state of its turn; `None` while none runs.
    pub(crate) turn: Option<TaskMark>,
}

/// A session or server that can be joined.
pub(crate) enum AttachChoice {
    One(SeatAddress),
    /// Somebody has to say which.
    Several(Vec<SessionProcess>),
}

impl fmt::Display for SessionProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SessionProcess { pid, port, session, workspace, title, .. } = self;
        match session {
            Some(session) => write!(f, "session {session}")?,
            None => write!(f, "pollux serve")?,
        }
        write!(f, " (pid {pid}")?;
        if let Some(port) = port {
            write!(f, ", port {port}")?;
        }
        write!(f, ")")?;
        // Others may have written these, and the terminal would act on some characters.
        write!(f, " in {}", one_line(workspace, usize::MAX))?;
        if title.is_empty() { Ok(()) } else { write!(f, ", \"{}\"", one_line(title, usize::MAX)) }
    }
}

/// The most sessions of those that can be joined which are listed.
const LISTED: usize = 20;

/// The list of what can be joined, with what to type.
pub(crate) fn describe_several(running: &[SessionProcess], now: UnixMillis) -> String {
    let head = match running.iter().any(|running| running.session.is_some()) {
        true => "several sessions are shared; type one of these to join:",
        false => "the server has no session yet; when a client has started one, type: pollux attach SESSION_ID",
    };
    let mut lines = vec![head.to_owned()];
    for listed in running.iter().take(LISTED) {
        let has_own_port = running.iter().filter(|other| other.port == listed.port).count() == 1;
        match (listed.session, listed.port) {
            (Some(_), Some(port)) if has_own_port => lines.extend(listed.describe(&port.to_string(), now)),
            (Some(session), _) => lines.extend(listed.describe(&session.to_string()[..DISTINCT_ID_CHARS], now)),
            (None, _) => lines.push(format!("  {listed}")),
        }
    }
    let more = running.len().checked_sub(LISTED).filter(|more| *more > 0);
    lines.extend(more.map(|more| format!("  and {more} more, which `pollux sessions --all` lists")));
    lines.join("\n")
}

/// Where `target` is, or what could be meant when nothing is named.
pub(crate) fn find_session(global_settings: &GlobalSettings, target: Option<&str>) -> anyhow::Result<AttachChoice> {
    let records = discovery::list(&global_settings.runtime_dir).unwrap_or_else(|error| {
        tracing::warn!("{error}");
        Vec::new()
    });
    let given = global_settings.token.as_ref().map(TokenSource::read).transpose()?;
    let given = given.map(|token| SecretText::new(token.reveal()));
    match target {
        Some(name) => {
            // A bare number may be a process too, so it is looked up among those that run.
            let url = if is_number(name) { None } else { server_url(name) };
            if let Some(url) = url {
                return by_url(&url, given.as_ref(), &global_settings.runtime_dir).map(AttachChoice::One);
            }
            let running = list_processes(&global_settings.data_dir, &records, ServerListing::EverySession)?;
            let running = by_name(name, running)?;
            running.address(given.as_ref(), &global_settings.runtime_dir).map(AttachChoice::One)
        }
        None => match choose_only(list_processes(&global_settings.data_dir, &records, ServerListing::AsOne)?)? {
            ProcessMatch::One(running) => {
                running.address(given.as_ref(), &global_settings.runtime_dir).map(AttachChoice::One)
            }
            ProcessMatch::Several => {
                let running = list_processes(&global_settings.data_dir, &records, ServerListing::EverySession)?;
                Ok(AttachChoice::Several(running.into_iter().filter(|running| running.port.is_some()).collect()))
            }
        },
    }
}

/// The process of this machine that has `session`; `None` if none does.
pub(crate) fn find_running(
    global_settings: &GlobalSettings,
    session: SessionId,
) -> anyhow::Result<Option<SessionProcess>> {
    let records = discovery::list(&global_settings.runtime_dir)?;
    let running = list_processes(&global_settings.data_dir, &records, ServerListing::EverySession)?;
    Ok(running.into_iter().find(|running| running.session == Some(session)))
}

enum ProcessMatch {
    One(SessionProcess),
    Several,
}

/// The listing of a server of many sessions: as one thing or as many as it has sessions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ServerListing {
    AsOne,
    EverySession,
}

impl SessionProcess {
    /// The command that joins it as `name`, its first prompt, folder, age and state.
    fn describe(&self, name: &str, now: UnixMillis) -> [String; 2] {
        // Others may have written these, and the terminal would act on some characters.
        let (title, workspace) = (one_line(&self.title, usize::MAX), one_line(&self.workspace, usize::MAX));
        let title = match (title.as_str(), self.changed) {
            ("", None) => "(not stored)",
            ("", Some(_)) => "(nothing said yet)",
            (title, _) => title,
        };
        let state = match self.turn {
            Some(TaskMark::InputRequired) => "waits for an answer",
            Some(_) => "working",
            None => "idle",
        };
        let log_facts = self.changed.map(|changed| format!("{} · {state}", format_age(changed, now)));
        let facts = [Some(workspace), log_facts, Some(format!("pid {}", self.pid))];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        [format!("  pollux attach {name:<DISTINCT_ID_CHARS$}  {title}"), format!("      {}", facts.join(" · "))]
    }

    fn from_record(record: &DiscoveryRecord) -> SessionProcess {
        SessionProcess {
            pid: record.pid,
            port: Some(record.port),
            session: record.session_id,
            workspace: record.workspace.display().to_string(),
            title: String::new(),
            changed: None,
            turn: None,
        }
    }

    /// Where to join it, with the token that was given or else its own.
    fn address(&self, given: Option<&SecretText>, runtime_dir: &Path) -> anyhow::Result<SeatAddress> {
        let pid = self.pid;
        let refuse = |why: String| anyhow::Error::from(UsageError(why));
        let port = self.port.ok_or_else(|| refuse(format!("the session of pid {pid} is not shared: {OPEN_A_PORT}")))?;
        let session = self.session.ok_or_else(|| {
            refuse(format!(
                "pid {pid} is a server with many sessions: give the id of one (`pollux sessions --all` lists them)"
            ))
        })?;
        let address = SeatAddress::new(&format!("http://127.0.0.1:{port}"), &terminal_name())
            .map_err(UsageError::from)?
            .at_session(session);
        with_token(address, given, runtime_dir)
    }
}

fn by_url(url: &str, given: Option<&SecretText>, runtime_dir: &Path) -> anyhow::Result<SeatAddress> {
    let address = SeatAddress::new(url, &terminal_name()).map_err(UsageError::from)?;
    if address.has_token() { Ok(address) } else { with_token(address, given, runtime_dir) }
}

/// The name of this terminal.
fn terminal_name() -> String {
    let tty = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok().and_then(|name| name.into_string().ok());
    terminal_name_of(tty.as_deref(), std::process::id())
}

/// The name of a terminal by its device, `terminal pts-3`, or by the process where it has none. A name takes no slash.
fn terminal_name_of(tty: Option<&str>, pid: u32) -> String {
    match tty {
        Some(tty) => format!("{NAME} {}", tty.trim_start_matches("/dev/").replace('/', "-")),
        None => format!("{NAME} {pid}"),
    }
}

/// The address with the token that was given. A session of this machine has its own where only its own person can read it,
/// and another one when it is started again.
fn with_token(address: SeatAddress, given: Option<&SecretText>, runtime_dir: &Path) -> anyhow::Result<SeatAddress> {
    if let Some(token) = given {
        return Ok(address.with_token(token).map_err(UsageError::from)?);
    }
    if !address.is_here() {
        return Ok(address);
    }
    let (port, runtime_dir) = (address.port(), runtime_dir.to_owned());
    let own = move || {
        let records = discovery::list(&runtime_dir).ok()?;
        let record = records.into_iter().find(|record| Some(record.port) == port)?;
        Some(SecretText::new(record.token.reveal()))
    };
    Ok(address.with_token_from(own).map_err(UsageError::from)?)
}

/// All that can go wrong before anything is sent is a mistake in what was asked for.
impl From<SeatError> for UsageError {
    fn from(error: SeatError) -> UsageError {
        UsageError(error.to_string())
    }
}

/// True if `name` is a process id or a port, and not the beginning of a session id.
fn is_number(name: &str) -> bool {
    name.len() <= PID_DIGITS && name.parse::<u32>().is_ok()
}

/// The process or the session called `name`. A number is a process that runs, else a port that one listens on.
fn by_name(name: &str, running: Vec<SessionProcess>) -> anyhow::Result<SessionProcess> {
    let refuse = |why: String| anyhow::Error::from(UsageError(why));
    let wanted = name.to_ascii_lowercase();
    let number: Option<u32> = is_number(name).then(|| name.parse().ok()).flatten();
    let is_pid = running.iter().any(|running| Some(running.pid) == number);
    let is_meant = |running: &SessionProcess| match number {
        Some(pid) if is_pid => running.pid == pid,
        Some(port) => running.port.map(u32::from) == Some(port),
        None => running.session.is_some_and(|session| session.to_string().starts_with(&wanted)),
    };
    if number.is_none() && (wanted.len() <= PID_DIGITS || !wanted.chars().all(|ch| ch.is_ascii_hexdigit() || ch == '-'))
    {
        let ways = "give a port, an address (http://127.0.0.1:PORT), a process id, or the first";
        return Err(refuse(format!(
            "{name:?} names no session: {ways} {DISTINCT_ID_CHARS} characters of a session id"
        )));
    }
    let mut meant: Vec<SessionProcess> = running.into_iter().filter(is_meant).collect();
    match meant.len() {
        0 => Err(refuse(format!("no running session matches {name}; `pollux attach` lists those that you can join"))),
        1 => Ok(meant.remove(0)),
        _ if number.is_some() => {
            let kind = if is_pid { "pid" } else { "the server on port" };
            Err(refuse(format!(
                "{kind} {name} has many sessions: give the id of one (`pollux sessions --all` lists them)"
            )))
        }
        count => {
            let advice = format!("give more of the id, {DISTINCT_ID_CHARS} characters usually tell them apart");
            Err(refuse(format!("{count} running sessions begin with {name}: {advice}")))
        }
    }
}

/// The one that can be joined, unless there are several.
fn choose_only(running: Vec<SessionProcess>) -> anyhow::Result<ProcessMatch> {
    let (mut joinable, closed): (Vec<SessionProcess>, Vec<SessionProcess>) =
        running.into_iter().partition(|running| running.port.is_some());
    let count = closed.len();
    let why = match (joinable.len(), closed.first()) {
        (1, _) if joinable.iter().all(|running| running.session.is_some()) => {
            return Ok(ProcessMatch::One(joinable.remove(0)));
        }
        (1.., _) => return Ok(ProcessMatch::Several),
        (0, Some(closed)) if count == 1 => format!("{closed} is not shared: {OPEN_A_PORT}"),
        (0, Some(_)) => format!("{count} sessions run here, and none of them is shared: {OPEN_A_PORT}"),
        (0, None) => "no session runs here; `pollux --a2a-port 0` starts one that you can join".to_owned(),
    };
    Err(UsageError(why).into())
}

/// Everything that runs here: who made itself known, and who holds a lock.
fn list_processes(
    data_dir: &Path,
    records: &[DiscoveryRecord],
    servers: ServerListing,
) -> anyhow::Result<Vec<SessionProcess>> {
    let mut running: Vec<SessionProcess> = records.iter().map(SessionProcess::from_record).collect();
    // A server has many sessions in one database.
    let mut turns: HashMap<PathBuf, HashMap<SessionId, TaskMark>> = HashMap::new();
    for kept in disk_sessions::list_sessions(data_dir)? {
        let (Some(id), Ok(Some(holder))) = (kept.id, kept.holder) else { continue };
        if kept.database == SessionDatabaseKind::Server && servers == ServerListing::AsOne {
            continue;
        }
        let (title, changed) = kept.summary.map(|summary| (summary.title, Some(summary.changed))).unwrap_or_default();
        let log = kept.dir.log();
        let in_log =
            turns.entry(log).or_insert_with_key(|log| SessionStore::peek_running_turns(log).unwrap_or_default());
        let turn = in_log.get(&id).copied();
        if let Some(same) = running.iter_mut().find(|running| running.session == Some(id)) {
            (same.title, same.changed, same.turn) = (title, changed, turn);
            continue;
        }
        let (pid, port, workspace) = (holder.pid, holder.port, holder.workspace);
        running.push(SessionProcess { pid, port, session: Some(id), workspace, title, changed, turn });
    }
    if servers == ServerListing::EverySession {
        // A server whose sessions are listed is meant by them.
        let of_sessions: Vec<u32> =
            running.iter().filter(|running| running.session.is_some()).map(|running| running.pid).collect();
        running.retain(|running| running.session.is_some() || !of_sessions.contains(&running.pid));
    }
    Ok(running)
}
