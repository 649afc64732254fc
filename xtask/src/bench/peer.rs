//! The other side: Google's a2a-server from npm, on a model that answers at once.

use super::figures::{self, ServerBaseline, ServerFigures, median};
use super::load::LoadTarget;
use super::server_process::{BenchServer, PortSource};
use super::server_table;
use crate::fake_gemini;
use crate::test::setup;
use crate::{process, say};
use anyhow::Result;
use serde_json::json;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;

/// Starts for the median: each takes seconds.
const STARTS: usize = 3;

/// Turns for the latency figures.
const TURNS: usize = 100;

/// Loaded before the server: it listens on every interface and reports its use to Google. Here, and in the tests that
/// compare it with Pollux, it does neither.
const LOOPBACK_ONLY: &str = include_str!("../../../crates/cli/tests/drop_in/loopback.mjs");

/// Install, start, load; `None`, with a line that says why, when this machine cannot run it.
pub(super) fn measure(root: &Path, peers: &Path, scratch: &Path) -> Result<Option<ServerFigures>> {
    if !setup::on_path("node") || !setup::on_path("npm") {
        say(format_args!("{}: not measured, node is not installed", server_table::PEER));
        return Ok(None);
    }
    let prefix = peers.join("a2a-server");
    if let Err(error) = setup::node_clients(root, &prefix, &[setup::A2A_SERVER]) {
        say(format_args!("{}: not measured, {error:#}", server_table::PEER));
        return Ok(None);
    }
    std::fs::create_dir_all(scratch.join("workspace"))?;
    std::fs::write(scratch.join("loopback.mjs"), LOOPBACK_ONLY)?;
    let model = fake_gemini::start()?;

    say(format_args!("{}: {STARTS} starts", server_table::PEER));
    let starts = (0..STARTS).map(|_| Ok(start(&prefix, scratch, model)?.started_in)).collect::<Result<Vec<_>>>()?;

    let server = start(&prefix, scratch, model)?;
    let workspace = scratch.join("workspace");
    let settings = json!({ "coderAgent": { "kind": "agent-settings", "workspacePath": workspace } });
    let known =
        ServerBaseline { start: median(starts.into_iter()), installed_bytes: bytes_below(&prefix)?, turns: TURNS };
    figures::measure(server_table::PEER, &server, &LoadTarget::new(server.port, settings), &known).map(Some)
}

fn start(prefix: &Path, scratch: &Path, model: u16) -> Result<BenchServer> {
    let port = free_port()?;
    BenchServer::start(&mut serve(prefix, scratch, model, port), &PortSource::Given(port))
}

fn serve(prefix: &Path, scratch: &Path, model: u16, port: u16) -> Command {
    let mut command = process::command("node", &scratch.join("workspace"));
    command.arg("--import").arg(scratch.join("loopback.mjs"));
    command.arg(prefix.join("node_modules").join(setup::A2A_SERVER.0).join("dist").join("a2a-server.mjs"));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", scratch);
    command.env("GEMINI_API_KEY", "x").env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{model}"));
    command.env("CODER_AGENT_PORT", port.to_string()).env("NODE_ENV", "production");
    command
}

/// A port that is free now. It asks for a number, so it cannot be told to pick.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

fn bytes_below(directory: &Path) -> Result<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        total += if kind.is_dir() { bytes_below(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(total)
}
