//! The real program as a child process, in a home of its own.

use anyhow::{Context as _, Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The time that anything may take before a test gives up. Generous: machines are busy.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// The way in which clients reach the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerMode {
    /// `pollux serve`: a session for each context.
    Serve,
    /// `pollux --a2a-port`: the one session that everybody shares.
    Share,
}

impl ServerMode {
    pub const ALL: [ServerMode; 2] = [ServerMode::Serve, ServerMode::Share];
}

// Whoever adds a mode is sent here, and so to `ALL`.
const _: fn(&ServerMode) = |mode| match mode {
    ServerMode::Serve | ServerMode::Share => {}
};

/// A place for a program to live in: a home, a workspace, a data directory.
pub struct TestHome {
    dir: TempDir,
    program: PathBuf,
    /// Where programs are looked for before the machine's own path.
    first_on_path: Vec<PathBuf>,
}

impl TestHome {
    /// A fresh home for `program` (a test passes `env!("CARGO_BIN_EXE_pollux")`).
    pub fn new(program: &str) -> Result<TestHome> {
        let dir = tempfile::tempdir()?;
        std::fs::create_dir(dir.path().join("workspace"))?;
        std::fs::create_dir(dir.path().join("tmp"))?;
        Ok(TestHome { dir, program: program.into(), first_on_path: Vec::new() })
    }

    /// Where the program works.
    pub fn workspace(&self) -> PathBuf {
        self.dir.path().join("workspace")
    }

    /// A path next to the workspace, for scripts and tokens.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The program's path, for a terminal to run.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Look for programs in `directory` first.
    pub fn put_on_path(&mut self, directory: impl Into<PathBuf>) {
        self.first_on_path.push(directory.into());
    }

    /// The environment it runs in: nothing of the machine's but the path.
    pub fn environment(&self) -> Vec<(String, String)> {
        let home = self.dir.path().display().to_string();
        let first = self.first_on_path.iter().map(|directory| directory.display().to_string());
        let path = Vec::from_iter(first.chain(std::env::var("PATH").ok()));
        vec![
            ("PATH".into(), path.join(":")),
            ("HOME".into(), home.clone()),
            ("XDG_STATE_HOME".into(), format!("{home}/state")),
            ("XDG_RUNTIME_DIR".into(), format!("{home}/run")),
            ("TMPDIR".into(), format!("{home}/tmp")),
            ("TERM".into(), "xterm".into()),
            ("LANG".into(), "C.UTF-8".into()),
        ]
    }

    /// A command that runs the program with `args`, in the workspace, with its pipes captured.
    pub fn command(&self, args: &[&str]) -> Command {
        self.command_of(&self.program, args)
    }

    /// The command with any other program.
    pub fn command_of(&self, program: impl AsRef<OsStr>, args: &[&str]) -> Command {
        #[expect(clippy::disallowed_methods, reason = "tests start the programs they test")]
        let mut command = Command::new(program);
        command.args(args).current_dir(self.workspace()).env_clear().envs(self.environment()).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Run the program to its end.
    pub async fn run(&self, args: &[&str]) -> Result<std::process::Output> {
        self.run_program(&self.program, args).await
    }

    /// Run any other program to its end.
    pub async fn run_program(&self, program: impl AsRef<OsStr>, args: &[&str]) -> Result<std::process::Output> {
        let mut command = self.command_of(program, args);
        Ok(timeout(TIMEOUT, command.output()).await.context("the program does not end")??)
    }

    /// Start a server and wait until it says where it listens. `args` are those of the program without the port.
    pub async fn serve(&self, args: &[&str]) -> Result<ServerProcess> {
        self.serve_as(ServerMode::Serve, args).await
    }

    /// Start a session that is shared on a port and has no terminal.
    pub async fn share(&self, args: &[&str]) -> Result<ServerProcess> {
        self.serve_as(ServerMode::Share, args).await
    }

    /// Start a server of either kind.
    pub async fn serve_as(&self, mode: ServerMode, args: &[&str]) -> Result<ServerProcess> {
        let start: &[&str] = match mode {
            ServerMode::Serve => &["serve", "--port", "0"],
            ServerMode::Share => &["--a2a-port", "0"],
        };
        ServerProcess::start(self.command(&[start, args].concat())).await
    }
}

/// A running server.
pub struct ServerProcess {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
}

impl ServerProcess {
    /// Start `command` and wait for the address it prints.
    pub async fn start(mut command: Command) -> Result<ServerProcess> {
        let mut child = command.stderr(Stdio::inherit()).spawn()?;
        let stdout = child.stdout.take().context("standard output is captured")?;
        let mut lines = BufReader::new(stdout).lines();
        let address = timeout(TIMEOUT, async {
            while let Some(line) = lines.next_line().await? {
                if let Some(address) = address_in(&line) {
                    return Ok(address);
                }
            }
            bail!("the program ended before it listened")
        })
        .await
        .context("the program does not listen")??;
        // Keep reading, so that the program never blocks on a full pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(ServerProcess { child, address })
    }

    /// `http://127.0.0.1:PORT` with `path` behind it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// Kill it as a power cut would: no handler runs.
    pub async fn kill(mut self) -> Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Ask it to stop, and wait for its exit code.
    pub async fn stop(mut self) -> Result<Option<i32>> {
        let pid = self.pid().to_string();
        #[expect(clippy::disallowed_methods, reason = "a signal is sent to the program under test by its id")]
        let sent = Command::new("kill").args(["-TERM", &pid]).status().await?;
        anyhow::ensure!(sent.success(), "process {pid} cannot be told to stop");
        Ok(timeout(TIMEOUT, self.child.wait()).await.context("the program does not stop")??.code())
    }

    /// Its resident memory in bytes.
    pub fn resident_memory(&self) -> Result<u64> {
        self.memory("VmRSS:")
    }

    /// The most memory it ever had resident, in bytes: the system keeps it, so no moment is missed.
    pub fn peak_memory(&self) -> Result<u64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, figure: &str) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))?;
        let line = status.lines().find(|line| line.starts_with(figure)).context("the figure is not given")?;
        let kib: u64 = line.split_whitespace().nth(1).context("no figure")?.parse()?;
        Ok(kib * 1024)
    }
}

/// Send the signal called `name` to a program under test, by its id.
pub fn send_signal(pid: u32, name: &str) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a signal is sent to the program under test by its id")]
    let sent = std::process::Command::new("kill").args([format!("-{name}"), pid.to_string()]).status()?;
    anyhow::ensure!(sent.success(), "process {pid} cannot be sent SIG{name}");
    Ok(())
}

/// The address in a line such as `listening on http://127.0.0.1:41242`.
pub fn address_in(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("http://")?;
    let end = rest.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}
