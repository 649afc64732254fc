//! The engine from PyPI as a server on loopback. It ends with the value.

use super::install::InstalledEngine;
use crate::process;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const SERVE: &str = include_str!("serve.py");

/// A running server.
pub(super) struct LocalModelServer {
    child: Child,
    pub(super) address: String,
    pub(super) started_in: Duration,
}

impl LocalModelServer {
    /// Start it and wait until the weights are loaded.
    pub(super) fn start(root: &Path, installed: &InstalledEngine) -> Result<LocalModelServer> {
        let began = Instant::now();
        let mut command = process::command(&installed.python, root);
        command.args(["-c", SERVE]).arg(&installed.weights);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = LocalModelServer {
            child: child.context("the server could not be started")?,
            address: String::new(),
            started_in: Duration::ZERO,
        };
        let output = server.child.stdout.take().context("the server has no output")?;
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let Some(address) = lines.find(|line| line.starts_with("http://127.0.0.1:")) else {
            bail!("the server ended before it listened; run it again with --install");
        };
        // What it prints later is read and dropped, so that a full pipe never stops it.
        std::thread::spawn(move || lines.for_each(drop));
        server.address = address.trim().to_owned();
        server.started_in = began.elapsed();
        Ok(server)
    }
}

impl Drop for LocalModelServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
