//! A server under measurement: started, found ready, looked at, and ended with the value.

use super::http;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

const CARD: &str = "/.well-known/agent-card.json";

/// Longer than any server takes to start on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Lines kept for the message when a server does not start.
const LINES_KEPT: usize = 1000;

/// The way in which a server tells its port.
pub(super) enum PortSource {
    /// It was told which one to take.
    Given(u16),
    /// It prints the address it took.
    Printed,
}

/// A started server. Dropping it kills the process.
pub(super) struct BenchServer {
    child: Child,
    pub(super) port: u16,
    /// From the start of the process to the first 200 on the card.
    pub(super) started_in: Duration,
}

impl BenchServer {
    /// Start a server and wait for its card.
    pub(super) fn start(command: &mut Command, port: &PortSource) -> Result<BenchServer> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let child = command.spawn().context("the server could not be started")?;
        let mut running = BenchServer { child, port: 0, started_in: Duration::ZERO };
        let printed = running.watch_output();
        running.port = match port {
            PortSource::Given(port) => *port,
            PortSource::Printed => printed_port(&printed)?,
        };
        while !matches!(http::get(running.port, CARD), Ok(200)) {
            if let Some(status) = running.child.try_wait()? {
                let said = Vec::from_iter(printed.try_iter()).join("\n");
                bail!("the server ended with {status} before it answered:\n{said}");
            }
            if began.elapsed() > TIMEOUT {
                bail!("no 200 on the agent card within {} s", TIMEOUT.as_secs());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        running.started_in = began.elapsed();
        Ok(running)
    }

    /// Read both outputs for as long as the server writes, so that a full pipe never stops it.
    fn watch_output(&mut self) -> Receiver<String> {
        let (lines, printed) = sync_channel(LINES_KEPT);
        if let Some(stdout) = self.child.stdout.take() {
            forward(stdout, lines.clone());
        }
        if let Some(stderr) = self.child.stderr.take() {
            forward(stderr, lines);
        }
        printed
    }

    /// Memory of the process that is in RAM.
    pub(super) fn resident_bytes(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .context("memory is read from /proc; the figures need Linux")?;
        resident(&status).context("the kernel does not say how much memory the server has")
    }

    /// Processor time that the process has used, in all its threads.
    pub(super) fn processor_time(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))
            .context("processor time is read from /proc; the figures need Linux")?;
        processor(&stat).context("the kernel does not say how much processor time the server has used")
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forward(output: impl Read + Send + 'static, lines: SyncSender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // Nobody listens any more once the server answers; the pipe is still emptied.
            let _ = lines.try_send(line);
        }
    });
}

fn printed_port(printed: &Receiver<String>) -> Result<u16> {
    let deadline = Instant::now() + TIMEOUT;
    let mut said = Vec::new();
    loop {
        match printed.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(port) = port_in(&line) {
                    return Ok(port);
                }
                said.push(line);
            }
            Err(RecvTimeoutError::Timeout) => bail!("the server printed no address; it said:\n{}", said.join("\n")),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("the server ended before it printed its address; it said:\n{}", said.join("\n"));
            }
        }
    }
}

/// The port in `listening on http://127.0.0.1:41242`.
fn port_in(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("http://127.0.0.1:")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// User and system time, in hundredths of a second behind the name in brackets.
pub(super) fn processor(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut ticks = fields.split(' ').skip(11).map(str::parse::<u64>);
    let (user, system) = (ticks.next()?.ok()?, ticks.next()?.ok()?);
    Some(Duration::from_millis((user + system) * 10))
}

fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_what_a_server_prints() {
        assert_eq!(port_in("listening on http://127.0.0.1:41242"), Some(41242));
        assert_eq!(port_in("INFO listening on http://127.0.0.1:80/ (demo)"), Some(80));
        assert_eq!(port_in("listening on http://127.0.0.1:99999"), None);
        assert_eq!(port_in("hello"), None);
    }

    #[test]
    fn processor_time_is_read_from_the_kernel() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194560 1 0 0 0 150 25 0 0 20 0 4 0 9 1 1";
        assert_eq!(processor(stat), Some(Duration::from_millis(1750)));
        assert_eq!(processor("7 (x) S 1"), None);
    }

    #[test]
    fn memory_is_read_from_the_kernel() {
        assert_eq!(resident("Name:\tx\nVmRSS:\t   12 kB\nThreads:\t1\n"), Some(12288));
        assert_eq!(resident("Name:\tx\n"), None);
    }
}
