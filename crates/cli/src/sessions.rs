//! `pollux sessions`: what is kept on this machine, newest first.

use crate::disk_sessions::{DiskSession, SessionDatabaseKind, list_sessions};
use crate::session_storage::now;
use crate::settings::GlobalSettings;
use pollux_session::UnixMillis;
use pollux_tui::one_line;
use std::io::Write;
use std::process::ExitCode;

#[cfg(test)]
mod tests;

pub(crate) fn print(global_settings: &GlobalSettings) -> anyhow::Result<ExitCode> {
    let sessions = list_sessions(&global_settings.data_dir)?;
    let mut out = std::io::stdout().lock();
    if sessions.is_empty() {
        writeln!(out, "no sessions yet; `pollux` starts one")?;
    }
    for session in &sessions {
        writeln!(out, "{}", format_line(session, now()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn format_line(session: &DiskSession, now: UnixMillis) -> String {
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
            let (age, workspace) = (format_age(summary.changed, now), &summary.workspace);
            format!("{name}  {age:>9}  {workspace}  {title}{of_server}{running}")
        }
        Err(error) => format!("{name}  cannot be read: {error}{of_server}{running}"),
    };
    // Others may have written the title and named the folders.
    one_line(&line, usize::MAX)
}

/// How long ago `then` was.
fn format_age(then: UnixMillis, now: UnixMillis) -> String {
    const MINUTE: u64 = 60_000;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match now.0.saturating_sub(then.0) {
        ago if ago < MINUTE => "just now".into(),
        ago if ago < HOUR => format!("{} min ago", ago / MINUTE),
        ago if ago < 2 * DAY => format!("{} h ago", ago / HOUR),
        ago => format!("{} d ago", ago / DAY),
    }
}
