//! Our side: the release binary on the scripted model.

use super::figures::{self, ServerBaseline, ServerFigures, median};
use super::load::LoadTarget;
use super::server_process::{BenchServer, PortSource};
use crate::{process, say};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Starts for the median.
const STARTS: usize = 20;

/// Turns for the latency figures.
const TURNS: usize = 300;

/// One answer, for ever: "ok".
const SCRIPT: &str = concat!(
    r#"{"method":"generateContentStream","repeat":true,"response":[{"candidates":[{"content":{"role":"model","#,
    r#""parts":[{"text":"ok"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"#,
    r#""candidatesTokenCount":1,"totalTokenCount":2}}]}"#,
    "\n"
);

/// Start, load.
pub(super) fn measure(binary: &Path, scratch: &Path) -> Result<ServerFigures> {
    let installed_bytes = std::fs::metadata(binary).context("the build left no binary")?.len();

    say(format_args!("pollux: {STARTS} starts"));
    let shelf = BenchStorage::Disk(scratch.join("data"));
    let starts = (0..STARTS)
        .map(|_| Ok(BenchServer::start(&mut serve(binary, scratch, &shelf)?, &PortSource::Printed)?.started_in))
        .collect::<Result<Vec<_>>>()?;

    let server = BenchServer::start(&mut serve(binary, scratch, &shelf)?, &PortSource::Printed)?;
    let wire = LoadTarget::new(server.port, Value::Null);
    let known = ServerBaseline { start: median(starts.into_iter()), installed_bytes, turns: TURNS };
    figures::measure("pollux", &server, &wire, &known)
}

/// Where the server has its data.
pub(super) enum BenchStorage {
    /// In this directory.
    Disk(PathBuf),
    /// Nowhere: it is gone with the server.
    Memory,
}

/// A server with a home of its own, so that nobody's settings or sessions take part.
pub(super) fn serve(binary: &Path, scratch: &Path, shelf: &BenchStorage) -> Result<Command> {
    std::fs::create_dir_all(scratch.join("workspace"))?;
    std::fs::write(scratch.join("script"), SCRIPT)?;
    let mut command = process::command(binary, &scratch.join("workspace"));
    command.args(["serve", "--port", "0"]);
    match shelf {
        BenchStorage::Disk(data) => command.arg("--data-dir").arg(data),
        BenchStorage::Memory => command.arg("--ephemeral"),
    };
    command.arg("-m").arg(format!("script:{}", scratch.join("script").display()));
    command.env_clear().env("HOME", scratch).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_one_line_of_json() {
        let line: Value = serde_json::from_str(SCRIPT).unwrap();
        assert_eq!(line["response"][0]["candidates"][0]["content"]["parts"][0]["text"], "ok");
        assert_eq!(SCRIPT.lines().count(), 1);
    }
}
