//! The smallest MCP client: drives the tools of `pollux mcp-server` as a program would.

use crate::process;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A connection to a server of its own. Dropping it ends the server.
pub(super) struct BenchMcpClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    sent: u64,
}

/// A command that runs our program in `directory` with a home of its own.
pub(super) fn program(binary: &Path, home: &Path, directory: &Path) -> Command {
    let mut command = process::command(binary, directory);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("XDG_STATE_HOME", home.join("state")).env("TMPDIR", std::env::temp_dir());
    command
}

impl BenchMcpClient {
    /// Start `command` and say hello.
    pub(super) fn start(command: &mut Command) -> Result<BenchMcpClient> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take().context("its output is piped")?);
        let mut client = BenchMcpClient { child, input, output: BufReader::new(output), sent: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        client.request("initialize", &hello)?;
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Call a tool; returns its result and how long that took.
    pub(super) fn call(&mut self, tool: &str, args: &Value) -> Result<(Value, Duration)> {
        let began = Instant::now();
        let result = self.request("tools/call", &json!({ "name": tool, "arguments": args }))?;
        let took = began.elapsed();
        if result["isError"] == true {
            bail!("{tool} failed: {}", result["content"]);
        }
        Ok((result, took))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.sent += 1;
        let id = self.sent;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server ended before it answered {method}");
            }
            let mut answer: Value = serde_json::from_str(&line).context("the server wrote something else than MCP")?;
            if answer["id"] != id {
                continue;
            }
            if !answer["error"].is_null() {
                bail!("{method} was refused: {}", answer["error"]);
            }
            return Ok(answer["result"].take());
        }
    }

    fn write(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the server is gone")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }
}

impl Drop for BenchMcpClient {
    fn drop(&mut self) {
        // The end of its input is the server's sign to stop.
        self.input = None;
        let _ = self.child.wait();
    }
}
