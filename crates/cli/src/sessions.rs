//! `pollux sessions`: what is kept on this machine, newest first.

use crate::place::list;
use crate::settings::Basics;
use pollux_store::KeptSession;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn print(basics: &Basics) -> anyhow::Result<ExitCode> {
    let sessions = list(&basics.data_dir)?;
    let mut out = std::io::stdout().lock();
    if sessions.is_empty() {
        writeln!(out, "no sessions yet; `pollux` starts one")?;
    }
    for session in &sessions {
        writeln!(out, "{}", line(session))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(session: &KeptSession) -> String {
    let running = match &session.holder {
        Ok(Some(holder)) => format!("  [running: {holder}]"),
        Ok(None) => String::new(),
        Err(error) => format!("  [{error}]"),
    };
    match &session.summary {
        Ok(summary) => {
            let title = if summary.title.is_empty() { "(nothing said yet)" } else { &summary.title };
            format!("{}  {}  {title}{running}", summary.id, summary.workspace)
        }
        Err(error) => format!("{}  cannot be read: {error}{running}", session.place.id),
    }
}
